// Package deed says what one clause of a message does: ask for something, complain, say
// what stays, leave a doubt, or only tell. It looks at nothing but the clause, and decides by how it
// begins: what several clauses mean together, and what the words of one weigh, is for the layer
// above. It touches no file, process, clock or network.
package deed

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/stay"
	"github.com/belay-dev/belay/internal/belay"
)

// Kind is what a clause does in the conversation.
type Kind int

const (
	Ground    Kind = iota // background: says nothing to do
	Request               // asks for something
	Complaint             // says that something is wrong
	Mend                  // "fix it": asks to repair what was said or shown
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
	Strength int            // of a complaint, as fault has it
	Verb     string         // the words that decided
	Core     grammar.Span   // what the phrase is taken from
	Obj      int            // where the object begins
	Pronoun  bool           // the object or subject is "it", "them"
	Also     bool           // it is said to be one more
	Bare     bool           // a verb without an object, whose marker it has
	Made     bool           // a verb of making, or a thing asked for, with an indefinite object
	Vague    bool           // a doubt that holds nothing up
	Readings []string       // of a doubt
	Keeps    []grammar.Span // what is to be left alone
	C        Clause
}

// creates are the verbs that make a whole.
var creates = map[string]bool{"create": true, "build": true,
	"generate": true, "set up": true, "put together": true, "scaffold": true, "bootstrap": true, "develop": true, "start": true, "begin": true, "make": true, "write": true, "prototype": true}

// Creates reports a verb that makes a whole.
func Creates(verb string) bool { return creates[verb] }

// IsWish reports the words of a wish: should, must, needs.
func IsWish(verb string) bool {
	switch w, _, _ := strings.Cut(verb, " "); w {
	case "should", "must", "has", "have", "needs", "need", "shall", "ought", "shouldn't", "mustn't":
		return true
	}
	return false
}

// Read understands one clause.
func Read(c Clause) Act {
	low := c.Low()
	n, said := grammar.Strip(low)
	a := Act{C: c, Also: said.Also, Core: grammar.Span{From: n, To: len(low)}, Obj: n}
	if n >= len(low) {
		return a
	}
	if what, whole, ok := stay.Keeps(low); ok && !((c.Join == "because" || c.Join == "if") && !strings.HasPrefix(low[0], "don't")) {
		a.Keeps = append(a.Keeps, what)
		cut := min(what.From, len(low)-1)
		for cut > 0 && low[cut] != "without" && low[cut] != "while" && low[cut] != "so" {
			cut--
		}
		if whole || cut <= n {
			a.Deed = Keep
			return a
		}
		low, c.T = low[:cut], c.T[:cut]
		a.C, a.Core.To = c, len(low)
	}
	a = a.understand(low[n:], n, said)
	if a.Deed == Request && (a.Marker == belay.MarkModify || a.Marker == belay.MarkRemove) {
		if what, ok := stay.Except(low); ok {
			a.Keeps = append(a.Keeps, what)
		}
	}
	return a
}

// understand reads a clause by how it begins: rest is what stands behind the n words that only lead
// to it. The order is the argument: a reason asks for nothing, an order comes before a complaint, a
// complaint before a wish.
func (a Act) understand(rest []string, n int, said grammar.Said) Act {
	if grammar.Over(rest) {
		a.Deed, a.Verb = Anew, strings.Join(rest[:min(3, len(rest))], " ")
		return a
	}
	if r := readings(rest); r != nil {
		a.Deed, a.Readings = Doubt, r
		return a
	}
	strength, by := Wrong(a.C.Low())
	if a.C.Join == "because" || a.C.Join == "if" {
		if strength == Plain && a.C.Join == "because" {
			a.Deed, a.Strength, a.Verb = Complaint, Faint, by
		}
		return a
	}
	a.Pronoun = grammar.Pronoun(rest[0])
	order := grammar.Imperative(rest)
	if order == 0 && said.Opener && said.Verb && len(rest) > 1 && !grammar.Determiner(rest[0]) && !grammar.Pronoun(rest[0]) {
		order = 1 // "somebody should lock down …": what stands there is a verb, known or not
	}
	noun := said.Want && grammar.Nounish[rest[0]]
	switch {
	case order > 0 && !noun && !(len(rest) == 2 && Said(rest)) && !(a.C.Close == "?" && grammar.Finite(rest) && !said.Opener):
		return a.ordered(rest, n, order)
	case strength > Fine && !said.Want:
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, strength, by
		return a
	case said.Want && !grammar.Finite(rest):
		return a.ask(described(rest, belay.MarkAdd), "we want")
	}
	if at, k := grammar.ModalAt(rest); at > 0 && at+k < len(rest) && rest[at] != "can" {
		a.Obj = n + at + k
		return a.ask(behindModal(rest[at+k:]), strings.Join(rest[at:at+k], " "))
	}
	for i := 1; i+1 < min(len(rest), 7); i++ {
		if w := rest[i]; (w == "needs" || w == "need" || w == "lacks" || w == "gets" || w == "wants") && rest[i+1] != "to" &&
			!grammar.Negative(rest[i-1]) && rest[i-1] != "i" {
			a.Obj = n + i + 1
			return a.ask(described(rest[i+1:], belay.MarkAdd), w)
		}
	}
	switch {
	case !grammar.Finite(rest):
		return a.named(rest, said)
	case said.Opener:
		return a.ask(described(rest, belay.MarkAdd), "it would be good")
	case grammar.Old(rest) && a.C.Close != "?":
		return a.ask(belay.MarkModify, "not")
	case a.C.Block.Kind == prose.Item || a.C.Group:
		return a.ask(described(rest, belay.MarkAdd), "one of a list")
	}
	return a
}

// ask makes a request of the clause.
func (a Act) ask(m belay.Marker, by string) Act {
	a.Deed, a.Marker, a.Verb = Request, m, by
	a.Made = m == belay.MarkAdd && a.Obj < len(a.C.T) && grammar.Indefinite(a.C.Low()[a.Obj:])
	return a
}

// described is a change where the words say how something is to be, and otherwise what is given.
func described(low []string, otherwise belay.Marker) belay.Marker {
	if grammar.Old(low) || grammar.Degree(low) || grammar.Compared(low) > 0 || grammar.Valued(low) {
		return belay.MarkModify
	}
	return otherwise
}

// behindModal is what the words behind "should" ask for.
func behindModal(o []string) belay.Marker {
	if o[0] == "be" && len(o) > 1 {
		o = o[1:]
	}
	b, _ := grammar.Base(o[0], grammar.AnyVerb)
	sense, _ := grammar.Verb(b)
	if m := MarkerOf(sense); b != "" && m != "" {
		return described(o, m)
	}
	return belay.MarkModify
}

// MarkerOf is what a verb's sense asks for where nothing else is known, "" where it asks for nothing.
func MarkerOf(s grammar.Sense) belay.Marker {
	switch s {
	case grammar.Modify, grammar.Put, grammar.Use, grammar.Tidy:
		return belay.MarkModify
	case grammar.Fix:
		return belay.MarkFix
	case grammar.Remove:
		return belay.MarkRemove
	case grammar.None, grammar.Keep, grammar.Do:
		return ""
	}
	return belay.MarkAdd
}

// senseOf is what the verb of k words asks for: as it is known, with its particle behind the
// object, or with a slip of the fingers.
func senseOf(rest []string, k int) grammar.Sense {
	sense, _ := grammar.Phrase(rest)
	if k != 1 {
		return sense
	}
	b, _ := grammar.Base(rest[0], grammar.AnyVerb)
	if i := strings.LastIndexByte(rest[0], '-'); i > 0 && b == "" {
		b, _ = grammar.Base(rest[0][i+1:], grammar.AnyVerb)
	}
	p, i := grammar.Apart(rest[0], rest)
	if i > 0 {
		return p
	}
	if b == "" && !grammar.UnknownVerb(rest) {
		b, _ = grammar.Spelled(rest[0])
	}
	sense, _ = grammar.Verb(b)
	return sense
}

// ordered reads a clause that begins with a verb of k words, at in the clause.
func (a Act) ordered(rest []string, at, k int) Act {
	sense := senseOf(rest, k)
	o := rest[min(k, len(rest)):]
	a.Core, a.Obj = grammar.Span{From: at, To: at + len(rest)}, at+k
	a.Verb = strings.Join(rest[:min(k, len(rest))], " ")
	a.Pronoun = len(o) > 0 && (o[0] == "it" || o[0] == "them" || len(o) < 3 && (o[0] == "that" || o[0] == "this" ||
		o[0] == "those" || o[0] == "these"))
	m := MarkerOf(sense)
	if m == "" && (stay.Retains(rest) || stay.Lasting(rest) || stay.Omits(rest) || sense == grammar.None && grammar.UnknownVerb(rest)) {
		m = belay.MarkModify
	}
	switch {
	case m == "":
		return a // "look at this", "think of me"
	case len(o) == 0 && (m != belay.MarkFix || sense == grammar.Tidy):
		if a.C.Join == "" && !a.C.Group && a.C.Block.Kind == prose.Para {
			a.Deed, a.Readings, a.Bare, a.Marker = Doubt, []string{"what is to be done with is not said"}, true, m
			return a
		}
	case m == belay.MarkFix && (len(o) == 0 || a.Pronoun && len(o) < 3):
		a.Deed, a.Marker = Mend, m
		return a
	}
	if r := oldRecords(o); m == belay.MarkRemove && r != nil {
		a.Deed, a.Readings = Doubt, r
		return a
	}
	if better(o) || sense == grammar.Tidy && len(o) < 5 {
		a.Deed, a.Vague, a.Marker = Doubt, !a.Pronoun && !better(o), m
		a.Readings = []string{"tidy the code without changing what it does",
			"change what it does or how it looks", "delete what is no longer used"}
		return a
	}
	switch {
	case sense == grammar.Make && !grammar.Indefinite(o):
		m = belay.MarkModify
	case m == belay.MarkAdd && sense != grammar.Capable:
		m = described(o, m)
	case sense == grammar.Use && len(o) > 0 && grammar.Articled(o[0]) && !grammar.Old(o):
		m = belay.MarkAdd
	}
	return a.ask(m, a.Verb)
}

// named reads a clause without a verb: "dark mode", "header smaller", "typo in the receipt mail".
func (a Act) named(rest []string, said grammar.Said) Act {
	for len(rest) > 1 && (grammar.Filler(rest[len(rest)-1]) && rest[len(rest)-1] != "only" && rest[len(rest)-1] != "first" ||
		rest[len(rest)-1] == "!") {
		rest = rest[:len(rest)-1]
	}
	please := said.Please || slices.Contains(a.C.Low(), "please")
	alone := a.C.Block.Kind == prose.Para && !a.C.Group && !please
	switch {
	case alone && (grammar.Told(rest) || grammar.Idle(rest) || len(rest) == 1), rest[0] == "no":
		return a
	case Trouble(rest) && !please && !said.Opener:
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, Plain, "what it is called"
		return a
	}
	return a.ask(described(rest, belay.MarkAdd), "a thing named")
}
