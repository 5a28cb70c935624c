package count

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Markdown returns the lists of a Markdown text.
func Markdown(src []byte) []*List {
	m := &markdown{heads: map[int]*List{}}
	lines := strings.Split(strings.ReplaceAll(string(src), "\t", "    "), "\n")
	if len(lines) > 1 && strings.TrimRight(lines[0], "\r ") == "---" { // front matter
		for i := 1; i < len(lines); i++ {
			if strings.TrimRight(lines[i], "\r ") == "---" {
				for k := 0; k <= i; k++ {
					lines[k] = ""
				}
				break
			}
		}
	}
	for i := 0; i < len(lines); i++ {
		m.line(strings.TrimRight(lines[i], "\r"), i+1, lines)
	}
	return m.lists
}

type bullet struct {
	indent, content int // where the mark stands, and where its text starts
	mark            string
	l               *List
}

type markdown struct {
	lists   []*List
	path    []string // the headings around, the outermost first
	levels  []int
	heads   map[int]*List
	open    []bullet
	fence   string
	comment bool
	table   *List
	blank   bool // the line before was empty
	intro   string
}

var (
	bulletLine  = lazyregexp.New(`^( *)([-*+]|\d{1,9}[.)])( +|$)(.*)$`)
	headingLine = lazyregexp.New(`^ {0,3}(#{1,6})(?:\s+(.*?))?\s*#*\s*$`)
	rulerLine   = lazyregexp.New(`^ {0,3}([-*_])( *[-*_]){2,} *$`)
	tableRule   = lazyregexp.New(`^ *\|? *:?-+:? *(\| *:?-+:? *)*\|? *$`)
	fenceLine   = lazyregexp.New("^ *(```+|~~~+)")
)

func (m *markdown) line(line string, n int, all []string) {
	defer func() { m.blank = strings.TrimSpace(line) == "" }()
	if m.skipped(line) {
		return
	}
	trimmed := strings.TrimSpace(line)
	if trimmed == "" {
		m.table = nil
		return
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if len(m.open) == 0 && indent >= 4 && m.blank { // indented code
		return
	}
	if f := fenceLine.FindStringSubmatch(stripBullet(line)); f != nil {
		m.fence = f[1]
		if bulletLine.FindStringSubmatch(line) == nil {
			m.leave(indent)
			return
		}
	}
	if h := headingLine.FindStringSubmatch(line); h != nil && indent < 4 {
		m.heading(len(h[1]), h[2], n)
		return
	}
	if rulerLine.MatchString(line) {
		m.open = nil
		return
	}
	if b := bulletLine.FindStringSubmatch(line); b != nil {
		if m.bullet(b, n) {
			return
		}
	}
	if m.row(trimmed, n, all) {
		return
	}
	if m.blank {
		m.leave(indent)
	}
	if len(m.open) == 0 {
		m.intro = trimmed
	}
}

func stripBullet(line string) string {
	if b := bulletLine.FindStringSubmatch(line); b != nil {
		return b[4]
	}
	return line
}

// skipped passes over fenced code and comments.
func (m *markdown) skipped(line string) bool {
	if m.fence != "" {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, m.fence) && strings.Trim(t, m.fence[:1]) == "" {
			m.fence = ""
		}
		return true
	}
	if m.comment {
		m.comment = !strings.Contains(line, "-->")
		return true
	}
	if t := strings.TrimSpace(line); strings.HasPrefix(t, "<!--") {
		m.comment = !strings.Contains(t, "-->")
		return true
	}
	return false
}

// leave ends the lists that text with this indentation is not a part of.
func (m *markdown) leave(indent int) {
	for len(m.open) > 0 && indent < m.open[len(m.open)-1].content {
		m.open = m.open[:len(m.open)-1]
	}
}

func (m *markdown) heading(level int, text string, n int) {
	m.open, m.table, m.intro = nil, nil, ""
	for len(m.levels) > 0 && m.levels[len(m.levels)-1] >= level {
		m.levels, m.path = m.levels[:len(m.levels)-1], m.path[:len(m.path)-1]
	}
	name := "document"
	if len(m.path) > 0 {
		name = m.path[len(m.path)-1]
	}
	for k := range m.heads {
		if k > level {
			delete(m.heads, k)
		}
	}
	if m.heads[level] == nil {
		m.heads[level] = m.add(Headings, name, n)
	}
	m.heads[level].Items = append(m.heads[level].Items, Item{Label: Shorten(text), Line: n, Col: 1})
	m.levels, m.path = append(m.levels, level), append(m.path, Shorten(text))
}

func (m *markdown) add(kind ListKind, name string, n int) *List {
	l := &List{Name: name, Kind: kind, Line: n, Col: 1}
	if len(m.path) > 1 {
		l.Path = append(l.Path, m.path[:len(m.path)-1]...)
	}
	m.lists = append(m.lists, l)
	return l
}

// bullet reads one item. It belongs to the list whose items' marks are where its mark
// does; one further in starts a list in the item before.
func (m *markdown) bullet(b []string, n int) bool {
	indent, mark := len(b[1]), b[2]
	kind := mark[len(mark)-1:]
	for len(m.open) > 0 {
		top := m.open[len(m.open)-1]
		if indent >= top.content || indent < top.content && indent >= top.indent && top.mark == kind {
			break
		}
		m.open = m.open[:len(m.open)-1]
	}
	if len(m.open) == 0 && indent >= 4 {
		return false
	}
	if len(m.open) == 0 || indent >= m.open[len(m.open)-1].content {
		if len(m.open) > 30 {
			return true
		}
		m.open = append(m.open, bullet{mark: kind, l: m.newList(n, indent)})
	}
	top := &m.open[len(m.open)-1]
	top.indent = indent
	top.content = indent + len(mark) + max(1, min(len(b[3]), 4))
	label := strings.TrimSpace(b[4])
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		label = strings.TrimPrefix(label, box)
	}
	top.l.Items = append(top.l.Items, Item{Label: Shorten(strings.Trim(label, "*_`")), Line: n, Col: indent + 1})
	m.table = nil
	return true
}

func (m *markdown) newList(n, indent int) *List {
	name := "list"
	if len(m.path) > 0 {
		name = m.path[len(m.path)-1]
	}
	l := m.add(Bullets, name, n)
	if len(m.open) > 0 {
		up := m.open[len(m.open)-1].l
		l.Depth = up.Depth + 1
		l.Path = append(append([]string(nil), up.Path...), up.Name)
		if len(up.Items) > 0 {
			l.Name = up.Items[len(up.Items)-1].Label
		}
	} else if m.intro != "" {
		l.Words = strings.Fields(Shorten(m.intro))
	}
	return l
}

// row reads a table: a header, a rule of dashes, and the rows below it.
func (m *markdown) row(trimmed string, n int, all []string) bool {
	if m.table == nil {
		if !strings.Contains(trimmed, "|") || n >= len(all) ||
			!tableRule.MatchString(strings.TrimRight(all[n], "\r")) || !strings.Contains(all[n], "-") {
			return false
		}
		name := "table"
		if len(m.path) > 0 {
			name = m.path[len(m.path)-1]
		}
		columns := m.add(Columns, name, n)
		for _, c := range cells(trimmed) {
			columns.Items = append(columns.Items, Item{Label: Shorten(c), Line: n, Col: 1})
		}
		m.table = m.add(Rows, name, n)
		for _, c := range cells(trimmed) {
			m.table.Words = append(m.table.Words, c)
		}
		return true
	}
	if !strings.Contains(trimmed, "|") {
		m.table = nil
		return false
	}
	if tableRule.MatchString(trimmed) && len(m.table.Items) == 0 {
		return true
	}
	label := ""
	for _, c := range cells(trimmed) {
		if label = c; c != "" {
			break
		}
	}
	m.table.Items = append(m.table.Items, Item{Label: Shorten(strings.Trim(label, "*_`")), Line: n, Col: 1})
	return true
}

// cells splits a row at its bars; one behind a backslash or in code is text.
func cells(row string) []string {
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	var out []string
	from, code := 0, false
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '`':
			code = !code
		case '|':
			if !code {
				out = append(out, strings.TrimSpace(row[from:i]))
				from = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(row[from:]))
}
