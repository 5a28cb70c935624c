package loop

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/google/go-cmp/cmp"
)

func TestCommandsNameTheirState(t *testing.T) {
	t.Parallel()
	p := with(func(p *belay.Policy) { p.Baseline, p.Review = true, true })
	s, _ := tell(t, p, "ok ok stall")
	want := &Command{ID: "4-capture", Kind: CmdCapture, Attempt: 1, Capture: belay.KindStall, Why: "save the work of attempt 1"}
	if diff := cmp.Diff(want, s.Pending); diff != "" {
		t.Error(diff)
	}
	s, _ = tell(t, p, "ok")
	if s.Pending.Target != "snap1" {
		t.Errorf("the baseline runs on %q", s.Pending.Target)
	}
	s, _ = tell(t, p, "ok ok ok ok")
	if c := s.Pending; c.Kind != CmdCheck || c.Target != "snap4" || c.Attempt != 1 {
		t.Errorf("the check judges %+v", c)
	}
	s, _ = tell(t, p, "ok ok ok ok ok")
	if c := s.Pending; c.Kind != CmdReview || c.Target != "snap4" {
		t.Errorf("the review reads %+v", c)
	}
	s, _ = tell(t, rollback, "ok ok ok fail")
	if c := s.Pending; c.Kind != CmdRestore || c.Target != "snap1" || c.Why != "retry policy" {
		t.Errorf("the rollback is %+v", c)
	}
	if s.Before != "snap1" {
		t.Errorf("before is %q", s.Before)
	}
}

func TestSameStateAndEventSameCommand(t *testing.T) {
	t.Parallel()
	s, _ := tell(t, standard, "ok ok ok")
	e := event(t, s, "fail")
	a, ca, _ := Step(standard, s, e)
	b, cb, _ := Step(standard, s, e)
	if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(ca, cb) {
		t.Errorf("%+v and %+v", ca, cb)
	}
}

func TestAttemptRecords(t *testing.T) {
	t.Parallel()
	s, _ := tell(t, rollback, "ok timeout@90s$0.25 ok fail:scope:outside ok ok@30s ok ok ok")
	f := []belay.Finding{belay.Finding{Check: "c", Category: "scope", Severity: "error", Title: "outside"}.Sign()}
	want := State{
		Phase: PhaseClosed, Seq: 10, Outcome: OutcomePassed, Why: "attempt 2 was accepted", Before: "snap1",
		Allowed: 4, Retries: 1, Rollbacks: 1, Elapsed: 2 * time.Minute, Use: belay.Use{Cost: 0.25},
		Attempts: []Attempt{
			{N: 1, Prompt: PromptFull, Ended: EndedTimeout, Elapsed: 90 * time.Second, Use: belay.Use{Cost: 0.25}, Snapshot: "snap3", Verdict: belay.VerdictFail, Findings: f, Then: ThenRollback, Rescue: "snap5"},
			{N: 2, Prompt: PromptRetry, Ended: EndedExit, Elapsed: 30 * time.Second, Snapshot: "snap7", Verdict: belay.VerdictPass, Then: ThenAccepted, Note: "a note"},
		},
	}
	for i := range s.Attempts { // notes of the agent's and the checks' results
		if i == 0 {
			s.Attempts[i].Note = ""
		}
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

func TestWhatFollowedIsRecorded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy      belay.Policy
		story, want string
	}{
		{standard, "ok ok ok ok", "accepted"},
		{standard, "ok ok ok fail", "repair -"},
		{standard, "ok ok ok fail:scope", "rollback"},
		{once, "ok ok ok fail", "gate"},
		{standard, "ok lost ok ok", "rollback -"},
		{repair, "ok lost ok", "continue -"},
		{standard, "ok stall ok", "recover -"},
		{once, "ok stall ok", "failed"},
		{standard, "ok cancel ok", "continue"},
		{standard, "ok ok ok ask:deleted", "repair -"},
		{once, "ok ok ok ask:deleted", "gate"},
		{once, "ok ok ok fail debug", "debug"},
		{once, "ok ok ok fail recheck", "recheck"},
		{once, "ok ok ok fail recheck ok ok ok", "recheck"},
		{once, "ok ok ok fail recheck ok fail", "recheck"},
		{once, "ok ok ok fail recheck ok fail guide", "repair -"},
		{once, "ok ok ok fail guide", "repair -"},
		{once, "ok ok ok fail skip", "skipped"},
		{once, "ok ok ok fail abort", "aborted"},
		{standard, "ok broken guide", "continue -"},
	} {
		s, _ := tell(t, c.policy, c.story)
		var got []string
		for _, a := range s.Attempts {
			got = append(got, map[bool]string{true: a.Then, false: "-"}[a.Then != ""])
		}
		if joined := strings.Join(got, " "); joined != c.want {
			t.Errorf("%s: %s, want %s", c.story, joined, c.want)
		}
	}
}

func TestGatesSayWhy(t *testing.T) {
	t.Parallel()
	limited := with(func(p *belay.Policy) { p.MaxAttempts, p.WallTime, p.Cost = 1, 30*time.Minute, 1.5 })
	unlimited := func(p belay.Policy) belay.Policy { p.MaxAttempts = 0; return p }
	for _, c := range []struct {
		policy      belay.Policy
		story, want string
	}{
		{limited, "ok ok ok fail", "attempts 1 reached (limits.attempts)"},
		{unlimited(limited), "ok ok@30m ok fail", "wall time 30m0s reached (limits.wall_time)"},
		{unlimited(limited), "ok ok$1.5 ok fail", "cost $1.50 reached (limits.cost): $1.50 used"},
		{standard, "ok ok ok fail#5/5", "feature retries 5 reached (limits.feature_retries)"},
		{one, "ok ok ok fail ok ok fail", "attempt 2 was rejected; 1 of 1 automatic retries used (retries)"},
		{once, "ok ok ok fail", "attempt 1 was rejected; automatic retries are off (retries 0)"},
		{once, "ok ok ok unknown", "the work could not be checked: no test runner"},
		{once, "ok ok ok ask:deleted", "attempt 1 needs your approval: deleted"},
		{once, "ok ok ok none", "the work could not be checked"},
		{once, "ok ok ok broken", "the check failed: no space"},
		{once, "ok ok ok fail debug broken", "the diagnosis failed: no space"},
		{once, "ok ok ok ok broken", "the closing of the task failed: no space"},
		{with(func(p *belay.Policy) { p.Baseline = true }), "ok broken", "the baseline test run failed: no space"},
		{once, "ok exit=127 ok", "the agent's command could not be run (exit 127)"},
		{once, "ok lost ok", "an attempt was lost for the 1st time; only 0 are restarted automatically"},
		{once, "ok ok ok cancel ok", "a person stopped the run; next step: close"},
		{once, "ok ok ok fail recheck ok fail", "attempt 1 was rejected again on recheck"},
	} {
		s, _ := tell(t, c.policy, c.story)
		if s.Gate == nil || s.Gate.Why != c.want {
			t.Errorf("%s: %+v, want %q", c.story, s.Gate, c.want)
		}
	}
}

func TestOutcomesSayWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ story, want string }{
		{"ok ok ok fail skip ok ok", "skipped at gate 1 (retries): words"},
		{"ok ok ok fail abort ok ok", "aborted at gate 1 (retries): words"},
		{"ok stall ok ok ok", "attempt 1 kept repeating the same tool calls: the 1st stall, and only 0 may be retried: the same call 3 times"},
	} {
		if s, _ := tell(t, once, c.story); s.Why != c.want || s.Phase != PhaseClosed {
			t.Errorf("%s: %s %q, want %q", c.story, s.Phase, s.Why, c.want)
		}
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 111: "111th"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d is %s", n, got)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	hard := with(func(p *belay.Policy) { p.MaxAttempts = 1 })
	for _, c := range []struct {
		policy      belay.Policy
		story, want string
	}{
		{once, "ok ok ok fail", "diagnose guide retry skip abort recheck approve"},
		{once, "ok ok ok unknown", "diagnose guide retry skip abort recheck approve"},
		{once, "ok ok ok ask:deleted", "diagnose guide retry skip abort recheck approve"},
		{hard, "ok ok ok fail", "skip abort recheck approve"},
		{hard, "ok exit=127 ok", "skip abort recheck"},
		{hard, "ok ok ok broken", "guide retry skip abort recheck"},
		{once, "ok exit=127 ok", "guide retry skip abort recheck"},
		{once, "broken", "guide retry skip abort"},
		{once, "cancel ok", "guide retry skip abort"},
		{once, "ok cancel ok", "diagnose guide retry skip abort recheck"},
		{once, "ok ok ok", ""},
	} {
		s, _ := tell(t, c.policy, c.story)
		var names []string
		for _, o := range Options(c.policy, s) {
			names = append(names, string(o))
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.story, got, c.want)
		}
		if s.Gate != nil && !reflect.DeepEqual(s.Gate.Options, Options(c.policy, s)) {
			t.Errorf("%s: the gate shows %v", c.story, s.Gate.Options)
		}
	}
}

// TestEarlierDecisions: a decision that an earlier version recorded leads to what it led to.
func TestEarlierDecisions(t *testing.T) {
	t.Parallel()
	s, _ := tell(t, once, "ok ok ok broken")
	next, _, err := Step(once, s, Event{Kind: EvDecided, Gate: s.Gates, Decision: DecideGuide, Note: "words"})
	if err != nil || next.Next != nil {
		t.Errorf("%v, %+v", err, next.Next)
	}
}

func TestGuidanceReachesTheNewAttempt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy      belay.Policy
		story, want string
	}{
		{once, "ok ok ok fail guide", "words"},
		{once, "ok ok ok fail:scope guide ok", "words"},
		{once, "ok ok ok fail debug ok ok", "a note"},
		{once, "ok ok ok fail debug ok broken guide ok", "a note\n\nwords"},
		{once, "ok ok ok fail debug ok cancel ok guide", "a note\n\nwords"},
		{once, "ok broken guide", "words"},
		{once, "ok broken guide broken guide", "words\n\nwords"},
		{once, "broken guide ok", "words"},
		{standard, "ok ok ok broken guide fail", "words"},
		{standard, "ok ok broken guide ok broken guide fail", "words\n\nwords"},
		{reviewed, "ok ok ok ok broken guide fail", "words"},
		{once, "ok ok ok broken guide fail guide", "words\n\nwords"},
		{once, "ok ok ok fail debug broken guide ok ok", "words\n\na note"},
		{once, "ok ok ok broken guide fail debug ok ok", "words\n\na note"},
		{standard, "cancel ok guide", "words"},
		{standard, "ok cancel ok guide", "words"},
	} {
		s, _ := tell(t, c.policy, c.story)
		if s.Phase != PhaseAttempt {
			t.Errorf("%s: %s", c.story, s.Phase)
			continue
		}
		if got := s.Current().Guidance; got != c.want {
			t.Errorf("%s: %q, want %q", c.story, got, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	atCheck, _ := tell(t, once, "ok ok ok")
	atGate, _ := tell(t, once, "ok ok ok fail")
	attempt, _ := tell(t, once, "ok")
	first, _ := tell(t, once, "")
	for _, c := range []struct {
		name   string
		s      State
		e      Event
		reason error
		code   belay.Code
		says   string
	}{
		{"stale", atCheck, Event{Kind: EvChecked, Command: "3-capture"}, ErrStale, belay.CodeUsage, `"3-capture" was answered, but 4-check is running`},
		{"no id", atCheck, Event{Kind: EvChecked}, ErrStale, belay.CodeUsage, "4-check is running"},
		{"nothing pending", atGate, Event{Kind: EvChecked, Command: "4-check"}, ErrStale, belay.CodeUsage, "nothing is running"},
		{"stale stop", atCheck, Event{Kind: EvCancelled, Command: "2-attempt"}, ErrStale, belay.CodeUsage, "stopped"},
		{"wrong kind", atCheck, Event{Kind: EvCaptured, Command: "4-check", Snapshot: "x"}, ErrNotNow, belay.CodeCannot, `"captured" does not answer 4-check`},
		{"no snapshot", first, Event{Kind: EvSnapshot, Command: "1-snapshot"}, ErrEvent, belay.CodeCannot, "without a snapshot"},
		{"stopped attempt as exit", attempt, Event{Kind: EvAttempted, Command: "2-attempt", Ended: EndedStopped}, ErrEvent, belay.CodeCannot, "stopped"},
		{"unknown kind", atGate, Event{Kind: "applause"}, ErrEvent, belay.CodeCannot, "applause"},
		{"wrong gate", atGate, Event{Kind: EvDecided, Gate: 2, Decision: DecideAbort}, ErrDecision, belay.CodeUsage, "gate 1 is open"},
		{"no such decision", atGate, Event{Kind: EvDecided, Gate: 1, Decision: "accept"}, ErrDecision, belay.CodeUsage, "does not offer"},
		{"guide without words", atGate, Event{Kind: EvDecided, Gate: 1, Decision: DecideGuide, Note: " \n"}, ErrDecision, belay.CodeUsage, "needs instructions"},
		{"not started", State{}, Event{Kind: EvCancelled}, ErrNotNow, belay.CodeUsage, "not started"},
		{"damaged", State{Phase: PhaseCheck}, Event{Kind: EvCancelled}, ErrState, belay.CodeCannot, "no command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, commands, err := Step(once, c.s, c.e)
			if reasonOf(err) != reasonOf(c.reason) || belay.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v (%s)", err, belay.CodeOf(err))
			}
			if commands != nil || !reflect.DeepEqual(s, c.s) {
				t.Error("the state changed")
			}
		})
	}
}

// TestSoundRefusesWhatStepNeverMakes damages good states one way each.
func TestSoundRefusesWhatStepNeverMakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		story  string
		damage func(*State)
	}{
		{"ok", func(s *State) { s.Phase = "lunch" }},
		{"ok", func(s *State) { s.Phase, s.Pending = "lunch", nil }},
		{"ok", func(s *State) { s.Pending.Kind = CmdCheck }},
		{"ok", func(s *State) { s.Attempts = nil }},
		{"ok", func(s *State) { s.Before = "" }},
		{"ok ok ok", func(s *State) { s.Attempts = nil }},
		{"ok ok ok fail", func(s *State) { s.Pending = &Command{Kind: CmdCheck} }},
		{"ok ok ok fail", func(s *State) { s.Gate = nil }},
		{"ok ok ok fail", func(s *State) { s.Before = "" }},
		{"ok ok ok fail", func(s *State) { s.Attempts = nil }},
		{"ok ok ok fail", func(s *State) { *s = State{} }},
		{"ok ok ok broken", func(s *State) { s.Parked = nil }},
		{"ok broken", func(s *State) { s.Attempts = nil }},
		{"ok ok ok cancel ok", func(s *State) { s.Ending = "" }},
		{"ok ok ok fail abort", func(s *State) { s.Ending = "" }},
	} {
		s, _ := tell(t, once, c.story)
		c.damage(&s)
		if s.Phase == "" { // the zero state is sound
			if validate(s) != nil {
				t.Error("the zero state is refused")
			}
			continue
		}
		if _, _, err := Step(once, s, Event{Kind: EvCancelled}); reasonOf(err) != "state" {
			t.Errorf("%s, damaged: %v", c.story, err)
		}
	}
}

// TestWhatResultsBringIsKept answers each command with an event that has all its fields.
func TestWhatResultsBringIsKept(t *testing.T) {
	t.Parallel()
	p := with(func(p *belay.Policy) { p.Retries, p.Baseline, p.Review, p.AcceptExit = 0, true, true, []int{3} })
	var s State
	for _, e := range []Event{
		{Kind: EvStarted}, {Kind: EvSnapshot, Snapshot: "b"}, {Kind: EvBaseline, Note: "all pass"},
		{Kind: EvAttempted, Ended: EndedExit, Exit: 3, Log: "log1", Note: "signal"}, {Kind: EvCaptured, Snapshot: "a1"},
		{Kind: EvChecked, Verdict: belay.VerdictPass, Report: "report1"},
		{Kind: EvReviewed, Report: "review1", Note: "no answer", Use: belay.Use{Cost: 0.5}},
		{Kind: EvDecided, Gate: 1, Decision: DecideGuide, Note: "words", By: "ann"},
		{Kind: EvBroken, Note: "no agent", Elapsed: time.Second, Use: belay.Use{Cost: 0.25}},
		{Kind: EvDecided, Gate: 2, Decision: DecideGuide, Note: "again", By: "bob"},
		{Kind: EvCancelled, Elapsed: time.Minute, Use: belay.Use{Cost: 1}, Log: "log3"}, {Kind: EvCaptured, Snapshot: "a3"},
		{Kind: EvDecided, Gate: 3, Decision: DecideRecheck}, {Kind: EvCaptured, Snapshot: "a4"},
		{Kind: EvChecked, Verdict: belay.VerdictFail, Report: "report3", Findings: []belay.Finding{{Title: "f"}}, Kept: []string{}},
		{Kind: EvDecided, Gate: 4, Decision: DecideAbort}, {Kind: EvRestored, Snapshot: "r", Kept: []string{"k"}},
	} {
		if s.Pending != nil {
			e.Command = s.Pending.ID
		}
		next, _, err := Step(p, s, e)
		if err != nil {
			t.Fatalf("%s: %v", e.Kind, err)
		}
		s = next
	}
	want := []Attempt{
		{N: 1, Prompt: PromptFull, Ended: EndedExit, Exit: 3, Log: "log1", Snapshot: "a1", Verdict: belay.VerdictUnknown, Report: "report1", Review: "review1", Note: "no answer", Then: ThenRepair},
		{N: 2, Prompt: PromptRepair, Guidance: "words", Elapsed: time.Second, Use: belay.Use{Cost: 0.25}, Note: "no agent", Then: ThenContinue},
		{N: 3, Prompt: PromptRepair, Guidance: "words\n\nagain", Ended: EndedStopped, Elapsed: time.Minute, Use: belay.Use{Cost: 1}, Log: "log3", Snapshot: "a4",
			Verdict: belay.VerdictFail, Report: "report3", Findings: []belay.Finding{{Title: "f"}}, Then: ThenAborted, Rescue: "r", Kept: []string{"k"}},
	}
	if diff := cmp.Diff(want, s.Attempts); diff != "" {
		t.Error(diff)
	}
	decided := []Decided{{1, DecideGuide, "words", "ann"}, {2, DecideGuide, "again", "bob"}, {Gate: 3, Decision: DecideRecheck}, {Gate: 4, Decision: DecideAbort}}
	if diff := cmp.Diff(decided, s.Decisions); diff != "" {
		t.Error(diff)
	}
	if s.Baseline != "all pass" || s.Cost != 1.75 || s.Elapsed != time.Minute+time.Second {
		t.Errorf("baseline %q, cost %v, elapsed %v", s.Baseline, s.Cost, s.Elapsed)
	}
}

// TestRecheckForgetsTheOldVerdict: nothing is known about the new tree until it is checked.
func TestRecheckForgetsTheOldVerdict(t *testing.T) {
	t.Parallel()
	s, _ := tell(t, once, "ok ok ok fail recheck ok")
	want := Attempt{N: 1, Prompt: PromptFull, Ended: EndedExit, Snapshot: "snap6", Then: ThenRecheck}
	if diff := cmp.Diff(want, *s.Current()); diff != "" {
		t.Error(diff)
	}
}

// TestRaisedLimitAfterAStop: a run stopped in its last allowed attempt continues after the limit
// was raised.
func TestRaisedLimitAfterAStop(t *testing.T) {
	t.Parallel()
	tight := with(func(p *belay.Policy) { p.MaxAttempts = 1 })
	s, _ := tell(t, tight, "ok cancel ok")
	s, commands, err := Step(standard, s, Event{Kind: EvResumed})
	if err != nil || len(commands) != 1 || commands[0].Prompt != PromptContinue || s.Attempts[0].Then != ThenContinue {
		t.Errorf("%+v, %v", commands, err)
	}
}

func TestOptionsWithoutAGate(t *testing.T) {
	t.Parallel()
	if Options(standard, State{Phase: PhaseGate}) != nil || Options(standard, State{Phase: PhaseCheck, Gate: &Gate{}}) != nil {
		t.Error("there are options without a gate")
	}
}

// TestRepeatedGoesBySignature: a check's own signature counts, not the title.
func TestRepeatedGoesBySignature(t *testing.T) {
	t.Parallel()
	failed := func(f belay.Finding) Attempt {
		return Attempt{Verdict: belay.VerdictFail, Findings: []belay.Finding{f}}
	}
	same := State{Attempts: []Attempt{failed(belay.Finding{Signature: "s", Title: "a"}), failed(belay.Finding{Signature: "s", Title: "b"})}}
	other := State{Attempts: []Attempt{failed(belay.Finding{Signature: "s", Title: "a"}), failed(belay.Finding{Signature: "u", Title: "a"})}}
	unsigned := State{Attempts: []Attempt{failed(belay.Finding{Title: "a 1"}), failed(belay.Finding{Title: "a 22"})}}
	distinct := State{Attempts: []Attempt{failed(belay.Finding{Title: "a"}), failed(belay.Finding{Title: "b"})}}
	for i, c := range []struct {
		s    State
		want int
	}{{same, 1}, {other, 0}, {unsigned, 1}, {distinct, 0}} {
		if got := len(c.s.Repeated()); got != c.want {
			t.Errorf("%d: %d repeated", i, got)
		}
	}
}

func TestWhyIsOneLine(t *testing.T) {
	t.Parallel()
	s, _ := tell(t, once, "ok ok ok")
	s, _, err := Step(once, s, Event{Kind: EvBroken, Command: s.Pending.ID, Note: " a\n\tb "})
	if err != nil || s.Gate.Why != "the check failed: a b" {
		t.Errorf("%+v, %v", s.Gate, err)
	}
}

func TestForeignNumbersAddUpSafely(t *testing.T) {
	t.Parallel()
	dearer := func(sum, more float64) float64 { return belay.Use{Cost: sum}.Plus(belay.Use{Cost: more}).Cost }
	if got := dearer(1, math.NaN()) + dearer(1, -4); got != 2 {
		t.Errorf("costs that are no costs made %v", got)
	}
	if got := dearer(math.MaxFloat64, math.Inf(1)); got != math.MaxFloat64 {
		t.Errorf("cost %v", got)
	}
	use := belay.Use{Tokens: &belay.Tokens{Input: math.MaxInt64 - 1}}
	if got := use.Plus(belay.Use{Tokens: &belay.Tokens{Input: 5, Output: -7}}).TokenSum(); got != math.MaxInt64 {
		t.Errorf("tokens wrapped to %v", got)
	}
	if got := addDuration(time.Hour, -time.Hour); got != time.Hour {
		t.Errorf("time ran backwards to %v", got)
	}
	if got := addDuration(math.MaxInt64-1, time.Hour); got != math.MaxInt64 {
		t.Errorf("time wrapped to %v", got)
	}
}

func TestQueries(t *testing.T) {
	t.Parallel()
	var s State
	if s.Current() != nil || s.Reasons() != nil || s.Repeated() != nil || !s.Open() {
		t.Error("the zero state has something to say")
	}
	s, _ = tell(t, repair, "ok ok ok fail:tests:same ok ok fail:tests:same")
	if len(s.Reasons()) != 0 || len(s.Repeated()) != 0 {
		t.Error("attempt 3 is not judged and has reasons")
	}
	s, _ = tell(t, one, "ok ok ok fail:tests:same ok ok fail:tests:same")
	if len(s.Repeated()) != 1 || s.Repeated()[0].Title != "same" {
		t.Errorf("repeated: %+v", s.Repeated())
	}
	s.Current().Note = "changed"
	if s.Attempts[1].Note == "changed" {
		t.Error("Current gives the record itself")
	}
	s.Attempts[1].Findings = append(s.Attempts[1].Findings, belay.Finding{Severity: belay.SeverityWarning})
	if len(s.Reasons()) != 1 {
		t.Error("a warning refuses")
	}
}

func TestStateSurvivesJSON(t *testing.T) {
	t.Parallel()
	for _, c := range stories {
		s, _ := tell(t, c.policy, c.story)
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back State
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	s, _ := tell(b, standard, "ok ok ok fail ok ok fail ok ok fail ok ok")
	e := event(b, s, "fail")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Step(standard, s, e); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReached: the use of the running attempt is added to the use before; a person who continues a
// task beyond its limit grants the same amount again.
func TestReached(t *testing.T) {
	t.Parallel()
	p := with(func(p *belay.Policy) { p.Cost, p.Tokens = 2, 100 })
	s, _ := tell(t, p, "ok ok$1.5 ok fail")
	use := func(cost float64, tokens int64) belay.Use {
		return belay.Use{Cost: cost, Tokens: &belay.Tokens{Output: tokens}}
	}
	for _, c := range []struct {
		used belay.Use
		want string
	}{
		{belay.Use{}, ""}, {use(0.49, 99), ""}, {use(0.5, 0), "cost $2.00 reached (limits.cost): $2.00 used"},
		{use(0, 100), "100 tokens reached (limits.tokens): 100 used"}, {use(0.4999999999999, 0), "cost $2.00 reached (limits.cost): $2.00 used"},
	} {
		if got := ReachedLimit(p, s, c.used); got != c.want {
			t.Errorf("%+v: %q, want %q", c.used, got, c.want)
		}
	}
	s, _ = tell(t, p, "ok limited$2.5 ok guide")
	if got := ReachedLimit(p, s, use(1.9, 0)); got != "" {
		t.Errorf("granted, and stopped at once: %q", got)
	}
	if got := ReachedLimit(p, s, use(2, 0)); got != "cost $2.00 reached (limits.cost): $4.50 used" {
		t.Errorf("granted without an end: %q", got)
	}
	s, _ = tell(t, p, "ok ok$2.5 ok fail debug")
	if got := ReachedLimit(p, s, use(1, 0)); s.Pending.Kind != CmdDebug || got != "" {
		t.Errorf("%s was asked for, and stopped at once: %q", s.Pending.Kind, got)
	}
	if s.Attempts[0].Cost != 2.5 || s.Cost != 2.5 {
		t.Errorf("booked %v, %v", s.Attempts[0].Cost, s.Cost)
	}
}
