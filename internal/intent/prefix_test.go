package intent

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNear: mayMatch accepts a path if three letters of its last three parts begin a word, in any
// case, and only then, even where the sieve does not distinguish punctuation from letters.
func TestNear(t *testing.T) {
	s := &prefixSet{all: map[[3]byte]bool{}}
	s.add("plotWidget")
	s.add("qab")
	for file, want := range map[string]bool{
		"src/plot.go": true, "src/PLOTS.go": true, "src/myplot.go": true, "src/a_widget.go": true, "src/idget.go": false, "plot/a/b/main.go": false, "a/plot/b/main.go": true,
		"src/1ab.go": false, "a.c": true, "src/x/qa.b": false,
	} {
		if got := s.mayMatch(file); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}

func TestNearAsBySearch(t *testing.T) {
	of := func(from string, least, most int) *rapid.Generator[string] {
		return rapid.StringOfN(rapid.RuneFrom([]rune(from)), least, most, -1)
	}
	rapid.Check(t, func(t *rapid.T) {
		word, name := of("abq1", 3, 3).Draw(t, "word"), of("abq1._", 4, 12).Draw(t, "name")
		s := &prefixSet{all: map[[3]byte]bool{}}
		s.add(word)
		if got, want := s.mayMatch("src/x/y/"+name), strings.Contains("x/y/"+name, word); got != want {
			t.Fatalf("%q in %q: %v, want %v", word, name, got, want)
		}
	})
}
