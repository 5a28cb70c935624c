package bystander

import (
	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// Review is what only the reading of the whole review knows.
type Review struct {
	Asked  bool                     // a clause before, in the same sentence, asks to change what it names
	Rename string                   // why the ends of a rename that is only reported are left, or ""
	Ends   []int                    // the two ends of that rename
	Other  func(*spot.Mention) bool // another file than the heading or the item is about
	IsTest func(*spot.Mention) bool // a file of tests
}

// Why tells why the name at i in a clause is not what the clause asks to change, or "".
// What is said of its lines speaks against most reasons.
func Why(st *clue.Sentence, c *talk.Clause, i int, r Review) string {
	toks, m := st.Toks, st.Toks[i].M
	if len(st.Spans(i)) == 0 {
		if why := unlined(st, c, i, r); why != "" {
			return why
		}
	}
	switch {
	case value(toks, st.A, i):
		return "a pattern to be written there"
	case testOf(toks, i) && testAhead(toks, i+1, r),
		untested(toks, c, i) && !r.IsTest(m) && testAhead(toks, c.B, r):
		return "to be tested, which is done elsewhere"
	case m.Role && len(st.Spans(i)) == 0 && i > c.A+3 && c.Has&(token.Ask|token.Need|token.Bad) == 0:
		return "a part in passing"
	case cited(toks, st.A, st.B, i):
		return "in words that are cited"
	case r.Rename != "" && (i == r.Ends[0] || i == r.Ends[1]):
		return r.Rename
	case fails(toks, c, i) && r.IsTest(m), len(st.Spans(i)) == 0 && reports(toks, st.B, i):
		return "where it shows"
	case Barred(toks, c, i) <= 0 && (forbidden(toks, c, i) || Refers(toks, c, i)):
		return "only referred to"
	case c.Has&token.Create != 0 && came(toks, c, i):
		return "came without another file"
	}
	return ""
}

// unlined gives the reasons that hold for a name without lines.
func unlined(st *clue.Sentence, c *talk.Clause, i int, r Review) string {
	toks, m := st.Toks, st.Toks[i].M
	switch {
	case m.Soft && !subject(toks, c, i):
		return "a symbol in passing"
	case !c.Firm && background(toks, c, i):
		return "in passing"
	case reason(toks, st.A, c, i):
		return "a reason for what is asked"
	case !c.Firm && i > c.A+1 && r.Other(m):
		return "in passing, under another file"
	case denied(toks, st.A, st.B, i), blameless(toks, st.A, i):
		return "said not to be meant"
	case condition(toks, st.A, st.B, c, i):
		return "in passing, in a condition"
	case given(toks, r.Asked, c):
		return "a reason for what is asked"
	case !m.Fresh && (borrowed(toks, c, i) || object(toks, c, i)) || Barred(toks, c, i) < 0:
		return "only referred to"
	case describes(toks, c, i):
		return "only described"
	}
	return ""
}

// testAhead tells whether the sentences go on to name a test.
func testAhead(toks []token.Token, from int, r Review) bool {
	for i := from; i < len(toks) && i < from+40; i++ {
		if m := toks[i].M; m != nil && r.IsTest(m) {
			return true
		}
	}
	return false
}
