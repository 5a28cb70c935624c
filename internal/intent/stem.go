package intent

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Stem removes the endings in which a noun and a name may differ: notes and note have the same
// stem, not has another. The -e of a short word stays (note, state, plane), to distinguish it from
// the word without it.
func Stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	for _, end := range []string{"ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "e", "y"} {
		s, ok := strings.CutSuffix(w, end)
		if !ok || len(s) < 3 || strings.HasPrefix(end, "ation") && len(s) < 4 {
			continue
		}
		switch end {
		case "ies", "ied", "y":
			return s + "i"
		case "es":
			if !endsInSibilant(s) {
				return Stem(s + "e")
			}
			return s
		case "e":
			if isShortSyllable(s) {
				return w
			}
			return s
		case "s":
			if strings.HasSuffix(s, "s") || strings.HasSuffix(s, "u") {
				return w
			}
			return s
		case "ed", "ing", "ings":
			if isShortSyllable(s) && len(s) == 3 {
				return s + "e" // noted, timing: no doubled consonant, so the word ends in -e
			}
		}
		return undouble(s, end)
	}
	return w
}

// endsInSibilant reports an ending that takes -es in the plural: boxes, matches.
func endsInSibilant(s string) bool {
	return hasEnding(s, "ss", "us", "x", "z", "ch", "sh")
}

// isShortSyllable reports a stem of one syllable: it ends in a single vowel and one consonant.
func isShortSyllable(s string) bool {
	n := len(s)
	if n < 3 || n > 4 || isVowel(s[n-1]) || strings.IndexByte("wxy", s[n-1]) >= 0 || !isVowel(s[n-2]) {
		return false
	}
	for i := range n - 2 {
		if isVowel(s[i]) {
			return false
		}
	}
	return true
}

func isVowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

func undouble(s, end string) string {
	if n := len(s); isOneOf(end, "ing", "ed") && n > 3 && s[n-1] == s[n-2] && s[n-1] != 's' && s[n-1] != 'l' {
		return s[:n-1]
	}
	return s
}

// grammarWordClasses are the classes of function words.
var grammarWordClasses = []func(string) bool{
	IsDeterminer, IsPronoun, IsSubject, IsPreposition, IsAuxiliary, IsModal, IsNegative, IsSubordinator, IsConjunction, IsFiller,
}

// IsNameless reports a word that is not read as part of a file's name: a function word, or a verb
// too common to state a subject.
func IsNameless(w string) bool {
	b, _ := BaseForm(w, emptyWords.Has)
	return b != "" || isAny(w, grammarWordClasses)
}

// emptyWords are verbs, adverbs and pronouns that occur in sentences on any subject.
var emptyWords = lazyregexp.Of(`work make get go come give take put let need want like love hate think know see look
	find seem become happen keep leave stay remain add change fix remove refine improve rework tweak adjust alter modify
	try help allow use turn bring mean say tell ask believe believes appear disappear break fail start stop begin end
	finish rename implement create build write rewrite replace swap switch drop delete move hide make-sure again already
	always ever never often sometimes still soon now then here too very much many more most less least few several enough
	almost away back off out up down own other else even yet quite rather instead together when while if how why what
	where whether once only same different new old good bad better worse best wrong right broken big small long short able
	thing way bit lot nice sure`)
