package app

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/review"
)

func TestPairedTellsRenames(t *testing.T) {
	t.Parallel()
	list := []git.Difference{
		{Path: "a.go", OldOID: "1", Status: 'D'},
		{Path: "b.go", OldOID: "1", Status: 'D'},
		{Path: "c.go", NewOID: "1", Status: 'A'},
		{Path: "d.go", OldOID: "2", NewOID: "3", Status: 'M'},
		{Path: "e.go", NewOID: "9", Status: 'A'},
		{Path: "f.go", OldOID: "7", Status: 'D'},
	}
	want := []review.PathChange{
		{Path: "b.go", Status: "D"}, // one of the two was deleted: the other became c.go
		{Path: "c.go", From: "a.go", Status: "R"},
		{Path: "d.go", Status: "M"},
		{Path: "e.go", Status: "A"},
		{Path: "f.go", Status: "D"},
	}
	if got := pairRenames(list); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := pairRenames(nil); got != nil {
		t.Errorf("renames without changes: %v", got)
	}
}

func TestAffectedKeepsWhatIsNamed(t *testing.T) {
	t.Parallel()
	named := []review.Affected{{Path: "a.go", Lines: "3", Severity: "minor"}, {Path: "notes.txt"}}
	text := "- critical: a.go line 3 leaks\n- b.go:7-9 is wrong\n- c.go from line 20 on: this is wrong\n- a.go is wrong\n- d.go is wrong"
	want := []review.Affected{
		named[0], named[1], // unchanged: the reviewer wrote the front matter
		{Path: "b.go", Lines: "7-9"},
		{Path: "c.go", Lines: "20-"},
		{Path: "d.go"},
	}
	if got := addAffected(named, text, []string{"a.go", "b.go", "c.go", "d.go"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if len(named) != 2 {
		t.Error("the argument was changed")
	}
}

func TestReadWithinStaysInside(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	top := filepath.Join(outer, "top")
	if err := os.MkdirAll(filepath.Join(top, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{"secret": "outside", "top/review.md": "inside"} {
		if err := os.WriteFile(filepath.Join(outer, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out": "../secret", "in": "review.md"} {
		if err := os.Symlink(to, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"review.md": "inside", "in": "inside", "out": "", "../secret": "", "folder": "", "no-such.md": ""} {
		got, err := readWithin(top, path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}
