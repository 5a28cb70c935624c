package agent

import (
	"testing"
	"time"
)

// TestHush: silence is counted while the shim watches, and only then.
func TestHush(t *testing.T) {
	t.Parallel()
	var h hush
	for _, c := range []struct {
		now, want time.Duration
		bytes     int64
	}{
		{0, 0, 0},
		{tick, tick, 0},
		{2 * tick, 2 * tick, 0},
		{3 * tick, 0, 10}, // output
		{4 * tick, tick, 10},
		{time.Hour, 6 * tick, 10}, // the shim was suspended
		{time.Hour + tick, 7 * tick, 10},
		{2 * time.Hour, 0, 11},
	} {
		if got := h.hear(c.now, c.bytes); got != c.want {
			t.Errorf("at %v: %v, want %v", c.now, got, c.want)
		}
	}
}
