package app

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// RollbackRequest asks to restore the state before a task.
type RollbackRequest struct {
	Task     belay.TaskID
	Paths    []string // relative to the root: restore only the files at and below these
	Preserve []string // globs to leave alone, in addition to the policy's
	Hard     bool     // preserve nothing, and also revert changes of others
	DryRun   bool
	Files    bool // leave index, HEAD and refs unchanged
	Reason   string

	SkipBroken bool // skip and list what cannot be restored
	Watch      runner.Observer
}

// Rollback restores the state before a task. It reverts the paths that the task's attempts touched;
// later changes by others stay and are listed. The task's record has the rollback. If the loop
// waits for this restore, it continues. With Paths only those are restored; a path that is in no
// state is an error (CodeCannot).
func (s *Service) Rollback(ctx context.Context, q RollbackRequest) (restore.Restored, error) {
	if err := CheckGlobs(q.Preserve); err != nil {
		return restore.Restored{}, err
	}
	r, err := s.Session.Load(q.Task)
	if err != nil {
		return restore.Restored{}, err
	}
	if r.State.Before == "" {
		return restore.Restored{}, belay.Refuse(belay.CodeCannot, fmt.Sprintf("belay task start %s", q.Task),
			"%s has no before snapshot: it has not started", q.Task)
	}
	s, err = s.forTask(ctx, r)
	if belay.CodeOf(err) == belay.CodeNotFound && r.State.Outcome == loop.OutcomePassed && !runner.IsUnmerged(r) {
		err = belay.Refuse(belay.CodeCannot, "belay undo, if nothing was restored since; or belay snapshot list",
			"%s was merged and its worktree removed: a rollback cannot revert the merge", q.Task)
	}
	if err != nil {
		return restore.Restored{}, err
	}
	if _, err := s.Session.Snaps.LookUp(ctx, r.State.Before); err != nil { // check it before a snapshot is taken
		return restore.Restored{}, err
	}
	opts, err := s.Session.RollbackOptions(ctx, r, q.Hard, q.Preserve)
	if err != nil {
		return restore.Restored{}, err
	}
	if opts.Paths = q.Paths; len(q.Paths) > 0 {
		opts.CommandText = "the same command with"
	}
	opts.DryRun, opts.FilesOnly, opts.Reason, opts.SkipBroken = q.DryRun, q.Files, q.Reason, q.SkipBroken
	if q.DryRun {
		return s.Session.Restores.Restore(ctx, r.State.Before, opts)
	}
	unlock, err := s.Session.LockTree(ctx, q.Task, "belay rollback")
	if err != nil {
		return restore.Restored{}, err
	}
	defer unlock()
	if q.isAwaited(r) {
		opts.Command = r.State.Pending.ID
	}
	out, err := s.Session.Restores.Restore(ctx, r.State.Before, opts)
	if err != nil {
		return out, err
	}
	taken, err := s.Session.TaskSnapshots(ctx, r)
	if err != nil {
		return out, err
	}
	if out.Overruled, err = s.Session.OverwrittenPaths(ctx, r, taken, out); err != nil {
		return out, err
	}
	if len(q.Paths) == 0 {
		if err := s.Session.AddNotRestored(ctx, taken, &out); err != nil {
			return out, err
		}
	}
	return out, s.recordRollback(ctx, r, q, out)
}

// FinishTaskRestore is FinishRestore for the tree that a task works in, if it has one: Rollback says
// why it has none.
func (s *Service) FinishTaskRestore(ctx context.Context, task belay.TaskID, w runner.Observer) error {
	r, err := s.Session.Load(task)
	if err == nil {
		s, err = s.forTask(ctx, r)
	}
	if err != nil {
		return nil
	}
	return s.FinishRestore(ctx, w)
}

// recordRollback records a rollback by hand: as the result that the loop waits for, or as a note.
func (s *Service) recordRollback(ctx context.Context, r *session.Record, q RollbackRequest, out restore.Restored) error {
	if err := s.Session.AddTakenByID(ctx, r, out.Rescue); err != nil {
		return err
	}
	if q.isAwaited(r) {
		return s.Session.Apply(ctx, r, loop.Event{Kind: loop.EvRestored, Command: r.State.Pending.ID, Snapshot: out.Rescue,
			Kept: session.KeptLines(out), Note: q.Reason})
	}
	if err := s.Session.AddNote(ctx, r, session.Note{Kind: session.RollbackNote, Text: q.Reason, Target: out.Target,
		Rescue: out.Rescue, Paths: q.Paths, Kept: session.KeptLines(out)}); err != nil {
		return err
	}
	if !r.Open() { // the before snapshot has the task's markers in its plan, but the task has ended
		s.Session.ClearPlan(ctx, r, q.Watch.Note)
	}
	return nil
}

// isAwaited reports whether the task's loop waits for this restore. It never waits for a restore of
// some paths.
func (q RollbackRequest) isAwaited(r *session.Record) bool {
	c := r.State.Pending
	return c != nil && c.Kind == loop.CmdRestore && len(q.Paths) == 0
}
