// Package concern says how two acts of a message belong together: whether the second says how
// the first is meant, or goes on with it. It looks at those two and at nothing else. It touches
// no file, process, clock or network.
package concern

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Part reports a request that is part of the one before, which has that marker.
func Part(a, last deed.Act, marker belay.Marker) bool {
	if a.Obj < len(a.C.T) && above(a.C.Low()[a.Obj:]) {
		return true // "implement all of the above"
	}
	if a.C.Topic == "acceptance" || a.C.Topic == "acceptance criteria" || a.C.Topic == "done when" {
		return a.C.Block.Kind == prose.Para
	}
	near := a.C.Line == last.C.Line && (a.C.Sent-last.C.Sent <= 1 || a.Pronoun && a.C.Sent-last.C.Sent == 2) || a.C.Line == last.C.Line+1 && a.C.Block.Kind == prose.Para
	if !near || a.C.Block.Kind == prose.Item && a.C.Line != last.C.Line {
		return false
	}
	if low := a.C.Low(); a.Nth || (a.Verb == "call" || a.Verb == "name") && a.Pronoun && slices.Contains(low, "not") && (marker != belay.MarkAdd || low[0] == "and" && a.C.Join == "") {
		return false // "And call it "Page" in the menus, not "Artboard""
	}
	if detail(a, last, marker) {
		return true
	}
	switch {
	case marker == belay.MarkAdd && a.Marker == belay.MarkAdd && a.Obj+1 == len(a.C.T) && a.C.Low()[a.Obj] == "one" && !a.Also:
		return true // "somebody asked for a feed, please add one"
	case marker == belay.MarkRemove && a.Marker == belay.MarkRemove && a.Pronoun && !a.Also:
		return true // "the label can go, delete it"
	case a.Pronoun && a.Marker == belay.MarkModify && marker == belay.MarkModify && a.C.Join == "and" && a.C.Sent == last.C.Sent && placed(a.Verb) != placed(last.Verb) && !deed.IsWish(a.Verb) && !deed.IsWish(last.Verb):
		return false // "make it collapsible, and put it bottom left"
	case a.Pronoun && a.Marker == belay.MarkModify && marker == belay.MarkModify && (a.C.Join == "and" || a.C.Join == ",") && a.C.Sent == last.C.Sent && deeper(a.Verb) && deeper(last.Verb) && a.Verb != last.Verb:
		return false // "rename the module and move it": two deeds
	case marker == belay.MarkFix && a.Pronoun && a.Marker != belay.MarkRemove:
		return !a.Also && !(a.C.Join == "and" && deed.IsWish(a.Verb) && !slices.Contains(a.C.Low(), "not")) && !(a.C.Sent > last.C.Sent && a.C.T[0].Low == "and" && grammar.Old(a.C.Low()))
	case marker == belay.MarkFix && a.Verb == "a thing named" && a.C.Sent == last.C.Sent && len(a.C.T) == 1 && a.C.Low()[0] == "\"":
		return true // "typo on the page, "Metereology""
	case marker == belay.MarkFix && strings.Contains(a.Verb, "not") && a.C.Sent == last.C.Sent:
		return true
	case marker == belay.MarkFix && last.Deed == deed.Complaint && a.Marker == belay.MarkModify && deed.IsWish(a.Verb) && (a.C.Sent == last.C.Sent || a.Pronoun):
		return true
	case marker == belay.MarkModify && last.Verb != "a thing named" && a.Verb == "a thing named" && a.C.Sent == last.C.Sent && a.C.Join == "," && (a.C.Low()[0] == "less" || a.C.Low()[0] == "more") && !slices.ContainsFunc(a.C.Low(), words.Preposition):
		return true // "refine the copy, less generic more adult"
	case marker == belay.MarkAdd && a.Pronoun && !a.Also && (a.Verb == "store" || a.Verb == "save" || a.Verb == "put" || a.Verb == "place" || a.Verb == "keep" || a.Verb == "persist" || a.Verb == "write"):
		return true // where the new thing is put
	case marker == belay.MarkFix && a.C.Sent == last.C.Sent && a.Verb == "a thing named" && slices.Contains(a.C.Low(), "one"):
		return true
	case marker == belay.MarkFix && a.C.Sent == last.C.Sent && a.C.Join == "because":
		return true
	case a.Pronoun && a.Marker == belay.MarkModify && !(a.Also && !deed.IsWish(a.Verb)):
		return true
	case marker == belay.MarkAdd && a.Verb == "a thing named" && a.C.Sent == last.C.Sent && a.C.Join == "," && grammar.Old(a.C.Low()) && !slices.ContainsFunc(a.C.Low(), func(w string) bool { _, ok := grammar.Value(w); return ok }):
		return true
	case marker == belay.MarkModify && a.Verb == "a thing named" && a.C.Sent == last.C.Sent && a.C.T[len(a.C.T)-1].Low == "instead":
		return true
	case a.Pronoun && deed.IsWish(a.Verb) && a.Marker == belay.MarkModify:
		return true
	case a.Verb == "a thing named" && a.C.Frag && a.C.Join == "" && a.C.Block.Kind == prose.Para && (last.Verb != "a thing named" || last.C.Line != a.C.Line) && words.Tool(a.C.T[min(a.Core.From, len(a.C.T)-1)].Low):
		return true
	case a.Verb == "a thing named" && !a.C.Group && a.C.Block.Kind == prose.Para && a.Marker == belay.MarkAdd && !a.Also && !grammar.Articled(a.C.T[min(a.Core.From, len(a.C.T)-1)].Low) && marker == belay.MarkFix:
		return true
	}
	return false
}

// placed reports a verb of where something is put.
func placed(verb string) bool { return verb == "put" || verb == "place" || verb == "move" }

// deeper reports a deed that is one by itself, whatever else is done to the thing.
func deeper(verb string) bool {
	switch verb {
	case "rename", "move", "split", "convert", "migrate", "rewrite", "port", "upgrade", "translate", "extract", "merge", "refactor", "inline":
		return true
	}
	return false
}

// Shares reports that two clauses speak of the same thing.
func Shares(a, b deed.Act) bool {
	if a.C.Block.Kind == prose.Item && a.C.Line != b.C.Line {
		return false
	}
	return grammar.Shares(a.C.Low(), b.C.Low())
}

// above reports everything that was said before, as an object.
func above(o []string) bool {
	switch strings.Join(o, " ") {
	case "all of the above", "all the above", "the above", "everything above", "all of this", "all of these", "all of that", "all this":
		return true
	}
	return false
}
