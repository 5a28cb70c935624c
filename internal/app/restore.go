package app

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/session"
)

// Restore restores a snapshot in this working tree. CodeBusy while a task runs in it.
func (s *Service) Restore(ctx context.Context, id belay.SnapshotID, o restore.Options) (restore.Restored, error) {
	return s.withoutRun(ctx, o.DryRun, "belay snapshot restore", func() (restore.Restored, error) {
		return s.Session.Restores.Restore(ctx, id, o)
	})
}

// Undo reverts the last restore. CodeBusy while a task runs in this working tree.
func (s *Service) Undo(ctx context.Context, o restore.Options) (restore.Restored, error) {
	return s.withoutRun(ctx, o.DryRun, "belay undo", func() (restore.Restored, error) { return s.Session.Restores.Undo(ctx, o) })
}

// Redo repeats the restore that was undone last. CodeBusy while a task runs in this working tree.
func (s *Service) Redo(ctx context.Context, o restore.Options) (restore.Restored, error) {
	return s.withoutRun(ctx, o.DryRun, "belay redo", func() (restore.Restored, error) {
		if last, ok := s.Session.Restores.LastRestore(); ok && s.isRescueOfTurn(last.Rescue) {
			return s.Session.Restores.Undo(ctx, o) // reverses belay undo --turn, which itself was a restore
		}
		return s.Session.Restores.Redo(ctx, o)
	})
}

// isRescueOfTurn reports whether a rescue snapshot was taken by belay undo --turn or --tool.
func (s *Service) isRescueOfTurn(rescue belay.SnapshotID) bool {
	all, err := s.Session.Sessions()
	if err != nil {
		return false
	}
	for _, r := range all {
		for _, m := range r.Marks {
			if m.Kind == session.MarkUndo && m.Rescue == rescue {
				return true
			}
		}
	}
	return false
}

// withoutRun locks the working tree and calls do. While a task runs, its files must not change, and
// its attempt must not be checked on a state that someone else restored. A dry run needs no lock.
func (s *Service) withoutRun(ctx context.Context, dry bool, doing string, do func() (restore.Restored, error)) (restore.Restored, error) {
	if dry {
		return do()
	}
	unlock, err := s.Session.LockTree(ctx, "", doing)
	if err != nil {
		return restore.Restored{}, err
	}
	defer unlock()
	return do()
}
