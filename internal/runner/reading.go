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

// Understand reads a person's words against this repository: its tracked paths, and
// whether there is a project already (a file called plan, or a program). Paths that
// cannot be listed leave the answer without affected files.
func Understand(ctx context.Context, s *session.Session, text string) (belay.Request, []intent.Evidence) {
	return intent.Parse(input(ctx, s, text))
}

// Assisted reads them by grammar and, where the config names somebody, has them read by
// that one as well, within its time limit (10 seconds when none is set). The second result
// says whose reading the first is, in what the two differ, or why there is only one; it is
// nil when nobody is named. One that is not trusted is not asked.
func Assisted(ctx context.Context, s *session.Session, text string) (belay.Request, *belay.Reading) {
	in := input(ctx, s, text)
	grammar, _ := intent.Parse(in)
	who, ok := s.Config.RequestReader()
	switch {
	case !ok:
		return grammar, nil
	case !asked(s, who):
		return grammar, &belay.Reading{By: belay.ByGrammar,
			Note: fmt.Sprintf("%s was not started: commands in .belay/config.yaml are not trusted (belay trust)", who.Name)}
	}
	q := Input{Text: secret.Mask(text), PlanExists: in.PlanExists, Files: in.Files, Nonce: nonce()}
	model, err := put(ctx, s, who, q)
	if err != nil {
		return grammar, &belay.Reading{By: belay.ByGrammar,
			Note: fmt.Sprintf("the answer of %s cannot be used: %s", who.Name, belay.VisibleLine(err.Error()))}
	}
	model.Bounds = grammar.Bounds // enforced: read by what always reads the same
	return model, &belay.Reading{By: who.Name, Grammar: &grammar, Differs: Differ(model, grammar)}
}

// asked reports whether somebody may be asked.
func asked(s *session.Session, who belay.Reviewer) bool {
	_, perr := s.May.Program(who.Command)
	_, merr := s.May.Model(who.Endpoint, who.KeyEnv)
	return perr == nil && merr == nil
}

// put asks. A program works in an empty folder, with the repository closed to it where the
// system can do that.
func put(ctx context.Context, s *session.Session, who belay.Reviewer, in Input) (r belay.Request, err error) {
	dir, err := os.MkdirTemp("", "belay-parser-")
	if err != nil {
		return r, fmt.Errorf("make a folder for it: %w", err)
	}
	defer os.RemoveAll(dir)
	prompt := Prompt(in)
	_, err = agent.Ask(ctx, agent.Question{
		Reviewer: who, May: s.May, Prompt: prompt, Dir: dir, ReadOnly: []string{s.Repo.Root, s.Repo.Common}, Enclose: Encloser(ctx, s),
		Env:         agent.BuildEnviron(os.Environ(), nil, map[string]string{"BELAY_ROLE": "parser"}),
		RetryPrompt: func(wrong, said string) string { return Mend(prompt, wrong, said, in.Nonce) },
		CheckAnswer: func(said []byte) (err error) {
			r, err = Read(said, in)
			return err
		},
	})
	return r, err
}

func nonce() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func input(ctx context.Context, s *session.Session, text string) intent.Input {
	files := tracked(ctx, s)
	return intent.Input{Text: text, PlanExists: planned(files), Files: files}
}

func tracked(ctx context.Context, s *session.Session) []string {
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

// planned reports whether there is a project already: a plan of it, or a program. Then a
// request for something new is about a part of it. Earlier tasks do not count: the same words
// mean the same in a fresh clone.
func planned(files []string) bool {
	for _, f := range files {
		base, _, _ := strings.Cut(strings.ToLower(path.Base(f)), ".")
		if base == "plan" {
			return true
		}
	}
	return intent.HasSource(files)
}
