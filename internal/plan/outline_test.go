package plan

import (
	"fmt"
	"strings"
	"testing"
)

func TestHeadings(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"# A\n## B\n### C\n## D\n# E", "1A-1 2B0 3C1 2D0 1E-1"},
		{"A\n===\ntext\n\nB\n---\n", "1A-1 2B0"},
		{"one\ntwo\n---\n", "2one two-1"},
		{"- a\n---\n\n---\n# B\n", "1B-1"},
		{"# A ##\n#no\n####### no\n## \n", "1A-1 20"},
		{"```\n# no\n```\n~~~ x\n# no\n```\n~~~\n# A", "1A-1"},
		{"- ```\n  # no\n  ```\n# A", "1A-1"},
		{"> # no\n> ```\n\n# A", "1A-1"},
		{"    # no\n\n- x\n\n  # no\n\n# A", "1A-1"},
		{"<!-- \n# no\n-->\n# A", "1A-1"},
		{"<div>\n# no\n</div>\n\n# A", "1A-1"},
		{"<pre>\n\n# no\n</pre>\n# A", "1A-1"},
		{"---\ntitle: x\n# no\n---\n# A", "1A-1"},
		{"# A `b` **c** [d](e) {#f}\n", "1A b c d-1"},
		{"\ufeff# A\r\n# B\r# C", "1A-1 1B-1 1C-1"},
		{"``` x ``` y\n# A", "1A-1"},
	} {
		doc, err := ReadOutline([]byte(c.src), NewIndex([]byte(c.src)))
		if err != nil {
			t.Errorf("%q: %v", c.src, err)
			continue
		}
		var got []string
		for _, h := range doc.Headings {
			got = append(got, fmt.Sprintf("%d%s%d", h.Level, h.Title, h.Parent))
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%q has %q, want %q", c.src, g, c.want)
		}
	}
}

func TestHTMLComments(t *testing.T) {
	src := "<!-- a -->\ntext <!-- b --> `<!-- no -->` <!--c--> <!-->\n```\n<!-- no -->\n```\n- x <!-- d\ne -->\n<p>\n<!-- f -->\n</p>\n"
	doc, err := ReadOutline([]byte(src), NewIndex([]byte(src)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range doc.Comments {
		if s := src[c.Start:c.End]; !strings.HasPrefix(s, "<!--") || !strings.HasSuffix(s, "-->") {
			t.Errorf("a comment is %q", s)
		}
		got = append(got, strings.Join(strings.Fields(c.Text), " "))
	}
	if g := strings.Join(got, "|"); g != "a|b|c|d e|f" {
		t.Errorf("comments %q", g)
	}
}

// TestWrongOutline: unclosed syntax that would hide everything after it is an error with its line.
func TestWrongOutline(t *testing.T) {
	for src, want := range map[string]string{
		"# A\n```\n# B\n":    "line 2: the fence ``` is never closed",
		"# A\n\n<!-- x\n# B": "line 3: a comment is never closed",
	} {
		if _, err := ReadOutline([]byte(src), NewIndex([]byte(src))); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}
