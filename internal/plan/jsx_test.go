package plan

import (
	"fmt"
	"strings"
	"testing"
)

func readJSX(text string) (*Doc, error) { return ReadJSX([]byte(text), NewIndex([]byte(text))) }

// TestElements: what is read as an element, and what only looks like one.
func TestElements(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`<A b="1" c='2' d={3} e f={"g"} {...h} />`, "A b=1 c=2 d=3 e= f=g"},
		{"import x from 'y'\n<A/>", "A"},
		{"const f = <T,>(x: T) => x; const g = <T extends U>(x: T) => x; const h = <T>(x: T) => x", ""},
		{"const a: Array<B> = []; const c = d < E && f > 1; useState<Section>(null)", ""},
		{"const r = /<A>/.test(s) ? <B/> : 4 / 2 / <C/>", "B | C"},
		{"`<A/> ${<B c=\"d\"/>} <C/>`; '<D/>'; // <E/>\n/* <F/> */", "B c=d"},
		{"<A>text's <b>&lt;</b> {'<C/>'} {/* <D/> */} {e && <F/>}</A>", "A | b | F"},
		{"<><A.B-c:d/></>", " | A.B-c:d"},
		{"<A b={<C/>} d=<E/> f={{g: {}}}>{list.map((x) => <H key={x}>{x}</H>)}</A>", "A b=~ d=~ f=~ | C | E | H key=~"},
		{"return <Table<Row> rows={r}/>", "Table rows=~"},
		{"<A /* one */ // two\n b/>", "A b="},
		{"let n = x! / 2; <A/>", "A"},
		{"#!/usr/bin/env x\n<A/>", "A"},
	} {
		doc, err := readJSX(c.src)
		if err != nil {
			t.Errorf("%q: %v", c.src, err)
			continue
		}
		var got []string
		for _, e := range doc.Elements {
			s := e.Name
			for _, a := range e.Attrs {
				v := a.Value
				if !a.IsConstant {
					v = "~"
				}
				s += fmt.Sprintf(" %s=%s", a.Name, v)
			}
			got = append(got, s)
			if src := c.src[e.Start:e.End]; src[0] != '<' || src[len(src)-1] != '>' {
				t.Errorf("%q: %s is %q", c.src, e.Name, src)
			}
		}
		if g := strings.Join(got, " | "); g != c.want {
			t.Errorf("%q has %q, want %q", c.src, g, c.want)
		}
	}
}

// TestWrong: syntax errors are reported with their line and a message.
func TestWrong(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"<A>\n<B>\n</A>", "line 3: found </A> where <B> of line 2 should be closed"},
		{"<A>\n", "line 1: <A> is never closed"},
		{"\n<A b=\"c", `line 2: the value of b is never closed`},
		{"<A b=>", "line 1: b has no value after its ="},
		{"<A b\n<B/>", "line 1: the tag <A is not closed before the next one"},
		{"<A", "line 1: the tag <A is never closed"},
		{"<A>\n a < 5</A>", "line 2: a < between tags starts no tag: write {'<'}"},
		{"<A>\n}</A>", "line 2: a } between tags closes nothing: write {'}'}"},
		{"<A>{/* x</A>", "line 1: a comment is never closed"},
		{"x(\n[1)", `line 2: found ')' where '[' of line 2 should be closed`},
		{"}", `line 1: '}' closes nothing`},
		{"f({\n", `line 1: '{' is never closed`},
		{"'a\n'", "line 1: a string is not closed on its line"},
		{"`a", "line 1: a template is never closed"},
		{"<A #/>", `line 1: unexpected '#' in the tag <A`},
		{strings.Repeat("(", 500), "line 1: brackets and tags are nested more than 400 deep"},
		{"<!-- x -->", ""},
	} {
		_, err := readJSX(c.src)
		if c.want == "" {
			continue
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%.20q: %v, want %s", c.src, err, c.want)
		}
	}
}

// TestComments: a comment between tags includes its braces, and every comment has the right place.
func TestComments(t *testing.T) {
	src := "// a\n<A /* b */>{/* c */}{ /* d */ }{/* e */ 1}{x(/* f */)}</A> /* g */"
	doc, err := readJSX(src)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range doc.Comments {
		got = append(got, fmt.Sprintf("%s %d %s", strings.TrimSpace(c.Text), c.Place, src[c.Start:c.End]))
	}
	want := "a 0 // a|b 2 /* b */|c 1 {/* c */}|d 1 { /* d */ }|e 0 /* e */|f 0 /* f */|g 0 /* g */"
	if g := strings.Join(got, "|"); g != want {
		t.Errorf("comments\n%s\nwant\n%s", g, want)
	}
}
