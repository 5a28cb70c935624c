package count

import (
	"bytes"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/syntax"
)

// readElement begins an element at the < that was just read, if it is one.
func (l *lexer) readElement(t syntax.Token, from int) bool {
	rest := l.Rest()
	if l.bad[from] || len(rest) == 0 || rest[0] != '>' && !isWordStart(rest[0]) {
		return false
	}
	n := tagNameLength(rest)
	after := bytes.TrimLeft(rest[n:min(len(rest), n+40)], " \t\r\n")
	// <T,>(x) and <T extends U>(x) are generics.
	if bytes.HasPrefix(after, []byte(",")) || bytes.HasPrefix(after, []byte("extends ")) {
		return false
	}
	l.readOpening(t, from, n)
	return true
}

// readOpening reads the name of a tag, n bytes, and the type arguments of <Table<Row> rows=…>.
func (l *lexer) readOpening(t syntax.Token, from, n int) {
	l.Take(syntax.Mark, n)
	l.push('T', l.add(OpenBracket, t, from))
	rest := l.Rest()
	if len(rest) == 0 || rest[0] != '<' {
		return
	}
	depth := 0
	for i, c := range rest[:min(len(rest), 500)] {
		switch c {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				l.Take(syntax.Mark, i+1)
				return
			}
		}
	}
}

func isWordStart(c byte) bool {
	return isLetter(c) || c == '_' || c == '$' || c >= utf8.RuneSelf
}

func tagNameLength(s []byte) int {
	n := 0
	for n < len(s) && (isWordStart(s[n]) || isDigit(s[n]) || bytes.IndexByte([]byte("-.:"), s[n]) >= 0) {
		n++
	}
	return n
}

// readClosing ends an element; n is the length of its end tag.
func (l *lexer) readClosing(n int) {
	from := l.Offset()
	l.pop(l.Take(syntax.Text, n), from)
}

// readTagPiece reads one token of an opening tag.
func (l *lexer) readTagPiece() {
	rest := l.Rest()
	switch c := rest[0]; {
	case c == '>':
		l.take(TagEnd, 1)
		l.stack[len(l.stack)-1].kind = 'E'
	case bytes.HasPrefix(rest, []byte("/>")):
		l.readClosing(2)
	case c == '{':
		l.push('{', l.take(OpenBracket, 1))
	case c == '"' || c == '\'':
		n := bytes.IndexByte(rest[1:], c) + 2
		if n < 2 {
			n = len(rest)
		}
		l.take(String, n)
	case isWordStart(c):
		l.take(Ident, tagNameLength(rest))
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")):
		l.Next()
	case c == '=':
		l.take(Punct, 1)
	default:
		l.Take(syntax.Comment, 1)
	}
}

// readChildren reads one part between tags: text, an {expression} or an element.
func (l *lexer) readChildren() {
	rest := l.Rest()
	switch c := rest[0]; {
	case c == '{':
		l.push('{', l.take(OpenBracket, 1))
	case bytes.HasPrefix(rest, []byte("</")):
		n := bytes.IndexByte(rest, '>') + 1
		if n == 0 {
			n = len(rest)
		}
		l.readClosing(n)
	case c == '<' && len(rest) > 1 && (rest[1] == '>' || isWordStart(rest[1])):
		from := l.Offset()
		l.readOpening(l.Take(syntax.Mark, 1), from, tagNameLength(rest[1:]))
	default:
		n := 1 + bytes.IndexAny(rest[1:], "<{")
		if n == 0 {
			n = len(rest)
		}
		if len(bytes.TrimSpace(rest[:n])) > 0 {
			l.take(Text, n)
		} else {
			l.Take(syntax.Comment, n)
		}
	}
}
