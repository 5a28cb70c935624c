package loop

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
)

// TestRetested: another test command replaces the baseline and nothing else, and only if there is
// one.
func TestRetested(t *testing.T) {
	t.Parallel()
	p := belay.Policy{Baseline: true}
	ev := Event{Kind: EvRetested, Note: "before the task: 2 tests", Report: "sha"}
	s := State{}
	for _, e := range []Event{
		{Kind: EvStarted}, {Kind: EvSnapshot, Command: "1-snapshot", Snapshot: "a"}, {Kind: EvBaseline, Command: "2-baseline", Note: "old", Report: "old"},
	} {
		if _, _, err := Step(p, s, ev); !errors.Is(err, ErrNotNow) {
			t.Errorf("before %s: %v", e.Kind, err)
		}
		var err error
		if s, _, err = Step(p, s, e); err != nil {
			t.Fatal(err)
		}
	}
	next, commands, err := Step(p, s, ev)
	if err != nil || len(commands) != 0 {
		t.Fatal(commands, err)
	}
	s.Baseline, s.BaselineReport, s.Seq = ev.Note, ev.Report, s.Seq+1
	if d := cmp.Diff(s, next); d != "" {
		t.Error(d)
	}
}
