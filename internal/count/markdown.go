package count

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var commonMark = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewRawHTMLParser(), 400)),
		parser.WithParagraphTransformers(Tables()))
})

// Blocks parses a text as CommonMark: its blocks with tables, and inline only code and HTML. page
// is the text as it was parsed, with unchanged offsets: lines end with LF, and the byte order mark
// and front matter are blank.
func Blocks(src []byte) (doc ast.Node, page []byte) {
	page = bytes.ReplaceAll(src, []byte("\r\n"), []byte(" \n"))
	page = bytes.ReplaceAll(page, []byte{'\r'}, []byte{'\n'})
	for i := range page[:frontMatterEnd(page)] {
		if page[i] != '\n' {
			page[i] = ' '
		}
	}
	return commonMark().Parse(text.NewReader(page)), page
}

// frontMatterEnd returns the offset behind a byte order mark and front matter.
func frontMatterEnd(page []byte) int {
	first := len(page) - len(bytes.TrimPrefix(page, []byte("\xef\xbb\xbf")))
	at := first
	for line := range bytes.Lines(page[first:]) {
		t := string(bytes.TrimRight(line, " \t\n"))
		if at == first && t != "---" {
			break
		}
		if at += len(line); at > first+len(line) && (t == "---" || t == "...") {
			return at
		}
	}
	return first
}

// ScanMarkdown returns the lists of a Markdown text.
func ScanMarkdown(src []byte) []*List {
	m := &markdown{headings: map[int]*List{}, line: 1}
	var doc ast.Node
	doc, m.page = Blocks(src)
	m.readBlocks(doc, nil)
	return m.lists
}

type markdown struct {
	page     []byte
	lists    []*List
	path     []string // headings above, the outermost first
	levels   []int
	headings map[int]*List
	intro    string // last line of the paragraph before, at the outermost level
	at       int    // offset of the last position
	line     int    // its line
}

// lineOf returns the line of an offset. It counts from the last one, because blocks come in order.
func (m *markdown) lineOf(at int) int {
	m.line += bytes.Count(m.page[min(m.at, at):at], []byte("\n")) - bytes.Count(m.page[at:max(m.at, at)], []byte("\n"))
	m.at = at
	return m.line
}

// firstLine returns the first line of a block, in Markdown.
func (m *markdown) firstLine(n ast.Node) string {
	if n == nil || n.Type() != ast.TypeBlock || n.Lines().Len() == 0 {
		return ""
	}
	at := n.Lines().At(0)
	return strings.TrimSpace(string(at.Value(m.page)))
}

// readBlocks reads the children of a block; up is the list that the block is an item of.
func (m *markdown) readBlocks(n ast.Node, up *List) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Heading:
			if up == nil {
				m.addHeading(c.Level, m.firstLine(c), m.lineOf(c.Pos()))
			}
		case *ast.List:
			m.readList(c, up)
		case *tables.Table:
			m.readTable(c)
		case *ast.Paragraph:
			if up == nil {
				last := c.Lines().At(c.Lines().Len() - 1)
				m.intro = strings.TrimSpace(string(last.Value(m.page)))
			}
		}
	}
}

func (m *markdown) addHeading(level int, text string, n int) {
	m.intro = ""
	for len(m.levels) > 0 && m.levels[len(m.levels)-1] >= level {
		m.levels, m.path = m.levels[:len(m.levels)-1], m.path[:len(m.path)-1]
	}
	for k := range m.headings {
		if k > level {
			delete(m.headings, k)
		}
	}
	if m.headings[level] == nil {
		m.headings[level] = m.addList(Headings, m.headingName("document"), n)
	}
	m.headings[level].Items = append(m.headings[level].Items, Item{Label: Shorten(text), Line: n, Col: 1})
	m.levels, m.path = append(m.levels, level), append(m.path, Shorten(text))
}

// headingName returns the nearest heading above, or otherwise.
func (m *markdown) headingName(otherwise string) string {
	if len(m.path) > 0 {
		return m.path[len(m.path)-1]
	}
	return otherwise
}

func (m *markdown) addList(kind ListKind, name string, n int) *List {
	l := &List{Name: name, Kind: kind, Line: n, Col: 1}
	if len(m.path) > 1 {
		l.Path = slices.Clone(m.path[:len(m.path)-1])
	}
	m.lists = append(m.lists, l)
	return l
}

// readList reads a list and its items.
func (m *markdown) readList(n *ast.List, up *List) {
	l := m.addList(Bullets, m.headingName("list"), m.lineOf(n.FirstChild().Pos()))
	if up != nil {
		if l.Depth = up.Depth + 1; l.Depth > 30 {
			return
		}
		l.Path = append(slices.Clone(up.Path), up.Name)
		l.Name = up.Items[len(up.Items)-1].Label
	} else if m.intro != "" {
		l.Words = strings.Fields(Shorten(m.intro))
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		label, at := m.firstLine(item.FirstChild()), item.Pos()
		for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
			label = strings.TrimPrefix(label, box)
		}
		col := at - bytes.LastIndexByte(m.page[:at], '\n')
		l.Items = append(l.Items, Item{Label: Shorten(strings.Trim(label, "*_`")), Line: m.lineOf(at), Col: col})
		m.readBlocks(item, l)
	}
}

// readTable reads the columns and rows of a table.
func (m *markdown) readTable(n *tables.Table) {
	var columns, rows *List
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		label := ""
		line := m.lineOf(row.Pos())
		if columns == nil {
			columns, rows = m.addList(Columns, m.headingName("table"), line), m.addList(Rows, m.headingName("table"), line)
		}
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			text := m.firstLine(cell)
			if row == n.FirstChild() {
				columns.Items = append(columns.Items, Item{Label: Shorten(text), Line: line, Col: 1})
				rows.Words = append(rows.Words, text)
			} else if label == "" {
				label = text
			}
		}
		if row != n.FirstChild() {
			rows.Items = append(rows.Items, Item{Label: Shorten(strings.Trim(label, "*_`")), Line: line, Col: 1})
		}
	}
}
