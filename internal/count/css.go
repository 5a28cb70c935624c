package count

import (
	"bytes"
	"strings"
)

// ScanCSS returns the rules of each block and the declarations of each rule. With nested, // starts
// a comment and $names can contain lists and maps, as in SCSS.
func ScanCSS(src []byte, nested bool) []*List {
	c := &css{src: src, nested: nested}
	c.stack = []block{{}}
	c.run()
	return c.lists
}

type block struct {
	name    string
	rules   *List
	atRules *List // @media and the like
	decls   *List
	props   *List
}

type css struct {
	src      []byte
	nested   bool
	at       lineCounter
	unclosed bool // a parenthesis was not closed
	stack    []block
	lists    []*List
}

// run splits the text at ; { and } outside of strings, comments and parentheses.
func (c *css) run() {
	var text []byte // the part so far, without comments
	at := -1
	for i := 0; i < len(c.src); {
		b := c.src[i]
		n := c.opaqueLength(i)
		switch {
		case n > 0 && c.comment(i):
			i += n
			continue
		case n > 0:
			if at < 0 {
				at = i
			}
			text = append(text, c.src[i:i+n]...)
			i += n
			continue
		case b == '{' && len(text) > 0 && text[len(text)-1] == '#': // #{interpolation}
			end := bytes.IndexByte(c.src[i:], '}')
			if end < 0 {
				end = len(c.src) - i - 1
			}
			text = append(text, c.src[i:i+end+1]...)
			i += end + 1
			continue
		case b == ';':
			c.addDeclaration(text, at)
			text, at = nil, -1
		case b == '{':
			if at < 0 {
				at = i
			}
			c.beginBlock(text, at)
			text, at = nil, -1
		case b == '}':
			c.addDeclaration(text, at)
			text, at = nil, -1
			if len(c.stack) > 1 {
				c.stack = c.stack[:len(c.stack)-1]
			}
		default:
			if at < 0 && b > ' ' {
				at = i
			}
			if at >= 0 {
				text = append(text, b)
			}
		}
		i++
	}
	c.addDeclaration(text, at)
}

func (c *css) comment(i int) bool {
	return c.src[i] == '/' && i+1 < len(c.src) && (c.src[i+1] == '*' || c.src[i+1] == '/' && c.nested)
}

// opaqueLength returns the length of a comment, string or parenthesis that starts at i, or 0.
func (c *css) opaqueLength(i int) int {
	rest := c.src[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("/*")):
		return lengthUntil(rest, 2, "*/")
	case c.nested && bytes.HasPrefix(rest, []byte("//")):
		return lengthUntil(rest, 2, "\n")
	case rest[0] == '"' || rest[0] == '\'':
		return quotedLength(rest)
	case rest[0] == '\\':
		return min(2, len(rest))
	case rest[0] == '(':
		return c.parenthesisLength(rest)
	}
	return 0
}

func lengthUntil(rest []byte, from int, end string) int {
	n := bytes.Index(rest[from:], []byte(end))
	if n < 0 {
		return len(rest)
	}
	return from + n + len(end)
}

func quotedLength(rest []byte) int {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '\n':
			return i
		case rest[0]:
			return i + 1
		}
	}
	return len(rest)
}

func (c *css) parenthesisLength(rest []byte) int {
	if c.unclosed {
		return 1
	}
	depth := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			i += quotedLength(rest[i:]) - 1
		case '\\':
			i++
		}
	}
	// Searched only once: with many unclosed ones the rest would be read as often.
	c.unclosed = true
	return 1
}

func (c *css) addList(kind ListKind, name string, line, col int) *List {
	l := &List{Name: name, Kind: kind, Line: line, Col: col, Depth: max(0, len(c.stack)-1)}
	for _, b := range c.stack[max(1, len(c.stack)-6):] {
		if b.name != name {
			l.Path = append(l.Path, b.name)
		} else {
			l.Depth--
		}
	}
	c.lists = append(c.lists, l)
	return l
}

func (c *css) beginBlock(text []byte, at int) {
	name := Shorten(string(text))
	line, col := c.at.position(c.src, at)
	top := &c.stack[len(c.stack)-1]
	if len(c.stack) < 100 {
		of, owner := &top.rules, top.name
		if owner == "" {
			owner = "rules"
		}
		if strings.HasPrefix(name, "@") {
			of, owner = &top.atRules, strings.Fields(name)[0]
		}
		if *of == nil {
			*of = c.addList(Rules, owner, line, col)
			if owner == "@media" {
				(*of).Words = []string{"breakpoint", "query"}
			}
		}
		(*of).Items = append((*of).Items, Item{Label: name, Line: line, Col: col})
	}
	if len(c.stack) < 20_000 {
		c.stack = append(c.stack, block{name: name})
	}
}

func (c *css) addDeclaration(text []byte, at int) {
	if at < 0 || len(c.stack) > 100 {
		return
	}
	name, value, ok := strings.Cut(strings.TrimSpace(string(text)), ":")
	name = strings.TrimSpace(name)
	top := &c.stack[len(c.stack)-1]
	line, col := c.at.position(c.src, at)
	if strings.HasPrefix(name, "$") && ok {
		c.addVariable(name, strings.TrimSpace(value), line, col)
		if len(c.stack) == 1 {
			return
		}
	}
	if strings.HasPrefix(name, "@") {
		name, ok = Shorten(string(text)), true
	}
	if !ok || name == "" {
		return
	}
	owner := top.name
	if owner == "" {
		owner = "declarations"
	}
	it := Item{Label: Shorten(name), Line: line, Col: col, IsKey: strings.HasPrefix(name, "--")}
	if top.decls == nil {
		top.decls = c.addList(Declarations, owner, line, col)
	}
	top.decls.Items = append(top.decls.Items, it)
	if it.IsKey {
		if top.props == nil {
			top.props = c.addList(Properties, owner, line, col)
		}
		top.props.Items = append(top.props.Items, it)
	}
}

// addVariable reads $name: a, b, c and $name: (a: 1, b: 2).
func (c *css) addVariable(name, value string, line, col int) {
	value = strings.TrimSpace(strings.TrimSuffix(value, "!default"))
	if strings.HasPrefix(value, "(") && strings.HasSuffix(value, ")") {
		value = value[1 : len(value)-1]
	}
	parts := splitCommas(value)
	if len(parts) < 2 && !strings.Contains(value, ":") {
		return
	}
	l := c.addList(Array, strings.TrimPrefix(name, "$"), line, col)
	for _, p := range parts {
		key, _, mapped := strings.Cut(p, ":")
		if mapped {
			l.Kind = Object
		}
		if key = strings.TrimSpace(key); key != "" {
			l.Items = append(l.Items, Item{Label: Shorten(key), Line: line, Col: col, IsKey: mapped})
		}
	}
}

// splitCommas splits at commas outside strings, comments and parentheses.
func splitCommas(value string) []string {
	var out []string
	c := css{src: []byte(value), nested: true}
	var part []byte
	for i := 0; i < len(value); {
		if n := c.opaqueLength(i); n > 0 {
			if !c.comment(i) {
				part = append(part, value[i:i+n]...)
			}
			i += n
			continue
		}
		if value[i] == ',' {
			out = append(out, string(part))
			part = nil
		} else {
			part = append(part, value[i])
		}
		i++
	}
	if strings.TrimSpace(string(part)) != "" {
		out = append(out, string(part))
	}
	return out
}
