package testdiff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/syntax"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestExpectedValues parses testdata/expect/<language>.txt: pieces of source between lines of
// dashes, each followed by the expected values.
func TestExpectedValues(t *testing.T) {
	t.Parallel()
	testutil.Pieces(t, "testdata/expect/*.txt", 8, func(name, piece string) string {
		var got strings.Builder
		l := syntax.Language(name)
		for _, v := range ExpectedValues(l, syntax.LexCode(l, []byte(piece))) {
			fmt.Fprintf(&got, "%d %s | %s %s\n", v.Line, v.Subject, v.Op, v.Text)
		}
		return got.String()
	})
}

var (
	three = Value{Subject: "f ( 1 )", Op: "eq", Text: "3"}
	four  = Value{Subject: "f ( 1 )", Op: "eq", Text: "4"}
	holds = Value{Subject: "f ( 1 )", Op: "toBeDefined"}
	other = Value{Subject: "f ( 2 )", Op: "eq", Text: "3"}
)

func TestChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after []Value
		want          string
	}{
		"another value":        {[]Value{three}, []Value{four}, "3 → 4"},
		"one more before":      {[]Value{three}, []Value{four, three}, ""},
		"another order":        {[]Value{three, four, other}, []Value{other, four, three}, ""},
		"one of two":           {[]Value{three, four}, []Value{holds, three}, "4 → toBeDefined"},
		"gone":                 {[]Value{three}, nil, ""},
		"another subject":      {[]Value{three}, []Value{other}, ""},
		"stronger than before": {[]Value{holds}, []Value{three}, ""},
		"weaker":               {[]Value{three}, []Value{holds}, "3 → toBeDefined"},
		"turned round":         {[]Value{{Subject: "x", Op: "true"}}, []Value{{Subject: "x", Op: "false"}}, "true → false"},
		"a lower bound":        {[]Value{{Subject: "x", Op: ">", Text: "9"}}, []Value{{Subject: "x", Op: ">", Text: "1"}}, "> 9 → > 1"},
	} {
		var got []string
		changes, _ := CompareValues(c.before, c.after)
		for _, x := range changes {
			got = append(got, x.Old.Describe()+" → "+x.New.Describe())
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestShuffled: reordered values have not changed.
func TestShuffled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.SampledFrom([]Value{three, four, holds, other})).Draw(t, "values")
		mixed := rapid.Permutation(list).Draw(t, "mixed")
		more := append(rapid.SliceOf(rapid.Just(other)).Draw(t, "more"), mixed...)
		if changes, _ := CompareValues(list, more); len(changes) > 0 {
			t.Fatalf("%+v", changes)
		}
	})
}

// FuzzExpectedValues: values of any text have a position in it.
func FuzzExpectedValues(f *testing.F) {
	files, _ := filepath.Glob("testdata/expect/*.txt")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.TrimSuffix(filepath.Base(file), ".txt"), raw)
	}
	f.Add("python", []byte("assert (f(1) &&& f(2) ||| g)\nassert && &\n"))
	f.Fuzz(func(t *testing.T, l string, raw []byte) {
		values := ExpectedValues(syntax.Language(l), syntax.LexCode(syntax.Language(l), raw))
		for _, v := range values {
			if v.Subject == "" || v.Op == "" || v.Line < 1 || v.Line > strings.Count(string(raw), "\n")+1 {
				t.Fatalf("%+v", v)
			}
		}
		if changes, rest := CompareValues(values, values); len(changes)+len(rest) > 0 {
			t.Fatalf("unchanged, but got %+v %+v", changes, rest)
		}
	})
}
