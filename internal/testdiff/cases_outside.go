package testdiff

import (
	"slices"

	"github.com/belay-dev/belay/internal/syntax"
)

// Outside counts the assertions of a text that are in none of the tests, which are some
// of Read's: in functions that tests call. A call of such a function is none itself.
func Outside(l syntax.Language, text []byte, tests []Test) int {
	bodies := bodiesOf(tests)
	s := newSource(l, syntax.Code(l, text))
	n := 0
	for i, t := range s.Tokens {
		for len(bodies) > 0 && before(bodies[0].last, t) {
			bodies = bodies[1:]
		}
		if s.Depth[i] > Deepest || len(bodies) > 0 && !before(t, bodies[0].first) {
			continue
		}
		helper := l == syntax.Go && s.Is(i+1, "(") && !s.At(i-1).Is(".") && s.Handed(i+1)
		if helper || !s.Asserts(i) || s.Hollow(i) {
			continue
		}
		if d := s.Deaf(i); d.Never.Text == "" && (d.Caught.Text == "" || d.Caught.Maybe) {
			n++
		}
	}
	return n
}

type body struct{ first, last syntax.Token }

// bodiesOf returns what tests do, in the order of the text and apart: one within another
// begins no earlier and ends no later.
func bodiesOf(tests []Test) []body {
	var list []body
	for _, t := range tests {
		if len(t.Body) > 0 {
			list = append(list, body{t.Body[0], t.Body[len(t.Body)-1]})
		}
	}
	slices.SortStableFunc(list, func(a, b body) int {
		switch {
		case before(a.first, b.first):
			return -1
		case before(b.first, a.first):
			return 1
		}
		return 0
	})
	var apart []body
	for _, b := range list {
		if n := len(apart); n > 0 && !before(apart[n-1].last, b.first) {
			if before(apart[n-1].last, b.last) {
				apart[n-1].last = b.last
			}
			continue
		}
		apart = append(apart, b)
	}
	return apart
}

func before(a, b syntax.Token) bool { return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col }
