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

// reviews plays attempts that pass the checks and are rejected by reviewers with these findings,
// one string per attempt, and returns the last state.
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

// TestArguing: repeated review findings lead to a person, all others do not.
func TestArguing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		limit  int
		titles []string
		why    string
	}{
		"two in a row":               {0, []string{"a", "a"}, ""},
		"three in a row":             {0, []string{"a", "a", "a"}, "the same finding blocked three attempts in a row: a"},
		"three, with another before": {0, []string{"b", "a", "a", "a"}, "the same finding blocked three attempts in a row: a"},
		"not in a row":               {0, []string{"a", "b", "a", "b", "a"}, ""},
		"the checks in between":      {0, []string{"a", "a", "checks", "a"}, ""},
		"always new":                 {0, []string{"a", "b", "c", "d", "e", "f"}, ""},
		"once, in a hotfix":          {1, []string{"a"}, "reviewers rejected 1 of 1 times (mode)"},
		"the limit":                  {3, []string{"a", "b", "c"}, "reviewers rejected 3 of 3 times (mode)"},
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

// TestReachesTheMode: attempts that reviewers reject use no retry, so the mode's number is reached
// even if the checks reject others; the reason of an earlier end states how often they rejected. An
// explicit number of retries is a limit for both.
func TestReachesTheMode(t *testing.T) {
	t.Parallel()
	full := belay.Policy{Retries: 3, Retry: belay.RetryRepair, Review: true, Reviews: 5, ReviewRetries: true}
	own, attempts, nobody := full, full, full
	own.ReviewRetries, own.Retries = false, 1
	attempts.MaxAttempts = 3
	nobody.Review = false
	for name, tt := range map[string]struct {
		p             belay.Policy
		titles        []string
		kind          GateKind
		why           string
		retries, free int
	}{
		"five":            {full, []string{"a", "b", "c", "d", "e"}, GateLimit, "reviewers rejected 5 of 5 times (mode)", 0, 4},
		"with the checks": {full, []string{"checks", "a", "checks", "b", "c", "checks", "d", "e"}, GateLimit, "reviewers rejected 5 of 5 times (mode)", 3, 4},
		"the checks too often": {full, []string{"a", "checks", "b", "checks", "checks", "checks"}, GateRetries,
			"attempt 6 was rejected; 3 of 3 automatic retries used (retries); before that, reviewers rejected 2 of 5 times (mode)", 3, 2},
		"never reviewed":   {full, []string{"checks", "checks", "checks", "checks"}, GateRetries, "attempt 4 was rejected; 3 of 3 automatic retries used (retries); before that, reviewers rejected 0 of 5 times (mode)", 3, 0},
		"retries of one's": {own, []string{"a", "b"}, GateRetries, "attempt 2 was rejected; 1 of 1 automatic retries used (retries); before that, reviewers rejected 2 of 5 times (mode)", 1, 0},
		"all attempts":     {attempts, []string{"a", "b", "c"}, GateLimit, "attempts 3 reached (limits.attempts); before that, reviewers rejected 3 of 5 times (mode)", 0, 2},
		"the same again":   {full, []string{"a", "a", "a"}, GateLimit, "the same finding blocked three attempts in a row: a; before that, reviewers rejected 3 of 5 times (mode)", 0, 2},
		"no reviewers":     {nobody, []string{"checks", "checks", "checks", "checks"}, GateRetries, "attempt 4 was rejected; 3 of 3 automatic retries used (retries)", 3, 0},
	} {
		s := reviews(t, tt.p, tt.titles...)
		if s.Gate == nil {
			t.Errorf("%s: no gate", name)
			continue
		}
		if s.Gate.Kind != tt.kind || s.Gate.Why != tt.why || s.Retries != tt.retries || s.Reviewed != tt.free {
			t.Errorf("%s: %s: %s (%d retries, %d free)", name, s.Gate.Kind, s.Gate.Why, s.Retries, s.Reviewed)
		}
	}
}
