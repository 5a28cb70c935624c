package fsroot

import "golang.org/x/sys/unix"

// renameNew renames, and fails with EEXIST when the new name exists.
func renameNew(fd int, name string, to int, newName string) error {
	err := unix.RenameatxNp(fd, name, to, newName, unix.RENAME_EXCL)
	if err == unix.ENOTSUP || err == unix.EINVAL {
		return linkNew(fd, name, to, newName)
	}
	return err
}
