package scan

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// What one question holds at most, and how many are asked at once.
const (
	askBatch    = 8192
	askParallel = 4
)

// asker gathers the folders whose names are not classified. While one question is
// being answered the next one grows, so a slow answer makes few large questions.
type asker struct {
	s       *scan
	ctx     context.Context
	running sync.WaitGroup

	mu     sync.Mutex
	queue  []*node
	active int
}

func (a *asker) start(ctx context.Context, s *scan) { a.ctx, a.s = ctx, s }

// enqueue takes over a listed folder and gives it back as jobSettle.
func (a *asker) enqueue(n *node) {
	a.s.pool.Hold()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = append(a.queue, n)
	if a.active < min(askParallel, a.s.o.Workers) {
		a.active++
		a.running.Go(a.drain)
	}
}

func (a *asker) drain() {
	for {
		batch, paths := a.next()
		if batch == nil {
			return
		}
		a.ask(batch, paths)
	}
}

// next takes folders off the queue, and the caller off the active ones when there
// are none.
func (a *asker) next() ([]*node, []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var paths []string
	i := 0
	for ; i < len(a.queue) && len(paths) < askBatch; i++ {
		n := a.queue[i]
		for k := range n.items {
			if n.items[k].unclassified() {
				paths = append(paths, n.items[k].asked())
			}
		}
	}
	if i == 0 || a.s.pool.Failed() != nil {
		a.active--
		return nil, nil
	}
	batch := a.queue[:i:i]
	a.queue = a.queue[i:]
	return batch, paths
}

func (a *asker) ask(batch []*node, paths []string) {
	var answers []bool
	var err error
	if len(paths) > 0 {
		answers, err = a.s.o.Ignored(a.ctx, paths)
	}
	if err == nil && len(answers) != len(paths) {
		err = fmt.Errorf("%d answers to %d questions", len(answers), len(paths))
	}
	if err != nil {
		a.s.pool.Fail(fmt.Errorf("asking git what is ignored: %w", err))
		return
	}
	if err := a.then(batch, answers); err != nil {
		a.s.pool.Fail(fmt.Errorf("asking git what was ignored: %w", err))
		return
	}
	a.s.asked.Add(int64(len(paths)))
	for _, n := range batch {
		for k := range n.items {
			it := &n.items[k]
			if !it.unclassified() {
				continue
			}
			it.flags |= FlagKnown
			if answers[0] {
				it.flags |= FlagIgnored
			}
			answers = answers[1:]
		}
		a.s.pool.Push(job{n: n, kind: jobSettle})
		a.s.pool.Done()
	}
}

// then asks the rules of then about what is ignored where the rules are others now.
// answers are those of today. What was not ignored then is shown: what the cache
// keeps of it stays today's answer.
func (a *asker) then(batch []*node, answers []bool) error {
	if a.s.o.Then == nil {
		return nil
	}
	var ask []string
	var items []*item
	for _, n := range batch {
		for k := range n.items {
			it := &n.items[k]
			ignored := it.outside() && it.flags&FlagIgnored != 0
			if it.unclassified() {
				ignored = answers[0]
				answers = answers[1:]
			}
			if ignored && n.moved {
				ask, items = append(ask, it.asked()), append(items, it)
			}
		}
	}
	if len(ask) == 0 {
		return nil
	}
	was, err := a.s.o.Then.Ignored(a.ctx, ask)
	if err == nil && len(was) != len(ask) {
		err = fmt.Errorf("%d answers to %d questions", len(was), len(ask))
	}
	if err != nil {
		return err
	}
	for i, it := range items {
		it.shown = !was[i]
	}
	return nil
}

func (it *item) unclassified() bool { return it.outside() && it.flags&FlagKnown == 0 }

// asked returns the path as Ignored is asked for it.
func (it *item) asked() string {
	if it.folder {
		return it.path + "/"
	}
	return it.path
}

// checkRules looks again at every .gitignore that took part in an answer: it may
// have changed between being hashed and being read by git. Then the answers hold
// for this scan, which is marked as moving, but are not kept.
func (s *scan) checkRules() {
	for _, n := range s.ruled {
		for ; n != nil && !n.rulesSeen; n = n.parent {
			n.rulesSeen = true
			if s.rulesChanged(n) {
				s.rulesMoved = true
				s.moving.Store(true)
				s.dirty.Store(true)
				return
			}
		}
	}
}

func (s *scan) rulesChanged(n *node) bool {
	fd, err := fsroot.OpenBelow(s.root, n.path, fsroot.OpenPath)
	if err != nil {
		return true
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	err = fsroot.StatAt(fd, ".gitignore", &st)
	now := fsroot.FactsOf(&st)
	if err != nil || (now.Kind() != fsroot.File && now.Kind() != fsroot.Exec) {
		return n.ruleFile >= 0
	}
	if n.ruleFile < 0 {
		return true
	}
	was := s.factsOf(&n.items[n.ruleFile])
	return now != was
}
