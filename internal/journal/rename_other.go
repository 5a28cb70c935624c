//go:build !linux

package journal

// renameNew renames from to to and fails with fs.ErrExist when to is there.
func renameNew(from, to string) error { return linkNew(from, to) }
