package intent

import (
	"slices"
	"strings"

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
	Strength int      // of a complaint, as fault has it
	Verb     string   // the words that decided
	Core     Span     // what the phrase is taken from
	Obj      int      // where the object begins
	Pronoun  bool     // the object or subject is "it", "them"
	Also     bool     // it is said to be one more
	Bare     bool     // a verb without an object, whose marker it has
	Made     bool     // a verb of making, or a thing asked for, with an indefinite object
	Vague    bool     // a doubt that holds nothing up
	Readings []string // of a doubt
	Keeps    []Span   // what is to be left alone
	C        Clause
}

// creates are the verbs that make a whole.
var creates = map[string]bool{"create": true, "build": true, "generate": true, "set up": true, "put together": true,
	"scaffold": true, "bootstrap": true, "develop": true, "start": true, "begin": true, "make": true, "write": true, "prototype": true}

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
	n, said := Strip(low)
	a := Act{C: c, Also: said.Also, Core: Span{From: n, To: len(low)}, Obj: n}
	if n >= len(low) {
		return a
	}
	if what, ok := Keeps(low); ok && !((c.Join == "because" || c.Join == "if") && !strings.HasPrefix(low[0], "don't")) {
		a.Deed, a.Keeps = Keep, []Span{what}
		return a
	}
	a = a.understand(low[n:], n, said)
	if a.Deed == Request && (a.Marker == belay.MarkModify || a.Marker == belay.MarkRemove) {
		if what, ok := Except(low); ok {
			a.Keeps = append(a.Keeps, what)
		}
	}
	return a
}

// understand reads a clause by how it begins: rest is what is behind the n words that only lead
// to it. The order is the argument: a reason asks for nothing, an order comes before a complaint, a
// complaint before a wish.
func (a Act) understand(rest []string, n int, said PassedOver) Act {
	if Over(rest) {
		a.Deed, a.Verb = Anew, strings.Join(rest[:min(3, len(rest))], " ")
		return a
	}
	if r := setReadings(rest); r != nil {
		a.Deed, a.Readings = Doubt, r
		return a
	}
	strength, by := Wrong(a.C.Low())
	if oneOf(a.C.Join, "because", "if") {
		if strength == Plain && a.C.Join == "because" {
			a.Deed, a.Strength, a.Verb = Complaint, Faint, by
		}
		return a
	}
	a.Pronoun = Pronoun(rest[0])
	order := orderIn(rest, said)
	noun := said.Want && Nounish.Has(rest[0])
	complained := len(rest) == 2 && Said(rest)
	asked := a.C.Close == "?" && !said.Opener
	switch {
	case order > 0 && !noun && !complained && !(asked && Finite(rest)):
		return a.ordered(rest, n, order)
	case strength > Fine && !said.Want:
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, strength, by
		return a
	case said.Want && !Finite(rest):
		return a.ask(described(rest, belay.MarkAdd), "we want")
	}
	return a.wished(rest, n, said)
}

// orderIn is Imperative, and 1 where a verb stands first whether it is known or not: "somebody should lock down …".
func orderIn(rest []string, said PassedOver) int {
	order := Imperative(rest)
	if order == 0 && said.Opener && said.Verb && len(rest) > 1 && !Determiner(rest[0]) && !Pronoun(rest[0]) {
		return 1
	}
	return order
}

// wished reads a clause that orders nothing and complains of nothing: what should be, what needs something, what is listed.
func (a Act) wished(rest []string, n int, said PassedOver) Act {
	if at, k := ModalAt(rest); at > 0 && at+k < len(rest) && rest[at] != "can" {
		a.Obj = n + at + k
		return a.ask(behindModal(rest[at+k:]), strings.Join(rest[at:at+k], " "))
	}
	for i := 1; i+1 < min(len(rest), 7); i++ {
		if w := rest[i]; oneOf(w, "needs", "need", "lacks", "gets", "wants") && rest[i+1] != "to" &&
			!Negative(rest[i-1]) && rest[i-1] != "i" {
			a.Obj = n + i + 1
			return a.ask(described(rest[i+1:], belay.MarkAdd), w)
		}
	}
	switch {
	case !Finite(rest):
		return a.named(rest, said)
	case said.Opener:
		return a.ask(described(rest, belay.MarkAdd), "it would be good")
	case Old(rest) && a.C.Close != "?":
		return a.ask(belay.MarkModify, "not")
	case a.C.Block.Kind == Item || a.C.Group:
		return a.ask(described(rest, belay.MarkAdd), "one of a list")
	}
	return a
}

// ask makes a request of the clause.
func (a Act) ask(m belay.Marker, by string) Act {
	a.Deed, a.Marker, a.Verb = Request, m, by
	a.Made = m == belay.MarkAdd && a.Obj < len(a.C.T) && Indefinite(a.C.Low()[a.Obj:])
	return a
}

// described is a change where the words say how something is to be, and otherwise what is given.
func described(low []string, otherwise belay.Marker) belay.Marker {
	if Old(low) || Compared(low) > 0 || Valued(low) {
		return belay.MarkModify
	}
	return otherwise
}

// behindModal is what the words behind "should" ask for.
func behindModal(o []string) belay.Marker {
	if o[0] == "be" && len(o) > 1 {
		o = o[1:]
	}
	b, _ := Base(o[0], AnyVerb)
	sense, _ := Verb(b)
	if m := MarkerOf(sense); b != "" && m != "" {
		return described(o, m)
	}
	return belay.MarkModify
}

// MarkerOf is what a verb's sense asks for where nothing else is known, "" where it asks for nothing.
func MarkerOf(s Sense) belay.Marker {
	switch s {
	case Modify, Put, Use, Tidy:
		return belay.MarkModify
	case Fix:
		return belay.MarkFix
	case Remove:
		return belay.MarkRemove
	case None, VerbKeep, Do:
		return ""
	}
	return belay.MarkAdd
}

// senseOf is what the verb of k words asks for: as it is known, with its particle behind the
// object, or with a slip of the fingers.
func senseOf(rest []string, k int) Sense {
	sense, _ := Phrase(rest)
	if k != 1 {
		return sense
	}
	b, _ := Base(rest[0], AnyVerb)
	if i := strings.LastIndexByte(rest[0], '-'); i > 0 && b == "" {
		b, _ = Base(rest[0][i+1:], AnyVerb)
	}
	p, i := Apart(rest[0], rest)
	if i > 0 {
		return p
	}
	if b == "" && !UnknownVerb(rest) {
		b, _ = Spelled(rest[0])
	}
	sense, _ = Verb(b)
	return sense
}

// ordered reads a clause that begins with a verb of k words, at in the clause.
func (a Act) ordered(rest []string, at, k int) Act {
	sense := senseOf(rest, k)
	o := rest[min(k, len(rest)):]
	a.Core, a.Obj = Span{From: at, To: at + len(rest)}, at+k
	a.Verb = strings.Join(rest[:min(k, len(rest))], " ")
	a.Pronoun = len(o) > 0 && (oneOf(o[0], "it", "them") || len(o) < 3 && oneOf(o[0], "that", "this", "those", "these"))
	m := MarkerOf(sense)
	unknown := sense == None && UnknownVerb(rest)
	if m == "" && unknown {
		m = belay.MarkModify
	}
	switch {
	case m == "":
		return a // "look at this", "think of me"
	case len(o) == 0 && (m != belay.MarkFix || sense == Tidy):
		if a.C.Join == "" && !a.C.Group && a.C.Block.Kind == Para {
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
	if better(o) || sense == Tidy && len(o) < 5 {
		a.Deed, a.Vague, a.Marker = Doubt, !a.Pronoun && !better(o), m
		a.Readings = []string{"tidy the code without changing what it does", "change what it does or how it looks",
			"delete what is no longer used"}
		return a
	}
	return a.ask(markerFor(sense, m, o), a.Verb)
}

// markerFor is the marker of a verb, given what it is said of: "make the header smaller" changes, "use a queue" adds.
func markerFor(sense Sense, m belay.Marker, o []string) belay.Marker {
	switch {
	case sense == Make && !Indefinite(o):
		return belay.MarkModify
	case m == belay.MarkAdd && sense != Capable:
		return described(o, m)
	case sense == Use && len(o) > 0 && Articled(o[0]) && !Old(o):
		return belay.MarkAdd
	}
	return m
}

// named reads a clause without a verb: "dark mode", "header smaller", "typo in the receipt mail".
func (a Act) named(rest []string, said PassedOver) Act {
	for len(rest) > 1 && (Filler(rest[len(rest)-1]) && rest[len(rest)-1] != "only" && rest[len(rest)-1] != "first" ||
		rest[len(rest)-1] == "!") {
		rest = rest[:len(rest)-1]
	}
	please := said.Please || slices.Contains(a.C.Low(), "please")
	alone := a.C.Block.Kind == Para && !a.C.Group && !please
	switch {
	case alone && (Told(rest) || Idle(rest) || len(rest) == 1), rest[0] == "no":
		return a
	case Trouble(rest) && !please && !said.Opener:
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, Plain, "what it is called"
		return a
	}
	return a.ask(described(rest, belay.MarkAdd), "a thing named")
}
