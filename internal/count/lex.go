package count

import (
	"bytes"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	Ident Kind = iota
	Number
	String // any string, template or character
	Regex
	Punct       // operators and separators
	OpenBracket // an opening bracket, or the start of an element; its text is the tag
	Close       // the end of an OpenBracket
	TagEnd      // the > of an element's opening tag
	Text        // text between elements
	Newline     // the end of a logical line, where lines matter
)

// Token is a token of the source. Match connects an OpenBracket and its Close by index.
type Token struct {
	Kind      Kind
	Elem      bool // OpenBracket or Close of an element
	Fresh     bool // the first token of its line
	Off, End  int32
	Line, Col int32
	Match     int32
}

// NewReader splits a source into tokens.
func NewReader(src []byte, lang syntax.Language) *Reader {
	elements := lang == syntax.TSX || lang == syntax.JSX || lang == syntax.JavaScript
	bad := map[int]bool{}
	for try := 0; ; try++ {
		l := &lexer{Lexer: syntax.NewLexer(lang, src), elements: elements && try < 6, bad: bad}
		l.lines = lang == syntax.Python || lang == syntax.Ruby || lang == syntax.TOML
		if l.sigils = "$"; lang == syntax.Ruby {
			l.sigils = "$@"
		}
		l.run(len(src))
		// An unclosed element was none, but a generic or a comparison. Read again without it.
		if l.unclosed >= 0 && l.elements && !bad[l.unclosed] {
			bad[l.unclosed] = true
			continue
		}
		return &Reader{Src: string(src), Tokens: l.out, Lang: lang}
	}
}

type openBracket struct {
	token int
	kind  byte // ( [ { or T in a tag, E between tags
}

// lexer adds matched brackets, operators, elements and line ends to the tokens of the language.
type lexer struct {
	*syntax.Lexer
	elements bool
	lines    bool   // line ends are statement ends
	joined   bool   // the line continues with the next one
	sigils   string // characters other than letters that can begin a name
	out      []Token
	stack    []openBracket
	bad      map[int]bool
	unclosed int
}

func (l *lexer) run(size int) {
	l.unclosed = -1
	for l.Offset() < size {
		switch l.mode() {
		case 'T':
			l.readTagPiece()
		case 'E':
			l.readChildren()
		default:
			l.readCode()
		}
	}
	var end syntax.Token
	for len(l.stack) > 0 {
		top := l.stack[len(l.stack)-1]
		if top.kind == 'T' || top.kind == 'E' {
			l.unclosed = int(l.out[top.token].Off)
		}
		l.pop(end, size)
	}
	l.endLine()
}

func (l *lexer) mode() byte {
	if len(l.stack) == 0 {
		return 0
	}
	return l.stack[len(l.stack)-1].kind
}

// add adds the token that begins at t, offset from.
func (l *lexer) add(k Kind, t syntax.Token, from int) int {
	l.out = append(l.out, Token{
		Kind: k, Off: int32(from), End: int32(l.Offset()), Line: int32(t.Line), Col: int32(t.Col) + 1, Match: -1, Fresh: t.First,
	})
	return len(l.out) - 1
}

func (l *lexer) take(k Kind, n int) int {
	from := l.Offset()
	return l.add(k, l.Take(syntax.Mark, n), from)
}

func (l *lexer) push(kind byte, t int) {
	l.out[t].Elem = kind == 'T'
	l.stack = append(l.stack, openBracket{t, kind})
}

func (l *lexer) pop(end syntax.Token, from int) {
	top := l.stack[len(l.stack)-1]
	l.stack = l.stack[:len(l.stack)-1]
	t := l.add(Close, end, from)
	l.out[t].Match, l.out[top.token].Match = int32(top.token), int32(t)
	l.out[t].Elem = l.out[top.token].Elem
}

// close ends the bracket that end belongs to, and unclosed ones in it. An end without an opening
// bracket nearby is ignored.
func (l *lexer) close(end syntax.Token, want byte) {
	for k := 1; k <= len(l.stack) && k <= 64; k++ {
		at := l.stack[len(l.stack)-k]
		if at.kind == 'E' || at.kind == 'T' {
			break
		}
		if at.kind == want {
			for ; k > 0; k-- {
				l.pop(end, l.Offset()-1)
				if k > 1 {
					l.out[len(l.out)-1].End--
				}
			}
			return
		}
	}
}

func (l *lexer) endLine() {
	if n := len(l.out); l.lines && len(l.stack) == 0 && n > 0 && l.out[n-1].Kind != Newline {
		last := l.out[n-1]
		last.Kind, last.Off, last.Fresh, last.Match = Newline, last.End, false, -1
		l.out = append(l.out, last)
	}
}

func (l *lexer) readCode() {
	before := l.Previous()
	t := l.Next()
	if t.Kind == 0 || t.Kind == syntax.Comment {
		return
	}
	if t.First && !l.joined {
		l.endLine()
	}
	l.joined = false
	from := l.Offset() - len(t.Text)
	switch t.Kind {
	case syntax.Word:
		if n := len(l.out) - 1; n >= 0 && l.out[n].Kind == Punct && int(l.out[n].End) == from && strings.Contains(l.sigils, before.Text) {
			l.out[n].Kind, l.out[n].End = Ident, int32(l.Offset())
			return
		}
		l.add(Ident, t, from)
	case syntax.Number:
		l.add(Number, t, from)
	case syntax.Text:
		kind := String
		if t.Text[0] == '/' {
			kind = Regex
		}
		l.add(kind, t, from)
	default:
		l.readMark(t, before, from)
	}
}

func (l *lexer) readMark(t, before syntax.Token, from int) {
	switch c := t.Text[0]; {
	case c == '(' || c == '[' || c == '{':
		l.push(c, l.add(OpenBracket, t, from))
	case c == ')':
		l.close(t, '(')
	case c == ']' || c == '}':
		l.close(t, c-2)
	case c == '\\' && l.lines:
		l.joined = true
	case c == '\'': // a lifetime
	case c == '<' && l.elements && before.IsBeforeOperand(t.Line) && l.readElement(t, from):
	default:
		for _, op := range operators {
			if op[0] == c && bytes.HasPrefix(l.Rest(), []byte(op[1:])) {
				l.Take(syntax.Mark, len(op)-1)
				break
			}
		}
		l.add(Punct, t, from)
	}
}

var operators = []string{"===", "!==", "...", "**=", "<<=", ">>=", "&&=", "||=", "??=", "=>", "->", "::", "==", "!=",
	"<=", ">=", "&&", "||", "??", "?.", "+=", "-=", "*=", "/=", "|=", "&=", "%=", ":=", "++", "--", "**", "..", "<<", "//"}
