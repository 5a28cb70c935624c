package bystander

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// describes tells a name in a clause that only describes: what calls what, what a file is
// for, what the reviewer did, what the change touches. A clause that says that something
// happens may well name a defect ("a.go returns too early"); one that says how things hang
// together does not.
func describes(toks []token.Token, c *talk.Clause, i int) bool {
	if c.Firm || c.Has&(token.Bad|token.Need|token.Ask|token.Moved|token.Undo) != 0 || turning(toks, c) {
		return false
	}
	return narrates(toks, c, i) || relates(toks, c, i) || defines(toks, c, i) || passes(toks, c, i) || locates(toks, c, i)
}

// turning tells words that make a description a complaint: "still calls b.go", "without".
func turning(toks []token.Token, c *talk.Clause) bool {
	for j := c.A; j < c.B; j++ {
		if toks[j].Class&token.Not != 0 || turns.Has(toks[j].Lower) {
			return true
		}
	}
	return false
}

var turns = lazyregexp.Of(`still twice instead too anyway somehow suddenly directly silently accidentally wrongly immer noch zweimal longer todavía sigue encore toujours ainda sempre`)

// narrates tells what somebody did: "I started with a.go", "this PR touches a.go", "to
// reproduce, run a_test.go".
func narrates(toks []token.Token, c *talk.Clause, i int) bool {
	s := c.A
	for s < i && (toks[s].Kind == 'p' || openings.Has(toks[s].Lower)) {
		s++
	}
	if s >= i {
		return false
	}
	word := func(n int) string {
		if s+n < c.B {
			return toks[s+n].Lower
		}
		return ""
	}
	switch w := word(0); {
	case w == "i" || w == "we" || w == "i've" || w == "we've":
		return acts.Has(word(1)) || acts.Has(word(2))
	case w == "you":
		return touches.Has(word(1)) && s+2 < c.B && toks[s+2].M != nil
	case acts.Has(w) && w != "read" && w != "used" || w == "starting" || w == "repro" || w == "steps" || w == "details" || w == "more" && word(1) == "in":
		return true
	case w == "to" && strings.HasPrefix(word(1), "repro"):
		return true
	case (w == "this" || w == "the" || w == "your") && changes.Has(word(1)):
		return touches.Has(strings.TrimSuffix(word(2), "s")+"ed") || touches.Has(word(2)) || reaches.Has(word(2)) || word(2) == "is" && word(3) == "limited"
	case w == "so" && word(1) == "much" && word(2) == "for":
		return true
	}
	return false
}

var (
	openings = lazyregexp.Of(`first then next so also just only mostly and`)
	acts     = lazyregexp.Of(`started focused focussed concentrated diffed compared built opened tried ran read checked looked searched browsed debugged traced profiled skipped tested pulled cloned reproduced verified gone went reviewed used`)
	touches  = lazyregexp.Of(`changed touched added modified edited adds changes touches modifies edits updates updated`)
	changes  = lazyregexp.Of(`pr mr diff change patch commit changeset series branch`)
	reaches  = lazyregexp.Of(`introduces introduced wires moves moved splits replaces refactors reworks extracts implements affects concerns consists covers spans contains comprises`)
)

// relates tells how files hang together: "a.go calls b.go", "a.go is used by b.go", "a.go was
// added by Kim".
func relates(toks []token.Token, c *talk.Clause, i int) bool {
	for j := c.A; j < c.B; j++ {
		if toks[j].M == nil {
			continue
		}
		v := j + 1
		for v < c.B && (aside.Has(toks[v].Lower) || toks[v].Kind == 'p' && toks[v].Text == ",") {
			v++
		}
		if v+1 >= c.B {
			continue
		}
		if clue.Relates(toks[v].Lower) && (named(toks, v+1, min(c.B, v+4)) || single.Has(toks[v].Lower)) {
			return true
		}
		if token.Phrase(toks[v].Lower)&token.Copula == 0 {
			continue
		}
		p := v + 1
		for p < c.B && aside.Has(toks[p].Lower) {
			p++
		}
		if p+1 < c.B && participles.Has(toks[p].Lower) && agents.Has(toks[p+1].Lower) {
			return true
		}
	}
	return false
}

func named(toks []token.Token, a, b int) bool {
	for j := a; j < b; j++ {
		if toks[j].M != nil {
			return true
		}
	}
	return false
}

var (
	aside       = lazyregexp.Of(`which that only also then now last just mainly mostly`)
	single      = lazyregexp.Of(`runs belongs lives`)
	participles = lazyregexp.Of(`used imported called included read required generated built compiled loaded consumed owned maintained written added introduced created committed changed touched modified covered tested documented described referenced exported invoked`)
	agents      = lazyregexp.Of(`by in from for on last at here elsewhere everywhere since`)
)

// defines tells what a file is: "a.go is the entry point", "a.md explains why".
func defines(toks []token.Token, c *talk.Clause, i int) bool {
	if i+2 >= c.B {
		return false
	}
	v := i + 1
	if toks[v].Kind == 'p' && toks[v].Text == ")" {
		v++
	}
	if toks[v].Lower == "diff" || toks[v].Lower == "change" || toks[v].Lower == "part" {
		v++
	}
	if v+1 >= c.B {
		return false
	}
	next := toks[v+1].Lower
	if token.Phrase(toks[v].Lower)&token.Copula != 0 && (next == "just" || next == "only" || next == "merely") {
		return true
	}
	switch toks[v].Lower {
	case "is", "are", "was", "ist", "es", "est", "é":
		return next == "the" || next == "where" || next == "our" || next == "my" || next == "what" || next == "der" || next == "el" || next == "la" || next == "le" || next == "o" || next == "now" && v+2 < c.B && toks[v+2].Kind == 'n'
	case "explains", "describes", "documents", "specifies", "lists", "defines":
		return true
	case "has", "contains", "shows", "says", "requires", "allows", "forbids":
		return next == "the" && v+2 < c.B && contents.Has(toks[v+2].Lower) || next == "more" || next == "this" || next == "so"
	case "went", "shrank", "grew", "dropped":
		return true
	}
	return false
}

var contents = lazyregexp.Of(`details detail numbers same schema rationale reasons background list figures answer history interface`)

// passes tells a test that is only said to pass, or to cover something.
func passes(toks []token.Token, c *talk.Clause, i int) bool {
	m := toks[i].M
	if i+1 < c.B && (toks[i+1].Lower == "passes" || toks[i+1].Lower == "compiles") && (i+2 >= c.B || toks[i+2].Kind == 'p') {
		return true
	}
	if len(m.Cands) != 1 || !names.IsTest(m.Cands[0]) || i+1 >= c.B {
		return false
	}
	if i >= 1 && toks[i-1].Lower == "in" && i+1 < c.B && (toks[i+1].Lower == "pass" || toks[i+1].Lower == "passes") {
		return true
	}
	switch toks[i+1].Lower {
	case "passes", "covers", "tests", "checks", "exercises":
		return i+2 >= c.B || toks[i+2].Kind == 'p' || talk.Pronoun(toks[i+2].Lower) || openings.Has(toks[i+2].Lower)
	case "is":
		return i+2 < c.B && toks[i+2].Lower == "green"
	}
	return false
}

// locates tells where something shows or most of the change is: "the crash happens in a.go",
// "most of my comments are on a.go".
func locates(toks []token.Token, c *talk.Clause, i int) bool {
	for j := c.A; j < i && j < c.A+6; j++ {
		if symptoms.Has(toks[j].Lower) {
			return true
		}
		if token.Phrase(toks[j].Lower)&token.Copula != 0 {
			break
		}
	}
	return false
}

var symptoms = lazyregexp.Of(`trace stacktrace backtrace crash assertion repro reproduction change part bulk core focus comments attention heart meat spec specification coverage`)
