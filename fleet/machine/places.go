package machine

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/belay-dev/belay/fleet/task"
)

// nextCommandTime is how long after a command of a task the next one is expected. A task of which none comes waits for its team, or
// its workflow was terminated.
const nextCommandTime = time.Minute

// taskPlaces counts the tasks that are at work on a machine. A worker that took whatever waits would keep tasks in its own queue
// while other workers have none: it asks for another task only while fewer are at work than it has slots.
//
// It is a worker.SlotSupplier for the queue that brings tasks.
type taskPlaces struct {
	mu          sync.Mutex
	limit       int
	coming      int // polls that may bring one, and tasks that are being placed
	tasks       map[string]*atWork
	cloneTokens map[string]chan struct{} // a token for each clone
	changed     chan struct{}            // closed when one is given back
}

// atWork is a task between two of its gates.
type atWork struct {
	running int       // its activities
	until   time.Time // when nothing runs, it is at work until then
}

func newPlaces(most int) *taskPlaces {
	return &taskPlaces{limit: most, tasks: map[string]*atWork{}, cloneTokens: map[string]chan struct{}{}, changed: make(chan struct{})}
}

// isFree reports whether another task may come, and otherwise how long until a task is not waited for any more; 0 is for ever.
// The caller has the lock.
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

// TryReserveSlot takes a place; nil when there is none.
func (p *taskPlaces) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ok, _ := p.isFree(); !ok {
		return nil
	}
	p.coming++
	return &worker.SlotPermit{}
}

// ReserveSlot waits for a place. Its error is that of the context.
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

// MarkSlotUsed has nothing to do: a poll counts as much as what it brings.
func (p *taskPlaces) MarkSlotUsed(worker.SlotMarkUsedInfo) {}

// ReleaseSlot gives a place back. A task that came with it has been counted before (keep).
func (p *taskPlaces) ReleaseSlot(worker.SlotReleaseInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.coming--
	p.wakeWaiting()
}

// MaxSlots is how many there are.
func (p *taskPlaces) MaxSlots() int { return p.limit }

// wakeWaiting has those look again that wait. The caller has the lock.
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

// keep has a task count until its next command, or no more.
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

// entryOf finds or makes the entry of a task. The caller has the lock.
func (p *taskPlaces) entryOf(key string) *atWork {
	if p.tasks[key] == nil {
		p.tasks[key] = &atWork{}
	}
	return p.tasks[key]
}

// lockClone waits until no other activity of a task runs on this machine. Where a worker is thought lost that is only slow, the server
// has its activity done again while the first attempt still runs; that one ends once it hears of it. Errors: that of the context.
func (m *Machine) lockClone(ctx context.Context, in task.Input) (done func(), err error) {
	key := m.clonePath(in)
	m.places.mu.Lock()
	one := m.places.cloneTokens[key]
	if one == nil {
		one = make(chan struct{}, 1)
		m.places.cloneTokens[key] = one
	}
	m.places.mu.Unlock()
	select {
	case one <- struct{}{}:
		return func() { <-one }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Places are the places of tasks on this machine: as many as it has slots.
func (m *Machine) Places() worker.SlotSupplier { return m.places }

// enterTask counts an activity of a task.
func (m *Machine) enterTask(in task.Input) (done func()) { return m.places.enter(m.clonePath(in)) }
