package secret

import (
	"bytes"
	"io"
	"strings"
)

const longestLine = 64 << 10 // greatest part of a line that is masked at once, in bytes

// Writer masks what is written to it and writes the result to another writer: each line when it
// ends, and on Flush the complete words of an unfinished line. A secret can be split over any
// number of writes. Lines are masked one by one, except private keys, which are buffered to their
// end. It is not safe for concurrent use.
type Writer struct {
	to   io.Writer
	keep func(Match) bool
	text []byte   // unfinished line or private key
	done int      // how much of it was written
	key  keyState // undecided or unended: the first line of text has the first line of a private key
}

// NewWriter returns a Writer to to. Matches that keep accepts are not masked; nil accepts none.
func NewWriter(to io.Writer, keep func(Match) bool) *Writer { return &Writer{to: to, keep: keep} }

// Write takes all of p, unless the other writer fails.
func (w *Writer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := bytes.IndexByte(rest, '\n') + 1
		ended := n > 0
		if !ended {
			n = len(rest)
		}
		if room := longestLine - len(w.text); w.key == mentioned && n > room {
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

// next writes what can be written after text was added; ended means that it ends with a line end.
func (w *Writer) next(ended bool) error {
	line := 0
	if ended {
		line = bytes.LastIndexByte(w.text[:len(w.text)-1], '\n') + 1
	}
	switch {
	case w.key == unended:
		if ended && keyEnded(w.text[line:]) || len(w.text) > maxKey {
			return w.pass(len(w.text))
		}
		return nil
	case ended:
		state := stateOfKey(w.text[line:])
		if line > 0 && state != mentioned { // what is before is only a mention
			if err := w.pass(line); err != nil {
				return err
			}
		} else if line > 0 {
			state = stateOfKey(w.text)
		}
		if w.key = state; state == undecided || state == unended {
			return nil
		}
		return w.pass(len(w.text))
	case len(w.text) >= longestLine:
		if cut := lastBreak(w.text); cut > longestLine/2 {
			return w.pass(cut)
		}
		return w.pass(len(w.text)) // a single word of 64 KiB
	}
	return nil
}

// stateOfKey returns the state of the last private key in text.
func stateOfKey(text []byte) keyState {
	if !bytes.Contains(text, []byte(keyBegins)) && !bytes.Contains(text, []byte(puttyBegins)) {
		return mentioned
	}
	plain, _ := uncoloured(string(text))
	_, state := readKey(plain[max(0, strings.LastIndex(plain, keyBegins), strings.LastIndex(plain, puttyBegins)):])
	return state
}

func keyEnded(text []byte) bool {
	return bytes.Contains(text, []byte(keyEnds)) || bytes.Contains(text, []byte(puttyEnds))
}

// lastBreak returns the end of the last white space, 0 without any.
func lastBreak(text []byte) int { return bytes.LastIndexAny(text, " \t\r") + 1 }

// Flush writes the complete words of an unfinished line. The rest of the line is still masked
// together with them.
func (w *Writer) Flush() error {
	if w.key != mentioned || bytes.Contains(w.text, []byte("-----")) { // a key may begin on this line
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

// Close writes everything that is buffered. It does not close the other writer.
func (w *Writer) Close() error { return w.pass(len(w.text)) }

// pass writes the text up to cut and drops it.
func (w *Writer) pass(cut int) error {
	err := w.show(cut)
	w.text = append(w.text[:0], w.text[cut:]...)
	w.done, w.key = 0, mentioned
	return err
}

// show writes the text from done to cut, masked together with the part before.
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

// maskBehind masks text and returns what is behind its first done bytes. Colours within a secret do
// not hide it.
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

// uncoloured returns text without the escape sequences for colours (ESC [ … m), and a function
// from offsets in it to offsets in text.
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

// Masked returns the content of r, masked as by Writer.
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

// Read reads until there is something to return.
func (m *masked) Read(p []byte) (int, error) {
	if m.buf == nil {
		m.buf = make([]byte, 32<<10)
	}
	for m.out.Len() == 0 && m.err == nil {
		var n int
		n, m.err = m.from.Read(m.buf)
		_, _ = m.w.Write(m.buf[:n]) // a buffer accepts everything
		if m.err != nil {
			_ = m.w.Close()
		}
	}
	if m.out.Len() > 0 {
		return m.out.Read(p)
	}
	return 0, m.err
}
