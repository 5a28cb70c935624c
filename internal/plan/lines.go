package plan

import "sort"

// LineIndex maps offsets of one text to lines. A line ends with LF, CR LF or CR; the last one may
// have no end. A byte order mark precedes the first line.
type LineIndex struct {
	text   []byte
	starts []int
}

// ByteOrderMark is the UTF-8 byte order mark.
const ByteOrderMark = "\xef\xbb\xbf"

// NewIndex indexes a text, which must not change afterwards.
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

// Count returns the number of lines. The empty one after a final line end counts only if it is the
// only one.
func (x *LineIndex) Count() int {
	n := len(x.starts)
	if n > 1 && x.starts[n-1] == len(x.text) {
		n--
	}
	return n
}

// Line returns the line of an offset, from 1.
func (x *LineIndex) Line(off int) int {
	return max(1, sort.SearchInts(x.starts, off+1))
}

// Col returns the column of an offset, in bytes from 1.
func (x *LineIndex) Col(off int) int { return max(1, off-x.Start(off)+1) }

// Start returns the start of the line that contains an offset.
func (x *LineIndex) Start(off int) int { return x.starts[x.Line(off)-1] }

// Next returns the start of the line after the one that contains an offset; the text's length after
// the last line.
func (x *LineIndex) Next(off int) int {
	if n := x.Line(off); n < len(x.starts) {
		return x.starts[n]
	}
	return len(x.text)
}

// End returns the end of the line that contains an offset, without its line end.
func (x *LineIndex) End(off int) int {
	end := x.Next(off)
	return end - len(x.EOL(off))
}

// EOL returns the line end of the line that contains an offset; "" if it has none.
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

// FirstEOL returns the line end of the first line; "\n" if it has none.
func (x *LineIndex) FirstEOL() string {
	if e := x.EOL(x.starts[0]); e != "" {
		return e
	}
	return "\n"
}

// At returns the start of line n, from 1; the text's length if there is no such line.
func (x *LineIndex) At(n int) int {
	if n < 1 || n > len(x.starts) {
		return len(x.text)
	}
	return x.starts[n-1]
}

// IsFirstOnLine reports whether only spaces and tabs precede an offset on its line.
func (x *LineIndex) IsFirstOnLine(off int) bool { return IsBlank(x.text[x.Start(off):off]) }

// IsLastOnLine reports whether only spaces and tabs follow an offset on its line.
func (x *LineIndex) IsLastOnLine(off int) bool {
	end := x.End(off)
	return off >= end || IsBlank(x.text[off:end])
}

// IsBlank reports whether a text consists of spaces and tabs.
func IsBlank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}
