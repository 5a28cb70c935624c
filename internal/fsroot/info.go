package fsroot

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// OwnerError says that a folder of belay's belongs to another user.
type OwnerError struct {
	Path  string
	Owner int // the user's number
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("%q belongs to user %d, not to you", e.Path, e.Owner)
}

// Try returns what a person can do about it.
func (e *OwnerError) Try() string {
	return fmt.Sprintf("find out who made it, then give it back: chown -R $(id -u) %q", e.Path)
}

// OwnerOf returns the number of the user whose a file is.
func OwnerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return os.Geteuid()
}

// lstatAt looks at a name in an open folder. The FileInfo is made by the standard library.
func lstatAt(fd int, name, path string) (fs.FileInfo, error) {
	got, err := open(fd, name, lookOnly)
	if err != nil {
		return lstatUnopened(fd, name, path, err)
	}
	f := os.NewFile(uintptr(got), path)
	defer f.Close()
	return f.Stat()
}

func sortEntries(list []fs.DirEntry) {
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}

// Is reports whether path is there and is of the kind that want tells of its mode.
func is(path string, want func(fs.FileMode) bool) bool {
	info, err := Lstat(path)
	return err == nil && want(info.Mode())
}

// IsFolder reports whether path is a folder, reached through no link.
func IsFolder(path string) bool { return is(path, fs.FileMode.IsDir) }
