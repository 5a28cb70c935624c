package syntax

import (
	"bytes"
	"sync"
)

// File is one path that a change added, modified or deleted. Before is nil when it was
// not there, After when it is gone; both are bytes as they are on the disk. A file that
// was read and is empty is not nil.
type File struct {
	Path   string
	Before []byte
	After  []byte

	once  sync.Once
	lines Lines
}

// IsDeleted reports whether the file is gone.
func (f *File) IsDeleted() bool { return f.After == nil }

// IsCreated reports whether the file is new.
func (f *File) IsCreated() bool { return f.Before == nil }

// AddedLines returns the lines of After that Before did not have. It is computed once and may
// be asked from several goroutines.
func (f *File) AddedLines() Lines {
	f.once.Do(func() { f.lines = AddedLines(f.Before, f.After) })
	return f.lines
}

// Lines is a set of line numbers, counted from 1.
type Lines struct{ set []bool }

// Has reports whether line n is in the set.
func (l Lines) Has(n int) bool { return n > 0 && n <= len(l.set) && l.set[n-1] }

// HasAny reports whether a line from first to last, both counted in, is in the set.
func (l Lines) HasAny(first, last int) bool {
	for n := max(first, 1); n <= last && n <= len(l.set); n++ {
		if l.set[n-1] {
			return true
		}
	}
	return false
}

// Count returns how many lines are in the set.
func (l Lines) Count() int {
	n := 0
	for _, is := range l.set {
		if is {
			n++
		}
	}
	return n
}

// IsBinary reports whether data is not text: it has a zero byte near its start, which is
// git's rule.
func IsBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}
