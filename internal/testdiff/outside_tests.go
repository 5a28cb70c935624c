package testdiff

import (
	"bytes"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/syntax"
)

// outsideLoss is how many assertions a test file lost outside of its tests.
type outsideLoss struct {
	file  *syntax.File
	count int
}

// compareOutside compares the code outside of a file's tests; false means that it asserts as much
// as before.
func compareOutside(f *syntax.File, before, after []fileTest) (outsideLoss, bool) {
	if !containsTests(f, f.Before) || !containsTests(f, f.After) ||
		bytes.Equal(textOutsideTests(f.Before, before), textOutsideTests(f.After, after)) {
		return outsideLoss{}, false
	}
	l := syntax.LanguageOf(f.Path)
	n := CountOutsideTests(l, f.Before, plainTests(before)) - CountOutsideTests(l, f.After, plainTests(after))
	return outsideLoss{f, n}, n > 0
}

func plainTests(tests []fileTest) []Test {
	var out []Test
	for _, t := range tests {
		out = append(out, t.Test)
	}
	return out
}

// textOutsideTests returns a text without the lines of its tests' bodies. Comparing that is faster
// than counting assertions, and most changes of tests leave it unchanged.
func textOutsideTests(text []byte, tests []fileTest) []byte {
	within := map[int]bool{}
	for _, t := range tests {
		if n := len(t.Body); n > 0 {
			for line := t.Body[0].Line; line <= t.Body[n-1].Line; line++ {
				within[line] = true
			}
		}
	}
	var out []byte
	line := 0
	for l := range bytes.Lines(text) {
		if line++; !within[line] {
			out = append(out, l...)
		}
	}
	return out
}

// findOutsideLosses returns a warning for each test file with fewer assertions outside of its
// tests, unless the change adds as many elsewhere. A test can be weakened by weakening its helpers.
func findOutsideLosses(files []*syntax.File, losses []outsideLoss) []belay.Finding {
	var out []belay.Finding
	more := map[syntax.Language]int{}
	for _, l := range losses {
		family := syntax.LanguageOf(l.file.Path).Family()
		if _, known := more[family]; !known {
			more[family] = assertionDelta(files, family)
		}
		if more[family] >= 0 {
			continue
		}
		out = append(out, belay.Finding{
			Severity: belay.SeverityWarning, File: l.file.Path, Title: "fewer assertions outside tests: " + l.file.Path,
			Detail:         fmt.Sprintf("functions that its tests call lost %s", number(l.count)),
			Recommendation: "restore the assertions, unless the tests have them now",
		})
	}
	return out
}

// assertionDelta returns how many assertions the change adds in all files of a language, negative
// if it removes some.
func assertionDelta(files []*syntax.File, family syntax.Language) int {
	more := make([]int, len(files))
	syntax.ForEach(files, func(i int, f *syntax.File) {
		l := syntax.LanguageOf(f.Path)
		if l.Family() != family || syntax.IsBinary(f.Before) || syntax.IsBinary(f.After) {
			return
		}
		more[i] = CountOutsideTests(l, f.After, nil) - CountOutsideTests(l, f.Before, nil)
	})
	sum := 0
	for _, n := range more {
		sum += n
	}
	return sum
}
