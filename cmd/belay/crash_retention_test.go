package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const retentionScript = `== * ==
write src/answer.txt 41
`

var endT1 = []string{"run", "--resume", "T1"}

// TestCrashRetention injects faults at each of the last points of the command that ends a task:
// when the task is closed, when the snapshots to keep are chosen, and when the others are
// forgotten. A fault in the last two is no error of the command. The task ends anyway, what a
// rollback and an undo need is there, and the next command does the rest.
func TestCrashRetention(t *testing.T) {
	t.Parallel()
	w := scripted(t, retentionScript)
	w.write(".belay/config.yaml", "snapshot: {on_completion: prune}\n")
	give(t, w.repo)
	before := w.files()
	if r := w.belay("", "run", "write the answer", "--task", "T1", "--retry", "repair", "--retries", "1", "--test", "sh check.sh", "--", "agent"); r.code != 3 {
		t.Fatal(r)
	}
	w.write("src/answer.txt", "42\n")
	give(t, w.repo)
	w.succeed("gate", "decide", "T1", "recheck")
	d := w.another(t, folder(t))
	points := d.counted(endT1, 0)
	text, err := os.ReadFile(filepath.Join(d.up, "points"))
	d.must(err)
	names := strings.Split(strings.TrimSpace(string(text)), "\n")
	stamp := slices.IndexFunc(names, func(l string) bool { return strings.HasSuffix(l, "belay/retained") })
	if stamp < 0 || !strings.Contains(names[len(names)-1], "refs/belay/") {
		t.Fatalf("no snapshots are forgotten:\n%s", text)
	}
	kept := strings.Count(d.belay("", "snapshot", "list", "--task", "T1").out, "\n")
	y := newTally(t, points)
	var list []trial
	for n := points; n > max(0, points-25); n-- {
		for _, mode := range []string{modeKill, modeFail, modeFull} {
			if crashAll() || (n+len(mode))%5 == 0 || n > stamp {
				list = append(list, trial{n, mode})
			}
		}
	}
	if !wide() {
		list = every(list, 3, 0)
	}
	each(t, list, func(dir string, c trial) {
		d := w.another(t, dir)
		left := d.belay(d.crash(c), endT1...)
		at := d.where(c)
		y.did(c.mode)
		if c.n > stamp && left.code != 0 && !left.killed {
			y.fault(at, otherwise, "the end of a task failed over its snapshots: %s", left)
		}
		for range 3 {
			again := d.belay("", endT1...)
			if again.code == 2 && strings.Contains(again.errs, "has ended: accepted") {
				break
			}
			if again.code == 3 {
				d.belay("", "gate", "decide", "T1", "recheck")
			}
		}
		if r := d.belay("", "show", "T1"); !strings.Contains(r.out, "passed") {
			y.fault(at, otherwise, "%s", r)
		}
		ended := d.files()
		if r := d.belay("", "rollback", "T1", "--hard", "--yes"); r.code != 0 {
			y.fault(at, lostWork, "%s", r)
		}
		if got := outsideBelays(differing(before, d.files())); len(got) > 0 {
			y.fault(at, wrongTree, "\n%s", strings.Join(got, "\n"))
		}
		if r := d.belay("", "undo"); r.code != 0 {
			y.fault(at, lostWork, "%s", r)
		}
		if got := outsideBelays(differing(ended, d.files())); len(got) > 0 {
			y.fault(at, wrongTree, "\n%s", strings.Join(got, "\n"))
		}
		d.must(os.RemoveAll(filepath.Join(d.repo, ".git", "belay", "retained"))) // as if an hour had passed
		if r := d.belay("", "run", "something else", "--as-it-is", "--task", "T2", "--test", "true", "--", "agent"); r.code != 0 {
			y.fault(at, otherwise, "%s", r)
		}
		rest := d.belay("", "snapshot", "list", "--task", "T1")
		if n := strings.Count(rest.out, "\n"); n > kept+2 { // and the rescues of the rollback and the undo
			y.fault(at, leftBehind, "%d snapshots are left of %d\n%s", n, kept, rest)
		}
		if doctor := d.belay("", "doctor"); doctor.code != 0 {
			y.fault(at, otherwise, "%s", doctor)
		}
		d.sound(y, at)
	})
	y.sum("retention")
}
