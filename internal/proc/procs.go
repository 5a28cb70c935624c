package proc

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
)

// On Linux this process adopts the orphans below it (Adopt), so the kernel reports when no
// descendant is left. Elsewhere, and with the build tag portable, processes are listed by ps and
// identified by a marker in their environment.

// The package does not know what the processes do or why they are ended: it reads no output, judges
// nothing and writes no file.

// ID identifies a process: its process ID, which the system reuses, and its start time in the
// system's format. It is meaningless after a reboot, see BootID.
type ID struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

// Process is a process in a listing.
type Process struct {
	ID
	PPID, PGID int
	SID        int    // its session; 0 if the listing lacks it
	Dead       bool   // a zombie
	Name       string // for messages; may contain any byte
	env        string // its environment if the listing has it, else empty
}

// String returns the process ID and the name, unescaped.
func (p Process) String() string { return fmt.Sprintf("%d (%s)", p.PID, p.Name) }

// Below returns the living descendants of roots among all, without the roots.
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
		// A listing is not a moment in time: if an ID was reused, the chain of parents can contain
		// a cycle, so limit the steps.
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

// inside reports whether path, a working folder as the kernel reports it, is dir or below it.
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

// signalChecked signals a process after checking that its ID was not reused.
func (id ID) signalChecked(sig syscall.Signal) error {
	if now, err := Identify(id.PID); err != nil || now != id {
		return syscall.ESRCH
	}
	return syscall.Kill(id.PID, sig)
}
