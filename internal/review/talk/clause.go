// Package talk hears how reviewers speak: it cuts their text into sentences and clauses, and
// tells of each clause whether it asks, praises, settles, postpones or only asks a
// question, and which severity it gives. Which file is meant is not its business. It
// touches no file.
package talk

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/token"
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

var concludes = lazyregexp.Of(`so therefore thus hence deshalb daher darum por donc portanto então quindi dus`)

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

var anymore = lazyregexp.Of(`any anymore mehr más plus mais più`)

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

var prepositions = lazyregexp.Of(`in on at of to from with for by and or line lines as like too also im in bei und en de y dans et em e`)

// Skipped are the words that stand between a name and what is said of it, and say nothing.
var Skipped = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`the a an this that those these our your its their existing one ones of in at on line lines file files module class function func method code test tests helper
		current what is it to you we do did does have der die das dem den im ein eine el la los las en un una lo le les l' du des dans ce cette o os as no na um uma`) {
		Skipped[w] = true
	}
}

// Pronoun tells a word that stands for what was named before.
func Pronoun(w string) bool {
	switch w {
	case "this", "that", "these", "those", "it", "both", "all", "they", "das", "dies", "eso", "esto", "ça", "cela", "isso", "isto", "これ", "这":
		return true
	}
	return false
}
