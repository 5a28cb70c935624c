package intent

import (
	"slices"
	"strings"
)

// plainVerb reports the verb of a plural subject that no ending betrays: "members get
// …", "runs come …", "jobs fail".
func plainVerb(low []string, i int) bool {
	prev, w := low[i-1], low[i]
	if i >= 2 && i < 6 && severalThings(low) && (strings.HasSuffix(prev, "s")) && !strings.HasSuffix(prev, "ss") && (AnyVerb(w) || ActBase(w)) && i+1 < len(low) && !Preposition(low[i+1]) && !Auxiliary(low[i+1]) && !Conjunction(low[i+1]) && low[i+1] != "," {
		return true // "two workers pick up the same job", "two of the endpoints return xml"
	}
	if Strictly(w) && i > 0 && i < 14 && !AnyVerb(low[0]) && manyBefore(low, i) || ActBase(w) && i == 2 && Nounish[low[0]] && strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ss") && i+1 < len(low) && (Adverb(low[i+1])) {
		return true // "prices in the feed lack VAT", "cache keys collide"
	}
	if (oneOf(prev, "they", "we", "i") || prev == "you" && i == 1) && !often[w] && !Preposition(w) && !Negative(w) && !Adverb(w) && len(w) > 1 && w[0] >= 'a' && w[0] <= 'z' {
		return true
	}
	if i > 0 && len(prev) > 3 && strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ss") && i+1 < len(low) && (Determiner(low[i+1]) && !oneOf(low[i+1], "all", "both")) && (AnyVerb(w) || ActBase(w)) && (!AnyVerb(low[0])) && !Preposition(low[max(0, i-2)]) && low[0] != "to" {
		return true // "cancelled uploads leave their chunks"
	}
	many := prev == "people" || Subject(prev) && !oneOf(prev, "it", "that", "this", "there") || len(prev) > 3 && prev[len(prev)-1] == 's' && prev[len(prev)-2] != 's'
	if !many || i > 9 {
		return false
	}
	switch w {
	case "get", "contain", "include", "hold", "have", "take", "land", "come", "go", "keep", "need", "look", "appear", "show", "end", "arrive", "start", "become", "respawn", "feel", "disappear", "want", "find", "belong", "accept", "asked", "requested":
		return !AnyVerb(low[0]) || i > 2 // asking Imperative would ask this again
	}
	end, ok := Fails(w)
	return ok && (end == "") && i+1 <= len(low)
}

// several reports a subject that begins with a number of things: "two workers", "half of the
// pages", "three of the tests".
func severalThings(low []string) bool {
	if Several(low[0]) && !(len(low) > 1 && Unit(low[1])) {
		return true
	}
	return len(low) > 1 && low[1] == "of" && (low[0] == "half" || low[0] == "some" || low[0] == "all")
}

// manyBefore reports a subject of several things in front of i: a plural at its head, or two
// things with an "and", whatever stands between.
func manyBefore(low []string, i int) bool {
	prev := low[i-1]
	if Determiner(prev) || Preposition(prev) || oneOf(prev, "to", "and") || Auxiliary(prev) || Modal(prev) || Negative(prev) || slices.Contains(low[:i], "that") || slices.Contains(low[:i], "which") {
		return false
	}
	plural := func(w string) bool {
		return len(w) > 3 && strings.HasSuffix(w, "s") && !endsIn(w, "ss", "'s") && !Preposition(w) && !Filler(w)
	}
	switch {
	case plural(low[0]) && !Subject(low[0]) && !Conditional(low[0]):
		return true
	case i > 1 && plural(low[1]) && (Determiner(low[0]) || !Preposition(low[0]) && !Conditional(low[0]) && i == 2):
		return true
	}
	at := slices.Index(low[:i], "and")
	return at > 1 && at < i-1 && Determiner(low[0]) && Determiner(low[at+1])
}

// often are adverbs that stand between a subject and its verb.
var often = map[string]bool{"always": true, "never": true, "still": true, "sometimes": true, "often": true, "usually": true, "already": true, "suddenly": true, "randomly": true, "occasionally": true, "silently": true, "also": true, "only": true, "even": true, "just": true, "now": true}
