package grammar

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
)

// Vague finds what can be read in two ways whatever the verb is.
func Vague(low []string) []string {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" same as last time", " same as before ", " same thing ", " do the same ", " same again ", " like last time ", " as discussed ", " as we discussed ", " like we said ", " like we discussed ", " like we talked ", " as we talked ", " same as yesterday ", " same as for ", " i don't know whether ", " i don't know which ", " not sure whether ", " not decided yet ", " same as last week ", " the usual ", " whatever is easier", " not sure yet ", " not sure which ", " haven't decided ", " can't decide ", " undecided ", " or something ", " or whatever ", " whichever is easier", " whatever you prefer", " either way is fine", " the new thing ", " the other page ", " the other thing ", " the other screen ", " the other one ", " that thing ", " the thing ", " you know what ", " the other one ", " as usual ", " as we said ", " as i said ", " as you said ", " as agreed ", " as mentioned ", " like the previous ", " as in the previous ", " option a ", " option b ", " option c ", " option 1 ", " option 2 ", " option one ", " option two ", " do what we did ", " do what you did ", " what we did to ", " what you did to ", " like the others ", " like the other one "} {
		if strings.Contains(line, p) && !(strings.Contains(p, "same") && Finite(low) && low[0] != "do") {
			return []string{"what was done before is meant, which this message does not name"}
		}
	}
	if i := strings.Index(line, " do something about "); i >= 0 && !slices.ContainsFunc(low, func(w string) bool {
		_, fails := words.Fails(w)
		return fails || words.Wrong(w) || words.Soft(w) || w == "it" || w == "this" || w == "that"
	}) {
		return []string{"what is to be done about it is not said"}
	}
	if len(low) > 3 && low[0] == "do" && (low[1] == "we" || low[1] == "i") && (low[2] == "need" || low[2] == "want") {
		return []string{"it is to be done", "somebody is asked for an opinion"}
	}
	if strings.HasSuffix(line, " like before ") && len(low) < 4 {
		return []string{"what was done before is meant, which this message does not name"}
	}
	if Part(low) && (slices.ContainsFunc(low, words.Modal) || strings.Contains(line, " into ")) {
		return []string{"those that are there are converted", "others are added beside those that are there"}
	}
	if i := slices.Index(low, "or"); i > 0 && i+1 < len(low) && low[i+1] == "only" && !HasVerb(low[:i]) {
		return []string{strings.Join(low[:i], " "), strings.Join(low[i+1:], " ")}
	}
	if i := slices.Index(low, "or"); i > 0 && len(low) <= 5 && i+1 < len(low) && !slices.ContainsFunc(low, func(w string) bool { return words.Auxiliary(w) }) && Imperative(low) == 0 {
		return []string{strings.Join(low[:i], " "), strings.Join(low[i+1:], " ")}
	}
	if line = strings.TrimSuffix(line, " please "); len(low) <= 6 && strings.Contains(line, " the other way ") && (!HasVerb(low) || low[0] == "the") || strings.HasSuffix(strings.TrimSpace(line), " one") && len(low) <= 4 && low[0] == "the" && len(low) > 2 && !slices.ContainsFunc(low, words.Comparative) {
		return []string{"which one is meant is not said"}
	}
	if i := slices.Index(low, "or"); i > 1 && i+2 < len(low) && len(low) < 11 && (low[0] == "a" || low[0] == "an" || low[0] == "the") && low[i+1] == low[0] && !HasVerb(low) || i > 0 && i+1 < len(low) && i == 1 && words.Comparative(low[0]) && words.Comparative(low[2]) {
		return []string{strings.Join(low[:i], " "), strings.Join(low[i+1:], " ")} // "a modal or a drawer for the filters"
	}
	if len(low) > 1 && (low[0] == "number" || low[0] == "item" || low[0] == "point") && Numeric(low[1]) && !HasVerb(low) && len(low) < 7 || len(low) > 2 && low[0] == "all" && low[1] == "of" && words.Pronoun(low[2]) && len(low) < 5 || len(low) < 6 && low[len(low)-1] == "ones" && Imperative(low) > 0 {
		return []string{"which ones are meant, and what is to be done, is not said"}
	}
	if low[0] == "could" && len(low) > 4 && low[1] == "be" && slices.Contains(low, "or") {
		i := slices.Index(low, "or")
		return []string{strings.Join(low[2:i], " "), strings.Join(low[i+1:], " ")}
	}
	if i := slices.Index(low, "or"); i > 1 && len(low) <= 8 && i+2 < len(low) && words.Preposition(low[i+1]) && slices.Contains(low[:i], low[i+1]) && !HasVerb(low[:i]) {
		return []string{strings.Join(low[:i], " "), strings.Join(low[i+1:], " ")}
	}
	if len(low) <= 4 && Imperative(low) > 0 && low[len(low)-1] == "one" && low[len(low)-2] != "into" && !slices.ContainsFunc(low, func(w string) bool {
		return w == "a" || w == "another" || w == "add" || w == "make" || w == "create" || w == "write" || w == "build"
	}) {
		return []string{"which one is meant is not said"}
	}
	if len(low) <= 6 && (slices.Contains(low, "thing") || slices.Contains(low, "stuff")) && !HasVerb(low) {
		return []string{"which thing is meant, and what is to be done with it, is not said"}
	}
	if len(low) < 7 && (low[0] == "use" || low[0] == "try" || low[0] == "pick") && low[1] == "a" && low[2%len(low)] == "different" {
		return []string{"which one is not said"}
	}
	if i := slices.Index(low, "other"); i > 0 && low[i-1] == "the" && i+2 == len(low) && len(low) <= 5 && Imperative(low) > 0 {
		return []string{"which other one is meant is not said"}
	}
	if a, b := alternatives(low); a != "" {
		return []string{a, b}
	}
	return identity(low)
}

// alternatives reads two deeds of which one is to be chosen: "should be chunked or
// rejected", "remove or hide the banner". Somebody who can do either gets both.
func alternatives(low []string) (one, other string) {
	i := slices.Index(low, "or")
	if i < 1 || i+1 >= len(low) {
		return "", ""
	}
	verb := func(w string) (string, string) { return words.Base(w, AnyVerb) }
	if len(low) <= 5 && i+2 == len(low) && i == 2 && (low[0] == "add" || low[0] == "use" || low[0] == "make" || low[0] == "build") && bareNoun(low[1]) && bareNoun(low[3]) {
		return low[1], low[3]
	}
	a, endA := verb(low[i-1])
	b, endB := verb(low[i+1])
	switch {
	case i > 2 && low[i-2] == "be" && i+2 == len(low) && (low[0] == "can" || low[0] == "could" || low[0] == "should" || slices.Contains(low[:i], "should")):
		return low[i-1], low[i+1] // "be optional or removed"
	case a == "" || b == "" || endA != endB:
		return "", ""
	case i == 1 && endA == "" && i+2 < len(low) && !Nounish[low[0]]:
		return low[0], low[2]
	case endA == "ed" && i > 2 && low[i-2] == "be" && (low[i-3] == "should" || low[i-3] == "must"):
		return low[i-1], low[i+1]
	}
	return "", ""
}

// Part reports that only some of a number of things are meant: half of the alerts.
func Part(low []string) bool {
	if len(low) < 4 {
		return false
	}
	if (low[0] == "some" || low[0] == "several" || low[0] == "most" || low[0] == "many") && words.Modal(low[2]) {
		return true
	}
	switch low[1] {
	case "few", "third", "thirds", "quarter", "quarters", "part", "couple":
		return low[2] == "of" && len(low) > 4
	}
	switch low[0] {
	case "half", "some", "most", "part", "several":
		return low[1] == "of" || low[0] == "half"
	}
	_, ok := words.Number(low[0])
	return ok && low[1] == "of"
}

// identity reads "customer should be client": one thing is to be another, and whether
// that means its name, its kind or how it behaves is left open. What says how it should
// be (a colour, a number, "sortable", "a soft delete", "done by …") leaves nothing open.
func identity(low []string) []string {
	i := slices.IndexFunc(low, func(w string) bool { return w == "should" || w == "must" })
	if i < 1 || i+2 >= len(low) || low[i+1] != "be" || low[0] == "there" || i > 1 && words.Determiner(low[0]) && bareNoun(low[i+2]) && low[i+2] != "different" || words.Subject(low[0]) || i > 4 {
		return nil
	}
	o := low[i+2:]
	if o[0] == "different" && len(o) == 1 {
		return []string{"how it is to be is not said"}
	}
	if o[0] == "like" || o[0] == "more" && slices.Contains(o, "like") || o[0] == "similar" {
		return []string{"it looks the same", "it works the same", "it is built on the same code"}
	}
	if len(o) > 2 || !bareNoun(o[0]) || len(o) == 2 && !bareNoun(o[1]) || i > 2 {
		return nil
	}
	if len(o) == 1 && (Compared(o) > 0 || words.Comparative(o[0])) {
		return nil
	}
	return []string{"only the name changes", "one kind of thing is converted into the other", "one is offered beside the other"}
}

// bareNoun reports a word that can name a thing by itself, as far as its shape tells.
func bareNoun(w string) bool {
	if w == "" || words.Auxiliary(w) || words.Preposition(w) || words.Comparative(w) || words.Negative(w) || words.Pronoun(w) || adverbs[w] || w == "\"" {
		return false
	}
	if _, ok := Value(w); ok {
		return false
	}
	for _, end := range []string{"able", "ible", "ed", "ly", "ous", "ive", "ful", "less", "ic", "al"} {
		if strings.HasSuffix(w, end) && w != "email" {
			return false
		}
	}
	_, ending := words.Base(w, AnyVerb)
	return ending != "ed" && ending != "ing"
}

var adverbs = map[string]bool{"possible": true, "able": true, "allowed": true, "there": true, "here": true, "sent": true, "shown": true, "done": true, "first": true, "last": true,
	"in": true, "on": true, "off": true, "monday": true, "ok": true, "fine": true, "enough": true, "so": true, "same": true, "correct": true, "right": true, "left": true, "default": true, "utc": true, "true": true, "false": true, "read-only": true, "hidden": true, "visible": true, "big": true, "small": true, "fast": true, "clear": true, "simple": true, "open": true, "empty": true, "available": true}

// OldRecords reads "the old users": rows that are old, or code about them.
func OldRecords(o []string) []string {
	if len(o) == 0 || len(o) > 3 {
		return nil
	}
	if o[0] == "the" || o[0] == "all" || o[0] == "our" || o[0] == "these" {
		o = o[1:]
	}
	if len(o) != 2 {
		return nil
	}
	switch o[0] {
	case "old", "unused", "inactive", "duplicate", "duplicated", "stale", "legacy", "obsolete", "outdated", "dead", "expired":
	default:
		return nil
	}
	if !records[strings.TrimSuffix(strings.TrimSuffix(o[1], "s"), "ie")] && o[1] != "one" && o[1] != "ones" && o[1] != "stuff" && o[1] != "things" {
		return nil
	}
	return []string{"delete the " + o[1] + " themselves: their data", "delete the code for them", "hide or archive them"}
}

// records are things that are kept as data and as code under one name.
var records = map[string]bool{"user": true, "account": true, "post": true, "order": true, "customer": true, "member": true, "record": true, "item": true, "product": true,
	"entr": true, "session": true, "booking": true, "invoice": true, "message": true, "comment": true, "file": true, "event": true, "subscription": true, "project": true, "article": true, "photo": true, "image": true, "patient": true, "appointment": true, "song": true, "concert": true, "note": true, "job": true, "report": true, "run": true, "task": true, "ticket": true, "client": true, "categor": true, "tag": true, "data": true, "row": true, "upload": true, "document": true, "token": true, "page": true, "device": true}

// Better reads "make X better": towards what is not said.
func Better(o []string) []string {
	if len(o) == 0 {
		return nil
	}
	for i := len(o) - 1; i >= 0; i-- {
		switch o[i] {
		case "please", "a", "bit", "much", "way", "somehow", "again", "thanks", "asap":
			continue
		case "better", "nicer", "nice", "good", "great", "modern", "cool", "awesome", "professional", "prettier", "pretty", "beautiful", "pop", "improved", "sexy", "fancy", "robust":
			return []string{"how it looks", "how it works", "how it is written"}
		}
		return nil
	}
	return nil
}

// TooLittle reads a whole request that leaves open what is to be done: "the logo", "change
// the colors", "undo that". named says that it has no verb.
func TooLittle(low []string, named bool) []string {
	for len(low) > 1 && (words.Filler(low[len(low)-1]) || low[len(low)-1] == "!") {
		low = low[:len(low)-1]
	}
	if len(low) == 0 || slices.ContainsFunc(low, func(w string) bool { return w == "\"" || strings.ContainsAny(w, "./_-") }) {
		return nil
	}
	if named && low[0] == "like" {
		return []string{"it looks the same", "it works the same"}
	}
	if named {
		if (low[0] == "the" || low[0] == "our" || low[0] == "my" || low[0] == "that" || low[0] == "this" || low[0] == "those" || low[0] == "these") && len(low) > 1 && len(low) < 4 && Compared(low) == 0 && !Old(low) && !Valued(low) {
			return []string{"what is to be done with it is not said"}
		}
		return nil
	}
	switch low[0] {
	case "change", "alter", "modify", "adjust", "edit":
		bare := len(low) > 1 && (words.Determiner(low[1]) || words.Pronoun(low[1])) && len(low) < 5
		for _, w := range low[1:] {
			bare = bare && !words.Preposition(w) && Compared([]string{"x", w}) == 0
		}
		if bare {
			return []string{"what it is to become is not said"}
		}
	}
	if len(low) == 2 && (low[1] == "it" || low[1] == "them" || low[1] == "this" || low[1] == "that" || low[1] == "these" || low[1] == "those") {
		if sense, ok := words.Verb(low[0]); ok && (sense == words.Modify || sense == words.Remove || sense == words.Add) {
			return []string{"what it is done to was said before, and this message does not name it"}
		}
	}
	switch low[0] {
	case "undo", "revert", "redo", "restore", "change", "repeat", "reverse":
		if len(low) < 4 && (len(low) == 1 || words.Pronoun(low[1])) {
			return []string{"what is meant was said or done before, and this message does not name it"}
		}
	}
	return nil
}
