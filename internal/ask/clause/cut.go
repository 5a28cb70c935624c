package clause

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
)

// cutter goes through a sentence and cuts it.
type cutter struct {
	s     prose.Sentence
	t     []prose.Token // of s, without asides
	low   []string
	frag  bool // nothing is said of the things named
	list  bool // in a list of things that are each asked for by name: a page, a section and …
	start int  // of the clause in hand
	main  int  // of the last clause that is no reason and has a verb of its own
	join  string
	out   []Clause
}

// Clauses cuts a sentence. What stands behind a conjunction or a mark begins a new clause when it
// is an imperative, somebody doing something, or a thing called new.
func Clauses(s prose.Sentence) []Clause {
	c := cutter{s: s, t: slices.DeleteFunc(slices.Clone(s.Tokens), func(t prose.Token) bool { return t.Form == prose.Aside })}
	c.low = Lows(c.t)
	c.frag = verbless(c.low)
	for i := 0; i < len(c.t); {
		i = c.step(i)
	}
	if len(c.low) > 2 && c.low[0] == "so" && c.low[1] == "that" && c.start == 0 {
		c.start, c.join = 2, "because"
	}
	c.cut(len(c.t), len(c.t), "")
	return joined(tails(heads(c.out)))
}

// step decides at the word i, and gives the one to go on from.
func (c *cutter) step(i int) int {
	low := c.low
	if c.join == "because" && low[i] == "and" && c.main < c.start && !slices.Contains(low[c.main:c.start], "that") {
		if next, more := listed(low, c.main, i, c.list); next > 0 && grammar.Articled(low[next]) {
			c.list = more
			return c.cut(i, next, "and") // "a page where people can sign up and a list of …"
		}
	}
	if next, more := listed(low, c.start, i, c.list); next > 0 {
		c.list = more
		return c.cut(i, next, "and")
	}
	if c.join == "gap" && (low[i] == "," || low[i] == "and") && i+1 < len(low) && gapped(low[c.main:i], low[i+1:]) {
		return c.cut(i, i+1, "gap") // "the port to 8080, the host to x and the level to y"
	}
	lead, next := boundary(low, c.start, i, c.frag)
	if next == 0 {
		return i + 1
	}
	c.cut(i, next, lead)
	if lead == ":" || lead == ";" || lead == "—" || lead == "–" {
		c.frag = c.frag || verbless(low[next:]) // a colon begins anew
	}
	return next
}

// cut ends the clause in hand before end; the next one begins at next, which it gives back.
func (c *cutter) cut(end, next int, lead string) int {
	for end > c.start && c.low[end-1] == "," {
		end-- // ", and" ends it
	}
	if end > c.start && !(end == c.start+1 && c.low[c.start] == "please" && len(c.out) > 0) {
		c.out = append(c.out, Clause{T: c.t[c.start:end], Join: c.join, Colon: c.join == ":", Close: c.s.Close, Frag: c.frag})
	}
	if lead != "because" && lead != "gap" {
		c.main = next
	}
	c.start, c.join = next, lead
	return next
}

// joined turns what leads to a clause and says something of the one before into that.
func joined(out []Clause) []Clause {
	for i := 1; i < len(out); i++ {
		switch out[i].Join {
		case "main":
			out[i-1].Join, out[i].Join = "if", ""
		case "gap":
			out[i].Join, out[i].Gap = "and", true
		case "although":
			out[i-1].Yet, out[i].Join = true, "because"
		}
	}
	return out
}

// verbless reports words of which nothing is said: they only name things.
func verbless(low []string) bool { return !grammar.HasVerb(low) || bareRow(low) }
