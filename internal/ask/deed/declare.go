package deed

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/object"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// A telling reads a sentence with a subject, or leaves it to the next one.
type telling func(Act, []string) (Act, bool)

// tellings are asked in this order: what somebody wants, what something lacks, how it is to
// be from now on.
var tellings = []telling{decided, wantedBy, onlyFor, wouldBe, lacks, couldUse, becomes, bestowed, movesTo, enough, preferred, isTo, handedOver, belongs}

// declarative reads a sentence with a subject: what should be, what can be done, what
// is. Only the first two ask for something.
func (a Act) declarative(rest []string, s grammar.Said) Act {
	a.Pronoun = words.Pronoun(rest[0]) && rest[0] != "everything" && rest[0] != "all"
	if words.Auxiliary(rest[0]) && a.C.Join != "" && !strings.Contains(rest[0], "'") {
		return a // it says more of what was named before
	}
	if i := slices.IndexFunc(rest, func(w string) bool { return w == "could" || w == "would" || w == "can" }); s.Opener && i > 0 && i+1 < len(rest) && i < 6 {
		return a.should(rest, i, i+1) // "it would be great if results could be sorted"
	}
	if i, k := grammar.Modal(rest); i > 0 && i+k < len(rest) {
		return a.should(rest, i, i+k)
	}
	for _, t := range tellings {
		if b, ok := t(a, rest); ok {
			return b
		}
	}
	switch {
	case a.C.Close != "?" && object.ButNot(rest):
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, fault.Plain, "but not"
	case grammar.Old(rest) && a.C.Close != "?" && object.Contradicts(rest):
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, fault.Faint, "not"
	case grammar.Old(rest) && a.C.Close != "?" && rest[0] == "i" && !s.Opener: // "I suspect the server and not our code"
	case grammar.Old(rest) && a.C.Close != "?" && !object.Possesses(rest):
		a.Deed, a.Marker, a.Verb = Request, belay.MarkModify, "not"
	case s.Opener && (s.Want || s.That || a.Core.From > 1 && a.C.Low()[a.Core.From-1] == "if"): // "it would be nice if the map remembered …"
		return a.capability(rest)
	case (a.C.Block.Kind == prose.Item || a.C.Group) && !words.Auxiliary(rest[0]):
		return a.stated(rest)
	case a.C.Close == "?" && s.Opener:
		return a.capability(rest)
	}
	return a
}

// ask makes a request of the clause.
func (a Act) ask(m belay.Marker, by string) (Act, bool) {
	a.Deed, a.Marker, a.Verb = Request, m, by
	return a, true
}

// wantedBy is "doctors are wanting to see", "users keep asking for".
func wantedBy(a Act, rest []string) (Act, bool) {
	i := grammar.Wanting(rest)
	if i == 0 {
		return a, false
	}
	if last := rest[min(i+2, len(rest)-1)]; rest[i+1] == "for" && (last == "it" || last == "this" || last == "that" || last == "them") {
		return a, true // "several parents asked for it": what was said before
	}
	m, o := belay.MarkAdd, rest[i+1:]
	if len(o) > 1 && o[0] == "for" && (o[1] == "it" || o[1] == "this" || o[1] == "that" || o[1] == "them") {
		return a, true // "several parents asked for it": why
	}
	if grammar.Old(o) || len(o) > 1 && grammar.Definite(o[0]) && rest[i] != "asked" && rest[i] != "asks" && !object.Possibility(o) && !object.Placed(o) {
		m = belay.MarkModify // "the client would like the map to open zoomed in"
	}
	if object.Gone(o) {
		m = belay.MarkRemove // "marketing wants the teaser gone"
	}
	a.Obj = a.Core.From + i + 1
	return a.ask(m, strings.Join(rest[i:min(i+2, len(rest))], " "))
}

// decided is what somebody has resolved: "the shop starts selling hats", "loot boxes get cut
// entirely", "the wizard goes away".
func decided(a Act, rest []string) (Act, bool) {
	n := len(rest)
	for n > 3 && (rest[n-1] == "entirely" || rest[n-1] == "completely" || rest[n-1] == "altogether" || rest[n-1] == "too" || grammar.Adverb(rest[n-1])) {
		n--
	}
	if n < 3 || words.Subject(rest[0]) || words.Pronoun(rest[0]) {
		return a, false
	}
	switch get, done := rest[n-2], rest[n-1]; {
	case (get == "get" || get == "gets") && (done == "cut" || done == "removed" || done == "axed" || done == "killed" || done == "scrapped" || done == "retired"),
		get == "will" && done == "go", get == "goes" && done == "away" && n < 5, get == "go" && done == "away" && n < 5, get == "be" && n > 3 && rest[n-3] == "will" && object.Passive(rest[n-1:]) == belay.MarkRemove:
		return a.ask(belay.MarkRemove, get+" "+done)
	}
	if i := slices.IndexFunc(rest, func(w string) bool { return w == "starts" || w == "begins" }); i > 0 && i < 4 && i+2 < len(rest) && grammar.Gerund(rest[i+1]) && !grammar.Conditional(rest[i+2]) && !slices.ContainsFunc(rest[i+1:], fails) {
		a.Obj = a.Core.From + i + 1
		return a.ask(belay.MarkAdd, rest[i])
	}
	return a, false
}

func fails(w string) bool { _, ok := words.Fails(w); return ok || w == "when" || w == "after" }

// onlyFor is "deleted comments stay visible to admins only".
func onlyFor(a Act, rest []string) (Act, bool) {
	n := len(rest)
	if n < 4 || rest[n-1] != "only" || words.Subject(rest[0]) {
		return a, false
	}
	return a.ask(belay.MarkModify, "only")
}

// wouldBe is "a progress bar would be lovely", "preview links would save us time".
func wouldBe(a Act, rest []string) (Act, bool) {
	if had := slices.Index(rest, "had"); rest[0] == "if" && had > 1 && had < 6 && had+2 < len(rest) && grammar.Articled(rest[had+1]) && slices.ContainsFunc(rest[had:], func(w string) bool { return w == "would" || w == "wouldn't" || w == "could" }) {
		a.Obj = a.Core.From + had + 1
		return a.ask(belay.MarkAdd, "if it had") // "if the app had a print view I wouldn't have to …"
	}
	if i, j := slices.Index(rest, "would"), slices.Index(rest, "if"); i > 0 && j > i+1 && j+3 < len(rest) && (rest[j+2] == "got" || rest[j+2] == "had" || rest[j+2] == "was") && grammar.Articled(rest[j+3]) {
		a.Obj = a.Core.From + j + 3
		return a.ask(belay.MarkAdd, "if they had") // "people would use it more if they got a mail"
	}
	i := slices.Index(rest, "would")
	if i < 1 || i+1 >= len(rest) || a.C.Join == "because" {
		return a, false
	}
	pleasant := i+2 < len(rest) && rest[i+1] == "be" && !words.Preposition(rest[0]) && !grammar.Conditional(rest[0]) && grammar.Indefinite(rest) && grammar.Enough[rest[i+2]]
	proposed := (rest[0] == "a" || rest[0] == "an" || rest[0] == "another") && i < 8 && grammar.AnyVerb(rest[i+1]) && !slices.Contains(rest, "if")
	pleasant = pleasant || i+4 < len(rest) && rest[i+1] == "be" && rest[i+2] == "of" && grammar.Indefinite(rest) && (slices.Contains(rest[i+3:], "help") || slices.Contains(rest[i+3:], "use"))
	useful := proposed || !words.Subject(rest[0]) && (rest[i+1] == "save" || rest[i+1] == "help" || rest[i+1] == "make" || rest[i+1] == "rock" || rest[i+1] == "solve" || rest[i+1] == "spare" || rest[i+1] == "prevent" || rest[i+1] == "keep" || rest[i+1] == "come") && !slices.Contains(rest, "if")
	if !pleasant && !useful {
		return a, false
	}
	a.Core.To = a.Core.From + i
	return a.ask(belay.MarkAdd, "would "+rest[i+1])
}

// lacks is "the settings page needs a search box".
func lacks(a Act, rest []string) (Act, bool) {
	for i := 1; i+1 < len(rest) && i < 7; i++ {
		switch rest[i] {
		case "needs", "need", "lacks", "want", "wants":
		default:
			continue
		}
		if (rest[i] == "wants" || rest[i] == "want") && (words.Tech(rest[i-1]) || words.Product(rest[i-1])) {
			continue // "the tool wants --output"
		}
		if i+2 == len(rest) && (rest[i+1] == "that" || rest[i+1] == "it" || rest[i+1] == "this" || rest[i+1] == "them") {
			continue // "everybody needs that"
		}
		if rest[i+1] == "to" || rest[i-1] == "not" || rest[i-1] == "i" || words.Negative(rest[i-1]) || words.Auxiliary(rest[i+1]) {
			continue
		}
		a.Obj = a.Core.From + i + 1
		if end, ok := object.Participle(rest[i+1]); ok && end || grammar.Old(rest) || grammar.Degree(rest[i+1:]) || grammar.Definite(rest[i+1]) && i+2 < len(rest) && rest[i+2] == "new" || i+2 < len(rest) && rest[i+1] == "more" && object.Much(rest[i+2]) || (rest[i] == "wants" || rest[i] == "want") && grammar.Definite(rest[i+1]) {
			return a.ask(belay.MarkModify, rest[i])
		}
		a.Made = grammar.Indefinite(rest[i+1:])
		return a.ask(belay.MarkAdd, rest[i])
	}
	return a, false
}

// couldUse is "the api could use pagination".
func couldUse(a Act, rest []string) (Act, bool) {
	i := slices.IndexFunc(rest, func(w string) bool { return w == "could" || w == "can" })
	if i > 0 && i+4 < len(rest) && (rest[i+1] == "also" || rest[i+1] == "really") && rest[i+2] == "do" && rest[i+3] == "with" {
		rest = append(slices.Clone(rest[:i+1]), rest[i+2:]...)
	}
	if i > 0 && i+4 < len(rest) && rest[i+1] == "do" && rest[i+3] == "being" {
		return a.ask(belay.MarkModify, "could do with")
	}
	if i < 1 || i+2 >= len(rest) || rest[i+1] != "use" && !(rest[i+1] == "do" && rest[i+2] == "with") || slices.Contains(grammar.Actors, rest[i-1]) {
		return a, false
	}
	return a.ask(belay.MarkAdd, "could use")
}

// becomes is "basket becomes cart", "from now on the number starts with the year".
func becomes(a Act, rest []string) (Act, bool) {
	i, ok := grammar.Predicate(rest)
	if ok && (rest[i] == "becomes" || rest[i] == "become") && (slices.Contains(rest, "\"") || a.C.Group || i < 2 || i+2 < len(rest) && grammar.Articled(rest[i+1])) || object.FromNow(a.C.Low()) {
		return a.ask(belay.MarkModify, "from now on")
	}
	return a, false
}

// bestowed is "each chart gets a legend".
func bestowed(a Act, rest []string) (Act, bool) {
	i, ok := grammar.Predicate(rest)
	if !ok || i == 0 || i+2 >= len(rest) || rest[i] != "gets" && rest[i] != "get" || words.Subject(rest[0]) || !grammar.Articled(rest[i+1]) || slices.Contains(grammar.Actors, rest[i-1]) || slices.ContainsFunc(rest, words.Soft) || slices.ContainsFunc(rest, words.Wrong) {
		return a, false
	}
	a.Obj = a.Core.From + i + 1
	return a.ask(belay.MarkAdd, rest[i])
}

// movesTo is "the host moves to api.example.org".
func movesTo(a Act, rest []string) (Act, bool) {
	i, ok := grammar.Predicate(rest)
	if !ok || i == 0 || i+2 >= len(rest) || rest[i+1] != "to" && rest[i+1] != "into" || !object.Target(rest[i+2]) && rest[i] != "changes" {
		return a, false
	}
	switch rest[i] {
	case "moves", "goes", "changes", "switches", "turns", "drops", "rises":
		return a.ask(belay.MarkModify, rest[i])
	}
	return a, false
}

// enough is "30 is enough".
func enough(a Act, rest []string) (Act, bool) {
	if len(rest) < 3 || !words.Auxiliary(rest[1]) || !isValue(rest[0]) {
		return a, false
	}
	if rest[len(rest)-1] == "enough" || rest[len(rest)-1] == "do" {
		return a.ask(belay.MarkModify, "enough") // "8 would be early enough"
	}
	switch rest[2] {
	case "enough", "plenty", "sufficient", "fine":
		return a.ask(belay.MarkModify, "enough")
	}
	return a, false
}

// preferred is "Wednesday noon is better", "5 am would be much better for us".
func preferred(a Act, rest []string) (Act, bool) {
	n := len(rest)
	if n > 3 && rest[n-2] == "for" {
		n -= 2
	}
	if n < 3 || n > 8 || rest[n-1] != "better" && rest[n-1] != "preferable" || words.Subject(rest[0]) || words.Pronoun(rest[0]) || slices.Contains(rest, "if") || a.C.Close == "?" {
		return a, false
	}
	at, ok := grammar.Predicate(rest)
	if !ok || at < 1 || rest[at] != "is" && rest[at] != "would" && rest[at] != "are" {
		return a, false
	}
	return a.ask(belay.MarkModify, "better")
}

// isTo is "the catalogue link is to be removed".
func isTo(a Act, rest []string) (Act, bool) {
	i, ok := grammar.Predicate(rest)
	if !ok || i < 1 || i+3 >= len(rest) || rest[i] != "is" && rest[i] != "are" || rest[i+1] != "to" || rest[i+2] != "be" {
		return a, false
	}
	return a.ask(object.Passive(rest[i+3:]), "is to be")
}

// handedOver is "the yellow box you can delete".
func handedOver(a Act, rest []string) (Act, bool) {
	n := len(rest)
	if n < 5 || rest[n-3] != "you" || rest[n-2] != "can" && rest[n-2] != "may" && rest[n-2] != "could" || !grammar.Definite(rest[0]) {
		return a, false
	}
	b, end := words.Base(rest[n-1], grammar.AnyVerb)
	sense, _ := words.Verb(b)
	if b == "" || end != "" || sense != words.Remove && sense != words.Modify {
		return a, false
	}
	return a.ask(object.MarkerOf(sense), "you can")
}

// belongs is "the button belongs at the top".
func belongs(a Act, rest []string) (Act, bool) {
	if slices.Index(rest, "belongs") < 1 {
		return a, false
	}
	return a.ask(belay.MarkModify, "belongs")
}

// stated reads a sentence in a list of what is wanted: "a button extends the session".
func (a Act) stated(rest []string) Act {
	i, ok := grammar.Predicate(rest)
	if !ok || fault.Past[rest[i]] || rest[i] == "was" || rest[i] == "were" || rest[0] == "i" || rest[0] == "we" {
		return a
	}
	a.Deed, a.Marker, a.Verb = Request, belay.MarkAdd, rest[i]
	a.Stated, a.Told = a.C.Block.Kind != prose.Item, a.C.Block.Kind == prose.Item
	if (rest[i] == "get" || rest[i] == "gets" || rest[i] == "is" || rest[i] == "are") && i+1 < len(rest) && a.C.Block.Kind == prose.Item && object.Passive(rest[i+1:]) == belay.MarkRemove {
		a.Marker = belay.MarkRemove // "loot boxes get cut"
		return a
	}
	if grammar.Old(rest) || object.FromTo(rest) || grammar.Compared(rest[i:]) > 0 || rest[i] == "is" || rest[i] == "are" {
		a.Marker = belay.MarkModify
	}
	return a
}

func (a Act) capability(rest []string) Act {
	a.Deed, a.Marker, a.Verb = Request, belay.MarkAdd, "it would be good"
	if i := slices.Index(rest, "possible"); i > 0 && i+1 < len(rest) && rest[i+1] == "to" {
		return a // "(I would like) that in the list it is possible to filter"
	}
	if grammar.Compared(rest) > 0 || grammar.Old(rest) {
		a.Marker = belay.MarkModify
	}
	if i, ok := grammar.Predicate(rest); ok && (rest[i] == "is" || rest[i] == "are" || rest[i] == "was" || rest[i] == "were") && rest[0] != "there" {
		a.Marker = belay.MarkModify
	}
	if i, ok := grammar.Predicate(rest); ok {
		if b, _ := words.Base(rest[i], grammar.AnyVerb); b != "" {
			if sense, _ := words.Verb(b); sense == words.Modify {
				a.Marker = belay.MarkModify
			}
		}
	}
	return a
}
