package journal

import (
	"bytes"
	"testing"
	"time"
)

func seedLine(t testing.TB, typ, data string) []byte {
	l := Line{Entry: Entry{Seq: 1, Time: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC), Type: typ, Data: []byte(data)}, Task: "T7"}
	text, err := Make(&l)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// FuzzRecord: any bytes are a record, an error or nothing, and the entries read are a prefix of the
// bytes.
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
		if found.complete+found.log.Torn != int64(len(b)) {
			t.Fatalf("%d whole and %d torn of %d bytes", found.complete, found.log.Torn, len(b))
		}
		if n := bytes.Count(b[:found.complete], []byte("\n")); n != len(found.log.Entries) {
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
