package fsroot

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

type nameType uint8

const (
	typeOther nameType = iota
	typeFolder
	typeUnknown // the file system does not report it
)

// Listing contains the names of one folder. Each worker reuses its own.
type Listing struct {
	buf    []byte // the result of one system call
	prefix string // the part of each path before the name
	text   []byte // all paths
	marks  []mark
	Names  []Name // the result of the last Read, sorted by path
}

type mark struct {
	end  uint32 // offset in text
	kind nameType
}

// Name is one name in a folder.
type Name struct {
	Path   string // prefix and name
	Folder bool
}

// NewListing returns a listing with its buffer.
func NewListing() *Listing { return &Listing{buf: make([]byte, 64<<10)} }

func (l *Listing) add(text []byte, kind nameType) {
	if string(text) == "." || string(text) == ".." {
		return
	}
	l.text = append(append(l.text, l.prefix...), text...)
	l.marks = append(l.marks, mark{end: uint32(len(l.text)), kind: kind})
}

// Read lists the folder fd with prefix lead, sorted by path. All paths share one string.
func (l *Listing) Read(fd int, lead string) error {
	l.prefix, l.text, l.marks, l.Names = lead, l.text[:0], l.marks[:0], l.Names[:0]
	if err := readNames(fd, l); err != nil {
		return err
	}
	all, start := string(l.text), uint32(0)
	for _, m := range l.marks {
		n := Name{Path: all[start:m.end], Folder: m.kind == typeFolder}
		if m.kind == typeUnknown {
			var st unix.Stat_t
			n.Folder = StatAt(fd, n.Path[len(lead):], &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
		}
		l.Names, start = append(l.Names, n), m.end
	}
	slices.SortFunc(l.Names, func(a, b Name) int {
		return CompareNames(a.Path[len(lead):], a.Folder, b.Path[len(lead):], b.Folder)
	})
	return nil
}

// CompareNames compares two names of one folder so that a depth-first walk gives full paths in byte
// order: a folder counts as its name and "/".
func CompareNames(a string, aFolder bool, b string, bFolder bool) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	return byteAfter(a, aFolder, n) - byteAfter(b, bFolder, n)
}

// byteAfter returns the byte after the first n of a name, -1 past its end.
func byteAfter(s string, folder bool, n int) int {
	switch {
	case n < len(s):
		return int(s[n])
	case folder:
		return '/'
	}
	return -1
}
