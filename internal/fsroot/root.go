package fsroot

import (
	"bytes"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
)

// Errors about something in the way of a path. Both are wrapped in an error that names it.
var (
	ErrNotFolder = errors.New("a link or a file is where a folder should be")
	ErrFolder    = errors.New("a folder is in the way")
)

// Root is a working tree, opened by its top folder. All paths are relative to it. A path is reached
// only through real folders: a link in the place of a parent, even one created meanwhile, is
// ErrNotFolder, and nothing is read or written through it. A missing path is fs.ErrNotExist. It is
// safe for concurrent use.
type Root struct {
	fd   int
	path string

	tempsMu  sync.Mutex
	tempIn   map[string]*tempFolder
	rightsMu sync.Mutex // locked while a folder has a temporary mode
}

type tempFolder struct {
	fd  int
	dev uint64
}

// OpenRoot opens the folder at path, which may contain links.
func OpenRoot(path string) (*Root, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, WrapPathError("open", path, err)
	}
	return &Root{fd: fd, path: path, tempIn: map[string]*tempFolder{}}, nil
}

// Close closes the folder.
func (r *Root) Close() error {
	r.tempsMu.Lock()
	defer r.tempsMu.Unlock()
	for _, t := range r.tempIn {
		unix.Close(t.fd)
	}
	r.tempIn = nil
	return WrapPathError("close", r.path, unix.Close(r.fd))
}

// Info is a result of Lstat.
type Info struct {
	Kind         PathKind
	Perm         uint16 // the 07777 bits
	Size         int64
	Mtime, Ctime int64 // nanoseconds since 1970
	Dev, Ino     uint64
}

// Lstat returns the stat data of path, without following it. Path "" is the root.
func (r *Root) Lstat(path string) (Info, error) {
	f, err := r.factsAt(path)
	if err != nil {
		return Info{}, err
	}
	return Info{Kind: f.Kind(), Perm: f.Perm(), Size: f.Size, Mtime: f.Mtime, Ctime: f.Ctime, Dev: f.Dev, Ino: f.Ino}, nil
}

func (r *Root) factsAt(path string) (Facts, error) {
	var st unix.Stat_t
	if path == "" {
		err := unix.Fstat(r.fd, &st)
		return FactsOf(&st), WrapPathError("stat", r.path, err)
	}
	p, err := r.at(path)
	if err != nil {
		return Facts{}, err
	}
	err = p.withRights(func() error { return StatAt(p.fd, p.name, &st) })
	return FactsOf(&st), p.close(WrapPathError("stat", path, err))
}

// Matches reports whether path has this kind, mode (links have none) and hash of its bytes, or of
// its target. For anything else at path, a missing path, or a parent that is not a folder it
// returns false without an error.
func (r *Root) Matches(path string, kind PathKind, perm uint16, oid OID, newHash func() hash.Hash) (bool, error) {
	info, err := r.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotFolder) {
		return false, nil
	}
	if err != nil || info.Kind != kind || kind != SymbolicLink && info.Perm != perm {
		return false, err
	}
	h := newHash()
	if kind == SymbolicLink {
		target, err := r.ReadLink(path)
		if err != nil {
			return false, err
		}
		h.Write(fmt.Appendf(nil, "blob %d\x00%s", len(target), target))
		return string(h.Sum(nil)) == string(oid), nil
	}
	if kind != File && kind != Exec {
		return true, nil
	}
	f, err := r.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	_, _ = h.Write(append(strconv.AppendInt([]byte("blob "), info.Size, 10), 0))
	n, err := io.Copy(h, io.LimitReader(f, info.Size+1))
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", belay.VisibleLine(path), err)
	}
	return n == info.Size && bytes.Equal(h.Sum(nil), []byte(oid)), nil
}

// Open opens a regular file for reading. Anything else at path is an error, and
// opening it has no effect.
func (r *Root) Open(path string) (*os.File, error) {
	p, err := r.at(path)
	if err != nil {
		return nil, err
	}
	fd := -1
	err = p.withRights(func() error {
		var st unix.Stat_t
		if err := StatAt(p.fd, p.name, &st); err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT != unix.S_IFREG {
			return errNotFile
		}
		var err error
		if fd, err = OpenFileAt(p.fd, p.name); err != nil {
			return err
		}
		if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
			err = errNotFile
		}
		if err != nil {
			unix.Close(fd)
		}
		return err
	})
	if err := p.close(WrapPathError("open", path, err)); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

var errNotFile = errors.New("not a regular file")

// ReadLink returns the target of the link at path.
func (r *Root) ReadLink(path string) (string, error) {
	p, err := r.at(path)
	if err != nil {
		return "", err
	}
	var target string
	err = p.withRights(func() (err error) {
		target, err = ReadLinkAt(p.fd, p.name)
		return err
	})
	return target, p.close(WrapPathError("readlink", path, err))
}

// ReadFolder returns the names in the folder at path, sorted.
func (r *Root) ReadFolder(path string) ([]string, error) {
	fd, err := OpenFolder(r.fd, path)
	if err != nil {
		return nil, WrapPathError("open", path, asNotFolder(err))
	}
	defer unix.Close(fd)
	l := NewListing()
	if err := l.Read(fd, ""); err != nil {
		return nil, WrapPathError("read", path, err)
	}
	names := make([]string, len(l.Names))
	for i := range l.Names {
		names[i] = strings.Clone(l.Names[i].Path)
	}
	return names, nil
}

// asNotFolder converts the kernel's error for a path through a link or a file to ErrNotFolder.
func asNotFolder(err error) error {
	if err == unix.ELOOP || err == unix.ENOTDIR {
		return ErrNotFolder
	}
	return err
}
