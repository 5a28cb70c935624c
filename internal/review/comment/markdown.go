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
	columns // the header of a table
	row
	pasted // code or output
	quoted
)

// unit is a block of the review, with its first line, from 1.
type unit struct {
	kind       kind
	text       string
	first      int
	scope      *scope // the scope that contains it
	introduces *scope // the scope that it begins
}

func (u *unit) line(at int) int {
	if u.kind == row {
		return u.first
	}
	return u.first + strings.Count(u.text[:min(at, len(u.text))], "\n")
}

// scope covers the units below a heading, after the text before a list, below the first text of an
// item, or below the header of a table.
type scope struct {
	parent    *scope
	lead      *unit
	level     int // of a heading; 0 for others
	stance    stance
	label     Severity
	namesPath bool     // its lead names tracked paths
	finding   *finding // the current finding
}

// document is a review, split into units.
type document struct {
	source   []byte
	units    []*unit
	current  *scope
	resolver *resolver
	at, row  int // an offset, and the number of line ends before it
}

// Only blocks are parsed as Markdown: __init__.py and *.go are names, not emphasis.
var markdown = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), count.Tables())...))
})

const boldLevel = 7 // a line in bold is a heading below all levels

func parse(source string, n *resolver) *document {
	d := &document{source: []byte(blankOut("frontMatter", source)), resolver: n}
	d.readBlocks(markdown().Parse(text.NewReader(d.source)), nil, prose, 0)
	return d
}

// blankOut replaces the matches of a cue by a space and their line ends.
func blankOut(name, s string) string {
	return cue(name).ReplaceAllStringFunc(s, func(s string) string { return " " + strings.Repeat("\n", strings.Count(s, "\n")) })
}

// readBlocks reads the children of a block. under is the scope of the item that contains them.
func (d *document) readBlocks(n ast.Node, under *scope, as kind, depth int) {
	if depth > maxDepth {
		return
	}
	outer := d.current
	if under != nil {
		d.current = under
	}
	var before *unit // the previous unit, if it is a paragraph
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
		case *ast.List: // the text directly before a list applies to each item
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

// readText returns the text of a block and its first line.
func (d *document) readText(n ast.Node) (string, int) {
	if n.Lines().Len() == 0 {
		return "", d.row + 1
	}
	at := n.Lines().At(0).Start // blocks are in order: count from the last one
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

// addUnit adds a block. A heading, a line in bold and a <summary> begin a scope.
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

// addTable adds each row as a unit in the scope of the header. A cell is a separate line, with the
// name of its column if that affects the meaning.
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
