//go:build !linux && !darwin

package fsroot

// renameNew renames, and fails with EEXIST when the new name exists.
func renameNew(fd int, name string, to int, newName string) error {
	return linkNew(fd, name, to, newName)
}
