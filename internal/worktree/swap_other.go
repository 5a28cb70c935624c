//go:build !linux && !darwin

package worktree

import "golang.org/x/sys/unix"

// renameNew renames, unless something has the new name: then it is EEXIST.
func renameNew(fd int, name string, to int, newName string) error {
	return linkNew(fd, name, to, newName)
}

// exchange has no counterpart here.
func exchange(int, string, int, string) error { return unix.ENOTSUP }
