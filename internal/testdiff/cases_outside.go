package testdiff

import (
	"slices"

	"github.com/belay-dev/belay/internal/syntax"
)

// CountOutsideTests counts the assertions of a text outside of the given tests, which are some of
// those that ReadTests returns: assertions of functions that tests call. A call of such a function
// does not count.
func CountOutsideTests(l syntax.Language, text []byte, tests []Test) int {
	bodies := testBodies(tests)
	s := newSource(l, syntax.LexCode(l, text))
	n := 0
	for i, t := range s.Tokens {
		for len(bodies) > 0 && isBefore(bodies[0].last, t) {
			bodies = bodies[1:]
		}
		if s.Depth[i] > maxDepth || len(bodies) > 0 && !isBefore(t, bodies[0].first) {
			continue
		}
		helper := l == syntax.Go && s.Is(i+1, "(") && !s.At(i-1).Is(".") && s.receivesHandle(i+1)
		if helper || !s.isAssertion(i) || s.isVacuous(i) {
			continue
		}
		if d := s.findSuppression(i); d.Unreachable.Text == "" && (d.Swallowed.Text == "" || d.Swallowed.Unsure) {
			n++
		}
	}
	return n
}

type body struct{ first, last syntax.Token }

// testBodies returns the bodies of tests in the order of the text. Overlapping ones are merged.
func testBodies(tests []Test) []body {
	var list []body
	for _, t := range tests {
		if len(t.Body) > 0 {
			list = append(list, body{t.Body[0], t.Body[len(t.Body)-1]})
		}
	}
	slices.SortStableFunc(list, func(a, b body) int {
		switch {
		case isBefore(a.first, b.first):
			return -1
		case isBefore(b.first, a.first):
			return 1
		}
		return 0
	})
	var apart []body
	for _, b := range list {
		if n := len(apart); n > 0 && !isBefore(apart[n-1].last, b.first) {
			if isBefore(apart[n-1].last, b.last) {
				apart[n-1].last = b.last
			}
			continue
		}
		apart = append(apart, b)
	}
	return apart
}

func isBefore(a, b syntax.Token) bool { return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col }
