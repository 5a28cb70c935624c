package scan

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// The maximum number of paths that are classified at once, and of batches in parallel.
const (
	maxClassifyBatch = 8192
	maxClassifiers   = 4
)

// classifier asks Options.Ignored about the names of folders. The next batch grows while the
// previous one is being answered, so slow answers lead to few large batches.
type classifier struct {
	scan    *scan
	ctx     context.Context
	running sync.WaitGroup

	mu     sync.Mutex
	queue  []*node
	active int
}

func (a *classifier) init(ctx context.Context, s *scan) { a.ctx, a.scan = ctx, s }

// enqueue classifies the names of a listed folder and returns it to the pool as jobSettle.
func (a *classifier) enqueue(n *node) {
	a.scan.pool.AddPending()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = append(a.queue, n)
	if a.active < min(maxClassifiers, a.scan.opts.Workers) {
		a.active++
		a.running.Go(a.classifyQueued)
	}
}

func (a *classifier) classifyQueued() {
	for {
		batch, paths := a.nextBatch()
		if batch == nil {
			return
		}
		a.classifyBatch(batch, paths)
	}
}

// nextBatch takes folders off the queue. If it is empty, the caller no longer counts as active.
func (a *classifier) nextBatch() ([]*node, []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var paths []string
	i := 0
	for ; i < len(a.queue) && len(paths) < maxClassifyBatch; i++ {
		n := a.queue[i]
		for k := range n.items {
			if n.items[k].isUnclassified() {
				paths = append(paths, n.items[k].queryPath())
			}
		}
	}
	if i == 0 || a.scan.pool.Err() != nil {
		a.active--
		return nil, nil
	}
	batch := a.queue[:i:i]
	a.queue = a.queue[i:]
	return batch, paths
}

func (a *classifier) classifyBatch(batch []*node, paths []string) {
	var answers []bool
	var err error
	if len(paths) > 0 {
		answers, err = a.scan.opts.Ignored(a.ctx, paths)
	}
	if err == nil && len(answers) != len(paths) {
		err = fmt.Errorf("%d answers to %d questions", len(answers), len(paths))
	}
	if err != nil {
		a.scan.pool.Fail(fmt.Errorf("asking git what is ignored: %w", err))
		return
	}
	if err := a.classifyByBaseline(batch, answers); err != nil {
		a.scan.pool.Fail(fmt.Errorf("asking git what was ignored: %w", err))
		return
	}
	a.scan.asked.Add(int64(len(paths)))
	for _, n := range batch {
		for k := range n.items {
			it := &n.items[k]
			if !it.isUnclassified() {
				continue
			}
			it.flags |= FlagKnown
			if answers[0] {
				it.flags |= FlagIgnored
			}
			answers = answers[1:]
		}
		a.scan.pool.Push(job{node: n, kind: jobSettle})
		a.scan.pool.Done()
	}
}

// classifyByBaseline asks how the baseline's rules classify ignored names, if they differ from the
// current rules. answers are those of the current rules. A name that was not ignored then is
// captured. The cache records the current answer.
func (a *classifier) classifyByBaseline(batch []*node, answers []bool) error {
	if a.scan.opts.Baseline == nil {
		return nil
	}
	var ask []string
	var items []*item
	for _, n := range batch {
		for k := range n.items {
			it := &n.items[k]
			ignored := it.isUntracked() && it.flags&FlagIgnored != 0
			if it.isUnclassified() {
				ignored = answers[0]
				answers = answers[1:]
			}
			if ignored && n.rulesDiffer {
				ask, items = append(ask, it.queryPath()), append(items, it)
			}
		}
	}
	if len(ask) == 0 {
		return nil
	}
	was, err := a.scan.opts.Baseline.Ignored(a.ctx, ask)
	if err == nil && len(was) != len(ask) {
		err = fmt.Errorf("%d answers to %d questions", len(was), len(ask))
	}
	if err != nil {
		return err
	}
	for i, it := range items {
		it.unignored = !was[i]
	}
	return nil
}

func (it *item) isUnclassified() bool { return it.isUntracked() && it.flags&FlagKnown == 0 }

// queryPath returns the path in the form for Ignored.
func (it *item) queryPath() string {
	if it.folder {
		return it.path + "/"
	}
	return it.path
}

// checkRules checks every .gitignore that contributed to an answer again: it may have changed
// between its hashing and git's reading. In that case the answers are used for this scan, which is
// marked unstable, but not cached.
func (s *scan) checkRules() {
	for _, n := range s.classifiedNodes {
		for ; n != nil && !n.rulesSeen; n = n.parent {
			n.rulesSeen = true
			if s.haveRulesChanged(n) {
				s.outerRulesChanged = true
				s.unstable.Store(true)
				s.cacheChanged.Store(true)
				return
			}
		}
	}
}

func (s *scan) haveRulesChanged(n *node) bool {
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
