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

// meta fills in what every snapshot of a task says about itself.
func (d *Driver) meta(kind belay.Kind, attempt int, command, message string) snapshot.Meta {
	t := d.Rec.Task
	return snapshot.Meta{
		Kind: kind, Task: t.ID, Attempt: attempt, Command: command, Message: message,
		Feature: t.Feature, Agent: t.Role, Expected: t.Scope.Expect, Journal: d.Rec.Log.Head.Hash,
	}
}

// leastTake is what a snapshot may take at least, however short an attempt is to be.
const leastTake = time.Minute

// once takes a snapshot for a command, or gives the one that was taken for it
// before belay was killed. A state before must never be taken a second time: by
// then the agent has worked in the tree.
func (d *Driver) once(ctx context.Context, m snapshot.Meta) (snapshot.Info, error) {
	info, found, err := d.taken(ctx, m.Command)
	if err != nil {
		return info, err
	}
	if !found {
		limit := max(d.Rec.Task.Timeout, leastTake)
		taking, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		info, err = d.Session.Snaps.TakeWith(taking, m, d.Session.Extent(d.Rec))
		if err != nil && taking.Err() != nil && ctx.Err() == nil {
			return info, &belay.Error{Code: belay.CodeCannot, What: fmt.Sprintf("taking a snapshot took longer than %s", limit), Err: err,
				Try: fmt.Sprintf("find out what is slow: belay snapshot take; then belay run --resume %s", d.Rec.Task.ID)}
		}
		if err != nil {
			return info, err
		}
	}
	d.Rec.Took(info)
	if !found && info.UncapturedSummary() != "" {
		d.Watch.Note(fmt.Sprintf("not captured in snapshot %s, so a rollback leaves it alone: %s", info.ID.Short(),
			info.UncapturedSummary()))
	}
	if err := d.Session.Secure(ctx, d.Rec); err != nil {
		d.Watch.Note("snapshots have no backup ref: " + session.Sentence(err)) // they have the first
	}
	return info, nil
}

// taken looks for the snapshot that an earlier belay took for a command before it was
// killed. For a command that this one decided on there is none: whoever made one that says
// so was not belay.
func (d *Driver) taken(ctx context.Context, command string) (snapshot.Info, bool, error) {
	if id, _, _ := strings.Cut(command, ":"); id == d.fresh {
		return snapshot.Info{}, false, nil
	}
	return d.Session.Snaps.Find(ctx, d.Rec.Task.ID, command, d.Rec.Genuine)
}

func (d *Driver) before(ctx context.Context, c loop.Command) (loop.Event, error) {
	if _, held, err := d.taken(ctx, c.ID); err != nil {
		return loop.Event{}, err
	} else if !held {
		if err := d.Session.MarkPlan(ctx, d.Rec, d.Watch.Note); err != nil {
			return loop.Event{}, err
		}
	}
	info, err := d.once(ctx, d.meta(belay.KindBefore, 0, c.ID, d.Rec.Task.Title))
	if err != nil {
		return loop.Event{}, err
	}
	d.freshFiles()
	return loop.Event{Kind: loop.EvSnapshot, Snapshot: info.ID}, nil
}

func (d *Driver) capture(ctx context.Context, c loop.Command) (loop.Event, error) {
	info, err := d.once(ctx, d.meta(c.Capture, c.Attempt, c.ID, c.Why))
	if err != nil {
		return loop.Event{}, err
	}
	same, err := d.repeated(ctx, info)
	if err != nil {
		return loop.Event{}, err
	}
	if err := d.said(ctx, c.Attempt); err != nil {
		return loop.Event{}, err
	}
	return loop.Event{Kind: loop.EvCaptured, Snapshot: info.ID, Same: same}, nil
}

// repeated reports whether an attempt left the same files as the one before, and notes it where its output is the same
// as well: an agent without an event stream shows nothing else of what it does.
func (d *Driver) repeated(ctx context.Context, info snapshot.Info) (same bool, err error) {
	was, is := before(d.Rec.State), d.Rec.State.Current()
	if was == nil || was.Snapshot == "" {
		return false, nil
	}
	if old, err := d.Session.Snaps.Get(ctx, was.Snapshot); err != nil || old.Tree != info.Tree {
		return false, nil // it may be pruned: then there is nothing to compare with
	}
	if was.Log == "" || was.Log != is.Log {
		return true, nil
	}
	text := fmt.Sprintf("attempt %d produced the same files and the same output as attempt %d", is.N, was.N)
	if n := len(d.Rec.Notes); n > 0 && d.Rec.Notes[n-1].Text == text {
		return true, nil // killed after it was noted
	}
	return true, d.Session.AddNote(ctx, d.Rec, session.Note{Kind: "repeat", Text: text})
}

// restore puts the state before back. What a person changed while no attempt was
// under way, in a path no attempt touched, stays and is named.
//
// Killed before its intent was written, or after all was done, it is simply done: where
// nothing differs any more it changes nothing, and only says what stays.
func (d *Driver) restore(ctx context.Context, c loop.Command) (loop.Event, error) {
	begun, found, err := d.taken(ctx, c.ID)
	if err != nil {
		return loop.Event{}, err
	}
	if found {
		again, err := d.Session.Restores.Recover(ctx)
		if err != nil {
			return loop.Event{}, err
		}
		if again != nil {
			d.Rec.Took(begun)
			return loop.Event{Kind: loop.EvRestored, Snapshot: begun.ID, Kept: session.KeptLines(*again)}, nil
		}
	}
	opts, err := d.Session.RollbackOptions(ctx, d.Rec, false, nil)
	if err != nil {
		return loop.Event{}, err
	}
	opts.Command, opts.Reason = c.ID, c.Why
	out, err := d.Session.Restores.Restore(ctx, c.Target, opts)
	if err != nil {
		return loop.Event{}, err
	}
	if out.Rescue == "" && found {
		out.Rescue = begun.ID // what was there before the first go
	}
	taken, err := d.Session.Taken(ctx, d.Rec)
	if err != nil {
		return loop.Event{}, err
	}
	if err := d.Session.NotRestored(ctx, taken, &out); err != nil {
		return loop.Event{}, err
	}
	if err := d.Session.Claim(ctx, d.Rec, out.Rescue); err != nil {
		return loop.Event{}, err
	}
	return loop.Event{Kind: loop.EvRestored, Snapshot: out.Rescue, Kept: session.KeptLines(out)}, nil
}

// close ends the record: the history line, the files for people, and the folders of
// runs, whose output is kept as attachments by now. Snapshots stay until pruned.
func (d *Driver) close(ctx context.Context, c loop.Command) (loop.Event, error) {
	if err := d.onFailure(ctx, c); err != nil {
		return loop.Event{}, err
	}
	if d.Rec.State.Ending == loop.OutcomePassed && d.Rec.Task.Worktree == "" { // in a tree of its own, the merge does
		if err := d.Session.TickOff(ctx, d.Rec, d.Watch.Note); err != nil {
			return loop.Event{}, err
		}
	}
	d.Session.ClearPlan(ctx, d.Rec, d.Watch.Note)
	if err := fsroot.RemoveAll(d.Session.Scratch("run", d.Rec.Task.ID.Key())); err != nil {
		return loop.Event{}, fmt.Errorf("clean up after %s: %w", d.Rec.Task.ID, err)
	}
	d.lastFiles()
	if err := d.Session.PurgeContext(ctx, d.Rec, "belay"); err != nil {
		d.Watch.Note(session.Sentence(err)) // it costs a few files
	}
	if err := d.Session.Release(ctx, d.Rec); err != nil {
		d.Watch.Note(session.Sentence(err)) // doctor and prune do it later
	}
	return loop.Event{Kind: loop.EvClosed}, nil
}
