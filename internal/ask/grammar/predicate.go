package grammar

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
)

// Finite reports whether a clause has a subject and something it does: an auxiliary
// behind the first word, or a verb's third person.
func Finite(low []string) bool {
	_, ok := Predicate(low)
	return ok
}

// Predicate is where the finite verb of a clause stands.
func Predicate(low []string) (int, bool) {
	for i, w := range low {
		switch {
		case i > 0 && i < 5 && (w == "who" || w == "that" || w == "which") && !Articled(low[0]) && !AnyVerb(low[0]):
			if at := behindRelative(low, i); at > 0 {
				return at, true // "guests who cancel are charged"
			}
			return 0, false
		case i > 1 && (w == "when" || w == "if" || w == "while" || w == "once" || w == "whenever") && !Conditional(low[0]):
			return 0, false
		case i > 0 && (w == "," || w == ";" || w == ":" || words.Subordinator(w) || w == "that" && i > 1):
			return 0, false
		case i > 0 && words.Auxiliary(w) && !Asked(low, i):
			return i, true
		case i == 0 && (w == "it's" || w == "that's" || w == "there's" || w == "they're" || w == "we're" || w == "you're" || w == "i'm" || w == "i've" || w == "we've"):
			return 0, true
		case i > 0 && thirdPerson(low, i):
			return i, true
		case i > 0 && plainVerb(low, i):
			return i, true
		}
	}
	return 0, false
}

// behindRelative is where the predicate stands behind a clause that tells of its subject: the
// first auxiliary that another verb stands before. 0 is none.
func behindRelative(low []string, from int) int {
	if from+2 < len(low) && (words.Modal(low[from+1]) || low[from+2] == ",") {
		return 0
	}
	for i := from + 2; i < len(low); i++ {
		switch w := low[i]; {
		case i > from+2 && low[i-1] != "to" && !words.Modal(low[i-1]) && !words.Preposition(low[i-1]) && !words.Determiner(low[i-1]) && receives(w):
			return i // "guests who book two rooms get one mail"
		case w == "," || w == "and" || w == "or" || words.Subordinator(w):
			return 0
		case words.Auxiliary(w) && !words.Modal(w) && w != "been" && w != "be" && w != "being" && low[i-1] != "to" && !words.Auxiliary(low[i-1]) && !words.Subject(low[i-1]) && !words.Negative(low[i-1]):
			return i
		}
	}
	return 0
}

// receives reports the verb of somebody who has or meets with something.
func receives(w string) bool {
	switch w {
	case "get", "gets", "see", "sees", "receive", "receives", "lose", "loses", "pay", "pays", "have", "has", "appear", "appears", "disappear", "disappears", "end", "ends", "land", "lands", "stay", "stays":
		return true
	}
	return false
}

// Asked reports an auxiliary that belongs to a smaller clause: "how it is", "to be".
func Asked(low []string, i int) bool {
	if low[i-1] == "to" || low[i] == "be" && !words.Modal(low[i-1]) {
		return true
	}
	if _, end := words.Base(low[1], AnyVerb); end == "ed" && i > 3 && words.Auxiliary(low[i]) && !words.Preposition(low[i-1]) && !words.Subject(low[i-1]) {
		if low[2] == "after" || low[2] == "before" || low[2] == "as" || low[2] == "while" {
			return false // "orders placed after midnight are …"
		}
	}
	for j := max(0, i-4); j < i; j++ {
		switch low[j] {
		case "like", "as", "than":
			return j > 0
		case "when", "if", "how", "what", "while", "once", "why", "before", "after":
			return j > 0 || low[j] == "how" || low[j] == "what"
		}
	}
	return false
}

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

// plainVerb reports the verb of a plural subject that no ending betrays: "members get
// …", "runs come …", "jobs fail".
func plainVerb(low []string, i int) bool {
	prev, w := low[i-1], low[i]
	if i == 1 && ceases[w] && strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ss") && i+1 < len(low) && (words.Preposition(low[2]) && low[2] != "of" && low[2] != "for" || low[2] == "up" || Adverb(low[2])) && (!AnyVerb(prev) || Nounish[prev]) {
		return true // "readings stop at 65535"
	}
	if i >= 2 && i < 6 && several(low) && strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ss") && (AnyVerb(w) || words.ActBase(w)) && i+1 < len(low) && !words.Preposition(low[i+1]) && !words.Auxiliary(low[i+1]) && !words.Conjunction(low[i+1]) && low[i+1] != "," {
		return true // "two workers pick up the same job", "two of the endpoints return xml"
	}
	if i == 2 && Definite(low[0]) && strings.HasSuffix(prev, "s") && !strings.HasSuffix(prev, "ss") && i+1 < len(low) && Adverb(low[i+1]) && (AnyVerb(w) || words.ActBase(w)) {
		return true // "the tests pass locally"
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
	case "get", "contain", "include", "hold", "have", "take", "land", "come", "go", "keep", "need", "look", "appear", "show", "end", "arrive", "start", "become", "respawn", "feel", "disappear", "want", "find", "belong", "accept":
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
