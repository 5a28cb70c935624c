package tasklist

import (
	"fmt"
	"strings"
	"testing"
)

func lineKinds(text string) string {
	var b strings.Builder
	for _, l := range ReadPage([]byte(text)) {
		b.WriteByte("bhritqTfcF"[l.Kind])
	}
	return b.String()
}

// TestKinds: the kinds of lines: b blank, h heading, r rule, i item, t text, q quote, T table, f
// code, c comment, F front matter.
func TestKinds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# a\n\n- b\n":                              "hbi",
		"a\n===\nb\n---\n":                          "hrhr",
		"- a\n---\nb\n":                             "irt",
		"---\na: b\n---\n# c":                       "FFFh",
		"---\nnever\n- ends":                        "rti",
		"```\n- [ ] x\n```\n- [ ] y":                "fffi",
		"```sh\n- [ ] x\n~~~\n# no\n":               "ffff",
		"~~~\n```\n~~~\n- a":                        "fffi",
		"- a\n  ```\n  code\n- b":                   "iffi",
		"- a\n  ```\n  code\n  ```\n- b":            "ifffi",
		"``` a `b` ```\n- c":                        "ti",
		"<!-- a\n- [ ] b\n-->\n- c":                 "ccci",
		"<!-- a -->\n- c":                           "ci",
		"words <!-- a\n- [ ] b\n--> c\n- d":         "tcci",
		"- a <!-- b\n- [ ] b -->\n- d":              "ici",
		"text `<!--` more\n- d":                     "ti",
		"| a | b |\n|---|---|\n> q":                 "TTq",
		"* * *\n***\n- - -\n___":                    "rrrr",
		"#nothing\n####### none\n###\n# a ##":       "tthh",
		"-\n1.\n1)\n-x\n1.x\n2024 was\n1.5 times":   "iiittti"[:5] + "tt",
		"\xef\xbb\xbf# a\r\n\r\n- b\r\n":            "hbi",
		"\xef\xbb\xbf---\r\na: 1\r\n---\r\n- b\r\n": "FFFi",
		"✅ a\n❌ b\n☐ c\n- ✅ d":                      "ttii",
		"❏ a\n■ b\n✓ c\n□ d":                        "ttti",
		"[ ] a\n[x] b\n[link] c\n(x) d":             "iitt",
		"-[ ] a\n*[x] b\n-[link](x)":                "iit",
		"\t- a\n\t\t- b\n    - c":                   "iii",
	} {
		if got := lineKinds(text); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
}

func TestBoxes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- [ ] a":            "open  a",
		"- [x] a":            "done  a",
		"- [X] a":            "done  a",
		"* [ ] a":            "open  a",
		"+ [x] a":            "done  a",
		"1. [ ] a":           "open  a",
		"12) [x] a":          "done  a",
		"- [] a":             "open it is not a plain box a",
		"- [ x] a":           "done it is not a plain box a",
		"- [x ] a":           "done it is not a plain box a",
		"- [  ] a":           "open it is not a plain box a",
		"- [\t] a":           "open it is not a plain box a",
		"- [~] a":            "unclear it is not a plain box a",
		"- [-] a":            "unclear it is not a plain box a",
		"- [/] a":            "unclear it is not a plain box a",
		"- [✓] a":            "done it is not a plain box a",
		"- (x) a":            "done it is not a plain box a",
		"- ( ) a":            "open it is not a plain box a",
		"- [ ]a":             "open no space after it a",
		"-[ ] a":             "open no space between the bullet and it a",
		"[ ] a":              "open no bullet before it a",
		"- ☐ a":              "open it is drawn a",
		"• □ a":              "open it is drawn a",
		"□ a":                "open it is drawn a",
		"▢ a":                "open it is drawn a",
		"- ◻️ a":             "open it is drawn a",
		"- ❏ a":              "open it is drawn a",
		"- ✓ a":              "done it is drawn a",
		"- ✔\uFE0F a":        "done it is drawn a",
		"- [ ]* 3.2 a":       "open * 3.2 a",
		"- [ ]*":             "open * ",
		"- [ ]":              "open  ",
		"- [P] a":            "none [P] a",
		"- [US1] a":          "none [US1] a",
		"- [x](a) b":         "none [x](a) b",
		"- [^1] b":           "none [^1] b",
		"- [1] b":            "none [1] b",
		"- () b":             "none () b",
		"- (a) b":            "none (a) b",
		"- [            ] b": "none [            ] b",
	} {
		l := ReadPage([]byte(text))[0]
		got := string(l.Box.State) + " " + l.Box.Problem
		if l.Box.State == NoBox {
			got = "none"
		} else if l.Box.Star {
			got = string(l.Box.State) + " *"
		}
		if got += " " + l.Text; got != want || l.Kind != Item {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	l := ReadPage([]byte("a\n  2.1. [ ] b\n"))[1]
	if l.Number != "2.1" || l.Indent != 2 || l.Text != "b" || l.Box.Start != 10 || l.Box.End != 11 {
		t.Errorf("%+v", l)
	}
}

// FuzzReadPage: every byte except byte order mark and line ends is in one line, in order, and the
// offsets of a box are inside its line.
func FuzzReadPage(f *testing.F) {
	for _, s := range []string{"- [ ] a\n\t* [x] b\r\n```\n- [ ]\n", "---\na\n---\n<!--\n-->", "\xef\xbb\xbf1. [~] \xff b\n===", "- ☐ x\n[ ] y\n-[]z", "---\n- [ ] a"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		at, n := 0, 0
		for _, l := range ReadPage(data) {
			n++
			if l.N != n || l.Start < at || l.End < l.Start || strings.Trim(string(data[at:l.Start]), "\r\n\xef\xbb\xbf") != "" {
				t.Fatalf("line %d: %+v after %d", n, l, at)
			}
			at = l.End
			if b := l.Box; b.State != NoBox && (b.Start < l.Start || b.End > l.End || b.Start > b.End) {
				t.Fatalf("line %d: %+v", n, l)
			} else if b.State == Open && b.Sign[0] == '[' && strings.TrimSpace(string(data[b.Start:b.End])) != "" {
				t.Fatalf("line %d: %q", n, data[b.Start:b.End])
			}
		}
		if rest := strings.Trim(string(data[at:]), "\r\n\xef\xbb\xbf"); rest != "" {
			t.Fatalf("%q is in no line", rest)
		}
	})
}

func BenchmarkReadPage(b *testing.B) {
	data := []byte(strings.Repeat("## Phase\n\n- [ ] T001 [P] make it in src/a.go\n  - and so on\n\n", 20000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if n := len(ReadPage(data)); n != 100000 {
			b.Fatal(fmt.Sprint(n))
		}
	}
}
