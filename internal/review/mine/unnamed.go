package mine

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/ledger"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// unnamed reads a clause that names no file of its own: it speaks of lines of the file at
// hand, of pasted output, of the file the section is about, or of what came before.
func (mn *miner) unnamed(st *sentence, c *talk.Clause, why string) {
	if why != "" && clue.SaysNo(st.Toks, c) && mn.promote(st, c) {
		return
	}
	if why != "" && (mn.formerOff(st, c, why) || mn.numbersOff(st, c, why)) {
		return
	}
	if st.opens {
		return
	}
	if mn.orphans(st, c, why) || mn.speak(st, c, why) {
		return
	}
	if why != "" {
		mn.turnDownPrior(st, c)
		return
	}
	if mn.anaphor(st, c) {
		return
	}
	mn.ofTopic(st, c)
}

// orphans gives lines without a name to the file at hand.
func (mn *miner) orphans(st *sentence, c *talk.Clause, why string) bool {
	found := false
	for j := c.A; j < c.B; j++ {
		at, ok := st.Lines[j]
		if !ok || at < -1 || at >= 0 && !st.Elsewhere(at, j) {
			continue
		}
		p := ""
		if at < 0 {
			p = mn.atHand(st.unit)
		} else {
			p = mn.Resolve(st.Toks[at].M, st.unit)
		}
		if p == "" {
			continue
		}
		for _, s := range st.Toks[j].Spans {
			mn.add(st, c, ledger.Entry{Path: p, Span: s, Off: why}, j)
			found = true
		}
		if t := mn.Scopes[st.unit].Topic; t != nil {
			t.Used = true
		}
	}
	return found
}

// atHand is the file a clause without a name speaks of.
func (mn *miner) atHand(i int) string {
	if n := len(mn.Hits); n > 0 && mn.Hits[n-1].Unit == i && mn.focus != "" && !(mn.Hits[n-1].Off == "only referred to" && mn.Scopes[i].Topic != nil) {
		return mn.focus
	}
	if t := mn.Scopes[i].Topic; t != nil && len(t.Paths) == 1 {
		return t.Paths[0]
	}
	if mn.spoke == mn.Scopes[i].Finding {
		return mn.focus
	}
	return ""
}

// ofTopic takes the file that the heading or the item above is about.
func (mn *miner) ofTopic(st *sentence, c *talk.Clause) {
	t := mn.Scopes[st.unit].Topic
	if t == nil || t.Unit == st.unit || t.Drop || clue.CountWords(st.Toks, c) < 2 {
		return
	}
	item := mn.Units[st.unit].Kind == prose.Item || mn.Units[st.unit].Kind == prose.Row
	further := mn.OfUnit(st.unit) == 0 && clue.Also(st.Toks, c) && (c.Firm || c.Has&token.Bad != 0 || clue.Denies(st.Toks, c))
	if t.Used && !further && (!item || len(t.Spans) > 0 || mn.OfUnit(st.unit) > 0) {
		return
	}
	if t.Used && further {
		mn.add(st, c, ledger.Entry{Path: t.Paths[0]}, c.A)
		return
	}
	t.Used = true
	spans := t.Spans
	if len(spans) == 0 {
		spans = []spot.Span{{}}
	}
	for _, p := range t.Paths {
		for _, s := range spans {
			mn.add(st, c, ledger.Entry{Path: p, Span: s, Weak: !c.Firm}, c.A)
		}
	}
}

// turnDownPrior: "Accepted risk, no fix asked." turns down the sentence before.
func (mn *miner) turnDownPrior(st *sentence, c *talk.Clause) {
	praised := c.Neg == "found good" && (talk.Pronoun(st.Toks[c.A].Lower) || st.A == c.A && clue.Verdict(st.Toks, c))
	if st.turns && c.A == st.A || c.Neg == "to be left as it is" && clue.OwnSubject(st.Toks, c) { // "not your fault, but please fix it"
		return
	}
	if c.A != st.A && st.B > c.B || c.A != st.A && len(st.took) > 0 || c.A != st.A && clue.Names(st.Toks, st.A, c.A) {
		return // it speaks of the clause before
	}
	if c.Neg == "" || c.Soft && !praised || clue.Names(st.Toks, c.A, c.B) {
		return
	}
	if t := mn.Scopes[st.unit].Topic; t != nil && !t.Used {
		t.Drop = true
	}
	for _, h := range mn.prior {
		u := mn.Hits[h].Unit
		if u == st.unit || mn.Scopes[st.unit].Finding >= 0 && mn.SameFinding(h, st.unit) || u < st.unit && talk.Pronoun(st.Toks[st.A].Lower) {
			if mn.Hits[h].Off == "" {
				mn.Hits[h].Off = c.Neg
			}
		}
	}
}

// anaphor reads "please restore it", "undo the rename", "the latter needs a test".
func (mn *miner) anaphor(st *sentence, c *talk.Clause) bool {
	if c.Has&token.Undo != 0 && c.Firm && mn.rename[1] != "" {
		for _, p := range mn.rename {
			mn.add(st, c, ledger.Entry{Path: p}, c.A)
		}
		mn.rename = [2]string{}
		return true
	}
	if which := clue.FormerLatter(st.Toks, c); which >= 0 && mn.two[which] != "" && mn.spoke == mn.Scopes[st.unit].Finding {
		mn.add(st, c, ledger.Entry{Path: mn.two[which], Weak: true}, c.A)
		return true
	}
	if c.Firm && clue.Both(st.Toks, c) && mn.spoke == mn.Scopes[st.unit].Finding && mn.two[0] != "" {
		mn.both(st, c)
		return true
	}
	if clue.SaysNo(st.Toks, c) && mn.promote(st, c) {
		return true
	}
	if c.Has&token.Bad != 0 && c.A == st.A && talk.Pronoun(st.Toks[c.A].Lower) && mn.promote(st, c) {
		return true
	}
	return c.Firm && (mn.promote(st, c) || mn.promoteRef(st, c))
}

// both takes the two files spoken of last: "like a.go, b.go ignores it; fix both".
func (mn *miner) both(st *sentence, c *talk.Clause) {
	for _, p := range mn.two {
		named := false
		for _, h := range mn.Hits[max(0, len(mn.Hits)-8):] {
			named = named || h.Path == p && h.Off == ""
		}
		if !named {
			mn.add(st, c, ledger.Entry{Path: p, Weak: true}, c.A)
		}
	}
}

// promote takes what a question was about, once a change is asked for.
func (mn *miner) promote(st *sentence, c *talk.Clause) bool {
	found := false
	for k := len(mn.Hits) - 1; k >= 0 && k >= len(mn.Hits)-8; k-- {
		h := &mn.Hits[k]
		if h.Off == "" || !mn.SameFinding(k, st.unit) {
			break
		}
		if h.Off == "a question" || h.Off == "not tracked, and not asked to be made" && c.Has&(token.Create|token.Undo|token.Moved) != 0 {
			h.Off, h.Why, found = "", "asked for after a question", true
			h.Severity = mn.severity(st, c.A)
			st.took = append(st.took, k)
		}
	}
	return found
}

// promoteRef takes the file that "fix it there", "please cap it" speaks of.
func (mn *miner) promoteRef(st *sentence, c *talk.Clause) bool {
	back := clue.There(st.Toks, c)
	k := len(mn.Hits) - 1
	if k < 0 || mn.Hits[k].Off != "only referred to" && !(strings.HasPrefix(mn.Hits[k].Off, "in passing") && clue.TheFile(st.Toks, c)) || !mn.SameFinding(k, st.unit) || !back && (mn.Hits[k].Unit != st.unit || len(mn.Taken(mn.prior))+len(st.took) > 0) {
		return false
	}
	if mn.Hits[k].Unit == st.unit && mn.Hits[k].At >= c.A && !clue.Asks(st.Toks, mn.Hits[k].At+1, c.B) {
		return false // "use JSON, as a.go does"
	}
	if k > 0 && mn.Hits[k-1].Unit == st.unit && mn.Hits[k].Span.Start == 0 && mn.Hits[k-1].Off == "only described" {
		k-- // "a.go imports b.go for one constant; inline it"
	}
	mn.Hits[k].Off, mn.Hits[k].Why = "", "what is asked for speaks of it"
	st.took = append(st.took, k)
	return true
}

// formerOff: "the former is fine" turns down what was said of it.
func (mn *miner) formerOff(st *sentence, c *talk.Clause, why string) bool {
	p := ""
	if which := clue.FormerLatter(st.Toks, c); which >= 0 && mn.spoke == mn.Scopes[st.unit].Finding {
		p = mn.two[which]
	}
	for k := len(mn.Hits) - 1; p != "" && k >= 0 && k >= len(mn.Hits)-8; k-- {
		if mn.Hits[k].Path == p && mn.Hits[k].Off == "" {
			mn.Hits[k].Off = why
		}
	}
	return p != ""
}

// numbersOff reads "2 is handled by the migration", "scratch my first point": what was said
// in the items, or the paragraphs, it counts is turned down.
func (mn *miner) numbersOff(st *sentence, c *talk.Clause, why string) bool {
	if why == "a question" || clue.Names(st.Toks, c.A, c.B) {
		return false
	}
	numbers := clue.Points(st.Toks, c)
	return len(numbers) > 0 && mn.Numbered(st.unit, numbers, why)
}
