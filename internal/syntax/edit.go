package syntax

import (
	"bytes"
	"sync"
)

// File is a path that a change added, modified or deleted. Before is nil for a new file, After for
// a deleted one; both are the bytes on disk. An empty file is not nil.
type File struct {
	Path   string
	Before []byte
	After  []byte

	once  sync.Once
	lines Lines
}

// IsDeleted reports whether the file was deleted.
func (f *File) IsDeleted() bool { return f.After == nil }

// IsCreated reports whether the file is new.
func (f *File) IsCreated() bool { return f.Before == nil }

// AddedLines returns the lines of After that are not in Before. It is computed once, and safe for
// concurrent use.
func (f *File) AddedLines() Lines {
	f.once.Do(func() { f.lines = AddedLines(f.Before, f.After) })
	return f.lines
}

// Lines is a set of line numbers, counted from 1.
type Lines struct{ set []bool }

// Has reports whether line n is in the set.
func (l Lines) Has(n int) bool { return n > 0 && n <= len(l.set) && l.set[n-1] }

// HasAny reports whether a line from first to last, inclusive, is in the set.
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

// IsBinary reports whether data has a zero byte near its start, which is git's rule for binary
// files.
func IsBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}
