package session

import (
	"context"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// NeededSnapshots returns those of a task's snapshots without which a rollback of the complete task
// could not distinguish the task's changes from others': the before snapshot, the last capture, and
// both ends of each span in which a person or the tests changed something. Adjacent spans of the
// agent are joined.
//
// If a later attempt started from exactly the before snapshot's files, nothing before it is needed.
func NeededSnapshots(ctx context.Context, snaps *snapshot.Store, before belay.SnapshotID,
	taken []snapshot.Info) (map[belay.SnapshotID]bool, error) {
	defer snaps.Repo.ShareReader()()
	keep := map[belay.SnapshotID]bool{before: true}
	slices.SortFunc(taken, func(a, b snapshot.Info) int { return strings.Compare(string(a.ID), string(b.ID)) })
	trees := map[belay.SnapshotID]string{}
	for _, s := range taken {
		trees[s.ID] = s.Tree
	}
	same := func(a, b belay.SnapshotID) (bool, error) {
		if a == b || trees[a] != trees[b] || trees[a] == "" {
			return a == b, nil
		}
		for _, names := range []func(context.Context, belay.SnapshotID, belay.SnapshotID) ([]string,
			error){snaps.ChangedPaths, snaps.RefChanges, snaps.ChangedGitFiles} {
			if list, err := names(ctx, a, b); err != nil || len(list) > 0 {
				return false, err
			}
		}
		return true, nil
	}
	at := before
	for _, s := range taken {
		if s.ID <= before {
			continue
		}
		starts := s.Kind == belay.KindBefore && strings.HasSuffix(s.Command, StartMark)
		ends := s.Kind == belay.KindAfter || s.Kind == belay.KindStall
		if !starts && !ends {
			continue
		}
		if starts || strings.HasSuffix(s.Command, EndMark) { // the changes up to here are not the agent's
			unchanged, err := same(at, s.ID)
			if err == nil && !unchanged && starts {
				unchanged, err = same(before, s.ID)
			}
			if err != nil {
				return nil, err
			}
			if !unchanged {
				keep[at], keep[s.ID] = true, true
			}
		}
		at = s.ID
	}
	keep[at] = true
	return keep, nil
}
