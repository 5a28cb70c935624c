package loop

import (
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// An agent that fails for a reason that passes is waited for, longer each time and without using a retry, until a
// person is asked; one that fails for another is not.
func TestBackOff(t *testing.T) {
	t.Parallel()
	p := belay.DefaultPolicy()
	p.Retries = 0
	s, _, err := Step(p, State{}, Event{Kind: EvStarted})
	step := func(e Event) {
		t.Helper()
		e.Command = s.Pending.ID
		if s, _, err = Step(p, s, e); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	step(Event{Kind: EvSnapshot, Snapshot: "b"})
	for _, want := range []time.Duration{15, 30, 60, 120, 240, 480, 600, 600} {
		step(Event{Kind: EvAttempted, Ended: EndedExit, Exit: 1, Transient: true, Note: "overloaded"})
		step(Event{Kind: EvCaptured, Snapshot: "a"})
		if s.Pending.Kind != CmdAttempt || s.Pending.Wait != want*time.Second || s.Pending.Prompt != PromptContinue {
			t.Fatalf("%+v, not a wait of %d s", s.Pending, want)
		}
	}
	if s.Retries != 0 {
		t.Errorf("%d retries were used", s.Retries)
	}
	often := s
	step(Event{Kind: EvAttempted, Ended: EndedExit, Exit: 1, Transient: true, Note: "overloaded"})
	step(Event{Kind: EvCaptured, Snapshot: "a"})
	if s.Gate == nil || s.Gate.Why != "the agent failed 9 times in a row: overloaded" {
		t.Errorf("%+v", s.Gate)
	}
	s = often
	step(Event{Kind: EvAttempted, Ended: EndedExit, Exit: 1})
	step(Event{Kind: EvCaptured, Snapshot: "a"})
	if s.Phase != PhaseGate || !s.Current().AgentFailed() || s.Current().Findings[0].Title != "the agent failed (exit 1), so its work was not checked" {
		t.Errorf("%+v", s)
	}
	if !strings.HasSuffix(s.Attempts[0].Findings[0].Title, ": overloaded") {
		t.Errorf("the agent's last words are lost: %+v", s.Attempts[0])
	}
}
