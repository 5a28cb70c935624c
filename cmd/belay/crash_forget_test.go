package main

import (
	"strings"
	"sync"
	"testing"
)

// TestCrashForgetting injects faults at each point of drop and prune. The tree is not touched, the
// remaining snapshots are complete and can be restored, and the next try finishes.
func TestCrashForgetting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []string
	for i := range 3 {
		w.write("new/untracked.txt", strings.Repeat("version\n", i+1))
		give(t, w.repo)
		r := w.belay("", "snapshot", "take")
		if r.code != 0 {
			t.Fatal(r)
		}
		ids = append(ids, strings.TrimSpace(r.out))
	}
	good := w.state()
	for _, args := range [][]string{{"snapshot", "drop", ids[0], "--yes"}, {"snapshot", "drop", ids[2], "--yes"}, {"snapshot", "prune", "--older-than", "0s"}} {
		points := w.count(t, args)
		y := newTally(t, points)
		each(t, trials(points, 4, modeKill, modeFail, modeFull), func(dir string, c trial) {
			d := w.another(t, dir)
			first := d.belay(d.crash(c), args...)
			at := args[1] + " " + d.where(c)
			y.did(c.mode)
			y.ended(at, c, first)
			if left := differing(good, d.state()); len(left) > 0 {
				y.fault(at, wrongTree, "\n%s", strings.Join(left, "\n"))
			}
			if then := d.belay("", args...); then.code != 0 && then.code != 6 {
				y.fault(at, otherwise, "%s\nafter %s", then, first)
			}
			if doctor := d.belay("", "doctor"); doctor.code != 0 {
				y.fault(at, otherwise, "%s", doctor)
			}
			took := d.belay("", "snapshot", "take")
			d.spoil()
			if back := d.belay("", "snapshot", "restore", strings.TrimSpace(took.out), "--yes"); back.code != 0 {
				y.fault(at, lostWork, "%s", back)
			}
			for _, l := range differing(good, d.state()) {
				if !newBranch(l) {
					y.fault(at, wrongTree, "%s", l)
				}
			}
			d.sound(y, at)
		})
		y.sum(strings.Join(args[1:2], " "))
	}
}

// TestCrashTogether starts snapshots, restores and undoes at the same time, and kills some of them.
// The second one waits, or reports which one was first; in the end the tree is in one of the two
// states, and every reported snapshot is complete.
func TestCrashTogether(t *testing.T) {
	t.Parallel()
	r := newRuined(t)
	restore, take := []string{"snapshot", "restore", r.id, "--yes"}, []string{"snapshot", "take"}
	done := r.another(t, folder(t))
	done.succeed(restore...)
	r.good = done.state()
	together := [][][]string{{take, take}, {take, restore}, {restore, restore}, {take, take, restore}, {restore, take, {"status"}}}
	rounds := 1
	if crashAll() {
		rounds = 12
	}
	type race struct {
		all   [][]string
		round int
	}
	var list []race
	for round := range rounds {
		for _, all := range together {
			list = append(list, race{all, round})
		}
	}
	y := newTally(t, len(list))
	each(t, list, func(dir string, x race) {
		d := r.another(t, dir)
		var names []string
		ended := make([]ran, len(x.all))
		var wait sync.WaitGroup
		for i, args := range x.all {
			names = append(names, args[1%len(args)])
			crash := ""
			if i == 0 && x.round%2 == 1 {
				crash = d.crash(trial{1 + x.round*2, modeKill})
			}
			wait.Go(func() { ended[i] = d.belay(crash, args...) })
		}
		wait.Wait()
		at := strings.Join(names, " with ")
		y.did(modeRace)
		for _, e := range ended {
			if e.code != 0 && e.code != 5 && !e.killed {
				y.fault(at, otherwise, "%s", e)
			}
			if e.code == 0 && len(e.args) == 2 && e.args[1] == "take" {
				if show := d.belay("", "snapshot", "show", strings.TrimSpace(e.out)); show.code != 0 {
					y.fault(at, lostWork, "a snapshot that was taken is not there: %s", show)
				}
			}
		}
		d.belay("", "status")
		if again := d.belay("", "doctor"); again.code != 0 { // finishes interrupted commands
			y.fault(at, otherwise, "%s", again)
		}
		now := d.state()
		if len(differing(r.good, now)) > 0 && len(differing(r.bad, now)) > 0 {
			y.fault(at, wrongTree, "\n%s", strings.Join(differing(r.good, now), "\n"))
		}
		d.succeed(restore...)
		d.settled(y, at, r.good)
		d.bothWays(y, at, r)
	})
	y.sum("together")
}
