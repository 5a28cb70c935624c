package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// crashScript is the agent of the crash tests: rejected once for a protected file and rolled back,
// with everything that a rollback must restore, then wrong once, then right.
const crashScript = `== 1 ==
sh echo $BELAY_ATTEMPT >> ../ran
write src/answer.txt 42
append protect.txt the agent was here
append a.txt and here
append new/untracked.txt and here
sh chmod 755 locked; echo spoiled > locked/file; chmod 555 locked
rm keep/c.txt
write keep/c.txt/now/a folder
sh chmod 600 a.txt; ln -s ../b.txt src/link; ln -sf b.txt link; mkdir src/empty; chmod 755 protect.txt; chmod 600 b.txt; chmod 700 keep
sh rmdir hollow/folder; mkdir -p made/empty
sh git add -A; git commit -qm 'by the agent'; git checkout -q -b agent; git stash drop -q
write more/one.txt staged
sh git add more
== 2 ==
sh echo $BELAY_ATTEMPT >> ../ran
write src/answer.txt 41
== * ==
sh echo $BELAY_ATTEMPT >> ../ran
write src/answer.txt 42
`

// owned are the person's files in crash worlds, which must survive everything.
var owned = []string{"a.txt", "b.txt", "keep", "script.sh", "new", "debug.log", "link", "protect.txt", "both.txt", "locked", "hollow"}

var runT1 = []string{"run", "write the answer", "--task", "T1", "--files", "src/**", "--protect", "protect.txt",
	"--protect", "check.sh", "--test", "sh check.sh", "--", "agent"}

var resumeT1 = []string{"run", "--resume", "T1", "--", "agent"}

// dry runs the task without faults in a copy of w. It returns the final state, the passed points
// and the record.
func dry(t *testing.T, w *world) (want, points []string, record []byte) {
	t.Helper()
	d := w.another(t, folder(t))
	log := filepath.Join(d.up, "points")
	r := d.belay("0:count:"+log, runT1...)
	if r.code != 0 {
		t.Fatal(r)
	}
	text, err := os.ReadFile(log)
	d.must(err)
	points = strings.Split(strings.TrimSpace(string(text)), "\n")
	y := newTally(t, 0)
	record, err = os.ReadFile(d.record())
	d.must(err)
	want = d.state()
	d.sound(y, "undisturbed")
	d.ranOnce(y, "undisturbed")
	for _, l := range differing(w.state(), want) {
		if !strings.Contains(l, "src") {
			t.Errorf("an undisturbed run leaves more than the answer: %s", l)
		}
	}
	return want, points, record
}

func (w *world) record() string { return filepath.Join(w.repo, ".git", "belay", "tasks", "t1.jsonl") }

// scripted is a new world with a script for the agent.
func scripted(t *testing.T, script string) *world {
	t.Helper()
	w := newWorld(t)
	w.must(os.WriteFile(filepath.Join(w.up, "script"), []byte(script), 0o644))
	return w
}

// TestCrashRun injects faults at each point of a complete run: a kill, a full disk for one step,
// and a full disk from then on. Resumed, it ends as it would have without the fault.
func TestCrashRun(t *testing.T) {
	t.Parallel()
	w := scripted(t, crashScript)
	want, points, _ := dry(t, w)
	y := newTally(t, len(points))
	each(t, trials(len(points), 11, modeKill, modeFail, modeFull), func(dir string, c trial) {
		d := w.another(t, dir)
		r := d.belay(d.crash(c), runT1...)
		at := d.where(c)
		y.did(c.mode)
		y.ended(at, c, r)
		if !d.goOn(y, at, r) {
			return
		}
		d.settled(y, at, want)
		if c.mode == modeKill {
			d.ranOnce(y, at)
		}
	})
	y.sum("run")
}

// saysFull reports whether the output mentions a full disk; the last text is git's.
func saysFull(r ran) bool {
	text := strings.ToLower(r.out + r.errs)
	for _, word := range []string{"no space left", "disk is full", "are free", "couldn't write"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// goOn resumes T1 until it has passed.
func (w *world) goOn(y *tally, at string, last ran) bool {
	w.t.Helper()
	return cycle{run: runT1, resume: resumeT1}.goOn(w, y, at, last)
}

// settled checks that the state is the expected one and nothing is left over.
func (w *world) settled(y *tally, at string, want []string) {
	w.t.Helper()
	wrong, lost := []string{}, []string{}
	for _, l := range differing(want, w.state()) {
		wrong = append(wrong, l)
		for _, f := range owned {
			if strings.Contains(l, "file "+f) || strings.Contains(l, "\t"+f) {
				lost = append(lost, l)
				break
			}
		}
	}
	switch {
	case len(lost) > 0:
		y.fault(at, lostWork, "\n%s", strings.Join(lost, "\n"))
	case len(wrong) > 0:
		y.fault(at, wrongTree, "\n%s", strings.Join(wrong, "\n"))
	}
	w.sound(y, at)
}

// sound checks what must be true after any command: no lock, no temporary file, all objects there,
// the record complete.
func (w *world) sound(y *tally, at string) {
	w.t.Helper()
	locks, temps := w.litter()
	if len(locks) > 0 {
		y.fault(at, stuckLock, "%s", strings.Join(locks, " "))
	}
	if len(temps) > 0 {
		y.fault(at, leftBehind, "%s", strings.Join(temps, " "))
	}
	if out, err := w.mayGit("fsck", "--full", "--strict", "--no-dangling"); err != nil || strings.TrimSpace(out) != "" {
		y.fault(at, otherwise, "git fsck: %v %s", err, out)
	}
	if out, err := w.mayGit("count-objects", "-v"); err != nil || !strings.Contains(out, "\ngarbage: 0\n") {
		y.fault(at, leftBehind, "in git's store: %v %s", err, out)
	}
	if r := w.belay("", "log", "--verify"); r.code != 0 {
		y.fault(at, otherwise, "%s", r)
	}
}

// ranOnce checks that each attempt ran exactly once.
func (w *world) ranOnce(y *tally, at string) {
	w.t.Helper()
	text, _ := os.ReadFile(filepath.Join(w.up, "ran"))
	if string(text) != "1\n2\n3\n" {
		y.fault(at, otherwise, "the agent should have run three times, it ran as %q", text)
	}
}

// TestCrashMeanwhile writes a file, as a person, after belay was killed in a rollback. The file
// stays, and the record names it, as without the kill.
func TestCrashMeanwhile(t *testing.T) {
	t.Parallel()
	w := scripted(t, crashScript)
	want, points, _ := dry(t, w)
	first := slices.IndexFunc(points, func(p string) bool { return strings.HasSuffix(p, "/intent.json") })
	y := newTally(t, 3)
	each(t, []int{first - 1, first + 1, first + 20}, func(dir string, n int) {
		d := w.another(t, dir)
		c := trial{n, modeKill}
		r := d.belay(d.crash(c), runT1...)
		y.did(c.mode)
		at := d.where(c)
		d.write("mine.txt", "written meanwhile\n")
		give(t, filepath.Join(d.repo, "mine.txt"))
		if !d.goOn(y, at, r) {
			return
		}
		if show := d.belay("", "show", "T1", "--json"); !strings.Contains(show.out, `"mine.txt: `) {
			y.fault(at, otherwise, "the record does not name what was kept: %s", show)
		}
		if text, err := os.ReadFile(filepath.Join(d.repo, "mine.txt")); err != nil || string(text) != "written meanwhile\n" {
			y.fault(at, lostWork, "mine.txt: %q %v", text, err)
		}
		d.must(os.Remove(filepath.Join(d.repo, "mine.txt")))
		d.settled(y, at, want)
	})
	y.sum("meanwhile")
}

// TestCrashOften crashes the run and then its resumes repeatedly, at random points and in random
// ways, before it lets one pass.
func TestCrashOften(t *testing.T) {
	t.Parallel()
	w := scripted(t, crashScript)
	want, points, _ := dry(t, w)
	seeds := make([]uint64, 3)
	if crashAll() {
		seeds = make([]uint64, 60)
	}
	for i := range seeds {
		seeds[i] = uint64(i)
	}
	y := newTally(t, len(points))
	each(t, seeds, func(dir string, seed uint64) {
		lot := rand.New(rand.NewPCG(seed, 1))
		d := w.another(t, dir)
		var met []string
		last := ran{}
		for range 3 + lot.IntN(10) {
			c := trial{1 + lot.IntN(len(points)/2), []string{modeKill, modeKill, modeFail, modeFull}[lot.IntN(4)]}
			args := resumeT1
			if last.code == 6 || len(met) == 0 {
				args = runT1
			}
			last = d.belay(d.crash(c), args...)
			met = append(met, d.where(c))
			y.did(c.mode)
			if last.code == 3 {
				d.belay("", "gate", "decide", "T1", "guide", "--message", "there is room again")
			}
		}
		at := fmt.Sprintf("seed %d (%s)", seed, strings.Join(met, ", "))
		if d.goOn(y, at, last) {
			d.settled(y, at, want)
		}
	})
	y.sum("often")
}

// TestCrashUnderAgent kills belay from within the agent, at the start and at the end of each
// attempt: the agent keeps running, and its attempt is continued.
func TestCrashUnderAgent(t *testing.T) {
	t.Parallel()
	w := scripted(t, crashScript)
	want, _, _ := dry(t, w)
	const kill = `sh kill -9 $(sed 's/.*"pid":\([0-9]*\).*/\1/' .git/belay/tree.lock)` + "\n"
	type moment struct{ name, script string }
	var all []moment
	blocks := strings.Split(crashScript, "== ")[1:]
	for i, b := range blocks {
		head, body, _ := strings.Cut(b, "\n")
		for name, killed := range map[string]string{"begins": kill + body, "ends": body + kill} {
			changed := slices.Clone(blocks)
			changed[i] = head + "\n" + killed
			all = append(all, moment{fmt.Sprintf("attempt %d %s", i+1, name), "== " + strings.Join(changed, "== ")})
		}
	}
	y := newTally(t, len(all))
	each(t, all, func(dir string, m moment) {
		d := w.another(t, dir)
		d.must(os.WriteFile(filepath.Join(d.up, "script"), []byte(m.script), 0o644))
		first := d.belay("", runT1...)
		y.did(modeKill)
		if !first.killed {
			y.fault(m.name, otherwise, "it was to be killed: %s", first)
		}
		if d.goOn(y, m.name, first) {
			d.settled(y, m.name, want)
			d.ranOnce(y, m.name)
		}
	})
	y.sum("under the agent")
}
