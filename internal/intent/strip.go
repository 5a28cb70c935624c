package intent

import "github.com/belay-dev/belay/internal/lazyregexp"

// ClausePrefix describes the words skipped at the start of a clause.
type ClausePrefix struct {
	HasOpener    bool // "could you", "we need": a person asks for something
	WantsThing   bool // a thing is asked for, not an action
	IsAdditional bool // one more concern
	WantsVerb    bool // the last opener needs a verb behind it
	HasOnly      bool // "only" is the last skipped word
	HasPlease    bool
	IsEnumerated bool // "second,": the next of several
}

// ReadPrefix counts the words at the start of a clause that have no meaning for the request.
func ReadPrefix(low []string) (n int, s ClausePrefix) {
	for n < len(low) {
		if k, verb := ReadOpener(low[n:]); k > 0 && n+k <= len(low) {
			if low[n] == "to" && (n+1 >= len(low) || ImperativeLength(low[n+1:]) == 0) {
				return n, s
			}
			s.WantsVerb = verb
			s.HasOpener = s.HasOpener || low[n] != "to" && !(k == 2 && low[n] == "i" && isOneOf(low[n+1], "think", "guess"))
			s.WantsThing = !verb && k > 1 && !sureness(low[n:n+k])
			n += k
			continue
		}
		if k := HedgeLength(low[n:]); k > 0 && n+k < len(low) {
			s.IsEnumerated = IsAdditive(low[n:]) && low[n] != "while"
			n += k
			continue
		}
		w := low[n]
		if !IsFiller(w) && !isOneOf(w, ",", "*", "!", "\ufe0f") {
			return n, s
		}
		s.IsAdditional = isOneOf(w, "also", "plus")
		s.IsEnumerated = s.IsEnumerated || isOneOf(w, "second", "third")
		s.HasOnly = w == "only"
		s.HasPlease = s.HasPlease || isOneOf(w, "please", "kindly")
		n++
	}
	return n, s
}

func sureness(low []string) bool {
	w := low[len(low)-1]
	return w == "think" || w == "guess"
}

// IsConditional reports a word that begins a condition or a time.
var IsConditional = lazyregexp.Of(`when if whenever once while after before until since because as although wherever
	unless`).Has
