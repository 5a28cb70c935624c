package testutil

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// Told returns the result of a check as text: a line for the verdict, then "severity category file:
// title" for each finding.
func Told(r belay.CheckResult) string {
	lines := []string{string(r.Verdict)}
	if r.Skipped {
		lines[0] = "skipped"
	}
	if r.Why != "" {
		lines[0] += ": " + r.Why
	}
	for _, f := range r.Findings {
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", f.Severity, f.Category, f.File, f.Title))
	}
	return strings.Join(lines, "\n")
}

// WellFormed tests what is true for the result of any check. names are the allowed names of the
// check.
func WellFormed(t testing.TB, r belay.CheckResult, names ...string) {
	t.Helper()
	if !slices.Contains(names, r.Check) || r.Summary == "" {
		t.Errorf("no name or summary: %+v", r)
	}
	if (r.Verdict == belay.VerdictUnknown && !r.Asks) != (r.Why != "") {
		t.Errorf("a reason is missing, or given without need: %+v", r)
	}
	failed := false
	for _, f := range r.Findings {
		failed = failed || f.Severity == belay.SeverityError
		if f.Check != r.Check || f.Title == "" || f.Signature != f.Sign().Signature || f.Category == "" {
			t.Errorf("not well formed: %+v", f)
		}
		if f.Severity == belay.SeverityError && f.Recommendation == "" {
			t.Errorf("an error without advice: %+v", f)
		}
	}
	if failed != (r.Verdict == belay.VerdictFail) {
		t.Errorf("verdict %s with findings %+v", r.Verdict, r.Findings)
	}
}

// Project creates a folder with files, given by path.
func Project(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
