package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	// unneeded are things that zero of is a wish.
	unneeded = lazyregexp.Of(`options dependencies deps config configuration tracking ads cookies javascript js
	frameworks libraries changes downtime telemetry analytics settings`)

	// means are what a program can be made with or without.
	means = lazyregexp.Of(`database framework server backend login account accounts registration internet npm jquery
	bootstrap react docker build`)
)

// Unaided reads what is to be done with "without" and a thing behind it, where nothing but the
// deed can be meant: "make it green without disable comments", "can it work without ads". whole
// says that nothing else is asked for.
func Unaided(low []string) (s Span, whole, ok bool) {
	i := slices.Index(low, "without")
	if i < 2 || i+1 >= len(low) || len(low)-i > 5 || Gerund(low[i+1]) || slices.Contains(low[i:], ",") {
		return s, false, false
	}
	s = Span{From: i, To: len(low)}
	for s.To > i+2 && Filler(low[s.To-1]) {
		s.To--
	}
	if verb := low[i-1]; verb == "work" || verb == "run" || verb == "do" {
		return s, true, i < 5 && oneOf(low[0], "can", "could", "it", "must", "should")
	}
	n, said := Strip(low)
	if n+1 >= i {
		return s, false, false
	}
	asked, last := Imperative(low[n:]) > 0, low[s.To-1]
	if (asked || said.Want) && (unneeded.Has(last) || said.Want && means.Has(last)) {
		return s, false, true // "migrate it without downtime"
	}
	return s, false, asked && makes(low[n], low[n+1]) && !Determiner(low[i+1])
}

// makes reports "make it", "get them": the verb says nothing of how.
func makes(verb, what string) bool {
	if what != "it" && what != "them" {
		return false
	}
	return verb == "make" || verb == "get" || verb == "fix" || verb == "solve" || verb == "do"
}

var (
	// known are words for a thing that is there already, and for people.
	knownThings = lazyregexp.Of(`the this that these those my our your it them to you people users anyone anybody him her`)

	// elsewhere are words by which a thing is to be in other places, or at other times.
	elsewhereWords = lazyregexp.Of(`anymore more longer to , in on when`)
)

// Undesired reads "we don't want accounts", "I don't need a login": a thing there is to be none
// of. What is there already ("the old page") is to go. It needs four words.
func Undesired(low []string) (Span, bool) {
	if knownThings.Has(low[3]) || slices.ContainsFunc(low[3:],
		func(w string) bool { return elsewhereWords.Has(w) || Gerund(w) || Touched(w) }) {
		return Span{}, false
	}
	return Span{From: 0, To: len(low)}, !slices.ContainsFunc(low[3:], Auxiliary)
}
