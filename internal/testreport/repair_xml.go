package testreport

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
)

// xmlRepairer fixes common errors in the XML of test runners, because encoding/xml stops at the
// first error: a plain < in an attribute or in text, ]]> in text, references to characters that XML
// forbids, -- in comments. It removes comments and document types; a document type with
// declarations is errDoctype. To limit memory it truncates very long texts and attributes, and a
// very long tag is errTag.
type xmlRepairer struct {
	in        *bufio.Reader
	state     xmlState
	quote     byte // the quote that ends the attribute
	length    int  // bytes of the current text or attribute
	tag       int  // bytes of the current tag
	out       []byte
	sentBytes int
	err       error
	truncated bool // a text or an attribute was truncated
}

type xmlState int

const (
	inText xmlState = iota
	inTag
	inAttr
	inCDATA
)

func newXMLRepairer(r io.Reader) *xmlRepairer { return &xmlRepairer{in: bufio.NewReaderSize(r, 1<<16)} }

func (m *xmlRepairer) Read(p []byte) (int, error) {
	for m.sentBytes == len(m.out) {
		if m.err != nil {
			return 0, m.err
		}
		m.out, m.sentBytes = m.out[:0], 0
		for len(m.out) < 1<<14 && m.err == nil {
			m.copyPlain()
			m.step()
		}
	}
	n := copy(p, m.out[m.sentBytes:])
	m.sentBytes += n
	return n, nil
}

// copyPlain copies buffered bytes that step need not see.
func (m *xmlRepairer) copyPlain() {
	at, _ := m.in.Peek(min(m.in.Buffered(), 1<<12))
	most := maxText
	if m.state == inAttr {
		most = maxAttr
	}
	if m.state == inTag || m.length+len(at) > most {
		return
	}
	n := 0
	for n < len(at) && !m.isSpecial(at[n]) {
		n++
	}
	m.length += n
	m.out = append(m.out, at[:n]...)
	m.in.Discard(n)
}

// isSpecial reports whether step must see a byte.
func (m *xmlRepairer) isSpecial(c byte) bool {
	switch m.state {
	case inText:
		return c == '<' || c == '>' || c == '&'
	case inAttr:
		return c == '<' || c == '&' || c == m.quote
	}
	return c == ']'
}

// step reads one byte, and all that belongs to what it begins.
func (m *xmlRepairer) step() {
	c, err := m.in.ReadByte()
	if err != nil {
		m.err = err
		return
	}
	switch m.state {
	case inText:
		m.stepText(c)
	case inTag:
		m.stepTag(c)
	case inAttr:
		m.stepAttr(c)
	case inCDATA:
		m.stepCDATA(c)
	}
}

func (m *xmlRepairer) enter(s xmlState) { m.state, m.length = s, 0 }

func (m *xmlRepairer) stepText(c byte) {
	switch {
	case c == '<':
		m.stepMarkup()
	case c == '>':
		m.sendReference("&gt;", maxText)
	case c == '&':
		m.stepReference(maxText)
	default:
		m.sendByte(c, maxText)
	}
}

// stepMarkup handles a < in text by what follows it.
func (m *xmlRepairer) stepMarkup() {
	next, _ := m.in.Peek(8)
	switch {
	case bytes.Equal(next, []byte("![CDATA[")):
		m.out = append(m.out, '<')
		m.send(8)
		m.enter(inCDATA)
	case m.hasPrefix("!--"):
		m.skipPast("-->")
	case m.hasPrefix("!"):
		m.skipDoctype()
	case m.hasPrefix("?"):
		m.skipPast("?>") // also the XML declaration: the encoding is known, the version does not matter
	case len(next) > 0 && (next[0] == '/' || isNameStart(next[0])):
		m.out = append(m.out, '<')
		m.tag = 0
		m.enter(inTag)
	default:
		m.sendReference("&lt;", maxText)
	}
}

func isNameStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}

func (m *xmlRepairer) stepTag(c byte) {
	m.out = append(m.out, c)
	if m.tag++; m.tag > maxTag {
		m.err = errTag
		return
	}
	switch c {
	case '"', '\'':
		m.quote = c
		m.enter(inAttr)
	case '>':
		m.enter(inText)
	}
}

func (m *xmlRepairer) stepAttr(c byte) {
	switch {
	case c == m.quote:
		m.out = append(m.out, c)
		m.tag += m.length
		m.enter(inTag)
	case c == '<':
		m.sendReference("&lt;", maxAttr)
	case c == '&':
		m.stepReference(maxAttr)
	default:
		m.sendByte(c, maxAttr)
	}
}

func (m *xmlRepairer) stepCDATA(c byte) {
	if c == ']' && m.hasPrefix("]>") {
		m.out = append(m.out, c)
		m.send(2)
		m.enter(inText)
		return
	}
	m.sendByte(c, maxText)
}

// sendByte sends c unless the text or attribute is full. It truncates between characters, not
// inside one.
func (m *xmlRepairer) sendByte(c byte, most int) {
	if m.length >= most && (c < 0x80 || c >= 0xc0 || m.length > most) {
		m.length, m.truncated = most+1, true
		return
	}
	m.length++
	m.out = append(m.out, c)
}

// sendReference sends a complete reference or nothing.
func (m *xmlRepairer) sendReference(s string, most int) {
	if m.length+len(s) > most {
		m.length, m.truncated = most+1, true
		return
	}
	m.length += len(s)
	m.out = append(m.out, s...)
}

// stepReference sends a reference that encoding/xml accepts, a replacement for a character that XML
// forbids, or else &amp;.
func (m *xmlRepairer) stepReference(most int) {
	next, _ := m.in.Peek(12)
	end := bytes.IndexByte(next, ';')
	if end <= 0 {
		m.sendReference("&amp;", most)
		return
	}
	ref := "&" + string(next[:end+1])
	switch {
	case next[0] == '#':
		digits, base := string(next[1:end]), 10
		if len(digits) > 0 && (digits[0] == 'x' || digits[0] == 'X') {
			digits, base = digits[1:], 16
		}
		n, err := strconv.ParseUint(digits, base, 32)
		if err != nil {
			m.sendReference("&amp;", most)
			return
		}
		m.in.Discard(end + 1)
		if n > 0x10ffff || !isXMLRune(rune(n)) {
			m.sendReference("&#xfffd;", most)
			return
		}
		m.sendReference("&#"+strconv.FormatUint(n, 10)+";", most)
	case ref == "&lt;" || ref == "&gt;" || ref == "&amp;" || ref == "&quot;" || ref == "&apos;":
		m.in.Discard(end + 1)
		m.sendReference(ref, most)
	default:
		m.sendReference("&amp;", most)
	}
}

func (m *xmlRepairer) hasPrefix(s string) bool {
	next, _ := m.in.Peek(len(s))
	return string(next) == s
}

// send copies the next n bytes.
func (m *xmlRepairer) send(n int) {
	next, _ := m.in.Peek(n)
	m.out = append(m.out, next...)
	m.in.Discard(len(next))
}

// skipPast skips everything up to and including end.
func (m *xmlRepairer) skipPast(end string) {
	for m.err == nil && !m.hasPrefix(end) {
		_, m.err = m.in.Discard(1)
	}
	if m.err == nil {
		m.in.Discard(len(end))
	}
}

// skipDoctype skips <!DOCTYPE …>. One with declarations is an error: they can define entities,
// and no report needs them.
func (m *xmlRepairer) skipDoctype() {
	for m.err == nil {
		c, err := m.in.ReadByte()
		switch {
		case err != nil:
			m.err = err
		case c == '[':
			m.err = errDoctype
		case c == '>':
			return
		}
	}
}
