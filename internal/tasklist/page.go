package tasklist

import (
	"bytes"
	"strings"
)

// Kind is what a line is.
type Kind int

// The kinds of lines. Rule is a line across the page, or the line that underlines a
// heading; Front is YAML between two lines of dashes at the top.
const (
	Blank Kind = iota
	Heading
	Rule
	Item
	Text
	Quote
	Table
	Fence
	Comment
	Front
)

// Line is one line. At and End are the bytes of the file that it is in, without the
// line's end. Indent and Content are columns, a tab reaching to the next multiple of four:
// where the line begins, and, for an item, where its words begin.
type Line struct {
	N          int // from 1
	Start, End int
	Kind       Kind
	Level      int    // of a heading: 1 to 6
	Indent     int    //
	Content    int    //
	Number     string // of a numbered item: "1", "2.3"
	Text       string // of a heading or item, without its mark, number and box; else the line without indentation
	Box        Box

	textStart int // the byte at which its words begin
}

// Raw is the line as it stands, made valid UTF-8.
func (l Line) Raw(data []byte) string {
	return strings.ToValidUTF8(string(data[l.Start:l.End]), "\uFFFD")
}

// Read tells the lines of a file apart. It never fails: what is nothing special is text.
func ReadPage(data []byte) []Line {
	r := pageReader{data: data, lines: make([]Line, 0, bytes.Count(data, []byte{'\n'})+1)}
	at := 0
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		at = 3
	}
	for n := 1; at < len(data); n++ {
		end := bytes.IndexByte(data[at:], '\n')
		next := at + end + 1
		if end < 0 {
			next = len(data)
			end = next
		} else {
			end += at
		}
		if end > at && data[end-1] == '\r' {
			end--
		}
		r.readLine(n, at, end)
		at = next
	}
	r.unfinishedFront()
	return r.lines
}

// reader is a file being read, with what is open where it stands.
type pageReader struct {
	data  []byte
	lines []Line

	fence       string // the mark that closes the code, "" outside of code
	fenceColumn int    // the column of the item that the code is in
	comment     bool
	front       bool
	item        int // the content column of the last item, 0 outside a list
	previous    Kind
}

func (r *pageReader) readLine(n, at, end int) {
	l := Line{N: n, Start: at, End: end}
	text := string(r.data[at:end])
	words := strings.TrimLeft(text, " \t")
	l.textStart = at + len(text) - len(words)
	l.Indent = columnAfter(text[:len(text)-len(words)], 0)
	words = strings.TrimRight(words, " \t\v\f\r")
	l.Text = words
	r.classify(&l, words)
	l.Text = strings.ToValidUTF8(l.Text, "\uFFFD")
	r.lines = append(r.lines, l)
	r.previous = l.Kind
}

func (r *pageReader) classify(l *Line, words string) {
	switch {
	case r.readInOpenBlock(l, words):
	case l.N == 1 && words == "---":
		r.front, l.Kind = true, Front
	case words == "":
		l.Kind = Blank
	case strings.HasPrefix(words, "```") || strings.HasPrefix(words, "~~~"):
		l.Kind = Fence
		r.openFence(l, words)
	case strings.HasPrefix(words, "<!--"):
		l.Kind = Comment
		r.comment = !strings.Contains(words[4:], "-->")
	case readHeading(l, words):
		r.item = 0
	case r.isUnderline(l, words):
	case isRule(words):
		l.Kind, r.item = Rule, 0
	case readItem(l, words):
		r.item = l.Content
	case strings.HasPrefix(words, ">"):
		l.Kind = Quote
	case strings.HasPrefix(words, "|"):
		l.Kind = Table
	default:
		l.Kind = Text
		if l.Indent == 0 && r.previous == Blank {
			r.item = 0
		}
		r.comment = hasUnclosedComment(words)
	}
	if l.Kind == Item {
		r.comment = hasUnclosedComment(words)
	}
}

// readInOpenBlock answers for the lines of what is open: code, a comment, the top of the file.
func (r *pageReader) readInOpenBlock(l *Line, words string) bool {
	switch {
	case r.front:
		l.Kind = Front
		r.front = words != "---" && words != "..."
		return true
	case r.fence != "":
		if words != "" && r.fenceColumn > 0 && l.Indent < r.fenceColumn && !strings.HasPrefix(words, r.fence) {
			r.fence = "" // the item that the code was in is over
			return false
		}
		l.Kind = Fence
		if strings.HasPrefix(words, r.fence) && strings.Trim(words, r.fence[:1]) == "" {
			r.fence = ""
		}
		return true
	case r.comment:
		l.Kind = Comment
		r.comment = !strings.Contains(words, "-->")
		return true
	}
	return false
}

// openFence notes the mark that will close code.
func (r *pageReader) openFence(l *Line, words string) {
	mark := words[:len(words)-len(strings.TrimLeft(words, words[:1]))]
	if words[0] == '`' && strings.Contains(words[len(mark):], "`") {
		l.Kind = Text // a span of code on one line
		return
	}
	r.fence, r.fenceColumn = mark, 0
	if r.item > 0 && l.Indent >= r.item {
		r.fenceColumn = r.item
	}
}

// unfinishedFront takes back what was held for the top of the file and never ended: then
// the line of dashes was one across the page.
func (r *pageReader) unfinishedFront() {
	if !r.front {
		return
	}
	r.front = false
	again := pageReader{data: r.data, lines: r.lines[:0:0]}
	for _, l := range r.lines {
		if l.N == 1 {
			l.Kind = Rule
			again.lines = append(again.lines, l)
			continue
		}
		again.readLine(l.N, l.Start, l.End)
	}
	r.lines = again.lines
}

// isUnderline makes a heading of the line above when this one underlines it.
func (r *pageReader) isUnderline(l *Line, words string) bool {
	n := len(r.lines)
	if n == 0 || r.lines[n-1].Kind != Text || r.lines[n-1].Indent > 3 || r.item > 0 {
		return false
	}
	level := 0
	switch {
	case strings.Trim(words, "=") == "":
		level = 1
	case len(words) > 1 && strings.Trim(words, "-") == "":
		level = 2
	default:
		return false
	}
	r.lines[n-1].Kind, r.lines[n-1].Level = Heading, level
	l.Kind = Rule
	return true
}

func readHeading(l *Line, words string) bool {
	level := len(words) - len(strings.TrimLeft(words, "#"))
	if level == 0 || level > 6 || l.Indent > 3 {
		return false
	}
	if len(words) > level && words[level] != ' ' && words[level] != '\t' {
		return false
	}
	l.Kind, l.Level = Heading, level
	l.Text = strings.TrimSpace(words[level:])
	if cut := strings.TrimRight(l.Text, "#"); cut != l.Text && (cut == "" || strings.HasSuffix(cut, " ")) {
		l.Text = strings.TrimSpace(cut)
	}
	return true
}

func isRule(words string) bool {
	mark := words[0]
	if mark != '-' && mark != '*' && mark != '_' {
		return false
	}
	n := strings.Count(words, string(mark))
	return n >= 3 && n+strings.Count(words, " ")+strings.Count(words, "\t") == len(words)
}

// hasUnclosedComment reports a comment that begins in a line of words and continues below it.
func hasUnclosedComment(words string) bool {
	at := strings.LastIndex(words, "<!--")
	return at >= 0 && !strings.Contains(words[at:], "-->") && strings.Count(words[:at], "`")%2 == 0
}

// columnAfter is how far a run of blanks reaches from a column.
func columnAfter(blanks string, from int) int {
	for _, c := range blanks {
		if c == '\t' {
			from += 4 - from%4
		} else {
			from++
		}
	}
	return from
}
