package drive

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
)

// texts gives the checks what changed files say, out of the snapshots that are judged:
// the tree may have moved on.
type texts struct {
	snaps         *restore.Store
	before, after belay.SnapshotID
}

func (t texts) Each(ctx context.Context, paths []string, most int64, take func(string, []byte, []byte, bool) error) error {
	return t.snaps.Texts(ctx, t.before, t.after, paths, most, take)
}

func (t texts) Paths(ctx context.Context) ([]string, error) { return t.snaps.Paths(ctx, t.after) }
