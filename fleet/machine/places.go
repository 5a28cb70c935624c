package machine

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/belay-dev/belay/fleet/task"
)

// nextCommandTime is how soon after a command the next one is expected. Without one the task waits
// for its team, or its workflow was terminated.
const nextCommandTime = time.Minute

// taskPlaces counts the tasks at work on a machine. A worker that takes every waiting task would
// queue them while other workers are idle, so it asks for another task only while fewer are at work
// than it has slots.
//
// It is a worker.SlotSupplier for the queue that brings tasks.
type taskPlaces struct {
	mu          sync.Mutex
	limit       int
	coming      int // polls that may bring a task, and tasks being placed
	tasks       map[string]*atWork
	cloneTokens map[string]chan struct{} // one token for each clone
	changed     chan struct{}            // closed when a place becomes free
}

// atWork is a task between two of its gates.
type atWork struct {
	running int       // number of activities
	until   time.Time // without activities, it counts as at work until then
}

func newPlaces(most int) *taskPlaces {
	return &taskPlaces{limit: most, tasks: map[string]*atWork{}, cloneTokens: map[string]chan struct{}{}, changed: make(chan struct{})}
}

// isFree reports whether another task may come, and if not, after what time a task that runs
// nothing stops counting; 0 is never. The caller must have the lock.
func (p *taskPlaces) isFree() (ok bool, wait time.Duration) {
	now := time.Now()
	for key, t := range p.tasks {
		left := t.until.Sub(now)
		switch {
		case t.running > 0:
		case left <= 0:
			delete(p.tasks, key)
		case wait == 0 || left < wait:
			wait = left
		}
	}
	return p.coming+len(p.tasks) < p.limit, wait
}

// TryReserveSlot reserves a place; nil if there is none.
func (p *taskPlaces) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ok, _ := p.isFree(); !ok {
		return nil
	}
	p.coming++
	return &worker.SlotPermit{}
}

// ReserveSlot waits for a place, or returns the context's error.
func (p *taskPlaces) ReserveSlot(ctx context.Context, _ worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	for {
		if permit := p.TryReserveSlot(nil); permit != nil {
			return permit, nil
		}
		p.mu.Lock()
		ok, wait := p.isFree()
		changed := p.changed
		p.mu.Unlock()
		if ok {
			continue
		}
		var late <-chan time.Time
		if wait > 0 {
			late = time.After(wait)
		}
		select {
		case <-changed:
		case <-late:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// MarkSlotUsed does nothing: a poll counts as much as the task it brings.
func (p *taskPlaces) MarkSlotUsed(worker.SlotMarkUsedInfo) {}

// ReleaseSlot releases a place. keep has already counted a task that came with it.
func (p *taskPlaces) ReleaseSlot(worker.SlotReleaseInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.coming--
	p.wakeWaiting()
}

// MaxSlots returns the number of places.
func (p *taskPlaces) MaxSlots() int { return p.limit }

// wakeWaiting makes waiting callers check again. The caller must have the lock.
func (p *taskPlaces) wakeWaiting() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// enter counts an activity of a task, until done is called.
func (p *taskPlaces) enter(key string) (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.entryOf(key)
	t.running++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		t.running--
		p.wakeWaiting()
	}
}

// keep makes a task count until its next command, or no longer.
func (p *taskPlaces) keep(key string, works bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !works {
		if t := p.tasks[key]; t != nil {
			t.until = time.Time{}
		}
		p.wakeWaiting()
		return
	}
	p.entryOf(key).until = time.Now().Add(nextCommandTime)
}

// entryOf returns the entry of a task, which it creates if needed. The caller must have the lock.
func (p *taskPlaces) entryOf(key string) *atWork {
	if p.tasks[key] == nil {
		p.tasks[key] = &atWork{}
	}
	return p.tasks[key]
}

// lockClone waits until no other activity of a task runs on this machine. If a slow worker seems
// lost, the server repeats its activity while the first one still runs; that one ends once it hears
// of it. Its error is the context's.
func (m *Machine) lockClone(ctx context.Context, in task.Input) (done func(), err error) {
	one := m.cloneToken(in)
	select {
	case one <- struct{}{}:
		return func() { <-one }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// tryLockClone locks a task's clone, unless an activity of the task runs on this machine.
func (m *Machine) tryLockClone(in task.Input) (done func(), ok bool) {
	one := m.cloneToken(in)
	select {
	case one <- struct{}{}:
		return func() { <-one }, true
	default:
		return nil, false
	}
}

func (m *Machine) cloneToken(in task.Input) chan struct{} {
	key := m.clonePath(in)
	m.places.mu.Lock()
	defer m.places.mu.Unlock()
	if m.places.cloneTokens[key] == nil {
		m.places.cloneTokens[key] = make(chan struct{}, 1)
	}
	return m.places.cloneTokens[key]
}

// Places returns the places of tasks on this machine, as many as it has slots.
func (m *Machine) Places() worker.SlotSupplier { return m.places }

// enterTask counts an activity of a task.
func (m *Machine) enterTask(in task.Input) (done func()) { return m.places.enter(m.clonePath(in)) }
