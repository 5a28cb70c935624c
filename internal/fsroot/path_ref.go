package fsroot

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
)

// pathRef is a name in an open folder. close restores the modes of folders that had to be made
// writable.
type pathRef struct {
	root   *Root
	path   string
	parent string // the path of the folder
	fd     int    // the folder
	name   string
	opened []openedFolder
}

type openedFolder struct {
	fd       int
	mode     uint32
	path     string
	closesFD bool // close fd with the pathRef
}

// at opens the parent folder of path. Folders without search permission have it until the pathRef
// is closed.
func (r *Root) at(path string) (*pathRef, error) {
	if err := checkRelative(path); err != nil {
		return nil, err
	}
	cut := strings.LastIndexByte(path, '/')
	p := &pathRef{root: r, path: path, parent: path[:max(cut, 0)], name: path[cut+1:]}
	var err error
	if p.fd, err = OpenBelow(r.fd, p.parent, OpenPath); err == unix.EACCES {
		err = p.walkToParent()
	}
	if err != nil {
		return nil, p.close(WrapPathError("open", p.parent, asNotFolder(err)))
	}
	return p, nil
}

// checkRelative refuses a path that is not below the root. Paths come from manifests, which anybody
// may have written.
func checkRelative(path string) error {
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." || strings.IndexByte(name, 0) >= 0 {
			return belay.Refuse(belay.CodeCannot, "check where the path comes from", "%q is not a path inside the tree", path)
		}
	}
	return nil
}

// withRights runs op, and if permission is missing again after making the folder writable.
func (p *pathRef) withRights(op func() error) error {
	err := op()
	if err != unix.EACCES {
		return err
	}
	if len(p.opened) == 0 {
		p.root.rightsMu.Lock()
		if err = op(); err != unix.EACCES { // another goroutine has just restored the mode
			p.root.rightsMu.Unlock()
			return err
		}
	}
	if herr := p.openRights(p.fd, p.parent, false); herr != nil {
		if len(p.opened) == 0 {
			p.root.rightsMu.Unlock()
		}
		if errors.Is(herr, unix.EPERM) || errors.Is(herr, unix.EACCES) {
			return unix.EACCES
		}
		return herr
	}
	return op()
}

// openRights gives the owner all permissions for a folder and records its mode. It fails with
// EACCES if the owner has them already: then the mode is not the cause.
func (p *pathRef) openRights(fd int, path string, own bool) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	mode := uint32(st.Mode) & 0o7777
	if mode&0o300 == 0o300 {
		return unix.EACCES
	}
	if err := Step("chmod", path); err != nil {
		return err
	}
	if err := chmodFd(fd, mode|0o700); err != nil {
		return err
	}
	p.opened = append(p.opened, openedFolder{fd: fd, mode: mode, path: path, closesFD: own})
	return nil
}

// walkToParent opens the parent one folder at a time and gives search permission to each that lacks
// it. It takes rightsMu, which a pathRef with changed modes keeps.
func (p *pathRef) walkToParent() error {
	p.root.rightsMu.Lock()
	p.fd = -1
	at, path, own := p.root.fd, "", false
	for name := range strings.SplitSeq(p.parent, "/") {
		next, err := unix.Openat(at, name, OpenPath, 0)
		if err == unix.EACCES {
			if err = p.openRights(at, path, own); err == nil {
				own = false
				next, err = unix.Openat(at, name, OpenPath, 0)
			}
		}
		if own {
			unix.Close(at)
		}
		if err != nil {
			p.unlockUnlessOpened()
			return err
		}
		at, own = next, true
		path = strings.TrimPrefix(path+"/"+name, "/")
	}
	p.fd = at
	p.unlockUnlessOpened()
	return nil
}

func (p *pathRef) unlockUnlessOpened() {
	if len(p.opened) == 0 {
		p.root.rightsMu.Unlock()
	}
}

// close restores folder modes. It returns err, joined with errors of that.
func (p *pathRef) close(err error) error {
	for i := len(p.opened) - 1; i >= 0; i-- {
		h := p.opened[i]
		herr := Step("chmod", h.path)
		if herr == nil {
			herr = WrapPathError("chmod", h.path, chmodFd(h.fd, h.mode))
		}
		err = errors.Join(err, herr)
		if h.closesFD {
			unix.Close(h.fd)
		}
	}
	if len(p.opened) > 0 {
		p.opened = nil
		p.root.rightsMu.Unlock()
	}
	if p.fd > 0 {
		unix.Close(p.fd)
	}
	return err
}
