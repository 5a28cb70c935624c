package fsroot

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// KindName returns a display name: "a FIFO".
func KindName(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return kindName(uint32(st.Mode) & unix.S_IFMT)
	}
	return "something unknown"
}

// IsNullDevice reports whether it is the null device, which people name to mean no file.
func IsNullDevice(info fs.FileInfo) bool {
	if info.Mode()&fs.ModeDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(null, info)
}

// OpenUserFile opens a file that a person chose for reading, through links. It never blocks. The
// null device counts as an empty file.
func OpenUserFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	return requireRegular(f, path)
}

// requireRegular returns f if it is a regular file, and closes it otherwise.
func requireRegular(f *os.File, path string) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !IsNullDevice(info) {
		err = &TypeError{Path: path, Is: KindName(info), Want: "a file"}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadUserFile is ReadFile for a path that a person chose, see OpenUserFile.
func ReadUserFile(path string, most int64) ([]byte, error) {
	f, err := OpenUserFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, most)
}

// OpenIn opens a regular file below a root for reading. It never blocks.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	return requireRegular(f, name)
}

// ReadIn is ReadFile for a file below a root.
func ReadIn(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := OpenIn(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, most)
}

// ReadStart returns at most the first most bytes of a file below a root.
func ReadStart(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := OpenIn(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// CheckReadable returns an error for a file at path, reached through links, that would block or
// overload another program that reads it: *TypeError for anything but a file (it may block or be
// endless), *SizeError for more than most bytes. A missing or unreadable path, a folder, and the
// null device are left to that program.
func CheckReadable(path string, most int64) error {
	info, err := os.Stat(path)
	switch {
	case err != nil || info.IsDir():
		return nil
	case info.Mode().IsRegular():
		if info.Size() > most {
			return &SizeError{Path: path, Max: most}
		}
		return nil
	case IsNullDevice(info):
		return nil
	}
	return &TypeError{Path: path, Is: KindName(info), Want: "a file"}
}
