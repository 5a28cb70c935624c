package syntax

import (
	"bytes"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var closing = map[byte]byte{'(': ')', '[': ']', '{': '}', '<': '>'}

func (x *lexer) rubyText(c byte, s []byte) int {
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
func (x *lexer) spaced(s []byte) bool {
	return x.at > 0 && x.src[x.at-1] == ' ' && len(s) > 1 && s[1] != ' ' && s[1] != '='
}

// percent reads %w[…], %q(…), %(…) and their kind.
func (x *lexer) percent(s []byte) int {
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
func (x *lexer) heredoc(s []byte) {
	if m := heredocStart.FindSubmatch(s[:min(len(s), 200)]); m != nil {
		x.here = append(x.here, string(m[1])+string(m[2])+string(m[3]))
	}
}

// heredocs reads the texts that were announced on the line that has just ended, each
// with the line that closes it.
func (x *lexer) heredocs() {
	here := x.here
	x.here = nil
	for i, name := range here {
		if i > 0 && x.at < len(x.src) && x.src[x.at] == '\n' {
			x.newline()
		}
		if n := hereLen(x.src[x.at:], name); n > 0 {
			x.emit(Text, n)
		}
	}
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
