package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// What "nothing" continues with where there is to be none of a thing.
var (
	nothingFrom = lazyregexp.Of(`from outside beyond over via but except leaves external proprietary commercial`)
	nothingThat = lazyregexp.Of(`isn't needs requires depends wants phones costs uses runs calls breaks is has would touches changes`)
	nothingTo   = lazyregexp.Of(`install configure download buy pay set sign register compile build maintain`)
	nothingElse = lazyregexp.Of(`needs goes gets is may must should has to moves in please for on about will shall`)
	nothingMay  = lazyregexp.Of(`may must should shall can`)

	// handed are participles of giving something away: "nothing may be uploaded".
	handed = lazyregexp.Of(`uploaded sent stored shared tracked leaked published installed logged collected lost`)
)

// nothing reads "nothing that needs a server", "nothing to install", "nothing may be
// uploaded", "nothing else goes in this PR".
func nothing(low []string) bool {
	if len(low) < 3 {
		return len(low) == 2 && low[1] == "more"
	}
	w, next := low[1], low[2]
	switch {
	case alters(low[1:]):
		return true
	case nothingFrom.Has(w):
		return !slices.ContainsFunc(low, Pronoun)
	case w == "that":
		return nothingThat.Has(next)
	case w == "to":
		return nothingTo.Has(next)
	case w == "else" || w == "more":
		return nothingElse.Has(next) && !slices.Contains(low, "works") && !slices.Contains(low, "wrong")
	}
	return nothingMay.Has(w) && len(low) > 3 && next == "be" && (Touched(low[3]) || handed.Has(low[3]))
}

// alters reports a verb of changing among words, and no time at which: "(nothing) about the API
// should change", "(nothing) visible changes".
func alters(low []string) bool {
	if slices.ContainsFunc(low, func(w string) bool {
		return oneOf(w, "when", "after", "if", "until", "although", "i")
	}) {
		return false
	}
	for i, w := range low {
		if i > 0 && (w == "changes" || w == "moves" || w == "breaks") {
			return true
		}
		touched := w == "be" && i+1 < len(low) && Touched(low[i+1])
		if i > 0 && Modal(low[i-1]) && (touched || Touches(w)) {
			return true
		}
	}
	return false
}

// Untouched reads "nothing may change", "none should ever break".
func Untouched(low []string) (Span, bool) {
	ok := len(low) > 2 && oneOf(low[0], "nothing", "none") && Modal(low[1])
	return Span{From: 0, To: len(low)}, ok && slices.ContainsFunc(low[2:min(len(low), 4)], Touches)
}

// Unchanged reads "on desktop nothing changes", "nothing else".
func Unchanged(low []string) (Span, bool) {
	i := slices.Index(low, "nothing")
	if i < 0 || i > 4 || i+1 >= len(low) || len(low) > 8 {
		return Span{}, false
	}
	if i > 0 && oneOf(low[i-1], "did", "does", "had", "has") {
		return Span{}, false
	}
	if w := low[i+1]; w != "changes" && w != "else" {
		return Span{}, false
	}
	if next := low[i+2:]; len(next) > 0 && !Preposition(next[0]) && !Filler(next[0]) && !oneOf(next[0], "changes", "should", "must") {
		return Span{}, false
	}
	to := len(low)
	for to > 2 && Filler(low[to-1]) {
		to--
	}
	return Span{From: 0, To: to}, true
}

var (
	gets  = lazyregexp.Of(`get gain need have require pull add`)
	extra = lazyregexp.Of(`new any more additional extra`)
)

// NothingNew reads "the extension must not get new dependencies". The whole statement is kept.
func NothingNew(low []string) (Span, bool) {
	for i := 1; i+3 < len(low) && i < 7; i++ {
		denied := low[i] == "mustn't" || low[i] == "shouldn't" || oneOf(low[i], "must", "should", "may") && low[i+1] == "not"
		if !denied {
			continue
		}
		j := i + 1
		if low[j] == "not" {
			j++
		}
		if j+1 >= len(low) {
			return Span{}, false
		}
		return Span{From: 0, To: len(low)}, gets.Has(low[j]) && slices.ContainsFunc(low[j+1:min(j+3, len(low))], extra.Has)
	}
	return Span{}, false
}
