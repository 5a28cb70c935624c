package machine_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

// TestSkew: a worker with a clock that is hours behind continues a task recorded with a clock that
// was ahead: the record's times never go back, and nothing is decided by them.
func TestSkew(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", script)
	a, b := p.machine("a"), p.machine("b")
	var k known
	p.until(a, in, &k, loop.CmdAttempt)
	ahead := time.Now().Add(5 * time.Hour)
	store := journal.Open(filepath.Join(p.tree("a", in), ".git", "belay"))
	store.Now = func() time.Time { return ahead }
	if _, err := store.Append(t.Context(), in.ID, journal.Head(k.head), session.EntryNote, session.Note{Kind: "worker", Text: "by a clock ahead"}); err != nil {
		t.Fatal(err)
	}
	st, err := p.call(a, task.DoName, task.Ask{Task: in, Head: k.head, Command: *k.state.Pending})
	if err != nil {
		t.Fatal(err)
	}
	p.took(&k, st)
	for _, s := range st.Steps {
		if s.Time.Before(ahead.Add(-time.Second)) {
			t.Errorf("%s is from %s, before the entry before it", s.Event.Kind, s.Time)
		}
	}
	if st, err = p.call(b, task.AdoptName, task.Ask{Task: in, Head: k.head}); err != nil || !st.Pushed {
		t.Fatalf("%v, pushed %v", err, st.Pushed)
	}
	p.took(&k, st)
	p.until(b, in, &k, "")
	if k.state.Outcome != loop.OutcomePassed || len(k.state.Attempts) != 2 || !k.last.Pushed {
		t.Errorf("%s after %d attempts, pushed %v", k.state.Outcome, len(k.state.Attempts), k.last.Pushed)
	}
	for i, at := range k.state.Attempts {
		if d := at.Elapsed; d < 0 || d > time.Hour {
			t.Errorf("attempt %d took %s", i+1, d)
		}
	}
	if said, err := b.Tidy(t.Context(), time.Now(), time.Hour); err != nil || len(said) > 0 {
		t.Errorf("%q, %v", said, err)
	}
}
