package mine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/talk"
)

// FuzzMine holds what is true of every text: the same text gives the same places, lines
// are in order, and a path is tracked or stands in the text.
func FuzzMine(f *testing.F) {
	files := []string{"a.go", "b/a.go", "b/c_test.go", "README.md", "docs/README.md", "lib/foo.py", "lib/bar/__init__.py", "src/x/y.rs", "scss/_b.scss", "pages/[id].tsx", "設定.yml"}
	for _, e := range load(f, "testdata/own_development.jsonl") {
		f.Add(e.Text)
	}
	f.Add("lines 3-1 in a.go, L0, a.go:99999999999999, a.go#L1-L2C3")
	f.Add("- a.go\n\t- 12\n```diff\n+++ b/a.go\n@@ -1 +1,0 @@")
	f.Add("{\"file\":\"a.go\",\"lines\":[1,2]}")
	f.Add("everywhere except a.go; **/*.go {a,b}.go")
	f.Fuzz(func(t *testing.T, text string) {
		got := Mine(text, files)
		if again := Mine(text, files); !slices.Equal(got, again) {
			t.Fatalf("not the same twice: %v, %v", got, again)
		}
		for _, p := range got {
			if p.Path == "" || p.Start < 0 || p.End != 0 && p.End < p.Start || p.Start == 0 && p.End != 0 {
				t.Errorf("odd place %+v", p)
			}
			if !utf8.ValidString(p.Path) {
				t.Errorf("a path that is no text: %q", p.Path)
			}
			if _, ok := talk.Rank[p.Severity]; !ok || p.Severity == "" {
				t.Errorf("odd severity %+v", p)
			}
		}
	})
}

func TestWhatIsSaidIsExplained(t *testing.T) {
	for _, e := range load(t, "testdata/own_development.jsonl") {
		for _, r := range Explain(e.Text, e.Files) {
			if r.Why == "" || r.Line < 1 || r.Line > strings.Count(e.Text, "\n")+1 {
				t.Errorf("%s: %+v says no reason or no line", e.ID, r)
			}
		}
	}
}

func megabyte(b testing.TB) (string, []string) {
	var text strings.Builder
	var files []string
	for _, e := range load(b, "testdata/shared.jsonl") {
		files = append(files, e.Files...)
	}
	for text.Len() < 1<<20 {
		for _, e := range load(b, "testdata/shared.jsonl") {
			text.WriteString(e.Text + "\n\n")
		}
	}
	return text.String(), files
}

func BenchmarkOrdinary(b *testing.B) {
	set := load(b, "testdata/shared.jsonl")
	for b.Loop() {
		for _, e := range set {
			Mine(e.Text, e.Files)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(set)), "µs/review")
}

func BenchmarkMegabyte(b *testing.B) {
	text, files := megabyte(b)
	x := names.New(files)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		In(text, x)
	}
}

const hostileSize = 128 << 10

func BenchmarkHostile(b *testing.B) {
	files := []string{"a.go", "b/a.go"}
	for name, unit := range map[string]string{"words": "please fix ", "names": "a.go:1, ", "items": "- a.go\n", "nested": " - x a.go\n", "ticks": "`a", "brackets": "[a](b", "lines": "line 1, 2, ", "quotes": "\"a b ",
		"one": "a", "strikes": "~~a~~ ", "former": "b/a.go. the former is fine. ", "numbers": "1. b/a.go\n", "scratch": "b/a.go:1 x. scratch that. never mind b/a.go. ", "json": "{\"a\":"} {
		text := strings.Repeat(unit, hostileSize/len(unit))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Mine(text, files)
			}
		})
	}
}

// many are the paths of a large repository.
func many(n int) []string {
	out := make([]string, 0, n)
	for i := range n {
		out = append(out, fmt.Sprintf("services/s%d/internal/pkg%d/file_%d.go", i%97, i%1009, i))
	}
	return append(out, "src/main.go", "docs/Getting Started.md", "web/users.controller.ts")
}

// BenchmarkLarge reads a megabyte against 100,000 tracked files, with the words that make
// the miner look at all of them.
func BenchmarkLarge(b *testing.B) {
	files := many(100_000)
	x := names.New(files)
	text, _ := megabyte(b)
	for name, unit := range map[string]string{"reviews": text, "folders": "All files under services/s3 are wrong, except file_100.go. The package internal/pkg7 leaks. ",
		"roles": "The users controller leaks, the auth guard too; every Go file needs a header. ", "patterns": "**/file_1*.go and services/*/internal/{a,b}*.go are wrong. "} {
		unit = strings.Repeat(unit, (1<<20)/len(unit)+1)[:1<<20]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(unit)))
			for b.Loop() {
				In(unit, x)
			}
		})
	}
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			names.New(files)
		}
	})
}
