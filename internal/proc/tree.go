package proc

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Tree is the descendants of this process, which must have called Adopt and own no other child,
// because a Tree reaps all children. Where orphans are not adopted, it also includes the processes
// that carry the marker, except this process and its parent, and those in the main process's group.
// A Tree is not safe for concurrent use.
type Tree struct {
	main      int // started by Launch; 0 for none
	marker    string
	signalled map[ID]bool

	ended  bool // main was reaped, with this status
	status syscall.WaitStatus
}

// NewTree returns the tree below this process. main is the result of Launch, or 0 if there is no
// such process or another process waits for it; marker is NAME=value.
func NewTree(main int, marker string) *Tree {
	return &Tree{main: main, marker: marker, signalled: map[ID]bool{}}
}

// Status returns how the main process ended; known is false before End or Kill has reaped it.
func (t *Tree) Status() (status syscall.WaitStatus, known bool) { return t.status, t.ended }

// Ended reports whether the main process has ended, and reaps orphans. The main process itself may
// stay a zombie until End, see exited.
func (t *Tree) Ended() bool {
	if !t.ended && !exited(t.main) {
		t.reap()
	}
	return t.ended || exited(t.main)
}

// reap reaps all zombies and reports whether no child is left. Orphans are adopted, so no child
// means no descendant; no listing of processes could prove that.
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

// quiet reports whether no process of the tree is alive.
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
	seen := map[int]bool{os.Getpid(): true, os.Getppid(): true} // they may carry the marker, too
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

// terminate sends TERM to every living process, once each: some programs treat a second TERM as "at
// once". CONT follows, because a stopped process would not handle it.
func (t *Tree) terminate() {
	group := ID{PID: t.main}
	first := !t.signalled[group] && t.main != 0 && !t.ended // once reaped, its number may have been reused
	if first {
		t.signalled[group] = true
		signalGroup(t.main, syscall.SIGTERM)
		signalGroup(t.main, syscall.SIGCONT)
	}
	all, _ := t.living() // after an error, only the group was signalled
	for _, p := range all {
		if t.signalled[p.ID] {
			continue
		}
		t.signalled[p.ID] = true
		if first && p.PGID == t.main {
			continue // signalled with its group
		}
		_ = p.Signal(syscall.SIGTERM)
		_ = p.Signal(syscall.SIGCONT)
	}
}

// strike kills every living process and returns them. Groups are killed first, because a kill of a
// group also reaches processes that fork during the listing.
func (t *Tree) strike() []Process {
	groups := map[int]bool{0: true, unix.Getpgrp(): true} // ours contains this process
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
	if group > 1 { // -1 would signal every process
		_ = unix.Kill(-group, sig)
	}
}

// TreeEnding configures how a tree is ended.
type TreeEnding struct {
	Grace    time.Duration       // from TERM to KILL
	Orphans  time.Duration       // maximum part of the grace for processes that outlive the main process
	Patience time.Duration       // for processes to die after KILL
	Hurry    func() bool         // true ends the grace
	Sleep    func(time.Duration) // waits for so long, or until a child has ended
}

// End ends the tree with TERM and, after the grace, with KILL. It returns the survivors, nil for
// none.
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

// Kill kills the tree at once. It returns the processes that survived patience, nil for none.
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
