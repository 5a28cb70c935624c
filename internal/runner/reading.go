package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/intent"

	"github.com/belay-dev/belay/internal/session"

	"github.com/belay-dev/belay/internal/secret"
)

// ReadRequest reads a person's text against this repository: its tracked paths, and whether
// there is a project already (a plan file or a program). If the paths cannot be listed, the
// result has no affected files.
func ReadRequest(ctx context.Context, s *session.Session, text string) (belay.Request, []intent.Evidence) {
	return intent.Parse(grammarInput(ctx, s, text))
}

// ReadRequestWithModel reads a text by grammar and, if the config names a model, with that model as
// well, within its time limit (10 seconds by default). The second result states which reading is
// returned, how the two differ, or why there is only one; it is nil if no model is named. An
// untrusted model is not asked.
func ReadRequestWithModel(ctx context.Context, s *session.Session, text string) (belay.Request, *belay.Reading) {
	in := grammarInput(ctx, s, text)
	grammar, _ := intent.Parse(in)
	who, ok := s.Config.RequestReader()
	switch {
	case !ok:
		return grammar, nil
	case !mayAsk(s, who):
		return grammar, &belay.Reading{By: belay.ByGrammar,
			Note: fmt.Sprintf("%s was not started: commands in .belay/config.yaml are not trusted (belay trust)", who.Name)}
	}
	q := ReadingInput{Text: secret.Mask(text), PlanExists: in.PlanExists, Files: in.Files, Nonce: newNonce()}
	model, err := askModel(ctx, s, who, q)
	if err != nil {
		return grammar, &belay.Reading{By: belay.ByGrammar,
			Note: fmt.Sprintf("the answer of %s cannot be used: %s", who.Name, belay.VisibleLine(err.Error()))}
	}
	model.Bounds = grammar.Bounds // bounds are enforced, so they need a deterministic reading
	return model, &belay.Reading{By: who.Name, Grammar: &grammar, Differs: ReadingDifferences(model, grammar)}
}

// mayAsk reports whether a model may be asked.
func mayAsk(s *session.Session, who belay.Reviewer) bool {
	_, perr := s.Gate.Program(who.Command)
	_, merr := s.Gate.Model(who.Endpoint, who.KeyEnv)
	return perr == nil && merr == nil
}

// askModel asks a model. A program runs in an empty folder, without access to the repository
// where the system supports that.
func askModel(ctx context.Context, s *session.Session, who belay.Reviewer, in ReadingInput) (r belay.Request, err error) {
	dir, err := os.MkdirTemp("", "belay-parser-")
	if err != nil {
		return r, fmt.Errorf("make a folder for it: %w", err)
	}
	defer os.RemoveAll(dir)
	prompt := ReadingPrompt(in)
	_, err = agent.Ask(ctx, agent.Question{
		Reviewer: who, May: s.Gate, Prompt: prompt, Dir: dir, ReadOnly: []string{s.Repo.Root, s.Repo.Common}, Enclose: Encloser(ctx, s),
		Env:         agent.BuildEnviron(os.Environ(), nil, map[string]string{"BELAY_ROLE": "parser"}),
		RetryPrompt: func(wrong, said string) string { return RetryPrompt(prompt, wrong, said, in.Nonce) },
		CheckAnswer: func(said []byte) (err error) {
			r, err = ReadAnswer(said, in)
			return err
		},
	})
	return r, err
}

func newNonce() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func grammarInput(ctx context.Context, s *session.Session, text string) intent.Input {
	files := trackedPaths(ctx, s)
	return intent.Input{Text: text, PlanExists: hasProject(files), Files: files}
}

func trackedPaths(ctx context.Context, s *session.Session) []string {
	index := filepath.Join(s.Repo.Dir, "index")
	data, err := fsroot.ReadFile(index, git.MaxIndexSize)
	if err != nil {
		return nil
	}
	entries, err := git.ParseIndex(data, s.Repo.HashSize())
	if err != nil {
		if entries, err = s.Repo.ListIndex(ctx, index); err != nil {
			return nil
		}
	}
	files := make([]string, 0, len(entries))
	for _, e := range entries {
		if n := len(files); n == 0 || files[n-1] != e.Path { // a conflict has several stages
			files = append(files, e.Path)
		}
	}
	return files
}

// hasProject reports whether there is a project already: a plan file, or a program. Then a request
// for something new is about a part of it. Earlier tasks do not count, so that a text means the
// same in a fresh clone.
func hasProject(files []string) bool {
	for _, f := range files {
		base, _, _ := strings.Cut(strings.ToLower(path.Base(f)), ".")
		if base == "plan" {
			return true
		}
	}
	return intent.HasSource(files)
}
