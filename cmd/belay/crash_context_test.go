package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	takeT1   = []string{"context", "snapshot", "T1", "--role", "implementer"}
	handedT1 = []string{"context", "verify", "T1", "--for", "reviewer"}
)

// atWork is a world in which the implementer of T1 is working.
func atWork(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.write(".belay/.gitignore", "/now/\n")
	give(t, w.repo)
	w.succeed("task", "add", "write the answer", "--task", "T1", "--files", "src/**")
	w.succeed("task", "start", "T1")
	w.succeed("context", "init", "T1", "--without-standards")
	w.succeed("context", "update", "T1", "--role", "implementer", "--status", "in_progress")
	w.write("src/answer.txt", strings.Repeat("forty-two\n", 20000)) // so large that its diff is stored compressed
	w.write("b.txt", "edited by the implementer\n")
	give(t, w.repo)
	return w
}

// TestCrashHandover injects faults at each point of a handover: in the tree's snapshot, the
// attachments, the entry, the exports for the others. Then the role is still working, or all of its
// work is handed over; verify reports which, and repeating the command completes it.
func TestCrashHandover(t *testing.T) {
	t.Parallel()
	w := atWork(t)
	d := w.another(t, folder(t))
	d.succeed(takeT1...)
	tree, whole := d.state(), d.belay("", "context", "diff", "T1", "--full").out
	if !strings.Contains(whole, "+edited by the implementer") {
		t.Fatal(whole)
	}
	sweep{name: "handover", sample: 9, modes: []string{modeKill, modeFail, modeFull}, args: takeT1, after: func(d *world, y *tally, at string, left ran) {
		if got := outsideBelays(differing(tree, d.state())); len(got) > 0 {
			y.fault(at, wrongTree, "\n%s", strings.Join(got, "\n"))
		}
		d.toldTruly(y, at, whole)
		if again := d.belay("", takeT1...); again.code != 0 {
			y.fault(at, otherwise, "%s\nafter %s", again, left)
			return
		}
		if v := d.belay("", handedT1...); v.code != 0 {
			y.fault(at, otherwise, "%s", v)
		}
		if got := d.belay("", "context", "diff", "T1", "--full"); got.out != whole {
			y.fault(at, lostWork, "the diff is another one: %s", got)
		}
		for _, role := range []string{"implementer", "reviewer", "validator"} {
			if _, err := os.Stat(filepath.Join(d.repo, ".belay", "now", "context-t1-"+role+".json")); err != nil {
				y.fault(at, otherwise, "%v", err)
			}
		}
		d.write("b.txt", "edited meanwhile\n")
		if v := d.belay("", handedT1...); v.code != 4 || !strings.Contains(v.out, "content  b.txt") {
			y.fault(at, otherwise, "an edit is not seen: %s", v)
		}
		d.sound(y, at)
	}}.over(t, w)
}

// toldTruly checks that verify and get report the real state of a handover.
func (w *world) toldTruly(y *tally, at, whole string) {
	w.t.Helper()
	got := w.belay("", "context", "get", "T1", "--json")
	handed := strings.Contains(got.out, `"worktree_snapshot"`)
	v, diff := w.belay("", handedT1...), w.belay("", "context", "diff", "T1", "--full")
	switch {
	case got.code != 0:
		y.fault(at, otherwise, "%s", got)
	case handed && (v.code != 0 || diff.out != whole):
		y.fault(at, otherwise, "it was handed over: %s\n%s", v, diff)
	case !handed && (v.code != 5 || !strings.Contains(v.errs, "implementer is working on T1") || diff.code != 6):
		y.fault(at, otherwise, "it was not handed over: %s\n%s", v, diff)
	}
	if mine := w.belay("", "context", "verify", "T1"); mine.code != 0 {
		y.fault(at, otherwise, "%s", mine)
	}
	if doctor := w.belay("", "doctor"); doctor.code != 0 {
		y.fault(at, otherwise, "%s", doctor)
	}
}
