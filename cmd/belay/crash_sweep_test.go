package main

import (
	"strings"
	"testing"
)

// sweep injects faults at each point of a command, in each of the modes, or at about sample of
// them, each in a copy of the world that ready prepares. after checks what the command left, and
// that it ends well anyway.
type sweep struct {
	name   string
	sample int
	modes  []string
	args   []string
	code   int // exit status without a fault
	ready  func(d *world)
	after  func(d *world, y *tally, at string, left ran)
}

func (s sweep) over(t *testing.T, w *world) {
	t.Helper()
	ready := func(dir string) *world {
		d := w.another(t, dir)
		if s.ready != nil {
			s.ready(d)
		}
		return d
	}
	points := ready(folder(t)).counted(s.args, s.code)
	y := newTally(t, points)
	each(t, trials(points, s.sample, s.modes...), func(dir string, c trial) {
		d := ready(dir)
		left := d.belay(d.crash(c), s.args...)
		at := d.where(c)
		y.did(c.mode)
		s.after(d, y, at, left)
	})
	y.sum(s.name)
}

// cycle is a run, with the command that continues it.
type cycle struct {
	run, resume []string
	bears       func(ran) bool // a result after which it is resumed once more; may be nil
}

// goOn resumes until the task has passed, and answers open gates with guide.
func (c cycle) goOn(w *world, y *tally, at string, last ran) bool {
	w.t.Helper()
	for range 8 {
		r := w.belay("", c.resume...)
		if r.code == 6 { // killed before it was recorded
			r = w.belay("", c.run...)
		}
		switch {
		case r.code == 0, r.code == 2 && strings.Contains(r.errs, "has ended: accepted"):
			return true // the fault came after the last write
		case r.code == 3:
			if g := w.belay("", "gate", "decide", "T1", "guide", "--message", "there is room again"); g.code != 0 {
				y.fault(at, otherwise, "%s\nafter %s", g, r)
				return false
			}
		case c.bears != nil && c.bears(r):
		default:
			y.fault(at, otherwise, "%s\nbefore that: %s", r, last)
			return false
		}
		last = r
	}
	y.fault(at, otherwise, "it does not end: %s", last)
	return false
}
