// Package prose cuts a review into units: headings, paragraphs, list items, table rows,
// pasted blocks and quotations, each with what it stands under. It reads Markdown as
// people really write it, mail included. It knows no paths and no verdicts, and touches
// no file.
package prose

import "strings"

// Kind says what a unit is.
type Kind int

const (
	Para Kind = iota
	Heading
	Item
	Row
	Code
	Quote
)

// Box is the state of a check box before an item.
type Box int

const (
	NoBox Box = iota
	Open
	Done
)

// None stands for "no unit" in Parent and Intro.
const None = -1

// Unit is one piece of a review.
type Unit struct {
	Kind   Kind
	Text   string // without its marker; struck text is blanked
	Line   int    // where it starts, from 1
	Level  int    // of a heading: 1 is the highest, 7 a label of its own line
	Parent int    // the item or heading it stands under, or None
	Intro  int    // the paragraph right before a list, a table or a block, or None
	Number int    // of a numbered item
	Box    Box
	Struck bool     // all of it is struck out
	Lang   string   // of a fenced block
	Head   []string // of a row: the names of the columns, lower case
	Cells  []string // of a row
	Form   bool     // the row was a form: "File: a.go", "Line: 3" below each other
}

const deepest = 60 // levels of nesting; what is deeper hangs on the deepest

// Parse cuts text into units, in order. It never fails: what it does not recognise is a
// paragraph. Pasted tells of a block of lines whether it is a tool's output that nobody
// fenced; it may be nil.
func Parse(text string, pasted func(block string) bool) []Unit {
	p := &parser{lines: strings.Split(blank(normal(text)), "\n"), open: None, last: None, output: pasted}
	for p.at < len(p.lines) {
		p.line()
	}
	p.close()
	return p.units
}

func normal(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

type frame struct{ indent, unit int }

type parser struct {
	lines    []string
	at       int
	units    []Unit
	items    []frame // the open items, outermost first
	headings []int   // the open headings
	open     int     // the unit that a further line continues, or None
	indent   int     // of the open unit
	bare     bool    // the open item has no marker
	last     int     // the last unit that is no heading, since a heading
	gap      bool    // an empty line came before
	output   func(string) bool
	checked  int  // the lines before it were shown to output
	named    int  // paragraphs of one name, and one more once they are counted
	listed   bool // a list stood under the current label
}

// line reads what starts at the current line.
func (p *parser) line() {
	raw := p.lines[p.at]
	line := strings.ReplaceAll(raw, "\t", "    ")
	body := strings.TrimSpace(line)
	indent := len(line) - len(strings.TrimLeft(line, " "))
	switch {
	case body == "":
		p.gap = true
		p.close()
		p.at++
	case p.unfenced(indent, body):
	case fenceOf(body) != "":
		p.fenced(indent, body)
	case body[0] == '>':
		p.quoted(indent)
	case p.tableStarts():
		p.table(indent)
	case p.heading(body, indent):
	case p.form(indent, body):
	case p.linted(indent, body):
	case p.pasted(indent, body):
	default:
		p.words(indent, body)
	}
}

func (p *parser) close() { p.open = None }

func (p *parser) heading(body string, indent int) bool {
	level, title := headingOf(body)
	if level == 0 && indent < 4 && p.open == None && p.at+1 < len(p.lines) {
		level = underline(body, p.lines[p.at+1])
		if level > 0 {
			title = body
			p.at++
		}
	}
	if level == 0 && (len(p.items) == 0 || indent == 0) && p.open == None && p.alone() {
		level, title = labelOf(body)
	}
	if level == 0 && (len(p.items) == 0 || indent == 0) && p.open == None && p.leads(body) {
		level, title = 8, body
	}
	if level == 0 && len(p.items) == 0 && p.open == None && p.sheet(body) {
		level, title = 8, body
	}
	if level == 0 || (level < 7 && indent > 3) {
		return false
	}
	p.items, p.last, p.listed = nil, None, false
	for n := len(p.headings); n > 0 && p.units[p.headings[n-1]].Level >= level; n-- {
		p.headings = p.headings[:n-1]
	}
	p.add(Unit{Kind: Heading, Text: title, Level: level, Intro: None, Parent: p.under()})
	p.headings = append(p.headings, len(p.units)-1)
	p.close()
	p.gap = false
	p.at++
	return true
}

// alone: the next line is empty, the last, or starts a list: a label stands by itself.
func (p *parser) alone() bool {
	if p.at+1 >= len(p.lines) {
		return true
	}
	next := strings.TrimSpace(p.lines[p.at+1])
	return next == "" || fenceOf(next) != "" || next[0] == '|' || markerOf(next) > 0 || strings.HasSuffix(strings.TrimSpace(p.lines[p.at]), "**")
}

// leads tells a short line that ends with a colon and names what follows.
func (p *parser) leads(body string) bool {
	body = strings.TrimRight(body, "*_ ")
	return p.alone() && p.at+1 < len(p.lines) && len(body) < 60 && (strings.HasSuffix(body, ":") || strings.HasSuffix(body, "：")) &&
		len(strings.Fields(body)) <= 4 && markerOf(body) == 0
}

// sheet tells a line of one word, with a dot or a slash in it, above paragraphs that each
// begin with a line's number, as review tools print them.
func (p *parser) sheet(body string) bool {
	if !nameOnly(body) {
		return false
	}
	for n := p.at + 1; n < len(p.lines) && n < p.at+4; n++ {
		if next := strings.TrimSpace(p.lines[n]); next != "" {
			return n > p.at+1 && (numbersLine(next) || fenceOf(next) != "" || p.sheets() > 1)
		}
	}
	return false
}

// sheets counts the paragraphs that hold one name and nothing else.
func (p *parser) sheets() int {
	if p.named == 0 {
		p.named = 1
		for n := range p.lines {
			if nameOnly(strings.TrimSpace(p.lines[n])) && (n == 0 || strings.TrimSpace(p.lines[n-1]) == "") && n+1 < len(p.lines) && strings.TrimSpace(p.lines[n+1]) == "" {
				p.named++
			}
		}
	}
	return p.named - 1
}

// nameOnly tells a line of one word that may be a path.
func nameOnly(body string) bool {
	return strings.ContainsAny(body, "./") && len(strings.Fields(body)) == 1 && len(body) <= 200 && !strings.Contains(body, "://") && !strings.HasSuffix(body, "...") && markerOf(body) == 0 && fenceOf(body) == ""
}

// under is what a unit that is in no list stands under.
func (p *parser) under() int {
	if n := len(p.items); n > 0 {
		return p.items[n-1].unit
	}
	if n := len(p.headings); n > 0 {
		return p.headings[n-1]
	}
	return None
}

func (p *parser) add(u Unit) {
	u.Line = p.at + 1
	u.Text, u.Struck = unstrike(u.Text)
	p.units = append(p.units, u)
	if u.Kind != Heading {
		p.last = len(p.units) - 1
	}
}
