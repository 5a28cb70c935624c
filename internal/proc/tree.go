package proc

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Tree is every process below this one, which has to be set to Adopt and owns no other
// child: a Tree collects every status there is. Where orphans are not adopted, it is
// also who carries the marker, this process and its parent excluded, and who is in the
// main process's group. A Tree is not for several goroutines.
type Tree struct {
	main      int // started by Launch; 0 for none
	marker    string
	signalled map[ID]bool

	ended  bool // main was reaped, with this status
	status syscall.WaitStatus
}

// NewTree returns the tree below this process. main is what Launch gave, 0 when there is
// no such process or it is somebody else's to wait for; marker is NAME=value.
func NewTree(main int, marker string) *Tree {
	return &Tree{main: main, marker: marker, signalled: map[ID]bool{}}
}

// Status returns how the main process ended; known is false before End or Kill saw it.
func (t *Tree) Status() (status syscall.WaitStatus, known bool) { return t.status, t.ended }

// Ended reports whether the main process has ended, and reaps orphans that have. The
// main process itself may be left a zombie until End, see exited.
func (t *Tree) Ended() bool {
	if !t.ended && !exited(t.main) {
		t.reap()
	}
	return t.ended || exited(t.main)
}

// reap clears every zombie there is and reports whether no child is left. Orphans are
// adopted, so no child means no descendant: the kernel's word, which no listing of
// processes can give.
func (t *Tree) reap() (none bool) {
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
func (t *Tree) quiet() bool {
	if !t.reap() {
		return false
	}
	if Adopts {
		return true
	}
	all, err := t.living()
	return err == nil && len(all) == 0
}

func (t *Tree) living() ([]Process, error) {
	all, err := List()
	if err != nil {
		return nil, err
	}
	found := Below(all, os.Getpid())
	if Adopts {
		return found, nil
	}
	seen := map[int]bool{os.Getpid(): true, os.Getppid(): true} // they may carry the marker too
	for _, p := range found {
		seen[p.PID] = true
	}
	for _, p := range all {
		if !seen[p.PID] && !p.Dead && (t.main != 0 && p.PGID == t.main || p.Carries(t.marker)) {
			found = append(found, p)
		}
	}
	return found, nil
}

// terminate asks everything that lives to end, each process once: to some programs a
// second TERM means "at once". CONT follows, a stopped process would never hear it.
func (t *Tree) terminate() {
	group := ID{PID: t.main}
	first := !t.signalled[group] && t.main != 0 && !t.ended // once reaped, its number may be somebody else's
	if first {
		t.signalled[group] = true
		signalGroup(t.main, syscall.SIGTERM)
		signalGroup(t.main, syscall.SIGCONT)
	}
	all, _ := t.living() // an error: the group was all that could be done
	for _, p := range all {
		if t.signalled[p.ID] {
			continue
		}
		t.signalled[p.ID] = true
		if first && p.PGID == t.main {
			continue // heard it with its group
		}
		_ = p.Signal(syscall.SIGTERM)
		_ = p.Signal(syscall.SIGCONT)
	}
}

// strike kills everything that lives and gives it. Groups go first, each at once: who
// forks while the listing is read would be missed.
func (t *Tree) strike() []Process {
	groups := map[int]bool{0: true, unix.Getpgrp(): true} // ours holds this process
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
		_ = p.Signal(syscall.SIGKILL)
	}
	return all
}

func signalGroup(group int, sig syscall.Signal) {
	if group > 1 { // -1 is everybody
		_ = unix.Kill(-group, sig)
	}
}

// Ending is how a tree is to be ended.
type TreeEnding struct {
	Grace    time.Duration       // from TERM to KILL
	Orphans  time.Duration       // at most, of the grace, for those who outlive the main process
	Patience time.Duration       // for processes to die of KILL
	Hurry    func() bool         // true ends the grace
	Sleep    func(time.Duration) // waits for so long, or until a child has ended
}

// End ends the whole tree, with TERM and when the grace is over with KILL, and gives
// what could not be ended, nil when nothing is alive any more.
func (t *Tree) End(e TreeEnding) (left []Process) {
	deadline := time.Now().Add(e.Grace)
	orphans := false
	for nap := time.Millisecond; ; nap = min(2*nap, 50*time.Millisecond) {
		if !orphans && t.Ended() {
			orphans = true
			if d := time.Now().Add(e.Orphans); d.Before(deadline) {
				deadline = d
			}
		}
		t.terminate()
		if orphans && t.quiet() {
			return nil
		}
		if !time.Now().Before(deadline) || e.Hurry() {
			return t.Kill(e.Patience)
		}
		e.Sleep(nap)
	}
}

// Kill ends the whole tree at once, and gives what could not be ended within patience,
// nil when nothing is alive any more.
func (t *Tree) Kill(patience time.Duration) (left []Process) {
	began := time.Now()
	for nap := time.Millisecond; ; nap = min(2*nap, 50*time.Millisecond) {
		left = t.strike()
		if t.quiet() {
			return nil
		}
		if time.Since(began) > patience {
			return left
		}
		time.Sleep(nap)
	}
}
