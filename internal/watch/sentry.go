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

// Status says how a watch is.
type Status struct {
	PID     int       `json:"pid"`
	Root    string    `json:"root"`
	Since   time.Time `json:"since"`
	Sure    bool      `json:"sure"`
	Why     string    `json:"why,omitempty"` // not sure because
	Folders int       `json:"folders"`       // that are watched
	Files   int       `json:"files"`
	Asked   int       `json:"asked"`    // takes that asked
	Answers int       `json:"answered"` // of them, so that they had to look at nothing else
	Builds  int       `json:"built"`    // how often everything was looked at
	Idle    string    `json:"idle"`     // it ends after so long without a question
}

// sentry holds the view of a tree, and makes a new one when it is lost.
type sentry struct {
	place *snapshot.Place
	dir   string
	log   *diary
	life  context.Context

	mu     sync.Mutex // one question at a time
	now    *view      // nil while there is none
	why    string     // then
	status Status
	wait   time.Duration // before the next build
	doubts time.Time     // when somebody doubted last
	last   time.Time     // when somebody asked last
}

const (
	shortWait = 200 * time.Millisecond
	longWait  = 30 * time.Second
)

var errStill = errors.New("its first full scan is not finished")

// answer answers one question about changes, or says why not.
func (s *sentry) answer(ctx context.Context, q request) (*snapshot.Seen, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Asked++
	s.last = time.Now()
	if !slices.Equal(q.Include, s.place.Include) || q.MaxFile != s.place.MaxFile {
		s.place = &snapshot.Place{Repo: s.place.Repo, Dir: s.place.Dir, Include: q.Include, MaxFile: q.MaxFile}
		s.lose(errors.New("the settings changed"))
	}
	if s.now == nil {
		return nil, errors.New(s.why)
	}
	err := s.now.surroundings(ctx)
	if err == nil {
		err = s.now.settle(ctx, true)
	}
	if err != nil {
		if !errors.Is(err, errMoving) {
			s.lose(err)
		}
		return nil, err
	}
	s.wait = shortWait
	seen := s.now.answer(q.Base)
	if seen == nil {
		return nil, errors.New("it does not know the last snapshot")
	}
	s.status.Answers++
	return seen, nil
}

// doubt is told when an answer did not fit what the asker saw. Somebody whose rules
// always differ must not keep the watch building.
func (s *sentry) doubt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil && time.Since(s.doubts) > longWait {
		s.doubts = time.Now()
		s.lose(errors.New("ignore rules outside the working tree changed"))
	}
}

// lose gives the view up and makes another one aside. The lock is held.
func (s *sentry) lose(why error) {
	if s.now == nil {
		return // one is being made
	}
	s.log.note("full scan: %v", why)
	s.now.close()
	s.now, s.why = nil, errStill.Error()
	wait := s.wait
	s.wait = min(2*s.wait, longWait)
	go func() {
		select {
		case <-s.life.Done():
		case <-time.After(wait):
			_ = s.build(s.life)
		}
	}()
}

// build makes a view. Where that fails it is tried again, more and more rarely.
func (s *sentry) build(ctx context.Context) error {
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
			if s.life.Err() == nil {
				_ = s.build(s.life)
			}
		})
		return err
	}
	s.status.Builds++
	if place != s.place { // the settings changed meanwhile
		v.close()
		go func() { _ = s.build(s.life) }()
		return nil
	}
	s.now, s.why = v, ""
	s.started(v)
	return nil
}

func (s *sentry) started(v *view) {
	n, _ := v.ear.Folders()
	s.log.note("watching %d folders", n)
	debug.FreeOSMemory()
}

// report returns the status.
func (s *sentry) report() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.status
	st.Sure, st.Why = s.now != nil, s.why
	if v := s.now; v != nil {
		st.Folders, st.Why = v.ear.Folders()
		st.Files, _ = v.book.Files(v.tree.Top())
		st.Sure = st.Why == ""
	}
	return st
}

func (s *sentry) idle() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.last)
}

// first makes the first view, for the starter to wait for.
func (s *sentry) first(ctx context.Context) error {
	v, err := newView(ctx, s.place, s.dir)
	if err != nil {
		return fmt.Errorf("watch %s: %w", s.place.Repo.Root, err)
	}
	s.now = v
	s.status.Builds++
	s.started(v)
	return nil
}
