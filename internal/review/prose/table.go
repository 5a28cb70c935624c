package prose

import "strings"

// tableStarts tells whether a table with a line of dashes below its head starts here.
func (p *parser) tableStarts() bool {
	if p.at+1 >= len(p.lines) || !strings.Contains(p.lines[p.at], "|") {
		return false
	}
	rule := strings.TrimSpace(p.lines[p.at+1])
	return strings.Contains(rule, "|") && strings.Contains(rule, "-") && strings.Trim(rule, "|-: ") == ""
}

func (p *parser) table(indent int) {
	p.pop(indent, true)
	intro := p.last
	if intro != None && p.units[intro].Kind != Para {
		intro = None
	}
	head := cells(p.lines[p.at])
	for i := range head {
		head[i] = strings.ToLower(strings.Trim(head[i], "*_ `"))
	}
	for p.at += 2; p.at < len(p.lines) && strings.Contains(p.lines[p.at], "|"); p.at++ {
		row := cells(p.lines[p.at])
		p.add(Unit{Kind: Row, Text: strings.Join(row, " | "), Head: head, Cells: row, Parent: p.under(), Intro: intro})
		for i := range row {
			row[i], _ = unstrike(row[i])
		}
	}
	p.close()
	p.gap, p.listed = false, true
}

// cells splits a row at its bars, but not at escaped ones or inside of code.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var out []string
	var cell strings.Builder
	code := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && line[i+1] == '|':
			cell.WriteByte('|')
			i++
		case c == '|' && !code:
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			code = code != (c == '`')
			cell.WriteByte(c)
		}
	}
	return append(out, strings.TrimSpace(cell.String()))
}
