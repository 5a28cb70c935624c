//go:build !linux || portable

package proc

import (
	"slices"
	"testing"
)

func TestParsePS(t *testing.T) {
	t.Parallel()
	out := "    1     0     1 Ss   Mon Nov  3 09:05:01 2025 /sbin/launchd A=b\n" +
		"  322     1   322 Z    Mon Nov  3 09:05:01 2025 (sh)\n" +
		"  400   322   322 S+   Tue Nov 11 10:00:00 2025 sh -c x BELAY_RUN=abc PATH=/bin\n" +
		"garbage\n\n 5 6\n x y z S a b c d e f\n"
	got := parsePS([]byte(out))
	want := []Process{
		{ID: ID{1, "Mon Nov 3 09:05:01 2025"}, PGID: 1, Name: "/sbin/launchd", env: "/sbin/launchd A=b"},
		{ID: ID{322, "Mon Nov 3 09:05:01 2025"}, PPID: 1, PGID: 322, Dead: true, Name: "(sh)", env: "(sh)"},
		{ID: ID{400, "Tue Nov 11 10:00:00 2025"}, PPID: 322, PGID: 322, Name: "sh", env: "sh -c x BELAY_RUN=abc PATH=/bin"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	if !got[2].Carries("BELAY_RUN=abc") || got[2].Carries("BELAY_RUN=ab") || got[0].Carries("BELAY_RUN=abc") {
		t.Error("the token is not read right")
	}
}

func FuzzPS(f *testing.F) {
	f.Add([]byte("  400   322   322 S+   Tue Nov 11 10:00:00 2025 sh -c x BELAY_RUN=abc\n"))
	f.Add([]byte("1 1 1 Z a b c d e"))
	f.Add([]byte("\n \x00\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for _, p := range parsePS(out) {
			if p.PID <= 0 || p.Start == "" {
				t.Errorf("%q: %+v", out, p)
			}
			p.Carries("x")
		}
	})
}
