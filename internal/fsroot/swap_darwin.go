package fsroot

import "golang.org/x/sys/unix"

// renameNew renames, unless something has the new name: then it is EEXIST.
func renameNew(fd int, name string, to int, newName string) error {
	err := unix.RenameatxNp(fd, name, to, newName, unix.RENAME_EXCL)
	if err == unix.ENOTSUP || err == unix.EINVAL {
		return linkNew(fd, name, to, newName)
	}
	return err
}
