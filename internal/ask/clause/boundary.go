package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/stay"
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
		if address := i+1 < len(low) && strings.HasPrefix(low[i+1], "//"); !address && !(i > start && handsOff(low[start:], low[i+1:])) {
			return ":", i + 1
		}
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

// handsOff reports a thing and a mark, and behind it only that it is to be left: "everything below
// the fold: don't touch", "the signature check, hands off".
func handsOff(low, rest []string) bool {
	if !stay.Tail(rest) {
		return false
	}
	_, ok := stay.Parted(low)
	return ok
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
