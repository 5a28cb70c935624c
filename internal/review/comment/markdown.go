package comment

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/belay-dev/belay/internal/count"
)

type kind int

const (
	prose kind = iota
	heading
	columns // the heads of a table
	row
	pasted // code or output
	quoted
)

// unit is a block of the review, with the line of the review it begins at, from 1.
type unit struct {
	kind       kind
	text       string
	first      int
	scope      *scope // what it stands under
	introduces *scope // what it is the first words of
}

func (u *unit) line(at int) int {
	if u.kind == row {
		return u.first
	}
	return u.first + strings.Count(u.text[:min(at, len(u.text))], "\n")
}

// scope is what covers the units below it: a heading, the words before a list, the first
// words of an item, the heads of a table.
type scope struct {
	parent    *scope
	lead      *unit
	level     int // of a heading, 0 for others
	stance    stance
	label     Severity
	namesPath bool     // tracked paths
	finding   *finding // the finding that is read
}

// document is a review, cut into its units.
type document struct {
	source   []byte
	units    []*unit
	current  *scope
	resolver *resolver
	at, row  int // an offset, and the line ends before it
}

// Only blocks are read as Markdown: __init__.py and *.go are names, not words set in bold.
var markdown = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), count.Tables())...))
})

const boldLevel = 7 // a line in bold heads what follows, below all headings

func parse(source string, n *resolver) *document {
	d := &document{source: []byte(blankOut("frontMatter", source)), resolver: n}
	d.readBlocks(markdown().Parse(text.NewReader(d.source)), nil, prose, 0)
	return d
}

// blankOut sets a space for what a cue matches, and keeps line ends.
func blankOut(name, s string) string {
	return cue(name).ReplaceAllStringFunc(s, func(s string) string { return " " + strings.Repeat("\n", strings.Count(s, "\n")) })
}

// readBlocks walks the children of a block. under is the item they are in.
func (d *document) readBlocks(n ast.Node, under *scope, as kind, depth int) {
	if depth > maxDepth {
		return
	}
	outer := d.current
	if under != nil {
		d.current = under
	}
	var before *unit // a paragraph right before
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		var last *unit
		switch c := c.(type) {
		case *ast.Heading:
			last = d.addUnit(c, heading, c.Level)
		case *ast.Paragraph, *ast.TextBlock, *ast.HTMLBlock:
			last = d.addUnit(c, as, 0)
			if under != nil && under.lead == nil && c.PreviousSibling() == nil {
				last.introduces, last.scope, under.lead = under, under.parent, last
			}
		case *ast.List: // the words right before it are above each item
			above := d.current
			if before != nil && before.introduces == nil && isIntroduction(before.text) {
				above = &scope{parent: d.current, lead: before}
				before.introduces = above
			}
			for item := c.FirstChild(); item != nil; item = item.NextSibling() {
				d.readBlocks(item, &scope{parent: above}, as, depth+1)
			}
		case *ast.Blockquote:
			d.readBlocks(c, nil, quoted, depth+1)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			d.addUnit(c, pasted, 0)
		case *tables.Table:
			d.addTable(c, as)
		default:
			d.readBlocks(c, nil, as, depth+1)
		}
		before = last
	}
	if under != nil || n.Kind() == ast.KindBlockquote {
		d.current = outer
	}
}

func isIntroduction(s string) bool {
	return hasCue("colonEnd", s) || len(strings.Fields(s)) <= 5 && !hasCue("full", s)
}

// readText returns the text of a block and the line it begins at. Of a link it keeps the words,
// or the address where that says more.
func (d *document) readText(n ast.Node) (string, int) {
	if n.Lines().Len() == 0 {
		return "", d.row + 1
	}
	at := n.Lines().At(0).Start // blocks come in order: count from the last
	d.row += bytes.Count(d.source[min(d.at, at):at], []byte("\n")) - bytes.Count(d.source[at:max(d.at, at)], []byte("\n"))
	d.at = at
	s := string(n.Lines().Value(d.source))
	if len(s) > maxUnitBytes {
		s = strings.ToValidUTF8(s[:maxUnitBytes], "")
	}
	return s, d.row + 1
}

func (d *document) linkText(s string) string {
	return cue("link").ReplaceAllStringFunc(s, func(link string) string {
		m := cue("link").FindStringSubmatch(link)
		to := trackedMentions(d.resolver.findMentions(m[2]))
		if len(to) > 0 && (len(to[0].spans) > 0 || len(trackedMentions(d.resolver.findMentions(m[1]))) == 0) {
			return m[2]
		}
		return m[1]
	})
}

// addUnit takes a block. A heading, a line in bold and a summary head what follows them.
func (d *document) addUnit(n ast.Node, as kind, level int) *unit {
	u := &unit{kind: as, scope: d.current}
	u.text, u.first = d.readText(n)
	html, top := n.Kind() == ast.KindHTMLBlock, n.Kind() == ast.KindParagraph && n.Parent().Kind() == ast.KindDocument
	if as == prose && (top && hasCue("bold", u.text) || html && strings.Contains(u.text, "<summary>")) {
		u.kind, level = heading, boldLevel
	}
	if as != pasted {
		u.text = d.linkText(blankOut("dropped", u.text))
	}
	if level > 0 {
		for d.current != nil && (d.current.level == 0 || d.current.level >= level) {
			d.current = d.current.parent
		}
		u.scope = d.current
		d.current = &scope{parent: d.current, lead: u, level: level}
		u.introduces = d.current
	}
	d.units = append(d.units, u)
	return u
}

// addTable reads each row as a unit, below the heads of its columns. A cell is a line of its
// own, with the name of its column where that says how to read it.
func (d *document) addTable(t *tables.Table, as kind) {
	above := &scope{parent: d.current}
	var heads []string
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		u := &unit{kind: max(row, as), scope: above}
		var cells []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			var cell string
			cell, u.first = d.readText(c)
			cell = d.linkText(strings.Trim(blankOut("dropped", cell), " |"))
			if i := len(cells); i < len(heads) {
				cell = cellText(heads[i], cell)
			}
			cells = append(cells, cell)
		}
		u.text = strings.Join(cells, "\n")
		if above.lead == nil {
			heads, above.lead = strings.Split(strings.ToLower(u.text), "\n"), u
			u.kind, u.scope, u.introduces = columns, d.current, above
		}
		d.units = append(d.units, u)
	}
}

func cellText(head, cell string) string {
	switch {
	case hasCue("severityColumn", head):
		return "Severity: " + cell
	case hasCue("lineColumn", head) && hasCue("number", cell):
		return "Lines: " + cell
	case hasCue("statusColumn", head):
		return "Status: " + cell
	}
	return cell
}
