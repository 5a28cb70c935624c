package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// apartScript is the agent of a task in its own worktree: rejected once and rolled back, then
// right. It also changes files that the user has changes in.
const apartScript = `== 1 ==
append protect.txt the agent was here
write src/answer.txt 41
== * ==
write src/answer.txt 42
append new/untracked.txt and the task's
rm keep/c.txt
sh git checkout -q -b agent; git add src; git commit -qm 'by the agent' || true # what stood unmerged stays so
`

var (
	runApart = []string{"run", "write the answer", "--worktree", "--task", "T1", "--protect", "protect.txt", "--test", "true", "--", "agent"}
	mergeT1  = []string{"merge", "T1"}
)

// TestCrashApart injects faults at each point of a run in its own worktree, also before the
// worktree is created. Resumed, it ends in the same state; the user's tree never changes; and then
// the merge has the same result too.
func TestCrashApart(t *testing.T) {
	t.Parallel()
	w := scripted(t, apartScript)
	mine := w.files()
	d := w.another(t, folder(t))
	d.succeed(runApart...)
	if got := differing(mine, d.files()); len(got) > 0 {
		t.Errorf("the run itself changed the user's tree: %v", got)
	}
	d.succeed(mergeT1...)
	want := d.files()
	again := cycle{run: runApart, resume: resumeT1}
	sweep{name: "run in a tree of its own", sample: 9, modes: []string{modeKill, modeFail}, args: runApart, after: func(d *world, y *tally, at string, left ran) {
		again.goOn(d, y, at, left)
		if got := differing(mine, d.files()); len(got) > 0 {
			y.fault(at, lostWork, "before the merge\n%s", strings.Join(got, "\n"))
		}
		if m := d.belay("", mergeT1...); m.code != 0 {
			y.fault(at, otherwise, "%s", m)
		}
		if got := differing(want, d.files()); len(got) > 0 {
			y.fault(at, wrongTree, "\n%s", strings.Join(got, "\n"))
		}
		if _, err := os.Lstat(filepath.Join(d.repo+".belay", "t1")); err == nil {
			y.fault(at, leftBehind, "the task's working tree")
		}
		d.sound(y, at)
	}}.over(t, w)
}

// TestCrashMerge injects faults at each point of a merge: repeated, it has the same result as
// without a fault, and one undo restores the tree before it.
func TestCrashMerge(t *testing.T) {
	t.Parallel()
	w := scripted(t, apartScript)
	mine := w.files()
	d := w.another(t, folder(t))
	d.succeed(runApart...)
	d.succeed(mergeT1...)
	want := d.files()
	if slices.Equal(mine, want) {
		t.Fatal("the merge does nothing")
	}
	sweep{name: "merge", sample: 7, modes: []string{modeKill, modeFail}, args: mergeT1, ready: func(d *world) { d.succeed(runApart...) }, after: func(d *world, y *tally, at string, _ ran) {
		if again := d.belay("", mergeT1...); again.code != 0 {
			y.fault(at, otherwise, "%s", again)
		}
		if got := differing(want, d.files()); len(got) > 0 {
			y.fault(at, wrongTree, "\n%s", strings.Join(got, "\n"))
		}
		if _, err := os.Lstat(d.repo + ".belay"); err == nil {
			y.fault(at, leftBehind, "the task's working tree")
		}
		d.sound(y, at)
		if r := d.belay("", "undo"); r.code != 0 {
			y.fault(at, otherwise, "%s", r)
		}
		if got := differing(mine, d.files()); len(got) > 0 {
			y.fault(at, lostWork, "after undo\n%s", strings.Join(got, "\n"))
		}
	}}.over(t, w)
}

// TestCrashMergeTicks kills a merge of a task that was imported from a file, and the undo of it, at
// each point. After the merge, or the undo, is repeated, the box in the file is ticked if and only
// if the work is there.
func TestCrashMergeTicks(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{"a.txt": "one\n", "tasks.md": "# Tasks\n\n- [ ] T1 make new.txt\n- [ ] T2 more\n"})
	w.must(os.WriteFile(filepath.Join(w.up, "script"), []byte("== 1 ==\nwrite new.txt new\n"), 0o644))
	w.succeed("task", "import", "tasks.md", "--test", "true", "--", "agent")
	w.succeed("run", "--worktree", "--resume", "T1")
	before := w.files()
	d := w.another(t, folder(t))
	merge := func(d *world) { d.succeed("merge", "T1", "--keep") }
	merge(d)
	merged := d.files()
	if slices.Equal(before, merged) {
		t.Fatal("the merge does nothing")
	}
	is := func(d *world, y *tally, at string, want []string, what string) {
		if got := differing(want, d.files()); len(got) > 0 {
			y.fault(at, wrongTree, "%s\n%s", what, strings.Join(got, "\n"))
		}
	}
	sweep{name: "merge with a tick", sample: 10, modes: []string{modeKill}, args: []string{"merge", "T1", "--keep"}, after: func(d *world, y *tally, at string, _ ran) {
		if r := d.belay("", "merge", "T1", "--keep"); r.code != 0 {
			y.fault(at, otherwise, "%s", r)
		}
		is(d, y, at, merged, "merged again")
		d.sound(y, at)
		if r := d.belay("", "undo"); r.code != 0 {
			y.fault(at, otherwise, "%s", r)
		}
		is(d, y, at, before, "after undo")
	}}.over(t, w)
	sweep{name: "undo of a merge with a tick", sample: 10, modes: []string{modeKill}, args: []string{"undo"}, ready: merge, after: func(d *world, y *tally, at string, _ ran) {
		if r := d.belay("", "undo"); r.code != 0 && !strings.Contains(r.errs, "nothing to undo") {
			y.fault(at, otherwise, "%s", r)
		}
		is(d, y, at, before, "undone")
		d.sound(y, at)
		if r := d.belay("", "redo"); r.code != 0 {
			y.fault(at, otherwise, "%s", r)
		}
		is(d, y, at, merged, "after redo")
	}}.over(t, w)
}
