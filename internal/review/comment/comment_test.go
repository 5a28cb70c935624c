package comment

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/testutil"
)

var tree = []string{"src/net/client.go", "src/net/server.go", "src/disk/client.go", "src/disk/cache.go",
	"cmd/app/main.go", "docs/setup.md",
	"README.md", "Makefile", "go.mod", "notes", "web/[slug].tsx", "web/(shop)/page.tsx", "app/__init__.py", "tests/test_net.py"}

// found formats the places with the severity, if any.
func found(review string) string {
	var out []string
	for _, p := range FindPlaces(review, NewIndex(tree)) {
		s := p.Path
		switch {
		case p.End == 0 && p.Start > 0:
			s += fmt.Sprintf(":%d-", p.Start)
		case p.Start == p.End && p.Start > 0:
			s += fmt.Sprintf(":%d", p.Start)
		case p.Start > 0:
			s += fmt.Sprintf(":%d-%d", p.Start, p.End)
		}
		if p.Severity != Unlabelled {
			s += " " + string(p.Severity)
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// TestLinesOfJSON: each finding has its own line of the review, also two for one file.
func TestLinesOfJSON(t *testing.T) {
	review := "[{\"file\":\"app/__init__.py\",\"line\":3,\"message\":\"see notes\"},\n" +
		"{\"file\":\"app/__init__.py\",\"line\":9,\"message\":\"y\"},\n{\"file\":\"notes\",\"line\":1,\"message\":\"z\"}]"
	var got []string
	for _, r := range Explain(review, NewIndex(tree)) {
		got = append(got, fmt.Sprintf("%s:%d on %d", r.Path, r.Start, r.Line))
	}
	if s := strings.Join(got, ", "); s != "app/__init__.py:3 on 1, app/__init__.py:9 on 2, notes:1 on 3" {
		t.Error(s)
	}
	escaped := strings.Repeat(`{"file":"note\u0073"},`, 40) // its bytes are not in the text
	for _, r := range Explain(`[`+escaped+"\n"+`{"file":"notes","line":2}]`, NewIndex(tree)) {
		if r.Path != "notes" || r.Line > 2 {
			t.Errorf("%+v", r)
		}
	}
}

func TestSpellings(t *testing.T) {
	for review, want := range map[string]string{
		"src/net/client.go leaks":                             "src/net/client.go",
		"net/client.go leaks":                                 "src/net/client.go",
		"`./src/net/client.go` leaks":                         "src/net/client.go",
		"a/src/net/client.go leaks":                           "src/net/client.go",
		"/home/ci/build/src/net/client.go:3 leaks":            "src/net/client.go:3",
		`C:\ci\src\net\client.go:3 leaks`:                     "src/net/client.go:3",
		"client.go leaks":                                     "", // two files match
		"src/net/client.go leaks.\n\nclient.go:7 leaks again": "src/net/client.go, src/net/client.go:7",
		"cache.go leaks":                                      "src/disk/cache.go",
		"ache.go leaks":                                       "", // not at a folder boundary
		"src/net leaks":                                       "", // a folder
		"src/net/pool.go leaks":                               "", // not tracked
		"src/*.go leak":                                       "",
		"the notes are wrong":                                 "", // a word
		"`notes` is wrong":                                    "notes",
		"the Makefile is wrong":                               "Makefile",
		"app/__init__.py:2 is wrong":                          "app/__init__.py:2",
		"web/[slug].tsx and `web/(shop)/page.tsx` leak":       "web/[slug].tsx, web/(shop)/page.tsx",
		"[here](https://x.org/a/b/blob/main/src/net/server.go#L3-L5) it leaks": "src/net/server.go:3-5",
		"https://x.org/a/b/blob/main/other/server.go#L3 leaks":                 "",
	} {
		if got := found(review); got != want {
			t.Errorf("%q: found %q, want %q", review, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	for review, want := range map[string]string{
		"cache.go:12 leaks":                                                     "12",
		"cache.go:12:3: leaks":                                                  "12",
		"cache.go:12-20 leaks":                                                  "12-20",
		"`cache.go`:12–20 leaks":                                                "12-20",
		"cache.go#L12-L20 leaks":                                                "12-20",
		"cache.go(12,3) leaks":                                                  "12",
		"cache.go (line 12) leaks":                                              "12",
		"cache.go, lines 12–20, leaks":                                          "12-20",
		"line 12 of cache.go leaks":                                             "12",
		"lines 12 to 20 in `src/disk/cache.go` leak":                            "12-20",
		"cache.go L12-L20 leaks":                                                "12-20",
		"cache.go from line 30 on is old, rewrite":                              "30-",
		"In cache.go the lock on line 12 is never freed":                        "12",
		"`cache.go` 42行目: 直してください":                                              "42",
		"In cache.go ab Zeile 57 fehlt das Schließen":                           "57-",
		"### `cache.go`\n\n- L12: leaks\n":                                      "12",
		"### Leak\n\n**File:** `cache.go`\n**Lines:** 12-20\n\nIt leaks.":       "12-20",
		"| File | Line | Problem |\n|---|---|---|\n| cache.go | 12 | leaks |\n": "12",
		"cache.go:0 leaks":                                                      "",
	} {
		if got := found(review); got != strings.TrimSuffix("src/disk/cache.go:"+want, ":") {
			t.Errorf("%q: found %q, want lines %q", review, got, want)
		}
	}
}

func TestAskedOrMentioned(t *testing.T) {
	for name, c := range map[string]struct{ review, want string }{
		"praise":            {"src/net/client.go looks good", ""},
		"but":               {"src/net/client.go looks good, but line 4 leaks", "src/net/client.go:4"},
		"reference":         {"src/net/server.go leaks, see cmd/app/main.go for the pattern", "src/net/server.go"},
		"settled":           {"src/net/client.go:3 leaked; already fixed", ""},
		"not now":           {"src/net/client.go: no change needed", ""},
		"waived after":      {"src/net/client.go parses twice. Harmless.", ""},
		"question":          {"Why is src/net/client.go still there?", ""},
		"question and wish": {"Why is src/net/client.go still there? Please remove it.", "src/net/client.go"},
		"left alone":        {"Leave src/net/client.go as is and fix cmd/app/main.go:7", "cmd/app/main.go:7"},
		"left alone last":   {"Fix cmd/app/main.go:7 and leave src/net/client.go alone", "cmd/app/main.go:7"},
		"one is fine":       {"The default is fine in src/net/client.go, but cmd/app/main.go:7 must close it", "cmd/app/main.go:7"},
		"all are fine":      {"src/net/client.go, cmd/app/main.go and go.mod are fine", ""},
		"stays":             {"src/net/client.go must stay as it is", ""},
		"should not change": {"src/net/client.go should not change", ""},
		"kept":              {"Keep src/net/client.go unchanged and move the helper to cmd/app/main.go", "cmd/app/main.go"},
		"no need":           {"No need to touch src/net/client.go; fix cmd/app/main.go", "cmd/app/main.go"},
		"undone":            {"The wire format must not change, revert src/net/client.go", "src/net/client.go"},
		"a linter's rule":   {"src/net/client.go:3: commands should not change things", "src/net/client.go:3"},
		"quoted":            {"> src/net/client.go leaks\n\nAgreed, but later.", ""},
		"approval":          {"# Review\n\nVerdict: approved\n\n- cmd/app/main.go was renamed", ""},
		"condition":         {"Verdict: approved once this is fixed\n\n- cmd/app/main.go leaks", "cmd/app/main.go"},
		"front matter":      {"---\nverdict: approved\n---\n\ncmd/app/main.go leaks", ""},
		"strengths":         {"## Issues\n\n- cmd/app/main.go leaks\n\n## Strengths\n\n- go.mod pins all\n", "cmd/app/main.go"},
		"summary":           {"## Summary\n\nI read cmd/app/main.go.\n\n## Issues\n\n- go.mod is not tidy\n", "go.mod"},
		"earlier round": {"# Review\n\n## Round 1\n\n- go.mod is not tidy\n\n## Round 2\n\n- cmd/app/main.go leaks\n",
			"cmd/app/main.go"},
		"checked box":    {"- [x] go.mod is not tidy\n- [ ] cmd/app/main.go leaks\n", "cmd/app/main.go"},
		"struck":         {"- ~~go.mod is not tidy~~\n- cmd/app/main.go leaks\n", "cmd/app/main.go"},
		"command":        {"## Issues\n\nThe build is red. Run `go test ./cmd/app/main.go` again.", ""},
		"test name":      {"## Issues\n\n### Client\n\n`src/net/client.go` leaks.\n\n`tests/test_net.py::x` FAILED\n", "src/net/client.go"},
		"field":          {"## Issues\n\n### Leak\n\n**File:** `go.mod`\n**Problem:** it is like Makefile\n", "go.mod"},
		"accepted field": {"### Leak\n\n**File:** `go.mod`\n\nAccepted risk, no fix asked.\n", ""},
		"closed row":     {"| File | Issue | Status |\n|---|---|---|\n| go.mod | old | fixed |\n| Makefile | tabs | open |\n", "Makefile"},
		"code":           {"Nice.\n\n```\nsrc/net/client.go:3: error: x\n```\n", ""},
		"output to fix":  {"Please fix these:\n\n```\nsrc/net/client.go:3: error: x\n```\n", "src/net/client.go:3"},
		"diff":           {"I object:\n\n```diff\n+++ b/cmd/app/main.go\n@@ -1,2 +3,4 @@\n+x\n```\n", "cmd/app/main.go:3-6"},
		"data": {`{"verdict":"reject","findings":[{"file":"go.mod","line":3,"severity":"high"}],"ok":["Makefile"],` +
			`"dismissed":[{"file":"README.md"}]}`, "go.mod:3 major"},
		"code host": {`[{"path":"go.mod","start_line":2,"line":4,"body":"nit"},{"path":"Makefile","body":"Looks good"}]`, "go.mod:2-4 note"},
	} {
		if got := found(c.review); got != c.want {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}

func TestSeverity(t *testing.T) {
	for review, want := range map[string]Severity{
		"critical: go.mod is wrong":                                      Critical,
		"[P1] go.mod is wrong":                                           Major,
		"go.mod is wrong (minor)":                                        Minor,
		"nit: go.mod is not tidy":                                        Note,
		"go.mod is wrong. Severity: high":                                Major,
		"🔴 go.mod is wrong":                                              Critical,
		"## Blocking\n\n- go.mod is wrong":                               Critical,
		"go.mod is wrong; this is not a blocker":                         Note,
		"go.mod must be changed":                                         Unlabelled,
		"1×P0, 2×P1\n\ngo.mod is wrong":                                  Unlabelled,
		"| File | Severity | Issue |\n|-|-|-|\n| go.mod | low | wrong |": Note,
	} {
		got := FindPlaces(review, NewIndex(tree))
		if len(got) != 1 || got[0].Severity != want {
			t.Errorf("%q: found %+v, want severity %s", review, got, want)
		}
	}
	if got := found("minor: go.mod is wrong\n\nblocker: go.mod is wrong"); got != "go.mod critical" {
		t.Errorf("of repeats the worst counts: %q", got)
	}
}

// TestExplain: every name has a reason and its line.
func TestExplain(t *testing.T) {
	review := "Thanks!\n\ngo.mod looks good.\n\n- critical: `src/net/client.go` line 2 leaks,\n  see Makefile\n"
	var got []string
	for _, r := range Explain(review, NewIndex(tree)) {
		got = append(got, fmt.Sprintf("%d %s %v %s", r.Line, r.Path, r.Taken, r.Why))
	}
	want := []string{"3 go.mod false found good", "5 src/net/client.go true asked to change",
		"6 Makefile false only compared or referred to"}
	if !slices.Equal(got, want) {
		t.Errorf("explained as\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// standing reports whether a path, or an end of it at a folder boundary, is in a text.
func standing(text, p string) bool {
	text = strings.NewReplacer(`\\`, "/", `\`, "/").Replace(text) + strings.ReplaceAll(text, `\`, "")
	for {
		if strings.Contains(text, p) {
			return true
		}
		_, rest, ok := strings.Cut(p, "/")
		if !ok {
			return false
		}
		p = rest
	}
}

// FuzzIn: for any text, the result is deterministic, lines are ordered, and each path is tracked
// and in the text.
func FuzzIn(f *testing.F) {
	for _, e := range load(f, "testdata/own_development.jsonl") {
		f.Add(e.Text)
	}
	f.Add("lines 3-1 in a.go, L0, go.mod:99999999999999, go.mod#L1-L2C3")
	f.Add("- go.mod\n\t- 12\n```diff\n+++ b/go.mod\n@@ -1 +1,0 @@")
	f.Add("{\"file\":\"go.mod\",\"lines\":[1,2]}")
	f.Add("| a | go.mod |\n|-|-|\n| x |\n<details><summary>go.mod:1</summary>\n\n# go.mod `")
	f.Fuzz(func(t *testing.T, text string) {
		x := NewIndex(tree)
		got := FindPlaces(text, x)
		if again := FindPlaces(text, x); !slices.Equal(got, again) {
			t.Fatalf("not the same twice: %v, %v", got, again)
		}
		for _, p := range got {
			if p.Start < 0 || p.End != 0 && p.End < p.Start || p.Start == 0 && p.End != 0 {
				t.Errorf("invalid place %+v", p)
			}
			if !slices.Contains(tree, p.Path) || utf8.ValidString(text) && !standing(text, p.Path) {
				t.Errorf("%q is not in the text", p.Path)
			}
			if severityRank[p.Severity] == 0 && p.Severity != Unlabelled {
				t.Errorf("invalid severity %+v", p)
			}
		}
		for _, r := range Explain(text, x) {
			if r.Why == "" || r.Line < 1 || r.Line > strings.Count(text, "\n")+1 {
				t.Errorf("no reason or no line: %+v", r)
			}
		}
	})
}

// TestFoundStandsInTheText: in every labelled review, each path found is in the text.
func TestFoundStandsInTheText(t *testing.T) {
	_, all := sets(t)
	for name, set := range all {
		for _, e := range set {
			for _, p := range FindPlaces(e.Text, NewIndex(e.Files)) {
				if !standing(e.Text, p.Path) {
					t.Errorf("%s, %s: %s is not in the text", name, e.ID, p.Path)
				}
			}
		}
	}
}

func BenchmarkMegabyte(b *testing.B) {
	var text strings.Builder
	var files []string
	for set := load(b, "testdata/shared.jsonl"); text.Len() < 1<<20; {
		for _, e := range set {
			text.WriteString(e.Text + "\n\n")
			files = append(files, e.Files...)
		}
	}
	x := NewIndex(files)
	for b.Loop() {
		FindPlaces(text.String()[:1<<20], x)
	}
}

func BenchmarkOrdinary(b *testing.B) {
	set := load(b, "testdata/shared.jsonl")
	for b.Loop() {
		for _, e := range set {
			FindPlaces(e.Text, NewIndex(e.Files))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(set)), "µs/review")
}

// TestBounded: no text takes long. The limit, in processor time, is a hundred times the measured
// time, to notice time that grows faster than the square of the text. The race detector is ten
// times slower, so the texts are shorter with -short.
func TestBounded(t *testing.T) {
	most, size := 30*time.Second, 64<<10
	if !testutil.Wide() {
		most, size = most/4, size/2
	}
	if testing.Short() {
		size = 16 << 10
	}
	x := NewIndex(tree)
	for name, unit := range map[string]string{"words": "please fix ", "names": "go.mod:1, ", "items": "- go.mod\n",
		"nested": " - x go.mod\n",
		"ticks":  "`a", "brackets": "[a](b", "lines": "line 1, 2, ", "quotes": "\"a b ", "one": "a", "strikes": "~~a~~ ",
		"json":       "{\"a\":",
		"paragraphs": "go.mod leaks.\n\nline 3 too.\n\n", "headings": "# go.mod\n", "table": "|go.mod|\n|-|\n|x|\n",
		"quotations": "> ", "bold": "**a** "} {
		start := testutil.CPU()
		Explain(strings.Repeat(unit, size/len(unit)), x)
		if took := testutil.CPU() - start; took > most {
			t.Errorf("%s: %v", name, took)
		} else {
			t.Logf("%-10s %v", name, took.Round(time.Millisecond))
		}
	}
}
