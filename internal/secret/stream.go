package secret

import (
	"bytes"
	"io"
	"strings"
)

const (
	longestLine = 64 << 10 // a line is looked at as a whole up to so many bytes
	longestKey  = 64 << 10 // a private key that has begun is waited for up to so many
	keyBegins   = "-----BEGIN "
	keyEnds     = "-----END "
)

// Writer masks what is written to it and passes it on: lines as they end, and on Flush the
// words of a line that has not ended. A secret may come in any number of writes. Lines are
// looked at one by one, but for private keys, which are waited for to their end. It is not
// safe for concurrent use.
type Writer struct {
	to   io.Writer
	keep func(Match) bool
	text []byte // of the line that has not ended, or of the private key that has begun
	done int    // how much of it was passed on
	key  bool   // text begins with a line that begins a private key
}

// NewWriter returns a Writer to to. Matches that keep says are not secrets are left; nil
// keeps none.
func NewWriter(to io.Writer, keep func(Match) bool) *Writer { return &Writer{to: to, keep: keep} }

// Write takes all of p, unless passing on fails.
func (w *Writer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := bytes.IndexByte(rest, '\n') + 1
		ended := n > 0
		if !ended {
			n = len(rest)
		}
		if room := longestLine - len(w.text); !w.key && n > room {
			n, ended = max(room, 1), false
		}
		w.text = append(w.text, rest[:n]...)
		rest = rest[n:]
		if err := w.next(ended); err != nil {
			return len(p) - len(rest), err
		}
	}
	return len(p), nil
}

// next passes on what can be after something came; ended: a line has.
func (w *Writer) next(ended bool) error {
	switch {
	case w.key:
		if ended && keyEnded(w.text) || len(w.text) > longestKey {
			return w.pass(len(w.text))
		}
		return nil
	case ended:
		if keyBegun(w.text) {
			w.key = true
			return nil
		}
		return w.pass(len(w.text))
	case len(w.text) >= longestLine:
		if cut := lastBreak(w.text); cut > longestLine/2 {
			return w.pass(cut)
		}
		return w.pass(len(w.text)) // one word of 64 KiB
	}
	return nil
}

func keyBegun(text []byte) bool {
	i := bytes.Index(text, []byte(keyBegins))
	return i >= 0 && bytes.Contains(text[i:], []byte("PRIVATE KEY")) && !keyEnded(text[i:])
}

func keyEnded(text []byte) bool { return bytes.Contains(text, []byte(keyEnds)) }

// lastBreak returns the end of the last white space.
func lastBreak(text []byte) int { return bytes.LastIndexAny(text, " \t\r") + 1 }

// Flush passes on the whole words of a line that has not ended. What follows on the line is
// still looked at together with them.
func (w *Writer) Flush() error {
	if w.key || bytes.Contains(w.text, []byte("-----")) { // a key may begin on this line
		return nil
	}
	cut := lastBreak(w.text)
	if cut <= w.done {
		return nil
	}
	if err := w.show(cut); err != nil {
		return err
	}
	w.done = cut
	return nil
}

// Close passes on everything. It does not close what is written to.
func (w *Writer) Close() error { return w.pass(len(w.text)) }

// pass passes on the text up to cut and forgets it.
func (w *Writer) pass(cut int) error {
	err := w.show(cut)
	w.text = append(w.text[:0], w.text[cut:]...)
	w.done, w.key = 0, false
	return err
}

// show passes on the text from done to cut. What was passed on of its line before is
// looked at again with it.
func (w *Writer) show(cut int) error {
	if cut <= w.done {
		return nil
	}
	text := string(w.text[:cut])
	out := MaskBut(text, w.keep)
	if w.done > 0 {
		out = maskBehind(text, w.done, w.keep)
	}
	_, err := io.WriteString(w.to, out)
	return err
}

// maskBehind masks text and gives what is behind its first done bytes. Colours in the middle
// of a secret do not hide it.
func maskBehind(text string, done int, keep func(Match) bool) string {
	plain, at := uncoloured(text)
	var b strings.Builder
	next := done
	for _, m := range Find(plain) {
		start, end := at(m.Start), at(m.End-1)+1
		if m.Example || end <= done || keep != nil && keep(m) {
			continue
		}
		if start > next {
			b.WriteString(text[next:start])
		}
		b.WriteString("[masked " + m.Rule + "]" + strings.Repeat("\n", m.EndLine-m.Line))
		next = max(next, end)
	}
	return b.String() + text[next:]
}

// uncoloured returns text without the escape sequences that colour it (ESC [ … m), and where
// a byte of it is in text.
func uncoloured(text string) (plain string, at func(int) int) {
	if strings.IndexByte(text, 0x1b) < 0 {
		return text, func(i int) int { return i }
	}
	var b strings.Builder
	var from []int
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], "\x1b[") {
			end := i + 2
			for end < len(text) && (text[end] == ';' || text[end] == ':' || text[end] >= '0' && text[end] <= '9') {
				end++
			}
			if end < len(text) && (text[end] == 'm' || text[end] == 'K') {
				i = end
				continue
			}
		}
		b.WriteByte(text[i])
		from = append(from, i)
	}
	return b.String(), func(i int) int { return from[i] }
}

// Masked returns what r has, masked as Writer does.
func Masked(r io.Reader, keep func(Match) bool) io.Reader {
	m := &masked{from: r}
	m.w = NewWriter(&m.out, keep)
	return m
}

type masked struct {
	from io.Reader
	w    *Writer
	out  bytes.Buffer
	buf  []byte
	err  error
}

// Read reads on until there is something to give.
func (m *masked) Read(p []byte) (int, error) {
	if m.buf == nil {
		m.buf = make([]byte, 32<<10)
	}
	for m.out.Len() == 0 && m.err == nil {
		var n int
		n, m.err = m.from.Read(m.buf)
		_, _ = m.w.Write(m.buf[:n]) // a buffer takes everything
		if m.err != nil {
			_ = m.w.Close()
		}
	}
	if m.out.Len() > 0 {
		return m.out.Read(p)
	}
	return 0, m.err
}
