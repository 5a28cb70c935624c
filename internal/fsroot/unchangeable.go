package fsroot

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// UnchangeableReason returns why this process cannot write, replace or remove a path, "" if no
// reason can be found without trying. It changes nothing. The text fits after "path: ".
//
// The permissions of this user's folders do not count, because they are changed temporarily (see
// WriteFile).
func (r *Root) UnchangeableReason(path string) (string, error) {
	p, err := r.at(path)
	if err != nil {
		return r.parentUnchangeableReason(path, err)
	}
	why := ""
	err = p.withRights(func() (err error) { why, err = unchangeableReason(p.fd, p.name); return err })
	if errors.Is(err, fs.ErrNotExist) {
		why, err = "", nil
	}
	if err == nil && why == "" {
		why, err = p.folderUnchangeableReason()
	}
	return why, p.close(WrapPathError("look at", path, err))
}

// parentUnchangeableReason returns the reason for the nearest existing parent of a path in a
// missing folder.
func (r *Root) parentUnchangeableReason(path string, err error) (string, error) {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrNotFolder) {
		return "", err
	}
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			return r.UnchangeableReason(path[:i])
		}
	}
	return "", nil
}

// folderUnchangeableReason returns why no name in the folder can change.
func (p *pathRef) folderUnchangeableReason() (string, error) {
	why, err := unchangeableReason(p.fd, "")
	if err != nil {
		return "", err
	}
	if why != "" && why != MountPoint { // the root of the tree may be one
		return "its folder is " + why, nil
	}
	err = unix.Faccessat(p.fd, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	if errors.Is(err, unix.EROFS) {
		return "its file system is read-only", nil
	}
	if !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) {
		return "", nil // unknown
	}
	var st unix.Stat_t
	if err := unix.Fstat(p.fd, &st); err != nil {
		return "", err
	}
	if int(st.Uid) == unix.Geteuid() {
		return "", nil
	}
	return "its folder belongs to another user and is not writable", nil
}

// Reasons of UnchangeableReason.
const (
	Immutable  = "immutable"
	AppendOnly = "append-only"
	MountPoint = "a mount point"
)
