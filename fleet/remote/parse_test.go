package remote

import (
	"bytes"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/journal"
)

// FuzzParse: a record from a remote is read whole or refused. What is read gives the same bytes again.
func FuzzParse(f *testing.F) {
	var text []byte
	var prev string
	for seq := range 3 {
		l := journal.Line{Entry: journal.Entry{Seq: seq + 1, Time: time.Unix(1700000000, 0).UTC(), Type: "note", Data: []byte(`{"kind":"x"}`), Prev: prev}, Task: "T1"}
		line, err := journal.Make(&l)
		if err != nil {
			f.Fatal(err)
		}
		text, prev = append(text, line...), l.Hash
	}
	if log, err := parse(text, "T1"); err != nil || len(log.Entries) != 3 || log.Head.Hash != prev {
		f.Fatalf("%+v, %v", log, err)
	}
	f.Add(text)
	f.Add(text[:len(text)-1])
	f.Add(bytes.Replace(text, []byte("x"), []byte("y"), 1))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		log, err := parse(text, "T1")
		if err != nil {
			return
		}
		again, err := lines(log)
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("%q became %q, %v", text, again, err)
		}
	})
}
