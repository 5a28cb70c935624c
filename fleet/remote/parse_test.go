package remote

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/journal"
)

// FuzzParse: a record from a remote is read completely or rejected. A parsed record gives the same
// bytes again.
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
	if log, err := parseRecord(text, "T1"); err != nil || len(log.Entries) != 3 || log.Head.Hash != prev {
		f.Fatalf("%+v, %v", log, err)
	}
	f.Add(text)
	f.Add(text[:len(text)-1])
	f.Add(bytes.Replace(text, []byte("x"), []byte("y"), 1))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		log, err := parseRecord(text, "T1")
		if err != nil {
			return
		}
		again, err := recordLines(log)
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("%q became %q, %v", text, again, err)
		}
	})
}

// FuzzTasksOf: whatever refs a remote lists, only those that a worker or Forget creates count as
// tasks'.
func FuzzTasksOf(f *testing.F) {
	f.Add([]byte("aa refs/belay/fleet/t1/record\nbb refs/belay/fleet/t1/snapshots/01x\ncc refs/belay/forgotten/2026-11-28/t2\n"))
	f.Add([]byte("aa\trefs/belay/fleet/T1/record\nbb\trefs/belay/fleet/t1/snapshots/a/b\ncc\trefs/belay/forgotten/day/t2\nrefs/heads/main"))
	f.Fuzz(func(t *testing.T, out []byte) {
		all := parseRefs(out)
		tasks, without := groupByTask(all)
		n := len(without)
		for id, k := range tasks {
			for ref, oid := range k.snapshots {
				if all[ref] != oid || !strings.HasPrefix(ref, taskRefPrefix(id)+"snapshots/") || strings.Count(ref, "/") != 5 {
					t.Errorf("%s is of %s", ref, id)
				}
			}
			if k.record != all[recordRef(id)] {
				t.Errorf("%s has the record %s", id, k.record)
			}
			n++
		}
		for _, w := range without {
			if w.ref != forgottenPrefix+w.day.Format(time.DateOnly)+"/"+w.task.Key() || all[w.ref] != w.record {
				t.Errorf("%+v", w)
			}
		}
		if n > len(all) {
			t.Errorf("%d tasks of %d refs", n, len(all))
		}
	})
}

func TestProgress(t *testing.T) {
	t.Parallel()
	const push = "Enumerating objects: 55, done.\nCounting objects:   1% (1/55)\rCounting objects: 100% (55/55), done.\n" +
		"Delta compression using up to 2 threads\nCompressing objects: 100% (17/17), done.\nWriting objects:   3% (1/29)\r" +
		"Writing objects: 100% (29/29)\rWriting objects: 100% (29/29), 2.61 KiB | 2.61 MiB/s\r" +
		"Writing objects: 100% (29/29), 2.61 KiB | 2.61 MiB/s, done.\nTotal 29 (delta 14), reused 12 (delta 0), pack-reused 0\n"
	for said, want := range map[string]PackBytes{
		"":                                   {},
		push:                                 {Sent: 2672},
		push + "error: no\nremote: denied\n": {Sent: 2672},
		"remote: Receiving objects: 100% (3/3), 9.00 GiB | 1 B/s, done.\nReceiving objects: 100% (3/3), 1 byte | 274.00 KiB/s, done.\n": {Received: 1},
		"Receiving objects:  99% (99/100), 1.00 MiB | 1.00 MiB/s\rfatal: cut":                                                           {},
		"Receiving objects: 100% (100/100), 1.50 GiB | 1.00 MiB/s, done.\n":                                                             {Received: 3 << 29},
	} {
		got, rest := parseProgress([]byte(said))
		if got != want || strings.Contains(rest, "objects") || strings.Contains(said, "denied") && rest != "error: no\nremote: denied" {
			t.Errorf("%q: %+v, %q", said, got, rest)
		}
	}
}

// FuzzProgress: for any output of git and the other side, bytes are not negative, and lines for
// people stay.
func FuzzProgress(f *testing.F) {
	f.Add([]byte("Writing objects: 100% (29/29), 2.61 KiB | 2.61 MiB/s, done.\rfatal: no"))
	f.Add([]byte("Receiving objects: 100% (1/1), 99999999999999999999999999999999999.9 GiB | x, done.\n"))
	f.Fuzz(func(t *testing.T, said []byte) {
		m, rest := parseProgress(said)
		if m.Sent < 0 || m.Received < 0 || len(rest) > len(said) {
			t.Errorf("%+v, %q", m, rest)
		}
		if again, rest2 := parseProgress([]byte(rest)); again != (PackBytes{}) || rest2 != rest {
			t.Errorf("%q became %q", rest, rest2)
		}
	})
}
