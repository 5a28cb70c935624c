package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	// people are what begins a statement of what somebody wants or is to do.
	peopleWords = lazyregexp.Of(`i we you i'd we'd i'm we're there's there no it's it nobody`)

	// past are words of what was tried, is the case or is supposed: nobody declines anything.
	past = lazyregexp.Of(`did didn't couldn't could , when if can was had does doesn't able would`)
)

// declined reads what somebody says that nobody is to do: "you must not change the order",
// "we're not changing the order", "no need to touch the order". What is kept is the object.
func declined(low []string) (Span, bool) {
	if low[0] == "not" && len(low) > 2 && Touches(low[1]) && !strings.HasSuffix(low[1], "ed") {
		s := object(low, 2)
		return s, s.To > s.From // "(you must) not change the order"
	}
	if !peopleWords.Has(low[0]) {
		return Span{}, false
	}
	denied := low[0] == "nobody" || low[0] == "no" && len(low) > 2 && low[1] == "need"
	for i := 1; i < min(len(low)-1, 7); i++ {
		w := low[i]
		switch {
		case past.Has(w) || w == "wouldn't" && low[0] != "i":
			return Span{}, false
		case oneOf(w, "can't", "cannot") && low[i+1] != "afford":
			return Span{}, false
		case oneOf(w, "not", "no", "never", "hate") || strings.HasSuffix(w, "n't"):
			denied = true
		case denied && Touches(w):
			if end := Ending(w); end != "" && end != "ing" {
				return Span{}, false
			}
			s := object(low, i+1)
			return s, s.To > s.From && !Preposition(low[s.From]) && !Pronoun(low[s.From])
		}
	}
	return Span{}, false
}

// aboutElse reads "this is not about the admin area".
func aboutElse(low []string) (Span, bool) {
	for _, p := range [][]string{{"this", "is", "not", "about"}, {"this", "isn't", "about"}, {"it's", "not", "about"},
		{"it", "is", "not", "about"}, {"careful", "with"}} {
		if len(low) > len(p)+1 && slices.Equal(low[:len(p)], p) {
			s := object(low, len(p))
			return s, s.To > s.From && Determiner(low[s.From])
		}
	}
	return Span{}, false
}

// oneself reads "I'll update the German version myself": what others are not to do.
func oneself(low []string) (Span, bool) {
	k := len(low)
	if k < 4 || low[k-1] != "myself" && low[k-1] != "ourselves" {
		return Span{}, false
	}
	if low[0] == "i'll" || low[0] == "we'll" {
		return Span{From: 2, To: k - 1}, Determiner(low[2])
	}
	for i := 1; i+2 < k; i++ {
		if (low[i] == "i" || low[i] == "i'll" || low[i] == "we" || low[i] == "we'll") && k-i < 6 {
			return Span{From: 0, To: i}, nominal(low[:i]) // "the readme I'll do myself"
		}
	}
	return Span{}, false
}

// keepsOwn reads "the entry point must keep its path": what is to stay is what it keeps.
func keepsOwn(low []string) (Span, bool) {
	i := slices.Index(low, "keep")
	if i < 2 || i+2 >= len(low) || !oneOf(low[i+1], "its", "their", "the") || Pronoun(low[0]) {
		return Span{}, false
	}
	k, m := ModalVerb(low[i-1:])
	if k == 0 && i > 2 {
		k, m = ModalVerb(low[i-2:])
	}
	if k == 0 || m.Denied {
		return Span{}, false
	}
	s := object(low, i+1)
	return s, s.To > s.From+1
}

// harming are verbs of what a change does to a thing beside it.
var harming = lazyregexp.Of(`affect break touch change disturb alter harm influence modify`)

// unharmed reads "this must not affect the API": what the work is not to reach.
func unharmed(low []string) (Span, bool) {
	i := workNamed(low)
	if i == 0 || i >= len(low) {
		return Span{}, false
	}
	k, m := ModalVerb(low[i:])
	if k == 0 || !m.Denied || m.Copula || oneOf(low[i], "can't", "won't") {
		return Span{}, false
	}
	if i+k+1 >= len(low) || !harming.Has(low[i+k]) {
		return Span{}, false
	}
	j := i + k + 1
	if j+2 < len(low) && (low[j] == "anything" || low[j] == "any") && Preposition(low[j+1]) {
		j += 2
	}
	if low[j] == "again" || low[j] == "the" && j+1 == len(low) {
		return Span{}, false
	}
	s := object(low, j)
	return s, s.To > s.From && !Pronoun(low[s.From])
}

// workNamed counts the words in front of a clause that name the work: "this", "the migration".
func workNamed(low []string) int {
	switch low[0] {
	case "this", "that", "it", "which":
		return 1
	case "the":
		if len(low) > 4 && Work(strings.TrimSuffix(low[1], "s")) {
			return 2
		}
	}
	return 0
}

// fine reads a whole clause that finds a thing good as it is: "the csv export is fine".
func fine(low []string) (Span, bool) {
	n := len(low)
	if n < 4 || n > 9 || low[0] != "the" && low[0] != "our" || slices.ContainsFunc(low[:n-2], Auxiliary) {
		return Span{}, false
	}
	good := low[n-1] == "fine" || low[n-1] == "ok" || low[n-1] == "okay" || low[n-1] == "good"
	return Span{From: 0, To: n - 2}, good && (low[n-2] == "is" || low[n-2] == "are")
}

// nobody reads "nobody touches the config format".
func nobody(low []string) (Span, bool) {
	if len(low) < 3 || low[0] != "nobody" && low[0] != "noone" || !Touches(low[1]) {
		return Span{}, false
	}
	return object(low, 2), true
}
