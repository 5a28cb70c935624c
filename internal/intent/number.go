package intent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// counted is how many things a requirement acts on, nil when that is not said: in its own
// clause, or, where it is about "them", in the one that told of them.
func (p *parse) counted(f found) *int {
	low := f.Act.C.Low()
	if len(low) == 0 {
		return nil
	}
	if n := numberOf(f.Act, f.Marker, p.Lang); n != nil || !them(low[min(f.Act.Obj, len(low)-1):]) {
		return n
	}
	for i := f.Act.Nr - 1; i >= max(0, f.Act.Nr-2); i-- {
		b := p.Acts[i]
		if b.Deed == Material || b.C.Sent < f.Act.C.Sent-1 || p.asks(b.Nr) {
			return nil
		}
		for i := range b.C.Low() {
			if n, ok := counts(b.C.Low(), i, p.Lang); ok && n > 1 {
				return &n
			}
		}
	}
	return nil
}

// them reports an object that is a pronoun for several things: "delete them", "drop those".
func them(object []string) bool {
	switch object[0] {
	case "them", "both":
		return true
	case "those", "these":
		return len(object) == 1 || Preposition(object[1]) || Conjunction(object[1]) || object[1] == "," || Filler(object[1])
	}
	return false
}

// leavesObject reports a word that ends what a deed is done to, so many words behind its beginning.
func leavesObject(w string, behind int) bool {
	if oneOf(w, "with", "that", "which") || IsWish(w) && behind > 1 {
		return true
	}
	return Preposition(w) && !oneOf(w, "of", "to", "into", "in")
}

// reachesAll reports a number at i of all things that there are: "all three", "there are two".
func reachesAll(low []string, i int) bool {
	if i == 0 {
		return false
	}
	return low[i] == "both" || low[i-1] == "all" || low[i-1] == "are" && i > 1 && low[i-2] == "there"
}

// countedFrom is where the words begin in which a number may be stated.
func countedFrom(a Act, m belay.Marker, low []string) int {
	if m != belay.MarkFix && a.Obj < len(low) && a.Verb != "we want" && !IsWish(a.Verb) {
		return a.Obj
	}
	return a.Core.From
}

// numberOf is the stated number of things a requirement acts on, nil when none is stated: in what it
// is done to, or of all that it reaches ("in all three views").
func numberOf(a Act, m belay.Marker, lang string) *int {
	low := a.C.Low()
	from := countedFrom(a, m, low)
	if from < len(low) && m == belay.MarkFix && (Conditional(low[from]) || slices.Contains(low, "same")) {
		return nil // how many it takes for it to happen: "two workers pick up the same job"
	}
	if tellsOfThePast(low) || a.Obj < len(low) && oneThing(low[a.Obj:]) {
		return nil
	}
	within := true
	for i := from; i < len(low); i++ {
		w := low[i]
		if Subordinator(w) || oneOf(w, "not", "instead", "rather") || i > from && oneOf(w, "if", "when", ":") {
			return nil
		}
		within = within && i < from+10 && (i == from || !leavesObject(w, i-from))
		n, ok := counts(low, i, lang)
		reached := reachesAll(low, i) || i > 0 && m != belay.MarkFix && wished(low, i)
		switch {
		case !ok, i > 0 && low[i-1] == "into": // what others become the parts of: "sort them into 7 groups"
		case n == 1 && (i > from || m == belay.MarkFix):
		case reached, within && (m != belay.MarkFix || i <= from+1 && !strings.HasSuffix(low[from], "ing")):
			return &n
		}
	}
	return nil
}

// tellsOfThePast reports a clause about how many there were of something: "five jobs were failing because …".
func tellsOfThePast(low []string) bool {
	if _, ok := Number(low[0]); !ok {
		return false
	}
	return slices.ContainsFunc(low[1:min(len(low), 7)], func(w string) bool { return w == "were" || w == "was" })
}

// oneThing reports an object that is one thing, in which numbers are part of what it is: "a function that adds two numbers".
func oneThing(object []string) bool {
	return oneOf(object[0], "a", "an", "another") && !slices.Contains(object, "dozen")
}

// wished reports a number in the object of what a modal asks for: "should offer two shortcuts".
func wished(low []string, i int) bool {
	for k := i - 1; k >= max(0, i-4) && !Preposition(low[k]); k-- {
		if Modal(low[k]) || IsWish(low[k]) {
			return i-k > 1 || !Modal(low[k])
		}
	}
	return false
}

// counts tells a number that says how many there are of the thing named behind it from all others: a
// measure, a version, a year, an old value, and one that is part of a name ("RFC 9562", "exit code 3").
func counts(low []string, i int, lang string) (int, bool) {
	n, ok := Number(low[i])
	if !ok || i+1 >= len(low) {
		return n, ok && low[i] == "both"
	}
	rest, digits := low[i+1:], low[i][0] >= '0' && low[i][0] <= '9'
	switch next := rest[0]; {
	case low[i] == "both":
		return n, (!Preposition(next) || oneOf(next, "of", "to")) && !slices.Contains(rest[:min(len(rest), 4)], "and")
	case low[i] == "1", notThings.Has(next), Unit(next), Preposition(next) && next != "of", Auxiliary(next),
		Filler(next), slices.Contains(rest[:min(3, len(rest))], "per"), slices.ContainsFunc(rest[:min(2, len(rest))], work.Has):
		return 0, false
	case n == 1 && (lang != "" || noThing(next)):
		return 0, false
	case digits && (valuing(low, i) || numbered(low, i)):
		return 0, false
	case i > 0 && (low[i-1] == "a" && low[i] != "dozen" || digits && measures.Has(low[i-1])):
		return 0, false
	}
	return n, n == 1 || !digits || lang != "" || plural(rest)
}

// noThing reports a word behind "one" that is not the thing of which there is one.
func noThing(w string) bool {
	return Pronoun(w) || Comparative(w) || oneOf(w, "of", "day") || AnyVerb(w) && !Nounish.Has(w)
}

// ofGrammar are the classes of the words that name no kind of thing.
var ofGrammar = []func(string) bool{
	Determiner, Preposition, Filler, Auxiliary, Conjunction, Pronoun, Subject, Comparative,
}

// numbered reports a number that tells one thing from others of its kind, or a version: the word in
// front of it is the name of that kind.
func numbered(low []string, i int) bool {
	if i == 0 {
		return false
	}
	w := low[i-1]
	return !isAny(w, ofGrammar) && !ordinals.Has(w) && w != "," && (!AnyVerb(w) || Nounish.Has(w) && i > 1)
}

var (
	ordinals = lazyregexp.Of("first last next other all remaining following")
	// notThings are words behind a number that no thing follows, parts of a name ("two factor login"),
	// months, and words for things that are told one by one further on ("two small changes: …").
	notThings = lazyregexp.Of(`factor step way column phase stage level tier finger pass player sided dimensional part
	line digit january february march april may june july
		august september october november december things small changes points , " and or - -> → / is instead not : ;`)
	// work are words for what is done, not for what there is a list of: "2 test fixes".
	work = lazyregexp.Of("fixes tweaks improvements cleanups adjustments")
	// measures are words in front of a number that is a measure, a time, a version or a place.
	measures = lazyregexp.Of(`at from every port version level than under over after before by step epoch least most
	about around to in is are chapter section phase release v
		within top only`)
)

// plural reports words that begin with the name of several things: "wrong tiles in".
func plural(low []string) bool {
	for i, w := range low {
		if i > 3 || strings.ContainsAny(w, ",;:()/") {
			return false
		}
		if Unit(w) || Auxiliary(w) || Conjunction(w) || Preposition(w) && w != "of" {
			return false
		}
		if w == "of" {
			return i == 0
		}
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") || oneOf(w, "people", "children", "indices") {
			return !endsSingular(low[i+1:])
		}
	}
	return false
}

// endsSingular reports words behind a plural that end in the word for one thing, of which the number is a part of the name:
// "24 Pull requests API". Words that do or place something head nothing.
func endsSingular(rest []string) bool {
	if len(rest) != 1 {
		return false
	}
	w := rest[0]
	return !isAny(w, ofGrammar) && !AnyVerb(w) && !strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ly") &&
		strings.ContainsFunc(w, unicode.IsLetter)
}

// valuing reports a number that is a value: a year, a status, a rate ("50 hits a page"), the new one of
// two ("50 rows, not 500").
func valuing(low []string, i int) bool {
	w, rest := low[i], low[i+1:]
	switch {
	case len(w) == 4 && (strings.HasPrefix(w, "20") || strings.HasPrefix(w, "19")),
		len(w) == 3 && (w[0] == '4' || w[0] == '5') && w[1] == '0':
		return true
	case i > 0 && (strings.HasSuffix(low[i-1], "+") || low[i-1] == "of"):
		return true
	case len(rest) > 2 && (rest[1] == "a" || rest[1] == "an") && !Preposition(rest[0]):
		return true
	}
	for k := 1; k+1 < min(len(rest), 6); k++ {
		if _, ok := Number(rest[k+1]); ok && (rest[k] == "not" || rest[k] == "than" || rest[k] == "of" && rest[k-1] == "instead") {
			return true
		}
	}
	return false
}
