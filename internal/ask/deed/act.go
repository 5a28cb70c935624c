// Package deed says what one clause of a message does: ask for something, complain, say
// what stays, tell how it should be, leave a doubt, or only tell. It looks at nothing but
// the clause: what several clauses mean together is for the room above. It touches no
// file, process, clock or network.
package deed

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/clause"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/object"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/stay"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Kind is what a clause does in the conversation.
type Kind int

const (
	Ground    Kind = iota // background: says nothing to do
	Request               // asks for something
	Complaint             // says that something is wrong
	Mend                  // "fix it": asks to repair what was said or shown
	Expected              // says how it should be instead: the other side of a complaint
	Keep                  // wants something left alone
	Doubt                 // can be read in two ways
	Anew                  // start over
	Material              // a pasted crash or log
)

// Act is a clause understood.
type Act struct {
	Nr       int // which of the acts of the message it is
	Deed     Kind
	Marker   belay.Marker
	Strength int            // of a complaint, as grammar has it
	Verb     string         // the words that decided
	Core     grammar.Span   // what the phrase is taken from
	Obj      int            // where the object begins
	Pronoun  bool           // the object or subject is "it", "them"
	Also     bool           // it is said to be one more
	Nth      bool           // "second", "another thing:" leads to it
	Only     bool           // "only" stands in front of it
	Bare     bool           // a verb without an object, whose marker it has
	Told     bool           // it says how something is, in an item: a wish among wishes, a report among reports
	Stated   bool           // it says how something is, in a list: a wish among wishes, else a report
	Readings []string       // of a doubt
	Vague    bool           // a doubt that holds nothing up
	Keeps    []grammar.Span // what is to be left alone
	C        clause.Clause
	Made     bool // a verb of making, or a thing asked for, with an indefinite object
}

// creates are the verbs that make a whole.
var creates = map[string]bool{"create": true, "build": true, "generate": true, "set up": true, "put together": true, "scaffold": true, "bootstrap": true, "develop": true, "start": true, "begin": true, "make": true, "write": true, "prototype": true}

// Creates reports a verb that makes a whole.
func Creates(verb string) bool { return creates[verb] }

// Read understands one clause.
func Read(c clause.Clause) Act {
	low := c.Low()
	n, s := grammar.Strip(low)
	a := Act{C: c, Also: s.Also, Nth: s.Nth, Only: s.Only, Core: grammar.Span{From: n, To: len(low)}, Obj: n}
	if n >= len(low) {
		return a
	}
	if i := slices.IndexFunc(low, func(w string) bool { return w == "keeps" || w == "keep" }); c.Join != "" && c.Join != "because" && low[n] != "let" && i > n && i+1 < len(low) && !(low[i] == "keep" && words.Preposition(low[n])) && !strings.HasSuffix(low[i+1], "ing") && !slices.ContainsFunc(low[:i], words.Modal) && !slices.Contains(low[:i], "to") {
		a.Deed, a.Keeps = Keep, []grammar.Span{{From: n, To: i}}
		return a
	}
	if low[n] == "never" && (c.Join == "and" || c.Join == "but") && n+2 < len(low) && low[n+1] != "touch" && low[n+1] != "change" {
		a.Deed, a.Marker, a.Strength, a.Verb, a.Pronoun = Complaint, belay.MarkFix, fault.Plain, "never", true
		return a // "I pay and never get the ticket"
	}
	if len(low) > n+2 && low[n] == "not" && low[n+1] == "to" && words.Determiner(low[n+2]) {
		return a // "to the manager, not to the customer"
	}
	if len(low) > n+3 && (low[n] == "that" || low[n] == "this") && slices.Contains(low[n+1:], "happen") && (low[n+2] == "not" || low[n+1] == "mustn't" || low[n+1] == "shouldn't" || low[n+1] == "can't") {
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, fault.Faint, "must not happen"
		return a
	}
	if k := len(low); k > 2 && k < 6 && low[0] == "no" && low[k-1] == "yet" && c.Sent > 1 && c.Join == "" && !grammar.Finite(low) {
		a.Deed, a.Keeps = Keep, []grammar.Span{{From: 0, To: k}} // "No completion yet."
		return a
	}
	if spared(low, c) {
		a.Deed, a.Keeps = Keep, []grammar.Span{{From: 0, To: len(low)}}
		return a
	}
	if low[n] == "no" && c.Join == "" && len(low) > n+3 && words.Preposition(low[n+2]) && slices.Contains(low[n+2:], "since") {
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, fault.Plain, "no"
		return a // "no sound on Linux since 0.9"
	}
	if sp, whole, ok := stay.Keeps(low); ok && !((c.Join == "because" || c.Join == "if") && !strings.HasPrefix(low[0], "don't")) {
		a.Keeps = append(a.Keeps, sp)
		if whole {
			a.Deed = Keep
			return a
		}
		cut := min(sp.From, len(low)-1)
		for cut > 0 && low[cut] != "without" && low[cut] != "while" && low[cut] != "so" {
			cut--
		}
		low, c.T = low[:cut], c.T[:cut]
		if cut <= n {
			a.Deed = Keep
			return a
		}
		a.C, a.Core.To = c, len(low)
	}
	if k := len(low); k > 3 && low[k-1] == "well" && low[k-2] == "as" {
		a.Also = true
	}
	a = a.understand(low, low[n:], n, s)
	if a.Deed == Request && (a.Marker == belay.MarkModify || a.Marker == belay.MarkRemove) {
		if sp, ok := stay.Except(low); ok {
			a.Keeps = append(a.Keeps, sp)
		}
	}
	if a.Deed != Ground && a.Core.To > len(a.C.T) {
		a.Core.To = len(a.C.T)
	}
	return a
}

// spared reads "but not the database", "Not prod.": what is left out of what is asked.
func spared(low []string, c clause.Clause) bool {
	n := len(low)
	if n < 2 || n > 5 || low[0] != "not" || c.Join != "but" && !(c.Frag && c.Join == "" && c.Sent > 0) || c.Block.Kind == prose.Item {
		return false
	}
	if c.Join == "but" && !words.Determiner(low[1]) {
		return false
	}
	if !words.Determiner(low[1]) && (words.Preposition(low[1]) || words.Filler(low[1]) || words.Comparative(low[1]) || grammar.Adverb(low[1]) || words.Nameless(low[1]) || words.Pronoun(low[1]) || n > 2) {
		return false
	}
	switch low[1] {
	case "urgent", "yet", "today", "really", "critical", "important", "great", "bad", "possible", "happy", "ideal", "tomorrow", "working", "anymore", "a", "an", "this", "that", "all", "every", "many", "much", "necessarily", "any", "one":
		return false
	}
	return true
}

// wanted reads a thing that is asked for: "we need backups", "I'd like a legend".
func (a Act) wanted(rest []string) Act {
	a.Deed, a.Marker, a.Verb = Request, belay.MarkAdd, "we want"
	all := a.C.Low()
	switch {
	case len(rest) > 1 && (rest[0] == "it" || rest[0] == "them") && words.Preposition(rest[1]) && rest[1] != "for":
		a.Marker = belay.MarkModify // "I need it by date"
	case object.Gone(rest):
		a.Marker = belay.MarkRemove // "I want the confetti gone"
	case slices.Contains(all[:a.Obj], "rather") || slices.Contains(all[:a.Obj], "prefer"),
		grammar.Old(rest) || grammar.Degree(rest) || grammar.Hue(rest) || a.C.Topic != "" && grammar.Compared(rest) > 0:
		a.Marker = belay.MarkModify
	case grammar.Compared(rest) > 0 && words.Determiner(rest[0]) && rest[0] != "a" && rest[0] != "an" && rest[0] != "another":
		a.Marker = belay.MarkModify
	case grammar.ToVerb(rest) > 0:
		i := grammar.ToVerb(rest)
		b := a.imperative(rest[i:], a.Obj+i, grammar.Imperative(rest[i:]))
		if b.Deed == Request && b.Marker != belay.MarkRemove {
			a.Marker, a.Verb = b.Marker, b.Verb
		}
	case object.Possibility(rest):
	case slices.Contains(all[:a.Obj], "see"):
	case (rest[0] == "the" || rest[0] == "our" || rest[0] == "my") && !object.Placed(rest):
		a.Marker = belay.MarkModify
	}
	a.Made = a.Marker == belay.MarkAdd && grammar.Indefinite(rest)
	return a
}

// IsWish reports the words of a wish: should, must, needs.
func IsWish(verb string) bool {
	w, _, _ := strings.Cut(verb, " ")
	return w == "should" || w == "must" || w == "has" || w == "have" || w == "needs" || w == "need" || w == "shall" || w == "ought" || w == "shouldn't" || w == "mustn't"
}
