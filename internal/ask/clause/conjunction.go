package clause

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/stay"
	"github.com/belay-dev/belay/internal/ask/stay/barred"
	"github.com/belay-dev/belay/internal/ask/words"
)

// conjunction decides at a word that may lead to another clause.
func conjunction(low []string, start, i int, frag bool) (string, int) {
	left, right := low[start:i], low[i+1:]
	switch w := low[i]; w {
	case "+", "&", "plus":
		if !words.Determiner(low[i-1]) && plusOpens(low, i) {
			return "+", i + 1
		}
		if w == "plus" && tested(right) && repairs(left) {
			return "and", i + 1
		}
	case "or":
		if lead := or(left, right, frag); lead != "" {
			return lead, i + 1
		}
	case "and":
		if lead, skip := and(left, right, frag); skip > 0 {
			return lead, i + skip
		}
	case "but", "then":
		if n := perhaps(right); n > 0 && w == "but" && grants(left) {
			return w, i + 1 + n
		}
		if !nextKey(left, low[i:]) && opens(right) && !joinsSubjects(left, right) {
			return w, i + 1
		}
	case "so":
		if lead, skip := so(right); skip > 0 {
			return lead, i + skip
		}
	case "with", "including", "incl":
		if tested(right) && repairs(left) {
			return "and", i + 1
		}
	case "without":
		if len(right) > 0 && grammar.Gerund(right[0]) && orders(left) {
			return "without", i
		}
	}
	return "", 0
}

// so is what a "so" leads to, and how many words on that begins: what a request is for, or a request
// that follows.
func so(right []string) (lead string, skip int) {
	if len(right) > 0 && right[0] == "that" {
		return "because", 2
	}
	if opens(right) {
		return "so", 1
	}
	return "", 0
}

// or is what an "or" leads to: a reason in the form of a threat, another request, or nothing.
func or(left, right []string, frag bool) string {
	if _, whole, ok := stay.Keeps(left); ok && whole && opens(right) && len(left) > 3 && words.Determiner(right[0]) && grammar.Finite(right) {
		return "because" // "… mustn't change or the tests break"
	}
	if slices.Contains(left, "whether") || grammar.Negated(left) && len(left) < 4 {
		return "" // "don't add or change …"
	}
	if frag && len(right) > 0 && right[0] == "no" || opens(right) && !joinsSubjects(left, right) && len(left) > 1 {
		return "or"
	}
	return ""
}

// and is what an "and" leads to, and how many words on that begins; 0 when nothing does.
func and(left, right []string, frag bool) (lead string, skip int) {
	if oneThing(left, right) {
		return "", 0
	}
	if skip := newThing(left, right, frag); skip > 0 {
		return "and", skip
	}
	if noted(left, right) {
		return "", 0
	}
	switch n := perhaps(right); {
	case gapped(left, right):
		return "gap", 1
	case wished(left, right):
		return "and", 1 + exists(right)
	case len(right) > 1 && left[0] == "to" && right[0] == "to" && grammar.Imperative(right[1:]) > 0:
		return "and", 1
	case n > 0 && grants(left):
		return "and", 1 + n
	case opens(right) && !joinsSubjects(left, right) || frag && bigger(right) && !slices.Contains(left, "with"):
		return "and", 1
	}
	return "", 0
}

// oneThing reports an "and" inside of what is one thing, or one thing to do.
func oneThing(left, right []string) bool {
	if nextKey(left, right) || stay.Joined(left, right) {
		return true
	}
	if k := slices.Index(left, "between"); k >= 0 && !slices.Contains(left[k:], "and") {
		return true
	}
	n := len(left)
	if n > 2 && len(right) > 0 && (len(right) == 1 || right[1] == "," || right[1] == ".") && words.Preposition(left[n-2]) && !words.Determiner(left[n-1]) && grammar.AnyVerb(right[0]) && left[n-2] != "to" {
		return true // "from prune and restore"
	}
	return len(right) > 1 && n > 1 && words.Comparative(left[n-1]) && words.Comparative(right[0]) && words.Determiner(left[n-2]) // "the red and green dots"
}

// newThing is how many words on from an "and" a thing begins that is asked for by itself, whatever
// stands behind it; 0 when none does.
func newThing(left, right []string, frag bool) int {
	if len(right) > 2 && right[0] == "one" && (right[1] == "to" || right[1] == "for") && slices.ContainsFunc(left, grammar.Articled) {
		return 1 // "an option to mute and one to hide"
	}
	if frag && len(right) > 2 && (right[0] == "a" || right[0] == "an") && len(left) > 2 && !slices.ContainsFunc(left, func(w string) bool {
		return w == "a" || w == "an" || w == "with" || w == "between" || w == "of" || w == ","
	}) {
		return 1 // "tests for the helpers and a badge in the readme"
	}
	if len(right) > 3 && right[0] == "this" && right[1] == "time" && opens(right[2:]) {
		return 3 // "fix it and this time write a test"
	}
	return 0
}

// grants reports orders that one more thing may be added to.
func grants(left []string) bool { return orders(left) && !slices.Contains(left, "with") }

// bigger reports a thing and how it is to be: "a bigger font".
func bigger(right []string) bool {
	return len(right) > 2 && grammar.Articled(right[0]) && words.Comparative(right[1])
}

// tested reports a test that comes with something: "a regression test".
func tested(low []string) bool {
	for i := 0; i < min(len(low), 4); i++ {
		if low[i] == "test" || low[i] == "tests" {
			return true
		}
		if words.Preposition(low[i]) || words.Determiner(low[i]) && i > 0 {
			return false
		}
	}
	return false
}

// repairs reports an order to repair something.
func repairs(low []string) bool {
	n, _ := grammar.Strip(low)
	if n >= len(low) || grammar.Imperative(low[n:]) == 0 {
		return false
	}
	b, _ := words.Base(low[n], grammar.AnyVerb)
	sense, _ := words.Verb(b)
	return sense == words.Fix
}

// orders reports a clause that asks for a deed, which can be done without another one.
func orders(low []string) bool {
	n, s := grammar.Strip(low)
	return n < len(low) && (grammar.Imperative(low[n:]) > 0 || s.Opener && s.Verb || !grammar.Finite(low[n:]))
}

// joinsSubjects reports two things that do one thing together: "the account page and
// the order history are …".
func joinsSubjects(left, right []string) bool {
	n, _ := grammar.Strip(right)
	if _, ok := barred.Subject(right); ok && len(left) < 6 && (words.Determiner(left[0]) || !words.Determiner(right[0]) && !words.Preposition(left[0]) && !words.Comparative(left[len(left)-1])) && !grammar.HasVerb(left) {
		return true // "the German version and the prices stay"
	}
	return !grammar.HasVerb(left) && n < len(right) && grammar.Imperative(right[n:]) == 0 && grammar.Finite(right[n:]) && len(left) < 6
}

// plusOpens tells "make it rounder + dark mode" from "s3 + cloudfront + acm": one plus,
// with a whole request on one of its sides.
func plusOpens(low []string, i int) bool {
	if i+1 < len(low) && words.Tool(low[i+1]) {
		return false
	}
	if opens(low[i+1:]) {
		return true
	}
	if i > 2 && len(low) == i+2 && (words.Determiner(low[i-2]) || words.Preposition(low[i-2])) {
		return false // "in the header + footer"
	}
	if slices.Contains(low[:i], "that") || slices.Contains(low[:i], "which") {
		return false // "that blanks names + birth dates"
	}
	if low[i] == "+" && slices.ContainsFunc(low[i+1:], func(w string) bool { return w == "with" || w == "by" }) && slices.ContainsFunc(low[:i], func(w string) bool { return w == "replace" || w == "swap" || w == "exchange" }) {
		return false // "replace black + isort with ruff"
	}
	n := 0
	for _, w := range low {
		if w == "+" || w == "plus" || w == "&" {
			n++
		}
	}
	return n == 1 && (grammar.HasVerb(low[:i]) || low[i] == "plus" || slices.ContainsFunc(low[:i], words.Comparative))
}
