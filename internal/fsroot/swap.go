package fsroot

import (
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
)

// SwapPrefix starts the temporary name of a file that is being swapped with another. A file that a
// killed process left under such a name may be the only copy of somebody's work: it is never
// removed without a check of its bytes.
const SwapPrefix = ".belay-swap-"

// Expected is what a change of a path may remove: bytes with the name OID, or nothing when OID is
// empty.
type Expected struct {
	OID     OID
	New     OID // the bytes that replace them
	NewHash func() hash.Hash
}

// SavedError reports that somebody saved a file just when it was replaced or removed. The last
// saved version is at its path; SetAsideAt is the path of another saved version, or "".
type SavedError struct{ Path, SetAsideAt string }

// Error returns the message.
func (e *SavedError) Error() string {
	if e.SetAsideAt != "" {
		return fmt.Sprintf("%s was saved twice by another program meanwhile; the other version is %s", belay.VisibleLine(e.Path),
			belay.VisibleLine(e.SetAsideAt))
	}
	return fmt.Sprintf("%s was saved by another program meanwhile", belay.VisibleLine(e.Path))
}

// ReplaceFile is WriteFile with a check of the displaced file after the swap. If that is not as
// expected it is swapped back, and the error is a *SavedError. If the system cannot swap two names,
// it is WriteFile.
func (r *Root) ReplaceFile(path string, perm uint16, tmp string, expected Expected, fill func(w io.Writer) error) error {
	p, err := r.at(path)
	if err != nil {
		return err
	}
	return p.close(p.writeFile(perm, tmp, &expected, fill))
}

// ReplaceLink is Symlink with the same check.
func (r *Root) ReplaceLink(path, target string, expected Expected) error {
	p, err := r.at(path)
	if err != nil {
		return err
	}
	err = p.withRights(func() error {
		if err := Step("symlink", p.path); err != nil {
			return err
		}
		name := TempName()
		if err := unix.Symlinkat(target, p.fd, name); err != nil {
			return err
		}
		err := p.moveIntoPlace(p.fd, &name, &expected)
		if name != "" {
			_ = unix.Unlinkat(p.fd, name, 0)
		}
		return err
	})
	return p.close(WrapPathError("symlink", path, err))
}

// RemoveExpected is Remove with the same check: the file is moved from its path, checked, and moved
// back if it is not as expected.
func (r *Root) RemoveExpected(path string, expected Expected) error {
	p, err := r.at(path)
	if err != nil {
		return err
	}
	err = p.withRights(func() error {
		if err := p.checkRemovable(); err != nil {
			return err
		}
		if err := Step("unlink", path); err != nil {
			return err
		}
		name := swapName()
		if err := unix.Renameat(p.fd, p.name, p.fd, name); err != nil {
			return err
		}
		if same, err := expected.matches(p.fd, name, expected.OID); same {
			return unix.Unlinkat(p.fd, name, 0)
		} else if berr := renameNew(p.fd, name, p.fd, p.name); berr == nil {
			return errors.Join(err, &SavedError{Path: path})
		}
		return errors.Join(err, p.setAside(p.fd, name))
	})
	return p.close(WrapPathError("remove", path, err))
}

// moveIntoPlace moves the file *name in the folder fd to its path, and then sets *name to "". With
// a nil expectation it replaces anything at the path.
func (p *pathRef) moveIntoPlace(fd int, name *string, expected *Expected) error {
	if err := Step("rename", p.path); err != nil {
		return err
	}
	if expected == nil {
		err := unix.Renameat(fd, *name, p.fd, p.name)
		if err == nil {
			*name = ""
		}
		return asErrFolder(err)
	}
	swap := swapName()
	if err := unix.Renameat(fd, *name, fd, swap); err != nil {
		return err
	}
	*name = swap
	for range 10 { // while another program creates and removes the file
		err := renameNew(fd, swap, p.fd, p.name)
		if err == nil {
			*name = ""
			return nil
		}
		if err != unix.EEXIST {
			return err
		}
		err = ExchangeAt(fd, swap, p.fd, p.name)
		if err == nil {
			*name = ""
			return p.checkDisplaced(fd, swap, expected)
		}
		if err == unix.ENOTSUP {
			return p.moveIntoPlace(fd, name, nil)
		}
		if err != unix.ENOENT {
			return err
		}
	}
	return &SavedError{Path: p.path}
}

// checkDisplaced checks the file that was swapped with a new one.
func (p *pathRef) checkDisplaced(fd int, name string, expected *Expected) error {
	if err := Step("displaced", p.path); err != nil {
		return err
	}
	same, err := expected.matches(fd, name, expected.OID)
	if same {
		return unix.Unlinkat(fd, name, 0)
	}
	if berr := ExchangeAt(fd, name, p.fd, p.name); berr != nil { // another program removed it
		return errors.Join(err, p.setAside(fd, name))
	}
	var st unix.Stat_t
	folder := unix.Fstatat(p.fd, p.name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
	if ours, _ := expected.matches(fd, name, expected.New); !ours {
		_ = ExchangeAt(fd, name, p.fd, p.name) // the later version stays at the path, unless it was removed
		return errors.Join(err, p.setAside(fd, name))
	}
	if uerr := unix.Unlinkat(fd, name, 0); uerr != nil {
		return uerr
	}
	if folder {
		return ErrFolder
	}
	return errors.Join(err, &SavedError{Path: p.path})
}

// setAside moves a file that must not be lost beside the path, under a visible name.
func (p *pathRef) setAside(fd int, name string) error {
	to := p.name + ".saved-" + name[len(SwapPrefix):]
	if err := renameNew(fd, name, p.fd, to); err != nil {
		return fmt.Errorf("keep %s, saved by another program meanwhile: %w", name, err)
	}
	parent := p.parent
	if parent != "" {
		parent += "/"
	}
	return &SavedError{Path: p.path, SetAsideAt: parent + to}
}

// matches reports whether a name in a folder is a file with bytes, or a link with a target, that
// have the object name oid.
func (h *Expected) matches(fd int, name string, oid OID) (bool, error) {
	if oid == "" {
		return false, nil
	}
	got, err := BytesAt(fd, name, h.NewHash())
	return err == nil && got == oid, err
}

// BytesAt returns the object name of the bytes of a file, or of the target of a link, in a folder;
// "" for anything else.
func BytesAt(fd int, name string, h hash.Hash) (OID, error) {
	var st unix.Stat_t
	if err := StatAt(fd, name, &st); err != nil {
		return "", err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		target, err := ReadLinkAt(fd, name)
		h.Write(fmt.Appendf(nil, "blob %d\x00%s", len(target), target))
		return OID(h.Sum(nil)), err
	case unix.S_IFREG:
	default:
		return "", nil
	}
	opened, err := OpenFileAt(fd, name)
	if err != nil {
		return "", err
	}
	f := os.NewFile(uintptr(opened), name)
	defer f.Close()
	h.Write(append(strconv.AppendInt([]byte("blob "), st.Size, 10), 0))
	n, err := io.Copy(h, io.LimitReader(f, st.Size+1))
	if err != nil || n != st.Size {
		return "", err // it is being written
	}
	return OID(h.Sum(nil)), nil
}

// Bytes is BytesAt for a path of the tree.
func (r *Root) Bytes(path string, newHash func() hash.Hash) (oid OID, err error) {
	p, err := r.at(path)
	if err != nil {
		return "", err
	}
	err = p.withRights(func() (err error) { oid, err = BytesAt(p.fd, p.name, newHash()); return err })
	return oid, p.close(WrapPathError("read", path, err))
}

// Reveal renames a file that a killed process left under a name with SwapPrefix to a visible name,
// and returns that.
func (r *Root) Reveal(path string) (string, error) {
	p, err := r.at(path)
	if err != nil {
		return "", err
	}
	to := "belay-saved-" + strings.TrimPrefix(p.name, SwapPrefix)
	err = p.withRights(func() error { return renameNew(p.fd, p.name, p.fd, to) })
	return strings.TrimSuffix(path, p.name) + to, p.close(WrapPathError("rename", path, err))
}

func swapName() string { return SwapPrefix + TempName()[len(TempPrefix):] }

// linkNew is renameNew for systems without such a rename.
func linkNew(fd int, name string, to int, newName string) error {
	if err := unix.Linkat(fd, name, to, newName, 0); err != nil {
		return err
	}
	return unix.Unlinkat(fd, name, 0)
}
