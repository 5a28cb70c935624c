package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// preserveTail are words about how to keep a thing, or why; they are not part of its name.
var preserveTail = lazyregexp.Of(`as alone untouched unchanged intact working alive though tho around like exactly while
	when if please available
	compatible running for stable until otherwise thanks yet but the-same because unless ok at either green anyway`)

// objectSpan returns the noun phrase from i, without the words about how to keep it. It is empty
// for a pronoun, because the thing was named before.
func objectSpan(low []string, i int) Span {
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
	if to-i == 1 && IsPronoun(low[i]) && low[i] != "everything" {
		to = i
	}
	return Span{From: i, To: to}
}

// endsObject reports whether the noun phrase that began at from ends before word i.
func endsObject(low []string, from, i int) bool {
	w := low[i]
	if preserveTail.Has(w) || w == "," || w == ";" {
		return true
	}
	if i == from {
		return false
	}
	if (w == "on" || w == "to") && i+1 < len(low) && IsNumeric(low[i+1]) {
		return true // "keep prod on 14"
	}
	return IsSubordinator(w) || IsAuxiliary(w) && !beginsRelative(low[from+1:i])
}

// beginsRelative reports whether the words before a verb begin a relative clause: "(the links) we
// (have mailed)", "(anything) that (is exported)".
func beginsRelative(low []string) bool {
	return len(low) > 0 && slices.ContainsFunc(low, func(w string) bool {
		return isOneOf(w, "that", "which", "who", "we", "i", "you", "they")
	})
}

// LastNounPhrase returns the last noun phrase of a clause that begins with the, our, my or this.
func LastNounPhrase(low []string) (Span, bool) {
	for i := len(low) - 2; i >= 0; i-- {
		switch low[i] {
		case "the", "our", "my", "your", "its", "this", "these":
			s := objectSpan(low, i)
			for to := s.From + 2; to < s.To; to++ {
				if IsPreposition(low[to]) || IsAdverb(low[to]) || IsFiller(low[to]) {
					s.To = to
				}
			}
			return s, s.To > s.From+1
		}
	}
	return Span{}, false
}
