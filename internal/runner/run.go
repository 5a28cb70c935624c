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

// Run is a run to wait for, with how to watch it.
type Run struct {
	Agent  *agent.Run
	Dir    string                 // the run's folder
	Soft   context.Context        // ends when a person stops the run
	Live   io.Writer              // where its output is shown; nil for nowhere
	Stall  *agent.StallWatch      // nil: stalls are not looked for
	Prices []belay.Price          // to compute the cost
	Limit  func(belay.Use) string // returns the limit that is reached, "" for none; nil for no limits
	Used   func(belay.Use)        // called when its use changes; may be nil
	Note   func(string)           // called with one line for the person

	Session string    // the ID of the continued session; "" for a new one
	Before  belay.Use // what the session had used before
}

// End describes how a run ended.
type End struct {
	Result  agent.Result
	Use     belay.Use // what it used
	Session string    // the ID of the agent's session, "" if it names none
	Stopped bool      // a person stopped it, through this process
	Stall   string    // the stall for which belay ended it; "" for none
	Limit   string    // the limit at which belay ended it; "" for none
	Blocked string    // why it could not work, if belay ended it for that
}

// Files in a run's folder. A mark contains the reason for which belay ended the run, so that a
// process that takes over after a crash does not attribute it to a person.
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
// meanwhile. Failures are only noted; the errors are a stop and the end of ctx.
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
		return e, nil // it ended before it was stopped
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

// readMark returns the content of a mark, "" if there is none.
func (r Run) readMark(name string) (string, error) {
	why, err := fsroot.ReadFile(r.path(name), fsroot.MaxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(why), err
}
