package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The agent of a task in a working tree of its own: refused once and rolled back, then
// right. It changes what the user has changes in, too.
const apartScript = `== 1 ==
append protect.txt the agent was here
write src/answer.txt 41
== * ==
write src/answer.txt 42
append new/untracked.txt and the task's
rm keep/c.txt
sh git checkout -q -b agent; git add src; git commit -qm 'by the agent'
`

var (
	runApart = []string{"run", "write the answer", "--worktree", "--task", "T1", "--protect", "protect.txt", "--test", "true", "--", "agent"}
	mergeT1  = []string{"merge", "T1"}
)

// TestCrashApart lets a run in a working tree of its own go wrong at each of its points,
// from before the tree is made. Resumed, it comes to the same end; the user's tree is as
// it was all the time; and then the merge does as well.
func TestCrashApart(t *testing.T) {
	w := scripted(t, apartScript)
	mine := w.files()
	d := w.another(t, folder(t))
	points := d.count(t, runApart)
	d.succeed(runApart...)
	if got := differing(mine, d.files()); len(got) > 0 {
		t.Errorf("the run itself changed the user's tree: %v", got)
	}
	d.succeed(mergeT1...)
	want := d.files()
	y := newTally(t, points)
	each(t, trials(points, 12, modeKill, modeFail), func(dir string, c trial) {
		d := w.another(t, dir)
		r := d.belay(d.crash(c), runApart...)
		at := d.where(c)
		y.did(c.mode)
		d.goOnApart(y, at, r)
		if got := differing(mine, d.files()); len(got) > 0 {
			y.fault(at, lostWork, "before the merge\n%s", strings.Join(got, "\n"))
		}
		if m := d.belay("", mergeT1...); m.code != 0 {
			y.fault(at, otherwise, "%s", m)
		}
		if got := differing(want, d.files()); len(got) > 0 {
			y.fault(at, wrongTree, "\n%s", strings.Join(got, "\n"))
		}
		if _, err := os.Lstat(filepath.Join(d.repo, ".git", "belay", "trees", "t1")); err == nil {
			y.fault(at, leftBehind, "the task's working tree")
		}
		d.sound(y, at)
	})
	y.sum("run in a tree of its own")
}

// goOnApart resumes until the task has passed.
func (w *world) goOnApart(y *tally, at string, last ran) {
	w.t.Helper()
	for range 8 {
		r := w.belay("", resumeT1...)
		if r.code == 6 { // before it was recorded
			r = w.belay("", runApart...)
		}
		switch {
		case r.code == 0 || r.code == 2 && strings.Contains(r.errs, "has ended: passed"):
			return
		case r.code == 3:
			w.belay("", "gate", "decide", "T1", "guide", "--message", "there is room again")
		default:
			y.fault(at, otherwise, "%s\nbefore that: %s", r, last)
			return
		}
		last = r
	}
	y.fault(at, otherwise, "it comes to no end: %s", last)
}

// TestCrashMerge lets a merge go wrong at each of its points: done again, it has come to
// where it would have come, and one undo leads back to the tree before.
func TestCrashMerge(t *testing.T) {
	w := scripted(t, apartScript)
	mine := w.files()
	d := w.another(t, folder(t))
	d.succeed(runApart...)
	log := filepath.Join(d.up, "points")
	if r := d.belay("0:count:"+log, mergeT1...); r.code != 0 {
		t.Fatal(r)
	}
	text, err := os.ReadFile(log)
	d.must(err)
	points := strings.Count(string(text), "\n")
	want := d.files()
	if slices.Equal(mine, want) || points < 20 {
		t.Fatalf("the merge does nothing: %d points", points)
	}
	y := newTally(t, points)
	each(t, trials(points, 10, modeKill, modeFail), func(dir string, c trial) {
		d := w.another(t, dir)
		d.succeed(runApart...)
		d.belay(d.crash(c), mergeT1...)
		at := d.where(c)
		y.did(c.mode)
		if again := d.belay("", mergeT1...); again.code != 0 {
			y.fault(at, otherwise, "%s", again)
		}
		if got := differing(want, d.files()); len(got) > 0 {
			y.fault(at, wrongTree, "\n%s", strings.Join(got, "\n"))
		}
		if _, err := os.Lstat(filepath.Join(d.repo, ".git", "belay", "trees")); err == nil {
			y.fault(at, leftBehind, "the task's working tree")
		}
		d.sound(y, at)
		if r := d.belay("", "undo"); r.code != 0 {
			y.fault(at, otherwise, "%s", r)
		}
		if got := differing(mine, d.files()); len(got) > 0 {
			y.fault(at, lostWork, "after undo\n%s", strings.Join(got, "\n"))
		}
	})
	y.sum("merge")
}
