package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// keptTail are words that say how a thing is to be kept, or why: no part of its name.
var keptTail = lazyregexp.Of(`as alone untouched unchanged intact working alive though tho around like exactly while
	when if please available
	compatible running for stable until otherwise thanks yet but the-same because unless ok at either green anyway`)

// object is the noun phrase from i on, without what is said about how to keep it. It is empty for
// a pronoun: what "it" is was said before.
func object(low []string, i int) Span {
	for i < len(low) && (low[i] == "with" || low[i] == "either" || low[i] == "please") {
		i++
	}
	to := i
	for to < len(low) && !endsObject(low, i, to) {
		to++
	}
	if to-i > 2 && low[to-2] == "in" && low[to-1] == "peace" {
		to -= 2
	}
	if to-i > 2 && low[to-2] == "of" && low[to-1] == "course" {
		to -= 2
	}
	for to > i && (low[to-1] == "and" || low[to-1] == "is" || low[to-1] == "in") {
		to--
	}
	if to-i == 1 && Pronoun(low[i]) && low[i] != "everything" {
		to = i
	}
	return Span{From: i, To: to}
}

// endsObject reports that the noun phrase that began at from ends in front of word i.
func endsObject(low []string, from, i int) bool {
	w := low[i]
	if keptTail.Has(w) || w == "," || w == ";" {
		return true
	}
	if i == from {
		return false
	}
	if (w == "on" || w == "to") && i+1 < len(low) && Numeric(low[i+1]) {
		return true // "keep prod on 14"
	}
	return Subordinator(w) || Auxiliary(w) && !inRelative(low[from+1:i])
}

// inRelative reports that what stands in front of a verb begins a relative clause: "(the links)
// we (have mailed)", "(anything) that (is exported)".
func inRelative(low []string) bool {
	return len(low) > 0 && slices.ContainsFunc(low, func(w string) bool {
		return oneOf(w, "that", "which", "who", "we", "i", "you", "they")
	})
}

// LastThing is the last noun phrase of a clause that begins with the, our, my or this.
func LastThing(low []string) (Span, bool) {
	for i := len(low) - 2; i >= 0; i-- {
		switch low[i] {
		case "the", "our", "my", "your", "its", "this", "these":
			s := object(low, i)
			for to := s.From + 2; to < s.To; to++ {
				if Preposition(low[to]) || Adverb(low[to]) || Filler(low[to]) {
					s.To = to
				}
			}
			return s, s.To > s.From+1
		}
	}
	return Span{}, false
}

// aspects are nouns for how a thing is or works: a verb in front of one is part of its name,
// as in "sort order".
var aspects = lazyregexp.Of(`behaviour behavior order format layout logic output size sizes colour colours color colors
	name names path paths url urls schema style speed
	position buttons button handling limits limit rules codes code keys page flow format-string messages semantics api
	job step steps endpoint endpoints screen screens text texts`)

var (
	// shown are subjects that name a thing anyway: "everything below the fold".
	shownSubjects = lazyregexp.Of(`everything this these those that`)

	// early are words that no name of a thing begins with.
	early = lazyregexp.Of(`no always still again exactly`)
)

// nominal reports that words name a thing and say nothing of it.
func nominal(low []string) bool {
	if len(low) == 0 || len(low) > 9 {
		return false
	}
	first, last := low[0], low[len(low)-1]
	switch {
	case Subject(first) && !shownSubjects.Has(first), Pronoun(first) && len(low) == 1 && first != "everything":
		return false
	case Conjunction(first), Conditional(first), Preposition(first), early.Has(first):
		return false
	case slices.ContainsFunc(low, func(w string) bool { return Auxiliary(w) || w == "," || w == ":" }):
		return false
	}
	return Imperative(low) == 0 || len(low) < 4 && (aspects.Has(last) || Nounish[first] && len(low) == 1)
}
