package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// stayPhrases are predicates of a subject that must stay unchanged.
var stayPhrases = []string{
	"must not change", "mustn't change", "should not change", "shouldn't change", "must not be changed", "mustn't be changed",
	"may not change", "can't change", "must not break", "mustn't break", "should not break", "shouldn't break",
	"must not be touched", "should not be touched", "shouldn't be touched", "must not move", "mustn't move",
	"should not need to change", "shouldn't need to change", "should not have to change", "shouldn't have to change",
	"must not need to change", "is fine with", "are fine with", "is ok with", "don't need to change", "doesn't need to change",
	"do not need to change", "does not need to change", "needn't change", "don't have to change", "doesn't have to change",
	"don't change", "doesn't change", "do not change", "does not change", "won't change", "will not change", "is not affected",
	"are not affected", "isn't affected", "aren't affected", "is not part of", "are not part of", "isn't part of",
	"aren't part of", "is frozen", "are frozen", "is set in stone", "are set in stone", "is untouchable", "is off limits",
	"are off limits", "is off-limits", "are off-limits", "is out of scope", "are out of scope", "is not in scope",
	"are not in scope", "isn't in scope", "aren't in scope", "should be left", "should stay", "should remain", "must stay",
	"must remain", "has to stay", "have to stay", "needs to stay", "need to stay", "can stay", "may stay", "could stay",
	"will stay", "shall stay", "shall remain", "can remain", "to stay", "ought to stay", "keep working", "keeps working",
	"is not to change", "are not to change", "is not to be changed", "are not to be changed", "is not to be touched",
	"is sacred", "are sacred", "is taboo", "are taboo", "is holy", "as before", "as it was", "as they were", "stays", "stay",
	"remains", "remain", "unchanged", "untouched", "unaffected", "has to keep", "have to keep", "must keep", "should keep",
	"needs to keep", "need to keep", "keeps its", "keep their", "keep its", "keeps their", "must still work",
	"should still work", "has to continue", "have to continue", "must continue", "should continue", "has to be kept",
	"must be kept", "should be kept", "have to be kept", "can be kept", "is to be kept", "must be identical",
	"should be identical", "must be the same", "should be the same", "should still be able", "should still be possible",
	"must still be", "must look the same", "should look the same", "has to be identical", "must be preserved",
	"should be preserved", "must be left", "can be left", "is fine as", "are fine as", "is good as", "are good as", "is ok as",
	"is fine the way", "are fine the way", "is perfect as", "is lovely", "as is", "as it is", "as they are", "needs no change",
	"needs no changes", "need no changes", "need no change", "requires no changes", "require no changes",
	"doesn't need touching", "don't need touching", "doesn't need any changes", "don't need any changes",
	"doesn't need changing", "don't need changing", "keep the old", "keep the current", "keep the existing", "keep the same",
	"goes on as", "go on as", "continues as", "continue as", "continues to work", "continue to work", "continues to apply",
	"continue to apply", "continue to get", "continue to pay", "continue to use", "continue to see", "must work as before",
	"should work as before", "are not to be touched", "exactly as it is", "exactly as they are",
}

// stayVerbs are the verbs among stayPhrases that can also describe a state: "the badge stays
// (red)".
var stayVerbs = lazyregexp.Of(`stays stay remains remain`)

// trailingWords are words between a subject and its verb that belong to neither.
var trailingWords = lazyregexp.Of(`obviously also of-course still just always please should must naturally however though
	exactly clearly definitely simply`)

// ReadStaySubject finds "X stays", "X must not change": the subject must stay. The span is empty if
// the subject is a pronoun.
func ReadStaySubject(low []string) (Span, bool) {
	for _, rule := range []func([]string) (int, bool){findIdentical, findUntouchable} {
		if at, ok := rule(low); ok {
			return Span{From: 0, To: at}, true
		}
	}
	low = withoutRelative(low)
	at, bare := findStayPhrase(low)
	if at < 0 {
		return Span{}, false
	}
	to := subjectEnd(low, at)
	if to == 0 || ImperativeLength(low) > 0 && (bare || to < 2 || IsDeterminer(low[1])) {
		return Span{}, false
	}
	if to == 1 && IsPronoun(low[0]) && low[0] != "everything" {
		return Span{}, !slices.Contains(low, "keep") // "it must keep the newest" describes a behaviour
	}
	return Span{From: 0, To: to}, true
}

// withoutRelative returns a clause without its relative clause; "stays" in that only describes a
// thing.
func withoutRelative(low []string) []string {
	for i, w := range low {
		if i > 0 && w == "where" || IntroducesNew(low[0]) && isOneOf(w, "which", "who", "that") {
			return low[:i]
		}
	}
	return low
}

// findStayPhrase returns the position of the first of stayPhrases, -1 if there is none. bare means
// that the phrase has no verb: "(the order) as before".
func findStayPhrase(low []string) (at int, bare bool) {
	at = -1
	line := " " + strings.Join(low, " ") + " "
	for _, s := range stayPhrases {
		i := strings.Index(line, " "+s+" ")
		if i <= 0 {
			continue
		}
		n := strings.Count(line[:i+1], " ") - 1
		if at >= 0 && n >= at || IsPreposition(low[n-1]) { // "per stay": not a verb
			continue
		}
		if next := low[min(n+strings.Count(s, " ")+1, len(low)):]; len(next) > 0 && describesState(low[n-1], s, next) {
			continue
		}
		at, bare = n, strings.HasPrefix(s, "as ") || strings.HasPrefix(s, "un") || strings.HasPrefix(s, "exactly")
	}
	return at, bare
}

// describesState reports whether the words behind one of stayPhrases make it a description of a
// state, instead of a request to leave a thing unchanged; before is the word before the phrase.
func describesState(before, phrase string, next []string) bool {
	switch w := next[0]; {
	case strings.HasSuffix(phrase, " left") && (w == "aligned" || w == "justified" || w == "bound"):
		return true // "the logo should be left aligned"
	case strings.HasSuffix(phrase, "stay") && (w == "logged" || w == "signed"):
		return true // "members should stay logged in for a month"
	case !stayVerbs.Has(phrase) || !IsPersistentState.Has(w):
		return false
	case len(next) > 1 && (w == "on" || w == "at") && IsNumeric(next[1]):
		return false // "prod stays on 14"
	}
	return before != "itself" && before != "themselves"
}

// subjectEnd returns the end of the subject of the phrase at position at.
func subjectEnd(low []string, at int) int {
	to := at
	for i := 1; i < to; i++ {
		if IsAuxiliary(low[i]) && !isFreeRelative(low[0]) || low[i] == "," {
			to = i
		}
	}
	if at, ok := PredicateAt(low[:to]); ok && low[to-1] == "and" && at > 0 {
		to = at // "the box exists already and stays"
	}
	for to > 0 && trailingWords.Has(low[to-1]) {
		to--
	}
	return to
}

// isFreeRelative reports a word that begins a clause for a thing: "who has to approve it (stays)".
func isFreeRelative(w string) bool { return w == "who" || w == "what" || w == "how" || w == "whatever" }
