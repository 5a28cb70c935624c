package intent

import (
	"strings"
)

// IsPartOfName reports whether a word for a fault is part of a thing's name: "the bug tracker",
// "crash reports", "dead letter queue", "duplicate items".
func IsPartOfName(low []string, i int) bool {
	w := low[i]
	if i+1 < len(low) && w != "blank" && w != "infinite" {
		if w == "flaky" {
			return ImperativeLength(low) > 0
		}
		switch low[i+1] {
		case "report", "reports", "reporter", "reporting", "tracker", "letter", "code", "codes", "handler", "handling",
			"detection", "page", "boundary", "log", "logs", "template", "check", "checks", "screen", "test", "tests",
			"items", "down", "sharing", "state", "class", "classes":
			return true
		}
	}
	return ImperativeLength(low) > 0
}

// isFailingPredicate reports whether a verb of failing is the predicate, and not a wish or a noun.
func isFailingPredicate(low []string, i int, end string) bool {
	if i == 0 {
		return end == "s" || end == "ed" && len(low) > 1 || len(low) == 1
	}
	prev := low[i-1]
	if prev == "be" {
		return false // "can be dropped"
	}
	switch end {
	case "ing":
		return IsAuxiliary(prev) || prev == "keeps" || prev == "keep" || prev == "starts" || prev == "not"
	case "":
		return !IsDeterminer(prev) && !IsPreposition(prev) && !isOneOf(prev, "to", ",", "and") && ImperativeLength(low) == 0
	}
	if end == "ed" && IsPreposition(prev) && i+1 < len(low) && strings.HasSuffix(low[i+1], "s") && !IsPreposition(low[i+1]) {
		return false // "retry for failed webhooks"
	}
	return !IsDeterminer(prev) && ImperativeLength(low) == 0 && !(end == "s" && IsPreposition(prev))
}

// readDenial interprets a negation of what should work: "does not close", "can't save", "is not
// showing nothing", "never taken off", "not the row I selected but …".
func readDenial(low []string, i int) int {
	w := low[i]
	if i+1 >= len(low) {
		if w == "nothing" && i > 1 && strings.HasSuffix(low[i-1], "s") && !IsDeterminer(low[i-1]) {
			return Plain
		}
		return Fine
	}
	if !isDenial(low, i) || ImperativeLength(low) > 0 || low[len(low)-1] == "yet" {
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

// isDenial reports whether a word negates the predicate around it.
func isDenial(low []string, i int) bool {
	next := low[i+1]
	switch low[i] {
	case "don't", "never":
		return i > 0
	case "do":
		return i > 0 && next == "not"
	case "doesn't", "can't", "won't", "isn't", "aren't", "couldn't", "hasn't", "haven't", "didn't", "wasn't":
		return true
	case "not":
		_, number := ParseNumber(next)
		return i > 0 && IsAuxiliary(low[i-1]) && !number
	}
	return false
}
