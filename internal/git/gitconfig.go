package git

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Configs are parsed without git, and without knowing the meaning of keys.

// ConfigEntry is one line that sets a key. Key has the form in which git compares it: section and
// name in lower case, the subsection between them unchanged.
type ConfigEntry struct {
	Key        string
	Value      string
	HasNoValue bool // the key has no value, which git reads as true
}

// ParseConfig returns the entries of a config file in order. The error names the line that cannot
// be parsed.
func ParseConfig(text []byte) ([]ConfigEntry, error) {
	if at := bytes.IndexByte(text, 0); at >= 0 {
		// git ends a value at a NUL and continues after it, so its result differs from what a
		// reader sees.
		return nil, fmt.Errorf("line %d: a NUL byte", 1+bytes.Count(text[:at], []byte("\n")))
	}
	p := configParser{text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), line: 1}
	var all []ConfigEntry
	section := ""
	for {
		c := p.nextByte()
		switch {
		case p.ended:
			return all, nil
		case isSpace(c):
		case c == '#' || c == ';':
			p.skipComment()
		case c == '[':
			var err error
			if section, err = p.readSection(); err != nil {
				return nil, fmt.Errorf("line %d: %w", p.line, err)
			}
		case isLetter(c) && section != "":
			p.unread()
			e, err := p.readEntry(section)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", p.line, err)
			}
			all = append(all, e)
		default:
			return nil, fmt.Errorf("line %d: %q cannot start a line", p.line, string(rune(c)))
		}
	}
}

// ConfigValues returns the values of each key, in order; a key without a value counts as "true".
func ConfigValues(list []ConfigEntry) map[string][]string {
	all := map[string][]string{}
	for _, e := range list {
		if e.HasNoValue {
			e.Value = "true"
		}
		all[e.Key] = append(all[e.Key], e.Value)
	}
	return all
}

// SplitKey splits a key; the subsection may be "".
func SplitKey(key string) (section, subsection, name string) {
	section, rest, _ := strings.Cut(key, ".")
	if at := strings.LastIndexByte(rest, '.'); at >= 0 {
		return section, rest[:at], rest[at+1:]
	}
	return section, "", rest
}

type configParser struct {
	text  []byte
	at    int
	width int // of what nextByte returned
	line  int
	ended bool
}

// nextByte returns the next byte. A CR before a LF is dropped. At the end it returns a LF, which
// for git ends the last line.
func (p *configParser) nextByte() byte {
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

func (p *configParser) unread() { p.at -= p.width }

func (p *configParser) skipComment() {
	for !p.ended && p.nextByte() != '\n' {
	}
}

var (
	errSection = errors.New("a section header that cannot be read")
	errKey     = errors.New("a key that cannot be read")
	errValue   = errors.New("a value that cannot be read")
)

// readSection reads the rest of a section header after "[", including the "]".
func (p *configParser) readSection() (string, error) {
	var name []byte
	for {
		c := p.nextByte()
		switch {
		case p.ended:
			return "", errSection
		case c == ']':
			if len(name) == 0 {
				return "", errSection
			}
			return string(name), nil
		case c == ' ' || c == '\t' || c == '\r':
			return p.readSubsection(name)
		case !isKeyByte(c) && c != '.':
			return "", errSection
		}
		name = append(name, toLower(c))
	}
}

func (p *configParser) readSubsection(name []byte) (string, error) {
	c := byte(' ')
	for c == ' ' || c == '\t' || c == '\r' {
		c = p.nextByte()
	}
	if c != '"' || p.ended || len(name) == 0 {
		return "", errSection
	}
	name = append(name, '.')
	for {
		c = p.nextByte()
		if c == '\\' {
			c = p.nextByte()
		} else if c == '"' {
			if p.nextByte() != ']' {
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

func (p *configParser) readEntry(section string) (ConfigEntry, error) {
	var name []byte
	c := p.nextByte()
	for ; isKeyByte(c) && !p.ended; c = p.nextByte() {
		name = append(name, toLower(c))
	}
	e := ConfigEntry{Key: section + "." + string(name)}
	for (c == ' ' || c == '\t') && !p.ended {
		c = p.nextByte()
	}
	if c == '\n' {
		e.HasNoValue = true
		return e, nil
	}
	if c != '=' {
		return e, errKey
	}
	var err error
	e.Value, err = p.readValue()
	return e, err
}

// escapes are the characters allowed after a backslash in a value.
var escapes = map[byte]byte{'t': '\t', 'b': '\b', 'n': '\n', '\\': '\\', '"': '"'}

func (p *configParser) readValue() (string, error) {
	var value []byte
	quoted, keep := false, 0 // keep: length of the value without the white space at its end
	for {
		c := p.nextByte()
		switch {
		case c == '\n':
			if quoted {
				return "", errValue
			}
			return string(value[:keep]), nil
		case isSpace(c) && !quoted:
			if len(value) > 0 {
				value = append(value, c)
			}
			continue
		case (c == '#' || c == ';') && !quoted:
			p.skipComment()
			return string(value[:keep]), nil
		case c == '"':
			quoted = !quoted
		case c == '\\':
			c = p.nextByte()
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

func isSpace(c byte) bool   { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool   { return c >= '0' && c <= '9' }
func isLetter(c byte) bool  { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isKeyByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' }

func toLower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
