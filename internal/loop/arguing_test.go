package loop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func found(check, title string) []belay.Finding {
	f := belay.Finding{Check: check, Category: belay.Category(check), Severity: belay.SeverityError, Title: title}
	return []belay.Finding{f.Sign()}
}

// reviews plays attempts that pass the checks and are refused by reviewers with these
// findings, one string an attempt, and gives the state after the last.
func reviews(t *testing.T, p belay.Policy, titles ...string) State {
	t.Helper()
	s := State{}
	step := func(e Event) {
		t.Helper()
		if s.Pending != nil {
			e.Command = s.Pending.ID
		}
		next, _, err := Step(p, s, e)
		if err != nil {
			t.Fatalf("%s: %v", e.Kind, err)
		}
		s = next
	}
	step(Event{Kind: EvStarted})
	step(Event{Kind: EvSnapshot, Snapshot: "b"})
	for i, title := range titles {
		if s.Pending == nil || s.Pending.Kind != CmdAttempt {
			t.Fatalf("attempt %d does not start: %+v", i+1, s.Gate)
		}
		step(Event{Kind: EvAttempted, Ended: EndedExit})
		step(Event{Kind: EvCaptured, Snapshot: "c"})
		if title == "checks" {
			step(Event{Kind: EvChecked, Verdict: belay.VerdictFail, Findings: found("tests", "x")})
		} else {
			step(Event{Kind: EvChecked, Verdict: belay.VerdictPass})
			step(Event{Kind: EvReviewed, Verdict: belay.VerdictFail, Report: "r", Findings: found("review", title)})
		}
		for s.Pending != nil && s.Pending.Kind == CmdRestore {
			step(Event{Kind: EvRestored})
		}
	}
	return s
}

// TestArguing: a review that goes round ends with a person, and nothing else does.
func TestArguing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		limit  int
		titles []string
		why    string
	}{
		"two in a row":               {0, []string{"a", "a"}, ""},
		"three in a row":             {0, []string{"a", "a", "a"}, "the same finding refused three attempts in a row: a"},
		"three, with another before": {0, []string{"b", "a", "a", "a"}, "the same finding refused three attempts in a row: a"},
		"not in a row":               {0, []string{"a", "b", "a", "b", "a"}, ""},
		"the checks in between":      {0, []string{"a", "a", "checks", "a"}, ""},
		"always new":                 {0, []string{"a", "b", "c", "d", "e", "f"}, ""},
		"once, in a hotfix":          {1, []string{"a"}, "reviewers refused 1 of 1 times (mode)"},
		"the limit":                  {3, []string{"a", "b", "c"}, "reviewers refused 3 of 3 times (mode)"},
		"below the limit":            {3, []string{"a", "checks", "b"}, ""},
		"checks do not count":        {2, []string{"checks", "checks", "checks", "a"}, ""},
	} {
		p := belay.Policy{Retries: 10, Retry: belay.RetryRepair, Review: true, Reviews: tt.limit}
		s := reviews(t, p, tt.titles...)
		why := ""
		if s.Gate != nil {
			why = fmt.Sprint(s.Gate.Why)
		}
		if (why == "") != (tt.why == "") || !strings.Contains(why, tt.why) {
			t.Errorf("%s: %q", name, why)
		}
	}
}
