package statcache

import (
	"math"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/worktree"
)

func TestWhichTimesAreTrusted(t *testing.T) {
	t.Parallel()
	const now, ms = int64(1_700_000_000_000_000_000), int64(time.Millisecond)
	c := Clock{Start: now, Dev: 7}
	for what, row := range map[string]struct {
		f       worktree.Facts
		settled bool
	}{
		"old":                    {worktree.Facts{Mtime: now - 21*ms, Ctime: now - 21*ms, Dev: 7}, true},
		"within the margin":      {worktree.Facts{Mtime: now - 19*ms, Ctime: now - 19*ms, Dev: 7}, false},
		"its time put back":      {worktree.Facts{Mtime: now - 900*ms, Ctime: now - 19*ms, Dev: 7}, false},
		"its time in the future": {worktree.Facts{Mtime: now + 900*ms, Ctime: now - 900*ms, Dev: 7}, false},
		"beyond the calendar":    {worktree.Facts{Mtime: worktree.Nanos(math.MaxInt64, 0), Ctime: now - 900*ms, Dev: 7}, false},
		"before the calendar":    {worktree.Facts{Mtime: worktree.Nanos(math.MinInt64, 0), Ctime: now - 900*ms, Dev: 7}, true},
		"at the start":           {worktree.Facts{Mtime: now, Ctime: now, Dev: 7}, false},
		"another device":         {worktree.Facts{Mtime: now - 900*ms, Ctime: now - 900*ms, Dev: 8}, false},
		"another device, older":  {worktree.Facts{Mtime: now - 3001*ms, Ctime: now - 3001*ms, Dev: 8}, true},
	} {
		if got := c.Settled(&row.f); got != row.settled {
			t.Errorf("%s: settled is %v", what, got)
		}
	}
}
