package belay

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		30 * time.Second: "30s", 2 * time.Minute: "2m", 90 * time.Second: "1m30s", time.Hour: "1h",
		time.Hour + time.Second: "1h0m1s", 20 * time.Minute: "20m", 1500 * time.Millisecond: "1.5s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%s is written %s", d, got)
		}
	}
}

// TestRoundTrip: parsing a formatted value gives the same value.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.Int64Range(0, 1<<52).Draw(t, "size"), time.Duration(rapid.Int64Range(0, 1<<55).Draw(t, "time"))
		if got, err := ParseSize(Size(n)); err != nil || got != n {
			t.Errorf("%d is written %s and read %d, %v", n, Size(n), got, err)
		}
		if got, err := ParseDuration(Duration(d)); err != nil || got != d {
			t.Errorf("%d is written %s and read %d, %v", d, Duration(d), got, err)
		}
	})
	for _, bad := range []string{"", "5", "-1s", "1e3B", "99999999TiB", "x", "5 xb"} {
		if n, err := ParseSize(bad); err == nil {
			t.Errorf("%q is %d bytes", bad, n)
		}
		if d, err := ParseDuration(bad); err == nil {
			t.Errorf("%q is %s", bad, d)
		}
	}
}

func TestRoundSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 5 << 30: "5.0 GiB"} {
		if got := RoundSize(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
