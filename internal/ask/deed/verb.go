package deed

import (
	"cmp"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/stay"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// imperative reads a clause that begins with a verb of k words; rest starts at it, at
// is where that is in the clause.
func (a Act) imperative(rest []string, at, k int) Act {
	sense, _ := words.Phrase(rest)
	if k == 1 {
		b, _ := words.Base(rest[0], grammar.AnyVerb)
		if i := strings.LastIndexByte(rest[0], '-'); i > 0 && b == "" {
			b, _ = words.Base(rest[0][i+1:], grammar.AnyVerb)
		}
		if _, i := grammar.Apart(rest[0], rest); b == "" && i == 0 && !grammar.UnknownVerb(rest) {
			b, _ = words.Spelled(rest[0])
		}
		sense, _ = words.Verb(b)
		if p, i := grammar.Apart(cmp.Or(b, rest[0]), rest); i > 0 {
			sense = p
		}
	}
	o := rest[min(k, len(rest)):]
	a.Deed, a.Verb, a.Obj = Request, strings.Join(rest[:min(k, len(rest))], " "), at+k
	a.Core = grammar.Span{From: at, To: at + len(rest)}
	a.Pronoun = len(o) > 0 && (o[0] == "it" || o[0] == "them" || o[0] == "that" && len(o) < 3 || o[0] == "this" && len(o) < 3 || o[0] == "those" && len(o) < 3 || (o[0] == "these" || o[0] == "those") && a.C.Block.Kind != prose.Item)
	if len(o) == 0 && a.C.Join == "" && !a.C.Group && a.C.Block.Kind == prose.Para && (sense == words.Modify || sense == words.Add || sense == words.Remove) && a.Verb != "stop" {
		a.Deed, a.Readings = Doubt, []string{"what is to be done with is not said"}
		return a
	}
	if a.Verb == "find" && len(o) > 0 && (o[0] == "attached" || o[0] == "enclosed" || o[0] == "below") {
		a.Deed = Ground
		return a
	}
	if len(o) == 1 && (o[0] == "nothing" || o[0] == "none") {
		a.Deed = Ground
		return a
	}
	if len(o) > 0 && len(o) < 3 && grammar.MoreThings(o) && o[len(o)-1] == "more" || len(o) == 1 && o[0] == "another" {
		a.Deed, a.Readings = Doubt, []string{"of what there is to be one more is not said"}
		return a
	}
	if len(o) > 1 && len(o) < 4 && o[0] == "to" && k == 1 && grammar.AnyVerb(o[1]) && sense != words.None {
		a.Marker = belay.MarkAdd // "swipe to delete", "pull to refresh": what a gesture is to do
		return a
	}
	switch sense {
	case words.Capable:
		a = a.adding(o)
		if i := slices.Index(o, "be"); i > 0 && i < 5 && (a.Verb == "let" || a.Verb == "allow") {
			a.Marker = passive(o[i+1:]) // "let the button be green"
		} else if a.Verb == "let" && len(o) > 2 && grammar.Definite(o[0]) && !slices.ContainsFunc(o[1:min(3, len(o))], func(w string) bool { return slices.Contains(grammar.Actors, w) }) {
			for _, w := range o[2:min(len(o), 5)] {
				if sense, ok := words.Verb(w); ok || w == "wait" || w == "go" {
					a.Marker = MarkerOf(sense) // "let the api wait for the db"
					if !ok {
						a.Marker = belay.MarkModify
					}
					break
				}
			}
		}
	case words.Add:
		a = a.adding(o)
	case words.Modify:
		a.Marker = belay.MarkModify
		if slices.Contains(a.C.Low(), "automatically") && !grammar.Old(o) && grammar.Compared(o) == 0 {
			a.Marker = belay.MarkAdd // "close issues automatically": nothing does that now
		}
		if (a.Verb == "replace" || a.Verb == "swap" || a.Verb == "exchange") && len(o) > 0 && len(o) < 4 && !a.Pronoun && !slices.ContainsFunc(o, func(w string) bool { return words.Preposition(w) || w == "->" || w == "→" || w == "and" }) {
			a.Deed, a.Readings = Doubt, []string{"with what is not said"}
		}
		if a.Verb == "run" && len(o) > 0 && (o[0] == "a" || o[0] == "an") {
			a.Marker = belay.MarkAdd
		}
		if a.Verb == "stop" && !stopsDoing(o) || a.Verb == "release" && len(o) == 0 {
			a.Deed = Mend
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
		a.Marker, a.Made = belay.MarkAdd, true
		if len(o) > 0 && (words.Determiner(o[0]) && !grammar.Indefinite(o) || o[0] == "from") {
			a.Marker, a.Made = belay.MarkModify, false
		}
	default:
		a.Deed = Ground
		switch {
		case stay.Retains(rest):
			a.Deed, a.Marker = Request, belay.MarkAdd
		case sense == words.None && grammar.UnknownVerb(rest):
			a.Deed, a.Marker = Request, belay.MarkModify
			if len(o) > 0 && (o[0] == "a" || o[0] == "an") {
				a.Marker, a.Made = belay.MarkAdd, true
			}
		case a.Verb == "do" && a.Pronoun:
			a.Deed = Mend
		case grammar.ToVerb(o) > 0:
			a.Deed, a.Marker = Request, belay.MarkModify
		}
	}
	return a
}

func (a Act) adding(o []string) Act {
	a.Marker, a.Made = belay.MarkAdd, grammar.Indefinite(o)
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
	case strings.HasSuffix(line, "in place") || strings.Contains(line, " to the top") || strings.Contains(line, " to the bottom") || strings.Contains(line, "at the top") || a.Verb == "fix" && strings.Contains(line, " version to "):
		a.Marker = belay.MarkModify
	case a.Verb == "handle":
		if !slices.ContainsFunc(o, func(w string) bool { return words.Wrong(w) || words.Soft(w) }) {
			a.Marker = belay.MarkAdd
		}
	case a.Verb == "clear" && !(a.Pronoun && a.C.Join != "") && !slices.ContainsFunc(o, func(w string) bool { return words.Wrong(w) || words.Soft(w) }):
		a.Marker = belay.MarkModify
	case grammar.Generic(o):
		a.Deed = Mend
	}
	return a
}

// removing reads the words of deletion. "Drop the timeout to 5 s" lowers, "drop X in
// favour of Y" replaces.
func (a Act) removing(o []string) Act {
	a.Marker = belay.MarkRemove
	line := " " + strings.Join(o, " ") + " "
	if strings.Contains(line, " in favour of ") || strings.Contains(line, " in favor of ") || strings.Contains(line, " in half ") || strings.Contains(line, " and replace ") || grammar.Old(o) {
		a.Marker = belay.MarkModify
	}
	if i := slices.Index(o, "to"); i > 0 && i+1 < len(o) && (a.Verb == "drop" || a.Verb == "cut") {
		if _, ok := grammar.Value(o[i+1]); ok {
			a.Marker = belay.MarkModify
		}
	}
	if r := grammar.OldRecords(o); r != nil {
		a.Deed, a.Readings = Doubt, r
	}
	return a
}

// stopsDoing reports "stop showing the popup": something it does on purpose.
func stopsDoing(o []string) bool {
	if len(o) < 2 {
		return false
	}
	_, fails := words.Fails(o[0])
	_, end := words.Base(o[0], grammar.AnyVerb)
	return end == "ing" && !fails
}

// making reads make, get and have, whose object says what they ask.
func (a Act) making(o []string) Act {
	a.Marker = belay.MarkAdd
	for _, w := range o {
		switch w {
		case "compiling", "building", "running", "passing":
			if slices.Contains(o, "again") {
				a.Marker = belay.MarkFix
				return a
			}
		case "stop", "work", "works", "working", "compile", "pass", "disappear":
			if words.Pronoun(o[0]) || a.Verb == "get" || a.Verb == "make" {
				a.Marker, a.Deed = belay.MarkFix, Mend
				if !words.Pronoun(o[0]) && w != "stop" {
					a.Deed = Request
				}
				return a
			}
		}
	}
	if len(o) > 1 && words.Pronoun(o[0]) && (slices.Contains(o, "again") || o[1] == "build" || o[1] == "run" || o[1] == "right" || o[1] == "go") || len(o) > 0 && o[0] == "right" {
		a.Marker, a.Deed = belay.MarkFix, Mend
		return a
	}
	if r := grammar.Better(o); r != nil {
		a.Deed, a.Readings = Doubt, r
		return a
	}
	switch {
	case len(o) == 0:
		a.Deed = Ground
	case o[0] == "a" || o[0] == "an" || o[0] == "another" || o[0] == "new" || o[0] == "me" || o[0] == "us":
		a.Made = true
	case words.Determiner(o[0]) || words.Pronoun(o[0]) || o[0] == "\"" || grammar.Compared(o) > 0 || grammar.Old(o) || grammar.Quantity(o) || grammar.Predicative(o):
		a.Marker = belay.MarkModify
	default:
		a.Made = true
	}
	return a
}

func (a Act) placing(sense words.Sense, o []string) Act {
	a.Marker = belay.MarkAdd
	switch {
	case (a.Verb == "save" || a.Verb == "store" || a.Verb == "write") && slices.Contains(o, "as"):
		a.Marker = belay.MarkModify
	case sense == words.Show && len(o) > 0 && grammar.Adverb(o[len(o)-1]):
		a.Marker = belay.MarkModify
	case grammar.Old(o), sense == words.Show && grammar.Compared(o) > 0 && !grammar.Indefinite(o):
		a.Marker = belay.MarkModify
	case sense == words.Put && a.Verb == "set" && !grammar.Indefinite(o):
		a.Marker = belay.MarkModify
	case sense == words.Put && len(o) > 1 && grammar.Definite(o[0]) && slices.ContainsFunc(o, func(w string) bool {
		return w == "above" || w == "below" || w == "under" || w == "next" || w == "beside" || w == "left" || w == "right" || w == "before" || w == "after"
	}):
		a.Marker = belay.MarkModify
	case sense == words.Put && a.Pronoun:
		a.Marker = belay.MarkModify
	case sense == words.Put && len(o) > 0 && (o[0] == "the" || o[0] == "our" || o[0] == "its") && !slices.ContainsFunc(o, func(w string) bool { return slices.Contains(grammar.Places, w) }):
		a.Marker = belay.MarkModify
	case sense == words.Put && len(o) > 1 && o[0] == "the" && o[1] == "new":
		a.Marker = belay.MarkModify
	case sense == words.Put && a.Verb == "set" && slices.Contains(o, "to"):
		a.Marker = belay.MarkModify
	case sense == words.Show && grammar.Quantity(o) && slices.Contains(o, "by") && a.Verb != "show":
		a.Marker = belay.MarkModify
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
	if r := grammar.OldRecords(o); r != nil {
		a.Deed, a.Readings = Doubt, r
		return a
	}
	if len(o) <= 4 && !slices.Contains(o, "by") && !slices.Contains(o, "so") {
		a.Deed = Doubt
		a.Readings = []string{"tidy the code without changing what it does", "change what it does or how it looks", "delete what is no longer used"}
	}
	return a
}
