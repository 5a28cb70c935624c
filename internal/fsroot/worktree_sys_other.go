//go:build !linux

package fsroot

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// OpenPath opens a folder only to reach names in it, which needs no read permission.
	OpenPath = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	noAtime  = 0
)

// openBelow opens path below the folder fd, through no link.
func openBelow(fd int, path string, flags int) (int, error) { return openEach(fd, path, flags, 0) }

// readNames appends the names in the folder fd to l.
func readNames(fd int, l *Listing) error {
	own, err := unix.Dup(fd)
	if err != nil {
		return err
	}
	unix.CloseOnExec(own)
	f := os.NewFile(uintptr(own), "folder")
	defer f.Close()
	for {
		entries, err := f.ReadDir(1024)
		for _, e := range entries {
			kind := typeOther
			if e.IsDir() {
				kind = typeFolder
			}
			l.add([]byte(e.Name()), kind)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// chmodFd changes the mode of an open folder.
func chmodFd(fd int, mode uint32) error { return unix.Fchmod(fd, mode) }

// chmodNoLink changes the mode of name in the folder fd, never through a link.
func chmodNoLink(fd int, name string, mode uint32) error {
	return unix.Fchmodat(fd, name, mode, unix.AT_SYMLINK_NOFOLLOW)
}

// syncTree syncs the folder and starts a sync of the rest: this system cannot sync one file system.
func syncTree(fd int) error {
	if err := unix.Fsync(fd); err != nil {
		return err
	}
	return unix.Sync()
}

// AwaitWrite does nothing on this system.
func AwaitWrite(int) {}
