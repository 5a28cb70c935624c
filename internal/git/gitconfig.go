package git

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Configs are parsed here without git, and without knowing what a key means.

// Entry is one line that sets a key. Key is as git compares it: section and name in
// lower case, the subsection between them as it was written.
type Entry struct {
	Key   string
	Value string
	Bare  bool // the key stands alone, which git takes for true
}

// Parse returns the entries of a file in their order. The error says in which line it
// cannot be read.
func Parse(text []byte) ([]Entry, error) {
	if at := bytes.IndexByte(text, 0); at >= 0 {
		// git ends a value at a NUL and continues after it: what it sets is not what a
		// reader sees.
		return nil, fmt.Errorf("line %d: a NUL byte", 1+bytes.Count(text[:at], []byte("\n")))
	}
	p := parser{text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), line: 1}
	var all []Entry
	section := ""
	for {
		c := p.next()
		switch {
		case p.ended:
			return all, nil
		case space(c):
		case c == '#' || c == ';':
			p.comment()
		case c == '[':
			var err error
			if section, err = p.section(); err != nil {
				return nil, fmt.Errorf("line %d: %w", p.line, err)
			}
		case letter(c) && section != "":
			p.back()
			e, err := p.entry(section)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", p.line, err)
			}
			all = append(all, e)
		default:
			return nil, fmt.Errorf("line %d: %q cannot start a line", p.line, string(rune(c)))
		}
	}
}

// Values returns the values of each key, in their order; a key that stands alone counts as
// "true".
func Values(list []Entry) map[string][]string {
	all := map[string][]string{}
	for _, e := range list {
		if e.Bare {
			e.Value = "true"
		}
		all[e.Key] = append(all[e.Key], e.Value)
	}
	return all
}

// Split takes a key apart; the subsection is "" where there is none.
func Split(key string) (section, subsection, name string) {
	section, rest, _ := strings.Cut(key, ".")
	if at := strings.LastIndexByte(rest, '.'); at >= 0 {
		return section, rest[:at], rest[at+1:]
	}
	return section, "", rest
}

type parser struct {
	text  []byte
	at    int
	width int // of what next gave
	line  int
	ended bool
}

// next returns the next byte. A CR before a LF is dropped; at the end it is a LF, since
// git ends the last line so.
func (p *parser) next() byte {
	p.width = 1
	if p.at >= len(p.text) {
		p.ended, p.width = true, 0
		return '\n'
	}
	c := p.text[p.at]
	if c == '\r' && p.at+1 < len(p.text) && p.text[p.at+1] == '\n' {
		c, p.width = '\n', 2
	}
	p.at += p.width
	if c == '\n' {
		p.line++
	}
	return c
}

func (p *parser) back() { p.at -= p.width }

func (p *parser) comment() {
	for !p.ended && p.next() != '\n' {
	}
}

var (
	errSection = errors.New("a section header that cannot be read")
	errKey     = errors.New("a key that cannot be read")
	errValue   = errors.New("a value that cannot be read")
)

// section reads what follows a "[" up to and with the "]".
func (p *parser) section() (string, error) {
	var name []byte
	for {
		c := p.next()
		switch {
		case p.ended:
			return "", errSection
		case c == ']':
			if len(name) == 0 {
				return "", errSection
			}
			return string(name), nil
		case c == ' ' || c == '\t' || c == '\r':
			return p.subsection(name)
		case !keyByte(c) && c != '.':
			return "", errSection
		}
		name = append(name, lower(c))
	}
}

func (p *parser) subsection(name []byte) (string, error) {
	c := byte(' ')
	for c == ' ' || c == '\t' || c == '\r' {
		c = p.next()
	}
	if c != '"' || p.ended || len(name) == 0 {
		return "", errSection
	}
	name = append(name, '.')
	for {
		c = p.next()
		if c == '\\' {
			c = p.next()
		} else if c == '"' {
			if p.next() != ']' {
				return "", errSection
			}
			return string(name), nil
		}
		if c == '\n' {
			return "", errSection
		}
		name = append(name, c)
	}
}

func (p *parser) entry(section string) (Entry, error) {
	var name []byte
	c := p.next()
	for ; keyByte(c) && !p.ended; c = p.next() {
		name = append(name, lower(c))
	}
	e := Entry{Key: section + "." + string(name)}
	for (c == ' ' || c == '\t') && !p.ended {
		c = p.next()
	}
	if c == '\n' {
		e.Bare = true
		return e, nil
	}
	if c != '=' {
		return e, errKey
	}
	var err error
	e.Value, err = p.value()
	return e, err
}

// escapes are what may follow a backslash in a value.
var escapes = map[byte]byte{'t': '\t', 'b': '\b', 'n': '\n', '\\': '\\', '"': '"'}

func (p *parser) value() (string, error) {
	var value []byte
	quoted, keep := false, 0 // keep is how long the value is without the white space at its end
	for {
		c := p.next()
		switch {
		case c == '\n':
			if quoted {
				return "", errValue
			}
			return string(value[:keep]), nil
		case space(c) && !quoted:
			if len(value) > 0 {
				value = append(value, c)
			}
			continue
		case (c == '#' || c == ';') && !quoted:
			p.comment()
			return string(value[:keep]), nil
		case c == '"':
			quoted = !quoted
		case c == '\\':
			c = p.next()
			if c == '\n' {
				if p.ended {
					return "", errValue
				}
				keep = len(value) // git keeps white space before a line that continues
				continue
			}
			e, known := escapes[c]
			if !known {
				return "", errValue
			}
			value = append(value, e)
		default:
			value = append(value, c)
		}
		keep = len(value)
	}
}

func space(c byte) bool   { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func digit(c byte) bool   { return c >= '0' && c <= '9' }
func letter(c byte) bool  { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func keyByte(c byte) bool { return letter(c) || digit(c) || c == '-' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
