package syntax

import (
	"bytes"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var closing = map[byte]byte{'(': ')', '[': ']', '{': '}', '<': '>'}

func (x *Lexer) rubyText(c byte, s []byte) int {
	switch c {
	case '"', '`':
		return embedding(s, c, "#{", 0)
	case '\'':
		return quoted(s, c, true)
	case '/':
		if x.operand() || x.before.Kind == Word && x.spaced(s) {
			return x.regex()
		}
	case '%':
		return x.percent(s)
	case '<':
		x.heredoc(s)
	case '?':
		if x.operand() && len(s) > 1 && s[1] > ' ' && (len(s) == 2 || wordLen(s[2:3], Ruby) == 0) {
			return 2
		}
	}
	return 0
}

// spaced reports whether there is a space before this place and none after it, which is
// how Ruby tells `puts /a/` from `a / b`.
func (x *Lexer) spaced(s []byte) bool {
	return x.at > 0 && x.src[x.at-1] == ' ' && len(s) > 1 && s[1] != ' ' && s[1] != '='
}

// percent reads %w[…], %q(…), %(…) and their kind.
func (x *Lexer) percent(s []byte) int {
	n := 1 + prefixed(s[1:], "wWqQiIrx", 1)
	if n >= len(s) || (!x.operand() && (n == 1 || !x.spaced(s))) {
		return 0
	}
	open := s[n]
	end, pairs := closing[open]
	if !pairs {
		if n == 1 || strings.IndexByte("|!/^", open) < 0 {
			return 0
		}
		return n + quoted(s[n:], open, true)
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

// heredoc notes that the lines after this one are a text. A shift (a << B) has a space
// after it or a lower name.
func (x *Lexer) heredoc(s []byte) {
	if m := heredocStart.FindSubmatch(s[:min(len(s), 200)]); m != nil {
		x.here = append(x.here, string(m[1])+string(m[2])+string(m[3]))
	}
}

// heredocBody returns the length of the next text that was announced, when one begins here: a line after
// the one that has just ended is its, and so is the line that closes it.
func (x *Lexer) heredocBody() int {
	if len(x.here) == 0 {
		return 0
	}
	name := x.here[0]
	x.here = x.here[1:]
	return hereLen(x.src[x.at:], name)
}

// hereLen returns the length of a heredoc without the end of its last line.
func hereLen(s []byte, name string) int {
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
