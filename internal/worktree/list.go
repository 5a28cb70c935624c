package worktree

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

type nameType uint8

const (
	typeOther nameType = iota
	typeFolder
	typeUnknown // the file system does not say
)

// listing holds the names of one folder; each worker has one and uses it again.
type listing struct {
	buf   []byte // what one system call returns
	lead  string // what stands before each name in its path
	text  []byte // all paths
	marks []mark
	names []name
}

type mark struct {
	end  uint32 // in text
	kind nameType
}

type name struct {
	path   string
	folder bool
}

func newListing() *listing { return &listing{buf: make([]byte, 64<<10)} }

func (l *listing) add(text []byte, kind nameType) {
	if string(text) == "." || string(text) == ".." {
		return
	}
	l.text = append(append(l.text, l.lead...), text...)
	l.marks = append(l.marks, mark{end: uint32(len(l.text)), kind: kind})
}

// read lists the folder fd, whose names all follow lead, in the order of paths.
// All paths share one string.
func (l *listing) read(fd int, lead string) error {
	l.lead, l.text, l.marks, l.names = lead, l.text[:0], l.marks[:0], l.names[:0]
	if err := readNames(fd, l); err != nil {
		return err
	}
	all, start := string(l.text), uint32(0)
	for _, m := range l.marks {
		n := name{path: all[start:m.end], folder: m.kind == typeFolder}
		if m.kind == typeUnknown {
			var st unix.Stat_t
			n.folder = statAt(fd, n.path[len(lead):], &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
		}
		l.names, start = append(l.names, n), m.end
	}
	slices.SortFunc(l.names, func(a, b name) int {
		return order(a.path[len(lead):], a.folder, b.path[len(lead):], b.folder)
	})
	return nil
}

// order compares two names of one folder so that walking them depth first gives
// whole paths in the order of their bytes: a folder counts as its name and "/".
func order(a string, aFolder bool, b string, bFolder bool) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	return tail(a, aFolder, n) - tail(b, bFolder, n)
}

// tail gives the byte after the first n of a name, -1 past its end.
func tail(s string, folder bool, n int) int {
	switch {
	case n < len(s):
		return int(s[n])
	case folder:
		return '/'
	}
	return -1
}
