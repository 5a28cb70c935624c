package proc

import (
	"context"
	"slices"
	"syscall"
	"time"
)

// Trace describes the processes of a tree of which the root may have died.
type Trace struct {
	Boot    string // BootID when it ran; "" for the current one. After a reboot no process is left
	Marker  string // NAME=value in the environment of its processes
	Members []ID   // processes that certainly belong to it; unknown ones are zero
	Session int    // ID of its own session, 0 for none
	Group   int    // ID of its own process group, 0 for none
	Dir     string // the working folder required of members of Session and Group
}

// Find returns the living processes of the tree: its members, those that carry its marker, those of
// its session or group, and all their descendants. A process that clears its environment and leaves
// session and folder is found only as a descendant.
func (t Trace) Find() ([]Process, error) {
	if t.Boot != "" && t.Boot != BootID() {
		return nil, nil
	}
	all, err := List()
	if err != nil {
		return nil, err
	}
	var found []Process
	var roots []int
	for _, p := range all {
		if !p.Dead && t.has(p) {
			found = append(found, p)
			roots = append(roots, p.PID)
		}
	}
	return append(found, Below(all, roots...)...), nil
}

func (t Trace) has(p Process) bool {
	if slices.Contains(t.Members, p.ID) || p.Carries(t.Marker) {
		return true
	}
	// The number of a session may have been reused, so check that the process works in the tree's
	// folder.
	inSession := t.Session != 0 && p.SID == t.Session || t.Group != 0 && p.PGID == t.Group
	return inSession && inside(workdir(p.PID), t.Dir)
}

// Sweep kills what Find finds until nothing is left, or patience is over; it returns the survivors,
// nil for none. Those of last are killed when no others are left: while they adopt orphans, hidden
// processes are still found below them. When ctx ends, it returns its error and the current
// survivors.
func (t Trace) Sweep(ctx context.Context, patience time.Duration, last ...ID) ([]Process, error) {
	var left []Process
	quiet := 0
	for over := time.Now().Add(patience); ; {
		all, err := t.Find()
		if err != nil {
			return left, err
		}
		left = slices.DeleteFunc(slices.Clone(all), func(p Process) bool { return slices.Contains(last, p.ID) })
		if len(left) == 0 {
			left, last = all, nil
		}
		// A fork during a listing can be missed, so two listings must be empty.
		if len(left) > 0 {
			quiet = 0
		} else if quiet++; quiet == 2 {
			return nil, nil
		}
		for _, p := range left {
			_ = p.Signal(syscall.SIGKILL)
		}
		if !time.Now().Before(over) {
			return left, nil
		}
		select {
		case <-ctx.Done():
			return left, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}
