package journal

import (
	"bytes"
	"testing"
	"time"
)

func seedLine(t testing.TB, typ, data string) []byte {
	l := line{Entry: Entry{Seq: 1, Time: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC), Type: typ, Data: []byte(data)}, task: "T7"}
	text, err := makeLine(&l)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Whatever parses is written back to the same bytes: there is one way to write an entry.
func FuzzLine(f *testing.F) {
	good := bytes.TrimSuffix(seedLine(f, "created", `{"prose":"a","hash":"\"hash\":\""}`), []byte("\n"))
	f.Add(good)
	f.Add(bytes.Replace(good, []byte(`"v":1`), []byte(`"v":2`), 1))
	f.Add(bytes.Replace(good, []byte(`,"data":`), []byte(`,"data":{},"data":`), 1))
	f.Add(good[:len(good)-70])
	f.Add([]byte(`{}`))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := parseFrame(b)
		if err != nil {
			if _, err := parseLine(b); err == nil {
				t.Fatal("a line without its frame was taken")
			}
			return
		}
		said := l.Hash
		again, err := makeLine(&l)
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", b, err)
		}
		if l.Hash == said && !bytes.Equal(again, append(bytes.Clone(b), '\n')) {
			t.Fatalf("%q\nbecame\n%q", b, again)
		}
		if _, err := parseLine(b); (err == nil) != (l.Hash == said) {
			t.Fatalf("hash %s, said %s, but: %v", l.Hash, said, err)
		}
	})
}

// Any bytes make a record, a refusal or nothing, and what is read is a prefix of them.
func FuzzRecord(f *testing.F) {
	good := seedLine(f, "created", `{"n":1}`)
	f.Add(good)
	f.Add(append(bytes.Clone(good), good...))
	f.Add(append(bytes.Clone(good), `{"v":1,"seq":2,`...))
	f.Add([]byte("\x00\x00\n{}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		found, err := scanRecord(bytes.NewReader(b), "x", "T7")
		if err != nil {
			t.Fatal(err)
		}
		if found.whole+found.log.Torn != int64(len(b)) {
			t.Fatalf("%d whole and %d torn of %d bytes", found.whole, found.log.Torn, len(b))
		}
		if n := bytes.Count(b[:found.whole], []byte("\n")); n != len(found.log.Entries) {
			t.Fatalf("%d entries in %d lines", len(found.log.Entries), n)
		}
		var v Verdict
		if err := v.lines(bytes.NewReader(b), "T7", func(int, Entry) {}); err != nil {
			t.Fatal(err)
		}
		if clean := found.damage == nil && found.log.Torn == 0; clean && len(v.Problems) > 0 && !bytes.Contains([]byte(v.Problems[0]), []byte("twice")) {
			t.Fatalf("read finds nothing, verify: %v", v.Problems)
		} else if !clean && len(v.Problems) == 0 {
			t.Fatal("verify finds nothing in a record that is not whole")
		}
		if last, err := lastLine(bytes.NewReader(b), int64(len(b))); err != nil || !bytes.HasSuffix(b, last) {
			t.Fatal(last, err)
		}
	})
}
