package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/worktree"
)

// RemoveWorktree removes a task's own worktree. Without force it does so only if nothing is lost:
// the task has ended, accepted work is merged, and the tree equals one of its complete snapshots.
// With force it takes a snapshot of uncaptured changes first. CodeRefused, with the reason, if the
// worktree stays; CodeBusy if another process works in it.
func RemoveWorktree(ctx context.Context, s *session.Session, r *session.Record, force bool) error {
	if r.Task.Worktree == "" {
		return belay.Refuse(belay.CodeUsage, "belay status", "%s has no worktree of its own", r.Task.ID)
	}
	home, err := HomeSession(ctx, s)
	if err != nil {
		return err
	}
	at, err := TaskSession(ctx, s, r)
	if belay.CodeOf(err) == belay.CodeNotFound {
		return worktree.Remove(ctx, home.Repo, r.Task.Worktree, r.Task.ID) // removes what is left of it
	}
	if err != nil {
		return err
	}
	unlock, err := at.LockTree(ctx, r.Task.ID, "belay worktree remove")
	if err != nil {
		return err
	}
	defer unlock()
	if err := checkRemovable(ctx, at, r, force); err != nil {
		return err
	}
	return worktree.Remove(ctx, home.Repo, r.Task.Worktree, r.Task.ID)
}

// checkRemovable returns why a task's worktree must stay. With force it takes a snapshot of
// unrecorded changes instead.
func checkRemovable(ctx context.Context, sess *session.Session, r *session.Record, force bool) error {
	stays := func(try, why string) error {
		return belay.Refuse(belay.CodeRefused, try, "the worktree of %s was not removed: %s", r.Task.ID, why)
	}
	switch {
	case force:
	case r.Open():
		return stays(fmt.Sprintf("belay run --resume %s, or --force", r.Task.ID), "the task is open")
	case IsUnmerged(r):
		return stays(fmt.Sprintf("belay merge %s, or --force", r.Task.ID), "its work is not merged")
	}
	same, err := treeMatchesSnapshot(ctx, sess, r, func(s snapshot.Info) bool { return !s.Partial })
	if err != nil || same {
		return err
	}
	if !force {
		return stays(fmt.Sprintf("belay merge %s --as-is, or --force", r.Task.ID), "it has unrecorded changes")
	}
	_, err = sess.Snaps.TakeWith(ctx,
		snapshot.Meta{Kind: belay.KindRescue, Task: r.Task.ID, Journal: r.Log.Head.Hash,
			Message: "before its worktree was removed"}, sess.SnapshotExtent(r))
	return err
}

// treeMatchesSnapshot reports whether the task's tree, which is that of sess, equals one of the
// task's snapshots for which those returns true.
func treeMatchesSnapshot(ctx context.Context, sess *session.Session, r *session.Record, those func(snapshot.Info) bool) (bool, error) {
	tree, err := sess.Snaps.StoreFilesTree(ctx, sess.SnapshotExtent(r))
	if err != nil {
		return false, err
	}
	all, err := sess.Snaps.List(ctx)
	return slices.ContainsFunc(all, func(s snapshot.Info) bool {
		return s.Task.Key() == r.Task.ID.Key() && s.Tree == tree && r.OwnsSnapshot(s) && those(s)
	}), err
}
