package check

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lint"
	"github.com/belay-dev/belay/internal/restore"
)

// GuardTree records the tree before linters run. Differences afterwards are the linters' edits, and
// the capture is restored, with a rescue: but only if the run has locked the tree, and if it was
// exactly as captured before they ran. Otherwise another process edits it, and those edits must not
// be attributed to the linter.
func GuardTree(snaps *restore.Store, task belay.TaskID, after belay.SnapshotID,
	held bool) func(context.Context) (func(context.Context) (lint.Edits, error), error) {
	return func(ctx context.Context) (func(context.Context) (lint.Edits, error), error) {
		captured, err := snaps.Snapshots.Get(ctx, after)
		if err != nil {
			return nil, err
		}
		extent, err := snaps.Snapshots.ExtentOf(ctx, after)
		if err != nil {
			return nil, err
		}
		before, err := snaps.Snapshots.StoreFilesTree(ctx, extent)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (edits lint.Edits, err error) {
			now, err := snaps.Snapshots.StoreFilesTree(ctx, extent)
			if err != nil || now == before {
				return edits, err
			}
			changed, err := snaps.Snapshots.Repo.DiffTrees(ctx, before, now)
			if err != nil {
				return edits, err
			}
			for _, c := range changed {
				edits.Paths = append(edits.Paths, c.Path)
			}
			if !held || before != captured.Tree {
				return edits, nil
			}
			_, err = snaps.Restore(ctx, after, restore.Options{
				Paths: edits.Paths, FilesOnly: true, Task: task, Command: "lint", Reason: "a linter changed files",
			})
			edits.Reverted = err == nil
			return edits, nil // what could not be restored is reported, and stays like the files that tests leave
		}, nil
	}
}
