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

// Personal reports a complaint about what somebody does or what becomes of "it", which was said
// before: the thing that fails is not named.
func Personal(a deed.Act) bool {
	low := a.C.Low()
	n, _ := grammar.Strip(low)
	if n >= len(low) {
		return false
	}
	switch low[n] {
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
