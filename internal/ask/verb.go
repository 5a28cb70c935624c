package ask

import (
	"cmp"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// imperative reads a clause that begins with a verb of k words; rest starts at it, at
// is where that is in the clause.
func (a act) imperative(rest []string, at, k int) act {
	sense, _ := words.Phrase(rest)
	if k == 1 {
		b, _ := words.Base(rest[0], anyVerb)
		if i := strings.LastIndexByte(rest[0], '-'); i > 0 && b == "" {
			b, _ = words.Base(rest[0][i+1:], anyVerb)
		}
		if _, i := apart(rest[0], rest); b == "" && i == 0 && !unknownVerb(rest) {
			b, _ = words.Spelled(rest[0])
		}
		sense, _ = words.Verb(b)
		if p, i := apart(cmp.Or(b, rest[0]), rest); i > 0 {
			sense = p
		}
	}
	o := rest[min(k, len(rest)):]
	a.deed, a.verb, a.obj = request, strings.Join(rest[:min(k, len(rest))], " "), at+k
	a.core = span{at, at + len(rest)}
	a.pronoun = len(o) > 0 && (o[0] == "it" || o[0] == "them" || o[0] == "that" && len(o) < 3 || o[0] == "this" && len(o) < 3 || o[0] == "those" && len(o) < 3 || (o[0] == "these" || o[0] == "those") && a.c.block.Kind != prose.Item)
	switch sense {
	case words.Add, words.Capable:
		a = a.adding(o)
	case words.Modify:
		a.marker = belay.MarkModify
		if (a.verb == "replace" || a.verb == "swap" || a.verb == "exchange") && len(o) > 0 && len(o) < 4 && !a.pronoun && !slices.ContainsFunc(o, func(w string) bool { return words.Preposition(w) || w == "->" || w == "→" || w == "and" }) {
			a.deed, a.readings = doubt, []string{"with what is not said"}
		}
		if a.verb == "run" && len(o) > 0 && (o[0] == "a" || o[0] == "an") {
			a.marker = belay.MarkAdd
		}
		if a.verb == "stop" || a.verb == "release" && len(o) == 0 {
			a.deed = mend
		}
	case words.Fix:
		a = a.fixing(o)
	case words.Remove:
		a = a.removing(o)
	case words.Make:
		a = a.making(o)
	case words.Put, words.Give, words.Show:
		a = a.placing(sense, o)
	case words.Use:
		a = a.using(o)
	case words.Tidy:
		a = a.tidying(o)
	case words.Start:
		a.marker, a.made = belay.MarkAdd, true
		if len(o) > 0 && (words.Determiner(o[0]) && !indefinite(o) || o[0] == "from") {
			a.marker, a.made = belay.MarkModify, false
		}
	default:
		a.deed = ground
		switch {
		case sense == words.None && unknownVerb(rest):
			a.deed, a.marker = request, belay.MarkModify
		case toVerb(o) > 0:
			a.deed, a.marker = request, belay.MarkModify
		}
	}
	return a
}

// apart finds the particle of a verb behind its object: "take that dreadful clip-art out".
func apart(verb string, low []string) (words.Sense, int) {
	for i := 2; i < min(len(low), 7); i++ {
		if words.Preposition(low[i]) && !words.Particle(low[i]) || low[i] == "," {
			return words.None, 0
		}
		if words.Particle(low[i]) {
			if s, ok := words.PhraseOf(verb, low[i]); ok && (i == len(low)-1 || !words.Determiner(low[i+1])) {
				return s, i
			}
		}
	}
	return words.None, 0
}

func (a act) adding(o []string) act {
	a.marker, a.made = belay.MarkAdd, indefinite(o)
	if old(o) && !slices.Contains(o, "more") && (len(o) == 0 || !indefinite(o)) {
		a.marker = belay.MarkModify
	}
	return a
}

// fixing reads the verbs of repair. "Fix the bar in place" fastens it; a clause whose
// object is only "it" or "the error" mends what was said before.
func (a act) fixing(o []string) act {
	a.marker = belay.MarkFix
	line := strings.Join(o, " ")
	switch {
	case strings.HasSuffix(line, "in place") || strings.Contains(line, " to the top") || strings.Contains(line, " to the bottom") || strings.Contains(line, "at the top") || a.verb == "fix" && strings.Contains(line, " version to "):
		a.marker = belay.MarkModify
	case a.verb == "handle":
		if !slices.ContainsFunc(o, func(w string) bool { return words.Wrong(w) || words.Soft(w) }) {
			a.marker = belay.MarkAdd
		}
	case a.verb == "clear" && !slices.ContainsFunc(o, func(w string) bool { return words.Wrong(w) || words.Soft(w) || w == "them" }):
		a.marker = belay.MarkModify
	case generic(o):
		a.deed = mend
	}
	return a
}

// generic reports an object that says nothing: "it", "this please", "the error", why.
func generic(o []string) bool {
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

// removing reads the words of deletion. "Drop the timeout to 5 s" lowers, "drop X in
// favour of Y" replaces.
func (a act) removing(o []string) act {
	a.marker = belay.MarkRemove
	line := " " + strings.Join(o, " ") + " "
	if strings.Contains(line, " in favour of ") || strings.Contains(line, " in favor of ") || strings.Contains(line, " in half ") || strings.Contains(line, " and replace ") || old(o) {
		a.marker = belay.MarkModify
	}
	if i := slices.Index(o, "to"); i > 0 && i+1 < len(o) && (a.verb == "drop" || a.verb == "cut") {
		if _, ok := value(o[i+1]); ok {
			a.marker = belay.MarkModify
		}
	}
	if r := oldRecords(o); r != nil {
		a.deed, a.readings = doubt, r
	}
	return a
}

// making reads make, get and have, whose object says what they ask.
func (a act) making(o []string) act {
	a.marker = belay.MarkAdd
	for _, w := range o {
		switch w {
		case "stop", "work", "works", "working", "compile", "pass", "disappear":
			if words.Pronoun(o[0]) || a.verb == "get" || a.verb == "make" {
				a.marker, a.deed = belay.MarkFix, mend
				if !words.Pronoun(o[0]) && w != "stop" {
					a.deed = request
				}
				return a
			}
		}
	}
	if len(o) > 1 && words.Pronoun(o[0]) && (slices.Contains(o, "again") || o[1] == "build" || o[1] == "run" || o[1] == "right" || o[1] == "go") || len(o) > 0 && o[0] == "right" {
		a.marker, a.deed = belay.MarkFix, mend
		return a
	}
	if r := better(o); r != nil {
		a.deed, a.readings = doubt, r
		return a
	}
	switch {
	case len(o) == 0:
		a.deed = ground
	case o[0] == "a" || o[0] == "an" || o[0] == "another" || o[0] == "new" || o[0] == "me" || o[0] == "us":
		a.made = true
	case words.Determiner(o[0]) || words.Pronoun(o[0]) || o[0] == "\"" || compared(o) > 0 || old(o) || quantity(o) || predicative(o):
		a.marker = belay.MarkModify
	default:
		a.made = true
	}
	return a
}

// predicative reports a bare object with a bare word behind it that says how it is to
// be: "make coupons case-insensitive".
func predicative(o []string) bool {
	last := o[len(o)-1]
	return len(o) == 2 && (strings.HasSuffix(last, "able") || strings.HasSuffix(last, "ive") || strings.HasSuffix(last, "ous") || strings.HasSuffix(last, "ed"))
}

// quantity reports a measure among the words: "20 minutes".
func quantity(o []string) bool {
	for i := 1; i+1 < len(o); i++ {
		if _, ok := value(o[i]); ok && words.Unit(o[i+1]) {
			return true
		}
	}
	return false
}

// places are where something new is put when it is put in: a text, a page, a list.
var places = []string{"subject", "header", "footer", "title", "page", "line", "mail", "email", "column", "list", "corner", "readme", "log", "logs", "menu", "sidebar", "response", "payload", "form", "screen", "top", "bottom", "toolbar", "invoice", "report"}

func (a act) placing(sense words.Sense, o []string) act {
	a.marker = belay.MarkAdd
	switch {
	case old(o), sense == words.Show && compared(o) > 0 && !indefinite(o):
		a.marker = belay.MarkModify
	case sense == words.Put && a.verb == "set" && !indefinite(o):
		a.marker = belay.MarkModify
	case sense == words.Put && len(o) > 1 && o[0] == "the" && slices.ContainsFunc(o, func(w string) bool {
		return w == "above" || w == "below" || w == "under" || w == "next" || w == "beside" || w == "left" || w == "right" || w == "before" || w == "after"
	}):
		a.marker = belay.MarkModify
	case sense == words.Put && a.pronoun:
		a.marker = belay.MarkModify
	case sense == words.Put && len(o) > 0 && (o[0] == "the" || o[0] == "our" || o[0] == "its") && !slices.ContainsFunc(o, func(w string) bool { return slices.Contains(places, w) }):
		a.marker = belay.MarkModify
	case sense == words.Put && len(o) > 1 && o[0] == "the" && o[1] == "new":
		a.marker = belay.MarkModify
	case sense == words.Put && a.verb == "set" && slices.Contains(o, "to"):
		a.marker = belay.MarkModify
	case sense == words.Show && quantity(o) && slices.Contains(o, "by") && a.verb != "show":
		a.marker = belay.MarkModify
	}
	if sense == words.Show && len(o) > 0 && a.pronoun && (a.verb == "open" || a.verb == "run") {
		a.marker = belay.MarkModify
	}
	return a
}

// using reads "use X". Instead of something it replaces; for something that has no
// name in the message it could replace or stand beside.
func (a act) using(o []string) act {
	a.marker = belay.MarkModify
	if i := slices.Index(o, "for"); i == 1 && !old(o) && i+2 == len(o) && !words.Determiner(o[0]) {
		a.deed = doubt
		a.readings = []string{"use it in place of what does this now", "offer it beside what does this now"}
	}
	return a
}

// tidying reads improve and clean up, which say nothing of what is wanted.
func (a act) tidying(o []string) act {
	a.marker = belay.MarkModify
	if r := oldRecords(o); r != nil {
		a.deed, a.readings = doubt, r
		return a
	}
	if len(o) <= 4 && !slices.Contains(o, "by") && !slices.Contains(o, "so") {
		a.deed = doubt
		a.readings = []string{"tidy the code without changing what it does", "change what it does or how it looks", "delete what is no longer used"}
	}
	return a
}
