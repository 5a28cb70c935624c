package number

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// counts tells a number of things from all the other numbers.
func counts(low []string, i, from int, m belay.Marker) bool {
	if outdone(low, i, "instead", "of") || outdone(low, i, "rather", "than") {
		return false
	}
	if i > 0 && (low[i-1] == "a" || low[i-1] == "an") && low[i] != "dozen" {
		return false // "a 2048 clone"
	}
	if fault.Status(low[i:]) || valuing(low, i) || name(low, i, from, m) {
		return false // "404 page"
	}
	if bothAt(low, i, from) {
		return true
	}
	if low[i] == "one" || low[i] == "1" || i+1 >= len(low) || i-from > 6 {
		return low[i] == "both"
	}
	next := low[i+1]
	if !thing(low[i], next) || slices.Contains(low[i:min(i+4, len(low))], "per") {
		return false
	}
	if i > from && (words.Tool(low[i-1]) || before.Has(low[i-1])) {
		return false // python 2, at 2
	}
	if m != belay.MarkFix {
		return true
	}
	if i > from && strings.HasSuffix(low[from], "ing") {
		return false // "opening two windows logs me out"
	}
	return i <= from+1 || words.Wrong(next) || words.Soft(next)
}

// outdone reports a new value and the old one: "2 consumers instead of 1", "2 rather than 1".
func outdone(low []string, i int, in, place string) bool {
	j := slices.Index(low, place)
	return j > i && j+1 < len(low) && low[j-1] == in && grammar.Numeric(low[j+1])
}

// bothAt reports two things that were named before: "limit both to 1.2". "both in a and b" names
// them only now.
func bothAt(low []string, i, from int) bool {
	return low[i] == "both" && i == from && i+2 < len(low) && words.Preposition(low[i+1]) && (low[i+1] == "to" || !slices.Contains(low[i+1:], "and"))
}

// thing reports a word behind a number that can be what is counted.
func thing(number, next string) bool {
	if facets.Has(next) || months.Has(next) || vague.Has(next) || behind.Has(next) || words.Filler(next) || words.Unit(next) {
		return false
	}
	return (!words.Preposition(next) || next == "of") && (!words.Auxiliary(next) || number == "both")
}

// facets are singular nouns behind a number that belong to a name: "two factor login".
var facets = lazyregexp.Of(`factor step way column phase stage level tier finger pass player sided dimensional part line digit`)

var months = lazyregexp.Of(`january february march april may june july august september october november december`)

// vague are words for things that are told one by one further on: "two small changes: …".
var vague = lazyregexp.Of(`things small changes points`)

// behind are words and marks behind a number that no thing follows.
var behind = lazyregexp.Of(`, " and - -> → / is instead not`)

// before are words in front of a number that is a measure, a time, a version or a part's name.
var before = lazyregexp.Of(`at from every port version level than under over after before by step epoch per least most about around last first to in is are
	chapter section phase release v next within top only`)
