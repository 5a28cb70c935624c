//go:build !linux

package fsroot

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// pathOnly opens a folder only to reach names in it, which needs no read permission.
	pathOnly = unix.O_RDONLY | unix.O_DIRECTORY
	// lookOnly opens anything only for its stat data.
	lookOnly = unix.O_RDONLY | unix.O_NONBLOCK
)

func openPath(path string, flags int, perm uint32) (int, error) {
	return openEachPath(path, flags, perm)
}

// lstatUnopened returns the stat data, by name, of a path that cannot be opened: a link, a socket,
// a file without permissions. Its parent was opened through no link.
func lstatUnopened(path string, err error) (fs.FileInfo, error) {
	if info, lerr := os.Lstat(path); lerr == nil {
		return info, nil
	}
	return nil, explainError("lstat", path, err)
}

func chmodAt(fd int, name string, mode uint32) error {
	return unix.Fchmodat(fd, name, mode, unix.AT_SYMLINK_NOFOLLOW)
}

func renameNewAt(int, string, int, string) error { return errors.ErrUnsupported }
