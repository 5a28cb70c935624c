//go:build !linux && !darwin

package fsroot

// renameNew renames, unless something has the new name: then it is EEXIST.
func renameNew(fd int, name string, to int, newName string) error {
	return linkNew(fd, name, to, newName)
}
