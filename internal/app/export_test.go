package app

import (
	"time"

	"github.com/belay-dev/belay/internal/session"
)

// LimitTakes sets how long the snapshots of hooks may take, until the function it gives is called.
func LimitTakes(limit func(session.MarkKind) time.Duration) func() {
	was := snapshotLimit
	snapshotLimit = limit
	return func() { snapshotLimit = was }
}
