package agent

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tree is every process below this one.
type tree struct {
	self  int
	main  int    // the agent's own process; 0 for the guard
	token string // marks the run's processes where orphans are not adopted
	told  map[ident]bool

	ended  bool // main was reaped, with this status
	status syscall.WaitStatus
}

func newTree(self, main int, token string) *tree {
	return &tree{self: self, main: main, token: token, told: map[ident]bool{}}
}

// mainEnded reports whether the agent's own process has ended, and reaps orphans that
// have. The agent itself is left a zombie, see exited.
func (t *tree) mainEnded() bool {
	if !t.ended && !exited(t.main) {
		t.reap()
	}
	return t.ended || exited(t.main)
}

// reap clears every zombie there is and reports whether no child is left. Orphans are
// adopted, so no child means no descendant: the kernel's word, which no listing of
// processes can give.
func (t *tree) reap() (none bool) {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return true // ECHILD
		case pid == 0:
			return false
		case pid == t.main:
			t.ended, t.status = true, ws
		}
	}
}

// quiet reports whether nothing is alive.
func (t *tree) quiet() bool {
	if !t.reap() {
		return false
	}
	if adopts {
		return true
	}
	all, err := t.living()
	return err == nil && len(all) == 0
}

func (t *tree) living() ([]proc, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	found := below(all, t.self)
	if adopts {
		return found, nil
	}
	seen := map[int]bool{t.self: true, unix.Getppid(): true} // guard and shim carry the token too
	for _, p := range found {
		seen[p.PID] = true
	}
	for _, p := range all {
		if !seen[p.PID] && !p.Dead && (t.main != 0 && p.PGID == t.main || carries(p, markerName+"="+t.token)) {
			found = append(found, p)
		}
	}
	return found, nil
}

// terminate asks everything that lives to end, each process once: to some programs a
// second TERM means "at once". CONT follows, a stopped process would never hear it.
func (t *tree) terminate() {
	group := ident{PID: t.main}
	first := !t.told[group] && t.main != 0 && !t.ended // once reaped, its number may be somebody else's
	if first {
		t.told[group] = true
		signalGroup(t.main, syscall.SIGTERM)
		signalGroup(t.main, syscall.SIGCONT)
	}
	all, _ := t.living() // an error: the group was all that could be done
	for _, p := range all {
		if t.told[p.ident] {
			continue
		}
		t.told[p.ident] = true
		if first && p.PGID == t.main {
			continue // heard it with its group
		}
		_ = signalExactly(p.ident, syscall.SIGTERM)
		_ = signalExactly(p.ident, syscall.SIGCONT)
	}
}

// strike kills everything that lives and gives it. Groups go first, each at once: who
// forks while the listing is read would be missed.
func (t *tree) strike() []proc {
	groups := map[int]bool{0: true, unix.Getpgrp(): true} // ours holds shim and guard
	if t.main != 0 && !t.ended {
		groups[t.main] = true
		signalGroup(t.main, syscall.SIGKILL)
	}
	all, _ := t.living()
	for _, p := range all {
		if !groups[p.PGID] {
			groups[p.PGID] = true
			signalGroup(p.PGID, syscall.SIGKILL)
		}
		_ = signalExactly(p.ident, syscall.SIGKILL)
	}
	return all
}

func signalGroup(group int, sig syscall.Signal) {
	if group > 1 { // -1 is everybody
		_ = unix.Kill(-group, sig)
	}
}

// kill ends everything below and gives what could not be ended within patience.
func (t *tree) kill() []proc {
	began := time.Now()
	for nap := time.Millisecond; ; nap = min(2*nap, 50*time.Millisecond) {
		left := t.strike()
		if t.quiet() {
			return nil
		}
		if time.Since(began) > patience {
			return left
		}
		time.Sleep(nap)
	}
}
