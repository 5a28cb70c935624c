package app

import (
	"context"
	"time"

	"github.com/belay-dev/belay/internal/watch"
)

// Watch starts a watcher for this working tree and waits until it is ready.
func (s *Service) Watch(ctx context.Context, idle time.Duration) (watch.Status, error) {
	return watch.Start(ctx, s.Session.Snaps.Worktree, append(s.Session.ShimArgv[:1:1], "_watch"), idle)
}

// Watched returns the status of the watcher. CodeNotFound if there is none.
func (s *Service) Watched(ctx context.Context) (watch.Status, error) {
	return watch.Ask(ctx, s.Session.Snaps.Worktree)
}

// Unwatch stops the watcher. CodeNotFound if there is none.
func (s *Service) Unwatch(ctx context.Context) error {
	return watch.Stop(ctx, s.Session.Snaps.Worktree)
}
