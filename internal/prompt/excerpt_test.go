package prompt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const goFile = `package p

import "fmt"

// F says hello
// to the world.
func F() {
	fmt.Println("hello")
}

var x = 1

func G() {
	for {
		F()
	}
}
`

const pyFile = `import os


class A:
    """Docs."""

    @property
    def name(self):
        if self.x:
            return "x"

        return "y"

    def other(self):
        pass


TOP = 1
`

const tsFile = `import { a } from "a";

/** Adds. */
export function add(x: number, y: number): number {
  const z = x + y;
  return z;
}

const list = [
  "a",
  "b",
];
`

func TestOf(t *testing.T) {
	t.Parallel()
	long := "func long() {\n" + strings.Repeat("\tstep()\n", 100) + "}\n"
	for name, tt := range map[string]struct {
		file, text string
		places     []Range
		want       []Range
	}{
		"a function with its words":    {"a.go", goFile, []Range{{8, 8}}, []Range{{5, 9}}},
		"a declaration":                {"a.go", goFile, []Range{{11, 11}}, []Range{{11, 11}}},
		"two, merged":                  {"a.go", goFile, []Range{{15, 15}, {11, 11}}, []Range{{11, 17}}},
		"between declarations":         {"a.go", goFile, []Range{{4, 4}}, []Range{{1, 9}}},
		"Go made from another file":    {"a.go", "package p\n\n//line a.y:100\n\nfunc F() {\n\tx = 1\n}\n\nvar y, z int\n", []Range{{6, 6}}, []Range{{5, 7}}},
		"Go that does not parse":       {"a.go", "package p\n\nfunc F() {\n\tx(\n}\n", []Range{{4, 4}}, []Range{{3, 5}}},
		"a method with its decorator":  {"a.py", pyFile, []Range{{12, 12}}, []Range{{7, 12}}},
		"a block in it":                {"a.py", pyFile, []Range{{10, 10}}, []Range{{9, 10}}},
		"at the top level":             {"a.py", pyFile, []Range{{18, 18}}, []Range{{13, 18}}},
		"a function of TypeScript":     {"a.ts", tsFile, []Range{{5, 5}}, []Range{{3, 7}}},
		"an entry of a list":           {"a.ts", tsFile, []Range{{11, 11}}, []Range{{9, 12}}},
		"a declaration that is long":   {"a.go", "package p\n\n" + long, []Range{{50, 51}}, []Range{{45, 56}}},
		"beyond the end":               {"a.txt", "one\ntwo\n", []Range{{99, 120}}, []Range{{1, 2}}},
		"no place":                     {"a.txt", strings.Repeat("x\n", 30), nil, []Range{{1, 6}}},
		"an empty file":                {"a.txt", "", []Range{{1, 1}}, []Range{{1, 1}}},
		"a range longer than is shown": {"a.txt", strings.Repeat("x\n", 300), []Range{{10, 200}}, []Range{{5, 54}}},
	} {
		got, ok := Excerpts(tt.file, []byte(tt.text), tt.places)
		var ranges []Range
		for _, e := range got {
			ranges = append(ranges, e.Range)
		}
		if d := cmp.Diff(tt.want, ranges); d != "" || !ok {
			t.Errorf("%s: %s", name, d)
		}
	}
	for name, text := range map[string]string{"binary": "a\x00b", "large": strings.Repeat("x", MaxFileBytes+1)} {
		if _, ok := Excerpts("a", []byte(text), nil); ok {
			t.Errorf("a %s file is shown", name)
		}
	}
}

func TestString(t *testing.T) {
	t.Parallel()
	list, _ := Excerpts("a.txt", []byte("one\n\ttwo\x1b[31m\r\n"+strings.Repeat("é", 300)), []Range{{2, 2}})
	want := "1  one\n2      two\\x1b[31m\n3  " + strings.Repeat("é", 200) + "…\n"
	if d := cmp.Diff(want, fmt.Sprint(list[0])); d != "" {
		t.Error(d)
	}
}

// TestEveryPlaceIsShown: for any text, excerpts are in order, do not overlap, and show each place's
// first line.
func TestEveryPlaceIsShown(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{"", "func F() {", "}", "\tx()", "    y", "class A:", "  def f(self):", "end", "\t\t}", "\xff", "// c"})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 1, 120).Draw(t, "lines")
		name := rapid.SampledFrom([]string{"a.go", "a.py", "a"}).Draw(t, "name")
		var places []Range
		for range rapid.IntRange(0, 5).Draw(t, "places") {
			n := rapid.IntRange(-3, 150).Draw(t, "first")
			places = append(places, Range{n, n + rapid.IntRange(0, 20).Draw(t, "more")})
		}
		list, ok := Excerpts(name, []byte(strings.Join(lines, "\n")), places)
		if !ok {
			t.Fatal("not shown")
		}
		last := 0
		for _, e := range list {
			if e.First <= last || e.Last < e.First || len(e.Lines) != e.Last-e.First+1 {
				t.Fatalf("%+v after %d", e.Range, last)
			}
			last = e.Last
		}
		for _, p := range places {
			first := min(max(p.First, 1), last)
			shown := false
			for _, e := range list {
				shown = shown || e.First <= first && first <= e.Last
			}
			if !shown {
				t.Fatalf("line %d is not in %+v", first, list)
			}
		}
	})
}
