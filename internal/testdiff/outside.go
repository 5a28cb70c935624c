package testdiff

import (
	"bytes"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/syntax"
)

// loss says how many assertions a test file lost outside its tests.
type loss struct {
	file *syntax.File
	n    int
}

// lost compares what is outside a file's tests; the second is false when nothing is
// asserted less there.
func lost(f *syntax.File, before, after []placed) (loss, bool) {
	if !holdsTests(f, f.Before) || !holdsTests(f, f.After) || bytes.Equal(around(f.Before, before), around(f.After, after)) {
		return loss{}, false
	}
	l := syntax.Of(f.Path)
	n := Outside(l, f.Before, read(before)) - Outside(l, f.After, read(after))
	return loss{f, n}, n > 0
}

func read(tests []placed) []Test {
	var out []Test
	for _, t := range tests {
		out = append(out, t.Test)
	}
	return out
}

// around returns a text without the lines of its tests' bodies: quicker than counting what
// asserts, and most changes of tests leave it alone.
func around(text []byte, tests []placed) []byte {
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

// outside warns of test files in which functions that are no tests assert less than
// before, unless the change asserts as much elsewhere: a test can be weakened where it
// does not show.
func outside(files []*syntax.File, losses []loss) []belay.Finding {
	var out []belay.Finding
	more := map[syntax.Language]int{}
	for _, l := range losses {
		family := syntax.Of(l.file.Path).Family()
		if _, known := more[family]; !known {
			more[family] = asserted(files, family)
		}
		if more[family] >= 0 {
			continue
		}
		out = append(out, belay.Finding{
			Severity: belay.SeverityWarning, File: l.file.Path, Title: "fewer assertions outside tests: " + l.file.Path,
			Detail:         fmt.Sprintf("functions that its tests call lost %s", number(l.n)),
			Recommendation: "restore the assertions, unless the tests have them now",
		})
	}
	return out
}

// asserted says by how much the change asserts more, or less, in all files of a language.
func asserted(files []*syntax.File, family syntax.Language) int {
	more := make([]int, len(files))
	syntax.Each(files, func(i int, f *syntax.File) {
		l := syntax.Of(f.Path)
		if l.Family() != family || syntax.Binary(f.Before) || syntax.Binary(f.After) {
			return
		}
		more[i] = Outside(l, f.After, nil) - Outside(l, f.Before, nil)
	})
	sum := 0
	for _, n := range more {
		sum += n
	}
	return sum
}
