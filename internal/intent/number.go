package intent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// statedCount returns how many things a requirement acts on, nil if unknown. The number is in its
// own clause or, if that is about "them", in one of the two before.
func (p *parse) statedCount(f foundRequirement) *int {
	low := f.Act.Clause.Lower()
	if len(low) == 0 {
		return nil
	}
	if n := statedNumber(f.Act, f.Marker, p.Lang); n != nil || !isPluralPronoun(low[min(f.Act.ObjectStart, len(low)-1):]) {
		return n
	}
	for i := f.Act.Index - 1; i >= max(0, f.Act.Index-2); i-- {
		b := p.Acts[i]
		if b.Kind == Material || b.Clause.Sentence < f.Act.Clause.Sentence-1 || p.isRequirement(b.Index) {
			return nil
		}
		for i := range b.Clause.Lower() {
			if n, ok := readCount(b.Clause.Lower(), i, p.Lang); ok && n > 1 {
				return &n
			}
		}
	}
	return nil
}

// isPluralPronoun reports an object that is a plural pronoun: "delete them", "drop those".
func isPluralPronoun(object []string) bool {
	switch object[0] {
	case "them", "both":
		return true
	case "those", "these":
		return len(object) == 1 || IsPreposition(object[1]) || IsConjunction(object[1]) || object[1] == "," || IsFiller(object[1])
	}
	return false
}

// endsCountedObject reports a word that ends the object of a verb; behind is its distance from the
// object's start.
func endsCountedObject(w string, behind int) bool {
	if isOneOf(w, "with", "that", "which") || IsWishWord(w) && behind > 1 {
		return true
	}
	return IsPreposition(w) && !isOneOf(w, "of", "to", "into", "in")
}

// isTotal reports a number at i that counts all things: "all three", "there are two".
func isTotal(low []string, i int) bool {
	if i == 0 {
		return false
	}
	return low[i] == "both" || low[i-1] == "all" || low[i-1] == "are" && i > 1 && low[i-2] == "there"
}

// countStart returns where the words begin that can state a number.
func countStart(a Act, m belay.Marker, low []string) int {
	if m != belay.MarkFix && a.ObjectStart < len(low) && a.Verb != "we want" && !IsWishWord(a.Verb) {
		return a.ObjectStart
	}
	return a.Core.From
}

// statedNumber returns the number of things a requirement acts on, nil if none is stated: in its
// object, or of all that it affects ("in all three views").
func statedNumber(a Act, m belay.Marker, lang string) *int {
	low := a.Clause.Lower()
	from := countStart(a, m, low)
	if from < len(low) && m == belay.MarkFix && (IsConditional(low[from]) || slices.Contains(low, "same")) {
		return nil // a condition of the fault: "two workers pick up the same job"
	}
	if isAboutPast(low) || a.ObjectStart < len(low) && isOneThing(low[a.ObjectStart:]) {
		return nil
	}
	within := true
	for i := from; i < len(low); i++ {
		w := low[i]
		if IsSubordinator(w) || isOneOf(w, "not", "instead", "rather") || i > from && isOneOf(w, "if", "when", ":") {
			return nil
		}
		within = within && i < from+10 && (i == from || !endsCountedObject(w, i-from))
		n, ok := readCount(low, i, lang)
		reached := isTotal(low, i) || i > 0 && m != belay.MarkFix && isWishedNumber(low, i)
		switch {
		case !ok, i > 0 && low[i-1] == "into": // the number of parts to make: "sort them into 7 groups"
		case n == 1 && (i > from || m == belay.MarkFix):
		case reached, within && (m != belay.MarkFix || i <= from+1 && !strings.HasSuffix(low[from], "ing")):
			return &n
		}
	}
	return nil
}

// isAboutPast reports a clause about a number in the past: "five jobs were failing because …".
func isAboutPast(low []string) bool {
	if _, ok := ParseNumber(low[0]); !ok {
		return false
	}
	return slices.ContainsFunc(low[1:min(len(low), 7)], func(w string) bool { return w == "were" || w == "was" })
}

// isOneThing reports an object that is a single thing; a number in it describes the thing: "a
// function that adds two numbers".
func isOneThing(object []string) bool {
	return isOneOf(object[0], "a", "an", "another") && !slices.Contains(object, "dozen")
}

// isWishedNumber reports a number in the object of a modal: "should offer two shortcuts".
func isWishedNumber(low []string, i int) bool {
	for k := i - 1; k >= max(0, i-4) && !IsPreposition(low[k]); k-- {
		if IsModal(low[k]) || IsWishWord(low[k]) {
			return i-k > 1 || !IsModal(low[k])
		}
	}
	return false
}

// readCount returns a number that counts the thing named behind it, and rejects all others: a
// measure, a version, a year, an old value, and one that is part of a name ("RFC 9562", "exit code
// 3").
func readCount(low []string, i int, lang string) (int, bool) {
	n, ok := ParseNumber(low[i])
	if !ok || i+1 >= len(low) {
		return n, ok && low[i] == "both"
	}
	rest, digits := low[i+1:], low[i][0] >= '0' && low[i][0] <= '9'
	switch next := rest[0]; {
	case low[i] == "both":
		return n, (!IsPreposition(next) || isOneOf(next, "of", "to")) && !slices.Contains(rest[:min(len(rest), 4)], "and")
	case low[i] == "1", notThings.Has(next), IsUnit(next), IsPreposition(next) && next != "of", IsAuxiliary(next),
		IsFiller(next), slices.Contains(rest[:min(3, len(rest))], "per"), slices.ContainsFunc(rest[:min(2, len(rest))], workNouns.Has):
		return 0, false
	case n == 1 && (lang != "" || isNoThing(next)):
		return 0, false
	case digits && (isValueNumber(low, i) || isLabelNumber(low, i)):
		return 0, false
	case i > 0 && (low[i-1] == "a" && low[i] != "dozen" || digits && measureWords.Has(low[i-1])):
		return 0, false
	}
	return n, n == 1 || !digits || lang != "" || isPlural(rest)
}

// isNoThing reports a word behind "one" that is not the counted thing.
func isNoThing(w string) bool {
	return IsPronoun(w) || IsComparative(w) || isOneOf(w, "of", "day") || IsAnyVerb(w) && !IsNounish.Has(w)
}

// countGrammarClasses are the classes of words that name no kind of thing.
var countGrammarClasses = []func(string) bool{
	IsDeterminer, IsPreposition, IsFiller, IsAuxiliary, IsConjunction, IsPronoun, IsSubject, IsComparative,
}

// isLabelNumber reports a number that identifies one of several things, or a version: the word
// before it names their kind.
func isLabelNumber(low []string, i int) bool {
	if i == 0 {
		return false
	}
	w := low[i-1]
	return !isAny(w, countGrammarClasses) && !ordinals.Has(w) && w != "," && (!IsAnyVerb(w) || IsNounish.Has(w) && i > 1)
}

var (
	ordinals = lazyregexp.Of("first last next other all remaining following")
	// notThings are words behind a number that is no count: parts of a name ("two factor login"),
	// months, and words for things that are listed later ("two small changes: …").
	notThings = lazyregexp.Of(`factor step way column phase stage level tier finger pass player sided dimensional part
	line digit january february march april may june july
		august september october november december things small changes points , " and or - -> → / is instead not : ;`)
	// workNouns are words for work, not for things in a list: "2 test fixes".
	workNouns = lazyregexp.Of("fixes tweaks improvements cleanups adjustments")
	// measureWords are words before a number that make it a measure, a time, a version or a place.
	measureWords = lazyregexp.Of(`at from every port version level than under over after before by step epoch least most
	about around to in is are chapter section phase release v
		within top only`)
)

// isPlural reports words that begin with the name of several things: "wrong tiles in".
func isPlural(low []string) bool {
	for i, w := range low {
		if i > 3 || strings.ContainsAny(w, ",;:()/") {
			return false
		}
		if IsUnit(w) || IsAuxiliary(w) || IsConjunction(w) || IsPreposition(w) && w != "of" {
			return false
		}
		if w == "of" {
			return i == 0
		}
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") || isOneOf(w, "people", "children", "indices") {
			return !endsSingular(low[i+1:])
		}
	}
	return false
}

// endsSingular reports whether the words behind a plural are one singular noun, so that the number
// is part of its name: "24 Pull requests API". A verb or preposition is none.
func endsSingular(rest []string) bool {
	if len(rest) != 1 {
		return false
	}
	w := rest[0]
	return !isAny(w, countGrammarClasses) && !IsAnyVerb(w) && !strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ly") &&
		strings.ContainsFunc(w, unicode.IsLetter)
}

// isValueNumber reports a number that is a value: a year, a status, a rate ("50 hits a page"), the
// new one of two ("50 rows, not 500").
func isValueNumber(low []string, i int) bool {
	w, rest := low[i], low[i+1:]
	switch {
	case len(w) == 4 && (strings.HasPrefix(w, "20") || strings.HasPrefix(w, "19")),
		len(w) == 3 && (w[0] == '4' || w[0] == '5') && w[1] == '0':
		return true
	case i > 0 && (strings.HasSuffix(low[i-1], "+") || low[i-1] == "of"):
		return true
	case len(rest) > 2 && (rest[1] == "a" || rest[1] == "an") && !IsPreposition(rest[0]):
		return true
	}
	for k := 1; k+1 < min(len(rest), 6); k++ {
		if _, ok := ParseNumber(rest[k+1]); ok && (rest[k] == "not" || rest[k] == "than" || rest[k] == "of" && rest[k-1] == "instead") {
			return true
		}
	}
	return false
}
