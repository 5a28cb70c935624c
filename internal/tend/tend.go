// Package tend waits for an agent's run: it shows what the agent prints, ends it when a
// person stops it or when it goes round in circles, and says which it was. What a stuck
// agent is stuck on is looked up here, too.
//
// It starts no run, judges no work and keeps nothing but one mark in the run's folder.
package tend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/stall"
)

// Run is a run that is waited for.
type Run struct {
	*agent.Run
	Dir   string          // the run's folder
	Soft  context.Context // ends when a person stops the run
	Live  io.Writer       // where its output goes as it comes; nil for nowhere
	Stall *stall.Watch    // nil watches for no stall
	Note  func(string)    // something a person should know
}

// End is how a run ended.
type End struct {
	agent.Result
	Stopped bool   // a person stopped it, from here
	Stall   string // why belay ended it; "" when it did not
}

// mark is the file in a run's folder that says why belay ended it: whoever takes up the run
// after a crash must not take it for a person's doing.
const mark = "stalled"

// Await waits until nothing of the run lives. The end of ctx ends the waiting alone.
func (r Run) Await(ctx context.Context) (End, error) {
	soft, cancel := context.WithCancel(r.Soft)
	defer cancel()
	live := &screen{to: r.Live, stall: r.Stall, found: cancel}
	res, err := r.Wait(soft, live)
	if err == nil {
		return r.end(res, false)
	}
	if ctx.Err() != nil {
		return End{Result: res}, err
	}
	stopped := r.Soft.Err() != nil
	switch {
	case stopped:
		r.Note("stopping the agent")
	case r.Stall != nil && r.Stall.Found() != nil:
		why := r.Stall.Found().String()
		r.Note("ending the agent: " + why)
		if err := fsroot.WriteFile(filepath.Join(r.Dir, mark), []byte(why), 0o600); err != nil {
			return End{Result: res}, err
		}
	default:
		return End{Result: res}, err
	}
	if err := r.Stop(ctx); err != nil {
		return End{Result: res}, err
	}
	live.skip, live.stall = live.shown, nil
	if res, err = r.Wait(ctx, live); err != nil {
		return End{Result: res}, err
	}
	return r.end(res, stopped)
}

// Once runs a command that is not an agent, once for its folder, also when belay is killed
// meanwhile. What goes wrong with it is noted; only being stopped, and the end of ctx, count.
func Once(ctx context.Context, r Run, self []string, s agent.Spec) (stopped bool, err error) {
	r.Run, err = agent.Attach(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		r.Run, err = agent.Start(ctx, r.Dir, self, s)
	}
	if err != nil {
		r.Note(s.Label + " could not be run: " + err.Error())
		return false, nil
	}
	end, err := r.Await(ctx)
	if err == nil && !end.Stopped && (end.Exit != 0 || end.Ended != agent.EndedExit) {
		r.Note(fmt.Sprintf("%s ended with exit %d (%s)", s.Label, end.Exit, end.Ended))
	}
	return end.Stopped, err
}

func (r Run) end(res agent.Result, stopped bool) (End, error) {
	e := End{Result: res, Stopped: stopped}
	if res.Ended != agent.EndedStopped || stopped {
		return e, nil // it ended by itself before it could be ended
	}
	why, err := fsroot.ReadFile(filepath.Join(r.Dir, mark), fsroot.Usual)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	e.Stall = string(why)
	return e, err
}

// screen shows output once, and lets a watch read it.
type screen struct {
	to          io.Writer
	stall       *stall.Watch
	found       context.CancelFunc
	shown, skip int64
}

func (s *screen) Write(p []byte) (int, error) {
	n := len(p)
	if s.stall != nil {
		_, _ = s.stall.Write(p)
		if s.stall.Found() != nil {
			s.found()
		}
	}
	if s.skip > 0 { // it starts again from the beginning
		k := min(s.skip, int64(len(p)))
		s.skip -= k
		p = p[k:]
	} else {
		s.shown += int64(len(p))
	}
	if s.to != nil && len(p) > 0 {
		if _, err := s.to.Write(p); err != nil {
			s.to = nil // nobody looks any more; the watch goes on
		}
	}
	return n, nil
}
