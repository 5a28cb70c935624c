package syntax

import (
	"bytes"
	"strings"
)

// textLength returns the length of the string, character, template or regular expression at x.at, 0
// without one.
func (x *Lexer) textLength(c byte) int {
	s := x.src[x.at:]
	switch x.lang {
	case Go:
		switch c {
		case '`':
			return 1 + lengthUntil(s[1:], "`")
		case '"', '\'':
			return quotedLength(s, c, false)
		}
	case Java, Kotlin:
		if bytes.HasPrefix(s, []byte(`"""`)) {
			return tripleLength(s, `"""`)
		}
		if c == '"' || c == '\'' {
			return quotedLength(s, c, false)
		}
	case JavaScript, TypeScript:
		return x.scriptTextLength(c, s)
	case Python, TOML:
		return pythonTextLength(s)
	case SQL:
		if c == '"' || c == '\'' {
			return doubledLength(s)
		}
	case Rust:
		return rustTextLength(s)
	case CSharp:
		return csharpTextLength(s)
	case Ruby:
		return x.rubyTextLength(c, s)
	case PHP:
		return phpTextLength(c, s)
	}
	return 0
}

// quotedLength returns the length of a quoted string with escapes. Without lines, an unclosed one
// ends before the end of its line.
func quotedLength(s []byte, q byte, lines bool) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case q:
			return i + 1
		case '\n':
			if !lines {
				return i
			}
		}
	}
	return len(s)
}

// tripleLength returns the length of a string delimited by q, with escapes.
func tripleLength(s []byte, q string) int {
	for i := len(q); i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		if bytes.HasPrefix(s[i:], []byte(q)) {
			return i + len(q)
		}
	}
	return len(s)
}

// prefixLength returns how many letters of set begin s, at most most.
func prefixLength(s []byte, set string, most int) int {
	n := 0
	for n < len(s) && n < most && strings.IndexByte(set, s[n]) >= 0 {
		n++
	}
	return n
}

func pythonTextLength(s []byte) int {
	n := prefixLength(s, "rRbBfFuUtT", 2)
	if n >= len(s) {
		return 0
	}
	for _, q := range []string{`"""`, "'''"} {
		if bytes.HasPrefix(s[n:], []byte(q)) {
			return n + tripleLength(s[n:], q)
		}
	}
	if s[n] == '"' || s[n] == '\'' {
		return n + quotedLength(s[n:], s[n], false)
	}
	return 0
}

// rustTextLength distinguishes strings and characters from lifetimes: 'a' is one, 'a is not.
func rustTextLength(s []byte) int {
	n := prefixLength(s, "bcr", 2)
	if n >= len(s) {
		return 0
	}
	if n > 0 && bytes.IndexByte(s[:n], 'r') >= 0 {
		hashes := prefixLength(s[n:], "#", len(s))
		if n+hashes < len(s) && s[n+hashes] == '"' {
			end := `"` + strings.Repeat("#", hashes)
			return n + hashes + 1 + lengthUntil(s[n+hashes+1:], end)
		}
	}
	switch s[n] {
	case '"':
		return n + quotedLength(s[n:], '"', true)
	case '\'':
		rest := s[n+1:]
		if len(rest) > 0 && rest[0] == '\\' {
			return n + quotedLength(s[n:], '\'', false)
		}
		if i := bytes.IndexByte(rest[:min(len(rest), 5)], '\''); i > 0 && len([]rune(string(rest[:i]))) == 1 {
			return n + i + 2
		}
	}
	return 0
}

func csharpTextLength(s []byte) int {
	n := prefixLength(s, "@$", 8)
	if n >= len(s) || s[n] != '"' && (n > 0 || s[n] != '\'') {
		return 0
	}
	if s[n] == '\'' {
		return quotedLength(s, '\'', false)
	}
	if quotes := prefixLength(s[n:], `"`, len(s)); quotes >= 3 {
		return n + quotes + lengthUntil(s[n+quotes:], strings.Repeat(`"`, quotes))
	}
	if bytes.IndexByte(s[:n], '@') < 0 {
		return n + quotedLength(s[n:], '"', false)
	}
	return n + doubledLength(s[n:])
}

// doubledLength returns the length of a string in which a doubled quote is a quote.
func doubledLength(s []byte) int {
	for i := 1; i < len(s); i++ {
		if s[i] != s[0] {
			continue
		}
		if i+1 >= len(s) || s[i+1] != s[0] {
			return i + 1
		}
		i++
	}
	return len(s)
}

func (x *Lexer) scriptTextLength(c byte, s []byte) int {
	switch c {
	case '"', '\'':
		return quotedLength(s, c, false)
	case '`':
		return embeddingLength(s, '`', "${", 0)
	case '/':
		if x.isBeforeOperand() {
			return x.regexLength()
		}
	}
	return 0
}

// isBeforeOperand reports whether an operand can begin here, so that a slash is not a division.
func (x *Lexer) isBeforeOperand() bool { return x.previous.IsBeforeOperand(x.line) }

// IsBeforeOperand reports whether an operand can begin behind the token on a line, so that a slash
// there is not a division and < not a comparison. A block is never divided at the start of a line.
func (t Token) IsBeforeOperand(line int) bool {
	switch t.Kind {
	case 0:
		return true
	case Mark:
		return t.Text != ")" && t.Text != "]" && (t.Text != "}" || t.End < line)
	case Word:
		switch t.Text {
		case "return", "typeof", "instanceof", "case", "default", "in", "of", "delete", "void", "throw", "new", "do", "else", "await",
			"yield", "if", "unless", "while", "until", "when", "and", "or", "not", "then", "puts":
			return true
		}
	}
	return false
}

// Notes on a byte that regexLength has passed.
const (
	outOfClass byte = 1 << iota
	inClass
)

// regexLength returns the length of the regular expression at x.at with its flags, 0 if the line
// ends first.
//
// That is known only at the end of the line, and a line can have a slash in every other byte. So a
// search notes which bytes it passed, and whether in brackets, where a slash ends nothing. A later
// search that reaches a noted byte in the same state would continue like the first one, which found
// no end: after one that found an end, the lexer is past all the bytes it noted.
func (x *Lexer) regexLength() int {
	if x.regexNotes == nil {
		x.regexNotes = make([]byte, len(x.src))
	}
	way := outOfClass
	for i := x.at + 1; i < len(x.src); i++ {
		if x.regexNotes[i]&way != 0 {
			return 0
		}
		x.regexNotes[i] |= way
		switch x.src[i] {
		case '\\':
			if i++; i < len(x.src) && x.src[i] == '\n' {
				return 0
			}
		case '\n':
			return 0
		case '[':
			way = inClass
		case ']':
			way = outOfClass
		case '/':
			if way == outOfClass {
				i++
				return i + prefixLength(x.src[i:], "dgimsuvyxo", 8) - x.at
			}
		}
	}
	return 0
}

// maxEmbedded bounds strings within embedded code within strings.
const maxEmbedded = 20

// embeddingLength returns the length of a string that can embed code between open ("${", "#{") and
// a closing brace; that code can contain such strings again.
func embeddingLength(s []byte, q byte, open string, depth int) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == q:
			return i + 1
		case bytes.HasPrefix(s[i:], []byte(open)) && depth < maxEmbedded:
			i += len(open)
			i += embeddedLength(s[i:], open, depth) - 1
		}
	}
	return len(s)
}

// embeddedLength returns the length of embedded code including its closing brace.
func embeddedLength(s []byte, open string, depth int) int {
	braces := 1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '{':
			braces++
		case '}':
			if braces--; braces == 0 {
				return i + 1
			}
		case '"', '\'', '`':
			if c == '`' || c == '"' && open == "#{" {
				i += embeddingLength(s[i:], c, open, depth+1) - 1
			} else {
				i += max(quotedLength(s[i:], c, false), 1) - 1
			}
		}
	}
	return len(s)
}
