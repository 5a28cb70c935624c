package plan

import "sort"

// LineIndex is the lines of one text. A line ends with LF, CR LF or CR; the last one may end
// with nothing. A byte order mark is before the first line.
type LineIndex struct {
	text   []byte
	starts []int
}

// ByteOrderMark is the UTF-8 byte order mark.
const ByteOrderMark = "\xef\xbb\xbf"

// NewIndex makes the index of a text. The text must not change afterwards.
func NewIndex(text []byte) *LineIndex {
	first := 0
	if len(text) >= len(ByteOrderMark) && string(text[:len(ByteOrderMark)]) == ByteOrderMark {
		first = len(ByteOrderMark)
	}
	x := &LineIndex{text: text, starts: []int{first}}
	for i := first; i < len(text); i++ {
		switch {
		case text[i] == '\n', text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
			x.starts = append(x.starts, i+1)
		}
	}
	return x
}

// Count is how many lines there are, the one after a final line end not counted unless
// it is the only one.
func (x *LineIndex) Count() int {
	n := len(x.starts)
	if n > 1 && x.starts[n-1] == len(x.text) {
		n--
	}
	return n
}

// Line returns the number of the line that an offset is on, from 1.
func (x *LineIndex) Line(off int) int {
	return max(1, sort.SearchInts(x.starts, off+1))
}

// Col returns the place of an offset in its line, in bytes from 1.
func (x *LineIndex) Col(off int) int { return max(1, off-x.Start(off)+1) }

// Start returns where the line with an offset starts.
func (x *LineIndex) Start(off int) int { return x.starts[x.Line(off)-1] }

// Next returns where the line after the one with an offset starts: the text's length for
// the last one.
func (x *LineIndex) Next(off int) int {
	if n := x.Line(off); n < len(x.starts) {
		return x.starts[n]
	}
	return len(x.text)
}

// End returns where the line with an offset ends, without what ends it.
func (x *LineIndex) End(off int) int {
	end := x.Next(off)
	return end - len(x.EOL(off))
}

// EOL returns what ends the line with an offset; "" for the last line of a text that does
// not end with one.
func (x *LineIndex) EOL(off int) string {
	end := x.Next(off)
	switch {
	case end > x.Start(off) && x.text[end-1] == '\n':
		if end-1 > x.Start(off) && x.text[end-2] == '\r' {
			return "\r\n"
		}
		return "\n"
	case end > x.Start(off) && x.text[end-1] == '\r':
		return "\r"
	}
	return ""
}

// FirstEOL returns what ends the first line; "\n" for a text of one line.
func (x *LineIndex) FirstEOL() string {
	if e := x.EOL(x.starts[0]); e != "" {
		return e
	}
	return "\n"
}

// At returns the offset where line n starts, from 1; lines beyond the last are the end.
func (x *LineIndex) At(n int) int {
	if n < 1 || n > len(x.starts) {
		return len(x.text)
	}
	return x.starts[n-1]
}

// IsFirstOnLine reports whether nothing but spaces and tabs is before an offset on its line.
func (x *LineIndex) IsFirstOnLine(off int) bool { return IsBlank(x.text[x.Start(off):off]) }

// IsLastOnLine reports whether nothing but spaces and tabs is between an offset and the end
// of its line.
func (x *LineIndex) IsLastOnLine(off int) bool {
	end := x.End(off)
	return off >= end || IsBlank(x.text[off:end])
}

// IsBlank reports whether a text is spaces and tabs only.
func IsBlank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}
