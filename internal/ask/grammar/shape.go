package grammar

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
)

// Old reports that something takes the place of something else: instead of, rather
// than, "85 not 95", from A to B.
func Old(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" instead ", " rather than ", " in place of ", " in favour of ", " in favor of ", " in lieu of ", " not just "} {
		if strings.Contains(line, p) && p != " not just " {
			return true
		}
	}
	if i := slices.Index(low, "from"); i > 0 && i+3 < len(low) && low[i+2] == "to" {
		if _, ok := Value(low[i+1]); ok {
			return true
		}
	}
	for i, w := range low {
		if (w == "->" || w == "→" || w == "=>") && i > 0 && i+1 < len(low) {
			return true
		}
		if w == "not" && i > 1 && i+1 < len(low) && (Definite(low[i+1]) || low[i+1] == "a") && !words.Auxiliary(low[i-1]) {
			return true
		}
		if w == "not" && i > 0 && i+1 < len(low) && low[i-1] == "\"" && low[i+1] == "\"" {
			return true
		}
		if w == "not" && i > 1 && i+2 < len(low) && words.Preposition(low[i+1]) && slices.Contains(low[:i], low[i+1]) && !words.Auxiliary(low[i-1]) {
			return true // "price per night not per stay"
		}
		if w == "not" && i > 0 && i+1 < len(low) {
			if _, ok := Value(low[i+1]); ok {
				return true
			}
			if i > 1 && low[i-1] == "," && len(low)-i < 6 && low[i+1] != "now" && low[i+1] != "yet" && low[i+1] != "today" {
				return true
			}
		}
	}
	return false
}

// Value reports a number, with or without a unit: 5, 30s, 3e-4, 512mi, v2.
func Value(w string) (string, bool) {
	if _, ok := words.Number(w); ok {
		return w, true
	}
	return w, w != "" && (w[0] >= '0' && w[0] <= '9' || w[0] == '#' && len(w) > 3 && strings.Trim(w[1:], "0123456789abcdef") == "")
}

// Compared is where a word stands that says how something should look or be.
func Compared(low []string) int {
	for i, w := range low {
		if words.Comparative(w) && (i > 0 || len(low) > 1) {
			return i + 1
		}
		if w == "more" && i+1 < len(low) && !words.Determiner(low[i+1]) {
			if i == 0 {
				return 1
			}
			if _, ok := words.Number(low[i-1]); !ok && low[i-1] != "some" && low[i-1] != "any" {
				return i + 1
			}
		}
	}
	return 0
}

// Degree reports a thing with more or less of what it has now: "a bigger logo". Whatever its
// article, there is one.
func Degree(low []string) bool {
	if len(low) > 0 && (low[0] == "a" || low[0] == "an" || low[0] == "some") {
		low = low[1:]
	}
	for len(low) > 1 && (low[0] == "much" || low[0] == "bit" || low[0] == "slightly" || low[0] == "little" || low[0] == "lot" || low[0] == "way") {
		low = low[1:]
	}
	return len(low) > 1 && low[0] == "different" || len(low) > 1 && words.Comparative(low[0]) && strings.HasSuffix(low[0], "er") && !words.Preposition(low[1])
}

// Hue reports several things in another colour: "green buttons".
func Hue(low []string) bool {
	if len(low) < 2 || !strings.HasSuffix(low[1], "s") {
		return false
	}
	switch low[0] {
	case "green", "blue", "red", "black", "white", "grey", "gray", "yellow", "orange", "purple", "pink", "dark", "light":
		return true
	}
	return false
}

// Indefinite reports a thing that is not there yet by its article.
func Indefinite(low []string) bool {
	if len(low) == 0 {
		return false
	}
	switch low[0] {
	case "a", "an", "another", "new", "some", "one":
		return true
	case "the", "this", "that", "these", "those", "my", "our", "your", "its", "their", "his", "her", "all", "both", "every", "each", "it", "them", "\"":
		return false
	}
	return !words.Auxiliary(low[0])
}

func Adverb(w string) bool {
	return len(w) > 4 && strings.HasSuffix(w, "ly") && w != "reply" && w != "apply" && w != "only"
}

// Definite reports a word in front of a thing that is there.
func Definite(w string) bool {
	switch w {
	case "the", "our", "my", "your", "their", "its", "this", "these", "those":
		return true
	}
	return false
}

// Switched reports a thing that is to be on or off: "display off after 10 s".
func Switched(low []string) bool {
	i := slices.Index(low, "off")
	if i > 0 && i < 4 && !Articled(low[0]) && (i+1 == len(low) || words.Preposition(low[i+1]) || Conditional(low[i+1])) {
		return true
	}
	n := len(low)
	return n > 1 && n < 5 && low[n-1] == "on" && !Articled(low[0])
}

// Towards reports a thing and where it is to be or go: "summary to stderr", "log level to
// debug". Nouns that have a "to" of their own do not count.
func Towards(low []string) bool {
	i := slices.Index(low, "to")
	if i < 1 || i+1 >= len(low) || i > 4 || len(low)-i > 4 || Articled(low[0]) || Imperative(low[i+1:]) > 0 || strings.HasSuffix(low[i-1], "ing") || strings.HasSuffix(low[i-1], "ed") || slices.Contains(low[:i], "for") {
		return false
	}
	switch strings.TrimSuffix(low[i-1], "s") {
	case "next", "due", "close", "similar", "link", "path", "acces", "guide", "reference", "ability", "option", "way", "button", "connection", "redirect", "reply", "answer", "support", "export", "import", "upload", "migration", "change", "invite", "invitation", "mail", "message", "alert", "notification", "swipe", "tap", "pull", "drag", "shortcut", "route":
		return false
	}
	return true
}

// Attribute reports a noun for what everything has one of: a new one takes the place of the
// one that is there.
func Attribute(w string) bool {
	switch w {
	case "address", "logo", "name", "title", "headline", "font", "domain", "url", "host", "number", "wording", "text", "slogan", "tagline", "colour", "color", "palette", "favicon", "price", "slug", "icon", "version", "password", "design", "look", "layout", "subject":
		return true
	}
	return false
}

// Articled reports a word that introduces a thing not known yet.
func Articled(w string) bool {
	return w == "a" || w == "an" || w == "another" || w == "new" || w == "some"
}

// MoreThings reports "five more slots", "one more page".
func MoreThings(low []string) bool {
	i := slices.Index(low, "more")
	if i < 1 {
		return false
	}
	_, ok := words.Number(low[i-1])
	return ok || low[i-1] == "some" || low[i-1] == "a-few"
}

// Valued reports a thing that is there with a value it should have: "batch 64", "http
// check every 30s", "fonts everywhere".
func Valued(low []string) bool {
	for i := 1; i < len(low); i++ {
		if _, ok := Value(low[i]); ok && (i == len(low)-1 || words.Unit(low[i+1]) || Conditional(low[i+1])) && (low[i-1] == "at" || low[i-1] == "to" || low[i-1] == "every" || low[i-1] == "after" || low[i-1] == "within" || low[i-1] == "under" || (i == len(low)-1 || Conditional(low[i+1])) && !words.Preposition(low[i-1])) {
			return low[0] != "a" && low[0] != "an"
		}
	}
	return slices.Contains(low, "everywhere") || slices.Contains(low, "by-default")
}

// Stated reports a thing with the state it is to be in: "dashboards sorted alphabetically".
func Stated(low []string) bool {
	for i := 1; i < min(len(low), 4); i++ {
		b, end := words.Base(low[i], AnyVerb)
		if sense, _ := words.Verb(b); end == "ed" && sense == words.Modify && (i+1 == len(low) || words.Preposition(low[i+1]) || Adverb(low[i+1]) || words.Filler(low[i+1])) {
			return true
		}
	}
	return false
}

// Bounded reports a limit: "max upload 20 MB", "at most 5 retries".
func Bounded(low []string) bool {
	for i, w := range low {
		switch w {
		case "max", "min", "maximum", "minimum", "most", "least":
			return slices.ContainsFunc(low[i+1:], func(w string) bool { return Numeric(w) }) || i > 0 && Numeric(low[i-1])
		}
	}
	return false
}

// Apart finds the particle of a verb behind its object: "take that dreadful clip-art out".
func Apart(verb string, low []string) (words.Sense, int) {
	for i := 2; i < min(len(low), 7); i++ {
		if words.Preposition(low[i]) && !words.Particle(low[i]) || low[i] == "," {
			return words.None, 0
		}
		if words.Particle(low[i]) {
			if s, ok := words.PhraseOf(verb, low[i]); ok && (i == len(low)-1 || !words.Determiner(low[i+1]) || verb == "take" && low[i] == "off") {
				return s, i
			}
		}
	}
	return words.None, 0
}

// Generic reports an object that says nothing: "it", "this please", "the error", why.
func Generic(o []string) bool {
	for _, w := range o {
		switch {
		case words.Pronoun(w) || words.Filler(w) || words.Determiner(w) || w == "why" || w == "at" || w == "out" || w == "into" || w == "asap" || w == "today" || w == "soon" || w == "up" || w == "as" || w == "possible" || w == "for" || w == "me" || w == "us" || w == "of" || w == "about" || w == "today's" || w == "properly" || w == "what" || w == "is" || w == "happening" || w == "going" || w == "on" || w == "we" || w == "can" || w == "quick" || w == "ça" || w == "bitte":
		case w == "error" || w == "bug" || w == "problem" || w == "issue" || w == "problems" || w == "issues" || w == "errors" || w == "thing" || w == "things" || w == "crash" || w == "cause" || w == "regression" || w == "bugs" || w == "matter":
		default:
			return false
		}
	}
	return true
}

// Predicative reports a bare object with a bare word behind it that says how it is to
// be: "make coupons case-insensitive".
func Predicative(o []string) bool {
	last := o[len(o)-1]
	if len(o) > 2 && len(o) < 6 && !Articled(o[0]) && (strings.HasSuffix(last, "able") || strings.HasSuffix(last, "sensitive")) {
		return true
	}
	if len(o) == 2 && (strings.ContainsAny(o[0], "_./") || strings.HasSuffix(last, "al") || strings.HasSuffix(last, "ic") || strings.HasSuffix(last, "less") || strings.HasSuffix(last, "ful") || strings.HasSuffix(last, "ent") || strings.HasSuffix(last, "ant")) {
		return true
	}
	return len(o) == 2 && (strings.HasSuffix(last, "able") || strings.HasSuffix(last, "ive") || strings.HasSuffix(last, "ous") || strings.HasSuffix(last, "ed"))
}

// Quantity reports a measure among the words: "20 minutes".
func Quantity(o []string) bool {
	for i := 1; i+1 < len(o); i++ {
		if _, ok := Value(o[i]); ok && words.Unit(o[i+1]) {
			return true
		}
	}
	return false
}

// Places are where something new is put when it is put in: a text, a page, a list.
var Places = []string{"subject", "header", "footer", "title", "page", "line", "mail", "email", "column", "list", "corner", "readme", "log", "logs", "menu", "sidebar", "response", "payload", "form", "screen", "top", "bottom", "toolbar", "invoice", "report"}

// Span is a stretch of a clause's tokens.
type Span struct{ From, To int }

// Numeric reports a number, with or without a unit.
func Numeric(w string) bool { _, ok := Value(w); return ok }

// Persists are what a thing may wrongly stay: a complaint, no wish.
var Persists = map[string]bool{"open": true, "visible": true, "blank": true, "empty": true, "black": true, "stuck": true, "forever": true, "disabled": true, "grey": true,
	"gray": true, "highlighted": true, "there": true, "on": true, "at": true, "in": true, "white": true, "red": true, "active": true, "selected": true, "after": true, "even": true, "when": true, "pending": true, "locked": true, "logged": true, "hidden": true, "loading": true, "behind": true, "constant": true, "flat": true, "zero": true, "nan": true, "null": true, "undefined": true}

// Reporting are verbs by which somebody says something: what they say must be is no wish.
var Reporting = map[string]bool{"says": true, "said": true, "claims": true, "thinks": true, "tells": true, "reports": true, "complains": true, "insists": true, "believes": true}
