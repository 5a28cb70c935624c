package prompt

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

func TestResult(t *testing.T) {
	t.Parallel()
	tests := belay.CheckResult{Check: "tests", Verdict: belay.VerdictPass, Summary: "297 passed before; now 298 passed"}
	full := Result{
		Checks: []belay.CheckResult{
			{Check: "scope", Skipped: true, Summary: "no file scope was given"},
			{Check: "git", Verdict: belay.VerdictPass, Summary: "1 change to git's own state", Findings: []belay.Finding{
				{Severity: belay.SeverityWarning, Title: "1 new commit on main", Category: belay.CategoryGit}}},
			{Check: "style", Verdict: belay.VerdictPass, Summary: "1 note", Findings: []belay.Finding{{Severity: belay.SeverityNote, Title: "not shown"}}},
			tests,
		},
		Changes: []belay.Change{{Path: "cmd/since.go", Status: "A", Added: 20}, {Path: "logo.png", Status: "M", Binary: true}},
		Commits: []Commit{{OID: "2f0015d470aa", Subject: "Add --since"}},
		Took:    95 * time.Second, Agents: 61 * time.Second,
		Next: []Step{{"belay diff T1", "read the change"}, {"belay rollback T1", "revert it"}},
	}
	golden(t, "result", full.Text())
	many := Result{}
	for i := range 12 {
		many.Changes = append(many.Changes, belay.Change{Path: fmt.Sprintf("f%d", i), Status: "M", Added: 1})
		many.Commits = append(many.Commits, Commit{OID: fmt.Sprintf("%010d", i), Subject: strings.Repeat("long ", 40)})
	}
	golden(t, "result_many", many.Text())
	for line := range strings.Lines(full.Text() + many.Text()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if text := (Result{}).Text(); text != "" {
		t.Errorf("text of an empty result: %q", text)
	}
}

// TestAcceptedBy: only work that passed tests is called passed.
func TestAcceptedBy(t *testing.T) {
	t.Parallel()
	state := func(v belay.Verdict) loop.State {
		return loop.State{Phase: loop.PhaseClosed, Outcome: loop.OutcomePassed, Attempts: []loop.Attempt{{N: 1, Verdict: v,
			Findings: []belay.Finding{{Severity: belay.SeverityQuestion, Title: "test deleted"}}}}}
	}
	ran := belay.CheckResult{Check: "tests", Verdict: belay.VerdictPass, Summary: "3 tests: 3 passed"}
	for _, c := range []struct {
		verdict belay.Verdict
		checks  []belay.CheckResult
		want    string
	}{
		{belay.VerdictPass, []belay.CheckResult{ran}, "passed"},
		{belay.VerdictPass, nil, "accepted"},
		{belay.VerdictPass, []belay.CheckResult{{Check: "scope", Verdict: belay.VerdictPass}}, "accepted"},
		{belay.VerdictPass, []belay.CheckResult{{Check: "tests", Skipped: true, Why: "no test command: set checks.tests.command"}}, "accepted, no tests found"},
		{belay.VerdictPass, []belay.CheckResult{{Check: "tests", Skipped: true, Why: "skipped: no tests found"}}, "accepted, no tests found"},
		{belay.VerdictPass, []belay.CheckResult{{Check: "tests", Skipped: true, Why: "as asked"}}, "accepted, tests were skipped"},
		{belay.VerdictFail, []belay.CheckResult{ran}, "accepted despite a rejection"},
		{belay.VerdictUnknown, []belay.CheckResult{ran}, "accepted, approved by a person"},
	} {
		got, _, _ := strings.Cut(StatusLine(state(c.verdict), c.checks), " (")
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.checks, got, c.want)
		}
	}
}
