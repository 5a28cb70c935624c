package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/tasklist"
	"github.com/belay-dev/belay/internal/worktree"
)

// MergeRequest asks for a task's work to be brought into the user's tree.
type MergeRequest struct {
	Task         belay.TaskID
	Ours, Theirs []string // paths, from the root, with decided conflicts
	Markers      bool     // write conflict markers for conflicts in text
	DryRun       bool
	SkipBroken   bool // skip and list what cannot be written
	Keep         bool // keep the task's worktree
	Unaccepted   bool // also merge a task that was not accepted
	AsIs         bool // merge the current content of the task's tree, checked or not
	Judged       bool // merge what was checked, even if the task's tree has changed since
}

// MergeResult describes what a merge did.
type MergeResult struct {
	worktree.Brought
	Removed bool   `json:"worktree_removed"`
	Stays   string `json:"worktree_stays,omitempty"` // why the task's tree was not removed
	Ticked  string `json:"ticked,omitempty"`         // the result of ticking its box in the file it was imported from
}

// Merge merges what a task changed, from its before snapshot to the result of its last attempt,
// into the user's current tree, and removes the task's worktree. If there are conflicts, it writes
// nothing and returns them (CodeRefused).
//
// CodeUsage: the task has no worktree of its own. CodeRefused: it was not accepted. CodeDrift: its
// tree has changed since it was checked. CodeBusy: another process works in one of the trees.
func Merge(ctx context.Context, s *session.Session, q MergeRequest) (MergeResult, error) {
	r, err := s.Load(q.Task)
	if err != nil {
		return MergeResult{}, err
	}
	if err := checkMergeable(r, q); err != nil {
		return MergeResult{}, err
	}
	if err := CheckOrder(s, r, true); err != nil && !q.Unaccepted {
		return MergeResult{}, err
	}
	home, err := HomeSession(ctx, s)
	if err != nil {
		return MergeResult{}, err
	}
	unlock, err := home.LockTree(ctx, q.Task, "belay merge")
	if err != nil {
		return MergeResult{}, err
	}
	defer unlock()
	after, err := snapshotToMerge(ctx, s, r, q)
	if err != nil {
		return MergeResult{}, err
	}
	tick := prepareTick(home, r)
	b, err := worktree.Bring(ctx, home.Restores, worktree.Request{Task: r.Task.ID, Before: r.State.Before, After: after, Edits: tick.edits,
		Ours: q.Ours, Theirs: q.Theirs, Markers: q.Markers, DryRun: q.DryRun, SkipBroken: q.SkipBroken})
	out := MergeResult{Brought: b}
	if err == nil {
		err = conflictError(q.Task, b)
	}
	if err != nil || q.DryRun {
		return out, err
	}
	if out.Ticked, err = tick.recordTick(ctx, home, r, b); err != nil {
		return out, err
	}
	text := fmt.Sprintf("%s from %s", belay.CountOf(len(b.Changes), "path"), r.Task.Worktree)
	if err := s.AddNote(ctx, r, session.Note{Kind: session.MergedNote, Text: text, Target: after, Rescue: b.Rescue}); err != nil {
		return out, err
	}
	switch {
	case len(b.Conflicts) > 0:
		out.Stays = "the worktree was not removed: it has conflicts to resolve"
		return out, belay.Refuse(belay.CodeRefused,
			fmt.Sprintf("resolve them, then belay worktree remove %s; undo the merge with: belay undo", q.Task),
			"conflict markers in %s", belay.CountOf(len(b.Conflicts), "file"))
	case q.Keep:
		out.Stays = "the worktree was not removed: --keep was given"
		return out, nil
	}
	if err := RemoveWorktree(ctx, s, r, false); err != nil {
		out.Stays = session.ErrorLine(err)
		return out, nil // merged, although the worktree was not removed
	}
	out.Removed = true
	return out, nil
}

// taskTick is the edit by which a merge marks an accepted task in the file that it was imported
// from. It is part of the merge, so that one undo reverts both.
type taskTick struct {
	origin *belay.Origin
	lines  []int
	edits  []restore.Edit
	err    error
}

func prepareTick(home *session.Session, r *session.Record) (t taskTick) {
	if r.State.Outcome != loop.OutcomePassed || r.Task.Origin == nil {
		return t
	}
	t.origin = r.Task.Origin
	edit, lines, err := tasklist.PlanMark(home.Repo.Root, *t.origin)
	if t.lines, t.err = lines, err; edit != nil {
		t.edits = []restore.Edit{*edit}
	}
	return t
}

// recordTick records the result of ticking the box and returns it as a sentence. If the merge had
// nothing to write, it ticks the box on its own.
func (t taskTick) recordTick(ctx context.Context, home *session.Session, r *session.Record, b worktree.Brought) (said string, err error) {
	if t.origin == nil {
		return "", nil
	}
	if b.Rescue == "" {
		return said, home.TickOff(ctx, r, func(s string) { said = s })
	}
	if len(b.Unedited) > 0 {
		k := b.Unedited[0]
		t.err = belay.Refuse(belay.CodeCannot, "tick the task by hand", "%s: %s", belay.VisibleLine(k.Path), k.Reason)
	}
	note := session.TickNote(*t.origin, t.lines, t.err)
	return fmt.Sprintf("%s: %s", r.Task.ID, note.Text), home.AddNote(ctx, r, note)
}

// MergePlan returns what a merge of an accepted task would bring. It fails as Merge does,
// except for conflicts and the order of tasks.
func MergePlan(ctx context.Context, s *session.Session, r *session.Record) (worktree.Request, error) {
	if err := checkMergeable(r, MergeRequest{}); err != nil {
		return worktree.Request{}, err
	}
	after, err := snapshotToMerge(ctx, s, r, MergeRequest{})
	return worktree.Request{Task: r.Task.ID, Before: r.State.Before, After: after}, err
}

// checkMergeable returns an error for a task that cannot be merged.
func checkMergeable(r *session.Record, q MergeRequest) error {
	id := r.Task.ID
	switch {
	case r.Task.Worktree == "":
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", id),
			"%s has no worktree of its own: its changes are already here", id)
	case q.AsIs && q.Judged:
		return belay.Refuse(belay.CodeUsage, "use one of them", "--as-is and --judged cannot be combined")
	case r.State.Before == "" || ResultSnapshot(r) == "" && !q.AsIs:
		return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay run --resume %s", id), "%s has nothing to merge yet", id)
	case r.State.Outcome != loop.OutcomePassed && !q.Unaccepted:
		standing := string(r.State.Outcome)
		if r.Open() {
			standing = "it is open"
		}
		return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s, or --unaccepted", id), "%s was not accepted: %s", id, standing)
	}
	return nil
}

// snapshotToMerge returns the snapshot to merge: the result of the last attempt, unless the tree
// has changed since.
func snapshotToMerge(ctx context.Context, sess *session.Session, r *session.Record, q MergeRequest) (belay.SnapshotID, error) {
	at, err := TaskSession(ctx, sess, r)
	if belay.CodeOf(err) == belay.CodeNotFound && !q.AsIs {
		return ResultSnapshot(r), nil // removed by hand: use the snapshot
	}
	if err != nil {
		return "", err
	}
	unlock, err := at.LockTree(ctx, r.Task.ID, "belay merge")
	if err != nil {
		return "", err
	}
	defer unlock()
	if q.AsIs {
		info, err := at.Snaps.TakeWith(ctx,
			snapshot.Meta{Kind: belay.KindManual, Task: r.Task.ID, Feature: r.Task.Feature, Journal: r.Log.Head.Hash,
				Message: "the task's worktree at the merge"}, at.SnapshotExtent(r))
		return info.ID, err
	}
	// An unreadable snapshot is not listed, so the tree would seem changed.
	if _, err := at.Snaps.LookUp(ctx, ResultSnapshot(r)); err != nil {
		return "", err
	}
	same, err := treeMatchesSnapshot(ctx, at, r, func(s snapshot.Info) bool { return s.ID >= ResultSnapshot(r) })
	if err == nil && !same && !q.Judged {
		err = belay.Refuse(belay.CodeDrift,
			fmt.Sprintf("belay check %s, then --as-is to merge its current state, or --judged to merge what was checked", r.Task.ID),
			"the worktree of %s changed after it was checked", r.Task.ID)
	}
	return ResultSnapshot(r), err
}

// conflictError returns an error while there are undecided conflicts.
func conflictError(task belay.TaskID, b worktree.Brought) error {
	if b.Open() == 0 {
		return nil
	}
	try := fmt.Sprintf("use belay merge %s --theirs PATH for the task's version, --ours PATH for yours", task)
	if slices.ContainsFunc(b.Conflicts, worktree.Text) {
		try += ", --markers to write conflict markers"
	}
	return belay.Refuse(belay.CodeRefused, try, "%s: nothing was written", belay.CountOf(b.Open(), "conflict"))
}
