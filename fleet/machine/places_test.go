package machine_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/worker"

	"github.com/belay-dev/belay/fleet/machine"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/loop"
)

// take counts the free places of a machine: it reserves them and releases them again.
func take(m *machine.Machine) (n int) {
	var all []*worker.SlotPermit
	for {
		permit := m.Places().TryReserveSlot(nil)
		if permit == nil {
			break
		}
		all = append(all, permit)
	}
	for range all {
		m.Places().ReleaseSlot(nil)
	}
	return len(all)
}

// TestPlaces: a machine asks for tasks only while fewer are at work than it has slots.
func TestPlaces(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	a, b := p.machine("a"), p.machine("b") // with two slots each
	one, two := p.input("T1", script), p.input("T2", "echo bad > src/a.txt")
	var k, l known
	if n := take(a); n != 2 {
		t.Errorf("%d places at first", n)
	}
	p.until(a, one, &k, loop.CmdAttempt)
	if n := take(a); n != 1 {
		t.Errorf("with a task between two commands %d", n)
	}
	p.until(a, two, &l, loop.CmdAttempt)
	if n := take(a); n != 0 {
		t.Errorf("with two tasks %d", n)
	}

	// A waiting poll gets the place of a task that ends, or that waits for a person.
	got := make(chan error)
	wait := func() { _, err := a.Places().ReserveSlot(t.Context(), nil); got <- err }
	go wait()
	p.until(a, one, &k, "")
	if err := <-got; err != nil || k.state.Outcome != loop.OutcomePassed {
		t.Fatal(err, k.state.Outcome)
	}
	if n := take(a); n != 0 {
		t.Errorf("with a task and one that comes %d", n)
	}
	go wait()
	p.until(a, two, &l, "")
	if err := <-got; err != nil || l.state.Gate == nil {
		t.Fatal(err, l.state.Phase)
	}
	a.Places().ReleaseSlot(nil)
	a.Places().ReleaseSlot(nil)
	if n := take(a); n != 2 {
		t.Errorf("with a task at a gate %d", n)
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	full := []any{a.Places().TryReserveSlot(nil), a.Places().TryReserveSlot(nil)}
	if _, err := a.Places().ReserveSlot(ended, nil); err == nil || full[1] == nil {
		t.Errorf("a place more than it has: %v, %v", full, err)
	}

	// A task that moved keeps no place on its old machine.
	three := p.input("T3", script)
	var h known
	p.until(b, three, &h, loop.CmdAttempt)
	c := p.machine("c")
	old := h
	st, err := p.call(c, task.AdoptName, task.Ask{Task: three, Head: h.head})
	if err != nil {
		t.Fatal(err)
	}
	p.took(&h, st)
	if n := take(c); n != 1 {
		t.Errorf("the machine it moved to has %d", n)
	}
	if _, err := p.call(b, task.DoName, task.Ask{Task: three, Head: old.head, Command: *old.state.Pending}); err == nil {
		t.Error("the machine it moved from still did it")
	}
	if n := take(b); n != 2 {
		t.Errorf("the machine it moved from has %d", n)
	}
}
