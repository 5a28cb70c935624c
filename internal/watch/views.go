package watch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/snapshot"
)

var _ snapshot.Watcher = (*Client)(nil)

// Status describes a running watch.
type Status struct {
	PID     int       `json:"pid"`
	Root    string    `json:"root"`
	Since   time.Time `json:"since"`
	Sure    bool      `json:"sure"`
	Why     string    `json:"why,omitempty"` // why Sure is false
	Folders int       `json:"folders"`       // folders being watched
	Files   int       `json:"files"`
	Asked   int       `json:"asked"`    // requests for changes
	Answers int       `json:"answered"` // requests whose answer saved the snapshot a scan
	Builds  int       `json:"built"`    // number of full scans
	Idle    string    `json:"idle"`     // the watch ends after this time without a request
}

// viewManager keeps the current view of a tree and builds a new one when it becomes unreliable.
type viewManager struct {
	place *snapshot.Worktree
	dir   string
	log   *eventLog
	ctx   context.Context

	mu     sync.Mutex // held while a request is answered
	view   *view      // nil while it is being built
	why    string     // why there is no view
	status Status
	wait   time.Duration // before the next build
	doubts time.Time     // when a mismatch last discarded the view
	last   time.Time     // when the last request for changes came
}

const (
	shortWait = 200 * time.Millisecond
	longWait  = 30 * time.Second
)

var errStill = errors.New("its first full scan is not finished")

// answer answers one request for changes, or returns an error that says why it cannot.
func (s *viewManager) answer(ctx context.Context, q request) (*snapshot.WatchAnswer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Asked++
	s.last = time.Now()
	if !slices.Equal(q.Include, s.place.Include) || q.MaxFile != s.place.MaxFile {
		s.place = &snapshot.Worktree{Repo: s.place.Repo, Dir: s.place.Dir, Include: q.Include, MaxFile: q.MaxFile}
		s.discard(errors.New("the settings changed"))
	}
	if s.view == nil {
		return nil, errors.New(s.why)
	}
	err := s.view.checkSurroundings(ctx)
	if err == nil {
		err = s.view.settle(ctx, true)
	}
	if err != nil {
		if !errors.Is(err, errMoving) {
			s.discard(err)
		}
		return nil, err
	}
	s.wait = shortWait
	seen := s.view.answer(q.Base)
	if seen == nil {
		return nil, errors.New("it does not know the last snapshot")
	}
	s.status.Answers++
	return seen, nil
}

// doubt is called when an answer did not match what the client saw. It discards the view at most
// once per longWait: a client with other ignore rules would otherwise cause endless scans.
func (s *viewManager) doubt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.view != nil && time.Since(s.doubts) > longWait {
		s.doubts = time.Now()
		s.discard(errors.New("ignore rules outside the working tree changed"))
	}
}

// discard drops the view and builds another one in the background. The caller has locked mu.
func (s *viewManager) discard(why error) {
	if s.view == nil {
		return // one is being built
	}
	s.log.note("full scan: %v", why)
	s.view.close()
	s.view, s.why = nil, errStill.Error()
	wait := s.wait
	s.wait = min(2*s.wait, longWait)
	go func() {
		select {
		case <-s.ctx.Done():
		case <-time.After(wait):
			_ = s.build(s.ctx)
		}
	}()
}

// build builds a view. When that fails it tries again, with growing pauses.
func (s *viewManager) build(ctx context.Context) error {
	s.mu.Lock()
	place := s.place
	s.mu.Unlock()
	v, err := newView(ctx, place, s.dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.why = err.Error()
		s.log.note("no watch: %v", err)
		wait := s.wait
		s.wait = min(2*s.wait, longWait)
		time.AfterFunc(wait, func() {
			if s.ctx.Err() == nil {
				_ = s.build(s.ctx)
			}
		})
		return err
	}
	s.status.Builds++
	if place != s.place { // the settings changed meanwhile
		v.close()
		go func() { _ = s.build(s.ctx) }()
		return nil
	}
	s.view, s.why = v, ""
	s.started(v)
	return nil
}

func (s *viewManager) started(v *view) {
	n, _ := v.tracker.Folders()
	s.log.note("watching %d folders", n)
	debug.FreeOSMemory()
}

// report returns the status.
func (s *viewManager) report() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.status
	st.Sure, st.Why = s.view != nil, s.why
	if v := s.view; v != nil {
		st.Folders, st.Why = v.tracker.Folders()
		st.Files, _ = v.book.Files(v.tree.Top())
		st.Sure = st.Why == ""
	}
	return st
}

func (s *viewManager) idle() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.last)
}

// first builds the first view. The process reports that it is ready only afterwards.
func (s *viewManager) first(ctx context.Context) error {
	v, err := newView(ctx, s.place, s.dir)
	if err != nil {
		return fmt.Errorf("watch %s: %w", s.place.Repo.Root, err)
	}
	s.view = v
	s.status.Builds++
	s.started(v)
	return nil
}
