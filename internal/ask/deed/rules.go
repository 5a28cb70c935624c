package deed

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/object"
	"github.com/belay-dev/belay/internal/ask/stay/barred"
	"github.com/belay-dev/belay/internal/ask/told"
	"github.com/belay-dev/belay/internal/ask/vague"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// view is a clause as the rules look at it: all its words, those behind what is said before
// a request, where they begin, and what was passed over.
type view struct {
	low, rest []string
	n         int
	s         grammar.Said
}

// A rule understands a clause or leaves it to the next one.
type rule func(Act, view) (Act, bool)

// rules are asked in this order. The order is the argument: what asks for nothing comes
// before what orders, an order before a complaint, a complaint before a wish.
var rules = []rule{grounded, rathered, tested, doubtful, subordinate, atPresent, ordered, begun, fronted, complains, contrary, continued, shouldFirst, questioned, wished, declared, clausal, passiveWish, unknownVerb}

func (a Act) understand(low, rest []string, n int, s grammar.Said) Act {
	v := view{low, rest, n, s}
	for _, r := range rules {
		if b, ok := r(a, v); ok {
			return b
		}
	}
	return a.fragment(rest, s)
}

// grounded is what somebody is left to do: ", you have to reload the page".
func grounded(a Act, v view) (Act, bool) {
	if v.low[0] == "who" && a.C.Close != "?" {
		return a, true // what is told of somebody
	}
	if v.low[0] == "to" && len(v.low) > 6 {
		for i := 3; i+2 < len(v.low); i++ {
			if (v.low[i] == "i" || v.low[i] == "you" || v.low[i] == "we" || v.low[i] == "one") && (v.low[i+1] == "have" || v.low[i+1] == "need" || v.low[i+1] == "must") {
				a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, fault.Faint, "have to"
				return a, true // "to switch to the next I have to log out"
			}
		}
	}
	if told.OwnPlan(v.low) || len(v.low) > 3 && (v.low[0] == "do" || v.low[0] == "did" || v.low[0] == "am") && v.low[1] == "i" && a.C.Close == "?" {
		return a, true
	}
	if grammar.Hardship(v.low) && a.C.Join == "" && told.Repeatedly(v.low) {
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, fault.Faint, "have to"
		return a, true // "I have to log in again every ten minutes"
	}
	return a, grammar.Hardship(v.low) && a.C.Join != ""
}

// rathered is "I'd rather it opened in the same window".
func rathered(a Act, v view) (Act, bool) {
	low := v.low
	i := slices.Index(low[:min(4, len(low))], "rather")
	if i < 1 || low[0] != "i'd" && low[0] != "we'd" && low[i-1] != "would" || i+2 >= len(low) || !words.Pronoun(low[i+1]) && !words.Determiner(low[i+1]) || grammar.AnyVerb(low[i+1]) || low[i+1] == "not" {
		return a, false
	}
	return a.ask(belay.MarkModify, "rather")
}

// tested is "test that expired tokens are rejected".
func tested(a Act, v view) (Act, bool) {
	if len(v.rest) > 1 && v.rest[0] == "exit" && (isValue(v.rest[1]) || v.rest[1] == "with" || v.rest[1] == "non-zero") {
		return a.ask(belay.MarkModify, "exit") // "exit 1 on empty files"
	}
	if len(v.rest) < 3 || v.rest[0] != "test" && v.rest[0] != "verify" && v.rest[0] != "assert" || v.rest[1] != "that" && v.rest[1] != "whether" && v.rest[1] != "if" {
		return a, false
	}
	a.Obj = v.n + 1
	return a.ask(belay.MarkAdd, v.rest[0])
}

// doubtful is starting over, what can be read in two ways, and a verb left out.
func doubtful(a Act, v view) (Act, bool) {
	if grammar.Over(v.rest) {
		a.Deed, a.Verb = Anew, strings.Join(v.rest[:min(3, len(v.rest))], " ")
		return a, true
	}
	if r := vague.Readings(v.rest); r != nil {
		a.Deed, a.Readings, a.Also = Doubt, r, a.Also || vague.Beside(v.rest)
		return a, true
	}
	if a.C.Gap {
		a.Deed, a.Marker, a.Verb = Request, belay.MarkModify, "the verb before"
		return a, true
	}
	return a, false
}

// subordinate is a reason or a condition: it asks for nothing.
func subordinate(a Act, v view) (Act, bool) {
	if a.C.Join != "because" && a.C.Join != "if" {
		return a, false
	}
	if strength, by := fault.Wrong(v.low); strength == fault.Plain && a.C.Join == "because" {
		a.Deed, a.Strength, a.Verb = Complaint, fault.Faint, by
	}
	return a, true
}

// atPresent is how it is now, said before what is asked for.
func atPresent(a Act, v view) (Act, bool) {
	if !(grammar.Now(v.low) && grammar.Imperative(v.rest) == 0 || grammar.Now(v.low[:min(len(v.low), 4)]) && v.low[0] != "can") {
		return a, false
	}
	if strength, by := fault.Wrong(v.low); strength > fault.Fine {
		if v.low[0] == "today" {
			strength = fault.Faint
		}
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, strength, by
	}
	return a, true
}

// ordered is a clause that begins with a verb.
func ordered(a Act, v view) (Act, bool) {
	rest := v.rest
	if len(rest) == 1 && (v.s.Please || a.C.Join != "") && (rest[0] == "fix" || rest[0] == "repair" || rest[0] == "help") {
		a.Deed, a.Marker, a.Verb = Mend, belay.MarkFix, rest[0] // "broken, please fix"
		return a, true
	}
	if v.n == 2 && v.low[0] == "you" && v.low[1] == "can" && (rest[0] == "guess" || rest[0] == "imagine" || rest[0] == "see" || rest[0] == "reach" || rest[0] == "call" || rest[0] == "find" || rest[0] == "ask") {
		return a, true // "you can guess my question"
	}
	if object.AsksWhether(v.low[:v.n]) && len(rest) > 1 && words.Preposition(rest[1]) && grammar.AnyVerb(rest[0]) {
		a.Deed, a.Marker, a.Verb = Request, belay.MarkAdd, rest[0] // "is there a way to sort by price"
		return a, true
	}
	if object.Enabled(v.low[:v.n]) && grammar.Imperative(rest) > 0 {
		b := a.imperative(rest, v.n, grammar.Imperative(rest))
		if b.Deed == Request {
			b.Marker = belay.MarkAdd // "make it possible to sort the table": nobody can yet
		}
		return b, true
	}
	thing := v.s.Want && grammar.Nounish[rest[0]] && !(len(rest) > 1 && (words.Determiner(rest[1]) || words.Pronoun(rest[1])))
	if k := grammar.Imperative(rest); k > 0 && !thing && !(len(rest) == 2 && fault.Said(rest)) && !(a.C.Close == "?" && grammar.Finite(rest) && !v.s.Opener) {
		b := a.imperative(rest, v.n, k)
		if a.C.Close == "?" && !v.s.Opener && (b.Verb == "remember" || b.Verb == "recall") {
			b.Deed = Ground // "Remember the banner?"
		}
		if b.Deed == Request && b.Pronoun && b.Verb == "show" && slices.Contains(rest, "only") {
			b.Marker = belay.MarkModify // "show it only on the second visit"
		}
		if v.s.Only && b.Marker == belay.MarkAdd && k < len(rest) && grammar.Definite(rest[k]) {
			b.Marker = belay.MarkModify // "only show the time if …"
		}
		return b, true
	}
	if _, end := words.Base(rest[0], grammar.AnyVerb); end == "ing" && v.s.Opener && len(rest) > 1 {
		return a.imperative(rest, v.n, 1), true // "would you mind adding"
	}
	if v.s.Only && len(rest) > 1 && grammar.AnyVerb(rest[0]) {
		b := a.imperative(rest, v.n, 1) // "only build on main"
		b.Marker = belay.MarkModify
		return b, true
	}
	return a, false
}

// begun is "we are building a …", "I'm writing a …".
func begun(a Act, v view) (Act, bool) {
	at := 0
	switch rest := v.rest; {
	case rest[0] == "i'm" || rest[0] == "we're":
		at = 1
	case len(rest) > 2 && (rest[0] == "we" && rest[1] == "are" || rest[0] == "i" && rest[1] == "am"):
		at = 2
	}
	if at == 0 || at >= len(v.rest) || at+1 < len(v.rest) && (words.Preposition(v.rest[at+1]) || v.rest[at+1] == "you" || v.rest[at+1] == "this" || v.rest[at+1] == "because") {
		return a, false // "I'm writing on behalf of …"
	}
	b, end := words.Base(v.rest[at], grammar.AnyVerb)
	if end != "ing" || !creates[b] {
		return a, false
	}
	a.Deed, a.Marker, a.Made, a.Verb, a.Obj = Request, belay.MarkAdd, true, b, v.n+at+1
	return a, true
}

// fronted is an order behind a place: "on mobile hide the sidebar".
func fronted(a Act, v view) (Act, bool) {
	j := grammar.Fronted(v.rest)
	if j == 0 {
		return a, false
	}
	return a.imperative(v.rest[j:], v.n+j, grammar.Imperative(v.rest[j:])), true
}

// complains is a clause that says that something is wrong.
func complains(a Act, v view) (Act, bool) {
	strength, by := fault.Wrong(v.low)
	if at, ok := grammar.Predicate(v.rest); strength < fault.Plain && ok && !v.s.Opener && slices.ContainsFunc(a.C.T, badQuote) && said(v.rest[at]) {
		strength, by = fault.Plain, "an error in quotes"
	}
	if strength == fault.Fine || v.s.Want {
		return a, false
	}
	a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, strength, by
	a.Pronoun = words.Pronoun(v.rest[0])
	if end, ok := words.Fails(v.rest[0]); ok && end == "s" && (a.C.Join == "," || a.C.Join == "and") {
		a.Pronoun = true // "…, fails one time in five"
	}
	return a, true
}

// said reports a verb whose object is what somebody was told.
func said(w string) bool {
	switch w {
	case "is", "are", "says", "shows", "get", "gets", "prints", "see", "reports", "returns", "gives":
		return true
	}
	return false
}

// contrary is a statement that an "although" follows.
func contrary(a Act, v view) (Act, bool) {
	at, k := grammar.Modal(v.rest)
	if !a.C.Yet || !grammar.Finite(v.rest) || at+k > 0 && v.rest[at] != "can" {
		return a, false
	}
	a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, fault.Plain, "although"
	return a, true
}

// continued is "… and writes …": the subject is the one before.
func continued(a Act, v view) (Act, bool) {
	if a.C.Join != "and" && a.C.Join != "," || !grammar.Continues(v.rest) {
		return a, false
	}
	a.Pronoun, a.Verb = true, v.rest[0]
	return a, true
}

// shouldFirst is "should be Monday": of what was named before.
func shouldFirst(a Act, v view) (Act, bool) {
	switch {
	case !grammar.ShouldFirst(v.rest):
		return a, false
	case barred.Left(v.rest):
		a.Deed, a.Keeps = Keep, []grammar.Span{{From: v.n, To: v.n}} // "… is perfect and should be left as is"
		return a, true
	case a.C.Join != "":
		a.Deed, a.Pronoun, a.Verb = Expected, true, v.rest[0]
		return a, true
	case len(v.rest) > 2:
		a.Pronoun = true
		return a.should(append([]string{"it"}, v.rest...), 1, 2), true
	}
	return a, false
}

// questioned is a question with its subject inside.
func questioned(a Act, v view) (Act, bool) {
	m, ok := object.Inverted(v.rest)
	if !ok || a.C.Close != "?" && !words.Determiner(v.rest[1]) {
		return a, false
	}
	a.Deed, a.Marker, a.Verb, a.Pronoun = Request, m, v.rest[0], words.Pronoun(v.rest[1])
	return a, true
}

func wished(a Act, v view) (Act, bool) {
	if !v.s.Want || grammar.Finite(v.rest) {
		return a, false
	}
	return a.wanted(v.rest), true
}

func declared(a Act, v view) (Act, bool) {
	if !grammar.Finite(v.rest) {
		return a, false
	}
	return a.declarative(v.rest, v.s), true
}

// clausal is "(I'd like) that the map remember the zoom".
func clausal(a Act, v view) (Act, bool) {
	rest := v.rest
	if !v.s.Opener || len(rest) < 3 || rest[0] != "the" && rest[0] != "it" && rest[0] != "there" && rest[0] != "i" && rest[0] != "we" {
		return a, false
	}
	for i := 1; i < min(4, len(rest)); i++ {
		if b, end := words.Base(rest[i], grammar.AnyVerb); b != "" && end == "" && !grammar.Nounish[b] {
			return a.imperative(rest[i:], v.n+i, 1), true
		}
	}
	return a, false
}

// passiveWish is "(I'd like to) be notified when …".
func passiveWish(a Act, v view) (Act, bool) {
	if !v.s.Opener || v.s.Want || len(v.rest) < 2 || v.rest[0] != "be" {
		return a, false
	}
	a.Deed, a.Marker, a.Verb, a.Obj = Request, object.Passive(v.rest[1:]), "be", v.n+1
	if b, end := words.Base(v.rest[1], grammar.AnyVerb); end == "ed" {
		if sense, _ := words.Verb(b); sense == words.Show {
			a.Marker = belay.MarkAdd
		}
	}
	return a, true
}

// unknownVerb is "(somebody should) lock down …": what stands there is a verb, known or not.
func unknownVerb(a Act, v view) (Act, bool) {
	rest := v.rest
	if !v.s.Opener || v.s.Want || !v.s.Verb || len(rest) < 2 || words.Determiner(rest[0]) || words.Pronoun(rest[0]) || words.Preposition(rest[0]) {
		return a, false
	}
	a.Deed, a.Marker, a.Verb, a.Obj = Request, belay.MarkModify, rest[0], v.n+1
	if o := v.low[:v.n]; len(o) > 2 && o[len(o)-1] == "to" && (o[0] == "i" || o[0] == "i'd") && (o[len(o)-2] == "want" || o[len(o)-2] == "like") && !grammar.Old(rest) && grammar.Compared(rest) == 0 {
		a.Marker = belay.MarkAdd // "I want to jump from an order to its invoice"
	}
	return a, true
}
