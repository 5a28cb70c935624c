package prose

import "strings"

const longest = 8 << 10 // bytes of a paragraph; what is longer is cut into several

// words reads a line of prose: a new item, a new paragraph, or more of the open one.
func (p *parser) words(indent int, body string) {
	if n := markerOf(body); n > 0 || ticked(body) && p.among(ticked) {
		p.item(indent, body, n)
		return
	}
	if p.open != None && len(p.units[p.open].Text) < longest && p.continues(indent, body) {
		u := &p.units[p.open]
		more, struck := unstrike(body)
		u.Text += "\n" + more
		u.Struck = u.Struck && struck
		p.at++
		return
	}
	parent := p.open
	if parent == None && indent > 0 && p.topic(p.last) && indent > p.indent {
		parent = p.last
	}
	if parent != None && indent > p.indent { // a line set in under a path
		p.item(indent, body, 0)
		return
	}
	p.pop(indent, p.gap)
	if p.listed && len(p.items) == 0 { // a paragraph after the list of a label ends the label
		for n := len(p.headings); n > 0 && p.units[p.headings[n-1]].Level == 8; n-- {
			p.headings = p.headings[:n-1]
		}
		p.listed = false
	}
	p.add(Unit{Kind: Para, Text: body, Parent: p.under(), Intro: None})
	p.open, p.indent, p.gap, p.bare = p.last, indent, false, false
	p.at++
}

// among tells whether the line before or after the current one begins like it.
func (p *parser) among(like func(string) bool) bool {
	return p.at > 0 && like(strings.TrimSpace(p.lines[p.at-1])) || p.at+1 < len(p.lines) && like(strings.TrimSpace(p.lines[p.at+1]))
}

// continues tells whether a line belongs to the open unit.
func (p *parser) continues(indent int, body string) bool {
	if indent < p.indent && p.bare {
		return false
	}
	if indent <= p.indent {
		return p.units[p.open].Kind == Para || len(p.items) == 0 || indent > 0 || !p.gap && !startsAnew(body)
	}
	return !p.topic(p.open) || p.units[p.open].Kind == Item
}

func startsAnew(body string) bool { return strings.HasSuffix(body, ":") }

// topic tells a unit that is one short line without a sentence: a path with notes below.
func (p *parser) topic(unit int) bool {
	if unit == None || p.units[unit].Kind == Code || p.units[unit].Kind == Quote {
		return false
	}
	text := strings.TrimSpace(p.units[unit].Text)
	return len(text) <= 120 && !strings.Contains(text, "\n") && strings.ContainsAny(text, "/.`") &&
		len(strings.Fields(strings.TrimRight(text, ":"))) <= 2 && !strings.HasSuffix(text, ".")
}

func (p *parser) item(indent int, body string, marker int) {
	if p.last != None && p.units[p.last].Kind == Para && indent > p.indent && p.topic(p.last) {
		if len(p.items) == 0 || p.items[len(p.items)-1].unit != p.last {
			p.items = append(p.items, frame{p.indent, p.last})
		}
	}
	p.pop(indent, false)
	intro := None
	if p.last != None && p.units[p.last].Kind == Para && p.units[p.last].Parent == p.under() {
		intro = p.last
	} else if p.last != None && p.units[p.last].Kind == Item && p.units[p.last].Parent == p.under() {
		intro = p.units[p.last].Intro
	}
	u := Unit{Kind: Item, Parent: p.under(), Intro: intro, Number: numberOf(body)}
	u.Box, u.Text = boxOf(strings.TrimSpace(body[marker:]))
	p.add(u)
	if len(p.items) < deepest {
		p.items = append(p.items, frame{indent, p.last})
	}
	p.open, p.indent, p.gap, p.listed, p.bare = p.last, indent, false, true, marker == 0
	p.at++
}

// pop closes the items that a line at this indent is not part of.
func (p *parser) pop(indent int, gap bool) {
	for n := len(p.items); n > 0; n-- {
		if top := p.items[n-1]; top.indent < indent {
			return
		}
		p.items = p.items[:n-1]
	}
	_ = gap
}

// pasted reads a block set in by four columns after an empty line, as Markdown has it.
func (p *parser) pasted(indent int, body string) bool {
	base := 0
	if n := len(p.items); n > 0 {
		base = p.items[n-1].indent + 2
	}
	if p.open != None || indent < base+4 || markerOf(body) > 0 || p.topic(p.last) {
		return false
	}
	var block []string
	start := p.at
	for ; p.at < len(p.lines); p.at++ {
		line := strings.ReplaceAll(p.lines[p.at], "\t", "    ")
		if strings.TrimSpace(line) != "" && len(line)-len(strings.TrimLeft(line, " ")) < base+4 {
			break
		}
		block = append(block, cut(line, indent))
	}
	p.block(start, "", block)
	return true
}

// unfenced reads a block, up to an empty line, that is a tool's output.
func (p *parser) unfenced(indent int, body string) bool {
	if p.output == nil || p.open != None || p.at < p.checked || strings.ContainsAny(body[:1], "`|>#*+~") || markerOf(body) > 0 {
		return false
	}
	end := p.at
	for end < len(p.lines) && end < p.at+400 && strings.TrimSpace(p.lines[end]) != "" && fenceOf(strings.TrimSpace(p.lines[end])) == "" {
		end++
	}
	p.checked = end
	var block []string
	for _, line := range p.lines[p.at:end] {
		block = append(block, cut(strings.ReplaceAll(line, "\t", "    "), indent))
	}
	if !p.output(strings.Join(p.lines[p.at:end], "\n")) {
		return false
	}
	start := p.at
	p.pop(indent, true)
	p.at = end
	p.block(start, "", block)
	return true
}

// linted reads the lines that a linter sets in under a path, "14:7  error  …", where nobody
// fenced them: they and the path are one pasted block.
func (p *parser) linted(indent int, body string) bool {
	if p.open == None || p.units[p.open].Kind != Para || indent == 0 || !complaint(body) {
		return false
	}
	u := &p.units[p.open]
	u.Kind = Code
	for ; p.at < len(p.lines); p.at++ {
		line := strings.ReplaceAll(p.lines[p.at], "\t", "    ")
		if strings.TrimSpace(line) == "" || !strings.HasPrefix(line, " ") {
			break
		}
		u.Text += "\n" + line
	}
	p.close()
	return true
}

// complaint tells "14:7  error  …".
func complaint(body string) bool {
	n := digits(body)
	if n == 0 || n >= len(body) || body[n] != ':' {
		return false
	}
	m := digits(body[n+1:])
	rest := strings.TrimLeft(body[n+1+m:], " ")
	return m > 0 && (strings.HasPrefix(rest, "error") || strings.HasPrefix(rest, "warning") || strings.HasPrefix(rest, "info") || strings.HasPrefix(rest, "✖") || strings.HasPrefix(rest, "⚠"))
}

func (p *parser) fenced(indent int, body string) {
	fence := fenceOf(body)
	lang := strings.TrimSpace(strings.TrimLeft(body, "`~"))
	start := p.at
	var block []string
	for p.at++; p.at < len(p.lines); p.at++ {
		line := strings.TrimSpace(p.lines[p.at])
		if strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "" {
			break
		}
		block = append(block, cut(p.lines[p.at], indent))
	}
	p.at++
	if lang != "" {
		lang = strings.ToLower(strings.Fields(lang)[0])
	}
	p.pop(indent, true)
	p.block(start, lang, block)
}

func (p *parser) block(start int, lang string, lines []string) {
	intro := p.last
	if intro != None && p.units[intro].Kind != Para && p.units[intro].Kind != Item {
		intro = None
	}
	p.add(Unit{Kind: Code, Text: strings.Join(lines, "\n"), Lang: lang, Parent: p.under(), Intro: intro})
	p.units[p.last].Line = start + 1
	p.close()
	p.gap = false
}

func (p *parser) quoted(indent int) {
	start := p.at
	var block []string
	for ; p.at < len(p.lines); p.at++ {
		line := strings.TrimSpace(p.lines[p.at])
		if !strings.HasPrefix(line, ">") {
			break
		}
		block = append(block, strings.TrimPrefix(line[1:], " "))
	}
	p.pop(indent, true)
	p.add(Unit{Kind: Quote, Text: strings.Join(block, "\n"), Parent: p.under(), Intro: None})
	p.units[p.last].Line = start + 1
	p.close()
	p.gap = false
}

func cut(line string, indent int) string {
	for indent > 0 && strings.HasPrefix(line, " ") {
		line = line[1:]
		indent--
	}
	return line
}
