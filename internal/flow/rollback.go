package flow

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/desk"
	"github.com/belay-dev/belay/internal/drive"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
)

// RollbackRequest asks for a task's state before.
type RollbackRequest struct {
	Task     belay.TaskID
	Preserve []string // globs left alone, besides the policy's
	Hard     bool     // preserve nothing, and take back what others changed as well
	DryRun   bool
	Files    bool // files only: index, HEAD and refs stay
	Reason   string

	SkipBroken bool // leave out, by name, what cannot be restored
	Watch      drive.Watcher
}

// Rollback puts a task's state before back. What the task's attempts touched goes
// back; what somebody else changed since stays and is named. It is recorded in the
// task's history. When the loop waits for exactly this restore, the loop goes on.
func (d *Desk) Rollback(ctx context.Context, q RollbackRequest) (restore.Restored, error) {
	if err := Globs(q.Preserve); err != nil {
		return restore.Restored{}, err
	}
	r, err := d.Load(q.Task)
	if err != nil {
		return restore.Restored{}, err
	}
	if r.State.Before == "" {
		return restore.Restored{}, belay.Refuse(belay.CodeCannot, fmt.Sprintf("belay task start %s", q.Task), "%s has no state before: it has not started", q.Task)
	}
	if d, err = d.at(ctx, r); err != nil {
		return restore.Restored{}, err
	}
	if _, err := d.Snaps.LookUp(ctx, r.State.Before); err != nil { // before anything is taken
		return restore.Restored{}, err
	}
	opts, err := d.RollbackOptions(ctx, r, q.Hard, q.Preserve)
	if err != nil {
		return restore.Restored{}, err
	}
	opts.DryRun, opts.FilesOnly, opts.Reason, opts.SkipBroken = q.DryRun, q.Files, q.Reason, q.SkipBroken
	if q.DryRun {
		return d.Snaps.Restore(ctx, r.State.Before, opts)
	}
	unlock, err := d.Hold(ctx, q.Task, "belay rollback")
	if err != nil {
		return restore.Restored{}, err
	}
	defer unlock()
	if c := r.State.Pending; c != nil && c.Kind == loop.CmdRestore {
		opts.Command = c.ID
	}
	out, err := d.Snaps.Restore(ctx, r.State.Before, opts)
	if err != nil {
		return out, err
	}
	if out.Overruled, err = d.Overruled(ctx, r, out); err != nil {
		return out, err
	}
	return out, d.rolledBack(ctx, r, q, out)
}

// rolledBack records a rollback by hand: as the result the loop waits for, or as a
// note beside it.
func (d *Desk) rolledBack(ctx context.Context, r *desk.Record, q RollbackRequest, out restore.Restored) error {
	if err := d.Claim(ctx, r, out.Rescue); err != nil {
		return err
	}
	if c := r.State.Pending; c != nil && c.Kind == loop.CmdRestore {
		return d.Apply(ctx, r, loop.Event{Kind: loop.EvRestored, Command: c.ID, Snapshot: out.Rescue, Kept: desk.KeptLines(out), Note: q.Reason})
	}
	return d.AddNote(ctx, r, desk.Note{Kind: "rollback", Text: q.Reason, Target: out.Target, Rescue: out.Rescue, Kept: desk.KeptLines(out)})
}
