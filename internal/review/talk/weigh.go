package talk

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/token"
)

// Weigh finds the attitude of a clause.
func Weigh(toks []token.Token, c *Clause, question bool) {
	if c.A >= c.B {
		return
	}
	c.Has |= across(toks, c)
	if deferred(toks, c) {
		c.Has |= token.Later
	}
	denial := -9 // where the last one is
	for i := c.A; i < c.B; i++ {
		c.around(toks, i)
		t := &toks[i]
		is := t.Class
		if t.Kind == 'w' && ordered(toks, c, i) {
			is |= token.Ask
		}
		if t.Kind == 'w' && denied(toks, c, i) {
			c.Has |= is&^(token.Bad|token.Touch) | token.Good
			continue
		}
		if t.Kind == 'p' && strings.Contains(",;:—–", t.Text) { // a denial ends with its phrase
			denial = -9
		}
		if is == 0 {
			continue
		}
		near := i-denial <= 4
		is = verb(toks, c, i, is)
		if near && orders(toks, c, i, denial) {
			is |= token.Need
		}
		is = meant(toks, c, i, is)
		if near && !(token.Phrase(t.Lower)&token.Not != 0 && t.Words > 1) { // "no tengo nada que decir" denies once
			is = c.deny(toks, i, denial, is)
		}
		is = stated(toks, c, i, is)
		if ellipsis(toks, i, c.B) {
			c.Short = true
		}
		if is&token.Not != 0 && (t.Words == 1 || t.Words == 2) {
			denial = i
		}
		c.Has |= is &^ token.Touch
	}
	c.judge(toks, question)
}

// around adds what the token at i says only with those beside it, whatever its own class.
func (c *Clause) around(toks []token.Token, i int) {
	c.Has |= voted(toks, c, i)
	if already(toks, c, i) {
		c.Has |= token.Good
	}
	if toks[i].Lower == "too" && i+1 < c.B && toks[i+1].Kind == 'w' && toks[i+1].Class&(token.But|token.Ask) == 0 && !token.Joins[toks[i+1].Lower] {
		c.Has |= token.Bad // "too short"
	}
}

// verb takes away what a word would say as a verb where it is none, and what would put off
// where nothing is put off.
func verb(toks []token.Token, c *Clause, i int, is token.Class) token.Class {
	t := &toks[i]
	if i > c.A && t.Kind == 'w' && t.Words == 1 && noun(toks, c, i) {
		is &^= token.Ask
		if t.Lower == "missing" {
			is &^= token.Need
		}
	}
	if is&token.Later != 0 && !laterOn(toks, c, i) {
		is &^= token.Later
	}
	return is
}

// meant turns what a word says into what is meant by it: "almost right" is not praise,
// "would be good" is a wish, "keep the lock" an order.
func meant(toks []token.Token, c *Clause, i int, is token.Class) token.Class {
	t := &toks[i]
	if is&token.Good != 0 && i > c.A && almost.Has(toks[i-1].Lower) {
		is = is&^token.Good | token.Bad
	}
	if is&token.Good != 0 && wish(toks, c, i) {
		is = is&^token.Good | token.Need
	}
	if is&token.Keep != 0 && told(toks, c, i) {
		is &^= token.Keep
	}
	if is&token.Keep != 0 && !keeps(toks, c, i) {
		if is &^= token.Keep; t.Lower == "keep" || t.Lower == "leave" {
			is |= token.Ask
		}
	}
	if is&token.Need != 0 && elliptic(toks, c, i) {
		is &^= token.Need
	}
	return is
}

// deny gives what is left of a word's class behind a denial, and adds to the clause what the
// two say together: "not right" is a defect, "do not change" is to be left.
func (c *Clause) deny(toks []token.Token, i, denial int, is token.Class) token.Class {
	t := &toks[i]
	if is&(token.Good|token.Done|token.Later) != 0 {
		if is&token.Good != 0 && is&token.Bad == 0 {
			c.Has |= token.Bad
		}
		is &^= token.Good | token.Done | token.Later
	}
	if is&token.Need != 0 && strings.HasPrefix(t.Lower, "be") && t.Words > 1 {
		c.Has |= token.Keep
		is &^= token.Need
	}
	if is&token.Touch != 0 && !(reports(toks, c, denial) && !alters.Has(t.Lower)) {
		c.Has |= token.Keep
		is &^= token.Touch | token.Need | token.Moved | token.Undo
	}
	return is &^ token.Ask
}

// stated takes away what a word only seems to state: "skip the first line" settles nothing, a
// quoted "ok" praises nothing, "he looked" is not the reviewer.
func stated(toks []token.Token, c *Clause, i int, is token.Class) token.Class {
	t := &toks[i]
	if is&token.Done != 0 && !((t.Lower == "skip" || t.Lower == "ignore") && dismisses(toks, c, i) || t.Lower != "skip" && t.Lower != "ignore" && states(toks, c, i)) {
		is &^= token.Done
	}
	if is&token.Good != 0 && (!predicates(toks, c, i) || cited(toks, c, i)) {
		is &^= token.Good
	}
	if is&token.Seen != 0 && i > c.A+1 && !firstPerson(toks, c.A, i) && toks[i-1].Text != ":" {
		is &^= token.Seen
	}
	return is
}

// noun tells "the rename", "the missing one", "you split": no order.
func noun(toks []token.Token, c *Clause, i int) bool {
	if prev := toks[i-1]; verbs.Has(toks[i].Lower) && prev.Kind == 'w' && !governs.Has(prev.Lower) && !strings.HasSuffix(prev.Lower, "n't") && !strings.HasSuffix(prev.Lower, "'d") && !strings.HasSuffix(prev.Lower, "'ll") && !strings.HasSuffix(prev.Lower, "ly") && prev.Class&(token.But|token.Ask|token.Need|token.Polite) == 0 {
		return true // "the escape table", "this fix"
	}
	switch toks[i-1].Lower {
	case "the", "a", "an", "this", "that", "your", "my", "la", "el", "le", "der", "die", "das", "o":
		return true
	case "you":
		if toks[i].Class&token.Need != 0 {
			return false
		}
		return i-1 == c.A || toks[i-2].Class&(token.Polite|token.Ask|token.Need) == 0 && toks[i-2].Class&token.Polite == 0 && toks[i-2].Lower != "can" && toks[i-2].Lower != "could" && toks[i-2].Lower != "would"
	}
	return false
}

// verbs are English words that ask where a verb stands, and are nouns or reports elsewhere;
// governs are the words a verb may follow.
var (
	verbs = lazyregexp.Of(`fix change remove delete drop revert restore rename move replace update handle split extract guard close bump pin ensure rewrite refactor reduce switch swap undo escape sanitize sanitise validate
		rethrow regenerate reorder convert simplify inline hoist quote mend tighten add create commit document annotate`)
	governs = lazyregexp.Of(`please pls plz kindly and or then to not just also simply should must can could would will shall may might need needs let's let you we i better rather instead either always never help so now at least maybe perhaps again first second third finally still do don't
		here there it this that both all them these those`)
)

// query tells "I was wondering whether", "can you explain": a question whatever its end.
func query(toks []token.Token, c *Clause) bool {
	return c.Has&token.Ask == 0 && toks[c.A].Class&token.Query != 0 && toks[c.A].Words > 2 && toks[c.A].Class&token.Polite == 0
}

// across finds phrases of languages without spaces that a word in Latin letters is part
// of: 別PR.
func across(toks []token.Token, c *Clause) token.Class {
	wides, latin := false, false
	for i := c.A; i < c.B; i++ {
		if toks[i].Kind == 'w' {
			w := token.Wide([]rune(toks[i].Text)[0])
			wides, latin = wides || w, latin || !w
		}
	}
	if !wides || !latin {
		return 0
	}
	var text strings.Builder
	for i := c.A; i < c.B; i++ {
		if toks[i].Kind == 'w' {
			text.WriteString(toks[i].Lower)
		}
	}
	return token.Mixed(text.String())
}

// first are the words a reviewer starts with to say what he did.
var first = map[string]bool{"i": true, "i've": true, "we": true, "ich": true, "wir": true, "j'ai": true, "he": true, "eu": true, "ho": true}

// inverted tells a question with a verb or a question word, not "missing await?".
func inverted(toks []token.Token, c *Clause) bool {
	for i := c.A; i < c.B; i++ {
		if token.Phrase(toks[i].Lower)&(token.Query|token.Copula) != 0 || toks[i].Class&(token.Query|token.Polite) != 0 || Pronoun(toks[i].Lower) {
			return true
		}
	}
	return false
}

// firstPerson tells whether the reviewer speaks of himself before the token at i.
func firstPerson(toks []token.Token, a, i int) bool {
	for j := a; j < i; j++ {
		if first[toks[j].Lower] {
			return true
		}
	}
	return false
}

// dismisses tells "skip", "ignore that" from "skip the first line".
func dismisses(toks []token.Token, c *Clause, i int) bool {
	return i+1 >= c.B || toks[i+1].Kind == 'p' || Pronoun(toks[i+1].Lower) || toks[i+1].Lower == "them" || toks[i+1].M != nil
}

// reports tells a denial that says what does not happen, "doesn't remove", from one that
// forbids it.
func reports(toks []token.Token, c *Clause, negated int) bool {
	w := toks[negated].Lower
	if (w == "not" || w == "never") && negated > c.A {
		w = toks[negated-1].Lower + " not"
	}
	switch w {
	case "doesn't", "didn't", "isn't", "wasn't", "won't", "hasn't", "haven't", "can't", "cannot", "couldn't", "wouldn't", "does not", "did not", "is not", "was not", "has not", "have not", "can not", "could not", "will not":
		return true
	}
	return false
}

// alters are the verbs that say, denied, that a file is as it was.
var alters = lazyregexp.Of(`change changed changes touch touched modify modified edit edited alter altered`)

// cited tells a word in quotation marks: "Ok" as a text of the program praises nothing.
func cited(toks []token.Token, c *Clause, i int) bool {
	n := i + max(toks[i].Words, 1)
	return i > c.A && n < c.B && strings.Contains("\"“”„«»'‘’", toks[i-1].Text) && toks[i-1].Text != "" && strings.Contains("\"“”„«»'‘’", toks[n].Text) && toks[n].Text != ""
}

// predicates tells whether a word of praise is said of something, not part of it.
func predicates(toks []token.Token, c *Clause, i int) bool {
	t := toks[i]
	if t.Words > 1 || t.Kind == 'p' || token.Wide([]rune(t.Text)[0]) || i+t.Words >= c.B || i == c.A {
		return true
	}
	if next := toks[i+t.Words]; next.Kind == 'p' && strings.Contains(".,;!)]、", next.Text) || next.Class&(token.But|token.Done) != 0 {
		return true
	}
	for j := i - 1; j >= c.A && j >= i-4; j-- {
		if toks[j].Class&token.Copula != 0 || toks[j].Kind == 'm' || toks[j].Kind == 'L' || toks[j].Kind == 'p' && strings.Contains(":-–—→=", toks[j].Text) {
			return true
		}
	}
	return false
}

func (c *Clause) judge(toks []token.Token, question bool) {
	orders := c.Has&(token.Ask|token.Need) != 0
	c.Firm = orders
	switch {
	case query(toks, c):
		c.Neg, c.Soft = "a question", true
	case toks[c.A].Lower == "if" && c.Has&token.Ask == 0 && c.A+1 < c.B && (toks[c.A+1].Lower == "so" || toks[c.A+1].Lower == "not" || toks[c.A+1].Lower == "yes"):
		c.Neg, c.Soft = "a question", true
	case c.Has&token.Later != 0 && c.Has&token.Ask != 0 && c.Has&(token.Gone|token.Undo) != 0: // "it does not belong here, remove it"
	case c.Has&token.Later != 0:
		c.Neg = "left for another change"
	case c.Has&token.Recall != 0:
		c.Neg = "withdrawn"
	case c.Has&token.Keep != 0 && !(c.Has&token.Need != 0 && c.Has&token.Bad != 0):
		c.Neg = "to be left as it is"
	case c.Has&token.Seen != 0:
		c.Neg, c.Soft = "only looked at", true
	case c.Has&token.Done != 0 && !orders && c.Has&token.Bad == 0:
		c.Neg = "settled"
	case blank(toks, c) || waives(toks, c):
		c.Neg, c.Soft = "found good", true
	case pointing(toks, c):
		c.Neg, c.Soft = "only pointed at", true
	case question && asksBack(toks, c):
	case question && c.Has&(token.Bad|token.Need) != 0 && !inverted(toks, c): // "a.go:4 typo?"
	case question && c.Has&token.Polite == 0 && !(c.Has&token.Ask != 0 && toks[c.A].Class&token.Query == 0 && c.Has&token.Query == 0):
		c.Neg, c.Soft = "a question", true
	case c.Has&token.Good != 0 && !orders && c.Has&token.Bad == 0:
		c.Neg, c.Soft = "found good", true
	case c.Has&token.Done != 0 && c.Has&token.Bad != 0 && !orders && c.Has&token.Not == 0:
		c.Neg = "settled"
	}
	if c.Neg != "" {
		c.Firm = false
	}
}
