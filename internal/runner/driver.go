package runner

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

// Observer receives the progress of a run and answers questions that only a person can.
type Observer interface {
	// Begins is called before a command is done.
	Begins(r *session.Record, c loop.Command)
	// Happened is called after an event was recorded.
	Happened(r *session.Record, e loop.Event)
	// Checking is called as checks start and finish.
	Checking(check.Progress)
	// Output is where an agent's output goes as it comes, raw; nil for nowhere.
	Output() io.Writer
	// Used is called when what the attempt under way has used changes.
	Used(task belay.TaskID, used belay.Use)
	// Note is something a person should know, one line.
	Note(text string)
	// Ask puts the open gate to a person and waits. ok is false when nobody is
	// there to answer: the run then parks. It returns early with ok false and a nil
	// error when ctx ends.
	Ask(ctx context.Context, r *session.Record) (decision loop.Decision, words string, ok bool, err error)
}

// ErrParked ends Drive with the pending command left for the next resume.
var ErrParked = errors.New("parked")

// Driver runs one task's loop on this machine. Soft ends at the first Ctrl-C: then the agent
// is stopped, its work captured, and the run parks. The context of a call ends only when
// nothing may be waited for any more.
type Driver struct {
	Session  *session.Session
	Record   *session.Record
	Observer Observer
	Soft     context.Context
	// Stop, when set, makes Drive return before a command for which it is true: somebody else
	// does that one, or decides when it is done, and tells people of gates.
	Stop func(loop.Command) bool

	notifier  *Notifier      // nil before the first gate
	notifying sync.WaitGroup // what tells somebody that the task waits

	freshCommand string         // the id of a command that this driver's own events led to
	repeats      map[string]int // how often a command was done again because somebody meddled

	cachedDiff struct { // the last diff that was asked for, and of which snapshot
		of   belay.SnapshotID
		text string
	}
}

// Drive runs commands and asks at gates until the task is closed or parked, a person is needed
// and nobody answers, or Stop is true for the next command. The record then says which.
//
// After each command it compares belay's data about the task with what this process knows of
// it, and repairs what others changed (session.Session.Guard).
func (d *Driver) Drive(ctx context.Context) error {
	defer d.Session.StartDriving(d.Record.Task.ID)()
	defer d.notifying.Wait()
	if _, err := d.Session.Guard(ctx, d.Record); err != nil {
		return err
	}
	if err := d.retest(ctx); err != nil {
		return err
	}
	for d.Record.Open() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.Record.State.Phase == "" {
			return nil // asked what its words mean, and answered: whoever drives begins it
		}
		if d.Record.State.Pending == nil {
			again, err := d.waitAtGate(ctx)
			if err != nil || !again {
				return err
			}
			continue
		}
		c := *d.Record.State.Pending
		if d.Stop != nil && d.Stop(c) {
			return nil
		}
		if err := d.runCommand(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// runCommand runs one command and records its result. A command that fails becomes a broken
// event, which leads to a gate: the loop never ends in an error that only a log would show.
func (d *Driver) runCommand(ctx context.Context, c loop.Command) error {
	d.Observer.Begins(d.Record, c)
	ev, err := d.Do(ctx, c)
	if errors.Is(err, ErrParked) || ctx.Err() != nil {
		return ErrParked
	}
	bad, gerr := d.Session.Guard(ctx, d.Record)
	switch {
	case gerr != nil && err == nil && c.Kind != loop.CmdAttempt:
		// An attempt has ended all the same, and must not pass for one that was never made:
		// its work would count as a person's. The capture, which comes next, looks again.
		err = gerr
	case bad:
		d.Observer.Note("the task's record was changed: " + d.Record.Notes[len(d.Record.Notes)-1].Text)
		if err != nil && d.shouldRepeat(c) {
			return nil // it is as it was: look again
		}
	}
	if c.Kind == loop.CmdReview && belay.CodeOf(err) == belay.CodeBusy {
		return err // somebody else reviews in this tree: it stays to be done
	}
	if stuck := (*CannotTest)(nil); errors.As(err, &stuck) {
		return err // the baseline stays to be done, once the command can run
	}
	if err != nil {
		ev = loop.Event{Kind: loop.EvBroken, Command: c.ID, Note: session.ErrorLine(err)}
	}
	if ev.Command == "" {
		ev.Command = c.ID
	}
	notes := len(d.Record.Notes)
	if err := d.Session.Apply(ctx, d.Record, ev); err != nil {
		if stale := belay.CodeOf(err); stale == belay.CodeUsage || stale == belay.CodeRefused {
			return nil // somebody else moved the task on; look again
		}
		return err
	}
	if p := d.Record.State.Pending; p != nil {
		d.freshCommand = p.ID
	}
	for _, n := range d.Record.Notes[min(notes, len(d.Record.Notes)):] {
		d.Observer.Note(n.Text)
	}
	d.Observer.Happened(d.Record, ev)
	d.writeCycles(ctx, ev)
	if ev.Log != "" {
		// The record has what was printed, without its secrets; nobody reads this again.
		_ = fsroot.RemoveAll(filepath.Join(d.Session.RunDir(d.Record.Task.ID, ev.Command), "out"))
	}
	return nil
}

// shouldRepeat reports whether a failed command is to be run once more, because somebody
// changed belay's data meanwhile.
func (d *Driver) shouldRepeat(c loop.Command) bool {
	if d.repeats == nil {
		d.repeats = map[string]int{}
	}
	d.repeats[c.ID]++
	return d.repeats[c.ID] <= 2
}

// Do runs one command and returns the event that it leads to.
func (d *Driver) Do(ctx context.Context, c loop.Command) (loop.Event, error) {
	if c.Kind != loop.CmdAttempt { // an agent may change what a process has read
		defer d.Session.Repo.ShareReader()()
	}
	switch c.Kind { // those that run other programs
	case loop.CmdAttempt, loop.CmdBaseline, loop.CmdCheck, loop.CmdReview, loop.CmdDebug:
		defer d.Session.Snaps.DropListCache()
	}
	switch c.Kind {
	case loop.CmdSnapshot:
		return d.snapshotBefore(ctx, c)
	case loop.CmdBaseline:
		return d.runBaseline(ctx, c)
	case loop.CmdAttempt:
		return d.runAttempt(ctx, c)
	case loop.CmdCapture:
		return d.captureAttempt(ctx, c)
	case loop.CmdCheck:
		return d.Check(ctx, c)
	case loop.CmdReview:
		return d.runReview(ctx, c)
	case loop.CmdRestore:
		return d.restoreBefore(ctx, c)
	case loop.CmdDebug:
		return d.runDebugger(ctx, c)
	case loop.CmdClose:
		return d.closeRecord(ctx, c)
	}
	return loop.Event{}, belay.Refuse(belay.CodeCannot, "leave "+string(c.Kind)+" out of the task's policy",
		"this driver does no %s", c.Kind)
}

// waitAtGate asks the person at the terminal and, at the same time, watches for a decision
// recorded by another process. It reports whether to continue.
func (d *Driver) waitAtGate(ctx context.Context) (bool, error) {
	asked := d.Record.State.Gate
	if asked == nil {
		return false, belay.Refuse(belay.CodeCannot, "belay log --verify "+string(d.Record.Task.ID),
			"%s is in phase %s with nothing to do", d.Record.Task.ID, d.Record.State.Phase)
	}
	wait, stop := context.WithCancel(d.Soft)
	defer stop()
	d.notifyGate(ctx, wait)
	elsewhere := make(chan struct{})
	go func() {
		defer close(elsewhere)
		for _, err := range d.Session.Journal.Follow(wait, d.Record.Task.ID, d.Record.Log.Head.Seq) {
			if err == nil {
				stop()
			}
			return
		}
	}()
	decision, words, ok, err := d.Observer.Ask(wait, d.Record)
	stop()
	<-elsewhere
	if err != nil {
		return false, err
	}
	if !ok {
		return d.rereadRecord(ctx, asked.Number)
	}
	ev := loop.Event{Kind: loop.EvDecided, Gate: asked.Number, Decision: decision, Note: words, By: "terminal"}
	if err := d.Session.Apply(ctx, d.Record, ev); err != nil {
		d.Observer.Note(session.ErrorLine(err))
		return true, nil // not a decision that can be taken: ask again
	}
	d.Observer.Happened(d.Record, ev)
	return true, nil
}

// rereadRecord reads what others recorded and reports whether the gate was answered.
func (d *Driver) rereadRecord(ctx context.Context, gate int) (bool, error) {
	if _, err := d.Session.Guard(ctx, d.Record); err != nil {
		return false, err
	}
	fresh, err := d.Session.Load(d.Record.Task.ID)
	if err != nil {
		return false, err
	}
	*d.Record = *fresh
	g := d.Record.State.Gate
	return g == nil || g.Number != gate, nil
}
