package check

import (
	"context"
	"errors"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// TestCaptured: an uncaptured path rejects if it certainly changed outside of the task's files, and
// is reported otherwise.
func TestCaptured(t *testing.T) {
	t.Parallel()
	file := UncapturedPath{Path: "big.bin", Description: "too large", Rejects: true}
	for name, tt := range map[string]struct {
		missed   UncapturedPath
		scope    belay.Scope
		severity belay.Severity
		category belay.Category
	}{
		"no scope":            {file, belay.Scope{}, belay.SeverityWarning, belay.CategoryScope},
		"in scope":            {file, belay.Scope{Files: []string{"*.bin"}}, belay.SeverityWarning, belay.CategoryScope},
		"out of scope":        {file, belay.Scope{Files: []string{"src/**"}}, belay.SeverityError, belay.CategoryScope},
		"protected":           {file, belay.Scope{Files: []string{"**"}, Protect: []string{"big.*"}}, belay.SeverityError, belay.CategoryProtected},
		"may have changed":    {UncapturedPath{Path: "big.bin", Rejects: true, Unsure: true}, belay.Scope{Files: []string{"src/**"}}, belay.SeverityWarning, belay.CategoryScope},
		"mode, protected":     {UncapturedPath{Path: ".env", Rejects: true, ModeOnly: true}, belay.Scope{Files: []string{"**"}, Protect: []string{".env"}}, belay.SeverityError, belay.CategoryProtected},
		"mode, out of scope":  {UncapturedPath{Path: ".env", Rejects: true, ModeOnly: true}, belay.Scope{Files: []string{"src/**"}}, belay.SeverityError, belay.CategoryScope},
		"ignored":             {UncapturedPath{Path: "lib/", Description: "ignored by git"}, belay.Scope{Files: []string{"src/**"}}, belay.SeverityWarning, belay.CategoryScope},
		"build output":        {UncapturedPath{Path: "node_modules/", Description: "3 files"}, belay.Scope{Files: []string{"src/**"}}, belay.SeverityWarning, belay.CategoryScope},
		"repository":          {UncapturedPath{Path: "sub/", Rejects: true}, belay.Scope{Files: []string{"src/**"}}, belay.SeverityError, belay.CategoryScope},
		"repository in scope": {UncapturedPath{Path: "sub/", Rejects: true}, belay.Scope{Files: []string{"sub/*.go"}}, belay.SeverityWarning, belay.CategoryScope},
	} {
		r := checkCaptured(t.Context(), Input{Uncaptured: []UncapturedPath{tt.missed}, Scope: tt.scope})
		if len(r.Findings) != 1 || r.Findings[0].Severity != tt.severity || r.Findings[0].Category != tt.category {
			t.Errorf("%s: %+v", name, r.Findings)
		}
	}
}

// TestNewRepositoryIsOneFinding: a new repository is one finding, and no check reads its git folder
// as text.
func TestNewRepositoryIsOneFinding(t *testing.T) {
	t.Parallel()
	in := Input{
		Changes: changed("src/a", "src/sub/x", "src/sub/.git/HEAD", "src/sub/.git/config"),
		Attempt: changed("src/sub/.git/HEAD"), Scope: belay.Scope{Files: []string{"src/sub/x", "src/a"}},
	}
	for i := range in.Changes {
		in.Changes[i].Status = "A"
	}
	report := Run(t.Context(), in, nil)
	got := map[string]string{}
	for _, r := range report.Checks {
		for _, f := range r.Findings {
			got[r.Check] += string(f.Severity) + " " + f.Title + "\n"
		}
	}
	if got["captured"] != "warning src/sub/: a new repository inside this one\n" || got["scope"] != "" {
		t.Errorf("%q", got)
	}
	if got["change"] == "" {
		t.Error("the files of a git folder pass for work")
	}
}

// TestWorkingTreesAreNamedOnce: a worktree that the check of git's state reports is not reported
// twice; one of another repository, or when that check is skipped or unknown, is reported here.
func TestWorkingTreesAreNamedOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	names := func(err error, folders ...string) func(context.Context) (GitFacts, error) {
		return func(context.Context) (GitFacts, error) { return GitFacts{Worktrees: folders}, err }
	}
	for name, tt := range map[string]struct {
		git   func(context.Context) (GitFacts, error)
		skip  []string
		named int
	}{
		"named by git's":   {names(nil, root+"/src/tree"), nil, 0},
		"another one":      {names(nil, root+"/src/tree2"), nil, 1},
		"git's left out":   {names(nil, root+"/src/tree"), []string{"git"}, 1},
		"git's not known":  {nil, nil, 1},
		"git's cannot say": {names(errors.New("damaged"), root+"/src/tree"), nil, 1},
	} {
		r := checkCaptured(t.Context(), Input{Root: root, Git: tt.git, Skip: tt.skip, Uncaptured: []UncapturedPath{{Path: "src/tree/", Description: "a working tree", Worktree: true}}})
		if len(r.Findings) != tt.named {
			t.Errorf("%s: %+v", name, r.Findings)
		}
	}
}
