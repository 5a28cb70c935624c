package intent

import "github.com/belay-dev/belay/internal/lazyregexp"

// Said is what was passed over in front of a clause.
type PassedOver struct {
	Opener bool // "could you", "we need": somebody asks
	Want   bool // what is asked for is a thing, not a deed
	Also   bool // it is one more
	Verb   bool // the last opener wants a verb behind it
	Only   bool // "only" is the last word passed over
	Please bool
	Nth    bool // "second,": the next of several
}

// Strip counts the words in front of a clause that say nothing of what is asked.
func Strip(low []string) (n int, s PassedOver) {
	for n < len(low) {
		if k, verb := Opener(low[n:]); k > 0 && n+k <= len(low) {
			if low[n] == "to" && (n+1 >= len(low) || Imperative(low[n+1:]) == 0) {
				return n, s
			}
			s.Verb = verb
			s.Opener = s.Opener || low[n] != "to" && !(k == 2 && low[n] == "i" && oneOf(low[n+1], "think", "guess"))
			s.Want = !verb && k > 1 && !sureness(low[n:n+k])
			n += k
			continue
		}
		if k := Hedge(low[n:]); k > 0 && n+k < len(low) {
			s.Nth = Additive(low[n:]) && low[n] != "while"
			n += k
			continue
		}
		w := low[n]
		if !Filler(w) && !oneOf(w, ",", "*", "!", "\ufe0f") {
			return n, s
		}
		s.Also = oneOf(w, "also", "plus")
		s.Nth = s.Nth || oneOf(w, "second", "third")
		s.Only = w == "only"
		s.Please = s.Please || oneOf(w, "please", "kindly")
		n++
	}
	return n, s
}

func sureness(low []string) bool {
	w := low[len(low)-1]
	return w == "think" || w == "guess"
}

// Conditional reports a word that begins a condition or a time.
var Conditional = lazyregexp.Of(`when if whenever once while after before until since because as although wherever
	unless`).Has
