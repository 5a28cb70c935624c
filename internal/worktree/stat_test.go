package worktree

import (
	"math"
	"testing"
	"time"
)

func TestWhichTimesAreTrusted(t *testing.T) {
	t.Parallel()
	const now, ms = int64(1_700_000_000_000_000_000), int64(time.Millisecond)
	c := clock{start: now, dev: 7}
	for what, row := range map[string]struct {
		f       facts
		settled bool
	}{
		"old":                    {facts{mtime: now - 21*ms, ctime: now - 21*ms, dev: 7}, true},
		"within the margin":      {facts{mtime: now - 19*ms, ctime: now - 19*ms, dev: 7}, false},
		"its time put back":      {facts{mtime: now - 900*ms, ctime: now - 19*ms, dev: 7}, false},
		"its time in the future": {facts{mtime: now + 900*ms, ctime: now - 900*ms, dev: 7}, false},
		"beyond the calendar":    {facts{mtime: nanos(math.MaxInt64, 0), ctime: now - 900*ms, dev: 7}, false},
		"before the calendar":    {facts{mtime: nanos(math.MinInt64, 0), ctime: now - 900*ms, dev: 7}, true},
		"at the start":           {facts{mtime: now, ctime: now, dev: 7}, false},
		"another device":         {facts{mtime: now - 900*ms, ctime: now - 900*ms, dev: 8}, false},
		"another device, older":  {facts{mtime: now - 3001*ms, ctime: now - 3001*ms, dev: 8}, true},
	} {
		if got := c.settled(&row.f); got != row.settled {
			t.Errorf("%s: settled is %v", what, got)
		}
	}
}

// TestScanReadsFreshFilesAgain holds whatever the grain of the file system's clock:
// newer kernels stamp so finely that a missing margin would not show.
func TestScanReadsFreshFilesAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("f", "x")
	b.scanSave()
	b.age()
	if r := b.scanSave(); !r.Entries[0].Fresh {
		t.Error("what was cached right after it was written is trusted")
	}
	if r := b.scanSave(); r.Entries[0].Fresh {
		t.Error("what was cached long after it was written is not trusted")
	}
}
