package syntax

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func numbers(l Lines) []int {
	var out []int
	for i := range l.set {
		if l.set[i] {
			out = append(out, i+1)
		}
	}
	return out
}

func TestAdded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after string
		want          []int
	}{
		{"", "", nil},
		{"", "a\n", []int{1}},
		{"a\n", "", nil},
		{"a\nb\nc\n", "a\nb\nc\n", nil},
		{"a\nb\nc\n", "a\nx\nc\n", []int{2}},
		{"a\nc\n", "a\nb\nc\n", []int{2}},
		{"a\nb\nc\n", "a\nc\n", nil},
		{"a\r\nb\r\n", "a\nb\n", nil},
		{"a\nb", "a\nb\n", nil},
		{"a\nb\nc\nd\n", "x\na\nc\ny\nd\nz\n", []int{1, 4, 6}},
		{"a\na\na\n", "a\na\na\na\n", []int{4}},
	} {
		if got := numbers(AddedLines([]byte(c.before), []byte(c.after))); !slices.Equal(got, c.want) {
			t.Errorf("%q to %q: %v, want %v", c.before, c.after, got, c.want)
		}
	}
	f := File{After: []byte("a\nb\n")}
	if !f.IsCreated() || f.IsDeleted() || f.AddedLines().Count() != 2 || !f.AddedLines().HasAny(2, 9) || f.AddedLines().HasAny(3, 9) || f.AddedLines().Has(0) {
		t.Error("a new file's lines are all new")
	}
}

// TestAddedIsAShortestDifference: the other lines are a subsequence of before, and as many as a
// longest common subsequence has.
func TestAddedIsAShortestDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 14)
		a, b := text.Draw(t, "before"), text.Draw(t, "after")
		l := AddedLines([]byte(join(a)), []byte(join(b)))
		i, kept := 0, 0
		for n, line := range b {
			if l.Has(n + 1) {
				continue
			}
			kept++
			for i < len(a) && a[i] != line {
				i++
			}
			if i++; i > len(a) {
				t.Fatalf("line %d of %v is not added, but not in %v", n+1, b, a)
			}
		}
		if best := common(a, b); kept != best {
			t.Fatalf("%v to %v keeps %d, could keep %d", a, b, kept, best)
		}
	})
}

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diag := 0
		for j, y := range b {
			keep := row[j+1]
			if x == y {
				row[j+1] = diag + 1
			} else {
				row[j+1] = max(row[j], row[j+1])
			}
			diag = keep
		}
	}
	return row[len(b)]
}

// TestAddedOfARewrite: the difference of a large rewrite is fast, and complete.
func TestAddedOfARewrite(t *testing.T) {
	t.Parallel()
	var a, b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&a, "old %d\n", i)
		fmt.Fprintf(&b, "new %d\n", i)
	}
	if n := AddedLines([]byte(a.String()), []byte(b.String())).Count(); n != 20_000 {
		t.Errorf("%d lines are new", n)
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	files := []*File{{Path: "a"}, {Path: "b"}, {Path: "c"}}
	var paths [3]string
	ForEach(files, func(i int, f *File) { paths[i] = f.Path })
	if paths != [3]string{"a", "b", "c"} {
		t.Error(paths)
	}
	defer func() {
		if p := recover(); p != "b: oh" {
			t.Errorf("it panicked with %v", p)
		}
	}()
	ForEach(files, func(_ int, f *File) {
		if f.Path == "b" {
			panic("oh")
		}
	})
}

func FuzzAdded(f *testing.F) {
	f.Add([]byte("a\nb\n"), []byte("b\r\nc"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		l := AddedLines(a, b)
		if n := len(l.set); a != nil && n < strings.Count(string(b), "\n") {
			t.Fatalf("%d lines", n)
		}
		if string(a) == string(b) && l.Count() != 0 {
			t.Fatal("a text differs from itself")
		}
	})
}

func BenchmarkAddedRewrite(b *testing.B) {
	var x, y strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&x, "old %d\n", i)
		fmt.Fprintf(&y, "new %d\n", i)
	}
	one, two := []byte(x.String()), []byte(y.String())
	for b.Loop() {
		AddedLines(one, two)
	}
}
