package web

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzColours: coloured parts are within their lines and in order, and a line that is split by them
// has the same bytes.
func FuzzColours(f *testing.F) {
	for _, name := range []string{"a.go", "a.py", "a.ts", "a.rs", "a.java", "a.rb", "a.cs", "a.php", "a.json", "a.c"} {
		f.Add(name, "/* a\nb */ func x() { return \"s\\\"\" + 'c' + `t\nu` // é\n}\r\n# \xff 0x1F", 3, 5)
	}
	f.Fuzz(func(t *testing.T, name, text string, from, to int) {
		lines := strings.Split(text, "\n")
		got := colourLines(name, []byte(text))
		if len(got) > len(lines) {
			t.Fatalf("%d lines of %d", len(got), len(lines))
		}
		for i, line := range got {
			last := 0
			for _, s := range line {
				if s.from < last || s.to <= s.from || s.to > len(lines[i]) {
					t.Fatalf("line %d %q: %+v", i, lines[i], line)
				}
				last = s.to
			}
			from, to := min(max(0, from), len(lines[i])), min(max(0, to), len(lines[i]))
			to = max(from, to)
			parts := splitByColour([]span{{Text: lines[i][:from]}, {Text: lines[i][from:to], Changed: true}, {Text: lines[i][to:]}}, line)
			whole, changed := "", ""
			for _, p := range parts {
				if whole += p.Text; p.Changed {
					changed += p.Text
				}
			}
			if whole != lines[i] || changed != lines[i][from:to] {
				t.Fatalf("%q became %q, changed %q", lines[i], whole, changed)
			}
		}
	})
}

// TestSide: colours and marks are nested, all text is escaped, and a secret is masked even if a
// mark or a colour splits it.
func TestSide(t *testing.T) {
	t.Parallel()
	text := `	return a < "b" // <b>`
	line := splitByColour([]span{{Text: "\treturn a"}, {Text: ` < "b`, Changed: true}, {Text: `" // <b>`}}, colourLines("a.go", []byte(text))[0])
	want := "\t" + `<i class="tk">return</i> a<del> &lt; <i class="ts">&#34;b</i></del><i class="ts">&#34;</i> <i class="tc">// &lt;b&gt;</i>`
	if got := string(row{Left: line}.Before()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	token := "ghp_" + "q7Zk2VxR9mTb4YcN8wLs" + "1HdF6jPgXe3uA5oi" // not a real token
	got := string(row{Right: []span{{Text: `key = "` + token[:8]}, {Text: token[8:20], Changed: true}, {Text: token[20:] + `"`, class: "ts"}}}.After())
	if strings.Contains(got, token[8:16]) || strings.Contains(got, "<ins>") {
		t.Errorf("the secret is shown: %s", got)
	}
}

// TestColoursOfAFile: lines within a comment or string have its colour, even if the hunk does not
// contain its start.
func TestColoursOfAFile(t *testing.T) {
	t.Parallel()
	got := fmt.Sprint(colourLines("x/a.go", []byte("/* one\ntwo */ var x = `a\nb` + 12\n")))
	if want := "[[{0 6 tc}] [{0 6 tc} {7 10 tk} {15 17 ts}] [{0 2 ts} {5 7 tn}] []]"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if colourLines("a.txt", []byte("return")) != nil || colourLines("a.go", make([]byte, maxColoured+1)) != nil {
		t.Error("an unknown language or a large file is coloured")
	}
}
