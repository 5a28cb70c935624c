package fsroot

import (
	"strings"

	"golang.org/x/sys/unix"
)

// longestPath is the most bytes of a path that are passed to one system call; the kernel accepts
// 4,095.
const longestPath = 4000

// OpenBelow opens path below the folder fd, through no link and of any length. Path "" is the
// folder itself, with a file position of its own.
func OpenBelow(fd int, path string, flags int) (int, error) {
	if path == "" {
		return unix.Openat(fd, ".", flags|unix.O_CLOEXEC, 0)
	}
	at := fd
	for len(path) > longestPath {
		cut := strings.LastIndexByte(path[:longestPath], '/')
		if cut <= 0 {
			break
		}
		next, err := openBelow(at, path[:cut], OpenPath)
		if at != fd {
			unix.Close(at)
		}
		if err != nil {
			return -1, err
		}
		at, path = next, path[cut+1:]
	}
	got, err := openBelow(at, path, flags|unix.O_NOFOLLOW)
	if at != fd {
		unix.Close(at)
	}
	return got, err
}

// openEach opens path below the folder fd, one name at a time, for kernels without openat2.
func openEach(fd int, path string, flags int, perm uint32) (int, error) {
	at := fd
	for {
		name, rest, more := strings.Cut(path, "/")
		f := flags
		if more {
			f = OpenPath
		}
		next, err := openMode(at, name, f, perm)
		if at != fd {
			unix.Close(at)
		}
		if err != nil || !more {
			return next, err
		}
		at, path = next, rest
	}
}

// OpenFileAt opens a regular file for reading. It does not block if a FIFO took its place: the
// caller must fstat the result.
func OpenFileAt(fd int, path string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_NONBLOCK
	got, err := OpenBelow(fd, path, flags|noAtime)
	if err == unix.EPERM && noAtime != 0 { // not the owner: the access time changes
		return OpenBelow(fd, path, flags)
	}
	return got, err
}

// OpenFolder opens a folder to list it.
func OpenFolder(fd int, path string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY
	got, err := OpenBelow(fd, path, flags|noAtime)
	if err == unix.EPERM && noAtime != 0 {
		return OpenBelow(fd, path, flags)
	}
	return got, err
}

// StatAt returns the stat data of name in the folder fd, without following it.
func StatAt(fd int, name string, st *unix.Stat_t) error {
	for {
		if err := unix.Fstatat(fd, name, st, unix.AT_SYMLINK_NOFOLLOW); err != unix.EINTR {
			return err
		}
	}
}

// ReadLinkAt returns the target of a link, of any length.
func ReadLinkAt(fd int, name string) (string, error) {
	for size := 256; ; size *= 4 {
		buf := make([]byte, size)
		n, err := unix.Readlinkat(fd, name, buf)
		if err != nil {
			return "", err
		}
		if n < size {
			return string(buf[:n]), nil
		}
	}
}
