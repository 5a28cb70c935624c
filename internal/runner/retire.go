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

// Retire removes a task's own working tree. Without force only when nothing in it would
// be missed: the task has ended, what was accepted is merged, and the tree is as its last
// snapshot holds it. With force, what no snapshot holds is held first. CodeRefused, with
// the reason, when it stays; CodeBusy when somebody works in it.
func Retire(ctx context.Context, s *session.Session, r *session.Record, force bool) error {
	if r.Task.Worktree == "" {
		return belay.Refuse(belay.CodeUsage, "belay status", "%s has no worktree of its own", r.Task.ID)
	}
	home, err := Home(ctx, s)
	if err != nil {
		return err
	}
	at, err := At(ctx, s, r)
	if belay.CodeOf(err) == belay.CodeNotFound {
		return worktree.Remove(ctx, home.Repo, r.Task.Worktree, r.Task.ID) // what is left of it
	}
	if err != nil {
		return err
	}
	unlock, err := at.Hold(ctx, r.Task.ID, "belay worktree remove")
	if err != nil {
		return err
	}
	defer unlock()
	if err := missed(ctx, at, r, force); err != nil {
		return err
	}
	return worktree.Remove(ctx, home.Repo, r.Task.Worktree, r.Task.ID)
}

// missed says why a task's tree must stay. With force it holds what stands there instead.
func missed(ctx context.Context, sess *session.Session, r *session.Record, force bool) error {
	stays := func(try, why string) error {
		return belay.Refuse(belay.CodeRefused, try, "the worktree of %s was not removed: %s", r.Task.ID, why)
	}
	switch {
	case force:
	case r.Open():
		return stays(fmt.Sprintf("belay run --resume %s, or --force", r.Task.ID), "the task is open")
	case Unmerged(r):
		return stays(fmt.Sprintf("belay merge %s, or --force", r.Task.ID), "its work is not merged")
	}
	same, err := asHeld(ctx, sess, r, func(s snapshot.Info) bool { return !s.Partial })
	if err != nil || same {
		return err
	}
	if !force {
		return stays(fmt.Sprintf("belay merge %s --as-is, or --force", r.Task.ID), "it has unrecorded changes")
	}
	_, err = sess.Snaps.TakeWith(ctx,
		snapshot.Meta{Kind: belay.KindRescue, Task: r.Task.ID, Journal: r.Log.Head.Hash,
			Message: "before its worktree was removed"}, sess.Extent(r))
	return err
}

// asHeld reports whether the tree of a task, which this session is of, is as one of those
// snapshots of the task holds it.
func asHeld(ctx context.Context, sess *session.Session, r *session.Record, those func(snapshot.Info) bool) (bool, error) {
	tree, err := sess.Snaps.StoreFilesTree(ctx, sess.Extent(r))
	if err != nil {
		return false, err
	}
	all, err := sess.Snaps.List(ctx)
	return slices.ContainsFunc(all, func(s snapshot.Info) bool {
		return s.Task.Key() == r.Task.ID.Key() && s.Tree == tree && r.Own(s) && those(s)
	}), err
}
