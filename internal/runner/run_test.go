package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
)

// TestWhoEndedIt: a run that was ended for a stall reports that also to a process that takes over
// after a crash; one that a person stopped, or that ended by itself, does not.
func TestWhoEndedIt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ended   string
		stopped bool
		marked  bool
		want    string
	}{
		"a stall":                 {agent.EndedStopped, false, true, "why"},
		"a person elsewhere":      {agent.EndedStopped, false, false, ""},
		"a person here":           {agent.EndedStopped, true, true, ""},
		"by itself, just in time": {agent.EndedExit, false, true, ""},
	} {
		r := Run{Dir: t.TempDir()}
		if tt.marked {
			if err := os.WriteFile(filepath.Join(r.Dir, stallMark), []byte("why"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := r.newEnd(agent.Result{Ended: tt.ended}, &outputMonitor{meter: agent.NewMeter(nil)}, tt.stopped)
		if err != nil || got.Stall != tt.want || got.Stopped != tt.stopped {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

type broken struct{ strings.Builder }

func (b *broken) Write(p []byte) (int, error) {
	_, _ = b.Builder.Write(p)
	return 0, errors.New("nobody looks")
}

// TestScreen: output that was shown is not shown again, and the watch works without a terminal.
func TestScreen(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	s := &outputMonitor{renderer: agent.NewRenderer(&shown, "/")}
	_, _ = s.Write([]byte("one "))
	_, _ = s.Write([]byte("two "))
	s.offset = 0
	_, _ = s.Write([]byte("one two th"))
	_, _ = s.Write([]byte("ree"))
	if shown.String() != "one two three" {
		t.Errorf("%q", shown.String())
	}
	found := 0
	var gone broken
	s = &outputMonitor{renderer: agent.NewRenderer(&gone, "/"), stall: agent.NewStallWatch("/work", 2), stop: func() { found++ }}
	call := `{"type":"tool_execution_start","toolCallId":"ID","toolName":"read","args":{"path":"a"}}` + "\n" + `{"type":"tool_execution_end","toolCallId":"ID","result":"x"}` + "\n"
	for _, id := range []string{"1", "2"} {
		if n, err := s.Write([]byte(strings.ReplaceAll(call, "ID", id))); err != nil || n == 0 {
			t.Error(n, err)
		}
	}
	if found != 1 || gone.String() != "→ read a\n" {
		t.Errorf("found %d times, shown %q", found, gone.String())
	}
}

// TestStuck names the requirement that shares words with the repeated call, and the section of the
// plan that is marked with it.
func TestStuck(t *testing.T) {
	t.Parallel()
	task := belay.Task{ID: "T3", Request: belay.Request{Requirements: []belay.Requirement{
		{Marker: belay.MarkModify, Text: "refine the hero copy"}, {Marker: belay.MarkAdd, Text: "add 2 more flavors"},
	}}}
	files := func(text string) func(string) ([]byte, bool) {
		return func(path string) ([]byte, bool) { return []byte(text), text != "" && path == "plan.md" }
	}
	plan := "# Shop\n\n## Hero\n<!-- TASK-3 [MODIFY]: refine the hero copy -->\n\n## Flavors\n<!-- TASK-3 [ADD] (2): add 2 more flavors -->\n\n## Old\n<!-- TASK-2 [ADD]: flavors -->\n"
	for name, tt := range map[string]struct{ what, plan, on, section string }{
		"an addition":         {"the same call 3 times in a row: Read src/FlavorGrid.tsx", plan, "add 2 more flavors", "shop/flavors of plan.md"},
		"a change":            {"the same call 3 times in a row: Edit src/Hero.tsx", plan, "refine the hero copy", "shop/hero of plan.md"},
		"nothing to tell":     {"the same call 3 times in a row: Bash npm test", "", "", ""},
		"no plan":             {"Read src/flavors.ts", "", "add 2 more flavors", ""},
		"a plan of something": {"Read src/flavors.ts", "# Else\n", "add 2 more flavors", ""},
	} {
		on, section := FindStuck(task, tt.what, files(tt.plan))
		got := ""
		if on != nil {
			got = on.Text
		}
		if got != tt.on || section != tt.section {
			t.Errorf("%s: %q, %q", name, got, section)
		}
	}
	task.Request.Requirements = task.Request.Requirements[1:]
	if on, _ := FindStuck(task, "Bash npm test", files("")); on == nil {
		t.Error("the only requirement is the one")
	}
}
