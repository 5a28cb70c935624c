package scan

import "sync"

// job is one thing to do: list a folder (part < 0), look at a part of its names, or
// read one file.
type job struct {
	n    *node
	kind jobKind
	from int // the first item; of a read, the item
	to   int
}

type jobKind uint8

const (
	jobList   jobKind = iota // list the folder
	jobSettle                // its names are classified: look at them
	jobStat                  // look at the items from..to
	jobRead                  // read the item from
)

// pool is a stack of jobs, so that few folders are open questions at a time. It is
// over when nothing is queued, done or held.
type pool struct {
	mu    sync.Mutex
	more  sync.Cond
	stack []job
	open  int
	err   error
}

func newPool() *pool {
	p := &pool{}
	p.more.L = &p.mu
	return p
}

// push queues jobs. Every job counts as open until done is called for it.
func (p *pool) push(jobs ...job) {
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

// hold counts something as open that is not on the stack.
func (p *pool) hold() {
	p.mu.Lock()
	p.open++
	p.mu.Unlock()
}

// done ends what push or hold counted.
func (p *pool) done() {
	p.mu.Lock()
	p.open--
	over := p.open == 0
	p.mu.Unlock()
	if over {
		p.more.Broadcast()
	}
}

// fail ends the scan; the first error is kept.
func (p *pool) fail(err error) {
	p.mu.Lock()
	if p.err == nil {
		p.err = err
	}
	p.stack = nil
	p.mu.Unlock()
	p.more.Broadcast()
}

func (p *pool) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// take waits for a job; false says that the scan is over.
func (p *pool) take() (job, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.err == nil && len(p.stack) == 0 && p.open > 0 {
		p.more.Wait()
	}
	if p.err != nil || len(p.stack) == 0 {
		return job{}, false
	}
	j := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	return j, true
}
