package count

import (
	"bytes"
	"strings"
)

// element starts an element at <, where an operand may stand.
func (l *lexer) element() bool {
	if l.value() || l.bad[l.i] {
		return false
	}
	i := l.i + 1
	if i >= len(l.src) {
		return false
	}
	if l.src[i] != '>' && !wordStart(l.src[i]) {
		return false
	}
	end := l.tagName(i)
	rest := bytes.TrimLeft(l.src[end:min(len(l.src), end+40)], " \t\r\n")
	// <T,>(x) and <T extends U>(x) are generics.
	if bytes.HasPrefix(rest, []byte(",")) || bytes.HasPrefix(rest, []byte("extends ")) {
		return false
	}
	l.push('T', l.i, end)
	l.typeArguments()
	return true
}

func (l *lexer) tagName(i int) int {
	for i < len(l.src) {
		c := l.src[i]
		if !wordStart(c) && !digit(c) && strings.IndexByte("-.:", c) < 0 {
			break
		}
		i++
	}
	return i
}

// typeArguments passes over <Table<Row> rows=…>.
func (l *lexer) typeArguments() {
	if l.i >= len(l.src) || l.src[l.i] != '<' {
		return
	}
	depth := 0
	for i := l.i; i < len(l.src) && i < l.i+500; i++ {
		switch l.src[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				l.i = i + 1
				return
			}
		}
	}
}

// tag reads one piece of an opening tag.
func (l *lexer) tag() {
	c := l.src[l.i]
	switch {
	case c == '>':
		l.emit(TagEnd, l.i, l.i+1)
		l.stack[len(l.stack)-1].kind = 'E'
	case l.has("/>"):
		l.pop(l.i, l.i+2)
	case c == '{':
		l.push('{', l.i, l.i+1)
	case c == '"' || c == '\'':
		end := bytes.IndexByte(l.src[l.i+1:], c)
		if end < 0 {
			end = len(l.src)
		}
		l.emit(String, l.i, l.i+end+2)
	case wordStart(c):
		l.emit(Ident, l.i, l.tagName(l.i))
	case l.has("//") || l.has("/*"):
		if !l.comment() {
			l.i++
		}
	case c == '=':
		l.emit(Punct, l.i, l.i+1)
	default:
		l.i++
	}
}

// children reads what is between tags: text, {expressions} and elements.
func (l *lexer) children() {
	switch c := l.src[l.i]; {
	case c == '{':
		l.push('{', l.i, l.i+1)
	case l.has("</"):
		end := bytes.IndexByte(l.src[l.i:], '>')
		if end < 0 {
			end = len(l.src) - l.i - 1
		}
		l.pop(l.i, l.i+end+1)
	case c == '<' && l.i+1 < len(l.src) && (l.src[l.i+1] == '>' || wordStart(l.src[l.i+1])):
		l.push('T', l.i, l.tagName(l.i+1))
		l.typeArguments()
	default:
		end := l.i + 1
		for end < len(l.src) && l.src[end] != '<' && l.src[end] != '{' {
			end++
		}
		if len(bytes.TrimSpace(l.src[l.i:end])) > 0 {
			l.emit(Text, l.i, end)
		}
		l.i = end
	}
}
