package journal

import (
	"bytes"
	"testing"
	"time"
)

// FuzzLine: writing a parsed line gives the same bytes, so there is only one way to write an entry.
func FuzzLine(f *testing.F) {
	seed := Line{Entry: Entry{Seq: 1, Time: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC), Type: "created", Data: []byte(`{"prose":"a","hash":"\"hash\":\""}`)}, Task: "T7"}
	text, err := Make(&seed)
	if err != nil {
		f.Fatal(err)
	}
	good := bytes.TrimSuffix(text, []byte("\n"))
	f.Add(good)
	f.Add(bytes.Replace(good, []byte(`"v":1`), []byte(`"v":2`), 1))
	f.Add(bytes.Replace(good, []byte(`,"data":`), []byte(`,"data":{},"data":`), 1))
	f.Add(good[:len(good)-70])
	f.Add([]byte(`{}`))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := parseFrame(b)
		if err != nil {
			if _, err := Parse(b); err == nil {
				t.Fatal("a line without its frame was taken")
			}
			return
		}
		said := l.Hash
		again, err := Make(&l)
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", b, err)
		}
		if l.Hash == said && !bytes.Equal(again, append(bytes.Clone(b), '\n')) {
			t.Fatalf("%q\nbecame\n%q", b, again)
		}
		if _, err := Parse(b); (err == nil) != (l.Hash == said) {
			t.Fatalf("hash %s, said %s, but: %v", l.Hash, said, err)
		}
	})
}
