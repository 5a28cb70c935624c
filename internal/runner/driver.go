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

// Watcher is told what goes on and asked what only a person knows.
type Watcher interface {
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

// ErrParked ends a drive with the pending command left for the next resume.
var ErrParked = errors.New("parked")

// Driver runs one task's loop on this machine. soft ends at the first Ctrl-C: the
// agent is stopped, its work captured, and the run parks; the context of the call
// ends only when nothing may be waited for any more.
type Driver struct {
	Session *session.Session
	Rec     *session.Record
	Watch   Watcher
	Soft    context.Context
	// Stop, when set, makes Drive return before a command for which it is true: somebody else
	// does that one, or decides when it is done, and tells people of gates.
	Stop func(loop.Command) bool

	teller  *Teller        // nil before the first gate
	telling sync.WaitGroup // what tells somebody that the task waits

	fresh string         // the id of a command that this driver's own events led to
	again map[string]int // how often a command was done again because somebody meddled

	diffed struct { // the last diff that was asked for, and of which snapshot
		of   belay.SnapshotID
		text string
	}
}

// Drive does commands and asks at gates until the task is closed, parked, or a
// person is needed and not there, or stands before a command that Stop is true for.
// The record then says which.
//
// While it drives, what belay keeps of the task is compared with what this process knows
// of it after each command, and what others changed is made good (session.Session).
func (d *Driver) Drive(ctx context.Context) error {
	defer d.Session.Driving(d.Rec.Task.ID)()
	defer d.telling.Wait()
	if _, err := d.Session.Guard(ctx, d.Rec); err != nil {
		return err
	}
	if err := d.retest(ctx); err != nil {
		return err
	}
	for d.Rec.Open() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.Rec.State.Phase == "" {
			return nil // asked what its words mean, and answered: whoever drives begins it
		}
		if d.Rec.State.Pending == nil {
			again, err := d.gate(ctx)
			if err != nil || !again {
				return err
			}
			continue
		}
		c := *d.Rec.State.Pending
		if d.Stop != nil && d.Stop(c) {
			return nil
		}
		if err := d.command(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// command does one command and records its result. A command that cannot be done
// becomes a broken event, which leads to a gate: the loop never ends in an error
// that only a log would know.
func (d *Driver) command(ctx context.Context, c loop.Command) error {
	d.Watch.Begins(d.Rec, c)
	ev, err := d.Do(ctx, c)
	if errors.Is(err, ErrParked) || ctx.Err() != nil {
		return ErrParked
	}
	bad, gerr := d.Session.Guard(ctx, d.Rec)
	switch {
	case gerr != nil && err == nil && c.Kind != loop.CmdAttempt:
		// An attempt has ended all the same, and must not pass for one that was never made:
		// its work would count as a person's. The capture, which comes next, looks again.
		err = gerr
	case bad:
		d.Watch.Note("the task's record was changed: " + d.Rec.Notes[len(d.Rec.Notes)-1].Text)
		if err != nil && d.meddled(c) {
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
		ev = loop.Event{Kind: loop.EvBroken, Command: c.ID, Note: session.Sentence(err)}
	}
	if ev.Command == "" {
		ev.Command = c.ID
	}
	notes := len(d.Rec.Notes)
	if err := d.Session.Apply(ctx, d.Rec, ev); err != nil {
		if stale := belay.CodeOf(err); stale == belay.CodeUsage || stale == belay.CodeRefused {
			return nil // somebody else moved the task on; look again
		}
		return err
	}
	if p := d.Rec.State.Pending; p != nil {
		d.fresh = p.ID
	}
	for _, n := range d.Rec.Notes[min(notes, len(d.Rec.Notes)):] {
		d.Watch.Note(n.Text)
	}
	d.Watch.Happened(d.Rec, ev)
	d.cycles(ctx, ev)
	if ev.Log != "" {
		// The record has what was printed, without its secrets; nobody reads this again.
		_ = fsroot.RemoveAll(filepath.Join(d.Session.RunDir(d.Rec.Task.ID, ev.Command), "out"))
	}
	return nil
}

// meddled reports whether a command that failed is to be done once more.
func (d *Driver) meddled(c loop.Command) bool {
	if d.again == nil {
		d.again = map[string]int{}
	}
	d.again[c.ID]++
	return d.again[c.ID] <= 2
}

// Do does one command and gives the event that it leads to.
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
		return d.before(ctx, c)
	case loop.CmdBaseline:
		return d.baseline(ctx, c)
	case loop.CmdAttempt:
		return d.attempt(ctx, c)
	case loop.CmdCapture:
		return d.capture(ctx, c)
	case loop.CmdCheck:
		return d.Check(ctx, c)
	case loop.CmdReview:
		return d.review(ctx, c)
	case loop.CmdRestore:
		return d.restore(ctx, c)
	case loop.CmdDebug:
		return d.debug(ctx, c)
	case loop.CmdClose:
		return d.close(ctx, c)
	}
	return loop.Event{}, belay.Refuse(belay.CodeCannot, "leave "+string(c.Kind)+" out of the task's policy",
		"this driver does no %s", c.Kind)
}

// gate asks the person at the terminal and, at the same time, watches for a
// decision recorded from elsewhere. It reports whether to go on.
func (d *Driver) gate(ctx context.Context) (bool, error) {
	asked := d.Rec.State.Gate
	if asked == nil {
		return false, belay.Refuse(belay.CodeCannot, "belay log --verify "+string(d.Rec.Task.ID),
			"%s is in phase %s with nothing to do", d.Rec.Task.ID, d.Rec.State.Phase)
	}
	wait, stop := context.WithCancel(d.Soft)
	defer stop()
	d.tell(ctx, wait)
	elsewhere := make(chan struct{})
	go func() {
		defer close(elsewhere)
		for _, err := range d.Session.Journal.Follow(wait, d.Rec.Task.ID, d.Rec.Log.Head.Seq) {
			if err == nil {
				stop()
			}
			return
		}
	}()
	decision, words, ok, err := d.Watch.Ask(wait, d.Rec)
	stop()
	<-elsewhere
	if err != nil {
		return false, err
	}
	if !ok {
		return d.reread(ctx, asked.Number)
	}
	ev := loop.Event{Kind: loop.EvDecided, Gate: asked.Number, Decision: decision, Note: words, By: "terminal"}
	if err := d.Session.Apply(ctx, d.Rec, ev); err != nil {
		d.Watch.Note(session.Sentence(err))
		return true, nil // not a decision that can be taken: ask again
	}
	d.Watch.Happened(d.Rec, ev)
	return true, nil
}

// reread takes in what others recorded and reports whether the gate was answered.
func (d *Driver) reread(ctx context.Context, gate int) (bool, error) {
	if _, err := d.Session.Guard(ctx, d.Rec); err != nil {
		return false, err
	}
	fresh, err := d.Session.Load(d.Rec.Task.ID)
	if err != nil {
		return false, err
	}
	*d.Rec = *fresh
	g := d.Rec.State.Gate
	return g == nil || g.Number != gate, nil
}
