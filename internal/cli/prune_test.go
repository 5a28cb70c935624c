package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

func TestAge(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "90m": 90 * time.Minute, "72h": 72 * time.Hour, "7d": 168 * time.Hour, "1.5d": 36 * time.Hour, "106751d": 106751 * 24 * time.Hour,
	} {
		if got, err := ParseAge(in); err != nil || got != want {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "d", "x", "7", "-1h", "-1d", "106752d", "2000000d", "99999999d", "9999999999h", "1w"} {
		if got, err := ParseAge(in); belay.CodeOf(err) != belay.CodeUsage || !strings.Contains(err.Error(), in) {
			t.Errorf("%q was read as %v, %v", in, got, err)
		}
	}
}
