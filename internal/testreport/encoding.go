package testreport

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// UTF8Reader converts a stream to UTF-8 with only characters that XML allows: others, and invalid
// bytes, become U+FFFD, and Replaced is set. It knows UTF-8, UTF-16 (by byte order mark or zero
// bytes), Latin-1 and Windows-1252. Any other declared encoding is read as UTF-8.
type UTF8Reader struct {
	Replaced bool // bytes that are not text were replaced

	in           *bufio.Reader
	next         func() (rune, error)
	pendingBytes []byte // the rest of a character that did not fit
	isUTF16      bool
}

// NewUTF8Reader detects the encoding by the start of r.
func NewUTF8Reader(r io.Reader) *UTF8Reader {
	u := &UTF8Reader{in: bufio.NewReaderSize(r, 1<<16)}
	head, _ := u.in.Peek(200)
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		u.next = u.fromUTF8
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("<\x00")):
		u.isUTF16, u.next = true, u.fromUTF16(binary.LittleEndian)
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("\x00<")):
		u.isUTF16, u.next = true, u.fromUTF16(binary.BigEndian)
	default:
		u.next = u.fromUTF8
		switch declaredEncoding(head) {
		case "iso-8859-1", "latin1", "latin-1", "iso-8859-15", "windows-1252", "cp1252":
			u.next = u.fromLatin
		}
	}
	return u
}

// declaredEncoding returns the encoding in an XML declaration at the start of head.
func declaredEncoding(head []byte) string {
	s := strings.ToLower(string(head))
	s = strings.TrimLeft(s, " \t\r\n")
	end := strings.Index(s, "?>")
	if !strings.HasPrefix(s, "<?xml") || end < 0 {
		return ""
	}
	_, s, ok := strings.Cut(s[:end], "encoding")
	s = strings.TrimLeft(s, " \t\r\n=")
	if !ok || s == "" || s[0] != '"' && s[0] != '\'' {
		return ""
	}
	name, _, _ := strings.Cut(s[1:], s[:1])
	return name
}

func (u *UTF8Reader) fromUTF8() (rune, error) {
	r, n, err := u.in.ReadRune()
	if r == utf8.RuneError && n == 1 {
		u.Replaced = true
	}
	return r, err
}

var windows1252 = []rune("€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ")

// fromLatin reads Latin-1 and Windows-1252. They differ only in 0x80 to 0x9f, which in Latin-1 are
// control characters that no test prints.
func (u *UTF8Reader) fromLatin() (rune, error) {
	b, err := u.in.ReadByte()
	if b >= 0x80 && b < 0xa0 {
		return windows1252[b-0x80], err
	}
	return rune(b), err
}

func (u *UTF8Reader) fromUTF16(order binary.ByteOrder) func() (rune, error) {
	held := rune(-1) // a unit that was read as the second half of a pair but is not
	unit := func() (rune, error) {
		if r := held; r >= 0 {
			held = -1
			return r, nil
		}
		var two [2]byte
		if _, err := io.ReadFull(u.in, two[:]); err != nil {
			return 0, io.EOF // also after half a character
		}
		return rune(order.Uint16(two[:])), nil
	}
	return func() (rune, error) {
		r, err := unit()
		if err != nil || !utf16.IsSurrogate(r) {
			return r, err
		}
		second, err := unit()
		if err != nil {
			u.Replaced = true
			return utf8.RuneError, nil
		}
		pair := utf16.DecodeRune(r, second)
		if pair == utf8.RuneError {
			held, u.Replaced = second, true
		}
		return pair, nil
	}
}

// Read implements io.Reader; the bytes are UTF-8.
func (u *UTF8Reader) Read(p []byte) (int, error) {
	n := copy(p, u.pendingBytes)
	u.pendingBytes = u.pendingBytes[n:]
	for n < len(p) {
		if n += u.copyASCII(p[n:]); n == len(p) {
			break
		}
		r, err := u.next()
		if err != nil {
			if n > 0 {
				return n, nil
			}
			return 0, err
		}
		if r == 0xfeff {
			continue // byte order mark, at the start or where files were joined
		}
		if !isXMLRune(r) {
			r, u.Replaced = utf8.RuneError, true
		}
		if r < utf8.RuneSelf {
			p[n] = byte(r)
			n++
			continue
		}
		var buf [utf8.UTFMax]byte
		enc := buf[:utf8.EncodeRune(buf[:], r)]
		k := copy(p[n:], enc)
		n += k
		u.pendingBytes = append(u.pendingBytes[:0], enc[k:]...)
	}
	return n, nil
}

// copyASCII copies buffered characters that are the same in every encoding except UTF-16.
func (u *UTF8Reader) copyASCII(p []byte) int {
	if u.isUTF16 {
		return 0
	}
	at, _ := u.in.Peek(min(len(p), u.in.Buffered()))
	n := 0
	for n < len(at) && (at[n] >= 0x20 && at[n] < 0x7f || at[n] == '\n' || at[n] == '\t') {
		n++
	}
	copy(p, at[:n])
	u.in.Discard(n)
	return n
}

// isXMLRune reports whether r is a Char of XML 1.0, section 2.2.
func isXMLRune(r rune) bool {
	switch {
	case r < 0x20:
		return r == '\t' || r == '\n' || r == '\r'
	case r < 0x10000:
		return r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd
	}
	return r <= 0x10ffff
}
