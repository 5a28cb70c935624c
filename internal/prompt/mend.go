package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/secret"
)

// Refused gives the newest attempt that was refused with a reason, nil for none.
func Refused(s loop.State) *loop.Attempt {
	for i := len(s.Attempts) - 1; i >= 0; i-- {
		if len(s.Attempts[i].Reasons()) > 0 {
			return &s.Attempts[i]
		}
	}
	return nil
}

// Input says what the newest refused attempt of s, a, is to be fixed for, without the code.
func Input(t belay.Task, s loop.State, a loop.Attempt) FixInput {
	in := FixInput{Task: t, Attempt: a.N, Findings: a.Reasons(), By: a.Reviewer, Again: loop.State{Attempts: s.Attempts[:a.N]}.Repeated()}
	for _, f := range a.Findings {
		if a.Reviewer != "" && f.Severity != belay.SeverityError && f.Severity != "" {
			in.Beside = append(in.Beside, f)
		}
	}
	if slices.ContainsFunc(in.Findings, func(f belay.Finding) bool { return f.Category == belay.CategoryTests }) {
		in.Reproduce = t.Checks.Tests.String()
	}
	return in
}

// Reviewed tells whether the attempt that is to be repaired was rejected by a person, or
// refused by reviewers alone: what the checks measure was right, and only what they found
// is to be fixed.
func Reviewed(s loop.State) (loop.Attempt, bool) {
	a := Refused(s)
	if a == nil || a.N != len(s.Attempts)-1 || a.Review == "" && a.Reviewer == "" {
		return loop.Attempt{}, false
	}
	if a.Reviewer != "" {
		return *a, true
	}
	return *a, !slices.ContainsFunc(a.Reasons(), func(f belay.Finding) bool { return f.Check != "review" })
}

// Files reads the places that findings name below a folder, each file once, in their
// order. Secrets in them are masked.
func Files(dir string, findings []belay.Finding) ([]FixFile, error) {
	root, err := fsroot.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var order []string
	places := map[string][]Range{}
	for _, f := range findings {
		if f.File == "" {
			continue
		}
		if _, seen := places[f.File]; !seen {
			order = append(order, f.File)
			places[f.File] = nil
		}
		if f.Line > 0 {
			places[f.File] = append(places[f.File], Range{First: f.Line, Last: max(f.Line, f.EndLine)})
		}
	}
	var out []FixFile
	for _, path := range order {
		file := FixFile{Path: path}
		text, err := readSome(root, path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			file.Missing = "does not exist (any more)"
		case err != nil:
			file.Missing = "cannot be read: " + err.Error()
		default:
			text = []byte(secret.Mask(string(text))) // what refused the work is not to be repeated
			list, ok := Of(path, text, places[path])
			if !ok {
				file.Missing = "is binary or too large to show"
			}
			file.Code = texts(list)
			list, _ = Narrow(text, places[path])
			file.Short = texts(list)
		}
		out = append(out, file)
	}
	return out, nil
}

func texts(list []Excerpt) (out []string) {
	for _, e := range list {
		out = append(out, e.String())
	}
	return out
}

// readSome reads a file of the tree, a little more of it than is looked into.
func readSome(root *fsroot.Root, path string) ([]byte, error) {
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, Largest+1))
}

// Paths lists what a review may speak of: the paths of the index, and those that are not
// ignored, which an agent has just made.
func Paths(ctx context.Context, repo *git.Repo) ([]string, error) {
	out, err := git.Output(repo.Command(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	slices.Sort(files)
	return slices.Compact(files), nil
}
