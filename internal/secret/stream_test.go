package secret

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// spoken returns lines with secrets that are generated, so that this file contains none.
func spoken() (text string, secrets []string) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string {
		const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	github, stripe := "ghp_"+word(36), "sk_"+"live_"+word(24)
	body := []string{word(64), word(64), word(30) + "=="}
	password := word(20)
	text = "compiling\ntoken " + github + " was taken\nSTRIPE=" + stripe + "\nno newline … yet, half a word\n" +
		"-----BEGIN RSA PRIVATE KEY-----\n" + strings.Join(body, "\n") + "\n-----END RSA PRIVATE KEY-----\nok\n" +
		"db_password = \"" + password + "\" # test\nlast line without an end"
	return text, append(body, github, stripe, password)
}

// TestWriter: with any split into writes and any flushes, no secret is written, and nothing else is
// changed or lost.
func TestWriter(t *testing.T) {
	t.Parallel()
	text, secrets := spoken()
	want := Mask(text)
	for _, s := range secrets {
		if strings.Contains(want, s) {
			t.Fatalf("Mask leaves %q", s)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for size := 1; size < len(text)+2; size++ {
		for _, flush := range []bool{false, true} {
			var out bytes.Buffer
			w := NewWriter(&out, nil)
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				if _, err := io.WriteString(w, rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
				if flush && r.IntN(2) == 0 {
					if err := w.Flush(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got := out.String()
			for _, s := range secrets {
				if strings.Contains(got, s) {
					t.Fatalf("%d bytes a write, flush %v: %q is visible in %q", size, flush, s, got)
				}
			}
			if got != want {
				t.Fatalf("%d bytes a write, flush %v:\ngot  %q\nwant %q", size, flush, got, want)
			}
		}
	}
}

// TestWriterColours: colours within a secret do not hide it, and colours elsewhere are unchanged.
func TestWriterColours(t *testing.T) {
	t.Parallel()
	const token = "ghp_q7Zx2Lm9Tf4Kd8Wv1Nc6Rb3Yh5Jg0Ps2Xu7Q"
	var out bytes.Buffer
	w := NewWriter(&out, nil)
	_, _ = io.WriteString(w, "\x1b[1mtoken\x1b[0m "+token[:9]+"\x1b[31;1m"+token[9:20]+"\x1b[0m"+token[20:]+" \x1b[32mok\x1b[0m\n")
	if want := "\x1b[1mtoken\x1b[0m [masked github-token] \x1b[32mok\x1b[0m\n"; out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

// TestWriterFlush: Flush writes the words of an unfinished line, so that a question is visible.
func TestWriterFlush(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := NewWriter(&out, nil)
	_, _ = io.WriteString(w, "Continue? [y/N] ")
	if err := w.Flush(); err != nil || out.String() != "Continue? [y/N] " {
		t.Errorf("%q, %v", out.String(), err)
	}
	_, _ = io.WriteString(w, "y\n")
	if out.String() != "Continue? [y/N] y\n" {
		t.Errorf("%q", out.String())
	}
}

// TestWriterMention: a line that only mentions a private key does not hold back what follows.
func TestWriterMention(t *testing.T) {
	t.Parallel()
	key := block("PRIVATE KEY")
	for _, mention := range []string{
		"key.go:3: if strings.Contains(s, \"-----BEGIN RSA PRIVATE KEY-----\") {\nreturn true\n",
		"-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n" + key + "\n",
		"\x1b[31m-----BEGIN PRIVATE KEY-----\x1b[m\n\x1b[31mno key\x1b[m\n",
	} {
		var out bytes.Buffer
		w := NewWriter(&out, nil)
		_, _ = io.WriteString(w, mention)
		if out.String() != Mask(mention) {
			t.Errorf("%q becomes %q", mention, out.String())
		}
	}
}

// throughWriter returns text written byte by byte.
func throughWriter(t *testing.T, text string) string {
	t.Helper()
	got, err := io.ReadAll(Masked(iotest.OneByteReader(strings.NewReader(text)), nil))
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// TestWriterIsBounded: an endless line and an unclosed key use bounded memory.
func TestWriterIsBounded(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"one word": "x", "words": "word ", "a key": "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(made(b64, 64)+"\n", 20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			w := NewWriter(n, nil)
			text := []byte(strings.Repeat(unit, 1<<20/len(unit)))
			for range 4 {
				if _, err := w.Write(text); err != nil {
					t.Fatal(err)
				}
				if cap(w.text) > 4*longestLine {
					t.Fatalf("%d bytes are kept", cap(w.text))
				}
			}
			if err := w.Close(); err != nil || n.n == 0 {
				t.Error(n.n, err)
			}
		})
	}
}

type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

func TestMasked(t *testing.T) {
	t.Parallel()
	text, _ := spoken()
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		got, err := io.ReadAll(Masked(r, nil))
		if err != nil || string(got) != Mask(text) {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := io.ReadAll(Masked(iotest.ErrReader(io.ErrUnexpectedEOF), nil)); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

func FuzzWriter(f *testing.F) {
	text, _ := spoken()
	f.Add([]byte(text), 7)
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nx"), 3)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		var out bytes.Buffer
		w := NewWriter(&out, nil)
		for rest := text; len(rest) > 0; {
			n := min(max(size, 1), len(rest))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			_ = w.Flush()
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if len(Find(string(text))) == 0 && !bytes.Equal(out.Bytes(), text) {
			t.Errorf("changed %q to %q", text, out.Bytes())
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	line := []byte("2026-11-23 10:00:00 compiling package foo/bar/baz with key=value and more words\n")
	w := NewWriter(io.Discard, nil)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		_, _ = w.Write(line)
	}
}
