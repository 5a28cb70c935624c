package comment

import (
	"sort"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

type kind int

const (
	prose kind = iota
	heading
	row    // of a table
	pasted // code or output
	quoted
)

// unit is a block of the review: its text without the marks of Markdown, except that code
// spans keep theirs.
type unit struct {
	kind  kind
	text  string
	at    []anchor
	doc   *document
	scope *scope // what it stands under
	leads *scope // what it is the first words of
	fresh bool   // it begins a finding of its own
	table bool   // the names of columns
}

// anchor ties an offset of a unit's text to one of the review's.
type anchor struct{ here, there int }

// scope is what covers the units below it: a heading, the words before a list, the first
// words of an item, the head of a table.
type scope struct {
	parent *scope
	lead   *unit
	level  int // of a heading, 0 for others
	mark   mark
	group  *group // the finding that is read
	first  *group // the first of them
}

// document is a review, cut into its units.
type document struct {
	source   []byte
	breaks   []int // offsets of line ends
	units    []*unit
	approved bool // says its front matter
	current  *scope
	names    *names
}

var markdown = sync.OnceValue(func() parser.Parser {
	// Emphasis is left to us: __init__.py and *.go are names, not words set in bold.
	var blocks, inlines, transformers []util.PrioritizedValue
	blocks = append(blocks, parser.DefaultBlockParsers()...)
	inlines = append(inlines, util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300), util.Prioritized(parser.NewRawHTMLParser(), 400))
	transformers = append(transformers, parser.DefaultParagraphTransformers()...)
	transformers = append(transformers, util.Prioritized(extension.NewTableParagraphTransformer(), 200))
	return parser.NewParser(parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inlines...), parser.WithParagraphTransformers(transformers...))
})

var approving = lazyregexp.New(`(?mi)^(?:verdict|status|decision|result):[ \t]*["']?(?:approved?|accept(?:ed)?|lgtm|pass(?:ed)?)["']?[ \t]*$`)

const deepest = 60 // nested blocks that are followed

func parse(source string, n *names) *document {
	d := &document{names: n}
	body := []byte(source)
	if front, ok := frontMatter(source); ok {
		d.approved = approving.MatchString(source[:front])
		for i := range body[:front] { // offsets stay what they are
			if body[i] != '\n' {
				body[i] = ' '
			}
		}
	}
	d.source = body
	for i, b := range body {
		if b == '\n' {
			d.breaks = append(d.breaks, i)
		}
	}
	d.blocks(markdown().Parse(text.NewReader(body)), nil, prose, 0)
	return d
}

// frontMatter gives the length of the data between the two marks at the top.
func frontMatter(s string) (int, bool) {
	if !strings.HasPrefix(s, "---\n") && !strings.HasPrefix(s, "---\r\n") {
		return 0, false
	}
	end := strings.Index(s[4:], "\n---")
	if end < 0 || !strings.Contains(s[:end+4], ":") || strings.Contains(s[:end+4], "\n\n") {
		return 0, false
	}
	return end + 8, true
}

// line is the line of the review that an offset is on, from 1.
func (d *document) line(offset int) int { return sort.SearchInts(d.breaks, offset) + 1 }

// offset is where an offset of the unit's text is in the review.
func (u *unit) offset(here int) int {
	i := sort.Search(len(u.at), func(i int) bool { return u.at[i].here > here }) - 1
	if i < 0 {
		return 0
	}
	end := len(u.text)
	if i+1 < len(u.at) {
		end = u.at[i+1].here
	}
	return u.at[i].there + min(here-u.at[i].here, max(end-u.at[i].here-1, 0))
}

// line is the line of the review at an offset of the unit's text.
func (u *unit) line(here int) int { return u.doc.line(u.offset(here)) }

// blocks walks the children of a block. under is the item or heading they stand in.
func (d *document) blocks(n ast.Node, under *scope, as kind, depth int) {
	if depth > deepest {
		return
	}
	outer := d.current
	if under != nil {
		d.current = under
	}
	first := true
	var before *unit // a paragraph right before
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		var last *unit
		switch c := c.(type) {
		case *ast.Heading:
			last = d.open(c, c.Level)
		case *ast.Paragraph, *ast.TextBlock:
			last = d.unit(c, as)
			if first && under != nil && n.Kind() == ast.KindListItem {
				last.leads, last.fresh, under.lead = under, true, last
				last.scope = under.parent
			}
		case *ast.List:
			d.list(c, before, as, depth)
		case *ast.Blockquote:
			d.blocks(c, nil, quoted, depth+1)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			d.add(&unit{kind: pasted}, c)
		case *ast.HTMLBlock:
			d.html(c, as)
		case *east.Table:
			d.table(c, as)
		default:
			d.blocks(c, nil, as, depth+1)
		}
		first, before = false, last
	}
	if under != nil || n.Kind() == ast.KindBlockquote {
		d.current = outer
	}
}

// open begins what stands below a heading.
func (d *document) open(n ast.Node, level int) *unit {
	for d.current != nil && (d.current.level == 0 || d.current.level >= level) {
		d.current = d.current.parent
	}
	u := d.unit(n, heading)
	d.current = &scope{parent: d.current, lead: u, level: level}
	u.leads = d.current
	return u
}

const boldLevel = 7 // a line in bold heads what follows, below all headings

var bold = lazyregexp.New(`^\s*(?:\*\*[^*\n]+\*\*|__[^_\n]+__)\s*[:：]?\s*$`)

func (d *document) unit(n ast.Node, as kind) *unit {
	u := &unit{kind: as}
	u.doc, u.scope = d, d.current
	d.inline(u, n)
	if as == prose && bold.MatchString(u.text) && n.Kind() == ast.KindParagraph && n.Parent().Kind() == ast.KindDocument {
		for d.current != nil && (d.current.level == 0 || d.current.level >= boldLevel) {
			d.current = d.current.parent
		}
		u.scope, u.kind = d.current, heading
		d.current = &scope{parent: d.current, lead: u, level: boldLevel}
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
	s = strings.TrimRight(s, " *_\n")
	return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") || len(strings.Fields(s)) <= 5
}

var tag = lazyregexp.New(`(?s)<!--.*?-->|</?[a-zA-Z][^>\n]*>`)

// html reads a block of HTML as prose: summaries and details hold findings.
func (d *document) html(n *ast.HTMLBlock, as kind) {
	u := &unit{kind: as}
	d.add(u, n)
	if strings.Contains(u.text, "<summary>") { // it heads what it folds
		u.kind = heading
		d.current = &scope{parent: d.current, lead: u, level: boldLevel}
		u.leads = d.current
	}
	if strings.Contains(u.text, "</details>") && u.kind != heading && d.current != nil && d.current.level == boldLevel {
		d.current = d.current.parent
	}
	u.text = blank(tag, u.text)
}

// blank sets spaces for what an expression matches, so that offsets stay.
func blank(re *lazyregexp.Regexp, s string) string {
	b := []byte(s)
	for _, m := range re.FindAllStringIndex(s, -1) {
		for i := m[0]; i < m[1]; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	return string(b)
}

// add takes a block by its lines, as they stand.
func (d *document) add(u *unit, n ast.Node) {
	u.doc, u.scope = d, d.current
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		u.put(string(seg.Value(d.source)), seg.Start)
	}
	d.units = append(d.units, u)
}

func (u *unit) put(s string, there int) {
	u.at = append(u.at, anchor{len(u.text), there})
	u.text += s
}

// inline gathers the text of a block.
func (d *document) inline(u *unit, n ast.Node) {
	var b strings.Builder
	put := func(s string, there int) {
		if there >= 0 {
			u.at = append(u.at, anchor{b.Len(), there})
		}
		b.WriteString(s)
	}
	_ = ast.Walk(n, func(c ast.Node, in bool) (ast.WalkStatus, error) {
		switch c := c.(type) {
		case *ast.Text:
			if in {
				put(string(c.Segment.Value(d.source)), c.Segment.Start)
				if c.SoftLineBreak() || c.HardLineBreak() {
					put("\n", -1)
				}
			}
		case *ast.CodeSpan:
			put("`", -1)
		case *ast.AutoLink:
			if in {
				put(string(c.URL(d.source)), -1)
			}
		case *ast.Link:
			if in {
				return d.link(c, put), nil
			}
		case *ast.RawHTML:
			put(" ", -1)
		case *east.TableCell:
			if !in {
				put(" | ", -1)
			}
		}
		return ast.WalkContinue, nil
	})
	u.text = blank(struck, b.String())
	if len(u.at) == 0 && n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
		u.at = []anchor{{0, n.Lines().At(0).Start}}
	}
}

var struck = lazyregexp.New(`~~[^~\n]+~~`)

// link reads the address of a link instead of its words where the address says more.
func (d *document) link(l *ast.Link, put func(string, int)) ast.WalkStatus {
	to := string(l.Destination)
	words := &unit{doc: d}
	for c := l.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			words.text += string(t.Segment.Value(d.source))
		}
		if t, ok := c.(*ast.CodeSpan); ok {
			for s := t.FirstChild(); s != nil; s = s.NextSibling() {
				if t, ok := s.(*ast.Text); ok {
					words.text += string(t.Segment.Value(d.source))
				}
			}
		}
	}
	if m := tracked(d.names.scan(to, nil)); len(m) > 0 && (len(m[0].spans) > 0 || len(tracked(d.names.scan(words.text, nil))) == 0) {
		put(to, -1)
		return ast.WalkSkipChildren
	}
	return ast.WalkContinue
}

// table reads each row as a unit, below the heads of its columns.
func (d *document) table(t *east.Table, as kind) {
	above := &scope{parent: d.current}
	var heads []string
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		u := &unit{kind: row, doc: d, scope: above, fresh: true}
		if as == quoted {
			u.kind = quoted
		}
		if r.Kind() == east.KindTableHeader {
			for c := r.FirstChild(); c != nil; c = c.NextSibling() {
				cell := &unit{doc: d}
				d.inline(cell, c)
				heads = append(heads, strings.ToLower(strings.Trim(cell.text, " *_|`")))
			}
			u.table = true
			u.text, u.leads, u.scope, above.lead = strings.Join(heads, " | "), above, d.current, u
			u.kind = heading
			if len(u.text) > 0 {
				d.inlineAt(u, r)
			}
			d.units = append(d.units, u)
			continue
		}
		d.cells(u, r, heads)
		d.units = append(d.units, u)
	}
}

// inlineAt notes where a row stands.
func (d *document) inlineAt(u *unit, r ast.Node) {
	probe := &unit{doc: d}
	d.inline(probe, r)
	if len(probe.at) > 0 {
		u.at = []anchor{{0, probe.at[0].there}}
	}
}

// cells joins the cells of a row, each with the name of its column where that says how to
// read it.
func (d *document) cells(u *unit, r ast.Node, heads []string) {
	d.inlineAt(u, r)
	i := 0
	var text []string
	for c := r.FirstChild(); c != nil; c = c.NextSibling() {
		cell := &unit{doc: d}
		d.inline(cell, c)
		s := strings.Trim(cell.text, " |")
		if i < len(heads) && s != "" {
			s = column(heads[i], s)
		}
		if s != "" {
			text = append(text, s)
		}
		i++
	}
	u.text = strings.Join(text, "\n")
}

var number = lazyregexp.New(`^[~≈]?L?\d`)

func column(head, cell string) string {
	switch {
	case severityColumn.MatchString(head):
		return "Severity: " + cell
	case strings.HasPrefix(head, "line") && number.MatchString(cell):
		return "Lines: " + cell
	case statusColumn.MatchString(head):
		return "Status: " + cell
	}
	return cell
}

var (
	severityColumn = lazyregexp.New(`^(?:sev\b|severity|priority|prio|level|impact|risk)`)
	statusColumn   = lazyregexp.New(`^(?:status|state|resolution|resolved|done|fixed|verdict|outcome)`)
)
