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

// LastRefused returns the newest attempt that was rejected with a reason, nil for none.
func LastRefused(s loop.State) *loop.Attempt {
	for i := len(s.Attempts) - 1; i >= 0; i-- {
		if len(s.Attempts[i].Reasons()) > 0 {
			return &s.Attempts[i]
		}
	}
	return nil
}

// NewFixInput returns the data of the fix prompt for a, the newest rejected attempt of s,
// without the code.
func NewFixInput(t belay.Task, s loop.State, a loop.Attempt) FixInput {
	in := FixInput{Task: t, Attempt: a.N, Findings: a.Reasons(), By: a.Reviewer,
		Repeated: loop.State{Attempts: s.Attempts[:a.N]}.Repeated()}
	for _, f := range a.Findings {
		if a.Reviewer != "" && f.Severity != belay.SeverityError && f.Severity != "" {
			in.OtherFindings = append(in.OtherFindings, f)
		}
	}
	if slices.ContainsFunc(in.Findings, func(f belay.Finding) bool { return f.Category == belay.CategoryTests }) {
		in.Reproduce = t.Checks.Tests.String()
	}
	return in
}

// LastReviewed returns the attempt to repair, and whether only a person or reviewers rejected it:
// then the checks passed, and only the reviewers' findings are to be fixed.
func LastReviewed(s loop.State) (loop.Attempt, bool) {
	a := LastRefused(s)
	if a == nil || a.N != len(s.Attempts)-1 || a.Review == "" && a.Reviewer == "" {
		return loop.Attempt{}, false
	}
	if a.Reviewer != "" {
		return *a, true
	}
	return *a, !slices.ContainsFunc(a.Reasons(), func(f belay.Finding) bool { return f.Check != "review" })
}

// ReadFixFiles reads the places that findings name in files below a folder, each file once, in
// order of the findings. It masks secrets.
func ReadFixFiles(dir string, findings []belay.Finding) ([]FixFile, error) {
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
		text, err := readLimited(root, path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			file.Missing = "does not exist (any more)"
		case err != nil:
			file.Missing = "cannot be read: " + err.Error()
		default:
			text = []byte(secret.Mask(string(text))) // a prompt must not repeat a secret that the work was rejected for
			list, ok := Excerpts(path, text, places[path])
			if !ok {
				file.Missing = "is binary or too large to show"
			}
			file.Code = excerptTexts(list)
			list, _ = NarrowExcerpts(text, places[path])
			file.Short = excerptTexts(list)
		}
		out = append(out, file)
	}
	return out, nil
}

func excerptTexts(list []Excerpt) (out []string) {
	for _, e := range list {
		out = append(out, e.String())
	}
	return out
}

// readLimited reads a file of the tree, up to MaxFileBytes+1 bytes.
func readLimited(root *fsroot.Root, path string) ([]byte, error) {
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
}

// ReviewPaths returns the paths that a review may name: tracked files, and untracked ones that are
// not ignored, which an agent may have just created.
func ReviewPaths(ctx context.Context, repo *git.Repo) ([]string, error) {
	out, err := git.Output(repo.Command(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	slices.Sort(files)
	return slices.Compact(files), nil
}
