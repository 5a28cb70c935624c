package fsroot

import (
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	// pathOnly opens a folder only to reach what is in it, which needs no right to read it.
	pathOnly = unix.O_PATH | unix.O_DIRECTORY
	// lookOnly opens anything only to look at it.
	lookOnly = unix.O_PATH
)

// noOpenat2 is set once the kernel (before 5.6) says that it has no openat2.
var noOpenat2 atomic.Bool

// longest is how much of a path goes into one system call; the kernel takes 4,095 bytes.
const longest = 4000

// below opens path below the folder fd, through no link. Sandboxes answer EPERM to system
// calls that they do not know, so that is no final answer.
func below(fd int, path string, flags int) (int, error) {
	if noOpenat2.Load() || len(path) > longest {
		return eachBelow(fd, path, flags)
	}
	how := unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	for {
		got, err := unix.Openat2(fd, path, &how)
		switch err {
		case unix.EINTR:
			continue
		case unix.ENOSYS:
			noOpenat2.Store(true)
			return eachBelow(fd, path, flags)
		case unix.EPERM, unix.EAGAIN, unix.E2BIG, unix.EINVAL:
			return eachBelow(fd, path, flags)
		}
		return got, err
	}
}

// lstatUnopened is for what cannot be opened even to look at it: here there is none.
func lstatUnopened(_ int, _, path string, err error) (fs.FileInfo, error) {
	return nil, explain("lstat", path, err)
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
