package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Drop deletes snapshots, as snapshot.Store.Drop does. An interrupted restore, which may need one
// of them, is finished first. The snapshots that an unfinished restore needs, here or in another
// working tree, stay (CodeCannot).
func (s *Store) Drop(ctx context.Context, ids ...belay.SnapshotID) error {
	if err := s.recoverBeforeForgetting(ctx); err != nil {
		return err
	}
	needed, err := s.neededSnapshots()
	if err != nil {
		return err
	}
	for _, id := range ids {
		full, err := s.Snapshots.Resolve(ctx, id)
		if err != nil {
			return err
		}
		if needed[full] {
			return belay.Refuse(belay.CodeCannot, "belay status there shows how to end that restore",
				"%s is needed: a restore from or to it was interrupted", full.Short())
		}
	}
	return s.Snapshots.Drop(ctx, ids...)
}

// Prune deletes old snapshots, as snapshot.Store.Prune does, except those that an unfinished
// restore needs.
func (s *Store) Prune(ctx context.Context, o snapshot.PruneOptions) (snapshot.Pruned, error) {
	if !o.DryRun {
		if err := s.recoverBeforeForgetting(ctx); err != nil {
			return snapshot.Pruned{}, err
		}
	}
	needed, err := s.neededSnapshots()
	if err != nil {
		return snapshot.Pruned{}, err
	}
	keep := o.Keep
	o.Keep = func(i snapshot.Info) bool { return needed[i.ID] || keep != nil && keep(i) }
	return s.Snapshots.Prune(ctx, o)
}

// recoverBeforeForgetting finishes an interrupted restore before snapshots are deleted. If it
// cannot be finished, others may still be deleted, as long as the ones that it needs are known.
func (s *Store) recoverBeforeForgetting(ctx context.Context) error {
	err := s.recoverAndReport(ctx)
	if err == nil || ctx.Err() != nil || belay.CodeOf(err) == belay.CodeBusy || !s.Interrupted() {
		return err
	}
	j, _ := readIntent(s.intentPath())
	if j.Target == "" || j.Rescue == "" {
		return err
	}
	return nil
}

// neededSnapshots returns the snapshots that an interrupted restore in any working tree of this
// repository needs in order to be finished or reversed. An intent of another tree that does not
// name them is an error (CodeCannot).
func (s *Store) neededSnapshots() (map[belay.SnapshotID]bool, error) {
	files := []string{s.intentPath(), filepath.Join(s.Snapshots.Repo.Common, "belay", "intent.json")}
	trees := filepath.Join(s.Snapshots.Repo.Common, "worktrees")
	list, err := fsroot.ReadDir(trees)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range list {
		files = append(files, filepath.Join(trees, e.Name(), "belay", "intent.json"))
	}
	ids := map[belay.SnapshotID]bool{}
	for _, f := range files {
		j, err := readIntent(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("find interrupted restores in other working trees: %w", err)
		}
		if (j.Target == "" || j.Rescue == "") && f != s.intentPath() { // recoverBeforeForgetting judges that one
			return nil, belay.Refuse(belay.CodeCannot, "belay status there shows how to end that restore",
				"a restore was interrupted in another working tree, and its intent cannot be read: %s", belay.VisibleLine(f))
		}
		ids[j.Target], ids[j.Rescue] = true, true
	}
	delete(ids, "")
	return ids, nil
}

// readIntent reads as much as it can of an intent of any version.
func readIntent(file string) (j intent, err error) {
	text, err := fsroot.ReadFile(file, fsroot.MaxSmallFile)
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	return j, err
}

// abandonRestore ends a restore that cannot be finished because its snapshot was deleted with git.
// It is recorded as done: it blocks no later command, and undo reverts it.
func (s *Store) abandonRestore(ctx context.Context, j *intent) error {
	try := "belay " + j.reverseStep() + " restores the previous state"
	if _, err := s.Snapshots.LookUp(ctx, j.Rescue); err != nil || j.Reverses {
		try = "belay snapshot list, then belay snapshot restore ID"
	}
	if err := s.recordDone(j); err != nil {
		return err
	}
	return belay.Refuse(belay.CodeCannot, try,
		"a restore of %s was interrupted and cannot be finished, because that snapshot is gone; "+
			"what it had not restored is unchanged", j.Target.Short())
}
