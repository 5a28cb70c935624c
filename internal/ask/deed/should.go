package deed

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/clause"
	"github.com/belay-dev/belay/internal/ask/object"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/vague"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// should reads what stands behind a modal.
func (a Act) should(low []string, at, next int) Act {
	a.Deed, a.Marker, a.Verb = Request, belay.MarkModify, strings.Join(low[at:next], " ")
	if next < len(low) && low[next] == "to" && next-at == 1 {
		next++ // "it must to be possible"
	}
	for next < len(low) && (grammar.Adverb(low[next]) || passedOver[low[next]]) {
		a.Also = a.Also || low[next] == "also"
		next++
	}
	if next >= len(low) {
		a.Deed = Expected
		return a
	}
	if (low[at] == "could" || low[at] == "would") && grammar.Compared(low[next:]) > 0 {
		return a // "the message could be friendlier"
	}
	if n := len(low); low[n-1] == "too" || n > 1 && low[n-1] == "well" && low[n-2] == "as" {
		a.Also = true
	}
	limits := slices.Contains(low[at:next], "only") || slices.Contains(low[at:next], "not")
	if low[at] == "may" && (low[next] == "no" || limits) {
		return a // "guests may no longer export"
	}
	o := object.Mainly(low[next:])
	a.Obj = a.Core.From + next
	if r := vague.Better(o); r != nil && len(o) < 5 && (o[0] == "be" || o[0] == "look" || o[0] == "feel") {
		a.Deed, a.Readings = Doubt, r
		return a
	}
	if a = a.behind(low, at, o); a.Deed != Request || a.Marker == belay.MarkRemove {
		return a
	}
	if a.Marker == belay.MarkAdd && grammar.Old(low) && o[0] == "be" || low[at] == "shouldn't" || low[at] == "mustn't" || limits || low[len(low)-1] == "only" || a.Only {
		a.Marker = belay.MarkModify
	}
	return a
}

var passedOver = map[string]bool{"also": true, "just": true, "instead": true, "always": true, "not": true, "only": true, "automatically": true}

// behind is what the words behind a modal ask for: that something goes, can be done, is,
// has or does something.
func (a Act) behind(low []string, at int, o []string) Act {
	line := strings.Join(o, " ") + " "
	can := low[at] == "can" || low[at] == "may"
	actor := slices.Contains(grammar.Actors, low[at-1])
	switch {
	case o[0] == "go" && len(o) == 2 && (grammar.Adverb(o[1]) || o[1] == "too" || o[1] == "now" || o[1] == "please"), line == "go " || line == "be gone " || o[0] == "go" && o[1] == "away" || o[0] == "disappear" && len(o) == 1 && !a.Pronoun:
		a.Marker = belay.MarkRemove // "the banner has to go"
	case can && o[0] == "be" && len(o) > 1 && object.Passive(o[1:]) == belay.MarkRemove && len(o) < 5:
		a.Marker = belay.MarkRemove // "deploy.md can be deleted"
	case low[at] == "may" && o[0] == "be" && len(o) > 2 && (o[1] == "up" || o[1] == "at" || grammar.Compared(o) > 0) && slices.ContainsFunc(o, grammar.Numeric):
		return a // "the title may be up to 200 characters long"
	case low[at] == "may" && grammar.Relaxed(o):
		return a // "phone numbers may contain spaces"
	case can && o[0] == "be" && grammar.Definite(low[0]) && grammar.Compared(o) > 0 && len(o) < 6 && a.C.Close != "?" && a.C.Join != "because":
		return a // "the logo can be a third smaller"
	case can && !(a.C.Block.Kind == prose.Item || a.C.Group || actor && low[0] != "i" && low[0] != "you" && low[0] != "we"):
		a.Deed = Ground
	case can && low[at] == "can" && a.C.Block.Kind == prose.Item:
		a.Marker, a.Told = belay.MarkAdd, true
	case strings.HasPrefix(line, "be able to ") || strings.HasPrefix(line, "be possible to ") || o[0] == "be" && len(o) > 1 && o[1] == "possible" && !grammar.Old(o) || can:
		a.Marker = belay.MarkAdd
	case strings.HasPrefix(line, "be allowed") || strings.HasPrefix(line, "become"):
	case a.Also && o[0] == "be" && len(o) > 1 && (o[1] == "available" || o[1] == "offered" || o[1] == "supported" || o[1] == "exported" || o[1] == "sent"):
		a.Marker = belay.MarkAdd // "the export should be available as csv too"
	case o[0] == "be" && len(o) > 1 && object.Able(o[1]) && !grammar.Old(low):
		a.Marker = belay.MarkAdd // "the columns should be sortable"
	case o[0] == "be" && len(o) > 1:
		a.Marker = a.beDone(low[at], o)
	case o[0] == "have" && len(o) > 1:
		a.Marker = belay.MarkAdd
		if grammar.Compared(o) > 0 || grammar.Old(o) || len(o) > 2 && grammar.Numeric(o[1]) && object.Extent[o[2]] || words.Determiner(o[1]) && !grammar.Indefinite(o[1:]) {
			a.Marker = belay.MarkModify
		}
	case grammar.Old(low):
	default:
		a.Marker = a.promised(o, actor)
	}
	return a
}

// beDone reads "be V-ed" behind a modal.
func (a Act) beDone(modal string, o []string) belay.Marker {
	m := object.Passive(o[1:])
	b, end := words.Base(o[1], grammar.AnyVerb)
	if sense, _ := words.Verb(b); m == belay.MarkModify && end == "ed" && (modal == "could" || object.Recorded[b]) && grammar.Compared(o) == 0 && sense == words.Show {
		return belay.MarkAdd // "if the table could be exported"
	}
	return m
}

// promised is what "X should V" asks for: by the verb, and by who X is.
func (a Act) promised(o []string, actor bool) belay.Marker {
	if a.Also && o[0] != "be" && o[0] != "look" && grammar.Compared(o) == 0 {
		return belay.MarkAdd
	}
	if a.C.Low()[0] == "a" || a.C.Low()[0] == "an" {
		switch o[0] {
		case "appear", "show", "pop", "come", "open":
			return belay.MarkAdd // "a toast should appear"
		}
	}
	if last := o[len(o)-1]; last == "first" || last == "last" {
		return belay.MarkModify
	}
	if (o[0] == "get" || o[0] == "receive") && len(o) > 2 && grammar.Articled(o[1]) && !grammar.Degree(o[1:]) {
		return belay.MarkAdd // "drivers should get a push when …"
	}
	if o[0] == "skip" && slices.Contains(o, "already") {
		return belay.MarkAdd
	}
	if o[0] == "contain" && !grammar.Old(o) && grammar.Compared(o) == 0 && !grammar.Numeric(o[len(o)-1]) {
		return belay.MarkAdd // "the export should contain the customer's name"
	}
	if object.Gesture[a.C.Low()[0]] && !grammar.Old(a.C.Low()) && grammar.Compared(o) == 0 {
		return belay.MarkAdd // "clicking the name should take me to the customer"
	}
	if (o[0] == "return" || o[0] == "scroll" || o[0] == "jump" || o[0] == "link") && len(o) > 1 && o[1] == "to" {
		return belay.MarkModify
	}
	if o[0] == "see" || (o[0] == "appear" || o[0] == "show" && len(o) > 1 && o[1] == "up") && object.Placed(append([]string{"it"}, o...)) && !grammar.Old(o) && !slices.Contains(o, "first") {
		return belay.MarkAdd // "the logo should appear on the invoice"
	}
	b, _ := words.Base(o[0], grammar.AnyVerb)
	sense, _ := words.Verb(b)
	if s, n := words.Phrase(o); n > 0 {
		sense = s
	}
	switch sense {
	case words.Add, words.Capable, words.Give:
		if b != "build" {
			return belay.MarkAdd
		}
	case words.Show:
		quoted := len(o) > 1 && o[1] == "\"" && (o[0] == "read" || o[0] == "say" || o[0] == "show" || o[0] == "print" || o[0] == "display")
		if quoted || o[0] == "open" && len(o) > 1 && words.Preposition(o[1]) {
			return belay.MarkModify
		}
		if grammar.Compared(o) == 0 && !grammar.Adverb(o[len(o)-1]) {
			return belay.MarkAdd
		}
	case words.Remove:
		if a.Pronoun {
			return belay.MarkModify
		}
	}
	if actor && !a.Pronoun && !words.Comparative(o[len(o)-1]) || a.Also && sense == words.None {
		return belay.MarkAdd
	}
	return belay.MarkModify
}

// Quotes reports a clause that holds a message of something that went wrong.
func Quotes(c clause.Clause) bool { return slices.ContainsFunc(c.T, badQuote) }

// badQuote reports a message in quotes that says something went wrong.
func badQuote(t prose.Token) bool {
	if t.Form != prose.Quoted && t.Form != prose.Code {
		return false
	}
	if s := strings.Trim(t.Low, "\"“”`'"); s == "nan" || s == "null" || s == "none" || s == "null null" || s == "undefined undefined" || s == "[object object]" {
		return true
	}
	for _, w := range []string{"invalid", "error", "failed", "cannot", "can't", "denied", "not found", "undefined", "exception", "unexpected", "refused", "timed out", "timeout", "unable", "could not", "something went wrong", "no such"} {
		if strings.Contains(t.Low, w) {
			return true
		}
	}
	return false
}

func isValue(w string) bool { _, ok := grammar.Value(w); return ok }
