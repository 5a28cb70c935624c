// Package talk hears how reviewers speak: it cuts their text into sentences and clauses, and
// tells of each clause whether it asks, praises, settles, postpones or only asks a
// question, and which severity it gives. Which file is meant is not its business. It
// touches no file.
package talk

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/token"
	"github.com/belay-dev/belay/internal/wordset"
)

// Clause is a stretch of a sentence with one attitude.
type Clause struct {
	A, B  int         // its tokens
	Has   token.Class // what it says, negation taken into account
	Neg   string      // why nothing in it is asked for; "" when something may be
	Soft  bool        // neg only as far as nothing else asks
	Firm  bool        // it asks in so many words
	Short bool        // it only denies what the clause before says: "b.go doesn't"
	Hits  []int
}

// Sentences cuts tokens into sentences.
func Sentences(toks []token.Token) [][2]int {
	var out [][2]int
	from := 0
	for i := range toks {
		if i-from > 400 { // no sentence: what is said of a name is near it
			out = append(out, [2]int{from, i})
			from = i
		}
		if i > from && toks[i].Nl && newLine(toks, from, i) {
			out = append(out, [2]int{from, i})
			from = i
		}
		if toks[i].Kind == 'p' && ends(toks, i) {
			out = append(out, [2]int{from, i + 1})
			from = i + 1
		}
	}
	if from < len(toks) {
		out = append(out, [2]int{from, len(toks)})
	}
	return out
}

func ends(toks []token.Token, i int) bool {
	switch toks[i].Text {
	case "。", "！", "？", "!", "?", "…":
		return true
	case ".":
		if i+1 >= len(toks) || toks[i+1].Nl {
			return true
		}
		gap := toks[i+1].Lo > toks[i].Lo+1
		if !gap || i == 0 || toks[i-1].Kind == 'w' && abbreviation(toks[i-1].Lower) && (toks[i-1].Lower != "no" || toks[i+1].Kind == 'n') {
			return false
		}
		return toks[i-1].Kind != 'p' || toks[i-1].Text != "."
	}
	return false
}

func abbreviation(w string) bool {
	switch w {
	case "e.g", "i.e", "g", "cf", "l", "ll", "ln", "z", "etc", "vs", "ca", "approx", "bzw", "resp", "nr", "no", "ex", "b", "vgl", "fig":
		return true
	}
	return false
}

// newLine tells whether a line break ends a sentence: the next line starts with a label,
// a name or a line, and is not just a long line broken there.
func newLine(toks []token.Token, from, i int) bool {
	if LabelAt(toks, i) != "" || field(toks[i:]) {
		return true
	}
	start := i - 1
	for start > from && !toks[start].Nl {
		start--
	}
	wrapped := toks[i-1].Lo-toks[start].Lo > 56 && toks[i-1].Kind != 'p'
	if toks[i-1].Kind == 'p' && strings.Contains(":；;", toks[i-1].Text) {
		return true
	}
	if toks[i].Kind == 'p' && strings.Contains("✓✔✅✗✘❌✖☒✕", toks[i].Text) || series(toks[start], toks[i]) {
		return true
	}
	return (toks[i].Kind == 'm' || toks[i].Kind == 'L') && !wrapped || listed(toks, start, i)
}

// series tells two lines that begin with marks of one series: "F1 …", "F2 …".
func series(a, b token.Token) bool {
	letters := strings.TrimRight(b.Text, "0123456789")
	return a.Kind == 'w' && b.Kind == 'w' && letters != "" && letters != b.Text && len(letters) <= 5 && letters != "L" && strings.ToUpper(letters) == letters && strings.TrimRight(a.Text, "0123456789") == letters
}

// listed tells lines that each have a name of their own and a way of starting: "me: a.go",
// "@ann a.go", "* a.go".
func listed(toks []token.Token, start, i int) bool {
	if !hasMention(toks, start, i) || !(toks[i].Kind == 'p' && toks[i].Text != "(" || headed(toks[i:])) {
		return false
	}
	for j := i; j < len(toks) && j < i+10 && (j == i || !toks[j].Nl); j++ {
		if toks[j].Kind == 'm' {
			return true
		}
	}
	return false
}

// headed tells a line that begins with one to three words and a colon.
func headed(toks []token.Token) bool {
	for j := 1; j < len(toks) && j < 4 && !toks[j].Nl; j++ {
		if toks[j].Kind == 'p' && strings.Contains(":：]", toks[j].Text) {
			return true
		}
		if toks[j].Kind != 'w' {
			return false
		}
	}
	return false
}

// field tells "File: x", "**Fix:** y" at the start.
func field(toks []token.Token) bool {
	return len(toks) > 1 && toks[0].Kind == 'w' && toks[1].Kind == 'p' && (toks[1].Text == ":" || toks[1].Text == "：") &&
		(toks[0].Strong || fields[toks[0].Lower])
}

// fields are the words that reviewers put before a colon to say what follows.
var fields = map[string]bool{"file": true, "files": true, "location": true, "where": true, "path": true, "line": true, "lines": true, "fix": true, "severity": true, "status": true,
	"priority": true, "problem": true, "issue": true, "datei": true, "archivo": true, "fichier": true, "arquivo": true, "suggestion": true, "recommendation": true, "description": true}

const predicate = token.Need | token.Good | token.Bad | token.Keep | token.Done | token.Later | token.Ask | token.Shows

// Clauses cuts a sentence where its attitude may turn.
func Clauses(toks []token.Token, a, b int) []Clause {
	var out []Clause
	from := a
	named, said := false, false // since from
	for i := a; i < b; i++ {
		t := toks[i]
		cut := false
		switch {
		case i == from:
		case t.Kind == 'p' && (t.Text == ";" || t.Text == "；" || t.Text == "—" && named && said):
			cut = true
		case t.Kind == 'p' && (t.Text == "," || t.Text == "，") && !named && praises(toks, from, i) && hasMention(toks, i, b):
			cut = true
		case t.Class&token.But != 0 && t.Class&(token.Except) == 0 && i+1 < b && toks[i+1].Kind != 'p': // a "though" at the end turns its own clause
			cut = true
		case t.Class&token.Except != 0 && said && !ordersBefore(toks, from, i) && praised(toks, from, i): // "a.go is fine apart from line 12"
			cut = true
		case t.Kind == 'p' && t.Text == "," && named && i+1 < b && concludes.Has(toks[i+1].Lower) && hasMention(toks, i, b): // "b.go passes nil, so a.go must check"
			cut = true
		case t.Kind == 'p' && t.Text == ":" && named && watched(toks, from, i) && (!hasMention(toks, i, b) || ordersBefore(toks, i, b)): // "I ran a.go: line 7 is slow"
			cut = true
		case t.Kind == 'p' && (t.Text == "," || t.Text == "、" || t.Text == "，") && named && said && turns(toks, i+1, b):
			cut = true
		case t.Kind == 'w' && (t.Lower == "and" || t.Lower == "und" || t.Lower == "y" || t.Lower == "et" || t.Lower == "e") && (named && said && turns(toks, i+1, b) || said && i+1 < b && toks[i+1].Class&token.Keep != 0 && toks[i+1].Class&token.Not == 0 && asked(toks, from, i)):
			cut = true
		}
		if cut {
			out = append(out, Clause{A: from, B: i})
			from, named, said = i, false, false
			continue
		}
		named = named || t.Kind == 'm' || t.Kind == 'L'
		said = said || t.Class&predicate != 0 && !(t.Class&predicate == token.Ask && i > a && toks[i-1].Lower == "you") || t.Class&token.Touch != 0 && i > a && toks[i-1].Class&token.Not != 0 || ellipsis(toks, i, b) || t.Lower == "too" && i > from && toks[i-1].Kind == 'm'
	}
	return append(out, Clause{A: from, B: b})
}

func ordersBefore(toks []token.Token, from, to int) bool {
	for i := from; i < to; i++ {
		if toks[i].Class&(token.Ask|token.Need|token.Bad) != 0 {
			return true
		}
	}
	return false
}

func praised(toks []token.Token, from, to int) bool {
	for i := from; i < to; i++ {
		if toks[i].Class&token.Good != 0 {
			return true
		}
	}
	return false
}

var concludes = wordset.Of(`so therefore thus hence deshalb daher darum por donc portanto então quindi dus`)

// Concludes tells a clause that draws a conclusion from the one before.
func Concludes(toks []token.Token, c *Clause) bool {
	return c.A+1 < c.B && toks[c.A].Text == "," && concludes.Has(toks[c.A+1].Lower)
}

// watched tells "I ran", "I looked at" at the start.
func watched(toks []token.Token, from, to int) bool {
	for i := from; i < to && i < from+3; i++ {
		if toks[i].Class&token.Seen != 0 {
			return first[toks[from].Lower]
		}
	}
	return false
}

var anymore = wordset.Of(`any anymore mehr más plus mais più`)

// ellipsis tells a denied verb that a clause ends with: "b.go isn't", "line 9 is not".
func ellipsis(toks []token.Token, i, b int) bool {
	t := toks[i]
	ends := i+1 >= b || anymore.Has(toks[i+1].Lower) || toks[i+1].Kind == 'p' && strings.Contains(".:,;!(–—", toks[i+1].Text)
	if !ends || t.Kind != 'w' || i == 0 {
		return false
	}
	switch t.Lower {
	case "isn't", "aren't", "doesn't", "don't", "didn't", "won't", "wasn't", "weren't", "hasn't", "haven't", "cannot", "can't":
		return true
	case "not", "nicht", "no", "pas", "não", "niet":
		prev := toks[i-1]
		return t.Lower == "no" && prev.Kind == 'm' || token.Phrase(prev.Lower)&token.Copula != 0 || prev.Lower == "does" || prev.Lower == "do" || prev.Lower == "did" || prev.Lower == "has" || prev.Lower == "have" || prev.Kind == 'm'
	}
	return false
}

// asked tells an order among the tokens: "please fix that and leave the test".
func asked(toks []token.Token, from, to int) bool {
	for i := from; i < to; i++ {
		if toks[i].Class&token.Ask != 0 {
			return true
		}
	}
	return false
}

// praises tells a complete "X is right" among the tokens.
func praises(toks []token.Token, from, to int) bool {
	said := false
	for i := from; i < to; i++ {
		said = said || toks[i].Class&token.Copula != 0
		if said && toks[i].Class&token.Good != 0 {
			return true
		}
	}
	return false
}

func hasMention(toks []token.Token, from, to int) bool {
	for i := from; i < to; i++ {
		if toks[i].M != nil {
			return true
		}
	}
	return false
}

// turns tells whether what follows has a name and a predicate of its own, or starts with
// an order.
func turns(toks []token.Token, from, to int) bool {
	named, said := false, false
	for i := from; i < to && i < from+25; i++ {
		t := toks[i]
		if i == from && t.Kind == 'm' && i+1 < to && toks[i+1].Kind == 'w' && !token.Joins[toks[i+1].Lower] && toks[i+1].Class&(token.Ref|token.Where|token.But) == 0 && !prepositions.Has(toks[i+1].Lower) {
			return true // ", b.go opens it"
		}
		if i == from && t.Class&token.Ask != 0 || i == from && i+1 < to && token.Joins[t.Lower] && toks[i+1].Class&token.Not != 0 && i+2 < to && toks[i+2].Class&token.Touch != 0 {
			return true
		}
		if t.Kind == 'p' && (t.Text == "," || t.Text == ";") && named && said {
			break
		}
		named = named || t.Kind == 'm' || t.Kind == 'L'
		said = said || t.Class&predicate != 0 || ellipsis(toks, i, to)
	}
	return named && said
}

// Weigh finds the attitude of a clause.
func Weigh(toks []token.Token, c *Clause, question bool) {
	if c.A >= c.B {
		return
	}
	negated := -9
	c.Has |= across(toks, c)
	if deferred(toks, c) {
		c.Has |= token.Later
	}
	for i := c.A; i < c.B; i++ {
		t := &toks[i]
		is := t.Class
		c.Has |= voted(toks, c, i)
		if already(toks, c, i) {
			c.Has |= token.Good
		}
		if t.Lower == "too" && i+1 < c.B && toks[i+1].Kind == 'w' && toks[i+1].Class&(token.But|token.Ask) == 0 && !token.Joins[toks[i+1].Lower] {
			c.Has |= token.Bad // "too short"
		}
		if t.Kind == 'w' && ordered(toks, c, i) {
			is |= token.Ask
		}
		if t.Kind == 'w' && denied(toks, c, i) {
			c.Has |= is&^(token.Bad|token.Touch) | token.Good
			continue
		}
		if t.Kind == 'p' && strings.Contains(",;:—–", t.Text) { // a denial ends with its phrase
			negated = -9
		}
		if is == 0 {
			continue
		}
		near := i-negated <= 4
		if i > c.A && t.Kind == 'w' && t.Words == 1 && noun(toks, c, i) {
			is &^= token.Ask
			if t.Lower == "missing" {
				is &^= token.Need
			}
		}
		if is&token.Later != 0 && !laterOn(toks, c, i) {
			is &^= token.Later
		}
		if near && orders(toks, c, i, negated) {
			is |= token.Need
		}
		if is&token.Good != 0 && i > c.A && almost.Has(toks[i-1].Lower) {
			is = is&^token.Good | token.Bad
		}
		if is&token.Good != 0 && wish(toks, c, i) {
			is = is&^token.Good | token.Need
		}
		if ellipsis(toks, i, c.B) {
			c.Short = true
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
		if near && token.Phrase(t.Lower)&token.Not != 0 && t.Words > 1 { // "no tengo nada que decir" denies once
			near = false
		}
		if near && is&(token.Good|token.Done|token.Later) != 0 {
			if is&token.Good != 0 && is&token.Bad == 0 {
				c.Has |= token.Bad
			}
			is &^= token.Good | token.Done | token.Later
		}
		if near && is&token.Need != 0 && strings.HasPrefix(t.Lower, "be") && t.Words > 1 {
			c.Has |= token.Keep
			is &^= token.Need
		}
		if near && is&token.Touch != 0 && !(reports(toks, c, negated) && !alters.Has(t.Lower)) {
			c.Has |= token.Keep
			is &^= token.Ask | token.Touch | token.Need | token.Moved | token.Undo
		}
		if is&token.Done != 0 && !((t.Lower == "skip" || t.Lower == "ignore") && dismisses(toks, c, i) || t.Lower != "skip" && t.Lower != "ignore" && states(toks, c, i)) {
			is &^= token.Done
		}
		if is&token.Good != 0 && (!predicates(toks, c, i) || cited(toks, c, i)) {
			is &^= token.Good
		}
		if is&token.Seen != 0 && i > c.A+1 && !firstPerson(toks, c.A, i) && toks[i-1].Text != ":" {
			is &^= token.Seen
		}
		if is&token.Ask != 0 && near {
			is &^= token.Ask
		}
		if is&token.Not != 0 && t.Words == 1 || t.Words == 2 && is&token.Not != 0 {
			negated = i
		}
		c.Has |= is &^ token.Touch
	}
	c.judge(toks, question)
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
	verbs = wordset.Of(`fix change remove delete drop revert restore rename move replace update handle split extract guard close bump pin ensure rewrite refactor reduce switch swap undo escape sanitize sanitise validate
		rethrow regenerate reorder convert simplify inline hoist quote mend tighten add create commit document annotate`)
	governs = wordset.Of(`please pls plz kindly and or then to not just also simply should must can could would will shall may might need needs let's let you we i better rather instead either always never help so now at least maybe perhaps again first second third finally still do don't
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

var prepositions = wordset.Of(`in on at of to from with for by and or line lines as like too also im in bei und en de y dans et em e`)

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
var alters = wordset.Of(`change changed changes touch touched modify modified edit edited alter altered`)

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

var Skipped = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`the a an this that those these our your its their existing one ones of in at on line lines file files module class function func method code test tests helper
		current what is it to you we do did does have der die das dem den im ein eine el la los las en un una lo le les l' du des dans ce cette o os as no na um uma`) {
		Skipped[w] = true
	}
}

func Pronoun(w string) bool {
	switch w {
	case "this", "that", "these", "those", "it", "both", "all", "they", "das", "dies", "eso", "esto", "ça", "cela", "isso", "isto", "これ", "这":
		return true
	}
	return false
}

// Likewise tells a line that goes on with what the line before said.
func Likewise(t token.Token) bool {
	switch t.Lower {
	case "same", "also", "likewise", "ditto", "and", "as", "dito", "idem", "auch", "también", "aussi", "também", "it", "this", "that":
		return true
	}
	return t.Kind == 'w' && t.Lower == t.Text && t.Class&token.Ask == 0 // a broken line
}

// Settled tells an item that starts with a word for its state: "[DONE] …", "Wontfix: …".
func Settled(toks []token.Token) bool {
	i := 0
	for i < len(toks) && toks[i].Kind == 'p' && strings.Contains("[(*{【", toks[i].Text) {
		i++
	}
	if i >= len(toks) || toks[i].Kind != 'w' || toks[i].Class&(token.Done|token.Later) == 0 {
		return false
	}
	for j := i + 1; j < len(toks); j++ {
		if toks[j].Nl && headed(toks[j:]) { // "done: a.go", and below it "to do: b.go"
			return false
		}
	}
	for end := i + 1; end < len(toks) && end < i+3; end++ {
		if toks[end].Kind == 'p' {
			return strings.Contains("])}:：】", toks[end].Text)
		}
	}
	return false
}

var summaries = map[string]bool{"summary": true, "tl": true, "tldr": true, "verdict": true, "overall": true, "overview": true, "conclusion": true, "zusammenfassung": true, "fazit": true,
	"sum": true, "short": true, "résumé": true, "resumen": true, "resumo": true, "まとめ": true, "总结": true, "totals": true, "recap": true}

// Sums tells words that start a summary of what is said elsewhere.
func Sums(toks []token.Token) bool {
	for _, t := range toks {
		if t.Kind == 'w' && summaries[t.Lower] {
			return true
		}
	}
	return false
}
