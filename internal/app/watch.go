package app

import (
	"context"
	"time"

	"github.com/belay-dev/belay/internal/watch"
)

// Watch starts a watch for this working tree and waits until it is ready.
func (d *Desk) Watch(ctx context.Context, idle time.Duration) (watch.Status, error) {
	return watch.Start(ctx, d.Session.Snaps.Worktree, append(d.Session.Self[:1:1], "_watch"), idle)
}

// Watched gives the status of the watch. CodeNotFound when there is none.
func (d *Desk) Watched(ctx context.Context) (watch.Status, error) {
	return watch.Ask(ctx, d.Session.Snaps.Worktree)
}

// Unwatch ends the watch. CodeNotFound when there is none.
func (d *Desk) Unwatch(ctx context.Context) error { return watch.Stop(ctx, d.Session.Snaps.Worktree) }
