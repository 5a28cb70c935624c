package proc

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
)

// On Linux this process adopts the orphans below it (Adopt), and the kernel itself
// says when nobody is left. Elsewhere, and with the build tag portable, processes are
// listed by ps and known by a marker in their environment.

// The package knows nothing of what the processes do or why they are ended: it reads no
// output, judges nothing and writes no file.

// ID is a process for certain: its id, which is used again, and when it started, as
// the system words it. It means nothing after a reboot, see BootID.
type ID struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

// Process is one process at the moment of looking.
type Process struct {
	ID
	PPID, PGID int
	SID        int    // its session; 0 where the listing does not have it
	Dead       bool   // a zombie: it does nothing any more
	Name       string // for people; may hold any byte
	env        string // its environment where the listing has it, else empty
}

// String returns the id and the name, as raw as the name is.
func (p Process) String() string { return fmt.Sprintf("%d (%s)", p.PID, p.Name) }

// Below returns the living processes among all whose line of parents leads to one of
// roots, those excluded.
func Below(all []Process, roots ...int) []Process {
	parent := make(map[int]int, len(all))
	for _, p := range all {
		parent[p.PID] = p.PPID
	}
	root := make(map[int]bool, len(roots))
	for _, r := range roots {
		root[r] = true
	}
	var found []Process
	for _, p := range all {
		// A listing is not one moment: a line of parents can close on itself
		// when an id was used again, hence the bound.
		up := p.PPID
		for range len(all) {
			if root[up] || up <= 1 {
				break
			}
			up = parent[up]
		}
		if root[up] && !root[p.PID] && !p.Dead {
			found = append(found, p)
		}
	}
	return found
}

// inside reports whether a working folder, as the kernel words it, is dir or below it.
func inside(path, dir string) bool {
	if path == "" || dir == "" {
		return false
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	path = strings.TrimSuffix(path, " (deleted)")
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// signalChecked signals a process after a look that it is the one meant.
func (id ID) signalChecked(sig syscall.Signal) error {
	if now, err := Identify(id.PID); err != nil || now != id {
		return syscall.ESRCH
	}
	return syscall.Kill(id.PID, sig)
}
