package fsroot

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	// OpenPath opens a folder only to reach names in it, which needs no read permission.
	OpenPath = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	noAtime  = unix.O_NOATIME
)

const beneath = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS

// kernelWithoutOpenat2 is set once the kernel (before 5.6) reports that it has no openat2.
var kernelWithoutOpenat2 atomic.Bool

// openBelow opens path below the folder fd, through no link.
func openBelow(fd int, path string, flags int) (int, error) {
	got, ok, err := openat2(fd, path, unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Resolve: beneath})
	if !ok {
		return openEach(fd, path, flags, 0)
	}
	return got, err
}

// openat2 opens path from the folder fd. ok is false if the kernel has no such call or its error is
// not conclusive: sandboxes return EPERM for unknown system calls.
func openat2(fd int, path string, how unix.OpenHow) (got int, ok bool, err error) {
	for !kernelWithoutOpenat2.Load() {
		got, err = unix.Openat2(fd, path, &how)
		switch err {
		case unix.EINTR:
			continue
		case unix.ENOSYS:
			kernelWithoutOpenat2.Store(true)
			continue
		case unix.EPERM, unix.EAGAIN, unix.E2BIG, unix.EINVAL:
			return -1, false, nil
		}
		return got, true, err
	}
	return -1, false, nil
}

// readNames appends the names in the folder fd to l.
func readNames(fd int, l *Listing) error {
	for {
		n, err := unix.Getdents(fd, l.buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return err
		}
		for rest := l.buf[:n]; len(rest) > 19; {
			size := int(binary.NativeEndian.Uint16(rest[16:]))
			name := rest[19:size]
			for i, c := range name {
				if c == 0 {
					name = name[:i]
					break
				}
			}
			l.add(name, typeOf(rest[18]))
			rest = rest[size:]
		}
	}
}

func typeOf(d byte) nameType {
	switch d {
	case unix.DT_UNKNOWN:
		return typeUnknown
	case unix.DT_DIR:
		return typeFolder
	}
	return typeOther
}

// chmodFd changes the mode of an open folder, even one opened with O_PATH.
func chmodFd(fd int, mode uint32) error {
	err := unix.Fchmodat(fd, "", mode, unix.AT_EMPTY_PATH)
	if err == unix.EOPNOTSUPP || err == unix.EPERM || err == unix.EINVAL {
		return unix.Fchmodat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), mode, 0)
	}
	return err
}

// chmodNoLink changes the mode of name in the folder fd, never through a link.
func chmodNoLink(fd int, name string, mode uint32) error {
	err := unix.Fchmodat(fd, name, mode, unix.AT_SYMLINK_NOFOLLOW)
	if err != unix.EOPNOTSUPP && err != unix.EPERM {
		return err
	}
	leaf, err := unix.Openat(fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(leaf)
	var st unix.Stat_t
	if err := unix.Fstat(leaf, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return unix.EOPNOTSUPP
	}
	return unix.Fchmodat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", leaf), mode, 0)
}

func syncTree(fd int) error { return unix.Syncfs(fd) }

// AwaitWrite waits until a running write is done. A write sets the file's times first and then
// copies its bytes, and a read does not wait for it: it could return half of the old bytes, and the
// times would not show that. Seeking for holes takes the lock of writes, at least on ext4, btrfs
// and tmpfs.
func AwaitWrite(fd int) {
	_, _ = unix.Seek(fd, 0, unix.SEEK_DATA) // ENXIO: an empty file
	_, _ = unix.Seek(fd, 0, unix.SEEK_SET)
}

// renameNew renames, and fails with EEXIST when the new name exists.
func renameNew(fd int, name string, to int, newName string) error {
	err := unix.Renameat2(fd, name, to, newName, unix.RENAME_NOREPLACE)
	if err == unix.ENOSYS || err == unix.EINVAL {
		return linkNew(fd, name, to, newName)
	}
	return err
}
