package mine

import (
	"github.com/belay-dev/belay/internal/review/bystander"
	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/ledger"
	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/pasted"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// speak reads a clause as said of the pasted output that waits.
func (mn *miner) speak(st *sentence, c *talk.Clause, why string) bool {
	if len(mn.blocks) == 0 {
		return false
	}
	if why == "found good" && clue.Justified(st.Toks, c) { // "both legit"
		n := len(mn.Hits)
		for _, b := range mn.blocks {
			mn.takeAll(b, mn.severity(st, c.A), "a complaint it agrees with")
		}
		return len(mn.Hits) > n
	}
	if mn.answers(st, c, why) || mn.ordinals(st, c, why) || mn.stems(st, c, why) || mn.picked(st, c, why) {
		return true
	}
	if why != "" {
		if c.Neg != "" && (talk.Pronoun(st.Toks[c.A].Lower) || c.B-c.A <= 5) && !clue.Names(st.Toks, c.A, c.B) {
			for _, b := range mn.blocks {
				b.Leave(why)
			}
			return true
		}
		return false
	}
	if mn.at == st.unit && len(mn.prior) > 0 && !clue.Plural(st.Toks, c) && !clue.Others(st.Toks, c) {
		return false // it speaks of the one that was picked
	}
	orders := c.Has&(token.Ask|token.Need) != 0 || clue.Others(st.Toks, c) && c.Has&token.Not == 0
	n := len(mn.Hits)
	if clue.OfTests(st.Toks, c) && mn.testPlaces(st, c) {
		return true
	}
	for _, b := range mn.blocks {
		sev := mn.severity(st, c.A)
		if sev == "" {
			sev = b.Severity
		}
		if orders || c.Has&token.Bad != 0 && c.Has&token.Good == 0 {
			if mn.takeAll(b, sev, "output it asks to mend") == 0 && !b.Spoken() && !mn.names(st.unit, b) {
				if k := b.Deepest(); k >= 0 {
					mn.takeOne(b, k, sev, "the innermost frame of a trace")
				}
			}
		}
		for _, k := range b.Hunks() {
			mn.takeOne(b, k, sev, "a hunk it objects to")
		}
	}
	for k := n; k < len(mn.Hits); k++ {
		c.Hits = append(c.Hits, k)
	}
	return len(mn.Hits) > n
}

// ordinals reads "the first would wipe /", "the second is noise".
func (mn *miner) ordinals(st *sentence, c *talk.Clause, why string) bool {
	which := clue.Ordinal(st.Toks, c)
	if which == 0 {
		return false
	}
	pick, ok := pasted.Nth(mn.blocks, which)
	if !ok {
		return false
	}
	if why != "" && !st.turns {
		pick.Settle(pick.K, why)
		return true
	}
	if pick.Open(pick.K) {
		mn.takeOne(pick.Block, pick.K, mn.severity(st, c.A), "the complaint it counts")
		c.Hits = append(c.Hits, len(mn.Hits)-1)
	}
	return true
}

// names tells whether a unit names a file of a pasted block.
func (mn *miner) names(unit int, b *pasted.Block) bool {
	for _, t := range mn.Toks[unit] {
		if t.M == nil {
			continue
		}
		p := mn.Resolve(t.M, unit)
		for _, place := range b.Places {
			if p != "" && place.Tracked == p {
				return true
			}
		}
	}
	return false
}

// testPlaces reads "the test is outdated, update it": of what was pasted, the tests.
func (mn *miner) testPlaces(st *sentence, c *talk.Clause) bool {
	for _, b := range mn.blocks {
		for k, p := range b.Places {
			if b.Open(k) && p.Start > 0 && p.Tracked != "" && names.IsTest(p.Tracked) {
				mn.takeOne(b, k, mn.severity(st, c.A), "the test it speaks of")
				c.Hits = append(c.Hits, len(mn.Hits)-1)
				return true
			}
		}
	}
	return false
}

// answers reads the first words below a quotation: "false positive", "agreed".
func (mn *miner) answers(st *sentence, c *talk.Clause, why string) bool {
	b := mn.blocks[len(mn.blocks)-1]
	if b.Unit != st.unit-1 || mn.Units[b.Unit].Kind != prose.Quote || c.A != 0 {
		return false
	}
	if talk.Agrees(st.Toks, c) {
		return mn.takeAll(b, mn.severity(st, c.A), "a remark it agrees with") > 0
	}
	if why != "" && why != "a question" && !clue.Names(st.Toks, c.A, c.B) {
		b.Leave(why)
		return true
	}
	return false
}

// picked reads "fix the error", "the key warning we can ignore": words that tell one
// complaint from the others.
func (mn *miner) picked(st *sentence, c *talk.Clause, why string) bool {
	if why == "" && c.Has&(token.Ask|token.Need|token.Bad) == 0 {
		return false
	}
	all, ok := pasted.Picked(mn.blocks, clue.Definite(st.Toks, c))
	if !ok {
		return false
	}
	for _, a := range all {
		if why != "" {
			a.Settle(a.K, why)
			continue
		}
		mn.takeOne(a.Block, a.K, mn.severity(st, c.A), "the complaint it speaks of")
		c.Hits = append(c.Hits, len(mn.Hits)-1)
	}
	return true
}

// stems reads "guard in Totals" after a trace that names Totals.php.
func (mn *miner) stems(st *sentence, c *talk.Clause, why string) bool {
	if c.Has&(token.Ask|token.Need|token.Bad) == 0 && why == "" {
		return false
	}
	found := false
	for i := c.A; i < c.B && !found; i++ {
		t := st.Toks[i]
		if t.Kind != 'w' && t.Kind != 'c' || len(t.Lower) < 4 {
			continue
		}
		p, ok := pasted.Stem(mn.blocks, t.Lower)
		if !ok || i > c.A && clue.Indefinite(st.Toks[i-1].Lower) && t.Kind == 'w' {
			continue
		}
		found = true
		off := why
		if off == "" && bystander.Refers(st.Toks, c, i) {
			off = "only referred to"
		}
		spans := pasted.Lines(mn.blocks, p.Tracked)
		if len(spans) == 0 {
			spans = []spot.Span{p.Span()}
		}
		for _, s := range spans {
			mn.add(st, c, ledger.Entry{Path: p.Tracked, Span: s, Off: off}, i)
		}
	}
	return found
}

// spoken ends a paragraph: what it said of pasted output is said.
func (mn *miner) spoken() { mn.blocks = pasted.Waiting(mn.blocks) }
