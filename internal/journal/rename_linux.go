package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames from to to and fails with fs.ErrExist when to is there.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
		return linkNew(from, to) // not every file system knows the flag
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
