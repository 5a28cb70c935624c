package fsroot

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

const (
	// pathOnly opens a folder only to reach names in it, which needs no read permission.
	pathOnly = unix.O_PATH | unix.O_DIRECTORY
	// lookOnly opens anything only for its stat data.
	lookOnly = unix.O_PATH
)

// openPath opens an absolute, clean path through no link. With lookOnly the last name may be one.
func openPath(path string, flags int, perm uint32) (int, error) {
	how := unix.OpenHow{Flags: uint64(flags | unix.O_NOFOLLOW | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	if flags&unix.O_CREAT != 0 {
		how.Mode = uint64(perm)
	}
	if len(path) <= longestPath {
		if got, ok, err := openat2(unix.AT_FDCWD, path, how); ok {
			return got, err
		}
	}
	return openEachPath(path, flags, perm)
}

// lstatUnopened returns the error for a path that cannot be opened even for its stat data.
func lstatUnopened(path string, err error) (fs.FileInfo, error) {
	return nil, explainError("lstat", path, err)
}

func chmodAt(fd int, name string, mode uint32) error {
	leaf, err := open(fd, name, lookOnly)
	if err != nil {
		return err
	}
	defer unix.Close(leaf)
	return unix.Fchmodat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", leaf), mode, 0)
}

func renameNewAt(a int, from string, b int, to string) error {
	switch err := unix.Renameat2(a, from, b, to, unix.RENAME_NOREPLACE); err {
	case unix.EINVAL, unix.ENOSYS, unix.EPERM:
		return errors.ErrUnsupported
	default:
		return err
	}
}
