package deed

import (
	"cmp"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/object"
	"github.com/belay-dev/belay/internal/ask/stay"
	"github.com/belay-dev/belay/internal/ask/told"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// imperative reads a clause that begins with a verb of k words; rest starts at it, at
// is where that is in the clause.
func (a Act) imperative(rest []string, at, k int) Act {
	sense := senseOf(rest, k)
	o := rest[min(k, len(rest)):]
	a.Deed, a.Verb, a.Obj = Request, strings.Join(rest[:min(k, len(rest))], " "), at+k
	a.Core = grammar.Span{From: at, To: at + len(rest)}
	a.Pronoun = len(o) > 0 && (o[0] == "it" || o[0] == "them" || o[0] == "that" && len(o) < 3 || o[0] == "this" && len(o) < 3 || o[0] == "those" && len(o) < 3 || (o[0] == "these" || o[0] == "those") && a.C.Block.Kind != prose.Item)
	if b, ok := a.without(sense, o); ok {
		return b
	}
	if len(o) > 1 && len(o) < 4 && o[0] == "to" && k == 1 && grammar.AnyVerb(o[1]) && sense != words.None {
		a.Marker = belay.MarkAdd // "swipe to delete", "pull to refresh": what a gesture is to do
		return a
	}
	if (a.Verb == "pull" || a.Verb == "swipe" || a.Verb == "shake" || a.Verb == "tap" || a.Verb == "pinch" || a.Verb == "hold" || a.Verb == "press" || a.Verb == "pull down") && len(o) > 1 && !words.Determiner(o[0]) {
		if i := slices.Index(o, "to"); i >= 0 && i+1 < len(o) && grammar.AnyVerb(o[i+1]) {
			a.Marker = belay.MarkAdd // "pull down to refresh the orders"
			return a
		}
	}
	switch sense {
	case words.Capable:
		return a.enabling(o)
	case words.Add:
		return a.adding(o)
	case words.Modify:
		return a.modifying(o)
	case words.Fix:
		return a.fixing(o)
	case words.Remove:
		return a.removing(o)
	case words.Make:
		return a.making(o)
	case words.Put, words.Give, words.Show:
		return a.placing(sense, o)
	case words.Use:
		return a.using(o)
	case words.Tidy:
		return a.tidying(o)
	case words.Start:
		return a.starting(o)
	}
	return a.otherwise(sense, rest, o)
}

// senseOf is what the verb of k words asks for: as it is known, with its particle behind the
// object, or with a slip of the fingers.
func senseOf(rest []string, k int) words.Sense {
	sense, _ := words.Phrase(rest)
	if k != 1 {
		return sense
	}
	b, _ := words.Base(rest[0], grammar.AnyVerb)
	if i := strings.LastIndexByte(rest[0], '-'); i > 0 && b == "" {
		b, _ = words.Base(rest[0][i+1:], grammar.AnyVerb)
	}
	if _, i := grammar.Apart(rest[0], rest); b == "" && i == 0 && !grammar.UnknownVerb(rest) {
		b, _ = words.Spelled(rest[0])
	}
	sense, _ = words.Verb(b)
	if p, i := grammar.Apart(cmp.Or(b, rest[0]), rest); i > 0 {
		return p
	}
	return sense
}

// without reads a verb whose object says nothing: none at all, "nothing", "one more".
func (a Act) without(sense words.Sense, o []string) (Act, bool) {
	switch {
	case len(o) == 0 && a.C.Join == "" && !a.C.Group && a.C.Block.Kind == prose.Para && (sense == words.Modify || sense == words.Add || sense == words.Remove) && a.Verb != "stop":
		a.Deed, a.Readings, a.Bare, a.Marker = Doubt, []string{"what is to be done with is not said"}, true, object.MarkerOf(sense)
	case told.Courtesy(a.Verb, o), a.Verb == "let" && len(o) > 1 && o[1] == "know", a.Verb == "find" && len(o) > 0 && (o[0] == "attached" || o[0] == "enclosed" || o[0] == "below"), len(o) == 1 && (o[0] == "nothing" || o[0] == "none"):
		a.Deed = Ground
	case len(o) > 0 && len(o) < 3 && grammar.MoreThings(o) && o[len(o)-1] == "more" || len(o) == 1 && o[0] == "another":
		a.Deed, a.Readings = Doubt, []string{"of what there is to be one more is not said"}
	default:
		return a, false
	}
	return a, true
}

// enabling reads let, allow, enable: somebody will be able to do something, which is new;
// something will be or do otherwise, which is a change.
func (a Act) enabling(o []string) Act {
	a = a.adding(o)
	if i := slices.Index(o, "be"); i > 0 && i < 5 && (a.Verb == "let" || a.Verb == "allow") {
		a.Marker = object.Passive(o[i+1:]) // "let the button be green"
		return a
	}
	if a.Marker == belay.MarkModify || a.Verb != "let" || len(o) < 3 || !grammar.Definite(o[0]) || slices.ContainsFunc(o[1:min(3, len(o))], func(w string) bool { return slices.Contains(grammar.Actors, w) }) {
		return a
	}
	if i := slices.IndexFunc(o, func(w string) bool { return w == "say" || w == "read" || w == "show" }); i > 0 && i+1 < len(o) && o[i+1] == "\"" {
		a.Marker = belay.MarkModify // "let the button say "Fediverse""
		return a
	}
	for _, w := range o[2:min(len(o), 5)] {
		sense, ok := words.Verb(w)
		if ok {
			a.Marker = object.MarkerOf(sense)
			break
		}
		if w == "wait" || w == "go" {
			a.Marker = belay.MarkModify // "let the api wait for the db"
			break
		}
	}
	return a
}

func (a Act) modifying(o []string) Act {
	a.Marker = belay.MarkModify
	switch {
	case slices.Contains(a.C.Low(), "automatically") && !grammar.Old(o) && grammar.Compared(o) == 0:
		a.Marker = belay.MarkAdd // "close issues automatically": nothing does that now
	case (a.Verb == "replace" || a.Verb == "swap" || a.Verb == "exchange") && len(o) > 0 && len(o) < 4 && !a.Pronoun && !slices.ContainsFunc(o, func(w string) bool { return words.Preposition(w) || w == "->" || w == "→" || w == "and" }):
		a.Deed, a.Readings = Doubt, []string{"with what is not said"}
	case (a.Verb == "publish" || a.Verb == "deploy" || a.Verb == "release") && object.Event(o) && !grammar.Old(o) && !slices.Contains(o, "only"):
		a.Marker = belay.MarkAdd // "publish to pypi on every tag"
	case a.Verb == "switch" && len(o) > 2 && o[0] == "between", a.Verb == "redirect" && len(o) > 0 && !a.Pronoun && o[0] != "to" && !grammar.Old(o) && !slices.Contains(o, "after"):
		a.Marker = belay.MarkAdd // "switch between grams and cups", "redirect the old urls"
	case (a.Verb == "mark" || a.Verb == "highlight") && !a.Pronoun && !slices.Contains(o, "as") && !grammar.Old(o) && grammar.Compared(o) == 0:
		a.Marker = belay.MarkAdd
	case a.Verb == "paginate", object.Operation[a.Verb] && object.Event(o) && !grammar.Old(o) && !slices.Contains(o, "only") && !a.Only:
		a.Marker = belay.MarkAdd // "lock the account after 10 tries": nothing does so now
	case a.Verb == "change" && a.C.Join == "" && object.Untold(o) && !a.C.Colon && a.C.Topic == "" && !a.Pronoun:
		a.Deed, a.Readings = Doubt, []string{"what it is to become is not said"}
	case a.Verb == "skip" && slices.Contains(o, "already"):
		a.Marker = belay.MarkAdd // nothing keeps it from doing so now
	case a.Verb == "require" && len(o) > 0 && !grammar.Old(o) && !slices.Contains(o, "only") && grammar.Compared(o) == 0:
		a.Marker = belay.MarkAdd // a rule that is not there yet
	case object.SomeOf(o):
		a.Deed, a.Readings = Doubt, []string{"which of them is not said"}
	case a.looks(o), a.Verb == "run" && len(o) > 0 && (o[0] == "a" || o[0] == "an"):
		a.Marker = belay.MarkAdd
	case a.Verb == "run" && object.Further(o), (a.Verb == "publish" || a.Verb == "release" || a.Verb == "sync" || a.Verb == "deploy" || a.Verb == "trace") && !a.Pronoun && (a.Also || object.Further(o)):
		a.Marker = belay.MarkAdd // "publish the pressure too"
	case a.Verb == "close" && len(o) > 0 && (o[0] == "this" || o[0] == "it") && (len(o) == 1 || !words.Preposition(o[1])), a.Verb == "stop" && !object.StopsDoing(o), a.Verb == "release" && len(o) == 0:
		a.Deed = Mend
	}
	return a
}

func (a Act) starting(o []string) Act {
	a.Marker, a.Made = belay.MarkAdd, true
	if len(o) > 0 && (words.Determiner(o[0]) && !grammar.Indefinite(o) || o[0] == "from") {
		a.Marker, a.Made = belay.MarkModify, false
	}
	return a
}

// otherwise reads the verbs that ask for nothing by themselves, and those that are not known.
func (a Act) otherwise(sense words.Sense, rest, o []string) Act {
	a.Deed = Ground
	switch {
	case stay.Retains(rest):
		a.Deed, a.Marker = Request, belay.MarkAdd
	case stay.Lasting(rest) || stay.Omits(rest):
		a.Deed, a.Marker = Request, belay.MarkModify
		if slices.Contains(o, "while") || slices.Contains(o, "during") {
			a.Marker = belay.MarkAdd // "keep the screen on while cooking"
		}
	case sense == words.None && grammar.UnknownVerb(rest):
		a.Deed, a.Marker = Request, belay.MarkModify
		if len(o) > 0 && (o[0] == "a" || o[0] == "an") {
			a.Marker, a.Made = belay.MarkAdd, true
		}
	case a.Verb == "do" && len(o) > 2 && grammar.Compared(o) > 0:
		a.Deed, a.Marker = Request, belay.MarkModify // "do the letters more big"
	case a.Verb == "do" && len(o) > 1 && (o[0] == "a" || o[0] == "an"):
		a.Deed, a.Marker, a.Made = Request, belay.MarkAdd, true
	case a.Verb == "do" && a.Pronoun:
		a.Deed = Mend
	case grammar.ToVerb(o) > 0:
		a.Deed, a.Marker = Request, belay.MarkModify
	}
	return a
}
