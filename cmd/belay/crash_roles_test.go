package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rolesScript is the agent of every role: it logs its start, and the first one does the work.
const rolesScript = `== * ==
sh echo $BELAY_ROLE >> ../ran
write src/answer.txt 42
sh test -s "$BELAY_TASK_CONTEXT"
`

var (
	runRoles = []string{"run", "--pipeline", "implement,review,validate", "write the answer", "--task", "T1", "--files", "src/**",
		"--test", "sh check.sh", "--trust", "--", "agent"}
	resumeRoles = []string{"run", "--resume", "T1", "--trust", "--", "agent"} // with --trust, in case of a kill before the trust was recorded
)

// TestCrashRoles injects faults at each point of a task with several roles. Resumed, every role has
// worked once, or twice if its agent was lost with belay, and the work is accepted as without the
// fault.
func TestCrashRoles(t *testing.T) {
	t.Parallel()
	w := scripted(t, rolesScript)
	d := w.another(t, folder(t))
	d.succeed(runRoles...)
	want := d.state()
	again := cycle{run: runRoles, resume: resumeRoles, bears: func(r ran) bool {
		return r.code == 1 && strings.Contains(r.errs, "stops T1") // an agent or a check failed because of the full disk
	}}
	sweep{name: "roles", sample: 7, modes: []string{modeKill, modeFail, modeFull}, args: runRoles, after: func(d *world, y *tally, at string, left ran) {
		again.goOn(d, y, at, left)
		d.settled(y, at, want)
		d.eachRole(y, at)
	}}.over(t, w)
}

// eachRole checks that all roles worked, in order.
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
