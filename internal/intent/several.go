package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// pluralName reports a word that looks like the name of several things.
func pluralName(w string) bool { return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") }

// plainVerb reports the verb of a plural subject that no ending betrays: "members get
// …", "runs come …", "jobs fail".
func plainVerb(low []string, i int) bool {
	prev, w := low[i-1], low[i]
	if Strictly(w) && i < 14 && !AnyVerb(low[0]) && manyBefore(low, i) {
		return true // "prices in the feed lack VAT"
	}
	if oneOf(prev, "they", "we", "i") || prev == "you" && i == 1 {
		known := often.Has(w) || Preposition(w) || Negative(w) || Adverb(w)
		if !known && len(w) > 1 && lower(w[0]) {
			return true
		}
	}
	named := prev == "people" || len(prev) > 3 && pluralName(prev)
	meant := Subject(prev) && !oneOf(prev, "it", "that", "this", "there")
	if !named && !meant || i > 9 {
		return false
	}
	switch w {
	case "get", "contain", "include", "hold", "have", "take", "land", "come", "go", "keep", "need", "look", "appear",
		"show", "end", "arrive", "start", "become", "respawn", "feel", "disappear", "want", "find", "belong", "accept",
		"asked", "requested":
		return !AnyVerb(low[0]) || i > 2 // asking Imperative would ask this again
	}
	end, ok := Fails(w)
	return ok && (end == "") && i+1 <= len(low)
}

// manyBefore reports a subject of several things in front of i: a plural at its head, or two
// things with an "and", whatever is between.
func manyBefore(low []string, i int) bool {
	prev := low[i-1]
	if Determiner(prev) || Preposition(prev) || oneOf(prev, "to", "and") {
		return false
	}
	plural := func(w string) bool {
		return len(w) > 3 && strings.HasSuffix(w, "s") && !endsIn(w, "ss", "'s") && !Preposition(w) && !Filler(w)
	}
	switch {
	case plural(low[0]) && !Subject(low[0]) && !Conditional(low[0]):
		return true
	case i > 1 && plural(low[1]) && Determiner(low[0]):
		return true
	case i == 2 && plural(low[1]) && !Preposition(low[0]) && !Conditional(low[0]):
		return true
	}
	at := slices.Index(low[:i], "and")
	return at > 1 && at < i-1 && Determiner(low[0]) && Determiner(low[at+1])
}

// often are adverbs that stand between a subject and its verb.
var often = lazyregexp.Of(`always never still sometimes often usually already suddenly randomly occasionally silently
	also only even just now`)
