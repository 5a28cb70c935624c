package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestCrashAnyMoment kills a run, or a restore, with all its git processes, at random times:
// between the points that belay reports, and in git itself. It searches for faults rather than
// testing one, and is part of the full suite only.
func TestCrashAnyMoment(t *testing.T) {
	t.Parallel()
	if !crashAll() {
		t.Skip("part of make crash")
	}
	w := scripted(t, crashScript)
	began := time.Now()
	want, _, _ := dry(t, w)
	took := time.Since(began)
	r := newRuined(t)
	restored := r.another(t, folder(t))
	restore := []string{"snapshot", "restore", r.id, "--yes"}
	restored.succeed(restore...)
	r.good = restored.state()
	seeds := make([]uint64, 200)
	for i := range seeds {
		seeds[i] = uint64(i)
	}
	y := newTally(t, len(seeds))
	each(t, seeds, func(dir string, seed uint64) {
		lot := rand.New(rand.NewPCG(seed, 2))
		part := lot.Float64()
		at := fmt.Sprintf("seed %d", seed)
		if seed%2 == 0 {
			d := w.another(t, dir)
			got := d.killed(time.Duration(part*float64(took)), runT1)
			y.did(modeKill)
			if d.goOn(y, at, got) {
				d.settled(y, at, want)
			}
			return
		}
		d := r.another(t, dir)
		got := d.killed(time.Duration(part*float64(200*time.Millisecond)), restore)
		y.did(modeKill)
		if again := d.belay("", restore...); again.code != 0 {
			y.fault(at, otherwise, "%s\nafter %s", again, got)
			return
		}
		d.settled(y, at, r.good)
		d.bothWays(y, at, r)
	})
	y.sum("any moment")
}

// killed runs belay and kills it and its git processes after a time.
func (w *world) killed(after time.Duration, args []string) ran {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), after)
	defer cancel()
	c := exec.CommandContext(ctx, "belay", args...)
	c.Dir, c.Env = w.repo, w.env()
	asUser(c)
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Setpgid = true
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	out, _ := c.CombinedOutput()
	return ran{args: args, code: c.ProcessState.ExitCode(), killed: c.ProcessState.ExitCode() == -1, out: string(out)}
}
