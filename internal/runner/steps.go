package runner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
)

// snapshotMeta returns the metadata that every snapshot of a task has.
func (d *Driver) snapshotMeta(kind belay.Kind, attempt int, command, message string) snapshot.Meta {
	t := d.Record.Task
	return snapshot.Meta{
		Kind: kind, Task: t.ID, Attempt: attempt, Command: command, Message: message,
		Feature: t.Feature, Agent: t.Role, Expected: t.Scope.Expect, Journal: d.Record.Log.Head.Hash,
	}
}

// minSnapshotTime is the least time limit of a snapshot, however short an attempt's limit is.
const minSnapshotTime = time.Minute

// takeOnce takes a snapshot for a command, or returns the one taken for it before belay was killed.
// A before snapshot must never be taken a second time: the agent may have changed the tree by then.
func (d *Driver) takeOnce(ctx context.Context, m snapshot.Meta) (snapshot.Info, error) {
	info, found, err := d.findTaken(ctx, m.Command)
	if err != nil {
		return info, err
	}
	if !found {
		limit := max(d.Record.Task.Timeout, minSnapshotTime)
		taking, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		info, err = d.Session.Snaps.TakeWith(taking, m, d.Session.SnapshotExtent(d.Record))
		if err != nil && taking.Err() != nil && ctx.Err() == nil {
			return info, &belay.Error{Code: belay.CodeCannot, What: fmt.Sprintf("taking a snapshot took longer than %s", limit), Err: err,
				Try: fmt.Sprintf("find out what is slow: belay snapshot take; then belay run --resume %s", d.Record.Task.ID)}
		}
		if err != nil {
			return info, err
		}
	}
	d.Record.AddTaken(info)
	if !found && info.UncapturedSummary() != "" {
		d.Observer.Note(fmt.Sprintf("not captured in snapshot %s, so a rollback leaves it alone: %s", info.ID.Short(),
			info.UncapturedSummary()))
	}
	if err := d.Session.AddSecondRefs(ctx, d.Record); err != nil {
		d.Observer.Note("snapshots have no backup ref: " + session.ErrorLine(err)) // not fatal: they have their first ref
	}
	return info, nil
}

// findTaken looks for the snapshot that a killed process took for a command. If this process issued
// the command there is none: a snapshot that claims to be it was not made by belay.
func (d *Driver) findTaken(ctx context.Context, command string) (snapshot.Info, bool, error) {
	if id, _, _ := strings.Cut(command, ":"); id == d.freshCommand {
		return snapshot.Info{}, false, nil
	}
	return d.Session.Snaps.Find(ctx, d.Record.Task.ID, command, d.Record.IsForPending)
}

func (d *Driver) snapshotBefore(ctx context.Context, c loop.Command) (loop.Event, error) {
	if _, held, err := d.findTaken(ctx, c.ID); err != nil {
		return loop.Event{}, err
	} else if !held {
		if err := d.Session.MarkPlan(ctx, d.Record, d.Observer.Note); err != nil {
			return loop.Event{}, err
		}
	}
	info, err := d.takeOnce(ctx, d.snapshotMeta(belay.KindBefore, 0, c.ID, d.Record.Task.Title))
	if err != nil {
		return loop.Event{}, err
	}
	d.startNowFiles()
	return loop.Event{Kind: loop.EvSnapshot, Snapshot: info.ID}, nil
}

func (d *Driver) captureAttempt(ctx context.Context, c loop.Command) (loop.Event, error) {
	info, err := d.takeOnce(ctx, d.snapshotMeta(c.Capture, c.Attempt, c.ID, c.Why))
	if err != nil {
		return loop.Event{}, err
	}
	same, err := d.leftSameFiles(ctx, info)
	if err != nil {
		return loop.Event{}, err
	}
	if err := d.recordSummary(ctx, c.Attempt); err != nil {
		return loop.Event{}, err
	}
	return loop.Event{Kind: loop.EvCaptured, Snapshot: info.ID, Same: same}, nil
}

// leftSameFiles reports whether an attempt left the same files as the one before. It adds a note if
// the output is the same, too, because an agent without an event stream shows nothing else of its
// work.
func (d *Driver) leftSameFiles(ctx context.Context, info snapshot.Info) (same bool, err error) {
	was, is := previousAttempt(d.Record.State), d.Record.State.Current()
	if was == nil || was.Snapshot == "" {
		return false, nil
	}
	if old, err := d.Session.Snaps.Get(ctx, was.Snapshot); err != nil || old.Tree != info.Tree {
		return false, nil // it may be pruned: nothing to compare with
	}
	if was.Log == "" || was.Log != is.Log {
		return true, nil
	}
	text := fmt.Sprintf("attempt %d produced the same files and the same output as attempt %d", is.N, was.N)
	if n := len(d.Record.Notes); n > 0 && d.Record.Notes[n-1].Text == text {
		return true, nil // noted before belay was killed
	}
	return true, d.Session.AddNote(ctx, d.Record, session.Note{Kind: "repeat", Text: text})
}

// restoreBefore restores the before snapshot. What a person changed while no attempt was running,
// in a path that no attempt changed, stays and is reported.
//
// After a kill it is run again: if nothing differs any more it changes nothing, and only reports
// what stays.
func (d *Driver) restoreBefore(ctx context.Context, c loop.Command) (loop.Event, error) {
	begun, found, err := d.findTaken(ctx, c.ID)
	if err != nil {
		return loop.Event{}, err
	}
	if found {
		again, err := d.Session.Restores.Recover(ctx)
		if err != nil {
			return loop.Event{}, err
		}
		if again != nil {
			d.Record.AddTaken(begun)
			return loop.Event{Kind: loop.EvRestored, Snapshot: begun.ID, Kept: session.KeptLines(*again)}, nil
		}
	}
	opts, err := d.Session.RollbackOptions(ctx, d.Record, false, nil)
	if err != nil {
		return loop.Event{}, err
	}
	opts.Command, opts.Reason = c.ID, c.Why
	out, err := d.Session.Restores.Restore(ctx, c.Target, opts)
	if err != nil {
		return loop.Event{}, err
	}
	if out.Rescue == "" && found {
		out.Rescue = begun.ID // the state before the first try
	}
	taken, err := d.Session.TaskSnapshots(ctx, d.Record)
	if err != nil {
		return loop.Event{}, err
	}
	if err := d.Session.AddNotRestored(ctx, taken, &out); err != nil {
		return loop.Event{}, err
	}
	if err := d.Session.AddTakenByID(ctx, d.Record, out.Rescue); err != nil {
		return loop.Event{}, err
	}
	return loop.Event{Kind: loop.EvRestored, Snapshot: out.Rescue, Kept: session.KeptLines(out)}, nil
}

// closeRecord ends the record: it writes the history line and the files for people, and removes the
// folders of runs, because their output is in attachments. Snapshots stay until they are pruned.
func (d *Driver) closeRecord(ctx context.Context, c loop.Command) (loop.Event, error) {
	if err := d.runFailureCommand(ctx, c); err != nil {
		return loop.Event{}, err
	}
	if d.Record.State.Ending == loop.OutcomePassed && d.Record.Task.Worktree == "" { // else the merge does this
		if err := d.Session.TickOff(ctx, d.Record, d.Observer.Note); err != nil {
			return loop.Event{}, err
		}
	}
	d.Session.ClearPlan(ctx, d.Record, d.Observer.Note)
	if err := fsroot.RemoveAll(d.Session.Scratch("run", d.Record.Task.ID.Key())); err != nil {
		return loop.Event{}, fmt.Errorf("clean up after %s: %w", d.Record.Task.ID, err)
	}
	d.finishNowFiles()
	if err := d.Session.PurgeContext(ctx, d.Record, "belay"); err != nil {
		d.Observer.Note(session.ErrorLine(err)) // harmless: a few files stay
	}
	if err := d.Session.RemoveSecondRefs(ctx, d.Record); err != nil {
		d.Observer.Note(session.ErrorLine(err)) // doctor and prune remove them later
	}
	return loop.Event{Kind: loop.EvClosed}, nil
}
