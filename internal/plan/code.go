package plan

import (
	"bytes"
	"strings"
)

var closers = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// readCode reads code until after the bracket that closes the one at opened; closer 0 reads to the
// end of the source.
func (r *reader) readCode(closer byte, opened int) error {
	up, err := r.enterLevel(opened)
	if err != nil {
		return err
	}
	defer up()
	value := false // true after an operand: there / divides and < compares
	for r.i < len(r.src) {
		c := r.src[r.i]
		switch {
		case isSpace(c):
			r.i++
		case c == ')' || c == ']' || c == '}':
			if c != closer {
				return r.strayBracketError(c, closer, opened)
			}
			r.i++
			return nil
		default:
			if value, err = r.readToken(c, value); err != nil {
				return err
			}
		}
	}
	if closer != 0 {
		return r.errorAt(opened, "%q is never closed", r.src[opened])
	}
	return nil
}

func (r *reader) strayBracketError(c, closer byte, opened int) error {
	if closer == 0 {
		return r.errorAt(r.i, "%q closes nothing", c)
	}
	return r.errorAt(r.i, "found %q where %q of line %d should be closed", c, r.src[opened], r.x.Line(opened))
}

// readToken reads one token, or a bracket with its content, and reports whether it is an operand.
func (r *reader) readToken(c byte, value bool) (bool, error) {
	switch {
	case r.hasPrefix("//") || r.hasPrefix("/*"):
		return value, r.readComment(Code)
	case c == '"' || c == '\'':
		return true, r.readString(c)
	case c == '`':
		return true, r.readTemplate()
	case c == '(' || c == '[' || c == '{':
		at := r.i
		r.i++
		return c != '{', r.readCode(closers[c], at)
	case c == '<' && r.startsElement(value):
		return true, r.readElement(true)
	case c == '/' && !value && r.skipRegexp():
		return true, nil
	case isWordStart(c):
		w := r.readWord("")
		return !beforeOperand[w], nil
	case isDigit(c):
		for r.i < len(r.src) && (isWordStart(r.src[r.i]) || isDigit(r.src[r.i]) || r.src[r.i] == '.') {
			r.i++
		}
		return true, nil
	case r.hasPrefix("++") || r.hasPrefix("--"):
		r.i += 2
		return value, nil
	case c == '!' && value && !r.hasPrefix("!="):
		r.i++ // x! is an operand like x
		return true, nil
	}
	r.i++
	return false, nil
}

var beforeOperand = map[string]bool{
	"return": true, "case": true, "default": true, "typeof": true, "instanceof": true, "in": true, "of": true, "new": true, "delete": true,
	"void": true, "throw": true, "do": true, "else": true, "yield": true, "await": true, "export": true,
}

// readWord reads a word; more lists additional characters that it may contain.
func (r *reader) readWord(more string) string {
	from := r.i
	for r.i < len(r.src) && (isWordStart(r.src[r.i]) || isDigit(r.src[r.i]) || strings.IndexByte(more, r.src[r.i]) >= 0) {
		r.i++
	}
	return string(r.src[from:r.i])
}

// readComment reads a comment and records p as its place.
func (r *reader) readComment(p Place) error {
	from := r.i
	c := Comment{Start: from, Place: p}
	if r.hasPrefix("//") {
		r.i = r.x.End(from)
		c.Text = string(r.src[from+2 : r.i])
	} else {
		r.i += 2
		end := r.find("*/")
		if end < 0 {
			return r.errorAt(from, "a comment is never closed")
		}
		c.Text, r.i = string(r.src[from+2:end]), end+2
	}
	c.End = r.i
	r.doc.Comments = append(r.doc.Comments, c)
	return nil
}

// readString reads a string literal of code.
func (r *reader) readString(quote byte) error {
	from := r.i
	for r.i++; r.i < len(r.src); r.i++ {
		switch c := r.src[r.i]; {
		case c == quote:
			r.i++
			return nil
		case c == '\\':
			r.i++
			if r.hasPrefix("\r\n") {
				r.i++
			}
		case c == '\n' || c == '\r':
			return r.errorAt(from, "a string is not closed on its line")
		}
	}
	return r.errorAt(from, "a string is never closed")
}

func (r *reader) readTemplate() error {
	from := r.i
	for r.i++; r.i < len(r.src); {
		switch {
		case r.src[r.i] == '`':
			r.i++
			return nil
		case r.src[r.i] == '\\':
			r.i += 2
		case r.hasPrefix("${"):
			r.i += 2
			if err := r.readCode('}', r.i-1); err != nil {
				return err
			}
		default:
			r.i++
		}
	}
	return r.errorAt(from, "a template is never closed")
}

// skipRegexp skips a regular expression. A / without a closing / on its line is not one.
func (r *reader) skipRegexp() bool {
	class := false
	for i := r.i + 1; i < len(r.src); i++ {
		switch c := r.src[i]; {
		case c == '\n' || c == '\r':
			return false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			r.i = i + 1
			return true
		}
	}
	return false
}

// startsElement reports whether the < here starts an element. After an operand it is a comparison,
// unless it is the first on its line: then the element is a statement.
func (r *reader) startsElement(value bool) bool {
	i := r.i + 1
	if i >= len(r.src) || r.src[i] != '>' && !isWordStart(r.src[i]) {
		return false
	}
	if value && !r.x.IsFirstOnLine(r.i) {
		return false
	}
	end := i
	for end < len(r.src) && (isWordStart(r.src[end]) || isDigit(r.src[end]) || strings.IndexByte("-.:", r.src[end]) >= 0) {
		end++
	}
	name, rest := r.src[i:end], bytes.TrimLeft(r.src[end:min(len(r.src), end+40)], " \t\r\n")
	switch {
	case bytes.HasPrefix(rest, []byte(",")), bytes.HasPrefix(rest, []byte("extends ")):
		return false // <T,>(x) and <T extends U>(x) are generic functions
	case len(name) > 0 && bytes.HasPrefix(rest, []byte(">(")):
		return r.isClosed(string(name)) // <T>(x) is one too, unless a </T> exists
	}
	return true
}
