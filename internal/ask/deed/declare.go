package deed

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/clause"
	"github.com/belay-dev/belay/internal/ask/fault"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// A telling reads a sentence with a subject, or leaves it to the next one.
type telling func(Act, []string) (Act, bool)

// tellings are asked in this order: what somebody wants, what something lacks, how it is to
// be from now on.
var tellings = []telling{wantedBy, wouldBe, lacks, couldUse, becomes, bestowed, movesTo, enough, belongs}

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
	case grammar.Old(rest) && a.C.Close != "?":
		a.Deed, a.Marker, a.Verb = Request, belay.MarkModify, "not"
	case s.Opener && s.Want: // "it would be nice if the map remembered …"
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
	return a.ask(belay.MarkAdd, strings.Join(rest[i:min(i+2, len(rest))], " "))
}

// wouldBe is "a progress bar would be lovely", "preview links would save us time".
func wouldBe(a Act, rest []string) (Act, bool) {
	i := slices.Index(rest, "would")
	if i < 1 || i+1 >= len(rest) || a.C.Join == "because" {
		return a, false
	}
	pleasant := i+2 < len(rest) && rest[i+1] == "be" && !words.Preposition(rest[0]) && !grammar.Conditional(rest[0]) && grammar.Indefinite(rest) && grammar.Enough[rest[i+2]]
	useful := !words.Subject(rest[0]) && (rest[i+1] == "save" || rest[i+1] == "help" || rest[i+1] == "make" || rest[i+1] == "rock" || rest[i+1] == "come") && !slices.Contains(rest, "if")
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
		if rest[i+1] == "to" || rest[i-1] == "not" || rest[i-1] == "i" || words.Negative(rest[i-1]) || words.Auxiliary(rest[i+1]) {
			continue
		}
		a.Obj = a.Core.From + i + 1
		if end, ok := participle(rest[i+1]); ok && end || grammar.Old(rest) {
			return a.ask(belay.MarkModify, rest[i])
		}
		return a.ask(belay.MarkAdd, rest[i])
	}
	return a, false
}

// couldUse is "the api could use pagination".
func couldUse(a Act, rest []string) (Act, bool) {
	i := slices.IndexFunc(rest, func(w string) bool { return w == "could" || w == "can" })
	if i < 1 || i+2 >= len(rest) || rest[i+1] != "use" && !(rest[i+1] == "do" && rest[i+2] == "with") || slices.Contains(grammar.Actors, rest[i-1]) {
		return a, false
	}
	return a.ask(belay.MarkAdd, "could use")
}

// becomes is "basket becomes cart", "from now on the number starts with the year".
func becomes(a Act, rest []string) (Act, bool) {
	i, ok := grammar.Predicate(rest)
	if ok && (rest[i] == "becomes" || rest[i] == "become") && (slices.Contains(rest, "\"") || a.C.Group || i < 2) || fromNow(a.C.Low()) {
		return a.ask(belay.MarkModify, "from now on")
	}
	return a, false
}

// bestowed is "each chart gets a legend".
func bestowed(a Act, rest []string) (Act, bool) {
	i, ok := grammar.Predicate(rest)
	if !ok || i == 0 || i+2 >= len(rest) || rest[i] != "gets" && rest[i] != "get" || !grammar.Articled(rest[i+1]) || slices.Contains(grammar.Actors, rest[i-1]) || slices.ContainsFunc(rest, words.Soft) || slices.ContainsFunc(rest, words.Wrong) {
		return a, false
	}
	a.Obj = a.Core.From + i + 1
	return a.ask(belay.MarkAdd, rest[i])
}

// movesTo is "the host moves to api.example.org".
func movesTo(a Act, rest []string) (Act, bool) {
	i, ok := grammar.Predicate(rest)
	if !ok || i == 0 || i+2 >= len(rest) || rest[i+1] != "to" && rest[i+1] != "into" || !isTarget(rest[i+2]) {
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
	switch rest[2] {
	case "enough", "plenty", "sufficient", "fine":
		return a.ask(belay.MarkModify, "enough")
	}
	return a, false
}

// belongs is "the button belongs at the top".
func belongs(a Act, rest []string) (Act, bool) {
	if slices.Index(rest, "belongs") < 1 {
		return a, false
	}
	return a.ask(belay.MarkModify, "belongs")
}

// fromNow reports a statement of how it is to be: "from now on the number starts with
// the year".
func fromNow(low []string) bool {
	line := strings.Join(low[:min(4, len(low))], " ") + " "
	for _, p := range []string{"from now on ", "from today ", "from today on ", "in future ", "in the future ", "henceforth ", "going forward "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

// stated reads a sentence in a list of what is wanted: "a button extends the session".
func (a Act) stated(rest []string) Act {
	i, ok := grammar.Predicate(rest)
	if !ok || fault.Past[rest[i]] || rest[i] == "was" || rest[i] == "were" || rest[0] == "i" || rest[0] == "we" {
		return a
	}
	a.Deed, a.Marker, a.Verb = Request, belay.MarkAdd, rest[i]
	a.Stated = a.C.Block.Kind != prose.Item
	if grammar.Old(rest) || grammar.Compared(rest[i:]) > 0 || rest[i] == "is" || rest[i] == "are" {
		a.Marker = belay.MarkModify
	}
	return a
}

func (a Act) capability(rest []string) Act {
	a.Deed, a.Marker, a.Verb = Request, belay.MarkAdd, "it would be good"
	if grammar.Compared(rest) > 0 || grammar.Old(rest) {
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

// should reads what stands behind a modal.
func (a Act) should(low []string, at, next int) Act {
	a.Deed, a.Marker, a.Verb = Request, belay.MarkModify, strings.Join(low[at:next], " ")
	for next < len(low) && (grammar.Adverb(low[next]) || low[next] == "also" || low[next] == "just" || low[next] == "instead" || low[next] == "always" || low[next] == "not" || low[next] == "only" || low[next] == "automatically") {
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
	if low[at] == "may" && (low[next] == "no" || low[next] == "not" || low[next] == "only" || slices.Contains(low[at:next], "only") || slices.Contains(low[at:next], "not")) {
		return a // "guests may no longer export"
	}
	can := low[at] == "can" || low[at] == "may"
	actor := slices.Contains(grammar.Actors, low[at-1])
	o := low[next:]
	line := strings.Join(o, " ") + " "
	a.Obj = a.Core.From + next
	if r := grammar.Better(o); r != nil && len(o) < 5 && (o[0] == "be" || o[0] == "look" || o[0] == "feel") {
		a.Deed, a.Readings = Doubt, r
		return a
	}
	switch {
	case o[0] == "go" && len(o) == 1 || line == "be gone " || o[0] == "go" && o[1] == "away" || o[0] == "disappear" && len(o) == 1 && !a.Pronoun:
		a.Marker = belay.MarkRemove // "the banner has to go"
		return a
	case can && o[0] == "be" && len(o) > 1 && passive(o[1:]) == belay.MarkRemove && len(o) < 5:
		a.Marker = belay.MarkRemove // "deploy.md can be deleted"
		return a
	case can && !(a.C.Block.Kind == prose.Item || a.C.Group || actor && low[0] != "i" && low[0] != "you" && low[0] != "we"):
		a.Deed = Ground
		return a
	case strings.HasPrefix(line, "be able to ") || strings.HasPrefix(line, "be possible to ") || line == "be possible " || can:
		a.Marker = belay.MarkAdd
	case strings.HasPrefix(line, "be allowed") || strings.HasPrefix(line, "become"):
	case o[0] == "be" && len(o) > 1:
		a.Marker = passive(o[1:])
		if b, end := words.Base(o[1], grammar.AnyVerb); (low[at] == "could" || recorded[b]) && end == "ed" && a.Marker == belay.MarkModify && grammar.Compared(o) == 0 {
			if sense, _ := words.Verb(b); sense == words.Show {
				a.Marker = belay.MarkAdd // "if the table could be exported"
			}
		}
	case o[0] == "have" && len(o) > 1:
		a.Marker = belay.MarkAdd
		if grammar.Compared(o) > 0 || words.Determiner(o[1]) && !grammar.Indefinite(o[1:]) {
			a.Marker = belay.MarkModify
		}
	case grammar.Old(low):
	default:
		a.Marker = a.promised(o, actor)
	}
	if a.Marker == belay.MarkAdd && grammar.Old(low) && o[0] == "be" {
		a.Marker = belay.MarkModify
	}
	if low[at] == "shouldn't" || low[at] == "mustn't" || slices.Contains(low[at:next], "not") || low[len(low)-1] == "only" || a.Only || slices.Contains(low[at:next], "only") {
		a.Marker = belay.MarkModify
	}
	return a
}

// promised is what "X should V" asks for: by the verb, and by who X is.
func (a Act) promised(o []string, actor bool) belay.Marker {
	if a.Also && o[0] != "be" && o[0] != "look" && grammar.Compared(o) == 0 {
		return belay.MarkAdd
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
	if actor && !a.Pronoun || a.Also && sense == words.None {
		return belay.MarkAdd
	}
	return belay.MarkModify
}

// passive reads "should be removed", "must be fixed", "should be bigger".
func passive(o []string) belay.Marker {
	if len(o) == 0 {
		return belay.MarkModify
	}
	b, end := words.Base(o[0], grammar.AnyVerb)
	if end != "ed" && b != "put" {
		return belay.MarkModify
	}
	switch sense, _ := words.Verb(b); sense {
	case words.Remove:
		return belay.MarkRemove
	case words.Fix:
		return belay.MarkFix
	case words.Add:
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
	for _, w := range []string{"invalid", "error", "failed", "cannot", "can't", "denied", "not found", "undefined", "exception", "unexpected", "refused", "timed out", "timeout", "unable", "could not", "something went wrong", "no such"} {
		if strings.Contains(t.Low, w) {
			return true
		}
	}
	return false
}

// deeds are nouns of doing: "cart page redesign", "removal of the old API".
var deeds = map[string]belay.Marker{"redesign": belay.MarkModify, "refactoring": belay.MarkModify, "refactor": belay.MarkModify, "rewrite": belay.MarkModify, "migration": belay.MarkModify,
	"upgrade": belay.MarkModify, "removal": belay.MarkRemove, "deletion": belay.MarkRemove, "renaming": belay.MarkModify, "replacement": belay.MarkModify, "overhaul": belay.MarkModify, "facelift": belay.MarkModify}

// nominal reads a deed that is named and not ordered. Something new is a thing, not a deed.
func nominal(low []string) (belay.Marker, bool) {
	if grammar.Articled(low[0]) {
		return "", false
	}
	for i, w := range low {
		if i > 3 || i > 0 && (words.Preposition(w) || w == ",") {
			break
		}
		if m, ok := deeds[w]; ok && (i+1 == len(low) || !deedNoun(low[i+1])) {
			return m, true
		}
	}
	return "", false
}

// deedNoun reports a noun behind a noun of doing, which is then what it is about:
// "migration guide".
func deedNoun(w string) bool {
	return !words.Preposition(w) && !words.Subordinator(w) && w != "," && w != "please" && w != "and" && w != "with"
}

// setting are nouns that a value follows.
var setting = map[string]bool{"level": true, "mode": true, "format": true, "type": true, "color": true, "colour": true, "size": true, "language": true, "timezone": true, "theme": true, "engine": true, "encoding": true,
	"version": true, "unit": true, "currency": true, "port": true, "host": true, "name": true, "title": true, "order": true, "region": true, "strategy": true, "policy": true, "width": true, "height": true}

func isTarget(w string) bool { return isValue(w) || w == "\"" || strings.ContainsAny(w, "./_") }

func isValue(w string) bool { _, ok := grammar.Value(w); return ok }

// recorded are verbs whose passive asks for something that is not there yet: "the old name
// should be mentioned".
var recorded = map[string]bool{"mention": true, "log": true, "track": true, "record": true, "notify": true, "archive": true, "save": true, "cache": true, "validate": true, "store": true, "check": true, "count": true, "measure": true, "audit": true, "retry": true, "highlight": true}

// participle reports a verb in -ing or -ed: "needs renaming".
func participle(w string) (modify, ok bool) {
	b, end := words.Base(w, grammar.AnyVerb)
	sense, _ := words.Verb(b)
	return sense == words.Modify && end != "" && end != "s", end != ""
}

// fragment reads a clause without a verb: "dark mode", "header smaller", "typo in the
// receipt mail", "batch 64".
func (a Act) fragment(rest []string, s grammar.Said) Act {
	for len(rest) > 1 && (words.Filler(rest[len(rest)-1]) && rest[len(rest)-1] != "only" && rest[len(rest)-1] != "first" || rest[len(rest)-1] == "lol" || rest[len(rest)-1] == "!") {
		rest = rest[:len(rest)-1]
	}
	if a.C.Block.Kind != prose.Item && !a.C.Group && (len(rest) == 1 && !a.Also || grammar.Idle(rest)) && !slices.Contains(rest, "only") {
		if len(rest) == 1 && rest[0] == "\"" || len(rest) != 1 || !s.Please && (!slices.Contains(a.C.Low(), "please") || grammar.Nounish[rest[0]]) {
			return a
		}
	}
	if _, ok := nominal(rest); ok && a.C.Join == "" {
		a.C.Frag = true
	}
	if grammar.Told(rest) && !(rest[0] == "from" && grammar.Old(rest)) || !a.C.Frag && !s.Please && !slices.Contains(a.C.Low(), "please") && !(a.C.Join == "" && slices.ContainsFunc(rest, words.Product)) && a.C.Block.Kind != prose.Item && !a.C.Group && !a.Also && a.C.Join != "and" && a.C.Join != "+" && grammar.Compared(rest) == 0 && !grammar.Valued(rest) && !grammar.Old(rest) && !grammar.Articled(rest[0]) && !strings.HasPrefix(rest[0], "-") && !grammar.MoreThings(rest) && !slices.Contains(rest, "too") {
		return a
	}
	if slices.ContainsFunc(a.C.T, badQuote) && !s.Please && !grammar.Articled(rest[0]) {
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, fault.Plain, "an error in quotes"
		return a
	}
	a.Deed, a.Verb = Request, "a thing named"
	if m, ok := nominal(rest); ok {
		a.Marker = m
		return a
	}
	if b, end := words.Base(rest[0], grammar.AnyVerb); end == "ing" && b != "" && len(rest) > 1 {
		a.Verb = rest[0]
		switch sense, _ := words.Verb(b); sense {
		case words.Modify:
			a.Marker = belay.MarkModify
		case words.Fix:
			a.Marker = belay.MarkFix
		case words.Remove:
			a.Marker = belay.MarkRemove
		default:
			a.Marker = belay.MarkAdd
		}
		return a
	}
	a.Marker = belay.MarkAdd
	last := rest[len(rest)-1]
	if (last == "first" || last == "last") && len(rest) < 4 {
		a.Marker = belay.MarkModify
		if a.C.Join == "," && !a.C.Group {
			a.Deed = Ground // "newest first": how to do what is asked
		}
		return a
	}
	if rest[0] == "no" {
		a.Deed = Ground
		return a
	}
	more := grammar.MoreThings(rest)
	switch {
	case last == "only" || rest[0] == "only" && len(rest) > 1,
		(last == "left" || last == "right" || last == "top" || last == "bottom" || last == "middle" || last == "centre" || last == "center") && !grammar.Articled(rest[0]):
		a.Marker = belay.MarkModify
	case len(rest) > 1 && len(rest) < 5 && setting[rest[len(rest)-2]] && !grammar.Articled(rest[0]) && !words.Preposition(last) && a.C.Topic != "":
		a.Marker = belay.MarkModify // "log level warning"
	case a.C.Topic != "" && isValue(rest[0]), rest[0] == "from" && grammar.Old(rest):
		a.Marker = belay.MarkModify
	case !grammar.Articled(rest[0]) && (grammar.Stated(rest) || len(rest) > 2 && rest[len(rest)-1] == "default" && rest[len(rest)-2] == "by"):
		a.Marker = belay.MarkModify
	case !grammar.Articled(rest[0]) && grammar.Bounded(rest):
		a.Marker = belay.MarkModify
	case grammar.Switched(rest), !grammar.Articled(rest[0]) && a.C.Topic != "" && slices.Index(rest, "as") > 0:
		a.Marker = belay.MarkModify
	case grammar.Towards(rest):
		a.Marker = belay.MarkModify
	case rest[0] == "new" && len(rest) == 2 && grammar.Attribute(last):
		a.Marker = belay.MarkModify
	case more, rest[0] == "a", rest[0] == "an", rest[0] == "another", rest[0] == "new", last == "too" && a.C.Join == "":
		a.Made = true
	case grammar.Old(rest), grammar.Compared(rest) > 0, grammar.Valued(rest), slices.Contains(rest, "→"):
		a.Marker = belay.MarkModify
	default:
		a.Made = grammar.Indefinite(rest)
	}
	return a
}
