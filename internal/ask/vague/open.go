package vague

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Beside reports that under both readings something is done to the thing that is named: one
// way or language or some of the things are added, or take the place of what there is.
func Beside(low []string) bool {
	return channel(low) != nil || tongue(low) != nil || via(low) != nil || done(low) != nil || partly(low) != nil && !strings.HasSuffix(low[len(low)-1], "ed")
}

// channel reads "notifications should go to Teams", "could the fees go through Stripe", "login
// should be with Google", "the mails should be in HTML": a way, a form or a provider of
// something there is, and no word of whether it comes beside the one there is or in its place.
func channel(low []string) []string {
	at := slices.IndexFunc(low, func(w string) bool { return w == "should" || w == "could" || w == "must" || w == "can" })
	n := len(low)
	for n > 5 && words.Filler(low[n-1]) {
		n--
	}
	if n > 6 && (low[n-2] == "the" || low[n-2] == "our") && (low[n-3] == "by" || low[n-3] == "through" || low[n-3] == "via") {
		low = append(append([]string{}, low[:n-2]...), low[n-1])
		n--
	}
	if at < 0 || at > 5 || n < 5 || n > 10 || !words.Preposition(low[n-2]) || !provider(low[n-1]) || settled(low) {
		return nil
	}
	first := low[0]
	if at == 0 {
		first = low[1]
	}
	if words.Subject(first) || words.Pronoun(first) || grammar.Conditional(first) || words.Preposition(first) || at > 0 && words.Pronoun(low[at-1]) {
		return nil
	}
	verb := low[n-3]
	if verb == "out" || verb == "over" || verb == "in" || verb == "done" || verb == "made" || verb == "sent" || verb == "delivered" {
		verb = low[n-4]
	}
	through := low[n-2] == "through" || low[n-2] == "via" || low[n-2] == "over" || low[n-2] == "by"
	switch verb {
	case "go", "come", "run", "work", "happen":
		if !through && !(verb == "run" && low[n-2] == "on") && !(verb == "come" && low[n-2] == "from") && (low[n-2] != "to" || verb != "go" || places[low[n-1]]) {
			return nil
		}
	case "be":
		if !through && low[n-2] != "with" && !((low[n-2] == "in" || low[n-2] == "as") && files[strings.TrimSuffix(low[n-1], "s")]) {
			return nil
		}
	default:
		return nil
	}
	return []string{"it takes the place of the way there is", "it is offered beside the way there is"}
}

// provider reports a word that can name a service or a way: no value, address, stream or format
// of writing.
func provider(w string) bool {
	return bareNoun(w) && !strings.ContainsAny(w, "@./:#-_") && !(w[0] >= '0' && w[0] <= '9') && (!grammar.Format(w) || files[strings.TrimSuffix(w, "s")]) && !grammar.Stream(w)
}

// settled reports words that say whether something comes in the place of what there is, or
// beside it.
func settled(low []string) bool {
	return grammar.Old(low) || slices.ContainsFunc(low, func(w string) bool {
		switch w {
		case "also", "too", "only", "default", "additionally", "well", "besides", "alongside", "now", "both", "either", "always", "automatically", "already", "option", "optionally":
			return true
		}
		return false
	})
}

// places are where things go, and no way for them to get there.
var places = map[string]bool{"stderr": true, "stdout": true, "trash": true, "production": true, "staging": true, "main": true, "home": true, "sleep": true, "zero": true, "everyone": true, "everybody": true, "disk": true, "admins": true, "bed": true}

// done reads "let's do the export as CSV", "do the receipts as PDF".
func done(low []string) []string {
	n := len(low)
	if n < 5 || n > 7 || low[0] != "do" && low[0] != "have" || low[n-2] != "as" && low[n-2] != "in" || !files[strings.TrimSuffix(low[n-1], "s")] && !languages[low[n-1]] && !forms[low[n-1]] || settled(low) {
		return nil
	}
	return []string{"it takes the place of what there is", "it is offered beside what there is"}
}

// via reads a thing and by whom it is to work: "login through spotify". What
// goes "via" something is as often made with it.
func via(low []string) []string {
	n := len(low)
	for n > 3 && words.Filler(low[n-1]) {
		n--
	}
	if n < 3 || n > 4 || low[n-2] != "through" || !provider(low[n-1]) || grammar.HasVerb(low[:n]) || grammar.Articled(low[0]) || settled(low) || words.Preposition(low[0]) {
		return nil
	}
	return []string{"it takes the place of the way there is", "it is offered beside the way there is"}
}

// Alone reads a clause that is all a message asks, from is where the request begins in it:
// what could be meant in two ways is then said nowhere else.
func Alone(low []string, from int) []string {
	if r := rather(low); r != nil {
		return r
	}
	if r := Instead(low, from); r != nil {
		return r
	}
	rest := unnamed(low[from:])
	if rest == nil {
		return nil
	}
	for _, rule := range []func([]string) []string{pointing, better} {
		if r := rule(rest); r != nil {
			return r
		}
	}
	return nil
}

// Instead reads one kind of thing, or language, where there is another now, and no word of whether
// that one stays: whatever else is told, it has two readings.
func Instead(low []string, from int) []string {
	rest := unnamed(low[from:])
	if rest == nil {
		return nil
	}
	if r := form(rest); r != nil {
		return r
	}
	if r := measured(rest); r != nil {
		return r
	}
	return inTongue(rest)
}

// measured reads units and nothing else: "can we have miles", "imperial units please".
func measured(rest []string) []string {
	if n := len(rest); n > 2 || n == 2 && rest[1] != "units" && rest[1] != "please" {
		return nil
	}
	switch rest[0] {
	case "miles", "kilometres", "kilometers", "km", "feet", "inches", "metres", "meters", "imperial", "metric", "celsius", "fahrenheit", "kelvin", "pounds", "kilos", "kilograms", "litres", "liters", "gallons", "ounces", "knots", "dollars", "euros", "calories", "kilojoules":
		return []string{"they take the place of what is shown now", "one can choose between the two"}
	}
	return nil
}

// unnamed is what a request says, nil where it names a file or a text, or says what becomes of
// what there is: then it is plain.
func unnamed(low []string) []string {
	rest := trimmed(low)
	if len(rest) == 0 || grammar.Old(rest) || slices.ContainsFunc(rest, func(w string) bool { return w == "\"" || w == "too" || w == "also" || strings.ContainsAny(w, "/._") }) {
		return nil
	}
	return rest
}

// trimmed is what is left of words without what only goes with a request behind them.
func trimmed(rest []string) []string {
	for len(rest) > 1 && (words.Filler(rest[len(rest)-1]) || rest[len(rest)-1] == "!") {
		rest = rest[:len(rest)-1]
	}
	return rest
}

// form reads "reports should be PDF", "make the settings a modal", "receipts as PDF", "the start
// page should be the calendar": one kind of thing in place of another, or beside it.
func form(low []string) []string {
	n := len(low)
	if n < 3 || n > 9 || settled(low) {
		return nil
	}
	head := low[n-1]
	two := []string{"it takes the place of what there is", "it is offered beside what there is"}
	if be := slices.Index(low, "be"); be > 1 && be+1 < n && n-be < 5 {
		if becomes(low[:be], low[be+1:]) {
			return two
		}
		return nil
	}
	switch {
	case (low[0] == "make" || low[0] == "turn") && n > 4 && grammar.Definite(low[1]) && forms[head] && (low[n-2] == "a" || low[n-2] == "an") && !words.Preposition(low[n-3]):
		return two
	case n < 9 && (low[n-2] == "as" || low[n-2] == "in") && alternative(head) && !grammar.HasVerb(low) && !grammar.Articled(low[0]),
		n < 6 && (low[n-2] == "via" || low[n-2] == "through") && provider(head) && !grammar.HasVerb(low) && !grammar.Articled(low[0]):
		return two
	}
	return nil
}

// becomes reports that what stands behind "be" is another kind of thing than the subject.
func becomes(subject, what []string) bool {
	if words.Subject(subject[0]) || words.Pronoun(subject[0]) || len(subject) > 1 && words.Pronoun(subject[1]) {
		return false
	}
	if len(what) > 1 && (what[0] == "a" || what[0] == "an" || what[0] == "in" || what[0] == "as") {
		return len(what) == 2 && alternative(what[1])
	}
	if what[0] == "the" && len(what) > 1 && len(what) < 4 {
		last := what[len(what)-1]
		return grammar.Definite(subject[0]) && last != "default" && last != "same" && !words.Comparative(last) && !grammar.Numeric(what[1]) && what[1] != "first" && what[1] != "last" && what[1] != "only" && what[1] != "same"
	}
	if len(what) == 2 && forms[what[1]] && bareNoun(what[0]) {
		return true // "the charts should be bar charts"
	}
	if len(what) != 1 {
		return false
	}
	noun := subject[len(subject)-2]
	many := strings.HasSuffix(noun, "s") && strings.HasSuffix(what[0], "s") && !strings.HasSuffix(what[0], "ss") && bareNoun(what[0])
	return alternative(what[0]) || many && grammar.Definite(subject[0])
}

// alternative reports the name of a form, a format, a language, a tool or a currency, of which
// there are several.
func alternative(w string) bool {
	return forms[w] || files[strings.TrimSuffix(w, "s")] || languages[w] || words.Tool(w)
}

var files = map[string]bool{"pdf": true, "excel": true, "html": true, "csv": true, "xlsx": true, "word": true, "sms": true, "email": true, "json": true, "xml": true, "markdown": true, "yaml": true, "toml": true, "rst": true, "dollar": true, "euro": true, "franc": true, "pound": true, "pytest": true, "fahrenheit": true, "celsiu": true, "mile": true, "webp": true, "svg": true}

// inTongue reads a thing and a language and nothing else: "invoices in English", "Spanish for
// the app", "can the menu be in English".
func inTongue(low []string) []string {
	n := len(low)
	if n < 3 || n > 6 || grammar.Imperative(low) > 0 {
		return nil
	}
	if languages[low[0]] && low[1] == "for" || languages[low[n-1]] && low[n-2] == "in" && (!grammar.HasVerb(low) || low[n-3] == "be") {
		return []string{"that language takes the place of the one there is", "that language is offered beside the one there is"}
	}
	return nil
}

// pointing reads what was shown or said elsewhere: "make it bigger", "turn it off", "the colour
// from yesterday".
func pointing(low []string) []string {
	n := len(low)
	if n < 2 {
		return nil
	}
	elsewhere := []string{"what is meant was said or done before, and this message does not name it"}
	switch last := low[n-1]; {
	case n < 6 && n > 2 && (last == "yesterday" || last == "before" || n > 3 && (low[n-2] == "last" || low[n-2] == "other")) && slices.Contains(low, "from") && !grammar.HasVerb(low),
		n < 7 && low[0] == "finish" && slices.Contains(low, "started"):
		return elsewhere
	case n > 2 && n < 7 && (low[1] == "it" || low[1] == "them" || low[1] == "that") && (low[0] == "make" || low[0] == "turn" || low[0] == "switch" || low[0] == "put" || low[0] == "move" || low[0] == "change") && low[2] != "so" && low[2] != "possible" && low[2] != "easy" && low[2] != "easier":
		if slices.ContainsFunc(low[2:], func(w string) bool { return w == "possible" || w == "sure" }) || slices.Contains(low, "the") {
			return nil
		}
		return elsewhere
	case n < 6 && (low[0] == "like" || low[0] == "something" && low[1] == "like"), n > 2 && n < 8 && low[n-2] == "like" && provider(last) && grammar.Imperative(low) == 0, n > 3 && n < 10 && low[n-3] == "like" && low[n-2] == "in" && provider(last),
		n < 7 && last == "work" && low[n-2] == "needs", n < 8 && (last == "differently" || last == "different" && n > 2 && (low[n-2] == "look" || low[n-2] == "be")), n < 8 && last == "look" && low[n-2] == "another":
		return []string{"how it is to look or work is not said"}
	case n > 2 && n < 6 && low[0] == "should" && (low[1] == "this" || low[1] == "that" || low[1] == "it") && low[2] == "be":
		return []string{"it is to be done", "somebody is asked for an opinion"}
	}
	return nil
}

// better reads "better error messages", "handle errors better".
func better(low []string) []string {
	n := len(low)
	if n < 2 || n > 4 || low[0] != "better" && (low[n-1] != "better" || grammar.Imperative(low) == 0) {
		return nil
	}
	return []string{"how it looks", "how it works", "what it says"}
}

// tongue reads "the report card should be in French": translated, or offered in one more
// language.
func tongue(low []string) []string {
	n := len(low)
	for n > 0 && words.Filler(low[n-1]) {
		n--
	}
	if n < 5 || n > 9 || low[n-2] != "in" || !languages[low[n-1]] || low[n-3] != "be" || !slices.Contains([]string{"should", "must", "could", "can"}, low[n-4]) || words.Subject(low[0]) {
		return nil
	}
	return []string{"it is translated: that language takes the place of the one there is", "that language is offered beside the one there is"}
}

var languages = map[string]bool{"french": true, "german": true, "english": true, "spanish": true, "italian": true, "dutch": true, "polish": true, "portuguese": true, "swedish": true, "danish": true, "norwegian": true, "finnish": true, "turkish": true,
	"arabic": true, "russian": true, "ukrainian": true, "japanese": true, "chinese": true, "korean": true, "czech": true, "greek": true, "hungarian": true, "romanian": true}

// rather reads a question that is all there is: "could the docs be dark?", "can the logs be
// shorter". Which side of the thing it is about is not said. What is larger or has another
// colour can only be seen in one way.
func rather(low []string) []string {
	n := len(low)
	if n < 4 || n > 7 || low[0] != "can" && low[0] != "could" && low[0] != "should" || low[n-2] != "be" || low[1] != "the" && low[1] != "our" {
		return nil
	}
	switch low[n-1] {
	case "dark", "light", "shorter", "longer", "simpler", "lighter", "cleaner", "smarter", "quieter", "stricter", "safer", "clearer", "different", "offline", "public", "private", "modular", "dynamic", "responsive", "easier", "friendlier", "tighter", "leaner":
		return []string{"how it looks", "what it holds or does"}
	}
	return nil
}

// Serves reads a thing and what it is for, and nothing else: "postgres for the stats", "gallery
// for the photos", "we want Mollie for the payments". It can take the place of what does this
// now. proper says that the first word is a name by how it is written.
func Serves(low []string, proper bool) []string {
	for len(low) > 1 && words.Filler(low[len(low)-1]) {
		low = low[:len(low)-1]
	}
	if len(low) > 2 && low[0] == "a" && forms[low[1]] {
		low = low[1:]
	}
	n := len(low)
	if n < 4 || n > 6 || low[1] != "for" || low[2] != "the" && low[2] != "our" || settled(low) || slices.ContainsFunc(low[3:], words.Preposition) {
		return nil
	}
	if head := low[0]; words.Tool(head) || forms[head] || proper && bareNoun(head) && !grammar.Nounish[head] {
		return []string{"it takes the place of what does this now", "it is offered beside what does this now"}
	}
	return nil
}

// forms are ways in which many things of a kind are shown.
var forms = map[string]bool{"gallery": true, "table": true, "grid": true, "list": true, "cards": true, "carousel": true, "slider": true, "tabs": true, "accordion": true, "dropdown": true, "modal": true, "drawer": true, "calendar": true,
	"kanban": true, "board": true, "timeline": true, "map": true, "charts": true, "icons": true, "tiles": true, "popup": true, "popups": true, "banner": true, "toast": true, "tooltip": true, "wizard": true, "checkboxes": true, "radio": true, "link": true, "links": true, "button": true, "buttons": true, "checkbox": true, "toggle": true, "textarea": true, "select": true, "video": true, "videos": true}
