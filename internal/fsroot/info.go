package fsroot

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// OwnerError reports that one of belay's folders belongs to another user.
type OwnerError struct {
	Path  string
	Owner int // the user ID
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("%q belongs to user %d, not to you", e.Path, e.Owner)
}

// Try returns advice for a person.
func (e *OwnerError) Try() string {
	return fmt.Sprintf("find out who made it, then give it back: chown -R $(id -u) %q", e.Path)
}

// OwnerID returns the user ID of a file's owner.
func OwnerID(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return os.Geteuid()
}

// info is a result of Lstat.
type info struct {
	name string
	st   syscall.Stat_t
}

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return i.st.Size }
func (i *info) IsDir() bool        { return i.Mode().IsDir() }
func (i *info) Sys() any           { return &i.st }
func (i *info) ModTime() time.Time { return modTime(&i.st) }

// Mode returns the mode as package fs represents it.
func (i *info) Mode() fs.FileMode {
	bits := uint32(i.st.Mode)
	mode := fs.FileMode(bits & 0o777)
	switch bits & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	}
	if bits&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if bits&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if bits&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// SameFile reports whether two results of Lstat or of package os are about one file.
func SameFile(a, b fs.FileInfo) bool {
	x, okA := a.Sys().(*syscall.Stat_t)
	y, okB := b.Sys().(*syscall.Stat_t)
	return okA && okB && x.Dev == y.Dev && x.Ino == y.Ino
}

func sortEntries(list []fs.DirEntry) {
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}

// hasMode reports whether path exists and want accepts its mode.
func hasMode(path string, want func(fs.FileMode) bool) bool {
	info, err := Lstat(path)
	return err == nil && want(info.Mode())
}

// IsFolder reports whether path is a folder, without links in it.
func IsFolder(path string) bool { return hasMode(path, fs.FileMode.IsDir) }
