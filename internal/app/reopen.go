package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// CheckReopen fails (CodeRefused) if an accepted task cannot be reopened, because its work is no
// longer in the tree: it was merged, its tree or its snapshots are missing, or a later task that is
// not reopened with it changed the same files.
func CheckReopen(ctx context.Context, s *Service, r *session.Record, with ...belay.TaskID) error {
	id := r.Task.ID
	follow := fmt.Sprintf(`belay run "fix what the review of %s found" -- AGENT`, id)
	if r.Task.Worktree != "" && !runner.IsUnmerged(r) {
		return belay.Refuse(belay.CodeRefused, follow, "%s is already merged: the review is recorded; fix its work in a new task", id)
	}
	at, err := runner.TaskSession(ctx, s.Session, r)
	if err != nil {
		return err
	}
	mine, err := changedBy(ctx, at, r)
	if err != nil {
		return belay.Refuse(belay.CodeRefused, follow,
			"the snapshots of %s are gone: the review is recorded; fix its work in a new task", id)
	}
	if r.Task.Worktree != "" {
		return nil
	}
	later, shared, err := firstTaskAfter(ctx, s, r, mine, with)
	if err != nil || later == nil {
		return err
	}
	return belay.Refuse(belay.CodeRefused, follow,
		"%s changed %s after %s: the review is recorded; do what it asks for in a new task",
		later.Task.ID, belay.VisibleLine(strings.Join(shared, ", ")), id)
}

// changedBy returns the paths that a task's attempts touched.
func changedBy(ctx context.Context, at *session.Session, r *session.Record) (map[string]bool, error) {
	if _, err := at.Snaps.Get(ctx, r.State.Before); err != nil {
		return nil, err
	}
	if _, err := at.Snaps.Get(ctx, runner.ResultSnapshot(r)); err != nil {
		return nil, err
	}
	taken, err := at.TaskSnapshots(ctx, r)
	if err != nil {
		return nil, err
	}
	touched, err := session.ReadChangedNames(ctx, at.Snaps, session.SpansOf(r.State.Before, taken))
	return touched.Paths, err
}

// firstTaskAfter returns the first task that started in the user's tree after r's work was captured
// and touched some of paths, and at most five of those paths.
func firstTaskAfter(ctx context.Context, s *Service, r *session.Record, paths map[string]bool,
	with []belay.TaskID) (*session.Record, []string, error) {
	all, err := s.Session.Records(nil)
	if err != nil {
		return nil, nil, err
	}
	for _, other := range all {
		if other.Task.ID == r.Task.ID || other.Task.Worktree != "" || other.State.Before <= runner.ResultSnapshot(r) ||
			other.RolledBack() || slices.Contains(with, other.Task.ID) {
			continue
		}
		theirs, err := changedBy(ctx, s.Session, other)
		if err != nil {
			continue // its snapshots are missing: its changes are unknown, and it cannot be rolled back
		}
		var shared []string
		for p := range theirs {
			if paths[p] && !strings.HasPrefix(p, ".belay/") {
				shared = append(shared, p)
			}
		}
		if slices.Sort(shared); len(shared) > 0 {
			return other, shared[:min(len(shared), 5)], nil
		}
	}
	return nil, nil, nil
}
