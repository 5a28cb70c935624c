package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// isPluralName reports a word that looks like a plural noun.
func isPluralName(w string) bool { return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") }

// isPlainVerb reports a verb without an ending behind a plural subject: "members get …", "runs
// come …", "jobs fail".
func isPlainVerb(low []string, i int) bool {
	prev, w := low[i-1], low[i]
	if IsStatementBase(w) && i < 14 && !IsAnyVerb(low[0]) && hasPluralSubject(low, i) {
		return true // "prices in the feed lack VAT"
	}
	if isOneOf(prev, "they", "we", "i") || prev == "you" && i == 1 {
		known := frequencyAdverbs.Has(w) || IsPreposition(w) || IsNegative(w) || IsAdverb(w)
		if !known && len(w) > 1 && isLower(w[0]) {
			return true
		}
	}
	named := prev == "people" || len(prev) > 3 && isPluralName(prev)
	meant := IsSubject(prev) && !isOneOf(prev, "it", "that", "this", "there")
	if !named && !meant || i > 9 {
		return false
	}
	switch w {
	case "get", "contain", "include", "hold", "have", "take", "land", "come", "go", "keep", "need", "look", "appear",
		"show", "end", "arrive", "start", "become", "respawn", "feel", "disappear", "want", "find", "belong", "accept",
		"asked", "requested":
		return !IsAnyVerb(low[0]) || i > 2 // ImperativeLength would call this function again
	}
	end, ok := FailingForm(w)
	return ok && (end == "") && i+1 <= len(low)
}

// hasPluralSubject reports a plural subject before i: a plural at its head, or two things joined by
// "and", with any words between.
func hasPluralSubject(low []string, i int) bool {
	prev := low[i-1]
	if IsDeterminer(prev) || IsPreposition(prev) || isOneOf(prev, "to", "and") {
		return false
	}
	plural := func(w string) bool {
		return len(w) > 3 && strings.HasSuffix(w, "s") && !hasEnding(w, "ss", "'s") && !IsPreposition(w) && !IsFiller(w)
	}
	switch {
	case plural(low[0]) && !IsSubject(low[0]) && !IsConditional(low[0]):
		return true
	case i > 1 && plural(low[1]) && IsDeterminer(low[0]):
		return true
	case i == 2 && plural(low[1]) && !IsPreposition(low[0]) && !IsConditional(low[0]):
		return true
	}
	at := slices.Index(low[:i], "and")
	return at > 1 && at < i-1 && IsDeterminer(low[0]) && IsDeterminer(low[at+1])
}

// frequencyAdverbs are adverbs between a subject and its verb.
var frequencyAdverbs = lazyregexp.Of(`always never still sometimes often usually already suddenly randomly occasionally silently
	also only even just now`)
