package scan

import (
	"math"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/fsroot"
)

func TestWhichTimesAreTrusted(t *testing.T) {
	t.Parallel()
	const now, ms = int64(1_700_000_000_000_000_000), int64(time.Millisecond)
	c := Clock{Start: now, Dev: 7}
	for what, row := range map[string]struct {
		f       fsroot.Facts
		settled bool
	}{
		"old":                    {fsroot.Facts{Mtime: now - 21*ms, Ctime: now - 21*ms, Dev: 7}, true},
		"within the margin":      {fsroot.Facts{Mtime: now - 19*ms, Ctime: now - 19*ms, Dev: 7}, false},
		"its time put back":      {fsroot.Facts{Mtime: now - 900*ms, Ctime: now - 19*ms, Dev: 7}, false},
		"its time in the future": {fsroot.Facts{Mtime: now + 900*ms, Ctime: now - 900*ms, Dev: 7}, false},
		"beyond the calendar":    {fsroot.Facts{Mtime: fsroot.Nanos(math.MaxInt64, 0), Ctime: now - 900*ms, Dev: 7}, false},
		"before the calendar":    {fsroot.Facts{Mtime: fsroot.Nanos(math.MinInt64, 0), Ctime: now - 900*ms, Dev: 7}, true},
		"at the start":           {fsroot.Facts{Mtime: now, Ctime: now, Dev: 7}, false},
		"another device":         {fsroot.Facts{Mtime: now - 900*ms, Ctime: now - 900*ms, Dev: 8}, false},
		"another device, older":  {fsroot.Facts{Mtime: now - 3001*ms, Ctime: now - 3001*ms, Dev: 8}, true},
	} {
		if got := c.IsSettled(&row.f); got != row.settled {
			t.Errorf("%s: settled is %v", what, got)
		}
	}
}
