package tasklist

import (
	"bytes"
	"strings"
)

// Kind is the kind of a line.
type Kind int

// The kinds of lines. Rule is a thematic break or the underline of a heading; Front is YAML between
// two --- lines at the top.
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

// Line is one line. Start and End are its byte offsets, without the line end. Indent is the column
// where its text begins, Content the column where an item's text begins, with tab stops every four
// columns.
type Line struct {
	N          int // from 1
	Start, End int
	Kind       Kind
	Level      int // of a heading: 1 to 6
	Indent     int
	Content    int
	Number     string // of a numbered item: "1", "2.3"
	Text       string // of a heading or item, without mark, number and box; otherwise without indentation
	Box        Box

	textStart int // byte offset of its text
}

// Raw returns the line of data, made valid UTF-8.
func (l Line) Raw(data []byte) string {
	return strings.ToValidUTF8(string(data[l.Start:l.End]), "\uFFFD")
}

// ReadPage classifies the lines of a Markdown file. It never fails: a line of no other kind is
// Text.
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

// pageReader is the state of reading a file.
type pageReader struct {
	data  []byte
	lines []Line

	fence       string // the mark that closes the code block; "" outside of one
	fenceColumn int    // the content column of the item that contains the code block
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

// readInOpenBlock classifies lines inside a code block, a comment or the front matter.
func (r *pageReader) readInOpenBlock(l *Line, words string) bool {
	switch {
	case r.front:
		l.Kind = Front
		r.front = words != "---" && words != "..."
		return true
	case r.fence != "":
		if words != "" && r.fenceColumn > 0 && l.Indent < r.fenceColumn && !strings.HasPrefix(words, r.fence) {
			r.fence = "" // the item that contains the code block has ended
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

// openFence sets the mark that closes the code block.
func (r *pageReader) openFence(l *Line, words string) {
	mark := words[:len(words)-len(strings.TrimLeft(words, words[:1]))]
	if words[0] == '`' && strings.Contains(words[len(mark):], "`") {
		l.Kind = Text // inline code
		return
	}
	r.fence, r.fenceColumn = mark, 0
	if r.item > 0 && l.Indent >= r.item {
		r.fenceColumn = r.item
	}
}

// unfinishedFront reads front matter that is never closed again as normal lines, with its first
// line as a rule.
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

// isUnderline makes a heading of the previous line if this line underlines it.
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

// hasUnclosedComment reports whether a comment begins in a line of text and continues below it.
func hasUnclosedComment(words string) bool {
	at := strings.LastIndex(words, "<!--")
	return at >= 0 && !strings.Contains(words[at:], "-->") && strings.Count(words[:at], "`")%2 == 0
}

// columnAfter returns the column after a run of blanks that begins at a column.
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
