package mine

import (
	"slices"

	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/setting"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// proseUnit reads a paragraph or a list item.
func (mn *miner) proseUnit(i int) {
	toks := mn.Toks[i]
	s := &mn.Scopes[i]
	if len(toks) == 0 {
		return
	}
	s.Summary = s.Summary || len(toks) > 6 && talk.Sums(toks[:4])
	if talk.Settled(toks) {
		s.Neg, s.Soft = "settled", false
	}
	if s.Topic != nil && len(s.Topic.Paths) == 1 {
		toks = token.Numbered(toks)
		mn.Toks[i] = toks
	}
	parent := i+1 < len(mn.Units) && mn.Units[i+1].Parent == i
	if (parent || mn.Introduces(i)) && clue.BareName(toks) {
		clue.Attach(toks)
		mn.Take(i, s, setting.Named(toks))
		if labs := talk.SeverityOf(toks, 0, len(toks)); len(labs) > 0 {
			s.Sev = labs[0].Sev
		}
		return
	}
	if mn.Units[i].Kind == prose.Item {
		mn.prior = nil
	}
	mn.Begins(i, s)
	before := len(mn.Hits)
	carry, named := talk.Severity(""), false
	for _, part := range talk.Sentences(toks) {
		if carry != "" && toks[part[0]].Nl && named && !talk.Likewise(toks[part[0]]) {
			carry = "" // the label of another line
		}
		was := carry
		if carry = mn.sentence(i, part, was); carry != was {
			named = clue.Names(toks, part[0], part[1])
		}
	}
	mn.spoken()
	if parent {
		mn.Hand(i, s, mn.Hits[before:], carry)
	}
}

// sentence is the state while one sentence is read.
type sentence struct {
	clue.Sentence
	unit    int
	labels  []talk.Found
	carry   talk.Severity
	took    []int
	asked   bool // a clause before asks to change what it names
	noTests bool // a set it names is meant without its tests
	out     map[string]bool
	turns   bool // a clause after "but" asks after all
	opens   bool // it ends with a colon: it speaks of what follows
}

// sentence reads one sentence and tells the label that covers what follows.
func (mn *miner) sentence(i int, part [2]int, carry talk.Severity) talk.Severity {
	toks := mn.Toks[i]
	st := &sentence{Sentence: clue.Sentence{Toks: toks, A: part[0], B: part[1]}, unit: i, carry: carry, labels: talk.SeverityOf(toks, part[0], part[1])}
	if len(st.labels) == 1 && st.labels[0].Lead && talk.LabelAt(toks, part[0]) != "" {
		if toks[part[0]].Nl || mn.OfUnit(i) == 0 {
			st.carry = st.labels[0].Sev
		}
	}
	st.Lines = clue.Belongs(toks, part[0], part[1])
	cs := talk.Clauses(toks, part[0], part[1])
	st.Clauses = cs
	q := clue.Question(toks, part)
	for k := range cs {
		talk.Weigh(toks, &cs[k], q && k == len(cs)-1)
	}
	mn.exceptions(st)
	clue.Spread(toks, cs)
	mn.mood.Same(toks, &cs[0])
	if talk.Rest(toks, part[0], part[1]) {
		for k := range cs {
			if cs[k].Neg == "" && cs[k].Has&(token.Ask|token.Need|token.Bad) == 0 {
				cs[k].Neg, cs[k].Soft = "found good", true
			}
		}
	}
	for k := range cs {
		mn.mood.Hear(&st.Sentence, k)
	}
	st.opens = st.B == len(toks) && toks[st.B-1].Kind == 'p' && (toks[st.B-1].Text == ":" || toks[st.B-1].Text == "：")
	for _, c := range cs[1:] {
		st.turns = st.turns || c.Firm && toks[c.A].Class&token.But != 0
	}
	for k := range cs {
		mn.clause(st, &cs[k])
		if k > 0 && len(cs[k].Hits) == 0 && cs[k].Firm && (toks[cs[k].A].Class&token.But != 0 || clue.Removes(toks, &cs[k])) {
			mn.turnedUp(st, cs[k-1].Hits)
		} else if k > 0 && cs[k].Firm && len(cs[k].Hits) == 0 {
			st.took = append(st.took, mn.Raise(cs[k-1].Hits, "only described")...)
		} else if k > 0 && clue.Objects(toks, &cs[k]) {
			st.took = append(st.took, mn.Raise(cs[k-1].Hits, "found good")...)
		}
		if k > 0 && len(cs[k].Hits) == 0 {
			mn.turnedDown(st, cs, k)
		}
	}
	mn.side(st)
	mn.labelled(st)
	if len(st.took) > 0 {
		mn.prior, mn.at = st.took, i
	}
	return st.carry
}

// side reads what follows "setup.md says 8080, app.yml says 8081": which of the two is right,
// or is to be mended.
func (mn *miner) side(st *sentence) {
	sides := mn.sides
	mn.sides = nil
	if st.Contrasts() && len(st.took) == 2 {
		mn.sides = slices.Clone(st.took)
		return
	}
	if len(sides) == 0 || mn.Hits[sides[0]].Unit != st.unit {
		return
	}
	right, wrong := false, false
	meant := map[string]bool{}
	for _, c := range st.Clauses {
		right = right || c.Neg == "found good"
		wrong = wrong || c.Neg == "" && (c.Firm || c.Has&token.Bad != 0)
		for _, h := range c.Hits {
			meant[mn.Hits[h].Path] = true
		}
	}
	for _, h := range sides {
		for _, w := range st.Sorts() {
			meant[mn.Hits[h].Path] = meant[mn.Hits[h].Path] || names.OfSort(mn.Hits[h].Path, w)
		}
	}
	if right == wrong || meant[mn.Hits[sides[0]].Path] == meant[mn.Hits[sides[1]].Path] {
		return
	}
	for _, h := range sides {
		if meant[mn.Hits[h].Path] == right {
			mn.Hits[h].Off = "the other of the two is to change"
		}
	}
}

// turnedUp: "a.go is unrelated, but must not print it" asks for the one before.
func (mn *miner) turnedUp(st *sentence, hits []int) {
	st.took = append(st.took, mn.Raise(hits, "left for another change", "to be left as it is")...)
	st.took = append(st.took, mn.Raise(hits, "settled", "found good", "a question", "a first thought")...)
}

// turnedDown: "we talked about a.go; separate PR" turns down the clause before.
func (mn *miner) turnedDown(st *sentence, cs []talk.Clause, k int) {
	c := cs[k]
	said := cs[k-1].Has&(token.Ask|token.Need|token.Bad) != 0
	but := st.Toks[c.A].Class&token.But != 0 && !clue.Otherwise(st.Toks, &c)
	if c.Neg == "" || c.Soft && (said && !but || c.Neg != "found good") || clue.Names(st.Toks, c.A, c.B) {
		return
	}
	for _, h := range cs[k-1].Hits {
		mn.Hits[h].Off = c.Neg
	}
}

// labelled gives a sentence that is only a label to what was said before it.
func (mn *miner) labelled(st *sentence) {
	if len(st.labels) == 0 || len(st.took) > 0 || clue.Names(st.Toks, st.A, st.B) && st.labels[0].Lead {
		return
	}
	if mn.byNumber(st) {
		return
	}
	distinct := map[talk.Severity]bool{}
	for _, l := range st.labels {
		distinct[l.Sev] = true
	}
	if len(distinct) != 1 {
		return
	}
	sev := st.labels[0].Sev
	if st.B == len(st.Toks) && st.B-st.A <= 4 { // the last word covers the whole paragraph
		for k := len(mn.Hits) - 1; k >= 0 && mn.Hits[k].Unit == st.unit; k-- {
			if mn.Hits[k].Severity == mn.Scopes[st.unit].Sev {
				mn.Hits[k].Severity = sev
			}
		}
	}
	if len(mn.prior) > 0 && (mn.at == st.unit || st.A == 0 && st.B == len(st.Toks) && st.B <= 4 && mn.Scopes[st.unit].Finding == mn.Scopes[mn.at].Finding || mn.Scopes[st.unit].Finding >= 0 && mn.SameFinding(mn.prior[0], st.unit)) {
		for _, h := range mn.prior {
			mn.Hits[h].Severity = sev
		}
		if st.Toks[st.A].Nl || st.carry != sev {
			return
		}
		st.carry = ""
		return
	}
	st.carry = sev
	if mn.Units[st.unit].Kind == prose.Para && mn.Units[st.unit].Parent == prose.None && len(mn.Hits) == 0 && sev == talk.Note && !clue.Names(st.Toks, 0, len(st.Toks)) && clue.Throughout(st.Toks[st.A:st.B]) {
		mn.all = sev
	}
}

// severity is the label that covers the token at i.
func (mn *miner) severity(st *sentence, i int) talk.Severity {
	if sev := talk.LabelFor(st.labels, i); sev != "" {
		return sev
	}
	if st.carry != "" {
		return st.carry
	}
	if sev := mn.Scopes[st.unit].Sev; sev != "" {
		return sev
	}
	return mn.all
}

// byNumber reads "1 is a blocker, 2 and 3 are nits, the rest is optional": labels given to
// numbered items.
func (mn *miner) byNumber(st *sentence) bool {
	given, rest := clue.Numbers(st.Toks, st.A, st.labels)
	return len(given) > 0 && mn.Label(st.unit, given, rest)
}
