package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// isThirdPerson reports a verb in -s behind a word that can be its subject.
func isThirdPerson(low []string, i int) bool {
	w, prev := low[i], low[i-1]
	if IsDeterminer(prev) && !IsPronoun(prev) || IsPreposition(prev) || isOneOf(prev, "and", ",") {
		return false
	}
	if _, ok := ParseNumber(prev); ok {
		return false
	}
	if end, ok := FailingForm(w); ok && isOneOf(end, "s", "ed") {
		return isFailingVerb(low, i, end)
	}
	if stateVerbs.Has(w) || IsStatementForm(w) && (i > 1 || !IsAnyVerb(low[0])) {
		return true
	}
	if isOneOf(w, "came", "went") && i > 1 && i+1 < len(low) || isVerbByNeighbours(low, i) {
		return true
	}
	b, end := BaseForm(w, IsAnyVerb)
	if b == "" || end != "s" || i+1 < len(low) && (IsAuxiliary(low[i+1]) || low[i+1] == "of") {
		return false
	}
	return !pluralOrVerb.Has(b) || IsSubject(prev) || i+1 < len(low) && IsPronoun(low[i+1])
}

// isFailingVerb reports whether word i, such as "fails" or "failed", is the verb of the clause.
func isFailingVerb(low []string, i int, end string) bool {
	if i+1 >= len(low) {
		return true
	}
	things := strings.HasSuffix(low[i+1], "s") && !IsDeterminer(low[i+1])
	if end == "ed" && i == 1 && IsNounish.Has(low[0]) && things {
		return false // "retry failed chunks"
	}
	return !IsAuxiliary(low[i+1])
}

// pluralOrVerb are verbs with an -s form that is just as often a plural noun.
var pluralOrVerb = lazyregexp.Of(`
	list link test log report update alert filter upload download export import order tag post email mail backup benchmark mock hook
	change fix port point check record answer search limit cache register support release document design color colour group call
	build patch review retry scale set use load run print store view ` + nounOrVerb)

// stateVerbs are more finite verbs that describe the present state.
var stateVerbs = lazyregexp.Of(`
	says keeps goes comes stays remains happens takes gets needs lives works belongs contains arrives appears seems feels
	warns climbs overlaps becomes asks jumps exists knows finds sits stands tells claims thinks wants likes lands closes
	hits falls leads passes moves enters sits matters means makes helps hurts costs depends applies follows covers serves
	fits suits opens expects returns shows ignores sees respawn eats fires ends resets predicts spins lasts includes allows
	accepts rejects sends produces creates generates writes prints renders converts adds removes deletes refers relies
	assumes reloads terminates quits waits sleeps grows shrinks increases decreases rises loses begins finishes exits
	consists differs lacks uses puts gives provides receives speaks talks sounds smells wins rotates merges inserts appends
	treats handles encodes decodes interprets compares chooses picks prefers triggers redirects behaves reacts responds
	complains whines refuses insists demands requires recreates rebuilds reappears overlays sinks turns throws kills burns
	bites hides reads opens leaves stops`)

// isVerbByNeighbours distinguishes a verb in -s from a plural by its neighbours alone: an object
// with an article follows.
func isVerbByNeighbours(low []string, i int) bool {
	w, prev := low[i], low[i-1]
	if len(w) < 4 || w[len(w)-1] != 's' || hasEnding(w, "ss", "us", "is", "'s") || strings.ContainsAny(w, "./_-\"") {
		return false
	}
	if IsPreposition(w) || IsFiller(w) || slices.Contains(Actors, w) {
		return false
	}
	if IsDeterminer(prev) || IsPreposition(prev) || IsAuxiliary(prev) || IsSeveral(prev) {
		return false
	}
	if strings.ContainsAny(prev, "(_.") {
		return true // "churn.sql divides by zero"
	}
	next := ""
	if i+1 < len(low) {
		next = low[i+1]
	}
	return isOneOf(next, "the", "a", "every", "it") && (i > 1 || !IsAnyVerb(low[0]))
}
