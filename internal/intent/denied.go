package intent

import (
	"slices"
	"strings"
)

// Named reports a bad word that is part of a thing's name: "the bug tracker", "crash
// reports", "dead letter queue", "duplicate items".
func Named(low []string, i int) bool {
	w := low[i]
	if i > 0 && (low[i-1] == "no" || low[i-1] == "without" || low[i-1] == "any") {
		return true
	}
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
		if oneOf(w, "duplicate", "duplicates", "stale", "old", "slow", "infinite") && !Auxiliary(low[i+1]) && Imperative(low) > 0 {
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
	if oneOf(w, "nobody", "nothing") {
		return noneThere(low, i)
	}
	if !denies(low, i) || deniedOfUs(low, i) || Imperative(low) > 0 || low[len(low)-1] == "yet" {
		return Fine
	}
	if unseen(low, i) || i == 1 && oneOf(low[0], "he", "she") {
		return Faint // "he can't tell red from green"
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

// noneThere reads "nobody" and "nothing" at i.
func noneThere(low []string, i int) int {
	if i > 0 && Auxiliary(low[i-1]) && slices.Contains(low, "yet") {
		return Fine // "there is nothing of the kind yet"
	}
	if i > 0 && strings.HasSuffix(low[i-1], "s") && !oneOf(low[i-1], "means", "costs") {
		return Plain // "prints nothing"
	}
	if i == 0 && Finite(low) && low[i] == "nothing" {
		return Plain
	}
	return Fine
}

// deniedOfUs reports what the writers say that they do not do, or did not: nothing that fails.
func deniedOfUs(low []string, i int) bool {
	w, next := low[i], low[i+1]
	switch {
	case i == 0:
		return false
	case i == 1 && low[0] == "we" && w == "don't" && !oneOf(next, "get", "receive", "see", "know"):
		return true // "we don't set any"
	case oneOf(low[0], "we", "i") && Past[w]:
		return true
	}
	return low[i-1] == "i" && // "I can't test much"
		oneOf(next, "test", "reproduce", "check", "say", "wait", "remember", "judge", "code", "program", "complain")
}

// unseen reports what people do not see because nothing shows it, or they do not look there.
func unseen(low []string, i int) bool {
	if i == 0 || !slices.Contains(Actors, low[i-1]) {
		return false
	}
	w, next := low[i], low[i+1]
	if i < 3 && i+2 < len(low) && oneOf(next, "see", "tell", "find", "know") {
		if oneOf(low[i+2], "who", "what", "which", "how", "whether", "when") {
			return true // "guests can't see who else is coming"
		}
	}
	return oneOf(next, "find", "notice", "read") && low[i-1] != "it" && !oneOf(w, "can't", "couldn't") // "people don't find the map"
}

var Past = map[string]bool{"didn't": true, "wasn't": true, "haven't": true, "couldn't": true, "hadn't": true, "not": true}
