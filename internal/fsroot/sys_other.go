//go:build !linux

package fsroot

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

const (
	pathOnly = unix.O_RDONLY | unix.O_DIRECTORY
	lookOnly = unix.O_RDONLY | unix.O_NONBLOCK
)

func below(fd int, path string, flags int) (int, error) { return eachBelow(fd, path, flags) }

// lstatUnopened looks by name at what cannot be opened: a link, a socket, a file without
// rights. What leads to it was opened through no link.
func lstatUnopened(_ int, _, path string, err error) (fs.FileInfo, error) {
	if info, lerr := os.Lstat(path); lerr == nil {
		return info, nil
	}
	return nil, explain("lstat", path, err)
}

func chmodAt(fd int, name string, mode uint32) error {
	return unix.Fchmodat(fd, name, mode, unix.AT_SYMLINK_NOFOLLOW)
}

func renameNewAt(int, string, int, string) error { return errors.ErrUnsupported }
