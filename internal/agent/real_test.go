package agent_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestRecordedFromAgents replays what real agents printed while they followed a script: every
// printed call is read, work is not a stall, and a stall is found as its third round ends. A table
// for each agent lists how many calls it printed, and which of them ends the third round; 0 is for
// work, and for rounds that the agent does not print.
func TestRecordedFromAgents(t *testing.T) {
	t.Parallel()
	tables, err := filepath.Glob("testdata/stall/real/*.tsv")
	if err != nil || len(tables) < 4 {
		t.Fatalf("tables of %d agents: %v", len(tables), err)
	}
	for _, path := range tables {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, rows, _ := strings.Cut(string(text), "\n")
		work, alarms, stalls, found := 0, 0, 0, 0
		for row := range strings.Lines(rows) {
			name, want, at := cells(t, row)
			stall, n := watched(t, filepath.Join("testdata/stall/real", name))
			switch {
			case at == 0:
				work++
				if stall != nil {
					alarms++
					t.Errorf("%s: %s (call %d)", name, stall, stall.At)
				} else if n != want {
					t.Errorf("%s: %d calls were read of %d", name, n, want)
				}
			case stall == nil || stall.At != at:
				stalls++
				t.Errorf("%s: found %v, want it at call %d", name, stall, at)
			default:
				stalls++
				found++
			}
		}
		if work < 6 || stalls < 4 {
			t.Errorf("%s: %d of work and %d of stalls", path, work, stalls)
		}
		if os.Getenv("BELAY_EVAL") != "" {
			t.Logf("eval: recorded from %s: of work %d  false alarms %d  of stalls %d  found as the third round ends %d", strings.TrimPrefix(head, "# "), work, alarms, stalls, found)
		}
	}
}

// cells parses a row: a file and two numbers.
func cells(t *testing.T, row string) (name string, calls, stall int) {
	t.Helper()
	f := strings.Fields(row)
	if len(f) != 3 {
		t.Fatalf("no row: %q", row)
	}
	calls, err := strconv.Atoi(f[1])
	if err != nil {
		t.Fatal(err)
	}
	if stall, err = strconv.Atoi(f[2]); err != nil {
		t.Fatal(err)
	}
	return f[0], calls, stall
}
