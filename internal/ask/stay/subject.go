package stay

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// stayed are what may follow a subject that is to be left as it is.
var stayed = []string{
	"must not change", "mustn't change", "should not change", "shouldn't change", "must not be changed", "mustn't be changed", "may not change", "can't change", "must not break",
	"mustn't break", "should not break", "shouldn't break", "must not be touched", "should not be touched", "shouldn't be touched", "must not move", "mustn't move",
	"should not need to change", "shouldn't need to change", "should not have to change", "shouldn't have to change", "must not need to change", "is fine with", "are fine with", "is ok with", "don't need to change", "doesn't need to change", "do not need to change", "does not need to change", "needn't change", "don't have to change", "doesn't have to change", "don't change", "doesn't change", "do not change", "does not change", "won't change", "will not change",
	"is not affected", "are not affected", "isn't affected", "aren't affected", "is not part of", "are not part of", "isn't part of", "aren't part of", "is frozen", "are frozen", "is set in stone", "are set in stone", "is untouchable", "is off limits", "are off limits", "is off-limits", "are off-limits", "is out of scope", "are out of scope", "is not in scope", "are not in scope", "isn't in scope", "aren't in scope", "isn't part of this",
	"should be left", "should stay", "should remain", "must stay", "must remain", "has to stay", "have to stay", "needs to stay", "need to stay", "can stay", "may stay", "could stay", "will stay", "shall stay", "shall remain", "can remain", "to stay", "ought to stay",
	"keep working", "keeps working", "is not to change", "are not to change", "is not to be changed", "are not to be changed", "is not to be touched", "is sacred", "are sacred", "is taboo", "are taboo", "is holy", "as before", "as it was", "as they were", "as it is now", "as they are now",
	"stays", "stay", "remains", "remain", "unchanged", "untouched", "unaffected", "has to keep", "have to keep", "must keep", "should keep", "needs to keep", "need to keep", "keeps its", "keep their", "keep its", "keeps their", "must still work", "should still work", "must continue to work", "has to continue", "have to continue", "must continue", "should continue", "has to be kept", "must be kept", "should be kept", "have to be kept", "can be kept", "is to be kept",
	"must be identical", "should be identical", "must be the same", "should be the same", "must still be able", "should still be able", "must still be possible", "should still be possible", "must still be", "must look the same", "should look the same", "has to be identical", "must be preserved", "should be preserved", "must be left", "can be left", "is fine as", "are fine as", "is good as", "are good as", "is ok as", "is fine the way", "are fine the way", "is perfect as", "is lovely", "as is", "as it is", "as they are", "needs no change", "needs no changes", "need no changes", "need no change", "requires no changes", "require no changes", "doesn't need touching", "don't need touching", "doesn't need any changes", "don't need any changes", "doesn't need changing", "don't need changing",
	"keep the old", "keep the current", "keep the existing", "keep the same", "goes on as", "go on as", "continues as", "continue as", "continues to work", "continue to work", "continues to apply", "continue to apply", "continue to get", "continue to pay", "continue to use", "continue to see", "must work as before", "should work as before", "are not to be touched", "is not to be touched", "exactly as it is", "exactly as they are",
}

// Subject reads "X stays", "X must not change": what is kept is the subject.
func Subject(low []string) (grammar.Span, bool) {
	best, noun := -1, false
	if told(low) || unable(low) {
		return grammar.Span{}, false
	}
	if at, ok := identical(low); ok {
		return grammar.Span{From: 0, To: at}, true
	}
	if at, ok := untouchable(low); ok {
		return grammar.Span{From: 0, To: at}, true
	}
	if at, ok := verdict(low); ok {
		return grammar.Span{From: 0, To: at}, true
	}
	for i, w := range low {
		if i > 0 && w == "where" || grammar.Articled(low[0]) && (w == "which" || w == "who" || w == "that") {
			low = low[:i] // what stays there is told of a thing
			break
		}
	}
	line := " " + strings.Join(low, " ") + " "
	for _, s := range stayed {
		if at := strings.Index(line, " "+s+" "); at > 0 && (best < 0 || at < best) {
			n := strings.Count(line[:at+1], " ") - 1
			if words.Preposition(low[n-1]) {
				continue // "per stay" is no verb
			}
			next := n + strings.Count(s, " ") + 1
			if strings.HasSuffix(s, " left") && next < len(low) && (low[next] == "aligned" || low[next] == "justified" || low[next] == "bound") {
				continue // "the logo should be left aligned"
			}
			if s == "stay" && next < len(low) && (low[next] == "away" || low[next] == "out" || low[next] == "clear" || low[next] == "tuned") {
				continue
			}
			if strings.HasSuffix(s, "stay") && next < len(low) && (low[next] == "logged" || low[next] == "signed") {
				continue // "members should stay logged in for a month"
			}
			if next+1 < len(low) && (low[next] == "on" || low[next] == "at") && grammar.Numeric(low[next+1]) && (s == "stays" || s == "stay" || s == "remains" || s == "remain") {
				best, noun = at, false // "prod stays on 14"
				continue
			}
			if (s == "stays" || s == "stay" || s == "remains" || s == "remain") && next < len(low) && grammar.Persists[low[next]] && low[n-1] != "itself" && low[n-1] != "themselves" {
				continue
			}
			best, noun = at, strings.HasPrefix(s, "as ") || strings.HasPrefix(s, "un") || strings.HasPrefix(s, "exactly")
		}
	}
	if best < 0 {
		return grammar.Span{}, false
	}
	to := strings.Count(line[:best+1], " ") - 1
	for i := 1; i < to; i++ {
		if words.Auxiliary(low[i]) && !free(low[0]) || low[i] == "," {
			to = i
		}
	}
	if at, ok := grammar.Predicate(low[:to]); ok && low[to-1] == "and" && at > 0 {
		to = at // "the box exists already and stays"
	}
	for to > 0 && trailing[low[to-1]] {
		to--
	}
	if to == 0 || grammar.Imperative(low) > 0 && (noun || to < 2 || words.Determiner(low[1])) {
		return grammar.Span{}, false
	}
	if to == 1 && words.Pronoun(low[0]) && low[0] != "everything" {
		if slices.Contains(low, "keep") {
			return grammar.Span{}, false // "it must keep the newest": how it should be
		}
		return grammar.Span{From: 0, To: 0}, true
	}
	return grammar.Span{From: 0, To: to}, true
}

// free reports a word that begins a clause for a thing: "who has to approve it (stays)".
func free(w string) bool { return w == "who" || w == "what" || w == "how" || w == "whatever" }

// told reports that "stay" or "keep" only tells of something: "an old token keeps working after
// …", "now the wood stays wet", "alerts and warnings should be the same", "it should keep 14 days".
func told(low []string) bool {
	if words.Conjunction(low[0]) || low[0] == "that" || low[0] == "everybody" || low[0] == "everyone" || low[0] == "now" {
		return true
	}
	i := slices.IndexFunc(low, func(w string) bool { return w == "keep" || w == "keeps" || w == "same" || w == "stays" })
	if i < 1 || i+1 > len(low) {
		return false
	}
	next := ""
	if i+1 < len(low) {
		next = low[i+1]
	}
	switch low[i] {
	case "same":
		return next != "as" && next != "way" && slices.Contains(low[:i], "and") && slices.Contains(low[:i], "should")
	case "stays":
		return next == "wet" || next == "cold" || next == "hot" || next == "dark" || next == "low" || next == "connected" || next == "full"
	}
	return grammar.Numeric(next) || grammar.Articled(low[0]) && (slices.Contains(low, "after") || slices.Contains(low, "even"))
}

// unable reports what somebody cannot do, or cannot be done somewhere: "I can't change my
// password", "the slider can't be moved on the phone".
func unable(low []string) bool {
	i := slices.IndexFunc(low, func(w string) bool { return w == "can't" || w == "cannot" })
	return i == 1 && words.Subject(low[0]) && !words.Pronoun(low[0]) || i > 0 && i+3 < len(low) && low[i+1] == "be" && words.Preposition(low[i+3])
}

// nothingNew reads "the extension must not get new dependencies".
func nothingNew(low []string) bool {
	for i := 1; i+3 < len(low) && i < 7; i++ {
		denied := low[i] == "mustn't" || low[i] == "shouldn't" || (low[i] == "must" || low[i] == "should" || low[i] == "may") && low[i+1] == "not"
		if !denied {
			continue
		}
		j := i + 1
		if low[j] == "not" {
			j++
		}
		if j+1 >= len(low) {
			return false
		}
		get := low[j] == "get" || low[j] == "gain" || low[j] == "need" || low[j] == "have" || low[j] == "require" || low[j] == "pull" || low[j] == "add"
		return get && slices.ContainsFunc(low[j+1:min(j+3, len(low))], func(w string) bool {
			return w == "new" || w == "any" || w == "more" || w == "additional" || w == "extra"
		})
	}
	return false
}

// unchanged reads "on desktop nothing changes", "nothing else".
func unchanged(low []string) bool {
	i := slices.Index(low, "nothing")
	if i < 0 || i > 4 || i+1 >= len(low) || len(low) > 8 || i > 0 && (low[i-1] == "did" || low[i-1] == "does" || low[i-1] == "had" || low[i-1] == "has") {
		return false
	}
	return (low[i+1] == "changes" || low[i+1] == "else") && (i+2 == len(low) || low[i+2] == "changes" || words.Preposition(low[i+2]) || words.Filler(low[i+2]) || low[i+2] == "should" || low[i+2] == "must")
}

// compatible reads "backwards compatible please".
func compatible(low []string) bool {
	return len(low) < 5 && (strings.HasPrefix(low[0], "backward") || low[0] == "fully" && len(low) > 1 && strings.HasPrefix(low[1], "backward"))
}

// untouchable reads "X must not be renamed", "X must still load".
func untouchable(low []string) (at int, ok bool) {
	for i := 1; i+2 < len(low)+1; i++ {
		w := low[i]
		if w != "must" && w != "should" && w != "may" && w != "mustn't" && w != "shouldn't" && w != "has" && w != "have" && w != "needs" && w != "need" && w != "can't" {
			continue
		}
		j := i + 1
		for j < len(low) && (low[j] == "not" || low[j] == "to" || low[j] == "also") {
			j++
		}
		denied := strings.HasSuffix(w, "n't") || j > i+1 && low[j-1] == "not" || slices.Contains(low[i:j], "not")
		switch {
		case j+1 < len(low) && denied && low[j] == "be":
			_, end := words.Base(low[j+1], func(b string) bool { return touching[b] })
			return i, end == "ed" && !words.Pronoun(low[0])
		case j+1 < len(low) && !denied && low[j] == "still":
			return i, !words.Pronoun(low[0]) && i < 7
		}
	}
	return 0, false
}

// Left reads what is said of a thing named before: "should be left as is", "must stay".
func Left(low []string) bool {
	if len(low) < 2 {
		return false
	}
	line := strings.Join(low[1:], " ") + " "
	for _, p := range []string{"be left as ", "be left alone ", "stay as ", "remain as ", "stay the way ", "stay like ", "be kept as ", "not be touched ", "not be changed ", "not change "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return line == "stay " || line == "remain "
}

// identical reads "the output must be byte for byte the same": at is where the modal is.
func identical(low []string) (at int, ok bool) {
	for i := 1; i+2 < len(low); i++ {
		if (low[i] == "must" || low[i] == "should" || low[i] == "has" || low[i] == "needs") && slices.Contains(low[i:min(i+3, len(low))], "be") {
			for _, w := range low[i+2 : min(len(low), i+9)] {
				if w == "same" || w == "identical" || w == "unchanged" {
					return i, !words.Pronoun(low[0]) || low[0] == "everything"
				}
			}
		}
	}
	return 0, false
}

var trailing = map[string]bool{"obviously": true, "also": true, "of-course": true, "still": true, "just": true, "always": true, "please": true,
	"should": true, "must": true, "naturally": true, "however": true, "though": true, "exactly": true, "clearly": true, "definitely": true, "simply": true}

// LastThing is the last noun phrase of a clause that begins with the, our, my or this.
func LastThing(low []string) (grammar.Span, bool) {
	for i := len(low) - 2; i >= 0; i-- {
		switch low[i] {
		case "the", "our", "my", "your", "its", "this", "these":
			s := Object(low, i)
			for to := s.From + 2; to < s.To; to++ {
				if words.Preposition(low[to]) || grammar.Adverb(low[to]) || words.Filler(low[to]) {
					s.To = to
				}
			}
			return s, s.To > s.From+1
		}
	}
	return grammar.Span{}, false
}
