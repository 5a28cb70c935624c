package count_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
)

// countCase is a folder of cases: before/, after/, case.json.
type countCase struct {
	ID          string `json:"id"`
	Language    string `json:"language"`
	File        string `json:"file"`
	Requirement string `json:"requirement"`
	Marker      string `json:"marker"`
	N           *int   `json:"n"`
	List        struct {
		Name          string
		Before, After *int
	} `json:"list"`
	Expect string `json:"expect"`
}

// TestFolderOfCases runs the cases in $BELAY_COUNTS, each a folder with before/, after/ and
// case.json.
func TestFolderOfCases(t *testing.T) {
	dir := os.Getenv("BELAY_COUNTS")
	if dir == "" {
		t.Skip("BELAY_COUNTS names no folder of cases")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "case.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	tally := map[string]*score{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var c countCase
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			r, err := count.ParseRequirement(c.Requirement)
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Marker) != c.Marker || c.N != nil && r.Many() != *c.N && (r.Marker == belay.MarkAdd || r.Marker == belay.MarkRemove) {
				t.Errorf("read as %s %d", r.Marker, r.Many())
			}
			r.File = c.File
			got, err := count.Check(count.FS(os.DirFS(filepath.Join(filepath.Dir(f), "before"))), count.FS(os.DirFS(filepath.Join(filepath.Dir(f), "after"))), r)
			if err != nil {
				t.Fatal(err)
			}
			same := func(a, b *int) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
			right := string(got.Verdict) == c.Expect && same(got.Counts.Before, c.List.Before) && same(got.Counts.After, c.List.After)
			tallied(tally, c.Language).note(right, c.Marker == "ADD" && c.Expect == "fail", count.Verdict(c.Expect), got)
			if string(got.Verdict) != c.Expect || !same(got.Counts.Before, c.List.Before) || !same(got.Counts.After, c.List.After) {
				out, _ := json.MarshalIndent(got, "", " ")
				t.Errorf("%s\nwant %s %v %v in %s, got\n%s", c.Requirement, c.Expect, val(c.List.Before), val(c.List.After), c.List.Name, out)
			}
		})
	}
	printTally(t, tally)
}

func val(p *int) any {
	if p == nil {
		return nil
	}
	return *p
}
