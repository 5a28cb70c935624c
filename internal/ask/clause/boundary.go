package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/stay"
	"github.com/belay-dev/belay/internal/ask/stay/barred"
	"github.com/belay-dev/belay/internal/ask/words"
)

// boundary says whether a clause ends before i: what leads on and where the next one
// starts. next is 0 when none ends.
func boundary(low []string, start, i int, frag bool) (lead string, next int) {
	if signs(low, i) || paired(low, i) {
		return "", 0
	}
	switch w := low[i]; w {
	case "->", "=>", "→":
		if renewed(low[start:i], low[i+1:]) {
			return "", 0
		}
		if grammar.HasVerb(low[start:i]) || opens(low[i+1:]) || i > start+1 && fault.Outcome(low[i+1:]) {
			return w, i + 1
		}
	case ";", "—", "–", "•":
		return w, i + 1
	case "-", "--":
		return ";", i + 1
	case ":":
		if stay.Tail(low[i+1:]) && i > start {
			if _, ok := stay.Parted(low[start:]); ok {
				return "", 0 // "everything below the fold: don't touch"
			}
		}
		if i+1 < len(low) && strings.HasPrefix(low[i+1], "//") {
			return "", 0 // an address
		}
		return ":", i + 1
	case ",":
		return comma(low, start, i, frag)
	case "/":
		if i > start+2 && len(low)-i > 3 && opens(low[i+1:]) && grammar.Finite(low[start:i]) {
			return ";", i + 1 // "footer overlaps the text / menu doesn't close"
		}
	case "n":
		if i > start && grammar.Imperative(low[i+1:]) > 0 {
			return "and", i + 1 // "make it bigger n add a frame"
		}
	case "+", "&", "plus", "or", "and", "but", "then", "so", "with", "including", "incl", "without":
		if i > start {
			return conjunction(low, start, i, frag)
		}
	default:
		return unmarked(low, start, i)
	}
	return "", 0
}

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
		if _, whole, ok := stay.Keeps(left); ok && whole && opens(right) && len(left) > 3 && words.Determiner(right[0]) && grammar.Finite(right) {
			return "because", i + 1 // "… mustn't change or the tests break"
		}
		if slices.Contains(left, "whether") {
			return "", 0
		}
		if grammar.Negated(left) && len(left) < 4 {
			return "", 0 // "don't add or change …"
		}
		if frag && len(right) > 0 && right[0] == "no" || opens(right) && !joinsSubjects(left, right) && i > start+1 {
			return w, i + 1
		}
	case "and", "but", "then":
		if nextKey(left, low[i:]) || w == "and" && stay.Joined(left, right) {
			return "", 0
		}
		if k := slices.Index(left, "between"); w == "and" && k >= 0 && !slices.Contains(left[k:], "and") {
			return "", 0
		}
		if n := len(left); w == "and" && n > 2 && (len(right) == 1 || len(right) > 1 && (right[1] == "," || right[1] == ".")) && words.Preposition(left[n-2]) && !words.Determiner(left[n-1]) && grammar.AnyVerb(right[0]) && left[n-2] != "to" {
			return "", 0 // "from prune and restore"
		}
		if w == "and" && len(right) > 1 && words.Comparative(left[len(left)-1]) && words.Comparative(right[0]) && len(left) > 1 && words.Determiner(left[len(left)-2]) {
			return "", 0 // "the red and green dots"
		}
		if w == "and" && len(right) > 2 && right[0] == "one" && (right[1] == "to" || right[1] == "for") && slices.ContainsFunc(left, grammar.Articled) {
			return w, i + 1 // "an option to mute and one to hide"
		}
		if w == "and" && frag && len(right) > 2 && (right[0] == "a" || right[0] == "an") && len(left) > 2 && !slices.ContainsFunc(left, func(w string) bool {
			return w == "a" || w == "an" || w == "with" || w == "between" || w == "of" || w == ","
		}) {
			return w, i + 1 // "tests for the helpers and a badge in the readme"
		}
		if w == "and" && len(right) > 3 && right[0] == "this" && right[1] == "time" && opens(right[2:]) {
			return w, i + 3 // "fix it and this time write a test"
		}
		if w == "and" && noted(left, right) {
			return "", 0
		}
		if w == "and" && gapped(left, right) {
			return "gap", i + 1
		}
		if w == "and" && wished(left, right) {
			return w, i + 1 + exists(right)
		}
		if w == "and" && len(right) > 1 && left[0] == "to" && right[0] == "to" && grammar.Imperative(right[1:]) > 0 {
			return w, i + 1
		}
		if n := perhaps(right); n > 0 && w != "then" && orders(left) && !slices.Contains(left, "with") {
			return w, i + 1 + n
		}
		if opens(right) && !joinsSubjects(left, right) || frag && w == "and" && len(right) > 2 && grammar.Articled(right[0]) && words.Comparative(right[1]) && !slices.Contains(left, "with") {
			return w, i + 1
		}
	case "so":
		if len(right) > 0 && right[0] == "that" {
			return "because", i + 2
		}
		if opens(right) {
			return "so", i + 1
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

// unmarked decides at any other word: a clause that nothing announces, or a subordinate one.
func unmarked(low []string, start, i int) (string, int) {
	w := low[i]
	if runsOn(low, start, i) {
		return "then", i
	}
	if i > start && i+1 < len(low) && (w == "although" || w == "though") {
		return "although", i + 1
	}
	if (w == "i" || w == "we") && i > start+3 && i+2 < len(low) && low[start] == "if" && (low[i+1] == "want" || low[i+1] == "need" || low[i+1] == "would") {
		return "main", i // "if a member hasn't paid I want to get a mail"
	}
	if w == "while" && i > start && i+1 < len(low) && (low[i+1] == "you're" || low[i+1] == "we're" || low[i+1] == "at") {
		return "because", i + 1 // "java 21 while you're at it"
	}
	if w == "while" && i > start && whereas(low[start:i], low[i+1:]) {
		return "and", i + 1
	}
	if w == "where" && i > start && words.Preposition(low[i-1]) {
		return "", 0 // "point to where the wind goes"
	}
	if (w == "who" || w == "which" || w == "whom") && (restrictive(low[start:], i-start) || i > start && words.Preposition(low[i-1])) {
		return "", 0 // "a website on which visitors see our rooms"
	}
	if i > start && words.Subordinator(w) && !(w == "since" && !opens(low[i+1:])) && !(len(w) > 2 && w[0] == 'w' && (i == start+1 || grammar.AnyVerb(low[i-1]) || low[i-1] == "see" || low[i-1] == "know")) {
		return "because", i + 1
	}
	return "", 0
}

// restrictive reports a relative clause inside a wish: "cards of people who leave should go
// to the lead". What is wished is said behind it.
func restrictive(low []string, i int) bool {
	if i < 1 || slices.ContainsFunc(low[:i], words.Modal) || grammar.Imperative(low) > 0 {
		return false
	}
	for j := i + 2; j < min(len(low), i+8) && low[j] != ","; j++ {
		if low[j] == "should" || low[j] == "must" || low[j] == "shouldn't" || low[j] == "mustn't" {
			return true
		}
	}
	return false
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

// runsOn reports a new clause that nothing announces, as in chats: "it feels floaty make
// it snappier", "bar is broken please fix".
func runsOn(low []string, start, i int) bool {
	if i-start < 2 || i+1 >= len(low) || words.Auxiliary(low[i-1]) || words.Subject(low[i-1]) || words.Preposition(low[i-1]) || low[i-1] == "and" || low[i-1] == "," || low[i-1] == "not" {
		return false
	}
	if low[i] == "please" && i+1 < len(low) {
		return grammar.Imperative(low[i+1:]) > 0 || low[i+1] == "to" || low[i+1] == "don't"
	}
	if _, end := words.Base(low[i], grammar.AnyVerb); end != "" || !grammar.AnyVerb(low[i]) || !grammar.Finite(low[start:i]) {
		return false
	}
	if words.ActBase(low[i-1]) || grammar.AnyVerb(low[i-1]) && !grammar.Nounish[low[i-1]] {
		return false // "hit save"
	}
	next := low[i+1]
	return (next == "it" || next == "them" || next == "this") && low[i] != "have" && !strings.HasPrefix(low[i-1], "help")
}

// told reports a participle with a preposition: what is told of the thing named before,
// ", sent on the 1st".
func told(low []string) bool {
	if len(low) < 3 || !words.Preposition(low[1]) {
		return false
	}
	_, end := words.Base(low[0], grammar.AnyVerb)
	return end == "ed"
}
