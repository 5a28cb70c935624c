package machine_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/fleet/machine"
	"github.com/belay-dev/belay/fleet/metrics"
	"github.com/belay-dev/belay/fleet/task"
)

// TestMeasure: events are counted once, on the machine where they happened: an activity that is
// repeated because its answer was lost counts nothing, and a machine that continues a task does not
// count earlier events. Metrics contain no texts.
func TestMeasure(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func(name string) (*machine.Machine, *metrics.Registry) {
		r := &metrics.Registry{}
		return machine.New(machine.Machine{Name: name, Home: filepath.Join(p.dir, name), Self: []string{self, "_run"},
			Trusted: []string{p.dir + "/"}, Version: "test", Metrics: r}, 2), r
	}
	text := func(r *metrics.Registry) string {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		return "\n" + w.Body.String()
	}
	has := func(r *metrics.Registry, lines ...string) {
		t.Helper()
		for _, line := range lines {
			if !strings.Contains(text(r), "\n"+line+"\n") {
				t.Errorf("no %s in\n%s", line, text(r))
			}
		}
	}
	first, counted := start("w1")
	in, k := p.input("T1", script), &known{}
	p.until(first, in, k, "capture")
	has(counted, `belay_attempts_total{gen_ai_agent_name="other",belay_attempt_ended="exit"} 1`, `belay_tasks_open{phase="capture"} 1`,
		"belay_slots 2", "belay_slots_used 0")
	before := *k
	p.until(first, in, k, "restore")
	verdict := `belay_check_verdicts_total{belay_check_name="scope",belay_verdict="fail"} 1`
	has(counted, verdict)
	if _, err := p.call(first, task.DoName, task.Ask{Task: in, Head: before.head, Command: *before.state.Pending}); err != nil {
		t.Fatal(err)
	}
	has(counted, verdict)

	second, counted2 := start("w2")
	st, err := p.call(second, task.AdoptName, task.Ask{Task: in, Head: k.head})
	if err != nil {
		t.Fatal(err)
	}
	p.took(k, st)
	p.until(second, in, k, "")
	// The second machine clones from a folder on the same disk, so git makes no pack.
	if all := text(counted2); !strings.Contains(all, "belay_fleet_fetched_bytes_total 0\n") ||
		!strings.Contains(all, "belay_fleet_pushed_bytes_total ") || strings.Contains(all, "belay_fleet_pushed_bytes_total 0\n") {
		t.Errorf("moved by the second worker:\n%s", all)
	}
	has(counted2, `belay_attempts_total{gen_ai_agent_name="other",belay_attempt_ended="exit"} 1`,
		`belay_tasks_total{belay_outcome="passed"} 1`, `belay_tasks_open{phase="gate"} 0`)
	if all := text(counted) + text(counted2); strings.Contains(all, "a.txt") || strings.Contains(all, "T1") || strings.Contains(all, "app") {
		t.Errorf("it has texts of the project:\n%s", all)
	}
}
