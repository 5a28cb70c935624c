package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Run is a run to wait for.
type Run struct {
	Agent  *agent.Run
	Dir    string                 // the run's folder
	Soft   context.Context        // ends when a person stops the run
	Live   io.Writer              // where its output goes as it comes; nil for nowhere
	Stall  *agent.StallWatch      // nil watches for no stall
	Prices []belay.Price          // of what it uses
	Limit  func(belay.Use) string // names the limit that is reached, "" for none; nil for no limits
	Used   func(belay.Use)        // what it has used so far, when that changes; may be nil
	Note   func(string)           // something a person should know

	Session string    // the id of the session that is continued; "" for a new one
	Before  belay.Use // what it had used before
}

// End is how a run ended.
type End struct {
	Result  agent.Result
	Use     belay.Use // what it used
	Session string    // the id of the agent's session, "" when it names none
	Stopped bool      // a person stopped it, from here
	Stall   string    // the stall that belay ended it for; "" when it did not
	Limit   string    // the limit that belay ended it at; "" when it did not
	Blocked string    // why it could not work, when belay ended it for that
}

// Files in a run's folder. The marks say why belay ended it: whoever takes up the run after a
// crash must not take it for a person's doing.
const (
	stallMark = "stalled"
	limitMark = "limited"
	blockMark = "blocked"
	meterFile = "meter.json"
)

// turnEndTimeout is how long an agent may take to exit after it has reported the end of its
// turn.
const turnEndTimeout = 3 * time.Second

// Await waits until all processes of the run have ended. When ctx ends, only the waiting ends.
func (r Run) Await(ctx context.Context) (End, error) {
	soft, cancel := context.WithCancel(r.Soft)
	defer cancel()
	live := &outputMonitor{stall: r.Stall, meter: agent.NewMeter(r.Prices), limit: r.Limit, onUse: r.Used, stop: cancel,
		meterPath: r.path(meterFile), turnEndsWait: turnEndTimeout}
	live.loadMeter(agent.NewMeter(r.Prices))
	live.meter.ContinueSession(r.Session, r.Before)
	if r.Live != nil {
		live.renderer = r.Agent.Render(r.Live)
		defer live.renderer.Close()
	}
	res, err := r.Agent.Wait(soft, live)
	if live.turnTimer != nil {
		live.turnTimer.Stop()
	}
	if err == nil {
		return r.newEnd(res, live, false)
	}
	if ctx.Err() != nil {
		return End{Result: res}, err
	}
	stopped := r.Soft.Err() != nil
	mark, why := "", ""
	switch {
	case stopped:
		r.Note("stopping the agent")
	case r.Stall != nil && r.Stall.Found() != nil:
		mark, why = stallMark, r.Stall.Found().String()
	case live.blocked != "":
		mark, why = blockMark, live.blocked
	case live.reachedLimit != "":
		mark, why = limitMark, live.reachedLimit
	default:
		return End{Result: res}, err
	}
	if mark != "" {
		r.Note("ending the agent: " + why)
		if err := fsroot.WriteFile(r.path(mark), []byte(why), 0o600); err != nil {
			return End{Result: res}, err
		}
	}
	if err := r.Agent.Stop(ctx); err != nil {
		return End{Result: res}, err
	}
	live.stall, live.limit, live.offset = nil, nil, 0
	if res, err = r.Agent.Wait(ctx, live); err != nil {
		return End{Result: res}, err
	}
	return r.newEnd(res, live, stopped)
}

// RunOnce runs a command that is not an agent, once for its folder, even if belay is killed
// meanwhile. Its failures are noted; only being stopped, and the end of ctx, are returned.
func RunOnce(ctx context.Context, r Run, self []string, s agent.Spec) (stopped bool, err error) {
	r.Agent, err = agent.Attach(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		r.Agent, err = agent.Start(ctx, r.Dir, self, s)
	}
	if err != nil {
		r.Note(s.Label + " could not be run: " + err.Error())
		return false, nil
	}
	end, err := r.Await(ctx)
	if err == nil && !end.Stopped && (end.Result.Exit != 0 || end.Result.Ended != agent.EndedExit) {
		r.Note(fmt.Sprintf("%s ended with exit %d (%s)", s.Label, end.Result.Exit, end.Result.Ended))
	}
	return end.Stopped, err
}

func (r Run) newEnd(res agent.Result, live *outputMonitor, stopped bool) (End, error) {
	live.meter.Close()
	live.limit = nil
	live.checkLimit()
	e := End{Result: res, Use: live.use, Session: live.meter.Session(), Stopped: stopped}
	if res.Ended != agent.EndedStopped || stopped {
		return e, nil // it ended by itself before it could be ended
	}
	var err error
	if e.Stall, err = r.readMark(stallMark); err != nil || e.Stall != "" {
		return e, err
	}
	if e.Limit, err = r.readMark(limitMark); err != nil || e.Limit != "" {
		return e, err
	}
	e.Blocked, err = r.readMark(blockMark)
	return e, err
}

// readMark reads a mark, "" when there is none.
func (r Run) readMark(name string) (string, error) {
	why, err := fsroot.ReadFile(r.path(name), fsroot.MaxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(why), err
}
