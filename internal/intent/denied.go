package intent

import (
	"strings"
)

// Named reports a bad word that is part of a thing's name: "the bug tracker", "crash
// reports", "dead letter queue", "duplicate items".
func Named(low []string, i int) bool {
	w := low[i]
	if i+1 < len(low) && w != "blank" && w != "infinite" {
		if w == "flaky" {
			return Imperative(low) > 0
		}
		switch low[i+1] {
		case "report", "reports", "reporter", "reporting", "tracker", "letter", "code", "codes", "handler", "handling",
			"detection", "page", "boundary", "log", "logs", "template", "check", "checks", "screen", "test", "tests",
			"items", "down", "sharing", "state", "class", "classes":
			return true
		}
	}
	return Imperative(low) > 0
}

// failingHere reports a verb of failing that is the predicate, not the wish or a noun.
func failingHere(low []string, i int, end string) bool {
	if i == 0 {
		return end == "s" || end == "ed" && len(low) > 1 || len(low) == 1
	}
	prev := low[i-1]
	if prev == "be" {
		return false // "can be dropped"
	}
	switch end {
	case "ing":
		return Auxiliary(prev) || prev == "keeps" || prev == "keep" || prev == "starts" || prev == "not"
	case "":
		return !Determiner(prev) && !Preposition(prev) && !oneOf(prev, "to", ",", "and") && Imperative(low) == 0
	}
	if end == "ed" && Preposition(prev) && i+1 < len(low) && strings.HasSuffix(low[i+1], "s") && !Preposition(low[i+1]) {
		return false // "retry for failed webhooks"
	}
	return !Determiner(prev) && Imperative(low) == 0 && !(end == "s" && Preposition(prev))
}

// denied reads a negation of what should work: "does not close", "can't save", "is
// not showing nothing", "never taken off", "not the row I selected but …".
func denied(low []string, i int) int {
	w := low[i]
	if i+1 >= len(low) {
		if w == "nothing" && i > 1 && strings.HasSuffix(low[i-1], "s") && !Determiner(low[i-1]) {
			return Plain
		}
		return Fine
	}
	if !denies(low, i) || Imperative(low) > 0 || low[len(low)-1] == "yet" {
		return Fine
	}
	for j := max(0, i-3); j <= min(i+2, len(low)-1); j++ {
		switch low[j] {
		case "so", "very", "really", "that", "ideal", "great", "nice", "pretty", "optimal", "know", "understand",
			"want", "need", "care", "think", "mind", "sure", "like", "use", "remember", "i'm", "expect", "knows",
			"wants", "yet", "believe", "first":
			return Fine
		}
	}
	return Plain
}

// denies reports a word that denies what the words around it say of a thing.
func denies(low []string, i int) bool {
	next := low[i+1]
	switch low[i] {
	case "don't", "never":
		return i > 0
	case "do":
		return i > 0 && next == "not"
	case "doesn't", "can't", "won't", "isn't", "aren't", "couldn't", "hasn't", "haven't", "didn't", "wasn't":
		return true
	case "not":
		_, number := Number(next)
		return i > 0 && Auxiliary(low[i-1]) && !number
	}
	return false
}
