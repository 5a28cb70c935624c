package agent_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/agent"
)

// root is the working tree of the recordings.
const root = "/work/shop"

// watched feeds a recording line by line and returns the stall that was found, with the number of
// calls that had begun by then.
func watched(t *testing.T, path string) (*agent.Stall, int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := agent.NewStallWatch(root, agent.Repeats)
	for line := range strings.Lines(string(text)) {
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if w.Found() != nil {
			break
		}
	}
	w.Close()
	if !w.HasEvents() {
		t.Errorf("%s is read as no stream of events", path)
	}
	return w.Found(), w.Calls()
}

// TestRecordings: a stall is found as its third round ends, and nothing else is taken as one.
func TestRecordings(t *testing.T) {
	t.Parallel()
	clean, err := filepath.Glob("testdata/stall/clean/*.jsonl")
	if err != nil || len(clean) < 30 {
		t.Fatalf("%d recordings of work: %v", len(clean), err)
	}
	calls, alarms := 0, 0
	for _, path := range clean {
		found, n := watched(t, path)
		calls += n
		if found != nil {
			alarms++
			t.Errorf("%s: %s (call %d)", path, found, found.At)
		}
	}
	table, err := os.ReadFile("testdata/stall/stalled.tsv")
	if err != nil {
		t.Fatal(err)
	}
	stalls, in, late := 0, 0, 0
	for line := range strings.Lines(string(table)) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), "\t")
		want, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		stalls++
		found, n := watched(t, filepath.Join("testdata/stall/stalled", name))
		switch {
		case found == nil:
			t.Errorf("%s: not found", name)
			continue
		case found.At <= want+len(found.Calls):
			in++
		default:
			late++
		}
		if found.At != want || n > want+1 {
			t.Errorf("%s: found at call %d after %d calls, want %d: %s", name, found.At, n, want, found)
		}
	}
	if os.Getenv("BELAY_EVAL") != "" {
		t.Logf("eval: recordings of work %d (%d calls)  false alarms %d", len(clean), calls, alarms)
		t.Logf("eval: recordings of stalls %d  found within one round %d  later %d  missed %d", stalls, in, late, stalls-in-late)
	}
}
