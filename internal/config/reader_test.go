package config

import (
	"strings"
	"testing"
)

func read(data string) (keys []string, problems []Problem) {
	r := Reader{Max: 1 << 10, Contents: "it holds keys"}
	if root := r.Document([]byte(data)); root != nil {
		for k, v := range r.Pairs(root, "") {
			if r.Plain(v, k.Value) {
				keys = append(keys, k.Value)
			}
		}
	}
	return keys, r.Problems
}

func TestReader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, keys, words string
		line, column      int
	}{
		{text: "a: 1\nb: [x]\n", keys: "a b"},
		{text: "\xef\xbb\xbfa: 1\r\n", keys: "a"},
		{text: "# only words\n"},
		{text: "a: 1\nb: 2\na: 3", keys: "a b", words: "set twice, first in line 1", line: 3, column: 1},
		{text: "a: &x 1", words: "anchors are not supported: remove &x", line: 1, column: 4},
		{text: "a: 1\nb: *a", words: "unknown", line: 2, column: 4},
		{text: "a: !!str 1", words: "tags are not supported", line: 1, column: 4},
		{text: "? [a]\n: b", words: "a key must be a plain word", line: 1, column: 3},
		{text: "- a", words: "it holds keys", line: 1, column: 1},
		{text: "a: 1\n---\nb: 2", keys: "a", words: "a second YAML document begins here", line: 3, column: 1},
		{text: "a:\n\tb: 1", words: "this is a tab", line: 2, column: 1},
		{text: "a: \"\xff\"", words: "not UTF-8", line: 1, column: 5},
		{text: "é: \x01", words: "a control character", line: 1, column: 4},
		{text: strings.Repeat("#", 1<<10+1), words: "larger than 1 KiB"},
	}
	for _, tt := range tests {
		keys, problems := read(tt.text)
		if got := strings.Join(keys, " "); got != tt.keys {
			t.Errorf("%.20q: keys %q, want %q", tt.text, got, tt.keys)
		}
		if tt.words == "" {
			if len(problems) > 0 {
				t.Errorf("%.20q: %+v", tt.text, problems)
			}
			continue
		}
		if len(problems) != 1 || !strings.Contains(problems[0].Text, tt.words) || problems[0].Line != tt.line || problems[0].Column != tt.column {
			t.Errorf("%.20q: %+v, want %d:%d %s", tt.text, problems, tt.line, tt.column, tt.words)
		}
	}
}

func TestProblemsOnLines(t *testing.T) {
	t.Parallel()
	one := &Problems{Name: "f.yaml", List: []Problem{{Line: 2, Column: 3, Key: "a\x1b", Text: "odd", Nearest: "b"}}}
	if got := one.Error(); got != `f.yaml:2:3: a\x1b: odd (did you mean b?)` {
		t.Errorf("%q", got)
	}
	one.List = append(one.List, Problem{Text: "too large"})
	if got := one.Error(); strings.Count(got, "\n") != 2 || !strings.HasSuffix(got, "f.yaml: too large") {
		t.Errorf("%q", got)
	}
}

// FuzzReader: any bytes are keys or problems with positions in the file.
func FuzzReader(f *testing.F) {
	for _, s := range []string{"a: 1", "a: &a [*a]", "a:\n\tx: 1", "? {}\n: - [", "%YAML 1.2\n--- !!map {}", "a: |\n\tx\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		keys, problems := read(data)
		if len(keys) > len(data) {
			t.Fatalf("%q: keys %q", data, keys)
		}
		for _, p := range problems {
			if p.Text == "" || p.Line < 0 || p.Line > len(data)+2 || p.Column < 0 {
				t.Fatalf("%q: %+v", data, p)
			}
		}
	})
}
