package loop

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func drawPolicy(t *rapid.T) belay.Policy {
	return belay.Policy{
		Retries:     rapid.IntRange(-1, 3).Draw(t, "retries"),
		Retry:       rapid.SampledFrom([]belay.RetryMode{"", belay.RetryAuto, belay.RetryRollback, belay.RetryRepair}).Draw(t, "retry"),
		MaxAttempts: rapid.IntRange(0, 5).Draw(t, "max"),
		WallTime:    time.Duration(rapid.IntRange(0, 20).Draw(t, "wall")) * time.Minute,
		Cost:        float64(rapid.IntRange(0, 10).Draw(t, "cost")),
		Tokens:      int64(rapid.IntRange(0, 10).Draw(t, "limit")),
		Stalls:      rapid.IntRange(-1, 2).Draw(t, "stalls"),
		Lost:        rapid.IntRange(-1, 2).Draw(t, "lost"),
		Baseline:    rapid.Bool().Draw(t, "baseline"),
		Review:      rapid.Bool().Draw(t, "review"),
		Reviews:     rapid.IntRange(0, 4).Draw(t, "reviews"),

		ReviewRetries: rapid.Bool().Draw(t, "reviewRetries"),

		Persons: rapid.SampledFrom([][]string{nil, nil, {"ana"}, {"ana", "bo"}}).Draw(t, "persons"),
	}
}

var allEvents = []EventKind{
	EvStarted, EvSnapshot, EvBaseline, EvAttempted, EvCaptured, EvChecked, EvReviewed, EvRestored, EvDebugged, EvClosed,
	EvStalled, EvLimited, EvLost, EvBroken, EvCancelled, EvResumed, EvUnclear, EvDecided, EvVerdict, EvSubmitted, EvOverruled, EvRetested,
}

var allDecisions = []Decision{DecideDebug, DecideGuide, DecideSkip, DecideAbort, DecideRecheck, DecideAsItIs}

// decisions has those that end a task last and least often, so that runs get far.
var decisions = []Decision{DecideAsItIs, DecideGuide, DecideGuide, DecideRecheck, DecideGuide, DecideDebug, DecideRecheck, DecideSkip, DecideAbort}

// drawEvent draws an event that usually fits s: otherwise few runs would get past the snapshot. One
// in ten is arbitrary.
func drawEvent(t *rapid.T, s State) Event {
	e := Event{
		Kind:     rapid.SampledFrom(allEvents).Draw(t, "kind"),
		Command:  rapid.SampledFrom([]string{"", "1-snapshot", "3-capture", "4-check"}).Draw(t, "command"),
		Snapshot: rapid.SampledFrom([]belay.SnapshotID{"", "a", "b"}).Draw(t, "snapshot"),
		Ended:    rapid.SampledFrom([]Ended{EndedExit, EndedTimeout, EndedStopped, ""}).Draw(t, "ended"),
		Exit:     rapid.SampledFrom([]int{0, 0, 0, 1, 126, 127}).Draw(t, "exit"),
		Elapsed:  time.Duration(rapid.IntRange(-1, 8).Draw(t, "elapsed")) * time.Minute,
		Use: belay.Use{Cost: float64(rapid.IntRange(-1, 4).Draw(t, "cost")), Tokens: rapid.SampledFrom([]*belay.Tokens{nil, {Input: 3}, {Output: -1}}).Draw(t, "tokens"),
			CostUnknown: rapid.SampledFrom([]string{"", "why"}).Draw(t, "unknown")},
		Blocked:  rapid.SampledFrom([]string{"", "", "", "no tool was allowed"}).Draw(t, "blocked"),
		Verdict:  rapid.SampledFrom([]belay.Verdict{"fail", "fail", "pass", "fail", "unknown", ""}).Draw(t, "verdict"),
		Findings: rapid.SliceOfN(rapid.Custom(drawFinding), 0, 2).Draw(t, "findings"),
		Kept:     rapid.SliceOfN(rapid.Just("kept"), 0, 1).Draw(t, "kept"),
		Note:     rapid.SampledFrom([]string{"", "words"}).Draw(t, "note"),
		Gate:     rapid.IntRange(0, 2).Draw(t, "gate"),
		Decision: rapid.SampledFrom(decisions).Draw(t, "decision"),
		Rules:    DecisionRules,

		FeatureRetries: rapid.IntRange(0, 3).Draw(t, "featureRetries"),
		FeatureLimit:   rapid.IntRange(0, 4).Draw(t, "featureLimit"),
	}
	if rapid.IntRange(0, 9).Draw(t, "arbitrary") == 5 {
		return e
	}
	e.Gate, e.Note = s.Gates, "words"
	if e.Snapshot == "" {
		e.Snapshot = "c"
	}
	if e.Ended != EndedTimeout {
		e.Ended = EndedExit
	}
	e.By = rapid.SampledFrom([]string{"ana", "bo", ""}).Draw(t, "by")
	e.RollBack = rapid.Bool().Draw(t, "back")
	kinds := []EventKind{EvDecided, EvDecided, EvResumed, EvCancelled, EvVerdict, EvRetested}
	switch c := s.Pending; {
	case c != nil:
		e.Command = c.ID
		kinds = append(slices.Repeat([]EventKind{resultOf[c.Kind]}, 8), EvBroken, EvCancelled)
		if c.Kind == CmdAttempt {
			kinds = append(kinds, EvStalled, EvLimited, EvLost, EvOverruled)
		}
		if c.Kind == CmdClose {
			kinds = append(kinds, EvVerdict, EvSubmitted)
		}
	case s.Phase == "":
		kinds = []EventKind{EvStarted, EvStarted, EvUnclear}
	}
	e.Kind = rapid.SampledFrom(kinds).Draw(t, "fitting")
	return e
}

func drawFinding(t *rapid.T) belay.Finding {
	return belay.Finding{
		Check:    "c",
		Severity: rapid.SampledFrom([]belay.Severity{"error", "question", "warning", ""}).Draw(t, "severity"),
		Category: rapid.SampledFrom([]belay.Category{"tests", "scope", "empty", "review"}).Draw(t, "category"),
		Title:    rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "title"),
	}
}

// deep copies through JSON, which also proves that JSON loses nothing.
func deep(t rapid.TB, s State) State {
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var c State
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLaws runs random tasks under random policies and checks every step against the laws.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t)
		var s State
		for range rapid.IntRange(10, 60).Draw(t, "events") {
			e := drawEvent(t, s)
			before := deep(t, s)
			next, commands, err := Step(p, s, e)
			if !reflect.DeepEqual(before, s) {
				t.Fatalf("Step changed its argument: %s", cmp.Diff(before, s))
			}
			if err != nil {
				if !reflect.DeepEqual(before, next) || commands != nil || belay.CodeOf(err) == "" {
					t.Fatalf("refused with %v, and still: %s", err, cmp.Diff(before, next))
				}
				continue
			}
			lawful(t, p, s, next, commands)
			s = next
		}
		endable(t, p, s)
	})
}

func lawful(t rapid.TB, p belay.Policy, s, next State, commands []Command) {
	t.Helper()
	if diff := cmp.Diff(next, deep(t, next)); diff != "" {
		t.Fatalf("lost in JSON: %s", diff)
	}
	if err := validate(next); err != nil {
		t.Fatalf("%v: %+v", err, next)
	}
	_, waits := phaseCommand(next.Phase)
	switch n := len(next.Attempts); {
	case len(commands) > 1 || len(commands) == 1 && (next.Pending == nil || commands[0] != *next.Pending):
		t.Fatalf("commands %+v, pending %+v", commands, next.Pending)
	case waits != (next.Pending != nil):
		t.Fatalf("phase %s with command %+v", next.Phase, next.Pending)
	case len(commands) == 0 && next.Pending != nil && !reflect.DeepEqual(next.Pending, s.Pending):
		t.Fatalf("%+v was exchanged for %+v in silence", s.Pending, next.Pending)
	case next.Seq != s.Seq+1:
		t.Fatalf("event %d after %d", next.Seq, s.Seq)
	case n > next.Allowed || p.MaxAttempts > 0 && n > p.MaxAttempts:
		t.Fatalf("%d attempts, %d allowed, %d at most", n, next.Allowed, p.MaxAttempts)
	case next.Retries > max(0, p.Retries):
		t.Fatalf("%d automatic retries of %d", next.Retries, p.Retries)
	case n > 0 && next.Allowed-n != max(0, p.Retries)-next.Retries:
		t.Fatalf("%d allowed and %d made, but %d of %d retries used", next.Allowed, n, next.Retries, p.Retries)
	case next.Reviewed > max(0, p.Reviews-1) || next.Reviewed > 0 && !p.ReviewRetries:
		t.Fatalf("%d attempts after reviews used no retry, where %d may refuse", next.Reviewed, p.Reviews)
	case next.Outcome == OutcomePassed && next.Current().Verdict != belay.VerdictPass && !strings.HasPrefix(next.Why, "accepted over "):
		t.Fatalf("passed with verdict %q", next.Current().Verdict)
	case (next.Phase == PhaseClosed) != (next.Outcome != OutcomeNone):
		t.Fatalf("phase %s with outcome %q", next.Phase, next.Outcome)
	case next.Phase == PhaseGate && !reflect.DeepEqual(next.Gate.Options, Options(p, next)):
		t.Fatalf("the gate offers %v, Step takes %v", next.Gate.Options, Options(p, next))
	case next.Phase == PhaseGate && next.Parking:
		t.Fatal("parking at a gate")
	}
	tidy(t, next)
	for i, a := range next.Attempts[:max(0, len(next.Attempts)-1)] {
		if a.Snapshot == "" && a.Ended != "" {
			t.Fatalf("attempt %d ended and was never captured", i+1)
		}
		if a.Then == "" {
			t.Fatalf("nothing followed attempt %d", i+1)
		}
	}
}

// tidy checks that nothing is left of an abandoned plan, because a later command would execute it.
func tidy(t rapid.TB, s State) {
	t.Helper()
	gate := func(kinds ...GateKind) bool { return s.Gate != nil && slices.Contains(kinds, s.Gate.Kind) }
	phase := func(phases ...Phase) bool { return slices.Contains(phases, s.Phase) }
	parked := func(kinds ...CommandKind) bool { return s.Parked != nil && slices.Contains(kinds, s.Parked.Kind) }
	switch ending := s.Ending != OutcomeNone; {
	case s.Parked != nil && !gate(GateBroken, GateCancelled):
		t.Fatalf("%s is held in phase %s", s.Parked.Kind, s.Phase)
	case s.Parked != nil && s.Parked.ID != "":
		t.Fatalf("the held command has the id %s", s.Parked.ID)
	case s.Next != nil && s.Next.Prompt == "" && (ending || phase(PhaseAttempt, PhaseClosed) || s.Next.Guidance == ""):
		t.Fatalf("guidance is left in phase %s", s.Phase)
	case s.Next != nil && s.Next.Prompt != "" && (ending || !phase(PhaseSnapshot, PhaseBaseline, PhaseRestore) && !parked(CmdSnapshot, CmdBaseline, CmdAttempt, CmdRestore)):
		t.Fatalf("an attempt is planned in phase %s", s.Phase)
	case ending && !phase(PhaseRestore, PhaseClosing) && !parked(CmdRestore, CmdClose):
		t.Fatalf("%s is being ended in phase %s", s.Ending, s.Phase)
	case (s.Why != "") != (ending || s.Outcome != OutcomeNone):
		t.Fatalf("phase %s, outcome %q, ending %q, and why is %q", s.Phase, s.Outcome, s.Ending, s.Why)
	case s.Rechecking && !phase(PhaseCapture, PhaseCheck, PhaseReview) && !gate(GateBroken, GateCancelled):
		t.Fatalf("rechecking in phase %s", s.Phase)
	case s.Rechecking && s.Current().Then != ThenRecheck:
		t.Fatalf("a recheck that is recorded as %q", s.Current().Then)
	case phase(PhaseGate) && s.Gate.Kind == GateCancelled && s.Parked == nil && s.Current().Then != ThenGate:
		t.Fatalf("nothing goes on, and %q follows", s.Current().Then)
	}
}

// endable aborts the task from any state: every open state can be ended.
func endable(t rapid.TB, p belay.Policy, s State) {
	t.Helper()
	for range 12 {
		if !s.Open() {
			return
		}
		e := Event{Snapshot: "end", Ended: EndedExit, Verdict: belay.VerdictUnknown}
		switch {
		case s.Pending != nil:
			e.Kind, e.Command = resultOf[s.Pending.Kind], s.Pending.ID
		case s.Phase == PhaseGate:
			e.Kind, e.Gate, e.Decision = EvDecided, s.Gates, DecideAbort
		default:
			e.Kind = EvStarted
		}
		next, _, err := Step(p, s, e)
		if err != nil {
			t.Fatalf("no way out of %+v: %v", s, err)
		}
		s = next
	}
	t.Fatalf("still open: %+v", s)
}

func FuzzStep(f *testing.F) {
	for _, c := range stories[:20] {
		s, _ := tell(f, c.policy, c.story)
		state, err := json.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		policy, _ := json.Marshal(c.policy)
		f.Add(policy, state, []byte(`[{"kind":"decided","gate":1,"decision":"guide","note":"w"},{"kind":"cancelled"},{"kind":"resumed"},{"kind":"checked","command":"4-check","verdict":"fail","findings":[{"category":"scope"}]}]`))
	}
	f.Fuzz(func(t *testing.T, policy, state, events []byte) {
		var p belay.Policy
		var s State
		var list []Event
		if json.Unmarshal(policy, &p) != nil || json.Unmarshal(state, &s) != nil || json.Unmarshal(events, &list) != nil {
			return
		}
		for _, e := range list {
			if s.Pending != nil {
				e.Command = s.Pending.ID
			}
			next, commands, err := Step(p, s, e)
			switch {
			case err != nil && (commands != nil || !reflect.DeepEqual(s, next)):
				t.Fatal("refused and changed")
			case len(commands) > 1 || len(commands) == 1 && *next.Pending != commands[0]:
				t.Fatalf("%+v is not what is pending", commands)
			case err == nil && validate(next) != nil:
				t.Fatalf("from %s %s came a state of no sense: %v", state, e.Kind, validate(next))
			}
			s = next
		}
	})
}
