package handoff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func file(oid string) DriftEntry { return DriftEntry{Mode: 0o100644, Perm: 0o644, OID: oid, Size: 3} }

func TestSentences(t *testing.T) {
	f := Facts{
		Then: Side{Head: strings.Repeat("a", 40), Branch: "refs/heads/main", Subject: "first"}, Now: Side{Head: strings.Repeat("b", 40), Branch: "", Subject: "\x1b[2Jevil"},
		Files: []Pair{{Path: "a\nb", Then: file("1"), Now: DriftEntry{Mode: 0o100644, Perm: 0o600, OID: "2", Size: 0}, Shape: "emptied"}, {Path: "gone", Then: file("3")}, {Path: "new", Now: file("3")}},
		Index: []IndexPair{{Path: "x", Now: Staged{Mode: 0o100755, OID: "44444444444444"}}}, Gaps: []GapPair{{Path: "g", Is: "too large"}, {Path: "h", Was: "too large"}},
		InScope: func(p string) bool { return p != "new" },
	}
	r := NameDifferences(f)
	var got []string
	for _, d := range r.Differences {
		got = append(got, d.Sentence())
	}
	want := []string{
		`switched: main → no branch`, `head-moved: aaaaaaaaaa (first) → bbbbbbbbbb (\x1b[2Jevil)`,
		`content  a\nb: 1 → 2, emptied`, `mode  a\nb: 0644 → 0600`, `unreadable  g: none → too large`, `rename  new (was gone)  [out of scope]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if s := r.Summary(); s != "content, head-moved, mode, rename, switched, unreadable, 1 out of scope" || !r.HasDrift() || r.CountOutOfScope() != 1 {
		t.Errorf("%s", s)
	}
	if s := (Report{}).Summary(); s != "nothing drifted" || (Report{}).HasDrift() {
		t.Error(s)
	}
}

func TestCut(t *testing.T) {
	var r Report
	for i := range MaxListed + 5 {
		r.Differences = append(r.Differences, Difference{Kind: Content, Path: fmt.Sprint(i)})
	}
	if c := r.Truncate(); len(c.Differences) != MaxListed || c.NotListed != 5 || len(c.Truncate().Differences) != MaxListed || c.Truncate().NotListed != 5 {
		t.Errorf("%d %d", len(c.Differences), c.NotListed)
	}
}

// TestNameLaws: every path that differs is named, in whatever combination, and no path twice by one
// kind; equal facts give equal reports.
func TestNameLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := rapid.SampledFrom([]DriftEntry{{}, file("1"), file("2"), {Mode: 0o100755, Perm: 0o755, OID: "1", Size: 3}, {Mode: 0o120000, OID: "5", Size: 1}})
		var f Facts
		for i := range rapid.IntRange(0, 6).Draw(t, "files") {
			p := Pair{Path: fmt.Sprintf("p%d", i), Then: entry.Draw(t, "then"), Now: entry.Draw(t, "now")}
			if p.Then != p.Now {
				f.Files = append(f.Files, p)
			}
		}
		r := NameDifferences(f)
		named := map[string]bool{}
		for _, d := range r.Differences {
			key := string(d.Kind) + " " + d.Path
			if named[key] {
				t.Fatalf("%s twice: %+v", key, r)
			}
			named[key] = true
			named[d.Path], named[d.From] = true, true
		}
		for _, p := range f.Files {
			if !named[p.Path] {
				t.Fatalf("%s is not named: %+v", p.Path, r)
			}
		}
		if r.HasDrift() != (len(f.Files) > 0) || fmt.Sprint(NameDifferences(f)) != fmt.Sprint(r) {
			t.Fatalf("%+v", r)
		}
	})
}
