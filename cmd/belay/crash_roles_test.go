package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The agent of every role: it says that it was there, and the first one does the work.
const rolesScript = `== * ==
sh echo $BELAY_ROLE >> ../ran
write src/answer.txt 42
sh test -s "$BELAY_TASK_CONTEXT"
`

var (
	runRoles = []string{"run", "--pipeline", "implement,review,validate", "write the answer", "--task", "T1", "--files", "src/**",
		"--test", "sh check.sh", "--trust", "--", "agent"}
	resumeRoles = []string{"run", "--resume", "T1", "--", "agent"}
)

// TestCrashRoles lets a task that is handed from role to role go wrong at each of its
// points. Resumed, every role has worked once, or a second time where its agent was lost
// with belay, and the work is accepted as it would have been.
func TestCrashRoles(t *testing.T) {
	w := scripted(t, rolesScript)
	d := w.another(t, folder(t))
	points := d.count(t, runRoles)
	d.succeed(runRoles...)
	want := d.state()
	y := newTally(t, points)
	each(t, trials(points, 10, modeKill, modeFail, modeFull), func(dir string, c trial) {
		d := w.another(t, dir)
		r := d.belay(d.crash(c), runRoles...)
		at := d.where(c)
		y.did(c.mode)
		d.goOnRoles(y, at, r)
		d.settled(y, at, want)
		d.eachRole(y, at)
	})
	y.sum("roles")
}

// goOnRoles resumes until the task has passed.
func (w *world) goOnRoles(y *tally, at string, last ran) {
	w.t.Helper()
	for range 8 {
		r := w.belay("", resumeRoles...)
		if r.code == 6 { // before it was recorded
			r = w.belay("", runRoles...)
		}
		switch {
		case r.code == 0 || r.code == 2 && strings.Contains(r.errs, "has ended: passed"):
			return
		case r.code == 3:
			w.belay("", "gate", "decide", "T1", "guide", "--message", "there is room again")
		case r.code == 1 && strings.Contains(r.errs, "stops T1"): // a full disk made an agent or a check fail
		default:
			y.fault(at, otherwise, "%s\nbefore that: %s", r, last)
			return
		}
		last = r
	}
	y.fault(at, otherwise, "it comes to no end: %s", last)
}

// eachRole checks that all roles worked, in their order.
func (w *world) eachRole(y *tally, at string) {
	w.t.Helper()
	text, _ := os.ReadFile(filepath.Join(w.up, "ran"))
	order := strings.Fields(string(text))
	last := 0
	for _, role := range []string{"implementer", "reviewer", "validator"} {
		i := strings.Index(strings.Join(order, " "), role)
		if i < last {
			y.fault(at, otherwise, "the roles worked as %q", order)
			return
		}
		last = i
	}
}
