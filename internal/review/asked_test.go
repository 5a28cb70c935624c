package review

import (
	"fmt"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

var files = []string{"src/answer.txt", "src/other.go", "docs/fine.md"}

// told formats each finding on a line: severity, place, title and detail.
func told(list []belay.Finding) string {
	var out []string
	for _, f := range list {
		at := f.File
		if f.Line > 0 {
			at += fmt.Sprintf(":%d", f.Line)
		}
		if f.EndLine > 0 {
			at += fmt.Sprintf("-%d", f.EndLine)
		}
		s := fmt.Sprintf("%s %s|%s", f.Severity, at, f.Title)
		if f.Detail != "" {
			s += "|" + strings.ReplaceAll(f.Detail, "\n", "/")
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func TestFindings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		affected []Affected
		body     string
		reject   bool
		want     string
	}{
		"prose": {[]Affected{{Path: "src/answer.txt", Lines: "2", Severity: "critical"}, {Path: "src/other.go", Severity: "note"}},
			"# Review\n\nNice work overall.\n\n- critical: `src/answer.txt` line 2 is wrong:\n  it must be 42\n- nit: rename the key in `src/other.go`\n", true,
			"error src/answer.txt:2|critical: `src/answer.txt` line 2 is wrong:|- critical: `src/answer.txt` line 2 is wrong:/  it must be 42\n" +
				"note src/other.go|nit: rename the key in `src/other.go`\nnote |further comments by ana|# Review//Nice work overall."},
		"front matter alone": {[]Affected{{Path: "src/other.go", Lines: "3-9"}}, "It leaks.\n", true,
			"error src/other.go:3-9|ana asks for a change here\nnote |further comments by ana|It leaks."},
		"a section for each place": {[]Affected{{Path: "src/other.go", Lines: "3"}, {Path: "src/other.go", Lines: "7-9"}, {Path: "src/answer.txt"}},
			"Nearly.\n\n### `src/other.go:3`\n\nUse min here.\nSay why.\n\n```\n# not a heading\n```\n\n### `src/other.go:7-9`\n\n```suggestion\nx\n```\n\n" +
				"## src/answer.txt\n\n- `src/answer.txt` must say 42\n", true,
			"error src/other.go:3|Use min here.|Use min here./Say why.//```/# not a heading/```\n" +
				"error src/other.go:7-9|ana asks for a change here|```suggestion/x/```\n" +
				"error src/answer.txt|`src/answer.txt` must say 42\nnote |further comments by ana|Nearly."},
		"to the end": {[]Affected{{Path: "src/other.go", Lines: "30-"}}, "", true, "error src/other.go:30|ana asks for a change here"},
		"no place": {nil, "## Verdict\n\n1. Please do it again, and\nbetter.\n", true,
			"error |Please do it again, and|## Verdict//1. Please do it again, and/better."},
		"only notes": {[]Affected{{Path: "src/other.go", Severity: "note"}}, "nit: rename the key in `src/other.go`", true,
			"error |nit: rename the key in `src/other.go`\nnote src/other.go|nit: rename the key in `src/other.go`"},
		"an approval": {nil, "Fine.", false, ""},
		"no words":    {nil, "#\n", true, "error |ana rejects the work|#"},
		"the form of reviewers": {nil, `{"score": 40, "alignment": {"logic_fidelity": {"passed": true}}, "findings": [{"severity": "major", "title": "it leaks", "file": "src/other.go", "line": 3}], "recommendation": "reject"}`, true,
			"error src/other.go:3|it leaks|found by ana"},
	} {
		got := Findings("ana", tt.affected, tt.body, files, tt.reject)
		if told(got) != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, told(got), tt.want)
		}
		for _, f := range got {
			if f.Signature == "" {
				t.Errorf("%s: not signed: %+v", name, f)
			}
		}
	}
}

func TestLocated(t *testing.T) {
	t.Parallel()
	in := []belay.Finding{
		{Check: CheckName, Severity: "error", Title: "it leaks", Detail: "`src/other.go` line 3 never closes the file"},
		{Check: CheckName, Severity: "error", Title: "`src/other.go` and `src/answer.txt` disagree, please fix both"},
		{Check: CheckName, Severity: "error", Title: "it is slow"},
		{Check: CheckName, Severity: "error", Title: "`src/other.go` is wrong", File: "docs/fine.md"},
		{Check: "tests", Severity: "error", Title: "`src/other.go` line 3 is wrong"},
	}
	want := "error src/other.go:3|it leaks|`src/other.go` line 3 never closes the file\nerror |`src/other.go` and `src/answer.txt` disagree, please fix both\nerror |it is slow\n" +
		"error docs/fine.md|`src/other.go` is wrong\nerror |`src/other.go` line 3 is wrong"
	if got := told(WithPlaces(in, files)); got != want {
		t.Errorf("%s", got)
	}
}

// FuzzFindings: for any review, a rejection has a finding with a title.
func FuzzFindings(f *testing.F) {
	for _, s := range []string{"", "- a.go:3 leaks", "{", "#\n#\n", "\ufeff1. x\r\n", strings.Repeat("x", 9000), "| a | b |\n|--|--|\n| src/other.go | 3 |", "\xff\xfe"} {
		f.Add(s, "3-9")
	}
	f.Fuzz(func(t *testing.T, body, lines string) {
		refused := false
		for _, one := range Findings("", []Affected{{Path: "src/other.go", Lines: lines}}, body, files, true) {
			refused = refused || one.Severity == belay.SeverityError
			if one.Title == "" || len(one.Detail) > maxDetail+len("…") {
				t.Fatalf("%+v", one)
			}
		}
		if !refused {
			t.Fatal("a rejection without a reason")
		}
	})
}
