package worktree

import (
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/restore"
)

// ConflictError says that a task's changes conflict with the worktree, or with the tasks before it.
type ConflictError struct {
	Task  belay.TaskID
	Paths []string
}

func (e *ConflictError) Error() string { return belay.VisibleLine(strings.Join(e.Paths, ", ")) }

// Together creates a snapshot of the worktree with the changes of some tasks merged into it, one
// after another. It does not change the worktree. It returns CodeRefused with a *ConflictError when
// they conflict.
func Together(ctx context.Context, of *restore.Store, tasks []Request, meta snapshot.Meta) (snapshot.Info, error) {
	if _, err := of.Recover(ctx); err != nil {
		return snapshot.Info{}, err
	}
	unlock, err := of.Snapshots.LockShared(ctx)
	if err != nil {
		return snapshot.Info{}, err
	}
	defer unlock()
	c, err := of.Snapshots.CaptureLocked(ctx, snapshot.CaptureOptions{})
	if err != nil {
		return snapshot.Info{}, err
	}
	var state State
	var entries []snapshot.Entry
	folders := map[string]uint16{}
	for _, q := range tasks {
		m := merger{to: of, q: q, ours: state}
		plan, err := m.plan(ctx, c)
		if err != nil {
			return snapshot.Info{}, err
		}
		if n := m.out.Open(); n > 0 {
			conflict := &ConflictError{Task: q.Task}
			for _, x := range m.out.Conflicts {
				conflict.Paths = append(conflict.Paths, x.Path)
			}
			return snapshot.Info{}, &belay.Error{Code: belay.CodeRefused,
				What: fmt.Sprintf("the work of %s conflicts with what is here", q.Task),
				Try:  fmt.Sprintf("belay merge %s and resolve them", q.Task), Err: conflict}
		}
		list, more, _ := m.composed(c, plan)
		for p, perm := range more {
			folders[p] = perm
		}
		entries, state = list, State{}
		for _, e := range entries {
			state[e.Path] = Entry{Mode: e.Mode, OID: e.OID, Perm: e.Perm}
		}
	}
	return of.Snapshots.Compose(ctx, c, entries, folders, meta)
}
