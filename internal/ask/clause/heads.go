package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/stay"
	"github.com/belay-dev/belay/internal/ask/words"
)

// heads takes a verbless beginning of a sentence, or of what stands behind a colon, apart in
// front of a clause with a verb: "two-factor login, a page of sessions, and sessions should
// end …". Each is a thing named.
func heads(in []Clause) []Clause {
	var out []Clause
	for i, c := range in {
		if (i == 0 || c.Join == ":") && i+1 < len(in) && headed(c, in[i+1:]) {
			out = append(out, pieces(c)...)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// headed reports that c only names things, and that what follows says what is to be.
func headed(c Clause, rest []Clause) bool {
	low := c.Low()
	next := rest[0]
	if next.Join == "because" && len(rest) > 1 && slices.Contains(low, ",") {
		next = rest[1] // "bigger logos, grey until you hover, and swap …"
	}
	if c.Frag || next.Join != "," && next.Join != "and" && next.Join != "but" || grammar.HasVerb(low) && !bareHead(low) {
		return false
	}
	n, _ := grammar.Strip(low)
	if last := low[len(low)-1]; last == "first" || last == "last" || strings.HasSuffix(low[0], "ing") {
		return false
	}
	if len(low)-n < 2 || grammar.Told(low[n:]) || grammar.Idle(low) || words.Preposition(low[n]) || slices.ContainsFunc(low, words.Auxiliary) {
		return false
	}
	_, kept, _ := stay.Keeps(next.Low())
	if !kept && !wishful(next.Low()) {
		return false
	}
	return slices.Contains(low[n:], ",") || kept || len(low)-n > 2 && next.Join == "and" && grammar.Finite(next.Low()) ||
		len(low)-n > 3 && next.Join == "," && slices.ContainsFunc(low[n+1:], words.Preposition)
}

// bareHead reports things of which the first could be an order as well: "search field,
// favourites". An order would have an article in front of a single thing.
func bareHead(low []string) bool {
	parts := split(low)
	if len(parts) < 2 || !bareThing(parts[0]) {
		return false
	}
	for _, p := range parts[1:] {
		if len(p) == 0 || grammar.HasVerb(p) {
			return false
		}
	}
	return true
}

// pieces are the things that c names, each by itself.
func pieces(c Clause) (out []Clause) {
	low, start := c.Low(), 0
	for i := 0; i <= len(low); i++ {
		if i < len(low) && low[i] != "," {
			continue
		}
		if i > start {
			p := c
			p.T, p.Frag = c.T[start:i], true
			if start > 0 {
				p.Join, p.Colon = ",", false
			}
			out = append(out, p)
		}
		start = i + 1
	}
	return out
}

// wishful reports a clause that says what is to be.
func wishful(low []string) bool {
	n, s := grammar.Strip(low)
	_, k := grammar.Modal(low[n:])
	return s.Opener || k > 0 || grammar.Imperative(low[n:]) > 0
}

// tails takes the last clause of a series of orders apart at its only comma, when a thing with
// a value is all that follows: "add a seed, write the metrics to json, early stopping after 20
// rounds".
func tails(in []Clause) []Clause {
	n := len(in)
	if n < 2 || in[n-1].Join != "," || in[n-2].Join == "because" || in[n-2].Join == "if" {
		return in
	}
	c := in[n-1]
	low := c.Low()
	i := slices.Index(low, ",")
	if i < 2 || i+3 > len(low) || slices.Contains(low[i+1:], ",") || !tail(low[i+1:]) || slices.Contains(low[:i], "with") || grammar.Imperative(low) == 0 && !grammar.Valued(low[:i]) {
		return in
	}
	left, right := c, c
	left.T, right.T, right.Frag, right.Colon = c.T[:i], c.T[i+1:], true, false
	return append(slices.Clone(in[:n-1]), left, right)
}

// tail reports a thing that is named with how it is to be.
func tail(p []string) bool {
	if grammar.HasVerb(p) || words.Determiner(p[0]) || words.Preposition(p[0]) || words.Pronoun(p[0]) || words.Conjunction(p[0]) || words.Subordinator(p[0]) || grammar.Conditional(p[0]) || words.Filler(p[0]) || p[0] == "not" || p[0] == "like" || p[0] == "one" || slices.Contains(p, "and") {
		return false
	}
	return grammar.Old(p) || slices.ContainsFunc(p[1:], words.Preposition) || grammar.Valued(p) || words.Comparative(p[0])
}
