package agent

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
)

// proc is one process at the moment of looking.
type proc struct {
	ident
	PPID, PGID, SID int
	Dead            bool   // a zombie: it does nothing any more
	Name            string // for people
	env             string // its environment where the listing has it, else empty
}

func (p proc) String() string { return fmt.Sprintf("%d (%s)", p.PID, p.Name) }

// below gives the living processes among all whose line of parents leads to one of
// roots, those excluded.
func below(all []proc, roots ...int) []proc {
	parent := make(map[int]int, len(all))
	for _, p := range all {
		parent[p.PID] = p.PPID
	}
	root := make(map[int]bool, len(roots))
	for _, r := range roots {
		root[r] = true
	}
	var found []proc
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

// leftovers gives the living processes of a run whose guard and shim may both be
// gone: those recorded, those that carry its token, those of its session, and
// everything below them.
func leftovers(token, dir string, b begun) ([]proc, error) {
	if b.Boot != "" && b.Boot != bootID() {
		return nil, nil
	}
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var found []proc
	var roots []int
	for _, p := range all {
		if !p.Dead && belongs(p, token, dir, b) {
			found = append(found, p)
			roots = append(roots, p.PID)
		}
	}
	return append(found, below(all, roots...)...), nil
}

func belongs(p proc, token, dir string, b begun) bool {
	switch p.ident {
	case b.Guard, b.Shim, b.Agent:
		return true
	}
	if carries(p, markerName+"="+token) {
		return true
	}
	// The number of a session may have been used again since, so its members also
	// have to be at work in the run's folder.
	inSession := b.Guard.PID != 0 && p.SID == b.Guard.PID || b.Agent.PID != 0 && p.PGID == b.Agent.PID
	return inSession && inside(workdir(p.PID), dir)
}

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
func signalChecked(id ident, sig syscall.Signal) error {
	if now, err := identify(id.PID); err != nil || now != id {
		return syscall.ESRCH
	}
	return syscall.Kill(id.PID, sig)
}

// wake makes a process that was stopped notice a signal that came meanwhile.
func wake(id ident) { _ = signalExactly(id, syscall.SIGCONT) }
