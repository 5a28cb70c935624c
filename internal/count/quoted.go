package count

import "bytes"

// quoted reads a string, template, character or regular expression, when one starts here.
func (l *lexer) quoted() bool {
	c := l.src[l.i]
	switch {
	case l.o.Prefix && l.prefixed():
	case l.o.Hash && c == 'r' && l.rawHash():
	case l.o.Verbatim && (c == '@' || c == '$') && l.verbatim():
	case (c == '"' || c == '\'') && l.o.Triple && l.has(string([]byte{c, c, c})):
		l.triple(l.i, c, true)
	case c == '\'' && l.o.Char:
		l.char()
	case c == '"' || c == '\'':
		l.emit(String, l.i, l.simple(l.i, c))
	case c == '`' && l.o.Template:
		l.emit(String, l.i, l.template(l.i))
	case c == '/' && l.o.Regex && !l.value():
		return l.regex()
	default:
		return false
	}
	return true
}

// simple returns the end of a string that starts at i. A string does not go over the end of
// a line unless the line's end is escaped or the language has no such rule.
func (l *lexer) simple(i int, quote byte) int {
	multi := l.o.Double || l.o.Hash || (l.o.Words == "@" && l.o.Newlines)
	for i++; i < len(l.src); i++ {
		switch l.src[i] {
		case quote:
			if l.o.Double && i+1 < len(l.src) && l.src[i+1] == quote {
				i++
				continue
			}
			return i + 1
		case '\\':
			if !l.o.Double {
				i++
			}
		case '\n':
			if !multi {
				return i
			}
		}
	}
	return len(l.src)
}

func (l *lexer) triple(from int, quote byte, escapes bool) {
	end := []byte{quote, quote, quote}
	i := bytes.Index(l.src[from:], end) + from + 3
	for i < len(l.src) {
		if l.src[i] == '\\' && escapes {
			i += 2
			continue
		}
		if bytes.HasPrefix(l.src[i:], end) {
			l.emit(String, from, i+3)
			return
		}
		i++
	}
	l.emit(String, from, len(l.src))
}

// prefixed reads r"…", f'…', b"…" and their triples.
func (l *lexer) prefixed() bool {
	i, raw := l.i, false
	for ; i < len(l.src) && i < l.i+3; i++ {
		c := l.src[i] | 0x20
		if c != 'r' && c != 'f' && c != 'b' && c != 'u' && c != 't' {
			break
		}
		raw = raw || c == 'r'
	}
	if i == l.i || i >= len(l.src) || (l.src[i] != '"' && l.src[i] != '\'') {
		return false
	}
	quote, from := l.src[i], l.i
	if bytes.HasPrefix(l.src[i:], []byte{quote, quote, quote}) {
		l.triple(from, quote, true)
		return true
	}
	l.emit(String, from, l.simple(i, quote))
	return true
}

// rawHash reads r"…" and r#"…"#.
func (l *lexer) rawHash() bool {
	i := l.i + 1
	for i < len(l.src) && l.src[i] == '#' && i < l.i+200 {
		i++
	}
	if i >= len(l.src) || l.src[i] != '"' {
		return false
	}
	end := append([]byte{'"'}, bytes.Repeat([]byte{'#'}, i-l.i-1)...)
	n := bytes.Index(l.src[i+1:], end)
	if n < 0 {
		l.emit(String, l.i, len(l.src))
		return true
	}
	l.emit(String, l.i, i+1+n+len(end))
	return true
}

// verbatim reads @"…", $"…" and $@"…".
func (l *lexer) verbatim() bool {
	i, at := l.i, false
	for i < len(l.src) && (l.src[i] == '@' || l.src[i] == '$') && i < l.i+3 {
		at = at || l.src[i] == '@'
		i++
	}
	if i >= len(l.src) || l.src[i] != '"' {
		return false
	}
	if !at {
		l.emit(String, l.i, l.simple(i, '"'))
		return true
	}
	for i++; i < len(l.src); i++ {
		if l.src[i] == '"' {
			if i+1 < len(l.src) && l.src[i+1] == '"' {
				i++
				continue
			}
			break
		}
	}
	l.emit(String, l.i, i+1)
	return true
}

// char reads 'x' and '\n', and passes over the quote of a lifetime.
func (l *lexer) char() {
	rest := l.src[l.i+1:]
	if len(rest) > 1 && rest[0] == '\\' {
		if n := bytes.IndexByte(rest[2:min(len(rest), 14)], '\''); n >= 0 {
			l.emit(String, l.i, l.i+1+2+n+1)
			return
		}
	}
	for n := 1; n <= 4 && n < len(rest); n++ {
		if rest[n] == '\'' && rest[0] != '\'' && rest[0] != '\n' && (n == 1 || rest[0] >= 0x80) {
			l.emit(String, l.i, l.i+n+2)
			return
		}
	}
	l.i++
}

// template returns the end of a template literal. What is between ${ and } may hold
// strings, comments and templates again.
func (l *lexer) template(i int) int {
	type level struct{ braces int } // braces < 0: inside the literal's text
	stack := []level{{-1}}
	for i++; i < len(l.src); i++ {
		top := &stack[len(stack)-1]
		c := l.src[i]
		if top.braces < 0 {
			switch {
			case c == '\\':
				i++
			case c == '`':
				if stack = stack[:len(stack)-1]; len(stack) == 0 {
					return i + 1
				}
			case c == '$' && i+1 < len(l.src) && l.src[i+1] == '{':
				stack = append(stack, level{0})
				i++
			}
			continue
		}
		switch c {
		case '`':
			stack = append(stack, level{-1})
		case '"', '\'':
			i = l.simple(i, c) - 1
		case '{':
			top.braces++
		case '}':
			if top.braces == 0 {
				stack = stack[:len(stack)-1]
			} else {
				top.braces--
			}
		}
	}
	return len(l.src)
}

// regex reads a regular expression. One ends on its line, or it was none.
func (l *lexer) regex() bool {
	class := false
	for i := l.i + 1; i < len(l.src); i++ {
		switch l.src[i] {
		case '\n':
			return false
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				l.emit(Regex, l.i, l.word(i+1))
				return true
			}
		}
	}
	return false
}
