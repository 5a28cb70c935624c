package deed

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/object"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/told"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// fragment reads a clause without a verb: "dark mode", "header smaller", "typo in the
// receipt mail", "batch 64".
func (a Act) fragment(rest []string, s grammar.Said) Act {
	for len(rest) > 1 && (words.Filler(rest[len(rest)-1]) && rest[len(rest)-1] != "only" && rest[len(rest)-1] != "first" || rest[len(rest)-1] == "lol" || rest[len(rest)-1] == "!") {
		rest = rest[:len(rest)-1]
	}
	if told.Guessed(a.C.Low()[:a.Core.From]) && grammar.Articled(rest[0]) {
		return a // "looks like a race to me"
	}
	if a.empty(rest, s) || !a.names(rest, s) {
		return a
	}
	if fault.Trouble(rest) && !s.Please && !s.Opener {
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, fault.Plain, "what it is called"
		return a
	}
	if slices.ContainsFunc(a.C.T, badQuote) && !s.Please && !grammar.Articled(rest[0]) {
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, fault.Plain, "an error in quotes"
		return a
	}
	a.Deed, a.Verb = Request, "a thing named"
	if len(rest) == 1 && isValue(rest[0]) && a.C.Join == "" {
		a.Marker = belay.MarkModify // "18px please"
		return a
	}
	last := rest[len(rest)-1]
	if a.beside(rest, s) {
		a.Deed = Ground
		return a
	}
	if m, ok := object.Nominal(rest); ok {
		a.Marker = m
		return a
	}
	if b, ok := a.gerund(rest); ok {
		return b
	}
	return a.named(rest, last)
}

// beside reports a fragment that only says of something else where, like what or for which it
// holds.
func (a Act) beside(rest []string, s grammar.Said) bool {
	last := rest[len(rest)-1]
	switch {
	case rest[0] == "except" || rest[0] == "apart" || rest[0] == "besides" || rest[0] == "even" || rest[0] == "especially" || rest[0] == "unlike":
		return true // what it does not hold for
	case rest[0] == "like" && len(rest) > 2 && (words.Preposition(rest[1]) || grammar.Definite(rest[1])) && a.C.Join != "":
		return true // ", like on Instagram"
	case last == "only" && len(rest) == 2 && a.C.Join == ",":
		return true // ", staging only": where what is asked holds
	}
	_, deed := object.Nominal(rest)
	_, end := words.Base(rest[0], grammar.AnyVerb)
	return !deed && !(end == "ing" && len(rest) > 1) && grammar.Definite(rest[0]) && a.C.Join != "" && a.C.Block.Kind == prose.Para && !a.C.Group && !s.Please && last != "too" && !object.Valued(rest, false) && grammar.Compared(rest) == 0 && !grammar.Old(rest) && !slices.ContainsFunc(rest, grammar.Numeric)
}

// gerund reads "starting a logger on a pi", "moving the cache to disk".
func (a Act) gerund(rest []string) (Act, bool) {
	if b, end := words.Base(rest[0], grammar.AnyVerb); end == "ing" && b != "" && len(rest) > 1 && grammar.Compared(rest) == 0 && rest[1] != "by" {
		if rest[0] == "running" || rest[0] == "using" || rest[0] == "testing" {
			if slices.ContainsFunc(rest[1:], grammar.Numeric) {
				a.Deed = Ground // "running 2.9.1 on Debian 12"
				return a, true
			}
		}
		a.Verb, a.Marker = rest[0], belay.MarkAdd
		if creates[b] && grammar.Articled(rest[1]) && a.C.Join == "" {
			a.Verb, a.Made, a.Obj = b, true, a.Core.From+1 // "starting a logger on a pi"
			return a, true
		}
		if sense, _ := words.Verb(b); sense == words.Modify || sense == words.Fix || sense == words.Remove {
			a.Marker = object.MarkerOf(sense)
		}
		return a, true
	}
	return a, false
}

// named says what is asked of a thing that is only named.
func (a Act) named(rest []string, last string) Act {
	switch {
	case (last == "first" || last == "last") && len(rest) < 4:
		a.Marker = belay.MarkModify
		if a.C.Join == "," && !a.C.Group {
			a.Deed = Ground // "newest first": how to do what is asked
		}
	case len(rest) == 1 && words.Comparative(rest[0]):
		a.Marker = belay.MarkModify // "earlier please"
	case len(rest) < 4 && len(rest) > 1 && isValue(rest[0]) && told.Crowd(rest[1]), rest[0] == "all" && len(rest) > 1 && words.Preposition(rest[1]):
		a.Deed = Ground // "84 users, all on Android 9"
	case rest[0] == "no", a.measured(rest), len(rest) == 2 && isValue(rest[0]) && words.Unit(rest[1]) && a.C.Topic == "":
		a.Deed = Ground
	case grammar.Articled(rest[0]) && (slices.Contains(rest, "instead") || slices.Contains(rest, "rather")):
		a.Marker = belay.MarkModify // "a banner instead of the popup"
	case object.Valued(rest, a.C.Topic != ""):
		a.Marker = belay.MarkModify
	case grammar.Degree(rest):
		a.Marker = belay.MarkModify // "a bigger logo"
	case grammar.MoreThings(rest), grammar.Articled(rest[0]) && rest[0] != "some", last == "too" && a.C.Join == "":
		a.Marker, a.Made = belay.MarkAdd, true
	case grammar.Old(rest), grammar.Compared(rest) > 0, grammar.Valued(rest), slices.Contains(rest, "→"):
		a.Marker = belay.MarkModify
	default:
		a.Marker, a.Made = belay.MarkAdd, grammar.Indefinite(rest)
	}
	return a
}

// measured reports how long or how often something is now: "6 hours on a 2 TB repo", "212 users
// in the last 7 days".
func (a Act) measured(rest []string) bool {
	if len(rest) < 4 || !isValue(rest[0]) || a.C.Topic != "" || a.C.Group || a.C.Join == "and" || a.C.Block.Kind != prose.Para {
		return false
	}
	if words.Unit(rest[1]) && (rest[2] == "on" || rest[2] == "for" || rest[2] == "in" || rest[2] == "with") {
		return true
	}
	return (rest[2] == "in" || rest[2] == "over" || rest[2] == "during" || rest[2] == "within") && rest[3] == "the" && len(rest) > 4 && (rest[4] == "last" || rest[4] == "past")
}

// empty reports a word by itself, or words that only go with a request.
func (a Act) empty(rest []string, s grammar.Said) bool {
	if a.C.Block.Kind == prose.Item || a.C.Group || slices.Contains(rest, "only") {
		return false
	}
	if i := slices.Index(rest, "one"); i >= 0 && i < 3 && a.C.Join == "" && !words.Determiner(rest[0]) && (i+1 == len(rest) || rest[i+1] == "from" || rest[i+1] == "by") {
		return true // "urgent one from HR"
	}
	if len(rest) != 1 || rest[0] == "help" {
		return grammar.Idle(rest)
	}
	if strings.HasPrefix(rest[0], "--") || rest[0] == "\"" && a.C.T[a.Core.From].Form == prose.Code && slices.Contains(a.C.Low(), "please") {
		return false // a flag by itself
	}
	please := s.Please || slices.Contains(a.C.Low(), "please") && !grammar.Nounish[rest[0]]
	return !(a.Also && !grammar.Idle(rest)) && (rest[0] == "\"" || !please)
}

// names reports a clause that names a thing to be asked for: a sentence without any verb, an
// item, one of several, a new one, one with what it is to be.
func (a Act) names(rest []string, s grammar.Said) bool {
	if grammar.Told(rest) && !(rest[0] == "from" && (grammar.Old(rest) || object.FromTo(rest))) {
		return false
	}
	if i := slices.Index(rest, "line"); i > 0 && i+1 < len(rest) && isValue(rest[i+1]) && strings.Contains(rest[0], ".") {
		return false // "importer.py line 40": where it is
	}
	_, deed := object.Nominal(rest)
	switch {
	case a.C.Frag, deed && a.C.Join == "", s.Please, slices.Contains(a.C.Low(), "please"), a.Also, a.C.Group, a.C.Block.Kind == prose.Item, a.C.Join == "and", a.C.Join == "+", a.C.Join == ";" && !grammar.HasVerb(rest),
		a.C.Join == "" && slices.ContainsFunc(rest, words.Product):
		return true
	}
	return grammar.Compared(rest) > 0 || grammar.Valued(rest) || grammar.Old(rest) || grammar.Articled(rest[0]) || strings.HasPrefix(rest[0], "-") || grammar.MoreThings(rest) || slices.Contains(rest, "too")
}
