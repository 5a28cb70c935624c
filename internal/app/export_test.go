package app

import (
	"time"

	"github.com/belay-dev/belay/internal/session"
)

// LimitSnapshots sets how long the snapshots of hooks may take and returns a function that resets it.
func LimitSnapshots(limit func(session.MarkKind) time.Duration) func() {
	was := snapshotLimit
	snapshotLimit = limit
	return func() { snapshotLimit = was }
}
