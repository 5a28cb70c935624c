package comment

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
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

// unit is a block of the review: its text without the marks of Markdown, except that code
// spans keep theirs. Its lines are those of the review.
type unit struct {
	kind  kind
	text  string
	first int    // line of the review, from 1
	scope *scope // what it stands under
	leads *scope // what it is the first words of
}

// line is the line of the review at an offset of the unit's text.
func (u *unit) line(at int) int {
	if u.kind == row {
		return u.first
	}
	return u.first + strings.Count(u.text[:min(at, len(u.text))], "\n")
}

// scope is what covers the units below it: a heading, the words before a list, the first
// words of an item, the heads of a table.
type scope struct {
	parent *scope
	lead   *unit
	level  int // of a heading, 0 for others
	mark   mark
	label  Severity
	group  *group // the finding that is read
	first  *group // the first of them
}

// document is a review, cut into its units.
type document struct {
	source   []byte
	units    []*unit
	approved bool // says its front matter
	current  *scope
	names    *names
	at, row  int // an offset, and the line ends before it
}

// line is the line of an offset, from 1. Blocks come in order: it counts from the last.
func (d *document) line(at int) int {
	d.row += bytes.Count(d.source[min(d.at, at):at], []byte("\n")) - bytes.Count(d.source[at:max(d.at, at)], []byte("\n"))
	d.at = at
	return d.row + 1
}

var markdown = sync.OnceValue(func() parser.Parser {
	// Emphasis is left to us: __init__.py and *.go are names, not words set in bold.
	inlines := []util.PrioritizedValue{util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300), util.Prioritized(parser.NewRawHTMLParser(), 400)}
	tables := util.Prioritized(extension.NewTableParagraphTransformer(), 200)
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), tables)...))
})

const (
	deepest   = 60 // nested blocks that are followed
	boldLevel = 7  // a line in bold heads what follows, below all headings

	longestUnit = 32 << 10 // bytes of a paragraph or a pasted block that are read
	longestLine = 16 << 10
)

func parse(source string, n *names) *document {
	d := &document{names: n, approved: says("approving", cue("frontMatter").FindString(source))}
	for line := range strings.Lines(blank("frontMatter", source)) {
		if len(line) > longestLine {
			line = line[:longestLine] + "\n"
		}
		d.source = append(d.source, line...)
	}
	d.blocks(markdown().Parse(text.NewReader(d.source)), nil, prose, 0)
	return d
}

// blank takes out what a cue matches, except line ends.
func blank(name, s string) string {
	return cue(name).ReplaceAllStringFunc(s, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
}

// blocks walks the children of a block. under is the item they stand in.
func (d *document) blocks(n ast.Node, under *scope, as kind, depth int) {
	if depth > deepest {
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
			last = d.add(c, heading, c.Level)
		case *ast.Paragraph, *ast.TextBlock:
			last = d.add(c, as, 0)
			if under != nil && under.lead == nil && c.PreviousSibling() == nil {
				last.leads, last.scope, under.lead = under, under.parent, last
			}
		case *ast.List:
			d.list(c, before, as, depth)
		case *ast.Blockquote:
			d.blocks(c, nil, quoted, depth+1)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			d.add(c, pasted, 0)
		case *ast.HTMLBlock:
			d.add(c, as, 0)
		case *east.Table:
			d.table(c, as)
		default:
			d.blocks(c, nil, as, depth+1)
		}
		before = last
	}
	if under != nil || n.Kind() == ast.KindBlockquote {
		d.current = outer
	}
}

// add takes a block. A heading, a line in bold and a summary head what follows them.
func (d *document) add(n ast.Node, as kind, level int) *unit {
	u := &unit{kind: as, scope: d.current}
	_, html := n.(*ast.HTMLBlock)
	if html || as == pasted {
		u.text = string(n.Lines().Value(d.source))
	} else {
		u.text = blank("struck", d.inline(n))
	}
	if n.Lines().Len() > 0 {
		u.first = d.line(n.Lines().At(0).Start)
	}
	top := n.Kind() == ast.KindParagraph && n.Parent().Kind() == ast.KindDocument
	if as == prose && (top && says("bold", u.text) || html && strings.Contains(u.text, "<summary>")) {
		u.kind, level = heading, boldLevel
	}
	if html {
		u.text = blank("tag", u.text)
	}
	if len(u.text) > longestUnit {
		u.text = strings.ToValidUTF8(u.text[:longestUnit], "")
	}
	if level > 0 {
		for d.current != nil && (d.current.level == 0 || d.current.level >= level) {
			d.current = d.current.parent
		}
		u.scope = d.current
		d.current = &scope{parent: d.current, lead: u, level: level}
		u.leads = d.current
	}
	d.units = append(d.units, u)
	return u
}

// list walks the items. The words right before a list stand above each of them.
func (d *document) list(n *ast.List, before *unit, as kind, depth int) {
	above := d.current
	if before != nil && before.leads == nil && introduces(before.text) {
		above = &scope{parent: d.current, lead: before}
		before.leads = above
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		d.blocks(c, &scope{parent: above}, as, depth+1)
	}
}

func introduces(s string) bool {
	return says("colonEnd", s) || len(strings.Fields(s)) <= 5 && !says("full", s)
}

// inline gathers the text of a block.
func (d *document) inline(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, in bool) (ast.WalkStatus, error) {
		switch c := c.(type) {
		case *ast.Text:
			if in {
				b.Write(c.Segment.Value(d.source))
				if c.SoftLineBreak() || c.HardLineBreak() {
					b.WriteByte('\n')
				}
			}
		case *ast.CodeSpan:
			b.WriteByte('`')
		case *ast.AutoLink:
			if in {
				b.Write(c.URL(d.source))
			}
		case *ast.Link:
			if to := string(c.Destination); in && c != n && d.better(c, to) {
				b.WriteString(to)
				return ast.WalkSkipChildren, nil
			}
		case *ast.RawHTML:
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// better tells that the address of a link says more than its words.
func (d *document) better(l *ast.Link, to string) bool {
	m := tracked(d.names.scan(to, nil))
	return len(m) > 0 && (len(m[0].spans) > 0 || len(tracked(d.names.scan(d.inline(l), nil))) == 0)
}

// table reads each row as a unit, below the heads of its columns. A cell is a line of its
// own, with the name of its column where that says how to read it.
func (d *document) table(t *east.Table, as kind) {
	above := &scope{parent: d.current}
	var heads []string
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		u := &unit{kind: row, scope: above}
		var cells []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			cell := strings.Trim(d.inline(c), " |")
			if u.first == 0 && c.Lines().Len() > 0 {
				u.first = d.line(c.Lines().At(0).Start)
			}
			switch i := len(cells); {
			case above.lead == nil:
				cell = strings.ToLower(strings.Trim(cell, "*_`"))
			case i < len(heads) && says("severityColumn", heads[i]):
				cell = "Severity: " + cell
			case i < len(heads) && strings.HasPrefix(heads[i], "line") && says("number", cell):
				cell = "Lines: " + cell
			case i < len(heads) && says("statusColumn", heads[i]):
				cell = "Status: " + cell
			}
			cells = append(cells, cell)
		}
		u.text = strings.Join(cells, "\n")
		if above.lead == nil {
			heads, above.lead = cells, u
			u.kind, u.scope, u.leads = columns, d.current, above
		}
		if as == quoted {
			u.kind = quoted
		}
		d.units = append(d.units, u)
	}
}
