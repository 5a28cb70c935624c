package app

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/session"
)

const trailersOfT1 = "Belay-Task: T1\nBelay-Before: 2aeddaddba7f76eab5302d83c71f0578fda325e6\n" +
	"Belay-After: eded23be6c6134632f0673fe78e83ee2a5966e6e\n" +
	"Belay-Record: a659ab54623566de238e49f156e58b30fde71530e89e7adfcee047c8fe565f57 29\n"

func TestParseTrailers(t *testing.T) {
	got, err := parseTrailers("Subject\n\nBody\n\nSigned-off-by: a\n" + trailersOfT1 + "Change-Id: x\n")
	if err != nil || got.task != "T1" || got.entries != 29 || !got.refersTo("a659ab54623566de238e49f156e58b30fde71530e89e7adfcee047c8fe565f57", 29) {
		t.Errorf("%+v %v", got, err)
	}
	for name, message := range map[string]string{
		"none": "Subject\n", "not at the end": "Subject\n\n" + trailersOfT1 + "\nmore\n", "twice": "S\n\n" + trailersOfT1 + trailersOfT1,
		"one is missing": "S\n\n" + trailersOfT1[strings.Index(trailersOfT1, "Belay-Before"):], "no number": "S\n\n" + strings.Replace(trailersOfT1, " 29", "", 1),
		"a sign": "S\n\n" + strings.Replace(trailersOfT1, " 29", " +29", 1), "a short hash": "S\n\n" + strings.Replace(trailersOfT1, "2aed", "aed", 1),
		"no task": "S\n\n" + strings.Replace(trailersOfT1, "T1", "../x", 1),
	} {
		if got, err := parseTrailers(message); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzParseTrailers(f *testing.F) {
	f.Add("Subject\n\n" + trailersOfT1)
	f.Add("")
	f.Fuzz(func(t *testing.T, message string) {
		got, err := parseTrailers(message)
		if err == nil && (!journal.IsHash(got.head) || !git.IsOID(got.before) || !git.IsOID(got.after) || got.task == "") {
			t.Errorf("%q: %+v", message, got)
		}
	})
}

// FuzzReadBundle: each line of a record that is read without an error follows the line before it.
func FuzzReadBundle(f *testing.F) {
	line, err := journal.Make(&journal.Line{Entry: journal.Entry{Seq: 1, Type: "note", Data: json.RawMessage(`{"kind":"x","text":"y"}`)}, Task: "T1"})
	if err != nil {
		f.Fatal(err)
	}
	whole, err := json.Marshal(evidenceBundle{Version: bundleVersion, Task: "T1", Record: []string{strings.TrimSpace(string(line))},
		Attachments: map[string][]byte{}, Trees: map[string][]byte{}})
	if err != nil {
		f.Fatal(err)
	}
	if ev, err := readBundle(append(whole, '\n'), "T1"); err != nil || ev.recordError != nil || len(ev.log.Entries) != 1 {
		f.Fatalf("%v %+v", err, ev)
	}
	f.Add(append(whole, '\n'))
	f.Add(whole)
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		ev, err := readBundle(text, "T1")
		if err != nil || ev.recordError != nil {
			return
		}
		for i, e := range ev.log.Entries {
			if e.Seq != i+1 || i > 0 && e.Prev != ev.log.Entries[i-1].Hash {
				t.Errorf("entry %d: %+v", i, e)
			}
		}
		_, _ = session.Fold(ev.log)
	})
}
