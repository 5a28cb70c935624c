package clue

import (
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// Sentence is a sentence of a unit, its clauses, and whose the lines in it are.
type Sentence struct {
	Toks    []token.Token // of the unit
	A, B    int           // the sentence's
	Clauses []talk.Clause
	Lines   map[int]int // which mention a token of lines belongs to
}

// Spans are the lines said of the mention at i.
func (st *Sentence) Spans(i int) []spot.Span {
	spans := st.Toks[i].M.Spans
	if len(spans) > 0 {
		spans = spans[:len(spans):len(spans)]
	}
	for j := st.A; j < st.B; j++ {
		if at, ok := st.Lines[j]; ok && at == i && st.Toks[j].Kind == 'L' {
			if !st.Elsewhere(i, j) && !ContainsAll(spans, st.Toks[j].Spans) {
				spans = append(spans, st.Toks[j].Spans...)
			}
		}
	}
	return spans
}

// Elsewhere tells whether the lines at j stand in a later clause than the mention at i, and
// a clause between is turned down where theirs is not, or the other way round: "a.go is
// fine, though line 5 needs a comment".
func (st *Sentence) Elsewhere(i, j int) bool {
	m, l := st.clause(i), st.clause(j)
	for k := m; k < l; k++ {
		if (st.Clauses[k].Neg == "") != (st.Clauses[l].Neg == "") {
			return true
		}
	}
	return false
}

func (st *Sentence) clause(n int) int {
	for k, c := range st.Clauses {
		if n >= c.A && n < c.B {
			return k
		}
	}
	return 0
}

// Names tells whether something is named among the tokens: a file, or after a colon a page
// elsewhere.
func Names(toks []token.Token, a, b int) bool {
	for i := a; i < b; i++ {
		if toks[i].M != nil && !toks[i].M.Soft || toks[i].Kind == 'u' && i > a && toks[i-1].Kind == 'p' && toks[i-1].Text == ":" {
			return true
		}
	}
	return false
}

// Mood is what the clause before said, for those that are short beside it.
type Mood struct {
	Neg string // why it asked for nothing, or ""
	Bad bool   // whether it named a defect
}

// Hear weighs what a clause means only beside the one before: "b.go isn't", "at first glance
// it looks racy", "b.go passes nil, so a.go must check".
func (m *Mood) Hear(st *Sentence, k int) {
	cs, toks := st.Clauses, st.Toks
	c := &cs[k]
	before := m.Neg
	if k > 0 {
		before = cs[k-1].Neg
	}
	asks := c.Has&(token.Ask|token.Need) != 0
	switch {
	case c.Short && !asks && before == "found good":
		c.Neg, c.Has = "", c.Has|token.Bad
	case c.Short && c.Neg == "" && !asks && before == "" && (k > 0 && cs[k-1].Has&token.Bad != 0 || k == 0 && m.Bad):
		c.Neg, c.Soft = "found good", true
	case k > 0 && talk.Concludes(toks, c) && c.Firm && !cs[k-1].Firm && cs[k-1].Has&token.Bad == 0 && cs[k-1].Neg == "" && Names(toks, c.A, c.B):
		cs[k-1].Neg, cs[k-1].Soft = "a premise", true
	case k > 0 && cs[k-1].Neg == "a first thought" && No(toks, c):
		c.Neg, c.Soft = "found good", true
	case talk.Thought(toks, c) && !c.Firm:
		c.Neg, c.Soft = "a first thought", true
	}
	m.Bad = c.Has&token.Bad != 0
}

// Same hears "Same for b.go": what was just said of a.go, praise included. It keeps what the
// clause says for the next.
func (m *Mood) Same(toks []token.Token, c *talk.Clause) {
	i := c.A
	if i+2 < c.B && toks[i].Kind == 'm' && toks[i+1].Kind == 'p' { // "b.go: same"
		i += 2
	}
	w := toks[i].Lower
	if w == "same" && (i+1 >= c.B || toks[i+1].Kind == 'p' || toks[i+1].Lower == "here" || toks[i+1].Lower == "for" || toks[i+1].Lower == "with" || toks[i+1].Lower == "goes") || w == "likewise" || w == "ditto" || w == "dito" || w == "idem" {
		if m.Neg != "" && c.Neg == "" {
			c.Neg, c.Firm = m.Neg, false
		}
	}
	m.Neg = c.Neg
}

// Listed tells the name at the start of a line where the line before or after starts with a
// name too: each line is a remark of its own.
func (st *Sentence) Listed(i int) bool {
	if i != st.A || !st.Toks[i].Nl {
		return false
	}
	if j := st.B; j < len(st.Toks) && st.Toks[j].Nl && st.Toks[j].Kind == 'm' {
		return true
	}
	for j := i - 1; j >= 0; j-- {
		if st.Toks[j].Nl {
			return st.Toks[j].Kind == 'm'
		}
	}
	return false
}
