package loop

import (
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// TestBackOff: after a temporary failure of the agent the task waits, longer each time and without
// using a retry, until a person is asked; after a permanent one it does not wait.
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

// TestFailsTheSameWay: an agent that fails twice in the same way with the same files would fail a
// third time, so a person is asked before the retries are used up. With another error, other files,
// or a record of a version that did not compare them, another attempt follows.
func TestFailsTheSameWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words [2]string
		same  bool
		asks  bool
	}{
		"same":           {[2]string{"config.toml: no such file", "config.toml: no such file"}, true, true},
		"other numbers":  {[2]string{"panic at 17:04", "panic at 17:05"}, true, true},
		"says nothing":   {[2]string{}, true, true},
		"other words":    {[2]string{"config.toml: no such file", "the context window is full"}, true, false},
		"other files":    {[2]string{"the context window is full", "the context window is full"}, false, false},
		"its first turn": {[2]string{"", "the context window is full"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := belay.DefaultPolicy()
			s, _, err := Step(p, State{}, Event{Kind: EvStarted})
			step := func(e Event) {
				t.Helper()
				e.Command = s.Pending.ID
				if s, _, err = Step(p, s, e); err != nil {
					t.Fatal(err)
				}
			}
			step(Event{Kind: EvSnapshot, Snapshot: "b"})
			if p.Baseline {
				step(Event{Kind: EvBaseline})
			}
			for i, words := range c.words {
				step(Event{Kind: EvAttempted, Ended: EndedExit, Exit: 1, Note: words})
				step(Event{Kind: EvCaptured, Snapshot: "a", Same: i > 0 && c.same})
			}
			if !c.asks {
				if s.Phase != PhaseAttempt || s.Retries != 2 {
					t.Fatalf("%s, %d retries, %+v", s.Phase, s.Retries, s.Gate)
				}
				return
			}
			want := withReason("the agent failed twice in the same way and left the same files", c.words[1])
			if s.Gate == nil || s.Gate.Kind != GateBroken || s.Gate.Why != want || s.Retries != 1 {
				t.Fatalf("%d retries, %+v", s.Retries, s.Gate)
			}
			if s, _, err = Step(p, s, Event{Kind: EvDecided, Gate: 1, Decision: DecideRetry}); err != nil || s.Phase != PhaseAttempt {
				t.Errorf("%s, %v", s.Phase, err)
			}
		})
	}
}
