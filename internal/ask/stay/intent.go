package stay

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// declined reads what somebody says that nobody is to do: "you must not change the order",
// "we're not changing the order", "no need to touch the order". What is kept is the object.
func declined(low []string) (grammar.Span, bool) {
	if low[0] == "not" && len(low) > 2 && touches(low[1]) && !strings.HasSuffix(low[1], "ed") {
		s := Object(low, 2)
		return s, s.To > s.From // "(you must) not change the order"
	}
	switch low[0] {
	case "i", "we", "you", "i'd", "we'd", "i'm", "we're", "there's", "there", "no", "it's", "it", "nobody":
	default:
		return grammar.Span{}, false
	}
	denied := low[0] == "nobody" || low[0] == "no" && len(low) > 2 && low[1] == "need"
	for i := 1; i < min(len(low)-1, 7); i++ {
		w := low[i]
		switch {
		case w == "did" || w == "didn't" || w == "couldn't" || w == "could" || w == "," || w == "when" || w == "if" || w == "can" || w == "was" || w == "had" || w == "does" || w == "doesn't" || w == "able" || w == "would" || w == "wouldn't" && low[0] != "i":
			return grammar.Span{}, false
		case (w == "can't" || w == "cannot") && low[i+1] != "afford":
			return grammar.Span{}, false
		case w == "not" || w == "no" || w == "never" || w == "hate" || strings.HasSuffix(w, "n't"):
			denied = true
		case denied && touches(w):
			if _, end := words.Base(w, func(b string) bool { return touching[b] }); end != "" && end != "ing" {
				return grammar.Span{}, false
			}
			s := Object(low, i+1)
			return s, s.To > s.From && !words.Preposition(low[s.From]) && !words.Pronoun(low[s.From])
		}
	}
	return grammar.Span{}, false
}

// aboutElse reads "this is not about the admin area".
func aboutElse(low []string) (grammar.Span, bool) {
	for _, p := range [][]string{{"this", "is", "not", "about"}, {"this", "isn't", "about"}, {"it's", "not", "about"}, {"it", "is", "not", "about"}, {"careful", "with"}} {
		if len(low) > len(p)+1 && slices.Equal(low[:len(p)], p) {
			s := Object(low, len(p))
			return s, s.To > s.From && words.Determiner(low[s.From])
		}
	}
	return grammar.Span{}, false
}

// oneself reads "I'll update the German version myself": what others are not to do.
func oneself(low []string) (grammar.Span, bool) {
	k := len(low)
	if k < 4 || low[k-1] != "myself" && low[k-1] != "ourselves" {
		return grammar.Span{}, false
	}
	if low[0] == "i'll" || low[0] == "we'll" {
		return grammar.Span{From: 2, To: k - 1}, words.Determiner(low[2])
	}
	for i := 1; i+2 < k; i++ {
		if (low[i] == "i" || low[i] == "i'll" || low[i] == "we" || low[i] == "we'll") && k-i < 6 {
			return grammar.Span{From: 0, To: i}, nominal(low[:i]) // "the readme I'll do myself"
		}
	}
	return grammar.Span{}, false
}

// keepsOwn reads "the entry point must keep its path": what is to stay is what it keeps.
func keepsOwn(low []string) (grammar.Span, bool) {
	i := slices.Index(low, "keep")
	if i < 2 || i+2 >= len(low) || low[i+1] != "its" && low[i+1] != "their" && low[i+1] != "the" || words.Pronoun(low[0]) {
		return grammar.Span{}, false
	}
	k, m := modal(low[i-1:])
	if k == 0 && i > 2 {
		k, m = modal(low[i-2:])
	}
	if k == 0 || m.denied {
		return grammar.Span{}, false
	}
	s := Object(low, i+1)
	return s, s.To > s.From+1
}
