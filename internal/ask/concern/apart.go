package concern

import (
	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Apart reports a plain complaint in a sentence of its own about another thing than the one
// before: each says what it is about with an article, and neither names what the other does.
// "The motion light never goes off. The doorbell rings twice."
func Apart(a, last deed.Act) bool {
	low, before := a.C.Low(), last.C.Low()
	if a.C.Line != last.C.Line || a.C.Sent != last.C.Sent+1 || a.Strength < fault.Plain || last.Strength < fault.Plain || a.Pronoun || a.C.Join != "" || last.C.Join != "" || len(low) < 4 || len(low) > 14 || len(before) > 14 {
		return false
	}
	if !subject(low) || !subject(before) || speaks(low[1]) || whole(low[1]) || Umbrella(before) || Shares(a, last) {
		return false
	}
	for _, w := range low {
		if w == "it" || w == "them" || w == "that" || w == "this" || w == "there" || w == "one" || w == "same" {
			return false
		}
	}
	return true
}

// GoesOn reports the second deed of somebody of whom the first is told: "every Monday I print
// the rota and pin it to the door" orders nothing.
func GoesOn(a, before deed.Act) bool {
	if a.Deed != deed.Request || a.C.Join != "and" && a.C.Join != "," || before.Deed != deed.Ground || before.C.Sent != a.C.Sent || before.C.Line != a.C.Line {
		return false
	}
	low, told := a.C.Low(), before.C.Low()
	if n, s := grammar.Strip(low); s.Opener || s.Please || s.Also || n > 1 || n >= len(low) || grammar.Imperative(low[n:]) == 0 || low[len(low)-1] == "please" {
		return false
	}
	at, ok := grammar.Predicate(told)
	if !ok || at < 1 || words.Auxiliary(told[at]) {
		return false
	}
	switch told[at-1] {
	case "i", "we", "they", "you", "people", "users":
		return told[at] != "want" && told[at] != "need" && told[at] != "think" && told[at] != "see"
	}
	return false
}

// Explains reports a complaint behind a request, in the next sentence, about "it" or about the
// same thing, with nothing that leads to another concern: why it is asked.
func Explains(a, last deed.Act) bool {
	if last.Deed != deed.Request || a.C.Line != last.C.Line || a.C.Sent != last.C.Sent+1 || a.Also || a.Nth || a.C.Join != "" || len(a.C.T) < 3 {
		return false
	}
	low := a.C.Low()
	switch low[0] {
	case "it", "it's", "they", "they're", "that", "that's", "this":
		return true
	case "and", "but", "also":
		return false
	}
	return grammar.Definite(low[0]) && Shares(a, last) && low[len(low)-1] != "too"
}

// Personal reports a complaint about what somebody does or what becomes of "it", which was said
// before: the thing that fails is not named.
func Personal(a deed.Act) bool {
	low := a.C.Low()
	n, _ := grammar.Strip(low)
	if n >= len(low) {
		return false
	}
	if len(low) > n+3 && words.Preposition(low[n]) && (low[n+2] == "we" || low[n+2] == "i") {
		return true // "without it we lose half of them"
	}
	switch low[n] {
	case "last", "yesterday", "once", "recently":
		return true
	case "i", "we", "he", "she", "they", "you":
		return true
	case "it":
		return a.C.Join != ""
	case "people", "everybody", "everyone", "nobody":
		return n+1 < len(low) && !words.Auxiliary(low[n+1])
	}
	return false
}

// subject reports a thing with an article in front of a verb.
func subject(low []string) bool {
	at, ok := grammar.Predicate(low)
	return (low[0] == "the" || low[0] == "our" || low[0] == "every" || low[0] == "each") && !words.Subject(low[1]) && (ok && at > 1 || !ok)
}
