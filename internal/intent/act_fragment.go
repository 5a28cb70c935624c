package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// NamesTrouble reports whether a fragment names a problem: its head is a word like "problem" or
// "loop", or it begins with a word of criticism: "bad contrast on the buttons", "z-index problem
// with the modal".
func NamesTrouble(low []string) bool {
	if len(low) < 2 || IntroducesNew(low[0]) || IsDeterminer(low[0]) {
		return false
	}
	if low[0] == "empty" {
		return !isOneOf(low[1], "state", "states") && slices.ContainsFunc(low[1:], func(w string) bool {
			return isOneOf(w, "in", "on", "for", "since") || w != "as" && IsConditional(w)
		})
	}
	if faultWords.Has(low[0]) && !IsPreposition(low[1]) && !(low[0] == "double" && mayBeDouble.Has(low[1])) {
		return true
	}
	if isOneOf(low[0], "race", "nil", "null", "nullpointer") && (IsPreposition(low[1]) || low[0] != "race") {
		return true // "race in TestPool", "nil deref in parse()"
	}
	return isOneOf(low[0], "high", "low") && loadNouns.Has(low[1]) || hasTroubleNoun(low)
}

// hasTroubleNoun reports whether the first noun of a fragment is a word like "problem", with something before it.
func hasTroubleNoun(low []string) bool {
	for i, w := range low {
		if w == "warnings" && i > 0 && i+1 < len(low) && isOneOf(low[i+1], "in", "from", "during", "on") {
			return true // "deprecation warnings in the test output"
		}
		if troubleNouns.Has(w) && (i+1 == len(low) || IsPreposition(low[i+1]) || IsConditional(low[i+1])) {
			return i > 0
		}
		if IsPreposition(w) {
			return i == 1 && low[0] == "off-by-one"
		}
	}
	return false
}

// mayBeDouble are things that can be double on purpose.
var mayBeDouble = lazyregexp.Of(`tap click clicks press opt-in jump quotes check column page entry room rooms buffering points`)

// IsVerblessComplaint reports a thing and its fault without a verb: "two moods not working", "the
// export broken", "margins off".
func IsVerblessComplaint(low []string) bool {
	n := len(low)
	if n < 2 || n > 7 || !beginsWithThing(low) {
		return false
	}
	for n > 2 && (IsFiller(low[n-1]) || isOneOf(low[n-1], "again", "!")) {
		n--
	}
	if i := slices.IndexFunc(low[1:n], IsPreposition); i > 0 && i+1 < n && !isOneOf(low[i+1], "of", "for") {
		if isOneOf(low[i], "missing", "empty", "gone", "dead", "broken", "stuck") {
			n = i + 1 // "prices missing on /pricing"
		}
	}
	last, prev := low[n-1], low[n-2]
	switch {
	case isOneOf(prev, "not", "n't", "never"):
		_, end := BaseForm(last, func(string) bool { return true })
		return n > 2 && (last == "there" || strings.HasSuffix(last, "ing") || end == "ed")
	case last == "off":
		return offMeasures.Has(strings.TrimSuffix(prev, "s"))
	case isOneOf(last, "nan", "null", "undefined"):
		return true
	case isOneOf(last, "missing", "gone", "down", "stuck", "dead") || last == "empty" && n > 2:
		return true
	}
	if _, number := ParseNumber(last); number || last == "twice" && n == 2 || isOneOf(last, "duplicate", "bug", "bugs") {
		return false
	}
	return IsWrongWord(last) && !IsDeterminer(prev) && !IsPreposition(prev)
}

// beginsWithThing reports whether words begin with a thing, and contain neither an order nor a
// statement.
func beginsWithThing(low []string) bool {
	first := low[0]
	if IsPreposition(first) || IsSubject(first) || IsSubordinator(first) || IsConditional(first) || isOneOf(first, "no", "not") {
		return false
	}
	if ImperativeLength(low) > 0 && !(len(low) == 2 && IsNounish.Has(first)) {
		return false
	}
	return !slices.ContainsFunc(low, func(w string) bool { return IsAuxiliary(w) || IsConditional(w) || w == "," })
}

// offMeasures are measures that can be "off" in the sense of wrong, not of a switch.
var offMeasures = lazyregexp.Of(`
	margin spacing alignment padding color colour layout timing number total sum date price size font count position proportion tax
	rounding balance contrast hover icon`)
