package count

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	Ident       Kind = iota
	Number           //
	String           // any string, template or character
	Regex            //
	Punct            // operators and separators
	OpenBracket      // an opening bracket, or the start of an element, whose text is its tag
	Close            // its end
	TagEnd           // the > of an element's opening tag
	Text             // text between elements
	Newline          // the end of a logical line, where lines matter
)

// Token is a piece of the source. For Open and Close, Match is the index of the other.
type Token struct {
	Kind      Kind
	Elem      bool // an element's Open or Close
	Fresh     bool // the first token of its line
	Off, End  int32
	Line, Col int32
	Match     int32
}

// Options say what a language's source is made of.
type Options struct {
	Line     []string // what starts a comment to the end of the line
	Block    bool     // /* */
	Nested   bool     // comments nest
	Template bool     // `…${}…`
	Triple   bool     // """ and '''
	Double   bool     // '' inside '…' is a quote (SQL)
	Prefix   bool     // r"…" has no escapes
	Char     bool     // ' is a character or a lifetime
	Hash     bool     // r#"…"#
	Verbatim bool     // @"…"
	Regex    bool
	JSX      bool
	Newlines bool   // lines end statements
	Words    string // further characters of identifiers
}

// Source is source text with its tokens.
type Source struct {
	Src    []byte
	Tokens []Token
}

// At returns the text of token i, "" when there is none.
func (s *Source) At(i int) string {
	if i < 0 || i >= len(s.Tokens) {
		return ""
	}
	t := s.Tokens[i]
	return string(s.Src[t.Off:t.End])
}

// Is reports whether token i has this text.
func (s *Source) Is(i int, text string) bool {
	if i < 0 || i >= len(s.Tokens) {
		return false
	}
	t := s.Tokens[i]
	return int(t.End-t.Off) == len(text) && string(s.Src[t.Off:t.End]) == text
}

// Among reports whether token i has one of these texts.
func (s *Source) Among(i int, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return s.Is(i, text) })
}

// Range returns the source from token lo up to token hi, without it.
func (s *Source) Range(lo, hi int) string {
	if lo < 0 || lo >= hi || hi > len(s.Tokens) {
		return ""
	}
	return string(s.Src[s.Tokens[lo].Off:s.Tokens[hi-1].End])
}

// Tokens cuts source.
func Tokens(src []byte, o Options) *Source {
	bad := map[int]bool{}
	for try := 0; ; try++ {
		l := &lexer{src: src, o: o, bad: bad, line: 1}
		if try == 6 {
			l.o.JSX = false
		}
		l.run()
		// An element that is never closed was none: a generic, or a comparison.
		if l.unclosed >= 0 && l.o.JSX && !bad[l.unclosed] {
			bad[l.unclosed] = true
			continue
		}
		return &Source{Src: src, Tokens: l.out}
	}
}

type open struct {
	token int
	kind  byte // ( [ { or T in a tag, E between tags
}

type lexer struct {
	src       []byte
	o         Options
	i         int
	line      int
	lineStart int
	lineOff   int // where line was counted up to
	out       []Token
	stack     []open
	bad       map[int]bool
	unclosed  int
	fresh     bool
}

func (l *lexer) run() {
	l.unclosed, l.fresh = -1, true
	for l.i < len(l.src) {
		start := l.i
		switch l.mode() {
		case 'T':
			l.tag()
		case 'E':
			l.children()
		default:
			l.code()
		}
		if l.i <= start { // never stand still
			l.i = start + 1
		}
	}
	for len(l.stack) > 0 {
		top := l.stack[len(l.stack)-1]
		if top.kind == 'T' || top.kind == 'E' {
			l.unclosed = int(l.out[top.token].Off)
		}
		l.pop(len(l.src), len(l.src))
	}
	l.newline()
}

func (l *lexer) mode() byte {
	if len(l.stack) == 0 {
		return 0
	}
	return l.stack[len(l.stack)-1].kind
}

// emit adds a token and moves on behind it.
func (l *lexer) emit(k Kind, from, to int) int {
	to = min(to, len(l.src))
	l.countLines(from)
	l.out = append(l.out, Token{
		Kind: k, Off: int32(from), End: int32(to), Line: int32(l.line), Col: int32(from-l.lineStart) + 1, Match: -1, Fresh: l.fresh,
	})
	l.fresh = false
	l.i = to
	return len(l.out) - 1
}

func (l *lexer) countLines(to int) {
	for l.lineOff < to {
		n := bytes.IndexByte(l.src[l.lineOff:to], '\n')
		if n < 0 {
			l.lineOff = to
			return
		}
		l.line++
		l.fresh = true
		l.lineOff += n + 1
		l.lineStart = l.lineOff
	}
}

func (l *lexer) push(kind byte, from, to int) {
	t := l.emit(OpenBracket, from, to)
	l.out[t].Elem = kind == 'T'
	l.stack = append(l.stack, open{t, kind})
}

func (l *lexer) pop(from, to int) {
	top := l.stack[len(l.stack)-1]
	l.stack = l.stack[:len(l.stack)-1]
	t := l.emit(Close, from, to)
	l.out[t].Match, l.out[top.token].Match = int32(top.token), int32(t)
	l.out[t].Elem = l.out[top.token].Elem
}

// close ends the bracket that c belongs to, and those left open in it; a c that belongs
// to none near is passed over.
func (l *lexer) close(c byte) {
	want := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
	for k := 1; k <= len(l.stack) && k <= 64; k++ {
		at := l.stack[len(l.stack)-k]
		if at.kind == 'E' || at.kind == 'T' {
			break
		}
		if at.kind == want {
			for ; k > 1; k-- {
				l.pop(l.i, l.i)
			}
			l.pop(l.i, l.i+1)
			return
		}
	}
	l.i++
}

func (l *lexer) newline() {
	if l.o.Newlines && len(l.stack) == 0 && len(l.out) > 0 && l.out[len(l.out)-1].Kind != Newline {
		l.emit(Newline, min(l.i, len(l.src)), min(l.i, len(l.src)))
	}
}

func (l *lexer) has(s string) bool { return bytes.HasPrefix(l.src[l.i:], []byte(s)) }

func (l *lexer) code() {
	c := l.src[l.i]
	switch {
	case c == '\n':
		l.newline()
		l.i++
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		l.i++
	case c == '\\' && l.o.Newlines:
		l.i += 2 // the line continues
	case l.comment():
	case l.quoted():
	case wordStart(c) || c != 0 && strings.IndexByte(l.o.Words, c) >= 0:
		l.emit(Ident, l.i, l.word(l.i+1))
	case c >= '0' && c <= '9':
		l.emit(Number, l.i, l.number())
	case c == '(' || c == '[' || c == '{':
		l.push(c, l.i, l.i+1)
	case c == ')' || c == ']' || c == '}':
		l.close(c)
	case c == '<' && l.o.JSX && l.element():
	default:
		l.operator()
	}
}

func (l *lexer) comment() bool {
	if l.o.Block && l.has("/*") {
		l.blockComment()
		return true
	}
	for _, mark := range l.o.Line {
		if l.has(mark) {
			end := bytes.IndexByte(l.src[l.i:], '\n')
			if end < 0 {
				end = len(l.src) - l.i
			}
			l.i += end
			return true
		}
	}
	return false
}

func (l *lexer) blockComment() {
	if !l.o.Nested {
		end := bytes.Index(l.src[l.i+2:], []byte("*/"))
		if end < 0 {
			l.i = len(l.src)
			return
		}
		l.i += end + 4
		return
	}
	depth := 0
	for l.i < len(l.src) {
		switch {
		case l.has("/*"):
			depth++
			l.i += 2
		case l.has("*/"):
			depth--
			l.i += 2
			if depth == 0 {
				return
			}
		default:
			l.i++
		}
	}
}

func wordStart(c byte) bool {
	return letter(c) || c == '_' || c == '$' || c >= utf8.RuneSelf
}

func (l *lexer) word(i int) int {
	for i < len(l.src) {
		c := l.src[i]
		if !wordStart(c) && (c < '0' || c > '9') && strings.IndexByte(l.o.Words, c) < 0 {
			break
		}
		i++
	}
	return i
}

func (l *lexer) number() int {
	i := l.i
	for i < len(l.src) {
		c := l.src[i]
		dot := c == '.' && i+1 < len(l.src) && l.src[i+1] >= '0' && l.src[i+1] <= '9'
		if !dot && !wordStart(c) && (c < '0' || c > '9') {
			break
		}
		i++
	}
	return i
}

var operators = []string{"===", "!==", "...", "**=", "<<=", ">>=", "&&=", "||=", "??=", "=>", "->", "::", "==", "!=",
	"<=", ">=", "&&", "||", "??", "?.", "+=", "-=", "*=", "/=", "|=", "&=", "%=", ":=", "++", "--", "**", "..", "<<", "//"}

func (l *lexer) operator() {
	for _, op := range operators {
		if op[0] == l.src[l.i] && l.has(op) {
			l.emit(Punct, l.i, l.i+len(op))
			return
		}
	}
	l.emit(Punct, l.i, l.i+1)
}

// value reports whether an operand is before here, so that / divides and < compares.
func (l *lexer) value() bool {
	if len(l.out) == 0 {
		return false
	}
	t := l.out[len(l.out)-1]
	switch t.Kind {
	case Number, String, Regex:
		return true
	case Close:
		// After a block a new statement starts; after an object nobody divides at a line's start.
		return t.Elem || l.src[t.Off] != '}' || !l.lineBreakBefore()
	case Ident:
		return !beforeOperand[string(l.src[t.Off:t.End])]
	}
	return false
}

func (l *lexer) lineBreakBefore() bool {
	end := int(l.out[len(l.out)-1].End)
	return bytes.IndexByte(l.src[end:l.i], '\n') >= 0
}

var beforeOperand = map[string]bool{
	"return": true, "case": true, "default": true, "typeof": true, "instanceof": true, "in": true, "of": true, "new": true,
	"delete": true, "void": true, "throw": true, "do": true, "else": true, "yield": true, "await": true, "and": true, "or": true,
	"not": true, "if": true, "unless": true, "when": true, "while": true,
}
