package scan

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
)

// scan is one walk over the tree. Save writes its nodes.
type scan struct {
	opts       Options
	root       int // the open root
	clock      Clock
	old        *Cache
	include    Selector // nil for none
	hashLen    int
	gitDir     string // relative to the root, "" when it is outside
	gitID      [2]uint64
	top        *node
	pool       *Pool[job]
	classifier classifier

	foundNames, folders   atomic.Int64 // expected numbers of names and folders in the result
	hashed, bytes, asked  atomic.Int64
	unstable, hasNewLinks atomic.Bool
	cacheChanged          atomic.Bool  // the cache has to be written
	staleRecords          atomic.Int64 // cache records that are no longer valid
	outerRulesChanged     bool
	dirtyPaths            *DirtyPaths // of an incremental scan; nil otherwise

	mu              sync.Mutex
	recentChanges   []int64 // change times not older than the scan
	classifiedNodes []*node // folders with names that were classified
	nodesWithPrev   []*node // folders that have a prev
}

// Scan reads the complete tree below o.Root and changes nothing in it. It opens only folders and
// regular files, and reads only files without a valid record in the cache. Paths that cannot be
// captured are in Result.Gaps. An error means that there is no result: an invalid option (usage),
// an unreadable root, the context, an error of Ignored or ReadTracked, or a machine out of
// descriptors or memory.
//
// The result is the state of each path at some time during the scan. If Unstable is set, that was
// not the same time for all of them, and the caller may want to scan again.
func Scan(ctx context.Context, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &scan{opts: o, hashLen: o.NewHash().Size(), gitDir: fsroot.RelativeTo(o.Root, o.GitDir), pool: NewPool[job]()}
	var err error
	if s.include, err = o.selector(); err != nil {
		return nil, err
	}
	s.root, err = unix.Open(o.Root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("scan: %w", fsroot.WrapPathError("open", belay.VisibleLine(o.Root), err))
	}
	defer unix.Close(s.root)
	res, err := s.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("scan %s: %w", belay.VisibleLine(o.Root), err)
	}
	return res, nil
}

func (s *scan) run(ctx context.Context) (*Result, error) {
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	if err := s.walk(ctx); err != nil {
		return nil, err
	}
	return s.collectResult(), nil
}

// walk enters the top and everything below that has to be scanned.
func (s *scan) walk(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { s.pool.Fail(context.Cause(ctx)) })
	defer stop()
	s.classifier.init(ctx, s)

	s.pool.Push(job{node: s.top})
	var all sync.WaitGroup
	for range s.opts.Workers {
		all.Go(func() { newWorker(s).run() })
	}
	all.Wait()
	if s.pool.Err() != nil {
		cancel() // ends a running query
	}
	s.classifier.running.Wait()
	if err := s.pool.Err(); err != nil {
		return err
	}
	if s.top.state != nodeListed {
		return fmt.Errorf("the folder cannot be read or vanished %s", s.top.gap)
	}
	s.checkRules()
	return nil
}

// prepare reads the clock and the cache, and makes the cache agree with the index.
func (s *scan) prepare(ctx context.Context) error {
	var st unix.Stat_t
	if err := unix.Fstat(s.root, &st); err != nil {
		return err
	}
	dir := ""
	if s.opts.Cache != "" {
		dir = filepath.Dir(s.opts.Cache)
	}
	s.clock = ReadClock(dir)
	if s.opts.GitDir != "" {
		var git unix.Stat_t
		if unix.Stat(s.opts.GitDir, &git) == nil {
			s.gitID = [2]uint64{uint64(git.Dev), uint64(git.Ino)}
		}
	}
	s.top = &node{rulesDiffer: s.opts.Baseline != nil && s.opts.Baseline.OuterRulesChanged, folder: -1,
		stat: fsroot.FactsOf(&st), rules: FirstRules(s.opts.RulesKey)}
	if s.opts.Cache != "" {
		s.old = Read(s.opts.Cache)
	}
	if c := s.old; c != nil && (c.Root != s.opts.Root || c.Dev != s.top.stat.Dev || c.Ino != s.top.stat.Ino || c.HashLen != s.hashLen) {
		s.old = nil
	}
	if s.old == nil || s.old.Key != s.opts.TrackedKey {
		s.cacheChanged.Store(true)
		if err := s.readTracked(ctx); err != nil {
			return err
		}
	}
	if s.old != nil {
		s.top.folder = 0
	}
	return nil
}

func (s *scan) readTracked(ctx context.Context) error {
	var list []Tracked
	var before time.Time
	if s.opts.ReadTracked != nil {
		var err error
		if list, before, err = s.opts.ReadTracked(ctx); err != nil {
			return fmt.Errorf("reading the tracked paths: %w", err)
		}
	}
	var err error
	s.old, err = Retrack(s.old, list, fsroot.Nanos(before.Unix(), int64(before.Nanosecond()))-ClockMargin, s.hashLen)
	return err
}

// noteChange records a change time. One that is not older than the scan means that the tree is
// changing, unless it is in the future. Modification times prove nothing: anybody may set them.
func (s *scan) noteChange(f *fsroot.Facts) {
	if f.Ctime >= s.clock.Start {
		s.mu.Lock()
		s.recentChanges = append(s.recentChanges, f.Ctime)
		s.mu.Unlock()
	}
}

// hasChanged reports whether the tree changed while it was scanned.
func (s *scan) hasChanged() bool {
	if s.unstable.Load() {
		return true
	}
	if len(s.recentChanges) == 0 {
		return false
	}
	dir := ""
	if s.clock.Dev != 0 {
		dir = filepath.Dir(s.opts.Cache)
	}
	end := ReadClock(dir).Start
	for _, t := range s.recentChanges {
		if t <= end {
			return true
		}
	}
	return false
}
