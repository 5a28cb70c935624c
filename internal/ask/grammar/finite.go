package grammar

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
)

// thirdPerson reports a verb in -s that follows something that can be its subject.
func thirdPerson(low []string, i int) bool {
	w, prev := low[i], low[i-1]
	if states[w] && (words.Particle(prev) || prev == "in") && strings.HasSuffix(low[0], "ing") {
		return true // "logging in takes …"
	}
	if words.Determiner(prev) && !words.Pronoun(prev) || words.Preposition(prev) || prev == "and" || prev == "," {
		return false
	}
	if _, ok := words.Number(prev); ok {
		return false
	}
	if end, ok := words.Fails(w); ok && (end == "s" || end == "ed") {
		if end == "ed" && i == 1 && Nounish[prev] && i+1 < len(low) && strings.HasSuffix(low[i+1], "s") && !words.Determiner(low[i+1]) {
			return false // "retry failed chunks"
		}
		return i+1 >= len(low) || !words.Auxiliary(low[i+1])
	}
	if states[w] || words.Acts(w) && (i > 1 || Nounish[low[0]] || !AnyVerb(low[0])) {
		return true
	}
	if (w == "happened" || w == "occurred" || w == "vanished" || w == "came" || w == "went" || w == "became") && (i > 1 || w == "became") && i+1 < len(low) {
		return true // "the weekly reset happened on Saturday"
	}
	if w == "got" && i > 1 && i+1 < len(low) && !words.Auxiliary(prev) {
		return true
	}
	if (w == "get" || w == "gets" || w == "got") && i+1 < len(low) && prev != "to" && !words.Modal(prev) {
		if _, end := words.Base(low[i+1], AnyVerb); end == "ed" {
			return true // "patients get merged"
		}
	}
	if does(low, i) {
		return true
	}
	b, end := words.Base(w, AnyVerb)
	if prev == "\"" && (i == 1 || i == 2 && strings.HasSuffix(low[0], "ing")) && end == "s" {
		return true // `tool --help` lists …
	}
	if b == "" || end != "s" || i+1 < len(low) && (words.Auxiliary(low[i+1]) || low[i+1] == "of") {
		return false
	}
	return !plural[b] || words.Subject(prev) || i+1 < len(low) && (words.Determiner(low[i+1]) || words.Pronoun(low[i+1]))
}

// plural are verbs whose -s is as often a noun in the plural.
var plural = map[string]bool{"list": true, "link": true, "test": true, "log": true, "report": true, "update": true, "alert": true,
	"filter": true, "upload": true, "download": true, "export": true, "import": true, "order": true, "tag": true, "post": true, "email": true, "mail": true,
	"backup": true, "benchmark": true, "mock": true, "hook": true, "change": true, "fix": true, "port": true, "point": true, "check": true,
	"record": true, "answer": true, "search": true, "limit": true, "cache": true, "register": true, "support": true, "release": true, "document": true,
	"design": true, "color": true, "colour": true, "group": true, "call": true, "build": true, "patch": true, "review": true, "retry": true, "scale": true, "set": true, "use": true, "load": true, "run": true, "print": true, "store": true, "view": true}

// states are other finite verbs that a description of how things are is made of.
var states = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range []string{"says", "keeps", "goes", "comes", "stays", "remains", "happens", "takes", "gets", "needs", "lives", "works",
		"belongs", "contains", "arrives", "appears", "seems", "feels", "warns", "climbs", "overlaps", "becomes", "asks", "jumps", "exists", "knows",
		"finds", "sits", "stands", "tells", "claims", "thinks", "wants", "likes", "lands", "closes", "hits", "falls", "leads", "passes", "moves", "enters", "sits", "matters", "means", "makes", "helps", "hurts", "costs", "depends", "applies", "follows", "covers", "serves", "fits", "suits", "opens", "expects", "returns", "shows", "ignores", "sees", "respawn",
		"eats", "fires", "ends", "resets", "predicts", "spins", "lasts", "includes", "allows", "accepts", "rejects", "sends", "produces", "creates", "generates", "writes", "prints", "renders", "converts", "adds", "removes",
		"deletes", "refers", "relies", "assumes", "reloads", "terminates", "quits", "waits", "sleeps", "grows", "shrinks", "increases", "decreases", "rises", "loses", "begins", "finishes", "exits", "consists", "differs", "lacks",
		"uses", "puts", "gives", "provides", "receives", "speaks", "talks", "sounds", "smells", "wins", "rotates", "merges", "inserts", "appends", "treats", "handles", "encodes", "decodes", "interprets", "compares", "chooses", "picks", "prefers",
		"triggers", "redirects", "behaves", "reacts", "responds", "complains", "whines", "refuses", "insists", "demands", "requires", "recreates", "rebuilds", "reappears", "overlays", "sinks", "turns", "throws", "kills", "burns", "bites", "hides", "reads", "opens", "leaves", "stops"} {
		out[w] = true
	}
	return out
}()

// does tells a verb in -s from a plural by its neighbours alone, whatever verb it is:
// an adverb like "also" stands in front, an object with an article or a number comes
// behind, or it is the last word, or in front of a preposition, of a subject that has
// all it needs.
func does(low []string, i int) bool {
	w, prev := low[i], low[i-1]
	if len(w) < 4 || w[len(w)-1] != 's' || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is") || strings.HasSuffix(w, "'s") || strings.ContainsAny(w, "./_-\"") ||
		words.Determiner(prev) || words.Preposition(prev) || words.Preposition(w) || words.Filler(w) || slices.Contains(Actors, w) || words.Auxiliary(prev) || words.Several(prev) {
		return false
	}
	if strings.ContainsAny(prev, "(_.") {
		return true // "churn.sql divides by zero"
	}
	next := ""
	if i+1 < len(low) {
		next = low[i+1]
	}
	switch {
	case often[prev] && prev != "just" && prev != "only" && i > 1:
		return true
	case next == "the" || next == "a" || next == "an" || next == "my" || next == "your" || next == "our" || next == "their" || next == "every" || next == "each" || next == "me" || next == "us" || next == "you" || next == "them" || next == "people" || next == "users" || next == "it" || next == "nothing" || next == "everything" || next == "anything" || next == "itself":
		return i > 1 || Nounish[low[0]] || !AnyVerb(low[0])
	case next == "\"" && i == 1 && Nounish[low[0]]:
		return true
	case (next == "when" || next == "whenever" || next == "while") && i > 1 && Definite(low[0]) && !strings.HasSuffix(prev, "s"):
		b, end := words.Base(w, AnyVerb)
		return b != "" && end == "s" // "the price changes when I reload"
	case (next == "forever" || next == "twice") && i > 1 && Definite(low[0]) && !strings.HasSuffix(prev, "s"):
		b, end := words.Base(w, AnyVerb)
		return b != "" && end == "s"
	case next == "until" && i == 1 && (!AnyVerb(low[0]) || Nounish[low[0]]):
		b, end := words.Base(w, AnyVerb)
		return b != "" && end == "s"
	case words.Several(next) && i > 1 && !(i+2 < len(low) && words.Unit(low[i+2])):
		return Nounish[low[0]] || !AnyVerb(low[0])
	}
	if (next == "before" || next == "after" || next == "until" || next == "while") && i == 1 && (!AnyVerb(low[0]) || Nounish[low[0]]) && slices.ContainsFunc(low[i+2:], words.Auxiliary) {
		return true // "hook runs before the env file is read"
	}
	if i == 2 && (Nounish[low[0]] || Definite(low[0])) && !strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ed") && i+1 < len(low) && (content(next) && strings.HasSuffix(next, "s") || i+2 < len(low) && content(next) && content(low[i+2]) && strings.HasSuffix(low[i+2], "s")) {
		if b, end := words.Base(w, AnyVerb); b != "" && end == "s" {
			return true // "backup job copies open files": no plural stands inside a compound
		}
	}
	b, _ := words.Base(w, AnyVerb)
	if b == "" && words.Acting(w) {
		b = w
	}
	whole := b != "" && (low[0] == "the" || low[0] == "my" || low[0] == "our" || low[0] == "your" || low[0] == "this" || low[0] == "every") && !strings.HasSuffix(prev, "s")
	switch {
	case !whole:
		return false
	case next == "":
		return !plural[b] && i > 1
	case (next == "to" || next == "back" || next == "up" || next == "down" || next == "away" || next == "over" || next == "out" || next == "into" || next == "onto") && i < 4 && !links[b]:
		return true // "the page scrolls to the top"
	case next == "on" && i == 2 && words.Acting(w) && !plural[strings.TrimSuffix(w, "s")] && len(low)-i > 2:
		return true // "the enemy walks on the spot"
	case words.Preposition(next) && next != "of" && next != "for":
		return slices.ContainsFunc(low[1:i], words.Preposition)
	}
	return false
}

// links are verbs whose plural noun has a "to" of its own.
var links = map[string]bool{"link": true, "path": true, "change": true, "update": true, "redirect": true, "upload": true, "export": true, "import": true, "answer": true, "reply": true, "route": true, "call": true, "request": true, "switch": true, "alert": true, "invite": true}

// Does reports a statement of what "it" does, with an object: "it lets me book a room".
func Does(low []string) bool {
	if len(low) < 4 || low[0] != "it" && low[0] != "this" {
		return false
	}
	i, ok := Predicate(low)
	return ok && i == 1 && !words.Auxiliary(low[1])
}

// content reports a word that names or describes something.
func content(w string) bool {
	return len(w) > 2 && !words.Preposition(w) && !words.Conjunction(w) && !words.Auxiliary(w) && !words.Filler(w) && !words.Determiner(w) && !words.Subordinator(w) && !Conditional(w) && w != "," && w != "\""
}

// Continues reports a clause that begins with a verb in -s: its subject is the one before.
func Continues(low []string) bool {
	if len(low) > 1 && often[low[0]] {
		low = low[1:]
	}
	if len(low) < 2 || words.Auxiliary(low[1]) {
		return false
	}
	b, end := words.Base(low[0], AnyVerb)
	if states[low[0]] {
		return true
	}
	return b != "" && end == "s" && (!plural[b] || words.Determiner(low[1]))
}
