package fsroot

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Mkdir creates a folder.
func Mkdir(path string, perm fs.FileMode) error {
	return changeAt("mkdir", path, func(fd int, name string) error { return unix.Mkdirat(fd, name, uint32(perm.Perm())) })
}

// MkdirAll creates a folder and its missing parents. Existing ones must be folders: anything else
// is an error, a link a *LinkError.
func MkdirAll(path string, perm fs.FileMode) error {
	info, err := Lstat(path)
	if err == nil {
		return isFolder(path, info)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if parent := filepath.Dir(path); parent != path {
		if err := MkdirAll(parent, perm); err != nil {
			return err
		}
	}
	err = Mkdir(path, perm)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err = Lstat(path); err != nil { // another process has just created it
		return err
	}
	return isFolder(path, info)
}

func isFolder(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil
	case mode&fs.ModeSymlink != 0:
		return &LinkError{Path: path}
	default:
		return NewTypeError(path, mode, "a folder")
	}
}

// NewTypeError returns the error for a path that is not what want names, "a file" or "a folder".
func NewTypeError(path string, is fs.FileMode, want string) error {
	return &TypeError{Path: path, Is: kindName(fileKind(is)), Want: want}
}

func fileKind(mode fs.FileMode) uint32 {
	switch {
	case mode.IsRegular():
		return unix.S_IFREG
	case mode.IsDir():
		return unix.S_IFDIR
	case mode&fs.ModeSymlink != 0:
		return unix.S_IFLNK
	case mode&fs.ModeNamedPipe != 0:
		return unix.S_IFIFO
	case mode&fs.ModeSocket != 0:
		return unix.S_IFSOCK
	}
	return unix.S_IFCHR
}

// Remove removes a file, a link, or an empty folder.
func Remove(path string) error {
	return changeAt("remove", path, func(fd int, name string) error {
		err := unix.Unlinkat(fd, name, 0)
		if err == unix.EISDIR || err == unix.EPERM || err == unix.EACCES {
			if derr := unix.Unlinkat(fd, name, unix.AT_REMOVEDIR); derr != unix.ENOTDIR {
				return derr
			}
		}
		return err
	})
}

// RemoveAll removes a path and everything below it, following no link. A missing path is not an
// error.
func RemoveAll(path string) error {
	fd, name, err := openParent("remove", path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return removeAt(fd, name, path)
}

func removeAt(fd int, name, path string) error {
	err := unix.Unlinkat(fd, name, 0)
	if err == nil || err == unix.ENOENT {
		return nil
	}
	dir, derr := open(fd, name, unix.O_RDONLY|unix.O_DIRECTORY)
	if derr == unix.EACCES { // one of our folders without permissions
		if chmodAt(fd, name, 0o700) == nil { // not the target of a link that has just replaced it
			dir, derr = open(fd, name, unix.O_RDONLY|unix.O_DIRECTORY)
		}
	}
	if derr != nil {
		return explainError("remove", path, err)
	}
	f := os.NewFile(uintptr(dir), path)
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		var st unix.Stat_t
		if unix.Fstat(dir, &st) == nil && st.Mode&0o300 != 0o300 {
			_ = unix.Fchmod(dir, 0o700)
		}
	}
	var failed error
	for _, n := range names {
		failed = errors.Join(failed, removeAt(dir, n, filepath.Join(path, n)))
	}
	if failed != nil {
		return failed
	}
	return explainError("remove", path, unix.Unlinkat(fd, name, unix.AT_REMOVEDIR))
}

// Rename moves from to to, replacing an existing file.
func Rename(from, to string) error {
	return changeTwo("rename", from, to, func(a int, an string, b int, bn string) error { return unix.Renameat(a, an, b, bn) })
}

// Exchange swaps two paths in one step. errors.ErrUnsupported if the system cannot.
func Exchange(one, other string) error { return changeTwo("rename", one, other, ExchangeAt) }

// RenameNew moves a file from to to, which must not exist: otherwise fs.ErrExist. If the file
// system supports neither a rename without replacing nor hard links, it checks first, which is safe
// among processes with a common lock.
func RenameNew(from, to string) error {
	err := changeTwo("rename", from, to, renameNewAt)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := Link(from, to); err == nil {
		return Remove(from)
	} else if errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := Lstat(to); err == nil {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return Rename(from, to)
}

// Link creates a hard link with a new name.
func Link(from, to string) error {
	return changeTwo("link", from, to, func(a int, an string, b int, bn string) error { return unix.Linkat(a, an, b, bn, 0) })
}

// Chmod changes the mode of a file or folder, never of a link's target.
func Chmod(path string, mode fs.FileMode) error {
	fd, name, err := openParent("chmod", path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := StatAt(fd, name, &st); err != nil {
		return explainError("chmod", path, err)
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return &LinkError{Path: path}
	}
	bits := uint32(mode.Perm())
	for _, b := range []struct {
		is   fs.FileMode
		unix uint32
	}{{fs.ModeSetuid, unix.S_ISUID}, {fs.ModeSetgid, unix.S_ISGID}, {fs.ModeSticky, unix.S_ISVTX}} {
		if mode&b.is != 0 {
			bits |= b.unix
		}
	}
	return explainError("chmod", path, chmodAt(fd, name, bits))
}

// Chtimes changes the times of a file, never of a link's target.
func Chtimes(path string, atime, mtime time.Time) error {
	return changeAt("chtimes", path, func(fd int, name string) error {
		times := []unix.Timespec{unix.NsecToTimespec(atime.UnixNano()), unix.NsecToTimespec(mtime.UnixNano())}
		return unix.UtimesNanoAt(fd, name, times, unix.AT_SYMLINK_NOFOLLOW)
	})
}

// CreateTemp creates a file that only the user may read, like os.CreateTemp.
func CreateTemp(dir, pattern string) (*os.File, error) {
	for try := 0; ; try++ {
		f, err := OpenFile(filepath.Join(dir, tempName(pattern)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) || try > 1000 {
			return f, err
		}
	}
}

// MkdirTemp creates a folder that only the user may enter, like os.MkdirTemp.
func MkdirTemp(dir, pattern string) (string, error) {
	for try := 0; ; try++ {
		path := filepath.Join(dir, tempName(pattern))
		if err := Mkdir(path, 0o700); !errors.Is(err, fs.ErrExist) || try > 1000 {
			return path, err
		}
	}
}

func tempName(pattern string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	prefix, suffix := pattern, ""
	if i := strings.LastIndexByte(pattern, '*'); i >= 0 {
		prefix, suffix = pattern[:i], pattern[i+1:]
	}
	return prefix + hex.EncodeToString(b[:]) + suffix
}

func changeAt(op, path string, do func(fd int, name string) error) error {
	fd, name, err := openParent(op, path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return explainError(op, path, do(fd, name))
}

func changeTwo(op, from, to string, do func(a int, an string, b int, bn string) error) error {
	a, an, err := openParent(op, from)
	if err != nil {
		return err
	}
	defer unix.Close(a)
	b, bn, err := openParent(op, to)
	if err != nil {
		return err
	}
	defer unix.Close(b)
	if err := do(a, an, b, bn); err != nil {
		return &os.LinkError{Op: op, Old: from, New: to, Err: err}
	}
	return nil
}
