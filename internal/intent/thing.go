package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	// sighs are what follows "no" where no thing is meant: "no idea", "no longer".
	sighs = lazyregexp.Of(`wait longer idea one rush hurry problem worries matter way need clue thanks pressure more ,
	reaction response effect luck such`)

	// symptoms are things that are missed where there are none.
	symptoms = lazyregexp.Of(`error errors message feedback sound result results output sign trace explanation answer
	reply stacktrace difference success warning entry confirmation`)
)

// NoThing reads "no login", "no new dependencies": a thing nobody wants, with its
// negation, because nothing is named that stays.
func NoThing(low []string) (Span, bool) {
	if low[0] != "no" || len(low) < 2 || Finite(low) || sighs.Has(low[1]) {
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

// Missed reports a "no" that is a complaint: "no mail after signing up", "no error message".
func Missed(low []string) bool {
	return len(low) > 1 && low[0] == "no" && (symptoms.Has(low[len(low)-1]) || slices.ContainsFunc(low[2:], func(w string) bool {
		return w == "after" || w == "when" || w == "since" || w == "even" || w == "whenever"
	}))
}
