package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// ActKind is what a clause does in a message.
type ActKind int

const (
	Background ActKind = iota // asks for nothing
	Request                   // asks for something
	Complaint                 // reports a fault
	RepairIt                  // "fix it": asks to repair what was mentioned or shown
	Keep                      // wants something left unchanged
	Doubt                     // can be read in two ways
	StartOver                 // asks to start over
	Material                  // a pasted crash or log
)

// Act is an interpreted clause.
type Act struct {
	Index        int // position among the acts of the message
	Kind         ActKind
	Marker       belay.Marker
	Strength     int      // of a complaint: Fine, Faint or Plain
	Verb         string   // the words that decided
	Core         Span     // where the phrase is taken from
	ObjectStart  int      // where the object begins
	Pronoun      bool     // the object or subject is "it", "them"
	IsAdditional bool     // marked as one more: "also"
	HasNoObject  bool     // a verb without an object; Marker is the verb's
	IsNew        bool     // a verb of creation, or a thing asked for, with an indefinite object
	IsVague      bool     // a doubt that does not stop the work
	Readings     []string // of a doubt
	Keeps        []Span   // to be left unchanged
	Clause       Clause
}

// creationVerbs are the verbs that can create a complete program.
var creationVerbs = map[string]bool{"create": true, "build": true, "generate": true, "set up": true, "put together": true,
	"scaffold": true, "bootstrap": true, "develop": true, "start": true, "begin": true, "make": true, "write": true, "prototype": true}

// IsCreationVerb reports whether a verb can create a complete program.
func IsCreationVerb(verb string) bool { return creationVerbs[verb] }

// IsWishWord reports whether a verb expresses a wish: should, must, needs.
func IsWishWord(verb string) bool {
	switch w, _, _ := strings.Cut(verb, " "); w {
	case "should", "must", "has", "have", "needs", "need", "shall", "ought", "shouldn't", "mustn't":
		return true
	}
	return false
}

// ReadClause interprets one clause.
func ReadClause(c Clause) Act {
	low := c.Lower()
	n, said := ReadPrefix(low)
	a := Act{Clause: c, IsAdditional: said.IsAdditional, Core: Span{From: n, To: len(low)}, ObjectStart: n}
	if n >= len(low) {
		return a
	}
	if what, ok := FindKept(low); ok && !((c.Join == "because" || c.Join == "if") && !strings.HasPrefix(low[0], "don't")) {
		a.Kind, a.Keeps = Keep, []Span{what}
		return a
	}
	a = a.understand(low[n:], n, said)
	if a.Kind == Request && (a.Marker == belay.MarkModify || a.Marker == belay.MarkRemove) {
		if what, ok := Exception(low); ok {
			a.Keeps = append(a.Keeps, what)
		}
	}
	return a
}

// understand interprets a clause by how it begins. rest is the clause without the n words that only
// introduce it. The order of the rules matters: a reason asks for nothing, an order comes before a
// complaint, a complaint before a wish.
func (a Act) understand(rest []string, n int, said ClausePrefix) Act {
	if StartsOver(rest) {
		a.Kind, a.Verb = StartOver, strings.Join(rest[:min(3, len(rest))], " ")
		return a
	}
	if r := fixedReadings(rest); r != nil {
		a.Kind, a.Readings = Doubt, r
		return a
	}
	strength, by := ComplaintStrength(a.Clause.Lower())
	if isOneOf(a.Clause.Join, "because", "if") {
		if strength == Plain && a.Clause.Join == "because" {
			a.Kind, a.Strength, a.Verb = Complaint, Faint, by
		}
		return a
	}
	a.Pronoun = IsPronoun(rest[0])
	order := orderLength(rest, said)
	noun := said.WantsThing && IsNounish.Has(rest[0])
	complained := len(rest) == 2 && IsVerblessComplaint(rest)
	asked := a.Clause.EndMark == "?" && !said.HasOpener
	switch {
	case order > 0 && !noun && !complained && !(asked && HasFiniteVerb(rest)):
		return a.readOrder(rest, n, order)
	case strength > Fine && !said.WantsThing:
		a.Kind, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, strength, by
		return a
	case said.WantsThing && !HasFiniteVerb(rest):
		return a.asRequest(describedMarker(rest, belay.MarkAdd), "we want")
	}
	return a.readWish(rest, n, said)
}

// orderLength returns ImperativeLength, or 1 if an opener is followed by an unknown verb: "somebody
// should lock down …".
func orderLength(rest []string, said ClausePrefix) int {
	order := ImperativeLength(rest)
	if order == 0 && said.HasOpener && said.WantsVerb && len(rest) > 1 && !IsDeterminer(rest[0]) && !IsPronoun(rest[0]) {
		return 1
	}
	return order
}

// readWish interprets a clause that is neither an order nor a complaint: what should be, what needs
// something, an item of a list.
func (a Act) readWish(rest []string, n int, said ClausePrefix) Act {
	if at, k := ModalAt(rest); at > 0 && at+k < len(rest) && rest[at] != "can" {
		a.ObjectStart = n + at + k
		return a.asRequest(markerBehindModal(rest[at+k:]), strings.Join(rest[at:at+k], " "))
	}
	for i := 1; i+1 < min(len(rest), 7); i++ {
		if w := rest[i]; isOneOf(w, "needs", "need", "lacks", "gets", "wants") && rest[i+1] != "to" &&
			!IsNegative(rest[i-1]) && rest[i-1] != "i" {
			a.ObjectStart = n + i + 1
			return a.asRequest(describedMarker(rest[i+1:], belay.MarkAdd), w)
		}
	}
	switch {
	case !HasFiniteVerb(rest):
		return a.readFragment(rest, said)
	case said.HasOpener:
		return a.asRequest(describedMarker(rest, belay.MarkAdd), "it would be good")
	case NamesOldValue(rest) && a.Clause.EndMark != "?":
		return a.asRequest(belay.MarkModify, "not")
	case a.Clause.Block.Kind == Item || a.Clause.IsEnumerated:
		return a.asRequest(describedMarker(rest, belay.MarkAdd), "one of a list")
	}
	return a
}

// asRequest turns the clause into a request.
func (a Act) asRequest(m belay.Marker, by string) Act {
	a.Kind, a.Marker, a.Verb = Request, m, by
	a.IsNew = m == belay.MarkAdd && a.ObjectStart < len(a.Clause.Tokens) && IsIndefinite(a.Clause.Lower()[a.ObjectStart:])
	return a
}

// describedMarker returns MODIFY if the words describe how something should be, and otherwise the
// given marker.
func describedMarker(low []string, otherwise belay.Marker) belay.Marker {
	if NamesOldValue(low) || ComparisonAt(low) > 0 || HasValue(low) {
		return belay.MarkModify
	}
	return otherwise
}

// markerBehindModal returns the marker for the words behind "should".
func markerBehindModal(o []string) belay.Marker {
	if o[0] == "be" && len(o) > 1 {
		o = o[1:]
	}
	b, _ := BaseForm(o[0], IsAnyVerb)
	sense, _ := VerbSense(b)
	if m := MarkerOf(sense); b != "" && m != "" {
		return describedMarker(o, m)
	}
	return belay.MarkModify
}

// MarkerOf returns the default marker of a verb's sense, "" if it asks for nothing.
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

// senseOf returns the sense of a verb of k words: as a known verb, with its particle behind the
// object, or with a typing error.
func senseOf(rest []string, k int) Sense {
	sense, _ := ReadPhrasalVerb(rest)
	if k != 1 {
		return sense
	}
	b, _ := BaseForm(rest[0], IsAnyVerb)
	if i := strings.LastIndexByte(rest[0], '-'); i > 0 && b == "" {
		b, _ = BaseForm(rest[0][i+1:], IsAnyVerb)
	}
	p, i := SeparateParticle(rest[0], rest)
	if i > 0 {
		return p
	}
	if b == "" && !IsUnknownVerb(rest) {
		b, _ = CorrectSpelling(rest[0])
	}
	sense, _ = VerbSense(b)
	return sense
}

// readOrder interprets a clause with a verb of k words; the verb begins at token at.
func (a Act) readOrder(rest []string, at, k int) Act {
	sense := senseOf(rest, k)
	o := rest[min(k, len(rest)):]
	a.Core, a.ObjectStart = Span{From: at, To: at + len(rest)}, at+k
	a.Verb = strings.Join(rest[:min(k, len(rest))], " ")
	a.Pronoun = len(o) > 0 && (isOneOf(o[0], "it", "them") || len(o) < 3 && isOneOf(o[0], "that", "this", "those", "these"))
	m := MarkerOf(sense)
	unknown := sense == None && IsUnknownVerb(rest)
	if m == "" && unknown {
		m = belay.MarkModify
	}
	switch {
	case m == "":
		return a // "look at this", "think of me"
	case len(o) == 0 && (m != belay.MarkFix || sense == Tidy):
		if a.Clause.Join == "" && !a.Clause.IsEnumerated && a.Clause.Block.Kind == Para {
			a.Kind, a.Readings, a.HasNoObject, a.Marker = Doubt, []string{"what is to be done with is not said"}, true, m
			return a
		}
	case m == belay.MarkFix && (len(o) == 0 || a.Pronoun && len(o) < 3):
		a.Kind, a.Marker = RepairIt, m
		return a
	}
	if r := oldRecordReadings(o); m == belay.MarkRemove && r != nil {
		a.Kind, a.Readings = Doubt, r
		return a
	}
	if isMakeBetter(o) || sense == Tidy && len(o) < 5 {
		a.Kind, a.IsVague, a.Marker = Doubt, !a.Pronoun && !isMakeBetter(o), m
		a.Readings = []string{"tidy the code without changing what it does", "change what it does or how it looks",
			"delete what is no longer used"}
		return a
	}
	return a.asRequest(markerFor(sense, m, o), a.Verb)
}

// markerFor returns the marker of a verb with its object: "make the header smaller" changes, "use a
// queue" adds.
func markerFor(sense Sense, m belay.Marker, o []string) belay.Marker {
	switch {
	case sense == Make && !IsIndefinite(o):
		return belay.MarkModify
	case m == belay.MarkAdd && sense != Capable:
		return describedMarker(o, m)
	case sense == Use && len(o) > 0 && IntroducesNew(o[0]) && !NamesOldValue(o):
		return belay.MarkAdd
	}
	return m
}

// readFragment interprets a clause without a verb: "dark mode", "header smaller", "typo in the
// receipt mail".
func (a Act) readFragment(rest []string, said ClausePrefix) Act {
	for len(rest) > 1 && (IsFiller(rest[len(rest)-1]) && rest[len(rest)-1] != "only" && rest[len(rest)-1] != "first" ||
		rest[len(rest)-1] == "!") {
		rest = rest[:len(rest)-1]
	}
	please := said.HasPlease || slices.Contains(a.Clause.Lower(), "please")
	alone := a.Clause.Block.Kind == Para && !a.Clause.IsEnumerated && !please
	switch {
	case alone && (IsNarrative(rest) || AsksNothing(rest) || len(rest) == 1), rest[0] == "no":
		return a
	case NamesTrouble(rest) && !please && !said.HasOpener:
		a.Kind, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, Plain, "what it is called"
		return a
	}
	return a.asRequest(describedMarker(rest, belay.MarkAdd), "a thing named")
}
