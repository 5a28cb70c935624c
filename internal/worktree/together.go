package worktree

import (
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/restore"
)

// Together makes a snapshot of a state that never was: the present of a working tree with
// the work of some tasks merged onto it, one after the other. The tree is not touched.
// CodeRefused when they do not go together.
func Together(ctx context.Context, of *restore.Store, tasks []Request, meta snapshot.Meta) (snapshot.Info, error) {
	if _, err := of.Recover(ctx); err != nil {
		return snapshot.Info{}, err
	}
	unlock, err := of.Snapshots.Share(ctx)
	if err != nil {
		return snapshot.Info{}, err
	}
	defer unlock()
	c, err := of.Snapshots.Look(ctx, snapshot.Wanted{})
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
			var paths []string
			for _, x := range m.out.Conflicts {
				paths = append(paths, x.Path)
			}
			return snapshot.Info{}, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay merge %s and resolve them", q.Task),
				"the work of %s conflicts with what is here: %s", q.Task, belay.VisibleLine(strings.Join(paths, ", ")))
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
