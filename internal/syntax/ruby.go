package syntax

import (
	"bytes"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var closingBrackets = map[byte]byte{'(': ')', '[': ']', '{': '}', '<': '>'}

func (x *Lexer) rubyTextLength(c byte, s []byte) int {
	switch c {
	case '"', '`':
		return embeddingLength(s, c, "#{", 0)
	case '\'':
		return quotedLength(s, c, true)
	case '/':
		if x.isBeforeOperand() || x.previous.Kind == Word && x.isSpacedBefore(s) {
			return x.regexLength()
		}
	case '%':
		return x.percentLength(s)
	case '<':
		x.noteHeredoc(s)
	case '?':
		if x.isBeforeOperand() && len(s) > 1 && s[1] > ' ' && (len(s) == 2 || wordLen(s[2:3], Ruby) == 0) {
			return 2
		}
	}
	return 0
}

// isSpacedBefore reports whether a space precedes this position and none follows, by which Ruby
// distinguishes `puts /a/` from `a / b`.
func (x *Lexer) isSpacedBefore(s []byte) bool {
	return x.at > 0 && x.src[x.at-1] == ' ' && len(s) > 1 && s[1] != ' ' && s[1] != '='
}

// percentLength returns the length of %w[…], %q(…), %(…) and the like.
func (x *Lexer) percentLength(s []byte) int {
	n := 1 + prefixLength(s[1:], "wWqQiIrx", 1)
	if n >= len(s) || (!x.isBeforeOperand() && (n == 1 || !x.isSpacedBefore(s))) {
		return 0
	}
	open := s[n]
	end, pairs := closingBrackets[open]
	if !pairs {
		if n == 1 || strings.IndexByte("|!/^", open) < 0 {
			return 0
		}
		return n + quotedLength(s[n:], open, true)
	}
	depth := 0
	for i := n; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

var heredocStart = lazyregexp.New(`^<<[~-]?(?:([A-Z_][A-Z0-9_]*)|"([^"\n]+)"|'([^'\n]+)')`)

// noteHeredoc records a heredoc that begins on the next line. A shift (a << B) has a space behind
// it or a lower-case name.
func (x *Lexer) noteHeredoc(s []byte) {
	if m := heredocStart.FindSubmatch(s[:min(len(s), 200)]); m != nil {
		x.heredocs = append(x.heredocs, string(m[1])+string(m[2])+string(m[3]))
	}
}

// heredocBodyLength returns the length of the next recorded heredoc, with its closing line, if one
// begins at this line.
func (x *Lexer) heredocBodyLength() int {
	if len(x.heredocs) == 0 {
		return 0
	}
	name := x.heredocs[0]
	x.heredocs = x.heredocs[1:]
	return heredocLength(x.src[x.at:], name)
}

// heredocLength returns the length of a heredoc without its last line end.
func heredocLength(s []byte, name string) int {
	n := 0
	for n < len(s) {
		line := s[n:]
		i := bytes.IndexByte(line, '\n')
		if i < 0 {
			return len(s)
		}
		n += i + 1
		if string(bytes.TrimSpace(line[:i])) == name {
			break
		}
	}
	return max(n-1, 0)
}
