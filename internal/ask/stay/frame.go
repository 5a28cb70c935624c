package stay

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// frames are what people say in front of what is to stay: "as long as the numbers stay
// correct", "please note that the API is frozen".
var frames = []string{"for now", "for the moment", "for the time being", "until then", "though", "although", "as long as", "so long as", "provided that", "provided", "but make sure", "on condition that", "under the condition that", "with the caveat that", "note that", "please note that", "keep in mind that", "bear in mind that", "remember that", "mind that", "take care that", "see that", "be aware that", "be careful that", "make sure that", "make sure",
	"it's important that", "it is important that", "important is that", "it's essential that", "it is essential that", "it's crucial that", "it's vital that", "what matters is that", "the condition is that", "the only condition is that", "only condition is that", "the main thing is that", "the important thing is that", "whatever you do", "whatever happens", "be careful", "take care", "be sure", "try", "under no circumstances"}

// framed counts the words of the frames that a clause begins with.
func framed(low []string) int {
	n := 0
	for again := true; again; {
		again = false
		line := strings.Join(low[n:min(len(low), n+6)], " ") + " "
		for _, f := range frames {
			k := strings.Count(f, " ") + 1
			if strings.HasPrefix(line, f+" ") && len(low)-n > k+1 && (low[n+k] == "not" || f != "try" && f != "be careful" && f != "take care" && f != "be sure" && f != "see that") {
				n, again = n+k, true
				break
			}
		}
		for n > 0 && n < len(low)-2 && (low[n] == "," || words.Filler(low[n])) {
			n++
		}
	}
	return n
}

// besides reads "you may change anything but the API": what is left out of a permission.
func besides(low []string) (grammar.Span, bool) {
	if low[0] != "you" && low[0] != "feel" && low[0] != "change" && low[0] != "touch" {
		return grammar.Span{}, false
	}
	for i := 1; i+2 < len(low); i++ {
		if (low[i] == "anything" || low[i] == "everything" || low[i] == "all") && (low[i+1] == "but" || low[i+1] == "except") {
			s := Object(low, i+2)
			return s, s.To > s.From
		}
	}
	return grammar.Span{}, false
}

// unharmed reads "this must not affect the API": what the work is not to reach.
func unharmed(low []string) (grammar.Span, bool) {
	i := 1
	switch low[0] {
	case "this", "that", "it", "which":
	case "the":
		if len(low) < 5 || !work[strings.TrimSuffix(low[1], "s")] {
			return grammar.Span{}, false
		}
		i = 2
	default:
		return grammar.Span{}, false
	}
	if i >= len(low) {
		return grammar.Span{}, false
	}
	k, m := modal(low[i:])
	if k == 0 || !m.denied || m.copula || i+k+1 >= len(low) || low[i] == "can't" || low[i] == "won't" {
		return grammar.Span{}, false
	}
	switch low[i+k] {
	case "affect", "break", "touch", "change", "disturb", "alter", "harm", "influence", "modify":
	default:
		return grammar.Span{}, false
	}
	j := i + k + 1
	if j+2 < len(low) && (low[j] == "anything" || low[j] == "any") && words.Preposition(low[j+1]) {
		j += 2
	}
	if low[j] == "again" || low[j] == "the" && j+1 == len(low) {
		return grammar.Span{}, false
	}
	s := Object(low, j)
	return s, s.To > s.From && !words.Pronoun(low[s.From])
}

// sticking reads "stick to the current API", "stay with our logger", "we're happy with the
// layout": what is kept by choice.
func sticking(low []string) (grammar.Span, bool) {
	if k := len(low); k > 5 && (low[0] == "i" || low[0] == "we") && (low[1] == "like" || low[1] == "love") {
		for i := 4; i+2 < k; i++ {
			if low[i] == "as" && present(low[i+2]) || low[i] == "the" && low[i+1] == "way" {
				return grammar.Span{From: 2, To: i}, true // "I love the footer the way it is"
			}
		}
	}
	i := 0
	switch {
	case len(low) > 3 && (low[0] == "stick" || low[0] == "stay") && (low[1] == "to" || low[1] == "with" || low[1] == "on"):
		i = 2
	case len(low) > 3 && (low[0] == "i'm" || low[0] == "we're") && (low[1] == "happy" || low[1] == "fine" || low[1] == "content") && low[2] == "with":
		i = 3
	case len(low) > 4 && (low[0] == "i" || low[0] == "we") && (low[1] == "am" || low[1] == "are") && (low[2] == "happy" || low[2] == "fine" || low[2] == "content") && low[3] == "with":
		i = 4
	default:
		return grammar.Span{}, false
	}
	if !grammar.Definite(low[i]) && low[i] != "existing" && low[i] != "current" {
		return grammar.Span{}, false
	}
	s := Object(low, i)
	return s, s.To > s.From+1 && !slices.Contains(low[s.From:s.To], "but")
}

// chosen counts the words of "we'll (keep the API)", "you may (leave it as it is)".
func chosen(low []string) int {
	switch low[0] {
	case "we", "i", "you", "we'll", "i'll", "i'd", "we'd", "you'll":
	default:
		return 0
	}
	for i := 1; i < min(len(low)-1, 4); i++ {
		switch low[i] {
		case "keep", "leave":
			if words.Determiner(low[i+1]) && low[i+1] != "a" && low[i+1] != "all" && low[i+1] != "this" {
				return i
			}
			return 0
		case "may", "can", "should", "must", "will", "have", "to", "need", "just", "also":
		default:
			return 0
		}
	}
	return 0
}
