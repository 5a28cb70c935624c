package fsroot

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
)

// place is a name in an open folder. Folders that had to be made writable to work
// there are restored by close.
type place struct {
	r      *Root
	path   string
	parent string // the path of the folder
	fd     int    // the folder
	name   string
	healed []healed
}

type healed struct {
	fd   int
	mode uint32
	path string
	own  bool // close fd with the place
}

// at opens the folder that path is in. Folders without the right to pass get it
// for as long as the place is open.
func (r *Root) at(path string) (*place, error) {
	if err := inside(path); err != nil {
		return nil, err
	}
	cut := strings.LastIndexByte(path, '/')
	p := &place{r: r, path: path, parent: path[:max(cut, 0)], name: path[cut+1:]}
	var err error
	if p.fd, err = OpenBelow(r.fd, p.parent, OpenPath); err == unix.EACCES {
		err = p.walk()
	}
	if err != nil {
		return nil, p.close(PathError("open", p.parent, notFolder(err)))
	}
	return p, nil
}

// inside refuses what is not a path below the root. Paths come from manifests, which
// may have been written by anybody.
func inside(path string) error {
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." || strings.IndexByte(name, 0) >= 0 {
			return belay.Refuse(belay.CodeCannot, "check where the path comes from", "%q is not a path inside the tree", path)
		}
	}
	return nil
}

// do runs op, and once more with a writable folder when it lacks the right.
func (p *place) do(op func() error) error {
	err := op()
	if err != unix.EACCES {
		return err
	}
	if len(p.healed) == 0 {
		p.r.heal.Lock()
		if err = op(); err != unix.EACCES { // somebody else has just put it back
			p.r.heal.Unlock()
			return err
		}
	}
	if herr := p.open(p.fd, p.parent, false); herr != nil {
		if len(p.healed) == 0 {
			p.r.heal.Unlock()
		}
		if errors.Is(herr, unix.EPERM) || errors.Is(herr, unix.EACCES) {
			return unix.EACCES
		}
		return herr
	}
	return op()
}

// open gives the owner all rights in a folder and notes the mode it had. It fails
// with EACCES when the owner has them already: then the mode is not what is wrong.
func (p *place) open(fd int, path string, own bool) error {
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
	p.healed = append(p.healed, healed{fd: fd, mode: mode, path: path, own: own})
	return nil
}

// walk opens the parent one folder at a time and makes each passable that is not.
// It takes the lock that a healed place holds.
func (p *place) walk() error {
	p.r.heal.Lock()
	p.fd = -1
	at, path, own := p.r.fd, "", false
	for name := range strings.SplitSeq(p.parent, "/") {
		next, err := unix.Openat(at, name, OpenPath, 0)
		if err == unix.EACCES {
			if err = p.open(at, path, own); err == nil {
				own = false
				next, err = unix.Openat(at, name, OpenPath, 0)
			}
		}
		if own {
			unix.Close(at)
		}
		if err != nil {
			p.unlockUnlessHealed()
			return err
		}
		at, own = next, true
		path = strings.TrimPrefix(path+"/"+name, "/")
	}
	p.fd = at
	p.unlockUnlessHealed()
	return nil
}

func (p *place) unlockUnlessHealed() {
	if len(p.healed) == 0 {
		p.r.heal.Unlock()
	}
}

// close puts folder modes back and gives err, or what went wrong with that.
func (p *place) close(err error) error {
	for i := len(p.healed) - 1; i >= 0; i-- {
		h := p.healed[i]
		herr := Step("chmod", h.path)
		if herr == nil {
			herr = PathError("chmod", h.path, chmodFd(h.fd, h.mode))
		}
		err = errors.Join(err, herr)
		if h.own {
			unix.Close(h.fd)
		}
	}
	if len(p.healed) > 0 {
		p.healed = nil
		p.r.heal.Unlock()
	}
	if p.fd > 0 {
		unix.Close(p.fd)
	}
	return err
}
