package testreport

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
)

// xmlRepairer is a reader of XML that fixes the faults that test runners really make, so that
// encoding/xml, which stops at the first fault, can read the rest: a plain < in an
// attribute or in text, ]]> in text, references to characters that XML forbids,
// comments with -- inside. Comments and a document type are left out; a document
// type with declarations of its own is errDoctype. Very long texts and attributes
// are cut, and a very long tag is errTag, so that memory stays bounded.
type xmlRepairer struct {
	in      *bufio.Reader
	state   xmlState
	quote   byte // that ends the attribute
	length  int  // bytes of the present text or attribute
	tag     int  // bytes of the present tag
	out     []byte
	sent    int
	err     error
	trimmed bool // something was cut
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
	for m.sent == len(m.out) {
		if m.err != nil {
			return 0, m.err
		}
		m.out, m.sent = m.out[:0], 0
		for len(m.out) < 1<<14 && m.err == nil {
			m.run()
			m.step()
		}
	}
	n := copy(p, m.out[m.sent:])
	m.sent += n
	return n, nil
}

// run passes on at once the bytes at hand that need no look each.
func (m *xmlRepairer) run() {
	at, _ := m.in.Peek(min(m.in.Buffered(), 1<<12))
	most := maxText
	if m.state == inAttr {
		most = maxAttr
	}
	if m.state == inTag || m.length+len(at) > most {
		return
	}
	n := 0
	for n < len(at) && !m.special(at[n]) {
		n++
	}
	m.length += n
	m.out = append(m.out, at[:n]...)
	m.in.Discard(n)
}

// special tells of the bytes that step has to see.
func (m *xmlRepairer) special(c byte) bool {
	switch m.state {
	case inText:
		return c == '<' || c == '>' || c == '&'
	case inAttr:
		return c == '<' || c == '&' || c == m.quote
	}
	return c == ']'
}

// step reads one byte, and as many as belong to what it begins.
func (m *xmlRepairer) step() {
	c, err := m.in.ReadByte()
	if err != nil {
		m.err = err
		return
	}
	switch m.state {
	case inText:
		m.text(c)
	case inTag:
		m.inTag(c)
	case inAttr:
		m.attr(c)
	case inCDATA:
		m.cdata(c)
	}
}

func (m *xmlRepairer) enter(s xmlState) { m.state, m.length = s, 0 }

func (m *xmlRepairer) text(c byte) {
	switch {
	case c == '<':
		m.markup()
	case c == '>':
		m.put("&gt;", maxText)
	case c == '&':
		m.reference(maxText)
	default:
		m.byte(c, maxText)
	}
}

// markup decides what a < in text begins.
func (m *xmlRepairer) markup() {
	next, _ := m.in.Peek(8)
	switch {
	case bytes.Equal(next, []byte("![CDATA[")):
		m.out = append(m.out, '<')
		m.pass(8)
		m.enter(inCDATA)
	case m.follows("!--"):
		m.skipPast("-->")
	case m.follows("!"):
		m.doctype()
	case m.follows("?"):
		m.skipPast("?>") // the declaration too: its encoding is known, its version no matter
	case len(next) > 0 && (next[0] == '/' || nameStart(next[0])):
		m.out = append(m.out, '<')
		m.tag = 0
		m.enter(inTag)
	default:
		m.put("&lt;", maxText)
	}
}

func nameStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}

func (m *xmlRepairer) inTag(c byte) {
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

func (m *xmlRepairer) attr(c byte) {
	switch {
	case c == m.quote:
		m.out = append(m.out, c)
		m.tag += m.length
		m.enter(inTag)
	case c == '<':
		m.put("&lt;", maxAttr)
	case c == '&':
		m.reference(maxAttr)
	default:
		m.byte(c, maxAttr)
	}
}

func (m *xmlRepairer) cdata(c byte) {
	if c == ']' && m.follows("]>") {
		m.out = append(m.out, c)
		m.pass(2)
		m.enter(inText)
		return
	}
	m.byte(c, maxText)
}

// byte sends c unless the text or attribute is full. A cut falls between characters,
// never inside one.
func (m *xmlRepairer) byte(c byte, most int) {
	if m.length >= most && (c < 0x80 || c >= 0xc0 || m.length > most) {
		m.length, m.trimmed = most+1, true
		return
	}
	m.length++
	m.out = append(m.out, c)
}

// put sends a whole reference or nothing.
func (m *xmlRepairer) put(s string, most int) {
	if m.length+len(s) > most {
		m.length, m.trimmed = most+1, true
		return
	}
	m.length += len(s)
	m.out = append(m.out, s...)
}

// reference sends an & as it stands when a reference follows that encoding/xml can
// take, a replacement for a character that XML forbids, and &amp; otherwise.
func (m *xmlRepairer) reference(most int) {
	next, _ := m.in.Peek(12)
	end := bytes.IndexByte(next, ';')
	if end <= 0 {
		m.put("&amp;", most)
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
			m.put("&amp;", most)
			return
		}
		m.in.Discard(end + 1)
		if n > 0x10ffff || !xmlRune(rune(n)) {
			m.put("&#xfffd;", most)
			return
		}
		m.put("&#"+strconv.FormatUint(n, 10)+";", most)
	case ref == "&lt;" || ref == "&gt;" || ref == "&amp;" || ref == "&quot;" || ref == "&apos;":
		m.in.Discard(end + 1)
		m.put(ref, most)
	default:
		m.put("&amp;", most)
	}
}

func (m *xmlRepairer) follows(s string) bool {
	next, _ := m.in.Peek(len(s))
	return string(next) == s
}

// pass sends the next n bytes as they are.
func (m *xmlRepairer) pass(n int) {
	next, _ := m.in.Peek(n)
	m.out = append(m.out, next...)
	m.in.Discard(len(next))
}

// skipPast leaves out everything up to and including end.
func (m *xmlRepairer) skipPast(end string) {
	for m.err == nil && !m.follows(end) {
		_, m.err = m.in.Discard(1)
	}
	if m.err == nil {
		m.in.Discard(len(end))
	}
}

// doctype leaves out <!DOCTYPE …>. One that declares anything is refused: that is
// where entities come from, and no report needs them.
func (m *xmlRepairer) doctype() {
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
