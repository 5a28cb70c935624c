package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	planText  = "<App>\n  <Screen name=\"landing\">\n    <Section gumdrop=\"features\">\n      {/* from src/Features.tsx */}\n    </Section>\n    <Section gumdrop=\"cta\" />\n  </Screen>\n</App>"
	planItems = "export const drinks = [\n  'Ember', 'Arctic',\n];\n"
	planAgent = "== * ==\nsh cp plan.tsx ../seen$BELAY_ATTEMPT; sed -i \"s/'Arctic',/'Arctic', 'Lull', 'Moon',/\" src/Features.tsx\n"
)

// TestCrashPlan kills a run at each point around those at which it writes the task's plan: when it
// marks it before the first snapshot, and when it removes the markers at the end. The plan is
// exactly the one before or the one after; resumed, the agent finds it marked, and when the task
// has ended it is unchanged.
func TestCrashPlan(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{"plan.tsx": planText, "src/Features.tsx": planItems, ".belay/config.yaml": "plan:\n  path: plan.tsx\n"})
	w.must(os.WriteFile(filepath.Join(w.up, "script"), []byte(planAgent), 0o644))
	run := []string{"run", "Add 2 nighttime drinks to the features section", "--task", "T1", "--test", "true", "--", "agent"}
	d := w.another(t, folder(t))
	log := filepath.Join(d.up, "points")
	if r := d.belay("0:count:"+log, run...); r.code != 0 {
		t.Fatal(r)
	}
	text, err := os.ReadFile(log)
	d.must(err)
	want, marked := d.state(), read(t, d.up, "seen1")
	if !strings.Contains(marked, "TASK-1 [ADD]: (2)") || read(t, d.repo, "plan.tsx") != planText {
		t.Fatalf("undisturbed, the plan is marked and unmarked: %s", marked)
	}
	var kills []int
	points := strings.Split(strings.TrimSpace(string(text)), "\n")
	near := func(n int) bool {
		for i := max(0, n-4); i <= min(len(points)-1, n+2); i++ { // its new text is written to a temporary file before the rename
			if strings.Contains(points[i], "plan.tsx") {
				return true
			}
		}
		return false
	}
	for n := range points {
		if near(n) || crashAll() {
			kills = append(kills, n+1)
		}
	}
	if len(kills) < 8 {
		t.Fatalf("too few points are about the plan: %v", points)
	}
	if !wide() {
		kills = every(kills, 3, 0)
	}
	again := cycle{run: run, resume: resumeT1}
	y := newTally(t, len(points))
	each(t, kills, func(dir string, n int) {
		d, c := w.another(t, dir), trial{n, modeKill}
		left := d.belay(d.crash(c), run...)
		at := d.where(c)
		y.did(c.mode)
		if now := read(t, d.repo, "plan.tsx"); now != planText && now != marked {
			y.fault(at, wrongTree, "half a plan: %q", now)
		}
		if !again.goOn(d, y, at, left) {
			return
		}
		if seen := read(t, d.up, "seen1"); seen != marked {
			y.fault(at, otherwise, "the agent found %q", seen)
		}
		d.settled(y, at, want)
	})
	y.sum("plan")
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
