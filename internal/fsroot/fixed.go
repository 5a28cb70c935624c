package fsroot

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Fixed says why what is at path cannot be written, replaced or removed by this process,
// as far as that shows without trying: "" when nothing is known to be against it. It
// changes nothing. What it says fits after "path: ".
//
// The rights of a folder that belongs to this user are no reason: they are opened for the
// moment (see WriteFile).
func (r *Root) Fixed(path string) (string, error) {
	p, err := r.at(path)
	if err != nil {
		return r.fixedAbove(path, err)
	}
	why := ""
	err = p.do(func() (err error) { why, err = fixed(p.fd, p.name); return err })
	if errors.Is(err, fs.ErrNotExist) {
		why, err = "", nil
	}
	if err == nil && why == "" {
		why, err = p.folderFixed()
	}
	return why, p.close(PathError("look at", path, err))
}

// fixedAbove answers for a path whose folder is not there yet: the nearest one counts.
func (r *Root) fixedAbove(path string, err error) (string, error) {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrNotFolder) {
		return "", err
	}
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			return r.Fixed(path[:i])
		}
	}
	return "", nil
}

// folderFixed says why no name in the folder can change.
func (p *place) folderFixed() (string, error) {
	why, err := fixed(p.fd, "")
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
		return "", nil // nothing is known
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

// What cannot change.
const (
	Immutable  = "immutable"
	AppendOnly = "append-only"
	MountPoint = "a mount point"
)
