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
	// Output returns the writer for an agent's live output, unescaped; nil for none.
	Output() io.Writer
	// Used is called when the use of the running attempt changes.
	Used(task belay.TaskID, used belay.Use)
	// Note is called with one line for the person.
	Note(text string)
	// Ask asks the open gate's question and waits for the answer. ok is false without a person to
	// answer: the run then pauses. When ctx ends, it returns early with ok false and a nil error.
	Ask(ctx context.Context, r *session.Record) (decision loop.Decision, words string, ok bool, err error)
}

// ErrParked ends Drive with the pending command left for the next resume.
var ErrParked = errors.New("parked")

// Driver runs one task's loop on this machine. Soft ends at the first Ctrl-C: the agent is then
// stopped, its work captured, and the run pauses. The context of a call ends when it must return at
// once.
type Driver struct {
	Session  *session.Session
	Record   *session.Record
	Observer Observer
	Soft     context.Context
	// Stop, if set, makes Drive return before a command for which it returns true: the caller runs
	// that command, or decides when, and sends notifications of gates.
	Stop func(loop.Command) bool

	notifier  *Notifier      // nil before the first gate
	notifying sync.WaitGroup // notifications of the open gate

	freshCommand string         // the ID of a command that this driver's own events led to
	repeats      map[string]int // how often a command was repeated because another process changed belay's data

	cachedDiff struct { // the last diff, and its snapshot
		of   belay.SnapshotID
		text string
	}
}

// Drive runs commands and asks at gates until the task is closed or paused, a gate is not answered,
// or Stop returns true for the next command. The record then shows which.
//
// After each command it compares belay's data about the task with what this process knows, and
// repairs what others changed (session.Session.Guard).
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
			return nil // an ambiguity was answered: the caller starts the task
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

// runCommand runs one command and records its result. A command that fails becomes a broken event,
// which leads to a gate, so an error is never only printed.
func (d *Driver) runCommand(ctx context.Context, c loop.Command) error {
	d.Observer.Begins(d.Record, c)
	ev, err := d.Do(ctx, c)
	if ctx.Err() != nil || errors.Is(err, ErrParked) && !loop.CanStop(c.Kind) {
		return ErrParked
	}
	if errors.Is(err, ErrParked) {
		ev, err = loop.Event{Kind: loop.EvCancelled, Ended: loop.EndedStopped, By: "terminal"}, nil
	}
	bad, gerr := d.Session.Guard(ctx, d.Record)
	switch {
	case gerr != nil && err == nil && c.Kind != loop.CmdAttempt:
		// The attempt has ended and must be recorded, or its work would count as a person's. The
		// capture that follows checks again.
		err = gerr
	case bad:
		d.Observer.Note("the task's record was changed: " + d.Record.Notes[len(d.Record.Notes)-1].Text)
		if err != nil && d.shouldRepeat(c) {
			return nil // repaired: run the command again
		}
	}
	if c.Kind == loop.CmdReview && belay.CodeOf(err) == belay.CodeBusy {
		return err // another process reviews in this tree: the review stays pending
	}
	if stuck := (*CannotTest)(nil); errors.As(err, &stuck) {
		return err // the baseline stays pending until the command can run
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
			return nil // another process recorded an event: read the state again
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
		// The record contains the output, without its secrets; this copy is not read again.
		_ = fsroot.RemoveAll(filepath.Join(d.Session.RunDir(d.Record.Task.ID, ev.Command), "out"))
	}
	return nil
}

// shouldRepeat reports whether to repeat a failed command because another process changed belay's
// data meanwhile.
func (d *Driver) shouldRepeat(c loop.Command) bool {
	if d.repeats == nil {
		d.repeats = map[string]int{}
	}
	d.repeats[c.ID]++
	return d.repeats[c.ID] <= 2
}

// Do runs one command and returns the event that it leads to.
func (d *Driver) Do(ctx context.Context, c loop.Command) (loop.Event, error) {
	if c.Kind != loop.CmdAttempt { // an agent may change what a shared reader has cached
		defer d.Session.Repo.ShareReader()()
	}
	switch c.Kind { // these run other programs
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
	changed := wait.Err() != nil && d.Soft.Err() == nil
	stop()
	<-elsewhere
	if err != nil {
		return false, err
	}
	if !ok {
		answered, err := d.rereadRecord(ctx, asked.Number)
		return answered || changed, err // ask again if the record has something else
	}
	ev := loop.Event{Kind: loop.EvDecided, Gate: asked.Number, Decision: decision, Note: words, By: "terminal",
		Rules: loop.DecisionRules}
	if err := d.Session.Apply(ctx, d.Record, ev); err != nil {
		d.Observer.Note(session.ErrorLine(err))
		return true, nil // an invalid decision: ask again
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
