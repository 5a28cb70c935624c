package fsroot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// These functions are for the git folder and belay's own folders in it. Paths that people type may
// contain links: for those there are OpenUserFile and ReadUserFile, which do not block either.

// MaxSmallFile is the limit for ReadFile of a file that is small unless somebody has tampered with
// it.
const MaxSmallFile = 64 << 20

// MaxLargeFile is the limit for a file that grows with the repository.
const MaxLargeFile = 4 << 30

// LinkError reports a symbolic link in a path where none is allowed.
type LinkError struct{ Path string }

func (e *LinkError) Error() string { return fmt.Sprintf("%q is a symbolic link", e.Path) }

// Try returns advice for a person.
func (e *LinkError) Try() string {
	return fmt.Sprintf("find out who made it, then remove it: rm %q", e.Path)
}

// TypeError reports that a path is not a file or folder as required.
type TypeError struct {
	Path, Is, Want string

	err error // the system's error, nil without a system call
}

// Unwrap returns the system's error.
func (e *TypeError) Unwrap() error { return e.err }

func (e *TypeError) Error() string { return fmt.Sprintf("%q is %s, not %s", e.Path, e.Is, e.Want) }

// Try returns advice for a person.
func (e *TypeError) Try() string {
	return fmt.Sprintf("find out who made it, then remove it: rm -r %q", e.Path)
}

// SizeError reports that a file is too large.
type SizeError struct {
	Path string
	Max  int64 // bytes
}

func (e *SizeError) Error() string {
	if e.Max < 1<<20 {
		return fmt.Sprintf("%q is larger than %d bytes", e.Path, e.Max)
	}
	return fmt.Sprintf("%q is larger than %d MiB", e.Path, e.Max>>20)
}

// Try returns advice for a person.
func (e *SizeError) Try() string {
	return fmt.Sprintf("find out what is in it, then shorten or remove it: ls -ls %q", e.Path)
}

// openParent opens the parent folder of path, through no link. The caller closes it.
func openParent(op, path string) (fd int, name string, err error) {
	dir, name := filepath.Split(path)
	if !filepath.IsAbs(path) {
		if dir, err = filepath.Abs(filepath.Dir(path)); err != nil {
			return -1, "", err
		}
	}
	if !isName(name) {
		return -1, "", &fs.PathError{Op: op, Path: path, Err: syscall.EINVAL}
	}
	fd, err = openPath(filepath.Clean(dir), pathOnly, 0)
	return fd, name, explainError(op, path, err)
}

func isName(name string) bool { return name != "" && name != "." && name != ".." }

// openWhole opens path through no link, with one system call; openParent and an open in the folder
// take four.
func openWhole(op, path string, flags int, perm uint32) (fd int, err error) {
	if !isName(path[strings.LastIndexByte(path, '/')+1:]) {
		return -1, &fs.PathError{Op: op, Path: path, Err: syscall.EINVAL}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return -1, err
	}
	return openPath(abs, flags, perm)
}

// openEachPath is openPath one name at a time, for kernels without openat2 and for paths that are
// too long for one system call.
func openEachPath(path string, flags int, perm uint32) (int, error) {
	if path == "/" {
		return open(unix.AT_FDCWD, path, flags)
	}
	root, err := open(unix.AT_FDCWD, "/", pathOnly)
	if err != nil {
		return -1, err
	}
	defer unix.Close(root)
	return openEach(root, path[1:], flags, perm)
}

func open(fd int, name string, flags int) (int, error) {
	return openMode(fd, name, flags, 0)
}

func openMode(fd int, name string, flags int, perm uint32) (int, error) {
	for {
		got, err := unix.Openat(fd, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, perm)
		if err != unix.EINTR {
			return got, err
		}
	}
}

// explainError returns an error that names the link or the unusual file that caused err.
func explainError(op, path string, err error) error {
	switch err {
	case nil:
		return nil
	case unix.ELOOP, unix.ENOTDIR, unix.EEXIST, unix.ENXIO, unix.EMLINK, unix.EISDIR:
		if abs, aerr := filepath.Abs(path); aerr == nil {
			if odd := findOddPart(abs, err); odd != nil {
				return odd
			}
		}
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// findOddPart finds the first part of a path that explains err: a link, or something other than the
// required folder or file. Things may have changed since the error, so the result is only for
// messages.
func findOddPart(path string, err error) error {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		info, lerr := os.Lstat(path[:i])
		if lerr != nil {
			return nil
		}
		odd := &TypeError{Path: path[:i], Is: kindName(fileKind(info.Mode())), Want: "a folder", err: err}
		switch mode := info.Mode(); {
		case mode&fs.ModeSymlink != 0:
			return &LinkError{Path: path[:i]}
		case i < len(path) && !mode.IsDir(), i == len(path) && err == unix.ENOTDIR && !mode.IsDir():
			return odd
		case i == len(path) && (err == unix.ENXIO || err == unix.EISDIR):
			odd.Want = "a file"
			return odd
		}
	}
	return nil
}

// Open opens a regular file to read it.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile opens or creates a regular file, like os.OpenFile.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	// Truncate only after the check that it is a regular file.
	got, err := openWhole("open", path, flag&^os.O_TRUNC|unix.O_NONBLOCK|unix.O_NOCTTY, uint32(perm.Perm()))
	if err != nil {
		return nil, explainError("open", path, err)
	}
	if err := checkRegular(got, path); err != nil {
		unix.Close(got)
		return nil, err
	}
	f := os.NewFile(uintptr(got), path)
	if flag&os.O_TRUNC != 0 {
		if err := f.Truncate(0); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

func checkRegular(fd int, path string) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return checkRegularStat(&st, path)
}

func checkRegularStat(st *unix.Stat_t, path string) error {
	if kind := uint32(st.Mode) & unix.S_IFMT; kind != unix.S_IFREG {
		return &TypeError{Path: path, Is: kindName(kind), Want: "a file"}
	}
	return nil
}

func kindName(kind uint32) string {
	switch kind {
	case unix.S_IFREG:
		return "a file"
	case unix.S_IFDIR:
		return "a folder"
	case unix.S_IFLNK:
		return "a symbolic link"
	case unix.S_IFIFO:
		return "a FIFO"
	case unix.S_IFSOCK:
		return "a socket"
	}
	return "a device"
}

// ReadFile returns the bytes of a regular file; *SizeError when there are more than most.
func ReadFile(path string, most int64) ([]byte, error) {
	fd, err := openWhole("open", path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, explainError("open", path, err)
	}
	defer unix.Close(fd)
	return readFd(fd, path, most)
}

// ReadAll returns the rest of an open file; *SizeError when there are more bytes than most.
func ReadAll(f *os.File, most int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, &SizeError{Path: f.Name(), Max: most}
	}
	text := MakeLarge[byte](int(info.Size()) + 512)[:0]
	for {
		n, err := f.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if int64(len(text)) > most {
			return nil, &SizeError{Path: f.Name(), Max: most}
		}
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
}

// ReadFileIn is ReadFile for a name in a folder opened by OpenDir. For many small files it takes
// half the time.
func ReadFileIn(dir *os.File, name string, most int64) ([]byte, error) {
	path := filepath.Join(dir.Name(), name)
	fd, err := openMode(int(dir.Fd()), name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, explainError("open", path, err)
	}
	defer unix.Close(fd)
	return readFd(fd, path, most)
}

// readFd reads an open file completely, without an os.File, which would ask the kernel about
// polling.
func readFd(fd int, path string, most int64) ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if err := checkRegularStat(&st, path); err != nil {
		return nil, err
	}
	if st.Size > most {
		return nil, &SizeError{Path: path, Max: most}
	}
	text := MakeLarge[byte](int(st.Size) + 1)[:0]
	for {
		n, err := unix.Read(fd, text[len(text):cap(text)])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		case n == 0:
			return text, nil
		}
		if text = text[:len(text)+n]; int64(len(text)) > most {
			return nil, &SizeError{Path: path, Max: most}
		}
		if len(text) == cap(text) {
			text = slices.Grow(text, 512)
		}
	}
}

// WriteFile creates or overwrites a regular file.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	f, err := OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Lstat returns the stat data of a path of any type. Compare two results, or one and a result of
// os.Stat, with SameFile: os.SameFile works only for its own.
func Lstat(path string) (fs.FileInfo, error) {
	fd, err := openWhole("lstat", path, lookOnly, 0)
	if err != nil {
		return lstatUnopened(path, err)
	}
	defer unix.Close(fd)
	i := &info{name: filepath.Base(path)}
	if err := syscall.Fstat(fd, &i.st); err != nil {
		return nil, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return i, nil
}

// Readlink returns the target of a link; the path to it may contain no link.
func Readlink(path string) (string, error) {
	fd, name, err := openParent("readlink", path)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	for size := 256; ; size *= 4 {
		buf := make([]byte, size)
		n, err := unix.Readlinkat(fd, name, buf)
		if err != nil {
			return "", explainError("readlink", path, err)
		}
		if n < size {
			return string(buf[:n]), nil
		}
	}
}

// WalkDir calls visit for a path and everything below it, like filepath.WalkDir, and never follows
// a link, even one created meanwhile.
func WalkDir(path string, visit fs.WalkDirFunc) error {
	info, err := Lstat(path)
	if err != nil {
		err = visit(path, nil, err)
	} else {
		err = walk(path, fs.FileInfoToDirEntry(info), visit)
	}
	if err == fs.SkipDir || err == fs.SkipAll {
		return nil
	}
	return err
}

func walk(path string, e fs.DirEntry, visit fs.WalkDirFunc) error {
	if err := visit(path, e, nil); err != nil || !e.IsDir() {
		if err == fs.SkipDir && e.IsDir() {
			err = nil
		}
		return err
	}
	list, err := ReadDir(path)
	if err != nil {
		if err = visit(path, e, err); err != nil {
			if err == fs.SkipDir {
				err = nil
			}
			return err
		}
	}
	for _, below := range list {
		if err := walk(filepath.Join(path, below.Name()), below, visit); err != nil {
			if err == fs.SkipDir { // for a file: skip the rest of its folder
				return nil
			}
			return err
		}
	}
	return nil
}

// ReadDir lists a folder, by name.
func ReadDir(dir string) ([]fs.DirEntry, error) {
	f, err := OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Entries(f)
}

// Glob returns the paths below dir that match a pattern with slashes. Unlike filepath.Glob it takes
// dir itself literally: folders of users have brackets in their names.
func Glob(dir, pattern string) ([]string, error) {
	names, err := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names, err
}

// Entries lists a folder opened by OpenDir, by name.
func Entries(dir *os.File) ([]fs.DirEntry, error) {
	list, err := dir.ReadDir(-1)
	sortEntries(list)
	return list, err
}

// OpenDir opens a folder to list or to sync it.
func OpenDir(dir string) (*os.File, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	fd, err := openPath(abs, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, explainError("open", dir, err)
	}
	return os.NewFile(uintptr(fd), dir), nil
}

// SyncDir syncs a folder, so that its names survive a power loss.
func SyncDir(dir string) error {
	d, err := OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
