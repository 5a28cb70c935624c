package restore

import (
	"bytes"
	"slices"
)

// Edit is what belay itself wrote into a file of the user's: lines that took the place of
// others, such as a ticked box. It is taken back line by line, so that what people wrote
// into the same file since then stays.
type Edit struct {
	Path  RawPath `json:"path"`
	Lines []Line  `json:"lines"`
}

// Line is one line before and after, without its end, in bytes. N counts from 1: it is where
// the line was found.
type Line struct {
	N      int    `json:"n"`
	Before []byte `json:"was"`
	After  []byte `json:"is"`
}

// NewEdit returns the edit that makes one text of another, nil when they are equal or differ
// in more than the words of some lines.
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

// Inverse returns the edit that takes this one back.
func (e Edit) Inverse() Edit {
	out := Edit{Path: e.Path}
	for _, l := range e.Lines {
		out.Lines = append(out.Lines, Line{N: l.N, Before: l.After, After: l.Before})
	}
	return out
}

// Apply returns the text with its lines replaced. It can be done again: a line that is
// already as it should be stays. A line is looked for where it was found first, and then
// where else it is, if that is one place. ok is false when one is not found, or twice: then
// somebody has changed it, and the text is given back unchanged.
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

// findLine returns the index of a line, -1 for none and for several of which none is at the
// place where it was.
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

// splitLineEnd parts a line from its end.
func splitLineEnd(line []byte) (words, end []byte) {
	words = bytes.TrimRight(line, "\r\n")
	return words, line[len(words):]
}

// splitLines cuts a text after each newline.
func splitLines(text []byte) [][]byte { return bytes.SplitAfter(text, []byte("\n")) }
