package loop

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// tellOn applies events that are not results; the ID of the pending command is filled in.
func tellOn(t *testing.T, p belay.Policy, s State, list ...Event) (State, error) {
	t.Helper()
	for _, e := range list {
		if s.Pending != nil {
			e.Command = s.Pending.ID
		}
		next, _, err := Step(p, s, e)
		if err != nil {
			return s, err
		}
		s = next
	}
	return s, nil
}

func rejection(by, title string) Event {
	return Event{Kind: EvVerdict, Verdict: belay.VerdictFail, By: by, Report: "r", Findings: found("review", title)}
}

func approval(by string) Event { return Event{Kind: EvVerdict, Verdict: belay.VerdictPass, By: by} }

// stands returns the state of a task: its phase, the prompt of its attempt or the kind of its gate,
// and the number of attempts.
func stands(s State) string {
	text := string(s.Phase)
	switch {
	case s.Gate != nil:
		text += " " + string(s.Gate.Kind)
	case s.Pending != nil && s.Pending.Prompt != "":
		text += " " + string(s.Pending.Prompt)
	case s.Outcome != "":
		text += " " + string(s.Outcome)
	}
	return fmt.Sprintf("%s %d", text, len(s.Attempts))
}

// TestVerdict: the effect of a person's review of checked work, in any phase.
func TestVerdict(t *testing.T) {
	t.Parallel()
	persons := func(names ...string) belay.Policy {
		return with(func(p *belay.Policy) { p.Persons = names })
	}
	again := []Event{{Kind: EvAttempted, Ended: EndedExit}, {Kind: EvCaptured, Snapshot: "c"}, {Kind: EvChecked, Verdict: belay.VerdictPass}}
	both := func(a []Event, b ...Event) []Event { return append(append([]Event{}, a...), b...) }
	for name, tt := range map[string]struct {
		policy belay.Policy
		story  string
		then   []Event
		want   string
	}{
		"a person is waited for":            {persons("ana"), "ok ok ok ok", nil, "gate review 1"},
		"and approves":                      {persons("ana"), "ok ok ok ok", []Event{approval("ana")}, "closing 1"},
		"one of two":                        {persons("ana", "bo"), "ok ok ok ok", []Event{approval("bo")}, "gate review 1"},
		"both":                              {persons("ana", "bo"), "ok ok ok ok", []Event{approval("bo"), approval("ana")}, "closing 1"},
		"a decision instead":                {persons("ana", "bo"), "ok ok ok ok", []Event{{Kind: EvDecided, Gate: 1, Decision: DecideApprove}}, "closing 1"},
		"rejected":                          {persons("ana"), "ok ok ok ok", []Event{rejection("ana", "x")}, "attempt repair 2"},
		"rejected, mended, waits again":     {persons("ana"), "ok ok ok ok", both([]Event{rejection("ana", "x")}, again...), "gate review 2"},
		"to be done again":                  {persons("ana"), "ok ok ok ok", []Event{{Kind: EvVerdict, Verdict: belay.VerdictFail, RollBack: true, Findings: found("review", "x")}}, "restore 1"},
		"rejected while it closes":          {standard, "ok ok ok ok", []Event{rejection("", "x")}, "attempt repair 2"},
		"rejected when it is closed":        {standard, "ok ok ok ok ok", []Event{rejection("ana", "x")}, "attempt repair 2"},
		"rejected at the gate of retries":   {with(func(p *belay.Policy) { p.Retries = 0 }), "ok ok ok fail", []Event{rejection("ana", "x")}, "attempt repair 2"},
		"retry policy":                      {with(func(p *belay.Policy) { p.Retry = belay.RetryRollback }), "ok ok ok ok", []Event{rejection("ana", "x")}, "restore 1"},
		"no attempt is left":                {with(func(p *belay.Policy) { p.MaxAttempts = 1 }), "ok ok ok ok", []Event{rejection("ana", "x")}, "gate limit 1"},
		"submitted for review":              {standard, "ok ok ok ok ok", []Event{{Kind: EvSubmitted}}, "gate review 1"},
		"put before him, who approves":      {standard, "ok ok ok ok ok", []Event{{Kind: EvSubmitted}, approval("")}, "closing 1"},
		"put before those who approved":     {persons("ana"), "ok ok ok ok", []Event{approval("ana"), {Kind: EvSubmitted}}, "gate review 1"},
		"overruled before it was acted on":  {standard, "ok ok ok ok", []Event{rejection("ana", "x"), {Kind: EvOverruled, Note: "w"}}, "closing 1"},
		"overruled before it was put back":  {with(func(p *belay.Policy) { p.Retry = belay.RetryRollback }), "ok ok ok ok", []Event{rejection("ana", "x"), {Kind: EvOverruled, Note: "w"}}, "closing 1"},
		"the close was held":                {standard, "ok ok ok ok broken", []Event{rejection("ana", "x")}, "attempt repair 2"},
		"twice the same":                    {persons("ana"), "ok ok ok ok", both(both([]Event{rejection("ana", "x")}, again...), rejection("ana", "x")), "restore 2"},
		"twice the same, where it is kept":  {with(func(p *belay.Policy) { p.Persons, p.Retry = []string{"ana"}, belay.RetryRepair }), "ok ok ok ok", both(both([]Event{rejection("ana", "x")}, again...), rejection("ana", "x")), "attempt repair 3"},
		"a mode does not bind a person":     {with(func(p *belay.Policy) { p.Persons, p.Reviews = []string{"ana"}, 1 }), "ok ok ok ok", both(both([]Event{rejection("ana", "x")}, again...), rejection("ana", "y")), "attempt repair 3"},
		"a person asked for a recheck":      {persons("ana"), "ok ok ok ok", []Event{{Kind: EvDecided, Gate: 1, Decision: DecideRecheck}, {Kind: EvCaptured, Snapshot: "d"}, {Kind: EvChecked, Verdict: belay.VerdictPass}}, "gate review 1"},
		"reviewers first, then the persons": {with(func(p *belay.Policy) { p.Persons, p.Review = []string{"ana"}, true }), "ok ok ok ok", nil, "review 1"},
	} {
		s, _ := tell(t, tt.policy, tt.story)
		s, err := tellOn(t, tt.policy, s, tt.then...)
		if got := stands(s); err != nil || got != tt.want {
			t.Errorf("%s: %s, want %s (%v)", name, got, tt.want, err)
		}
	}
}

// TestThriceTheSame: a person who reports the same finding a third time is asked again, and may
// insist.
func TestThriceTheSame(t *testing.T) {
	t.Parallel()
	p := with(func(p *belay.Policy) { p.Persons, p.Retry = []string{"ana"}, belay.RetryRepair })
	again := func(title string) []Event {
		return []Event{{Kind: EvAttempted, Ended: EndedExit}, {Kind: EvCaptured, Snapshot: "c"}, {Kind: EvChecked, Verdict: belay.VerdictPass}, rejection("ana", title)}
	}
	s, _ := tell(t, p, "ok ok ok ok")
	s, err := tellOn(t, p, s, append(append([]Event{rejection("ana", "line 1")}, again("line 2")...), again("line 3")...)...)
	if err != nil || stands(s) != "gate limit 3" || !strings.Contains(s.Gate.Why, "three attempts in a row: line 3") {
		t.Fatalf("%s %+v %v", stands(s), s.Gate, err)
	}
	if s, err = tellOn(t, p, s, rejection("ana", "line 3")); err != nil || stands(s) != "attempt repair 4" {
		t.Fatalf("%s %v", stands(s), err)
	}
	if s, err = tellOn(t, p, s, again("line 4")...); err != nil || stands(s) != "gate limit 4" || !strings.Contains(s.Gate.Why, "line 4") {
		t.Errorf("%s %v", stands(s), err)
	}
}

// TestRejectionKeepsReasons: the next attempt fixes the earlier findings and those of the review,
// each once.
func TestRejectionKeepsReasons(t *testing.T) {
	t.Parallel()
	p := with(func(p *belay.Policy) { p.Retries = 0 })
	s, _ := tell(t, p, "ok ok ok fail:tests:old")
	e := rejection("", "new")
	e.Findings = append(e.Findings, s.Attempts[0].Findings...)
	s, err := tellOn(t, p, s, e)
	if err != nil || len(s.Attempts) != 2 {
		t.Fatal(err)
	}
	a := s.Attempts[0]
	if len(a.Reasons()) != 2 || a.Reasons()[0].Title != "old" || a.Reviewer != "a reviewer" || a.Review != "r" {
		t.Errorf("%+v", a)
	}
}

// TestRejectionAfterOverruling: findings that a person has overridden are not repeated with those
// of a later review.
func TestRejectionAfterOverruling(t *testing.T) {
	t.Parallel()
	p := with(func(p *belay.Policy) { p.Retries = 0 })
	for name, tt := range map[string]struct {
		story  string
		events []Event
	}{
		"at a gate":         {"ok ok ok fail:tests:old", []Event{{Kind: EvDecided, Gate: 1, Decision: DecideApprove, Note: "n"}}},
		"after a rejection": {"ok ok ok ok", []Event{rejection("ana", "old"), {Kind: EvOverruled, Note: "n"}}},
		"and closed":        {"ok ok ok ok", []Event{rejection("ana", "old"), {Kind: EvOverruled, Note: "n"}, {Kind: EvClosed}}},
	} {
		s, _ := tell(t, p, tt.story)
		s, err := tellOn(t, p, s, append(tt.events, rejection("ana", "new"))...)
		if err != nil {
			t.Fatalf("%s: %s %v", name, stands(s), err)
		}
		if told := s.Attempts[0].Reasons(); len(told) != 1 || told[0].Title != "new" {
			t.Errorf("%s: %+v", name, told)
		}
	}
}

// TestApprovingNeedsAReason: approving rejected work needs a reason, approving work that waits for
// a review does not.
func TestApprovingNeedsAReason(t *testing.T) {
	t.Parallel()
	s, _ := tell(t, with(func(p *belay.Policy) { p.Retries = 0 }), "ok ok ok fail")
	e := Event{Kind: EvDecided, Gate: 1, Decision: DecideApprove}
	if _, err := tellOn(t, standard, s, e); !errors.Is(err, ErrDecision) {
		t.Error(err)
	}
	e.Note = "because"
	if s, err := tellOn(t, standard, s, e); err != nil || stands(s) != "closing 1" {
		t.Error(stands(s), err)
	}
}

func TestVerdictsThatAreRefused(t *testing.T) {
	t.Parallel()
	ana := with(func(p *belay.Policy) { p.Persons = []string{"ana"} })
	quiet := rejection("ana", "x")
	quiet.Findings[0].Severity = belay.SeverityNote
	for name, tt := range map[string]struct {
		policy belay.Policy
		story  string
		e      Event
		want   error
	}{
		"no verdict":                    {ana, "ok ok ok ok", Event{Kind: EvVerdict, Verdict: belay.VerdictUnknown}, ErrEvent},
		"no reason":                     {ana, "ok ok ok ok", quiet, ErrEvent},
		"somebody else's approval":      {ana, "ok ok ok ok", approval("bo"), ErrDecision},
		"the agent is working":          {standard, "ok", rejection("ana", "x"), ErrNotNow},
		"an attempt that nobody judged": {with(func(p *belay.Policy) { p.Lost = 0 }), "ok lost ok", rejection("ana", "x"), ErrNotNow},
		"approved, where nobody waits":  {standard, "ok ok ok ok ok", approval("ana"), ErrNotNow},
		"put back":                      {with(func(p *belay.Policy) { p.Retries = 0 }), "ok ok ok fail abort ok ok", rejection("ana", "x"), ErrNotNow},
		"submitted while it waits":      {ana, "ok ok ok ok", Event{Kind: EvSubmitted}, ErrNotNow},
		"overruled without a reason":    {ana, "ok ok ok ok", Event{Kind: EvOverruled}, ErrDecision},
		"overruled, and nobody refused": {standard, "ok ok ok ok", Event{Kind: EvOverruled, Note: "w"}, ErrNotNow},
		"a held command, not the close": {standard, "ok ok ok broken", rejection("ana", "x"), ErrNotNow},
	} {
		s, _ := tell(t, tt.policy, tt.story)
		if _, err := tellOn(t, tt.policy, s, tt.e); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left := MissingApprovals(ana, State{}); left != nil {
		t.Errorf("%v are awaited before anything was done", left)
	}
}

// TestApprovingAQuestion: approving work with only questions answers them, so it needs no reason,
// unlike rejected work.
func TestApprovingAQuestion(t *testing.T) {
	t.Parallel()
	s, _ := tell(t, once, "ok ok ok ask:deleted")
	next, _, err := Step(once, s, Event{Kind: EvDecided, Gate: s.Gates, Decision: DecideApprove, By: "ana"})
	if err != nil || next.Ending != OutcomePassed || next.Why != "approved at gate 1 (question)" {
		t.Fatalf("%v: %+v", err, next)
	}
	if s, _ = tell(t, once, "ok ok ok unknown"); s.Gate == nil {
		t.Fatal("no gate")
	}
	if _, _, err := Step(once, s, Event{Kind: EvDecided, Gate: s.Gates, Decision: DecideApprove, By: "ana"}); err == nil {
		t.Error("work that could not be checked was approved without a reason")
	}
}
