package deed

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/object"
	"github.com/belay-dev/belay/internal/ask/vague"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// looks reports a verb that says how somebody wants to look at several things, and by
// what, without a word of an order that is there: "sort by rating", "group by month".
func (a Act) looks(o []string) bool {
	if a.Verb != "sort" && a.Verb != "group" && a.Verb != "order" || len(o) < 2 || o[0] != "by" {
		return false
	}
	return !grammar.Old(o) && !slices.Contains(o, "default") && !slices.Contains(o, "first") && a.C.Join == "" && !slices.Contains(a.C.Low()[:min(a.Obj, len(a.C.T))], "better")
}

func (a Act) adding(o []string) Act {
	a.Marker, a.Made = belay.MarkAdd, grammar.Indefinite(o)
	if a.Verb == "write" && grammar.Destined(o) || (a.Verb == "allow" || a.Verb == "permit" || a.Verb == "accept" || a.Verb == "let") && grammar.Relaxed(o) {
		a.Marker, a.Made = belay.MarkModify, false
		return a
	}
	if (a.Verb == "build" || a.Verb == "generate" || a.Verb == "compile") && len(o) > 3 && grammar.Definite(o[0]) && slices.ContainsFunc(o, func(w string) bool { return w == "every" || w == "scratch" }) {
		a.Marker = belay.MarkModify // "build the search index from scratch every night"
	}
	if grammar.Old(o) && !slices.Contains(o, "more") && (len(o) == 0 || !grammar.Indefinite(o)) {
		a.Marker = belay.MarkModify
	}
	return a
}

// fixing reads the verbs of repair. "Fix the bar in place" fastens it; a clause whose
// object is only "it" or "the error" mends what was said before.
func (a Act) fixing(o []string) Act {
	a.Marker = belay.MarkFix
	line := strings.Join(o, " ")
	switch {
	case a.Pronoun && len(o) > 1 && (o[1] == "asap" || words.Filler(o[1]) || o[1] == "today" || o[1] == "quick" || o[1] == "soon" || o[1] == "before" || o[1] == "right"):
		a.Deed = Mend // "fix it asap the drivers are waiting"
	case strings.HasSuffix(line, "in place") || strings.Contains(line, " to the top") || strings.Contains(line, " to the bottom") || strings.Contains(line, "at the top") || a.Verb == "fix" && strings.Contains(line, " version to "):
		a.Marker = belay.MarkModify
	case a.Verb == "handle":
		if !slices.ContainsFunc(o, func(w string) bool { return words.Wrong(w) || words.Soft(w) }) {
			a.Marker = belay.MarkAdd
		}
	case a.Verb == "clear" && !(a.Pronoun && a.C.Join != "") && !slices.ContainsFunc(o, func(w string) bool { return words.Wrong(w) || words.Soft(w) }):
		a.Marker = belay.MarkModify
	case grammar.Generic(o), strings.Contains(a.Verb, "look") && len(o) < 6 && !slices.ContainsFunc(o, words.Wrong) && !slices.ContainsFunc(o, words.Soft) && !slices.Contains(o, "why"):
		a.Deed = Mend
	}
	return a
}

// removing reads the words of deletion. "Drop the timeout to 5 s" lowers, "drop X in
// favour of Y" replaces.
func (a Act) removing(o []string) Act {
	a.Marker = belay.MarkRemove
	if object.SomeOf(o) {
		a.Deed, a.Readings = Doubt, []string{"which of them is not said"}
		return a
	}
	line := " " + strings.Join(o, " ") + " "
	if a.Verb == "strip" && len(o) > 0 && (o[0] == "trailing" || o[0] == "leading" || o[0] == "whitespace" || o[0] == "surrounding" || o[0] == "html" || o[0] == "tags" || o[0] == "exif" || o[0] == "metadata" || o[0] == "accents" || o[0] == "markup") {
		a.Marker = belay.MarkModify
	}
	if i := slices.Index(o, "not"); i > 1 && o[i-1] == "," && i+1 < len(o) && grammar.Definite(o[i+1]) {
		a.Keeps = append(a.Keeps, grammar.Span{From: a.Obj + i, To: a.Obj + len(o)})
		return a // "remove the coupon code, not the migration"
	}
	if strings.Contains(line, " in favour of ") || strings.Contains(line, " in favor of ") || len(o) == 3 && o[1] == "for" && !words.Determiner(o[0]) && !words.Determiner(o[2]) || strings.Contains(line, " in half ") || strings.Contains(line, " and replace ") || grammar.Old(o) {
		a.Marker = belay.MarkModify
	}
	if i := slices.Index(o, "to"); i > 0 && i+1 < len(o) && (a.Verb == "drop" || a.Verb == "cut") {
		if _, ok := grammar.Value(o[i+1]); ok {
			a.Marker = belay.MarkModify
		}
	}
	if r := vague.OldRecords(o); r != nil {
		a.Deed, a.Readings = Doubt, r
	}
	return a
}

// repairing reads "make it work", "get the build passing again".
func (a Act) repairing(o []string) (Act, bool) {
	for _, w := range o {
		switch w {
		case "compiling", "building", "running", "passing":
			if slices.Contains(o, "again") {
				a.Marker = belay.MarkFix
				return a, true
			}
		case "stop", "work", "works", "working", "compile", "pass", "disappear":
			if words.Pronoun(o[0]) || a.Verb == "get" || a.Verb == "make" {
				a.Marker, a.Deed = belay.MarkFix, Mend
				if !words.Pronoun(o[0]) && w != "stop" {
					a.Deed = Request
				}
				return a, true
			}
		}
	}
	if n := len(o); a.Verb == "make" && n > 2 && o[n-1] == "again" && (o[n-2] == "right" || o[n-2] == "usable" || o[n-2] == "possible" || o[n-2] == "correct" || o[n-2] == "readable") {
		a.Marker, a.Deed = belay.MarkFix, Mend // "make transposing right again"
		return a, true
	}
	if len(o) > 1 && words.Pronoun(o[0]) && (slices.Contains(o, "again") || o[1] == "build" || o[1] == "run" || o[1] == "right" || o[1] == "go") || len(o) > 0 && o[0] == "right" {
		a.Marker, a.Deed = belay.MarkFix, Mend
		return a, true
	}
	return a, false
}

// making reads make, get and have, whose object says what they ask.
func (a Act) making(o []string) Act {
	a.Marker = belay.MarkAdd
	if len(o) > 3 && o[0] == "that" && grammar.Finite(o[1:]) {
		a.Marker = belay.MarkModify // "make that the notes are saved"
		if slices.Contains(o, "automatically") || slices.Contains(o, "automatic") {
			a.Marker = belay.MarkAdd
		}
		return a
	}
	if a.Verb == "get" && slices.ContainsFunc(o, func(w string) bool { return w == "errors" || w == "warnings" || w == "bugs" || w == "typos" }) {
		a.Marker, a.Deed = belay.MarkFix, Mend // "get the errors out"
		return a
	}
	if len(o) > 1 && len(o) < 7 && o[len(o)-1] == "differently" {
		a.Deed, a.Readings = Doubt, []string{"how it is to be is not said"}
		return a
	}
	if b, ok := a.repairing(o); ok {
		return b
	}
	if r := vague.Better(o); r != nil {
		a.Deed, a.Readings = Doubt, r
		return a
	}
	if a.Verb == "have" && len(o) > 2 && (words.Determiner(o[0]) || strings.ContainsAny(o[0], "._")) {
		for _, w := range o[1:min(len(o), 6)] {
			if sense, ok := words.Verb(w); ok && !grammar.Nounish[w] && grammar.Compared(o) == 0 && !grammar.Old(o) {
				a.Marker = object.MarkerOf(sense) // "have the DAG send an email"
				return a
			}
		}
	}
	switch {
	case len(o) == 0:
		a.Deed = Ground
	case a.Verb == "make" && len(o) > 1 && slices.ContainsFunc(o[1:], object.Able) && !grammar.Old(o):
		// "make the interval configurable": somebody will be able to do it
	case len(o) > 1 && o[len(o)-1] == "default":
		a.Marker = belay.MarkModify // "make dry run the default"
	case o[0] == "a" || o[0] == "an" || o[0] == "another" || o[0] == "new" || o[0] == "me" || o[0] == "us":
		a.Made = true
	case words.Determiner(o[0]) || words.Pronoun(o[0]) || o[0] == "\"" || grammar.Compared(o) > 0 || grammar.Old(o) || grammar.Quantity(o) || grammar.Predicative(o) || o[len(o)-1] == "first":
		a.Marker = belay.MarkModify
	default:
		a.Made = true
	}
	return a
}

func (a Act) placing(sense words.Sense, o []string) Act {
	a.Marker = belay.MarkAdd
	if i := slices.IndexFunc(o, func(w string) bool { return w == "if" || w == "when" || w == "because" }); i > 0 {
		o = o[:i] // when it is to happen says nothing of whether it is new
	}
	switch {
	case grammar.Presents(a.Verb) && !a.Also && grammar.Manner(o), sense == words.Show && grammar.Destined(o), a.Verb == "log" && len(o) > 1 && (o[0] == "to" && grammar.Stream(o[1]) || o[0] == "in" || o[0] == "only"), a.Verb == "log in" && len(o) == 1 && grammar.Format(o[0]):
		a.Marker = belay.MarkModify
	case (a.Verb == "save" || a.Verb == "store" || a.Verb == "write" || (a.Verb == "show" || a.Verb == "display" || a.Verb == "render") && len(o) > 0 && grammar.Definite(o[0])) && slices.Contains(o, "as"):
		a.Marker = belay.MarkModify
	case sense == words.Show && len(o) > 1 && o[0] == "only", sense == words.Show && len(o) > 2 && grammar.Definite(o[0]) && slices.Contains(o, "only"):
		a.Marker = belay.MarkModify
	case sense == words.Show && len(o) > 0 && grammar.Adverb(o[len(o)-1]):
		a.Marker = belay.MarkModify
	case grammar.Old(o), sense == words.Show && grammar.Compared(o) > 0 && !grammar.Indefinite(o):
		a.Marker = belay.MarkModify
	case sense == words.Put && a.Verb == "set" && !grammar.Indefinite(o):
		a.Marker = belay.MarkModify
	case sense == words.Put && len(o) > 2 && !grammar.Articled(o[0]) && o[len(o)-2] == "in" && (grammar.Format(o[len(o)-1]) || o[len(o)-1] == "brackets" || o[len(o)-1] == "quotes" || o[len(o)-1] == "parentheses" || o[len(o)-1] == "italics" || o[len(o)-1] == "capitals"):
		a.Marker = belay.MarkModify // "put maiden names in brackets"
	case sense == words.Put && (slices.Contains(o, "every") || slices.Contains(o, "each")):
		// "put the date next to every score"
	case sense == words.Put && len(o) > 1 && !grammar.Articled(o[0]) && slices.ContainsFunc(o, func(w string) bool {
		return w == "above" || w == "below" || w == "under" || w == "next" || w == "beside" || w == "left" || w == "right" || w == "before" || w == "after"
	}):
		a.Marker = belay.MarkModify
	case sense == words.Put && len(o) > 3 && grammar.Definite(o[0]) && (strings.Contains(strings.Join(o, " "), " in front of the ") || strings.Contains(strings.Join(o, " "), " ahead of the ") || strings.Contains(strings.Join(o, " "), " behind the ")):
		a.Marker = belay.MarkModify // "put the install page in front of the concepts page"
	case sense == words.Put && len(o) > 3 && grammar.Definite(o[0]) && o[len(o)-2] == "the" && (o[len(o)-1] == "top" || o[len(o)-1] == "bottom" || o[len(o)-1] == "left" || o[len(o)-1] == "right" || o[len(o)-1] == "end" || o[len(o)-1] == "beginning" || o[len(o)-1] == "middle"):
		a.Marker = belay.MarkModify // "put the back button at the top"
	case sense == words.Put && a.Pronoun:
		a.Marker = belay.MarkModify
	case sense == words.Put && len(o) > 0 && (o[0] == "the" || o[0] == "our" || o[0] == "its") && !slices.ContainsFunc(o, func(w string) bool { return slices.Contains(grammar.Places, w) }):
		a.Marker = belay.MarkModify
	case sense == words.Put && len(o) > 1 && o[0] == "the" && o[1] == "new":
		a.Marker = belay.MarkModify
	case sense == words.Put && a.Verb == "set" && slices.Contains(o, "to"):
		a.Marker = belay.MarkModify
	case sense == words.Give && slices.ContainsFunc(o, words.Determiner) && grammar.Degree(o[slices.IndexFunc(o, func(w string) bool { return w == "a" || w == "an" })+1:]):
		a.Marker = belay.MarkModify // "give the table a lighter border"
	case sense == words.Show && a.Pronoun && !a.Also && len(o) > 1 && (o[1] == "at" || o[1] == "as" || o[1] == "in" || o[1] == "every" || o[1] == "before" || o[1] == "after"):
		a.Marker = belay.MarkModify // "send it at 8"
	case sense == words.Show && len(o) > 1 && o[len(o)-1] == "only":
		a.Marker = belay.MarkModify // "store IPs for 7 days only"
	case (a.Verb == "store" || a.Verb == "save" || a.Verb == "keep") && len(o) > 2 && !grammar.Articled(o[0]) && (o[len(o)-2] == "in" || o[len(o)-2] == "on") && words.Tool(o[len(o)-1]):
		a.Marker = belay.MarkModify // "store the photos in S3"
	case (a.Verb == "link" || a.Verb == "connect") && len(o) > 3 && grammar.Definite(o[0]) && slices.Contains(o[1:], "to"):
		a.Marker = belay.MarkModify // "link the logo to the home page"
	case sense == words.Show && len(o) > 1 && !grammar.Articled(o[0]) && object.Sooner[o[len(o)-1]]:
		a.Marker = belay.MarkModify // "send reminders a day earlier"
	case sense == words.Show && grammar.Quantity(o) && slices.Contains(o, "by") && a.Verb != "show":
		a.Marker = belay.MarkModify
	}
	if len(o) > 1 && o[0] == "every" && (isValue(o[1]) || words.Unit(o[1]) && len(o) == 2) || (a.Verb == "open" || a.Verb == "start" || a.Verb == "launch") && len(o) > 3 && (grammar.Definite(o[0]) || a.Verb == "open" && strings.HasSuffix(o[0], "s")) && slices.ContainsFunc(o[1:], func(w string) bool { return w == "on" || w == "with" || w == "in" || w == "at" }) {
		a.Marker = belay.MarkModify // "poll every 5 s", "open the app on the list"
	}
	if sense == words.Show && len(o) > 0 && a.Pronoun && (a.Verb == "open" || a.Verb == "run") {
		a.Marker = belay.MarkModify
	}
	return a
}

// using reads "use X". Instead of something it replaces; for something that has no
// name in the message it could replace or stand beside.
func (a Act) using(o []string) Act {
	a.Marker = belay.MarkModify
	if i := slices.Index(o, "for"); i == 1 && !grammar.Old(o) && i+2 == len(o) && !words.Determiner(o[0]) {
		a.Deed = Doubt
		a.Readings = []string{"use it in place of what does this now", "offer it beside what does this now"}
	}
	return a
}

// tidying reads improve and clean up, which say nothing of what is wanted.
func (a Act) tidying(o []string) Act {
	a.Marker = belay.MarkModify
	if r := vague.OldRecords(o); r != nil {
		a.Deed, a.Readings = Doubt, r
		return a
	}
	if len(o) <= 4 && !slices.Contains(o, "by") && !slices.Contains(o, "so") {
		a.Deed, a.Vague = Doubt, len(o) > 0 && !a.Pronoun
		a.Readings = []string{"tidy the code without changing what it does", "change what it does or how it looks", "delete what is no longer used"}
	}
	return a
}
