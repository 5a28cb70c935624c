package intent

import (
	"slices"
	"strings"
)

// cutter cuts a sentence into clauses.
type cutter struct {
	sentence   Sentence
	tokens     []Token // of the sentence, without asides
	lower      []string
	isFragment bool // the sentence only names things
	start      int  // of the current clause
	join       string
	out        []Clause
}

// SplitClauses cuts a sentence into clauses, too often rather than too seldom: at each comma, colon
// and arrow, and at a conjunction or a word like "because" if what follows can be a clause. Clauses
// that ask for nothing are recognized later, by their weights.
func SplitClauses(s Sentence) []Clause {
	c := cutter{sentence: s, tokens: slices.DeleteFunc(slices.Clone(s.Tokens), func(t Token) bool { return t.Form == Aside })}
	c.lower = LowerWords(c.tokens)
	c.isFragment = !HasVerb(c.lower)
	for i := 0; i < len(c.tokens); {
		lead, next := c.boundary(i)
		if next == 0 {
			i++
			continue
		}
		c.cut(i, lead, next)
		c.isFragment = c.isFragment || (lead == ":" || lead == ";") && !HasVerb(c.lower[next:])
		i = max(next, i+1)
	}
	c.cut(len(c.tokens), "", len(c.tokens))
	for i := 1; i < len(c.out); i++ {
		switch c.out[i].Join {
		case "main":
			c.out[i-1].Join, c.out[i].Join = "if", ""
		case "although":
			c.out[i-1].HasAlthough, c.out[i].Join = true, "because"
		}
	}
	return c.out
}

// cut ends the current clause before end; the next one begins at next.
func (c *cutter) cut(end int, lead string, next int) {
	if end > c.start {
		c.out = append(c.out, Clause{Tokens: c.tokens[c.start:end], Join: c.join, IsAfterColon: c.join == ":",
			EndMark: c.sentence.EndMark, IsFragment: c.isFragment})
		c.join = lead
	} else if c.join != "because" {
		c.join = lead // of ", and", the last one counts
	}
	c.start = next
}

// boundary reports whether a clause ends before i: what joins the next one, and where that begins.
// next is 0 if none ends.
func (c *cutter) boundary(i int) (lead string, next int) {
	left, right := c.lower[c.start:i], c.lower[i+1:]
	switch w := c.lower[i]; w {
	case ";", "—", "–", "•":
		return ";", i + 1
	case "-", "--":
		if len(left) > 0 && len(right) > 0 {
			return ";", i + 1
		}
	case "->", "=>", "→":
		if len(left) > 0 && (HasVerb(left) || canOpenClause(right)) {
			return w, i + 1
		}
	case ":":
		if len(right) == 0 || !strings.HasPrefix(right[0], "//") {
			return w, i + 1
		}
	case ",":
		return c.cutAtComma(left, right, i)
	case "+", "&", "plus", "and", "but", "or", "then", "so", "with", "without", "n":
		return c.cutAtConjunction(left, right, i)
	case "although", "though":
		if len(left) > 0 && len(right) > 0 {
			return "although", i + 1
		}
	default:
		return c.cutUnmarked(left, right, i)
	}
	return "", 0
}

// cutAtComma ends a clause at a comma, except between single words of a list that continues.
func (c *cutter) cutAtComma(left, right []string, i int) (lead string, next int) {
	if len(left) == 0 || len(right) == 0 {
		return ",", i + 1
	}
	if n, _ := ReadPrefix(left); n == len(left) || n < len(left) && IsConditional(left[n]) && !IsPreposition(right[0]) {
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

// isAddition reports whether the words before a plus sign are a complete sentence, and the words
// behind it not a second tool.
func isAddition(left, right []string) bool {
	if len(left) < 3 || len(right) < 2 || IsTool(right[0]) {
		return false
	}
	return HasVerb(left) && !IsDeterminer(left[len(left)-1])
}

// cutAtConjunction ends a clause if the words behind the conjunction can be a clause.
func (c *cutter) cutAtConjunction(left, right []string, i int) (lead string, next int) {
	if len(left) == 0 || len(right) == 0 {
		return "", 0
	}
	w := c.lower[i]
	switch {
	case w == "with":
		return "", 0
	case w == "without":
		if IsGerund(right[0]) {
			return w, i
		}
		return "", 0
	case w == "so" && right[0] == "that":
		return "because", i + 2
	case w == "n":
		if ImperativeLength(right) > 0 {
			return "and", i + 1
		}
		return "", 0
	case isOneOf(w, "+", "&", "plus") && isAddition(left, right):
		return w, i + 1 // "make it rounder + dark mode"
	case canOpenClause(right) && !joinsSubjects(left, right), c.isFragment && areSeparateThings(left, right):
		return w, i + 1
	}
	return "", 0
}

// cutUnmarked ends a clause without punctuation before the next one, or at a word like "because".
func (c *cutter) cutUnmarked(left, right []string, i int) (lead string, next int) {
	w := c.lower[i]
	if len(left) == 0 || len(right) == 0 {
		return "", 0
	}
	if len(left) > 1 && w == "please" && ImperativeLength(right) > 0 && !IsAuxiliary(left[len(left)-1]) && !IsSubject(left[len(left)-1]) {
		return "then", i // "the bar is broken please fix it"
	}
	if !IsSubordinator(w) || IsPreposition(left[len(left)-1]) || w == "since" && !canOpenClause(right) {
		return "", 0
	}
	if len(w) > 2 && w[0] == 'w' && (len(left) == 1 || IsAnyVerb(left[len(left)-1])) {
		return "", 0 // "show which one it is"
	}
	return "because", i + 1
}

// canOpenClause reports whether the words behind a conjunction can be a clause: an order, a
// statement, a thing with an article or a number, something to keep.
func canOpenClause(low []string) bool {
	n, said := ReadPrefix(low)
	if n >= len(low) {
		return false
	}
	rest := low[n:]
	if said.HasOpener || said.IsAdditional && !IsPreposition(rest[0]) {
		return true
	}
	if ImperativeLength(rest) > 0 || IsProhibition(rest) || HasFiniteVerb(rest) {
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
	if IsVerblessComplaint(rest[:end]) || len(rest) < 2 {
		return IsVerblessComplaint(rest[:end])
	}
	toBe := slices.Contains(rest[1:min(len(rest), 6)], "to") && IsDefinite(rest[0])
	return toBe || IntroducesNew(rest[0]) || IsComparative(rest[0])
}

// joinsSubjects reports two subjects of one verb: "the account page and the order history are
// slow".
func joinsSubjects(left, right []string) bool {
	n, _ := ReadPrefix(right)
	return !HasVerb(left) && n < len(right) && ImperativeLength(right[n:]) == 0 && HasFiniteVerb(right[n:]) && len(left) < 6
}

// areSeparateThings reports two things of more than one word each, in a sentence that only names
// things.
func areSeparateThings(left, right []string) bool {
	return len(left) > 2 && len(right) > 2 && !IsPreposition(left[len(left)-2])
}
