package syntax

import (
	"bytes"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// phpCommentLength returns the length of a comment, or of text outside of <?php and ?>, which
// counts as one. An attribute, #[…], is none.
func (x *Lexer) phpCommentLength(c byte, s []byte) int {
	switch {
	case x.at == 0, bytes.HasPrefix(s, []byte("?>")), bytes.HasPrefix(s, []byte("<?php")):
		return phpTagLength(s)
	case c == '#' && !bytes.HasPrefix(s, []byte("#[")), bytes.HasPrefix(s, []byte("//")):
		return phpLineLength(s)
	}
	return blockCommentLength(s)
}

// phpLineLength returns the length of a comment that ends with its line, or before the ?> that ends
// the code. It reads no further, because a line can have many such comments.
func phpLineLength(s []byte) int {
	for n := 0; n < len(s); n++ {
		switch i := bytes.IndexAny(s[n:], "?\n"); {
		case i < 0:
			return len(s)
		case s[n+i] == '\n':
			return lineLen(s[:n+i+1])
		case bytes.HasPrefix(s[n+i:], []byte("?>")):
			return n + i
		default:
			n += i
		}
	}
	return len(s)
}

// phpTagLength returns the length of s including the tag that begins code, all of s without one.
func phpTagLength(s []byte) int {
	for n := 0; ; {
		i := bytes.Index(s[n:], []byte("<?"))
		if i < 0 {
			return len(s)
		}
		n += i + len("<?")
		for _, tag := range []string{"php", "="} {
			if bytes.HasPrefix(s[n:], []byte(tag)) {
				return n + len(tag)
			}
		}
	}
}

func phpTextLength(c byte, s []byte) int {
	switch c {
	case '\'', '`':
		return quotedLength(s, c, true)
	case '"':
		return embeddingLength(s, c, "{$", 0)
	case '<':
		return phpHeredocLength(s)
	}
	return 0
}

var phpHeredocStart = lazyregexp.New(`^<<<[ \t]*(?:([A-Za-z_]\w*)|"([A-Za-z_]\w*)"|'([A-Za-z_]\w*)')[ \t]*\r?\n`)

// phpHeredocLength returns the length of a heredoc or nowdoc including its closing name, which may
// be indented and must not be followed by a letter.
func phpHeredocLength(s []byte) int {
	m := phpHeredocStart.FindSubmatch(s[:min(len(s), 200)])
	if m == nil {
		return 0
	}
	name := bytes.Join(m[1:], nil)
	for n := len(m[0]); n < len(s); {
		line := s[n:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		text := bytes.TrimLeft(line, " \t")
		if rest, is := bytes.CutPrefix(text, name); is && (len(rest) == 0 || wordLen(rest[:1], None) == 0 && !isDigit(rest[0])) {
			return n + len(line) - len(rest)
		}
		n += len(line)
	}
	return len(s)
}
