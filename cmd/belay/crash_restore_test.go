package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ruin is the damage that the restores of these tests repair.
const ruin = `
echo spoiled >> a.txt
rm b.txt keep/c.txt
mkdir -p keep/c.txt/now && echo folder > keep/c.txt/now/a
ln -sfn b.txt link
chmod 640 script.sh
rm -r new && echo 'a file' > new
git add -A && git commit -qm spoiled && git checkout -q -b spoiled
git branch -qD other && git tag -d v1 >/dev/null && git stash drop -q
echo more > more.txt && git add more.txt && echo 'and more' >> more.txt
chmod 755 locked && echo spoiled > locked/file && chmod 555 locked
rmdir hollow/folder && mkdir -p made/empty && chmod 600 b*.txt
mkdir -p deep/er && echo x > deep/er/file && ln -s nowhere deep/link
git config user.nickname spoiled
`

// ruined is a world before and after its ruin: good is the state of a snapshot, bad the current
// one.
type ruined struct {
	*world
	id        string
	good, bad []string
}

func newRuined(t *testing.T) ruined {
	t.Helper()
	w := newWorld(t)
	r := ruined{world: w, good: w.state()}
	took := w.belay("", "snapshot", "take")
	if took.code != 0 {
		t.Fatal(took)
	}
	r.id = strings.TrimSpace(took.out)
	r.spoil()
	r.bad = w.state()
	return r
}

func (w *world) spoil() {
	w.t.Helper()
	c := exec.Command("sh", "-e", "-c", ruin)
	c.Dir, c.Env = w.repo, w.env()
	asUser(c)
	if r := w.run(context.Background(), c, []string{"(spoil)"}); r.code != 0 {
		w.t.Fatal(r)
	}
}

// succeed runs a command that must succeed.
func (w *world) succeed(args ...string) {
	w.t.Helper()
	if r := w.belay("", args...); r.code != 0 {
		w.t.Fatal(r)
	}
}

// crashed is a command that gets a fault, with the expected result of the next command.
type crashed struct {
	name string
	args []string
	then []follow
}

// follow is a command after a crash. ends is the state after it, whatever the crash left; nil is
// either of the two, completely. mayRefuse: there may be nothing to do.
type follow struct {
	args      []string
	ends      []string
	mayRefuse bool
}

// TestCrashRestore injects faults at each point of restore, undo and redo. The next command,
// whichever it is, leads to exactly one of the two states; the replaced one can still be restored.
func TestCrashRestore(t *testing.T) {
	t.Parallel()
	r := newRuined(t)
	again := []string{"snapshot", "restore", r.id, "--yes"}
	undo, redo, take := []string{"undo"}, []string{"redo"}, []string{"snapshot", "take"}
	restored := r.another(t, folder(t))
	restored.succeed(again...)
	for _, l := range differing(r.good, restored.state()) {
		if !newBranch(l) {
			t.Fatalf("an undisturbed restore does not roll back everything: %s", l)
		}
	}
	r.good = restored.state()
	undone := restored.another(t, folder(t))
	undone.succeed(undo...)
	for _, c := range []struct {
		from *world
		crashed
	}{
		{r.world, crashed{"restore", again, []follow{{again, r.good, false}, {undo, r.bad, true}, {take, nil, false}}}},
		{restored, crashed{"undo", undo, []follow{{undo, r.bad, true}, {redo, r.good, true}, {take, nil, false}, {again, r.good, false}}}},
		{undone, crashed{"redo", redo, []follow{{redo, r.good, true}, {undo, r.bad, true}, {take, nil, false}, {again, r.good, false}}}},
	} {
		r.crash(t, c.from, c.crashed)
	}
}

// newBranch matches what a restore does not remove: new branches.
func newBranch(line string) bool { return strings.Contains(line, "refs/heads/spoiled") }

// crash injects the faults of one command.
func (r ruined) crash(t *testing.T, from *world, c crashed) {
	t.Helper()
	points := from.count(t, c.args)
	y := newTally(t, points)
	type try struct {
		trial
		follow
	}
	var all []try
	for i, one := range trials(points, 8, modeKill, modeFail, modeFull) {
		if crashAll() && one.mode == modeKill {
			for _, f := range c.then {
				all = append(all, try{one, f})
			}
			continue
		}
		all = append(all, try{one, c.then[i%len(c.then)]})
	}
	each(t, all, func(dir string, x try) {
		d := from.another(t, dir)
		first := d.belay(d.crash(x.trial), c.args...)
		at := c.name + " " + d.where(x.trial) + ", then " + x.args[0]
		y.did(x.mode)
		y.ended(at, x.trial, first)
		then := d.belay("", x.args...)
		if then.code != 0 && !(x.mayRefuse && then.code == 2 && strings.Contains(then.errs, "nothing to")) {
			y.fault(at, otherwise, "%s\nafter %s", then, first)
			return
		}
		want := x.ends
		if now := d.state(); want == nil {
			if want = r.good; len(differing(want, now)) > len(differing(r.bad, now)) {
				want = r.bad
			}
		}
		d.settled(y, at, want)
		d.bothWays(y, at, r)
	})
	y.sum(c.name)
}

// bothWays checks that, whatever happened, both states can still be restored.
func (w *world) bothWays(y *tally, at string, r ruined) {
	w.t.Helper()
	if now := w.state(); len(differing(r.bad, now)) == 0 {
		return // the replaced state is there, and the other one's ID is known
	}
	undo := w.belay("", "undo")
	if left := differing(r.bad, w.state()); len(left) > 0 || undo.code != 0 {
		y.fault(at, lostWork, "undo does not restore it: %s\n%s", undo, strings.Join(left, "\n"))
	}
	if back := w.belay("", "redo"); back.code != 0 || len(differing(r.good, w.state())) > 0 {
		y.fault(at, wrongTree, "redo after undo: %s\n%s", back, strings.Join(differing(r.good, w.state()), "\n"))
	}
}

// ended checks the exit status and output of a command with a fault.
func (y *tally) ended(at string, c trial, r ran) {
	y.t.Helper()
	switch {
	case r.killed && c.mode == modeKill, r.code == 0:
	case r.killed || c.mode == modeKill:
		y.fault(at, otherwise, "unexpected exit: %s", r)
	case r.code != 2 && r.code != 3:
		y.fault(at, otherwise, "an error should end with 2, or at a gate with 3: %s", r)
	case !saysFull(r):
		y.fault(at, otherwise, "the error does not mention the full disk: %s", r)
	}
}

// count returns the number of points that a command passes.
func (w *world) count(t *testing.T, args []string) int {
	t.Helper()
	return w.another(t, folder(t)).counted(args, 0)
}

// counted runs a command without faults, which must end with this status, and returns the number of
// points.
func (d *world) counted(args []string, code int) int {
	d.t.Helper()
	log := filepath.Join(d.up, "points")
	if r := d.belay("0:count:"+log, args...); r.code != code {
		d.t.Fatal(r)
	}
	text, err := os.ReadFile(log)
	d.must(err)
	return strings.Count(string(text), "\n")
}

// TestCrashTake injects faults at each point of a snapshot. Nothing that a person can see changes,
// and the next snapshot is complete.
func TestCrashTake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good, take := w.state(), []string{"snapshot", "take"}
	index, err := os.ReadFile(filepath.Join(w.repo, ".git", "index"))
	w.must(err)
	points := w.count(t, take)
	y := newTally(t, points)
	each(t, trials(points, 6, modeKill, modeFail, modeFull), func(dir string, c trial) {
		d := w.another(t, dir)
		first := d.belay(d.crash(c), take...)
		at := "take " + d.where(c)
		y.did(c.mode)
		y.ended(at, c, first)
		if now, err := os.ReadFile(filepath.Join(d.repo, ".git", "index")); err != nil || string(now) != string(index) {
			y.fault(at, lostWork, "the index is not the same: %v", err)
		}
		if left := differing(good, d.state()); len(left) > 0 {
			y.fault(at, wrongTree, "\n%s", strings.Join(left, "\n"))
		}
		second := d.belay("", take...)
		if second.code != 0 {
			y.fault(at, otherwise, "%s\nafter %s", second, first)
			return
		}
		d.sound(y, at)
		d.spoil()
		if back := d.belay("", "snapshot", "restore", strings.TrimSpace(second.out), "--yes"); back.code != 0 {
			y.fault(at, lostWork, "%s", back)
		}
		for _, l := range differing(good, d.state()) {
			if !newBranch(l) {
				y.fault(at, wrongTree, "%s", l)
			}
		}
		d.sound(y, at)
	})
	y.sum("take")
}

// TestCrashForget deletes the snapshot that a killed restore was restoring. Belay's own commands
// finish the restore first; if it was deleted with git, the next command reports that, once, and
// the previous state can be restored.
func TestCrashForget(t *testing.T) {
	t.Parallel()
	r := newRuined(t)
	restore := []string{"snapshot", "restore", r.id, "--yes"}
	at := trial{r.count(t, restore) / 2, modeKill}
	done := r.another(t, folder(t))
	done.succeed(restore...)
	r.good = done.state()
	y := newTally(t, 1)
	each(t, []string{"drop", "prune", "git"}, func(dir, how string) {
		d := r.another(t, dir)
		if got := d.belay(d.crash(at), restore...); !got.killed {
			t.Errorf("it was to be killed: %s", got)
		}
		switch how {
		case "drop":
			d.succeed("snapshot", "drop", r.id, "--yes")
			d.settled(y, how, r.good)
		case "prune":
			d.succeed("snapshot", "prune", "--older-than", "0s")
			d.settled(y, how, r.good)
			return // the snapshot of the previous state was old, too
		case "git":
			d.git("update-ref", "-d", "refs/belay/"+r.id)
			if got := d.belay("", "snapshot", "take"); got.code != 2 || !strings.Contains(got.errs, "belay undo") {
				t.Errorf("it should say that the restore cannot be finished: %s", got)
			}
			d.succeed("snapshot", "take")
		}
		d.succeed("undo")
		d.settled(y, how, r.bad)
	})
}
