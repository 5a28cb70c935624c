package restore

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Drop forgets snapshots, as snapshot.Store.Drop does. A restore that was cut short is
// finished first: it may need the very snapshot that goes.
func (s *Store) Drop(ctx context.Context, ids ...belay.SnapshotID) error {
	if _, err := s.Recover(ctx); err != nil {
		return err
	}
	return s.Store.Drop(ctx, ids...)
}

// Prune forgets old snapshots, as snapshot.Store.Prune does, after the same care.
func (s *Store) Prune(ctx context.Context, o snapshot.PruneOptions) (snapshot.Pruned, error) {
	if !o.DryRun {
		if _, err := s.Recover(ctx); err != nil {
			return snapshot.Pruned{}, err
		}
	}
	return s.Store.Prune(ctx, o)
}

// abandon ends a restore that cannot be finished, because its snapshot was forgotten
// elsewhere: in another working tree, or with git. It counts as done, so that no later
// command is held up by it, and so that what it replaced can be had back.
func (s *Store) abandon(j *intent) error {
	if err := s.done(j); err != nil {
		return err
	}
	try := "belay undo brings back the state before it"
	if j.Step == "undo" {
		try = "belay redo brings back the state before it"
	}
	return belay.Refuse(belay.CodeCannot, try,
		"a restore of %s was cut short and cannot be finished, for that snapshot is gone; what it had not put back is as it was", j.Target.Short())
}
