package integrity

import (
	"bytes"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/cases"
	"github.com/belay-dev/belay/internal/check/edit"
	"github.com/belay-dev/belay/internal/check/lang"
)

// loss says how many assertions a test file lost outside of its tests.
type loss struct {
	file *edit.File
	n    int
}

// lost compares what stands outside of a file's tests; the second is false when nothing is
// asserted less there.
func lost(f *edit.File, before, after []placed) (loss, bool) {
	if !holdsTests(f, f.Before) || !holdsTests(f, f.After) || bytes.Equal(around(f.Before, before), around(f.After, after)) {
		return loss{}, false
	}
	l := lang.Of(f.Path)
	n := cases.Outside(l, f.Before, read(before)) - cases.Outside(l, f.After, read(after))
	return loss{f, n}, n > 0
}

func read(tests []placed) []cases.Test {
	var out []cases.Test
	for _, t := range tests {
		out = append(out, t.Test)
	}
	return out
}

// around gives a text without the lines of its tests' bodies: quicker than counting what
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
func outside(files []*edit.File, losses []loss) []belay.Finding {
	var out []belay.Finding
	more := map[lang.Language]int{}
	for _, l := range losses {
		family := lang.Of(l.file.Path).Family()
		if _, known := more[family]; !known {
			more[family] = asserted(files, family)
		}
		if more[family] >= 0 {
			continue
		}
		out = append(out, belay.Finding{
			Severity: belay.SeverityWarning, File: l.file.Path, Title: "fewer assertions outside of tests: " + l.file.Path,
			Detail:         fmt.Sprintf("functions that its tests call had %s more", number(l.n)),
			Recommendation: "bring back what they asserted, unless the tests do it now",
		})
	}
	return out
}

// asserted says by how much the change asserts more, or less, in all files of a language.
func asserted(files []*edit.File, family lang.Language) int {
	more := make([]int, len(files))
	edit.Each(files, func(i int, f *edit.File) {
		l := lang.Of(f.Path)
		if l.Family() != family || edit.Binary(f.Before) || edit.Binary(f.After) {
			return
		}
		more[i] = cases.Outside(l, f.After, nil) - cases.Outside(l, f.Before, nil)
	})
	sum := 0
	for _, n := range more {
		sum += n
	}
	return sum
}
