package scan

import "sync"

// Pool is a stack of jobs for several workers. It is no queue, so that few folders are unfinished
// at a time. It ends when no job is queued or pending.
type Pool[J any] struct {
	mu      sync.Mutex
	cond    sync.Cond
	stack   []J
	pending int
	err     error
}

// NewPool returns an empty pool.
func NewPool[J any]() *Pool[J] {
	p := &Pool[J]{}
	p.cond.L = &p.mu
	return p
}

// Push queues jobs. Every job is pending until Done is called for it.
func (p *Pool[J]) Push(jobs ...J) {
	if len(jobs) == 0 {
		return
	}
	p.mu.Lock()
	p.stack = append(p.stack, jobs...)
	p.pending += len(jobs)
	p.mu.Unlock()
	if len(jobs) == 1 {
		p.cond.Signal()
		return
	}
	p.cond.Broadcast()
}

// AddPending counts as pending a job that is not on the stack.
func (p *Pool[J]) AddPending() {
	p.mu.Lock()
	p.pending++
	p.mu.Unlock()
}

// Done ends one pending job.
func (p *Pool[J]) Done() {
	p.mu.Lock()
	p.pending--
	over := p.pending == 0
	p.mu.Unlock()
	if over {
		p.cond.Broadcast()
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
	p.cond.Broadcast()
}

// Err returns the error that ended the scan.
func (p *Pool[J]) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Take waits for a job; false means that the scan has ended.
func (p *Pool[J]) Take() (job J, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.err == nil && len(p.stack) == 0 && p.pending > 0 {
		p.cond.Wait()
	}
	if p.err != nil || len(p.stack) == 0 {
		return job, false
	}
	j := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	return j, true
}
