package grammar

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
)

// plainVerb reports the verb of a plural subject that no ending betrays: "members get
// …", "runs come …", "jobs fail".
func plainVerb(low []string, i int) bool {
	prev, w := low[i-1], low[i]
	if i == 1 && ceases[w] && strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ss") && i+1 < len(low) && (words.Preposition(low[2]) && low[2] != "of" && low[2] != "for" || low[2] == "up" || Adverb(low[2])) && (!AnyVerb(prev) || Nounish[prev]) {
		return true // "readings stop at 65535"
	}
	if i >= 2 && i < 6 && several(low) && (strings.HasSuffix(prev, "s") || prev == "people") && !strings.HasSuffix(prev, "ss") && (AnyVerb(w) || words.ActBase(w)) && i+1 < len(low) && !words.Preposition(low[i+1]) && !words.Auxiliary(low[i+1]) && !words.Conjunction(low[i+1]) && low[i+1] != "," {
		return true // "two workers pick up the same job", "two of the endpoints return xml"
	}
	if i == 2 && Definite(low[0]) && strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ss") && i+1 < len(low) && Adverb(low[i+1]) && (AnyVerb(w) || words.ActBase(w)) {
		return true // "the tests pass locally"
	}
	if i == 3 && words.Preposition(low[1]) && low[1] != "of" && low[1] != "for" && strings.HasSuffix(low[0], "s") && !strings.HasSuffix(low[0], "ss") && Numeric(prev) && words.ActBase(w) && i+1 < len(low) {
		return true // "scores over 65535 wrap round to zero"
	}
	if i == 2 && (low[0] == "a" || low[0] == "an") && words.Acting(w) && len(low) > 4 && (low[3] == "at" || low[3] == "to" || low[3] == "that") && (w == "points" || w == "shows" || w == "leads" || w == "says" || w == "tells") {
		return true // "a bisect points at walker.rs"
	}
	if i == 2 && Definite(low[0]) && strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ss") && (AnyVerb(w) || words.ActBase(w)) && i+1 < len(low) && Numeric(low[i+1]) {
		return true // "the highscores sort 100 before 20"
	}
	if w == "work" && i == len(low)-1 && i > 1 && Definite(low[0]) && strings.HasSuffix(prev, "s") {
		return true // "the other two scanners work"
	}
	if i == 1 && prev == "people" && (AnyVerb(w) || words.ActBase(w)) && i+1 < len(low) && (words.Determiner(low[2]) || words.Pronoun(low[2]) || words.Preposition(low[2])) {
		return true // "people bring them back late"
	}
	if i > 1 && (often[prev] || prev == "never") && strings.HasSuffix(w, "ed") {
		j := i - 1
		for j > 0 && (often[low[j]] || low[j] == "never") {
			j--
		}
		if low[j] == "we" || low[j] == "they" || low[j] == "i" || low[j] == "nobody" {
			return true // "we just never asked"
		}
	}
	if i > 1 && i < 7 && several(low) && strings.HasSuffix(prev, "s") && strings.HasSuffix(w, "ed") && i+1 < len(low) && !words.Preposition(low[i+1]) {
		if b, end := words.Base(w, func(b string) bool { return AnyVerb(b) || words.ActBase(b) }); b != "" && end == "ed" {
			return true // "two of the three charts stayed white"
		}
	}
	if i == 2 && low[0] == "all" && (w == "tapped" || w == "clicked" || w == "pressed" || w == "looked" || w == "asked" || w == "waited" || w == "complained") {
		return true // "all 12 tapped on the picture"
	}
	if prev == "ones" && i > 1 && Definite(low[0]) && (AnyVerb(w) || words.ActBase(w)) {
		return true // "the older ones phone me"
	}
	if (prev == "both" || prev == "all") && i > 2 && (AnyVerb(w) || words.ActBase(w)) && i+1 < len(low) && !AnyVerb(low[0]) && slices.Contains(low[:i], "and") {
		return true // "a.js and b.js both talk to the db"
	}
	if often[prev] && i > 1 && low[i-2] != "and" && low[i-2] != "," && AnyVerb(w) && strings.HasSuffix(low[i-2], "s") && !AnyVerb(low[0]) {
		return true // "the docs still mention …"
	}
	if words.Strictly(w) && i > 0 && i < 14 && !AnyVerb(low[0]) && manyBefore(low, i) || words.ActBase(w) && i == 2 && Nounish[low[0]] && strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ss") && i+1 < len(low) && (words.Preposition(low[i+1]) && low[i+1] != "of" && low[i+1] != "by" && low[i+1] != "as" || Adverb(low[i+1])) || words.Strictly(w) && i == 2 && Nounish[low[0]] && strings.HasSuffix(prev, "s") {
		return true // "prices in the feed lack VAT", "cache keys collide"
	}
	if happens[w] && i > 1 && i+1 < len(low) && strings.HasSuffix(low[0], "s") && !AnyVerb(low[0]) && (words.Preposition(low[i+1]) || Adverb(low[i+1])) && !words.Determiner(prev) && !words.Preposition(prev) {
		return true // "emails to gmail land in spam"
	}
	if (prev == "they" || prev == "we" || prev == "i" || prev == "you" && i == 1) && !often[w] && !words.Preposition(w) && !words.Negative(w) && !Adverb(w) && len(w) > 1 && w[0] >= 'a' && w[0] <= 'z' {
		return true
	}
	if i > 0 && len(prev) > 3 && strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ss") && i+1 < len(low) && (words.Determiner(low[i+1]) && low[i+1] != "all" && low[i+1] != "both") && (AnyVerb(w) || words.ActBase(w)) && (Nounish[low[0]] || !AnyVerb(low[0])) && !words.Preposition(low[max(0, i-2)]) && low[0] != "to" {
		return true // "cancelled uploads leave their chunks"
	}
	many := prev == "people" || prev == "folks" || words.Subject(prev) && prev != "it" && prev != "that" && prev != "this" && prev != "there" || len(prev) > 3 && prev[len(prev)-1] == 's' && prev[len(prev)-2] != 's'
	if !many || i > 9 {
		return false
	}
	switch w {
	case "see", "enter", "leave", "open", "use":
		return slices.Contains(Actors, prev) && i+1 < len(low) && words.Determiner(low[i+1])
	case "do":
		return i > 1 && !words.Subject(prev)
	case "get", "contain", "include", "hold", "have", "take", "land", "come", "go", "keep", "need", "look", "appear", "show", "end", "arrive", "start", "become", "respawn", "feel", "disappear", "want", "find", "belong", "accept", "asked", "requested":
		return !AnyVerb(low[0]) || Nounish[low[0]] || i > 2 // asking Imperative would ask this again
	}
	end, ok := words.Fails(w)
	return ok && (end == "" || end == "ed") && i+1 <= len(low)
}

// ceases are verbs that say where or how something of several ends.
var ceases = map[string]bool{"stop": true, "add": true, "start": true, "fall": true, "jump": true, "end": true, "run": true, "arrive": true, "land": true, "go": true, "disappear": true, "overlap": true, "flicker": true}

// several reports a subject that begins with a number of things: "two workers", "half of the
// pages", "three of the tests".
func several(low []string) bool {
	if words.Several(low[0]) && !(len(low) > 1 && words.Unit(low[1])) {
		return true
	}
	return len(low) > 1 && low[1] == "of" && (low[0] == "half" || low[0] == "some" || low[0] == "most" || low[0] == "many" || low[0] == "all")
}

// manyBefore reports a subject of several things in front of i: a plural at its head, or two
// things with an "and", whatever stands between.
func manyBefore(low []string, i int) bool {
	prev := low[i-1]
	if words.Determiner(prev) || words.Preposition(prev) || prev == "to" || prev == "and" || words.Auxiliary(prev) || words.Modal(prev) || words.Negative(prev) || slices.Contains(low[:i], "that") || slices.Contains(low[:i], "which") {
		return false
	}
	plural := func(w string) bool {
		return len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "'s") && !words.Preposition(w) && !words.Filler(w)
	}
	switch {
	case plural(low[0]) && !words.Subject(low[0]) && !Conditional(low[0]):
		return true
	case i > 1 && plural(low[1]) && (words.Determiner(low[0]) || words.Several(low[0]) || !words.Preposition(low[0]) && !Conditional(low[0]) && i == 2):
		return true
	}
	at := slices.Index(low[:i], "and")
	return at > 1 && at < i-1 && words.Determiner(low[0]) && words.Determiner(low[at+1])
}

// happens are verbs without an object that say what becomes of several things.
var happens = map[string]bool{"land": true, "arrive": true, "appear": true, "come": true, "go": true, "end": true, "stay": true, "sit": true, "point": true, "lead": true, "run": true, "return": true, "show": true, "look": true}

// often are adverbs that stand between a subject and its verb.
var often = map[string]bool{"always": true, "never": true, "still": true, "sometimes": true, "often": true, "usually": true, "already": true, "suddenly": true, "randomly": true, "occasionally": true, "silently": true, "also": true, "only": true, "even": true, "just": true, "now": true}
