package syntax

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind byte

// The kinds. A Mark is one character of punctuation, or PHP's -> and ::, to distinguish them from >
// and :. A Text is a string, a character, a template with the code it embeds, a heredoc or a
// regular expression, including its quotes.
const (
	Word Kind = iota + 1
	Number
	Text
	Mark
	Comment
)

// Token is a token of a text.
type Token struct {
	Kind  Kind
	Text  string
	Line  int  // of its first byte, counted from 1
	Col   int  // bytes before it on its line
	End   int  // line of its last byte
	First bool // only white space and comments precede it on its line
}

// Is reports whether the token is the word or mark s, not a string with that text.
func (t Token) Is(s string) bool { return (t.Kind == Word || t.Kind == Mark) && t.Text == s }

// IsOneOf reports whether the token is one of these words and marks.
func (t Token) IsOneOf(words ...string) bool {
	return (t.Kind == Word || t.Kind == Mark) && slices.Contains(words, t.Text)
}

// Value returns the content of a Text without its prefix and quotes, with escapes as written.
func (t Token) Value() string {
	if t.Kind != Text {
		return t.Text
	}
	s := strings.TrimLeftFunc(t.Text, func(r rune) bool { return unicode.IsLetter(r) || r == '@' || r == '$' || r == '#' })
	for _, q := range []string{`"""`, "'''"} {
		if len(s) >= 6 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[3 : len(s)-3]
		}
	}
	s = strings.TrimRight(s, "#")
	if len(s) >= 2 && s[0] == s[len(s)-1] {
		return s[1 : len(s)-1]
	}
	return s
}

// Lexer splits a text into tokens, one at a time.
type Lexer struct {
	lang       Language
	src        []byte
	source     string // src, which all tokens share
	at         int
	line       int
	start      int // offset of the current line
	first      bool
	previous   Token    // last token that is not a comment; decides whether a slash is a regular expression
	heredocs   []string // heredocs that begin on the next line
	regexNotes []byte   // see regexLength
	hashLine   int      // line of the last # that isDirective checked
}

// NewLexer returns a Lexer at the start of a text.
func NewLexer(l Language, src []byte) *Lexer {
	switch l {
	case TSX:
		l = TypeScript
	case JSX, JSON:
		l = JavaScript
	}
	return &Lexer{lang: l, src: src, source: string(src), line: 1, first: true}
}

// Lex splits src into tokens, including comments, in order. An unclosed string ends with its line
// in languages with that rule, otherwise with the text.
func Lex(l Language, src []byte) []Token { return lex(l, src, false) }

// LexCode is Lex without the comments.
func LexCode(l Language, src []byte) []Token { return lex(l, src, true) }

func lex(l Language, src []byte, code bool) []Token {
	x := NewLexer(l, src)
	out := make([]Token, 0, len(src)/5)
	for t := x.Next(); t.Kind != 0; t = x.Next() {
		if t.Kind != Comment || !code {
			out = append(out, t)
		}
	}
	return out
}

// Next returns the next token. At the end it returns one without a kind.
func (x *Lexer) Next() Token {
	for x.at < len(x.src) {
		switch c := x.src[x.at]; c {
		case '\n':
			x.newline()
			if n := x.heredocBodyLength(); n > 0 {
				return x.Take(Text, n)
			}
		case ' ', '\t', '\r', '\f', '\v':
			x.at++
		default:
			return x.Take(x.nextToken(c))
		}
	}
	return Token{}
}

// Offset returns how many bytes have been read.
func (x *Lexer) Offset() int { return x.at }

// Rest returns the bytes that have not been read.
func (x *Lexer) Rest() []byte { return x.src[x.at:] }

// Previous returns the last token that is not a comment.
func (x *Lexer) Previous() Token { return x.previous }

func (x *Lexer) newline() {
	x.at++
	x.line++
	x.start = x.at
	x.first = true
}

// nextToken returns the kind and length of the token at x.at.
func (x *Lexer) nextToken(c byte) (Kind, int) {
	if n := x.commentLength(c); n > 0 {
		return Comment, n
	}
	if n := x.textLength(c); n > 0 {
		return Text, n
	}
	if c >= '0' && c <= '9' {
		return Number, x.numberLength()
	}
	if n := wordLen(x.src[x.at:], x.lang); n > 0 {
		return Word, n
	}
	if rest := x.src[x.at:]; x.lang == PHP && (bytes.HasPrefix(rest, []byte("->")) || bytes.HasPrefix(rest, []byte("::"))) {
		return Mark, 2
	}
	_, n := utf8.DecodeRune(x.src[x.at:])
	return Mark, n
}

// Take reads the next n bytes as one token.
func (x *Lexer) Take(k Kind, n int) Token {
	piece := x.source[x.at : x.at+n]
	t := Token{Kind: k, Text: piece, Line: x.line, Col: x.at - x.start, End: x.line, First: x.first}
	x.at += n
	if k != Word && k != Number && strings.IndexByte(piece, '\n') >= 0 {
		x.line += strings.Count(piece, "\n")
		t.End = x.line
		x.start = x.at - n + strings.LastIndexByte(piece, '\n') + 1
	}
	if k != Comment {
		x.first = false
		x.previous = t
	}
	return t
}

// wordLen returns how many bytes at the start of s are a word.
func wordLen(s []byte, l Language) int {
	n := 0
	for n < len(s) {
		c := s[n]
		switch {
		case c < utf8.RuneSelf:
			switch {
			case isLetter(c) || c == '_' || isDigit(c) && n > 0:
			case c == '$' && (l == JavaScript || l == TypeScript):
			case c == '$' && l == PHP && n == 0 && wordLen(s[1:], None) > 0:
			case c == '-' && l == TOML:
			case l == Ruby && n > 0 && endsMethod(s[n:]):
				return n + 1
			default:
				return n
			}
			n++
		default:
			r, size := utf8.DecodeRune(s[n:])
			if !unicode.IsLetter(r) && (n == 0 || !unicode.IsDigit(r) && !unicode.IsMark(r)) {
				return n
			}
			n += size
		}
	}
	return n
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// endsMethod reports whether s begins with the ? or ! of a Ruby method's name: empty?, save!, but
// not an operator such as !=.
func endsMethod(s []byte) bool {
	return (s[0] == '?' || s[0] == '!') && (len(s) == 1 || s[1] != '=')
}

func (x *Lexer) numberLength() int {
	s := x.src[x.at:]
	n := 1
	for n < len(s) {
		c := s[n]
		dot := c == '.' && n+1 < len(s) && isDigit(s[n+1])
		if !isLetter(c) && !isDigit(c) && c != '_' && !dot {
			break
		}
		n++
	}
	return n
}

// commentLength returns the length of the comment at x.at, 0 without one.
func (x *Lexer) commentLength(c byte) int {
	s := x.src[x.at:]
	switch x.lang {
	case Python, TOML:
		if c == '#' {
			return lineLen(s)
		}
	case SQL:
		if bytes.HasPrefix(s, []byte("--")) {
			return lineLen(s)
		}
		return blockCommentLength(s)
	case Ruby:
		if c == '#' {
			return lineLen(s)
		}
		if c == '=' && x.at == x.start && bytes.HasPrefix(s, []byte("=begin")) {
			return lengthUntil(s, "\n=end")
		}
	case PHP:
		return x.phpCommentLength(c, s)
	case None:
	default:
		if c == '#' && x.lang == CSharp && x.isDirective() {
			return excludedLength(s)
		}
		if bytes.HasPrefix(s, []byte("//")) {
			return lineLen(s)
		}
		if x.lang == Rust || x.lang == Kotlin {
			return nestedCommentLength(s)
		}
		return blockCommentLength(s)
	}
	return 0
}

// blockCommentLength returns the length of a comment at the start of s, 0 for none.
func blockCommentLength(s []byte) int {
	if !bytes.HasPrefix(s, []byte("/*")) {
		return 0
	}
	return 2 + lengthUntil(s[2:], "*/")
}

// lineLen returns the length of the rest of the line, without its end.
func lineLen(s []byte) int {
	n := bytes.IndexByte(s, '\n')
	if n < 0 {
		return len(s)
	}
	if n > 0 && s[n-1] == '\r' {
		n--
	}
	return n
}

// isDirective reports whether only white space precedes the # at x.at on its line; otherwise it is
// no directive. Token.First does not help, because a comment may precede it, and a byte order mark
// may not. Only the first # of a line is checked, so that the line's beginning is not read again
// for each of them.
func (x *Lexer) isDirective() bool {
	if x.hashLine == x.line {
		return false
	}
	x.hashLine = x.line
	before := x.src[x.start:x.at]
	if x.start == 0 {
		before = bytes.TrimPrefix(before, []byte("\ufeff"))
	}
	return len(bytes.TrimSpace(before)) == 0
}

// excludedLength returns the length of what C# excludes between #if false and the directive that
// ends it, without that line; 0 if s does not begin so.
func excludedLength(s []byte) int {
	depth, n := 0, 0
	for n < len(s) {
		end := n + bytes.IndexByte(s[n:], '\n') + 1
		if end == n {
			end = len(s)
		}
		line := bytes.TrimSpace(s[n:end])
		directive := bytes.HasPrefix(line, []byte("#"))
		word := strings.Fields(string(bytes.TrimPrefix(line[:min(len(line), 80)], []byte("#"))))
		switch {
		case n == 0 && (len(word) < 2 || word[0] != "if" || word[1] != "false"):
			return 0
		case !directive || len(word) == 0:
		case word[0] == "if":
			depth++
		case word[0] == "endif" && depth > 1:
			depth--
		case depth == 1 && (word[0] == "endif" || word[0] == "else" || word[0] == "elif"):
			return n
		}
		n = end
	}
	return n
}

// lengthUntil returns the length of s including end, all of s without one.
func lengthUntil(s []byte, end string) int {
	if i := bytes.Index(s, []byte(end)); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// nestedCommentLength is blockCommentLength for languages with nested comments.
func nestedCommentLength(s []byte) int {
	if !bytes.HasPrefix(s, []byte("/*")) {
		return 0
	}
	depth, i := 1, 2
	for i < len(s) && depth > 0 {
		switch {
		case bytes.HasPrefix(s[i:], []byte("/*")):
			depth++
			i += 2
		case bytes.HasPrefix(s[i:], []byte("*/")):
			depth--
			i += 2
		default:
			i++
		}
	}
	return i
}
