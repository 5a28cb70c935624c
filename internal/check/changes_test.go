package check

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/belay-dev/belay/internal/belay"
)

// TestChanges reads testdata/changes/*.txtar: a change of a small project in each language, and the
// findings of the checks of texts. PLANTED is replaced to make the surrounding text a secret, so
// that no scanner reports the file.
func TestChanges(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/changes/*.txtar")
	if len(files) != 8 {
		t.Fatalf("%d changes", len(files))
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, want := said{}, ""
		for _, f := range a.Files {
			text := strings.ReplaceAll(string(f.Data), "PLANTED", "q7Xv2"+"Lm9Rt4Ks8Wd3Pz6Yb1N")
			side, p, _ := strings.Cut(f.Name, "/")
			both := s[p]
			switch side {
			case "before":
				both[0] = text
			case "after":
				both[1] = text
			default:
				want = text
				continue
			}
			s[p] = both
		}
		for p, both := range s {
			if both[0] == both[1] {
				delete(s, p)
			}
		}
		if got := s.told(t); got != want {
			t.Errorf("%s:\n got\n%s\nwant\n%s", file, got, want)
		}
	}
}

// told checks the change and writes each finding on a line, in the order of the report.
func (s said) told(t *testing.T) string {
	var b strings.Builder
	results := s.judge(t, belay.Checks{})
	for _, name := range Names() {
		for _, f := range results[name].Findings {
			fmt.Fprintf(&b, "%s %s:%d %s\n", f.Severity, f.File, f.Line, f.Title)
		}
	}
	return b.String()
}
