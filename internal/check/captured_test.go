package check

import (
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// What was not captured rejects where it certainly changed outside of the task's files, and
// is named everywhere else.
func TestCaptured(t *testing.T) {
	t.Parallel()
	file := Missed{Path: "big.bin", What: "too large", Harms: true}
	for name, tt := range map[string]struct {
		missed   Missed
		scope    belay.Scope
		severity belay.Severity
		category belay.Category
	}{
		"no scope":            {file, belay.Scope{}, belay.SeverityWarning, belay.CategoryScope},
		"in scope":            {file, belay.Scope{Files: []string{"*.bin"}}, belay.SeverityWarning, belay.CategoryScope},
		"out of scope":        {file, belay.Scope{Files: []string{"src/**"}}, belay.SeverityError, belay.CategoryScope},
		"protected":           {file, belay.Scope{Files: []string{"**"}, Protect: []string{"big.*"}}, belay.SeverityError, belay.CategoryProtected},
		"may have changed":    {Missed{Path: "big.bin", Harms: true, Unsure: true}, belay.Scope{Files: []string{"src/**"}}, belay.SeverityWarning, belay.CategoryScope},
		"build output":        {Missed{Path: "node_modules/", What: "3 files"}, belay.Scope{Files: []string{"src/**"}}, belay.SeverityWarning, belay.CategoryScope},
		"repository":          {Missed{Path: "sub/", Harms: true}, belay.Scope{Files: []string{"src/**"}}, belay.SeverityError, belay.CategoryScope},
		"repository in scope": {Missed{Path: "sub/", Harms: true}, belay.Scope{Files: []string{"sub/*.go"}}, belay.SeverityWarning, belay.CategoryScope},
	} {
		r := captured(t.Context(), Input{Missed: []Missed{tt.missed}, Scope: tt.scope})
		if len(r.Findings) != 1 || r.Findings[0].Severity != tt.severity || r.Findings[0].Category != tt.category {
			t.Errorf("%s: %+v", name, r.Findings)
		}
	}
}

// The inside of a new repository is one finding, and no check reads it as text.
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
	if got["captured"] != "warning src/sub/: a new repository inside of this one\n" || got["scope"] != "" {
		t.Errorf("%q", got)
	}
	if got["change"] == "" {
		t.Error("the files of a git folder pass for work")
	}
}
