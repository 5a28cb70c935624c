package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Trouble reports a fragment that names something bad: its head is a word like "problem" or
// "loop", or it begins with a word that finds fault: "bad contrast on the buttons", "z-index
// problem with the modal".
func Trouble(low []string) bool {
	if len(low) < 2 || Articled(low[0]) || Determiner(low[0]) {
		return false
	}
	if low[0] == "empty" {
		return !oneOf(low[1], "state", "states") && slices.ContainsFunc(low[1:], func(w string) bool {
			return oneOf(w, "in", "on", "for", "since") || w != "as" && Conditional(w)
		})
	}
	if faulty.Has(low[0]) && !Preposition(low[1]) && !(low[0] == "double" && twofold.Has(low[1])) {
		return true
	}
	if oneOf(low[0], "race", "nil", "null", "nullpointer") && (Preposition(low[1]) || low[0] != "race") {
		return true // "race in TestPool", "nil deref in parse()"
	}
	return oneOf(low[0], "high", "low") && loads.Has(low[1]) || troubled(low)
}

// troubled reports whether the first noun of a fragment is a word like "problem", with something before it.
func troubled(low []string) bool {
	for i, w := range low {
		if w == "warnings" && i > 0 && i+1 < len(low) && oneOf(low[i+1], "in", "from", "during", "on") {
			return true // "deprecation warnings in the test output"
		}
		if troubles.Has(w) && (i+1 == len(low) || Preposition(low[i+1]) || Conditional(low[i+1])) {
			return i > 0
		}
		if Preposition(w) {
			return i == 1 && low[0] == "off-by-one"
		}
	}
	return false
}

// twofold are what may be double on purpose.
var twofold = lazyregexp.Of(`tap click clicks press opt-in jump quotes check column page entry room rooms buffering points`)

// Said reports a thing and, without a verb, what is wrong with it: "two moods not working",
// "the export broken", "margins off".
func Said(low []string) bool {
	n := len(low)
	if n < 2 || n > 7 || !namesFirst(low) {
		return false
	}
	for n > 2 && (Filler(low[n-1]) || oneOf(low[n-1], "again", "!")) {
		n--
	}
	if i := slices.IndexFunc(low[1:n], Preposition); i > 0 && i+1 < n && !oneOf(low[i+1], "of", "for") {
		if oneOf(low[i], "missing", "empty", "gone", "dead", "broken", "stuck") {
			n = i + 1 // "prices missing on /pricing"
		}
	}
	last, prev := low[n-1], low[n-2]
	switch {
	case oneOf(prev, "not", "n't", "never"):
		_, end := Base(last, func(string) bool { return true })
		return n > 2 && (last == "there" || strings.HasSuffix(last, "ing") || end == "ed")
	case last == "off":
		return offMeasures.Has(strings.TrimSuffix(prev, "s"))
	case oneOf(last, "nan", "null", "undefined"):
		return true
	case oneOf(last, "missing", "gone", "down", "stuck", "dead") || last == "empty" && n > 2:
		return true
	}
	if _, number := Number(last); number || last == "twice" && n == 2 || oneOf(last, "duplicate", "bug", "bugs") {
		return false
	}
	return WrongSenses(last) && !Determiner(prev) && !Preposition(prev)
}

// namesFirst reports words that begin with a thing, and with no order or statement of it.
func namesFirst(low []string) bool {
	first := low[0]
	if Preposition(first) || Subject(first) || Subordinator(first) || Conditional(first) || oneOf(first, "no", "not") {
		return false
	}
	if Imperative(low) > 0 && !(len(low) == 2 && Nounish.Has(first)) {
		return false
	}
	return !slices.ContainsFunc(low, func(w string) bool { return Auxiliary(w) || Conditional(w) || w == "," })
}

// measures are what can be off, which no switch turns off.
var offMeasures = lazyregexp.Of(`
	margin spacing alignment padding color colour layout timing number total sum date price size font count position proportion tax
	rounding balance contrast hover icon`)
