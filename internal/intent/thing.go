package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	// sighNouns are words behind "no" that mean no thing: "no idea", "no longer".
	sighNouns = lazyregexp.Of(`wait longer idea one rush hurry problem worries matter way need clue thanks pressure more ,
	reaction response effect luck such`)

	// symptomNouns are nouns that make a fragment with "no" a complaint when it ends with one: "no
	// error message".
	symptomNouns = lazyregexp.Of(`error errors message feedback sound result results output sign trace explanation answer
	reply stacktrace difference success warning entry confirmation`)
)

// ReadNoThing finds "no login", "no new dependencies". The span includes the negation, because
// nothing is named that stays.
func ReadNoThing(low []string) (Span, bool) {
	if low[0] != "no" || len(low) < 2 || HasFiniteVerb(low) || sighNouns.Has(low[1]) {
		return Span{}, false
	}
	if slices.Contains(low, "yet") || slices.Contains(low, "anymore") || low[len(low)-1] == "more" {
		return Span{}, false
	}
	to := len(low)
	if i := slices.Index(low, ","); i > 1 && !slices.Contains(low[:i], "or") {
		to = i
	}
	for to > 2 && (low[to-1] == "please" || low[to-1] == "thanks" || low[to-1] == "!" || low[to-1] == ",") {
		to--
	}
	return Span{From: 0, To: to}, true
}

// IsMissedThing reports a "no" that is a complaint: "no mail after signing up", "no error message".
func IsMissedThing(low []string) bool {
	return len(low) > 1 && low[0] == "no" && (symptomNouns.Has(low[len(low)-1]) || slices.ContainsFunc(low[2:], func(w string) bool {
		return w == "after" || w == "when" || w == "since" || w == "even" || w == "whenever"
	}))
}
