package scan

import "sync"

// Pool is a stack of jobs, so that few folders are open questions at a time. It is
// over when nothing is queued, done or held.
type Pool[J any] struct {
	mu    sync.Mutex
	more  sync.Cond
	stack []J
	open  int
	err   error
}

// NewPool returns an empty one.
func NewPool[J any]() *Pool[J] {
	p := &Pool[J]{}
	p.more.L = &p.mu
	return p
}

// Push queues jobs. Every job counts as open until Done is called for it.
func (p *Pool[J]) Push(jobs ...J) {
	if len(jobs) == 0 {
		return
	}
	p.mu.Lock()
	p.stack = append(p.stack, jobs...)
	p.open += len(jobs)
	p.mu.Unlock()
	if len(jobs) == 1 {
		p.more.Signal()
		return
	}
	p.more.Broadcast()
}

// Hold counts something as open that is not on the stack.
func (p *Pool[J]) Hold() {
	p.mu.Lock()
	p.open++
	p.mu.Unlock()
}

// Done ends what Push or Hold counted.
func (p *Pool[J]) Done() {
	p.mu.Lock()
	p.open--
	over := p.open == 0
	p.mu.Unlock()
	if over {
		p.more.Broadcast()
	}
}

// Fail ends the scan; the first error is kept.
func (p *Pool[J]) Fail(err error) {
	p.mu.Lock()
	if p.err == nil {
		p.err = err
	}
	p.stack = nil
	p.mu.Unlock()
	p.more.Broadcast()
}

// Failed returns the error that ended it.
func (p *Pool[J]) Failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Take waits for a job; false says that the scan is over.
func (p *Pool[J]) Take() (job J, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.err == nil && len(p.stack) == 0 && p.open > 0 {
		p.more.Wait()
	}
	if p.err != nil || len(p.stack) == 0 {
		return job, false
	}
	j := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	return j, true
}
