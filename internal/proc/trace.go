package proc

import (
	"context"
	"slices"
	"syscall"
	"time"
)

// Trace is what is known of a tree whose root may be gone.
type Trace struct {
	Boot    string // BootID when it ran; "" for now. After a reboot nothing is left of it
	Marker  string // NAME=value in the environment of its processes
	Members []ID   // processes that belong to it for certain; those not known are zero
	Session int    // id of a session of its own, 0 for none
	Group   int    // id of a process group of its own, 0 for none
	Dir     string // where members of Session and Group have to be at work to count
}

// Find returns the living processes of the tree: its members, who carries its marker,
// who is of its session or group, and everything below them. Who clears its
// environment and leaves session and folder is found only below another.
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
	// The number of a session may have been used again since, so its members also
	// have to be at work in the tree's folder.
	inSession := t.Session != 0 && p.SID == t.Session || t.Group != 0 && p.PGID == t.Group
	return inSession && inside(workdir(p.PID), t.Dir)
}

// Sweep kills what Find finds until it finds nothing, and gives what is left when
// patience is over, none in the end. Those of last die when nobody else is left: while
// they adopt orphans, what hides is still found below them. The end of ctx ends the
// sweep and its error is returned, with what was left by then.
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
		// A listing is not one moment: a process can fork past it once, so it has
		// to come out empty twice.
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
