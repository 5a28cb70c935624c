package intent

import (
	"slices"
	"strings"
)

// cutter goes through a sentence and cuts it.
type cutter struct {
	s     Sentence
	t     []Token // of s, without asides
	low   []string
	frag  bool // nothing is said of the things named
	start int  // of the clause in hand
	join  string
	out   []Clause
}

// Clauses cuts a sentence rather too often than too seldom: at each comma, colon and arrow, and at
// a conjunction or a word like "because" that something follows which can be said by itself. What
// asks for nothing by itself is found out where the clauses are weighed.
func Clauses(s Sentence) []Clause {
	c := cutter{s: s, t: slices.DeleteFunc(slices.Clone(s.Tokens), func(t Token) bool { return t.Form == Aside })}
	c.low = Lows(c.t)
	c.frag = !HasVerb(c.low)
	for i := 0; i < len(c.t); {
		lead, next := c.boundary(i)
		if next == 0 {
			i++
			continue
		}
		c.cut(i, lead, next)
		c.frag = c.frag || (lead == ":" || lead == ";") && !HasVerb(c.low[next:])
		i = max(next, i+1)
	}
	c.cut(len(c.t), "", len(c.t))
	for i := 1; i < len(c.out); i++ {
		switch c.out[i].Join {
		case "main":
			c.out[i-1].Join, c.out[i].Join = "if", ""
		case "although":
			c.out[i-1].Yet, c.out[i].Join = true, "because"
		}
	}
	return c.out
}

// cut ends the clause in hand before end; the next one begins at next.
func (c *cutter) cut(end int, lead string, next int) {
	if end > c.start {
		c.out = append(c.out, Clause{T: c.t[c.start:end], Join: c.join, Colon: c.join == ":", Close: c.s.Close, Frag: c.frag})
		c.join = lead
	} else if c.join != "because" {
		c.join = lead // ", and": the last one says what leads on
	}
	c.start = next
}

// boundary says whether a clause ends before i: what leads on, and where the next one starts.
// next is 0 when none ends.
func (c *cutter) boundary(i int) (lead string, next int) {
	left, right := c.low[c.start:i], c.low[i+1:]
	switch w := c.low[i]; w {
	case ";", "—", "–", "•":
		return ";", i + 1
	case "-", "--":
		if len(left) > 0 && len(right) > 0 {
			return ";", i + 1
		}
	case "->", "=>", "→":
		if len(left) > 0 && (HasVerb(left) || opens(right)) {
			return w, i + 1
		}
	case ":":
		if len(right) == 0 || !strings.HasPrefix(right[0], "//") {
			return w, i + 1
		}
	case ",":
		return c.comma(left, right, i)
	case "+", "&", "plus", "and", "but", "or", "then", "so", "with", "without", "n":
		return c.conjunction(left, right, i)
	case "although", "though":
		if len(left) > 0 && len(right) > 0 {
			return "although", i + 1
		}
	default:
		return c.unmarked(left, right, i)
	}
	return "", 0
}

// comma ends a clause, but where it is between single words of a list that continues.
func (c *cutter) comma(left, right []string, i int) (lead string, next int) {
	if len(left) == 0 || len(right) == 0 {
		return ",", i + 1
	}
	if n, _ := Strip(left); n == len(left) || n < len(left) && Conditional(left[n]) && !Preposition(right[0]) {
		if n == len(left) {
			return "", 0 // "second, birthdays are off by one"
		}
		return "main", i + 1
	}
	switch right[0] {
	case "which", "who", "whose":
		return "because", i + 1
	case "and", "but", "or", "so", "then":
		if len(right) > 1 && right[0] == "so" && right[1] == "that" {
			return "because", i + 3
		}
		return right[0], i + 2
	}
	return ",", i + 1
}

// adds reports words in front of a sign of adding that are a sentence by themselves, and words
// behind it that are no second tool.
func adds(left, right []string) bool {
	if len(left) < 3 || len(right) < 2 || Tool(right[0]) {
		return false
	}
	return HasVerb(left) && !Determiner(left[len(left)-1])
}

// conjunction ends a clause where what follows can be said by itself.
func (c *cutter) conjunction(left, right []string, i int) (lead string, next int) {
	if len(left) == 0 || len(right) == 0 {
		return "", 0
	}
	w := c.low[i]
	switch {
	case w == "with":
		return "", 0
	case w == "without":
		if Gerund(right[0]) {
			return w, i
		}
		return "", 0
	case w == "so" && right[0] == "that":
		return "because", i + 2
	case w == "n":
		if Imperative(right) > 0 {
			return "and", i + 1
		}
		return "", 0
	case oneOf(w, "+", "&", "plus") && adds(left, right):
		return w, i + 1 // "make it rounder + dark mode"
	case opens(right) && !joinsSubjects(left, right), c.frag && apart(left, right):
		return w, i + 1
	}
	return "", 0
}

// unmarked ends a clause where nothing announces the next one, or a word like "because" does.
func (c *cutter) unmarked(left, right []string, i int) (lead string, next int) {
	w := c.low[i]
	if len(left) == 0 || len(right) == 0 {
		return "", 0
	}
	if len(left) > 1 && w == "please" && Imperative(right) > 0 && !Auxiliary(left[len(left)-1]) && !Subject(left[len(left)-1]) {
		return "then", i // "the bar is broken please fix it"
	}
	if !Subordinator(w) || Preposition(left[len(left)-1]) || w == "since" && !opens(right) {
		return "", 0
	}
	if len(w) > 2 && w[0] == 'w' && (len(left) == 1 || AnyVerb(left[len(left)-1])) {
		return "", 0 // "show which one it is"
	}
	return "because", i + 1
}

// opens reports whether words behind a conjunction can be said by themselves: an order, a
// statement, a thing with an article or a number, what stays.
func opens(low []string) bool {
	n, said := Strip(low)
	if n >= len(low) {
		return false
	}
	rest := low[n:]
	if said.Opener || said.Also && !Preposition(rest[0]) {
		return true
	}
	if Imperative(rest) > 0 || Negated(rest) || Finite(rest) {
		return true
	}
	switch rest[0] {
	case "keep", "leave", "keeping", "preserving", "leaving", "without", "no", "new", "another", "same", "stay", "hands", "nothing":
		return true
	case "not":
		return false
	}
	end := slices.IndexFunc(rest, func(w string) bool { return w == "," || w == "and" })
	if end < 1 {
		end = len(rest)
	}
	if Said(rest[:end]) || len(rest) < 2 {
		return Said(rest[:end])
	}
	toBe := slices.Contains(rest[1:min(len(rest), 6)], "to") && Definite(rest[0])
	return toBe || Articled(rest[0]) || Comparative(rest[0])
}

// joinsSubjects reports two things that do one thing together: "the account page and the order
// history are slow".
func joinsSubjects(left, right []string) bool {
	n, _ := Strip(right)
	return !HasVerb(left) && n < len(right) && Imperative(right[n:]) == 0 && Finite(right[n:]) && len(left) < 6
}

// apart reports two things of a sentence that only names things, each with more words than one.
func apart(left, right []string) bool {
	return len(left) > 2 && len(right) > 2 && !Preposition(left[len(left)-2])
}
