package vague

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

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
	if len(o) > 2 || !bareNoun(o[0]) || len(o) == 2 && !bareNoun(o[1]) || i > 2 && (len(o) != 1 || valueOf[low[i-1]] || grammar.Attribute(low[i-1])) {
		return nil
	}
	if len(o) == 1 && (grammar.Compared(o) > 0 || words.Comparative(o[0]) || grammar.Format(o[0]) || o[0] == "iso") {
		return nil
	}
	return []string{"only the name changes", "one kind of thing is converted into the other", "one is offered beside the other"}
}

// valueOf are nouns that a value follows: "the log level should be debug".
var valueOf = map[string]bool{"level": true, "format": true, "label": true, "mode": true, "type": true, "size": true, "language": true, "timezone": true, "currency": true, "unit": true, "order": true, "state": true, "status": true, "value": true, "key": true, "theme": true, "encoding": true, "message": true, "engine": true, "field": true, "day": true, "output": true, "default": true, "align": true, "alignment": true}

// bareNoun reports a word that can name a thing by itself, as far as its shape tells.
func bareNoun(w string) bool {
	if w == "" || words.Auxiliary(w) || words.Preposition(w) || words.Comparative(w) || words.Negative(w) || words.Pronoun(w) || adverbs[w] || w == "\"" {
		return false
	}
	if _, ok := grammar.Value(w); ok {
		return false
	}
	for _, end := range []string{"able", "ible", "ed", "ly", "ous", "ive", "ful", "less", "ic", "al"} {
		if strings.HasSuffix(w, end) && w != "email" {
			return false
		}
	}
	_, ending := words.Base(w, grammar.AnyVerb)
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
	"entr": true, "session": true, "booking": true, "invoice": true, "message": true, "comment": true, "file": true, "event": true, "subscription": true, "project": true, "article": true, "photo": true, "image": true, "patient": true, "appointment": true, "song": true, "concert": true, "note": true, "job": true, "report": true, "run": true, "task": true, "ticket": true, "client": true, "categor": true, "tag": true, "data": true, "row": true, "upload": true, "document": true, "token": true, "page": true, "device": true, "archive": true, "backup": true, "diagnostic": true, "table": true, "listing": true, "stat": true, "entry": true}

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

// ails are things of which one knows what is wrong when they need mending.
var ails = map[string]bool{"build": true, "ci": true, "test": true, "lint": true, "pipeline": true, "type": true, "warning": true, "spelling": true, "grammar": true, "indentation": true, "formatting": true, "alignment": true, "contrast": true, "compilation": true, "import": true, "workflow": true,
	"typo": true, "leak": true, "race": true, "loop": true, "link": true, "regression": true, "deadlock": true, "overflow": true, "conflict": true, "crash": true, "deploy": true}

// refreshed are things that are brought up to date as a whole.
var refreshed = map[string]bool{"readme": true, "doc": true, "dependencie": true, "dep": true, "package": true, "lockfile": true, "snapshot": true, "changelog": true, "librarie": true, "sdk": true, "version": true, "license": true, "licence": true, "schema": true, "test": true, "import": true, "translation": true, "documentation": true}

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
		if (low[0] == "the" || low[0] == "our" || low[0] == "my" || low[0] == "that" || low[0] == "this" || low[0] == "those" || low[0] == "these") && len(low) > 1 && len(low) < 4 && grammar.Compared(low) == 0 && !grammar.Old(low) && !grammar.Valued(low) {
			return []string{"what is to be done with it is not said"}
		}
		return nil
	}
	if n := len(low); n == 5 && (low[0] == "sort" || low[0] == "order" || low[0] == "filter") && low[1] == "the" && low[3] == "by" && (low[2] == "list" || low[2] == "table" || low[2] == "entries" || low[2] == "items" || low[2] == "results") {
		return []string{"which " + low[2] + " is meant is not said"}
	}
	if n := len(low); n == 3 && grammar.Definite(low[1]) {
		switch low[0] {
		case "fix", "repair", "correct":
			if !ails[strings.TrimSuffix(low[2], "s")] && !words.Wrong(low[2]) && !words.Soft(low[2]) {
				return []string{"what is wrong with it is not said"}
			}
		case "update":
			if !refreshed[strings.TrimSuffix(low[2], "s")] {
				return []string{"what it is to become is not said"}
			}
		}
	}
	switch low[0] {
	case "change", "alter", "modify", "adjust", "edit":
		bare := len(low) > 1 && (words.Determiner(low[1]) || words.Pronoun(low[1])) && len(low) < 5
		for _, w := range low[1:] {
			bare = bare && !words.Preposition(w) && grammar.Compared([]string{"x", w}) == 0
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
