package restore

import (
	"bytes"
	"slices"
)

// Edit is a change that belay itself made to a file of the user's: it replaced lines, such as a
// checked box. It is reverted line by line, so that later changes of people in the same file stay.
type Edit struct {
	Path  RawPath `json:"path"`
	Lines []Line  `json:"lines"`
}

// Line is one line before and after, without its line ending, in bytes. N is the line number,
// from 1.
type Line struct {
	N      int    `json:"n"`
	Before []byte `json:"was"`
	After  []byte `json:"is"`
}

// NewEdit returns the edit that turns one text into the other, nil when they are equal or when
// anything but the text of some lines differs.
func NewEdit(path string, before, after []byte) *Edit {
	was, is := splitLines(before), splitLines(after)
	if len(was) != len(is) {
		return nil
	}
	e := &Edit{Path: RawPath(path)}
	for i := range was {
		if bytes.Equal(was[i], is[i]) {
			continue
		}
		a, end := splitLineEnd(was[i])
		b, other := splitLineEnd(is[i])
		if !bytes.Equal(end, other) {
			return nil
		}
		e.Lines = append(e.Lines, Line{N: i + 1, Before: bytes.Clone(a), After: bytes.Clone(b)})
	}
	if len(e.Lines) == 0 {
		return nil
	}
	return e
}

// Inverse returns the edit that reverts this one.
func (e Edit) Inverse() Edit {
	out := Edit{Path: e.Path}
	for _, l := range e.Lines {
		out.Lines = append(out.Lines, Line{N: l.N, Before: l.After, After: l.Before})
	}
	return out
}

// Apply returns the text with its lines replaced. It can be repeated: a line that is already right
// stays. It looks for a line at its number first, and then elsewhere, if it occurs once. ok is
// false, and the text is returned unchanged, when a line is not found or found twice.
func (e Edit) Apply(text []byte) (out []byte, ok bool) {
	list := splitLines(text)
	for _, l := range e.Lines {
		if at := findLine(list, l.N-1, l.Before); at >= 0 {
			_, end := splitLineEnd(list[at])
			list[at] = slices.Concat(l.After, end)
		} else if findLine(list, l.N-1, l.After) < 0 {
			return text, false
		}
	}
	return bytes.Join(list, nil), true
}

// findLine returns the index of a line, -1 if it is not found, or found several times but not at
// its number.
func findLine(list [][]byte, at int, line []byte) int {
	if at < len(list) && sameText(list[at], line) {
		return at
	}
	found := -1
	for i, l := range list {
		if !sameText(l, line) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

func sameText(line, words []byte) bool {
	got, _ := splitLineEnd(line)
	return bytes.Equal(got, words)
}

// splitLineEnd separates a line from its line ending.
func splitLineEnd(line []byte) (words, end []byte) {
	words = bytes.TrimRight(line, "\r\n")
	return words, line[len(words):]
}

// splitLines splits a text after each newline.
func splitLines(text []byte) [][]byte { return bytes.SplitAfter(text, []byte("\n")) }
