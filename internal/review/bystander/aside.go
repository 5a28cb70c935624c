package bystander

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// came tells the file of "X was added without Y".
func came(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i + 1; j < c.B; j++ {
		if toks[j].M != nil {
			return false
		}
		if toks[j].Lower == "without" || toks[j].Lower == "ohne" || toks[j].Lower == "sin" || toks[j].Lower == "sans" || toks[j].Lower == "sem" {
			return j+1 < c.B && (toks[j+1].M != nil || j+2 < c.B && toks[j+2].M != nil)
		}
	}
	return false
}

// reports tells "lint.sh fails with", "ci.yml flags b.go:4": a program that says what is wrong
// in the file that is named after it.
func reports(toks []token.Token, b, i int) bool {
	if i+1 >= b {
		return false
	}
	w := toks[i+1].Lower
	if !complains.Has(w) && !(strings.HasPrefix(w, "fail") && i+2 < b && (toks[i+2].Lower == "with" || toks[i+2].Lower == "on" || toks[i+2].Lower == "because" || toks[i+2].Lower == "in")) {
		return false
	}
	for j := i + 2; j < b; j++ {
		if m := toks[j].M; m != nil && !m.Soft && m.Dir == "" {
			return true
		}
	}
	return false
}

var complains = lazyregexp.Of(`reports flags complains warns rejects prints meldet bemängelt señala avisa signale aponta`)

// fails tells "a_test.go fails": the test shows what is wrong elsewhere.
func fails(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i + 1; j < c.B && j <= i+3; j++ {
		switch toks[j].Lower {
		case "fail", "fails", "failed", "failing", "breaks", "break", "broke", "crashes", "red", "flaky", "schlägt", "falla", "fallan", "échoue", "échouent", "falha", "falham":
			return true
		case "is", "are", "now", "also", "still", "both":
			continue
		}
		return false
	}
	return false
}

// background tells a name in a clause that only sets off the one before: "the queue is read
// without a lock while b.go writes it".
func background(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i - 1; j >= c.A; j-- {
		if sets[toks[j].Lower] && !(j+1 < i && (toks[j+1].Lower == "you" || strings.HasPrefix(toks[j+1].Lower, "you'") || toks[j+1].Lower == "we" || toks[j+1].Lower == "at")) || j > c.A && sets[toks[j-1].Lower+" "+toks[j].Lower] {
			for k := j; k < c.B; k++ {
				if toks[k].Class&(token.Ask|token.Need|token.Bad) != 0 {
					return false
				}
			}
			return true
		}
	}
	return false
}

var sets = map[string]bool{"while": true, "whereas": true, "although": true, "even though": true, "alors que": true, "tandis que": true, "während": true, "obwohl": true,
	"mientras": true, "aunque": true, "bien que": true, "enquanto": true, "embora": true, "mentre": true, "terwijl": true}

// reason tells a name after "since", "because" where the sentence, which starts at from,
// asked for something before: it says why, not where.
func reason(toks []token.Token, from int, c *talk.Clause, i int) bool {
	for j := i - 1; j > c.A; j-- {
		if toks[j].M != nil {
			return false
		}
		if toks[j].Lower == "as" && j+1 < i && clue.Indefinite(toks[j+1].Lower) { // "as a test to a_test.go"
			continue
		}
		if reasons[toks[j].Lower] || reasons[toks[j-1].Lower+" "+toks[j].Lower] {
			return (clue.Asks(toks, from, j) || toks[j-1].Lower == "only" || toks[j-1].Lower == "just") && !clue.Asks(toks, i, c.B)
		}
	}
	return false
}

var reasons = map[string]bool{"since": true, "because": true, "as": true, "given that": true, "weil": true, "da": true, "denn": true, "porque": true, "ya que": true, "puesto que": true, "pues": true,
	"parce que": true, "puisque": true, "car": true, "pois": true, "já que": true, "perché": true, "want": true}

// untested tells "a.go has to be tested", "a.go is not covered".
func untested(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i + 1; j < c.B; j++ {
		if w := toks[j].Lower; (w == "no" || w == "without" || w == "lacks") && j+1 < c.B && (toks[j+1].Lower == "test" || toks[j+1].Lower == "tests" || toks[j+1].Lower == "coverage") {
			return true
		}
		switch toks[j].Lower {
		case "tested", "untested", "covered", "uncovered", "getestet", "abgedeckt", "probado", "cubierto", "testé", "couvert", "testado", "coberto":
			return true
		}
	}
	return false
}

// cited tells a name inside of words in quotation marks: what a text, a message or an
// attacker says, not the reviewer. A name alone in them is only set off.
func cited(toks []token.Token, a, b, i int) bool {
	from, to := -1, -1
	for j, open := a, -1; j < b; j++ {
		if toks[j].Kind != 'p' {
			continue
		}
		switch toks[j].Text {
		case "“", "„", "«", "「":
			open = j
		case "\"", "”", "»", "」":
			if open >= 0 && open < i && i < j {
				from, to = open, j
			}
			if open >= 0 {
				open = -1
			} else {
				open = j
			}
		}
	}
	words := 0
	for j := from + 1; from >= 0 && j < to; j++ {
		if toks[j].Kind == 'w' {
			words++
		}
	}
	return words >= 4
}

// subject tells whether a symbol is what a clause is about, not what it works with.
func subject(toks []token.Token, c *talk.Clause, i int) bool {
	if c.Has&(token.Ask|token.Need|token.Bad) == 0 && !(i == c.A && i+1 < c.B && toks[i+1].Kind == 'w' && toks[i+1].Class&(token.Copula|token.Good|token.Shows) == 0) {
		return false
	}
	for j := c.A; j < c.B; j++ {
		if m := toks[j].M; m != nil && !m.Soft {
			return false
		}
		if j > i+1 && toks[j].Text == "," && j+1 < c.B && token.Joins[toks[j+1].Lower] { // what follows is said of something else
			break
		}
	}
	if i == c.A || i == c.A+1 && (toks[c.A].Kind == 'p' || talk.Skipped[toks[c.A].Lower] || toks[c.A].Class != 0) {
		return true
	}
	for j := i - 1; j >= c.A && j >= i-3; j-- {
		switch toks[j].Lower {
		case "in", "inside", "of", "en", "dans", "em":
			return true
		}
	}
	return false
}

// condition tells a name in a clause that only says when: "when b.go is empty, a.go divides by
// zero", "a.go panics once b.go has closed". What is said of lines there still counts, and so
// does the only name of a sentence.
func condition(toks []token.Token, a, b int, c *talk.Clause, i int) bool {
	at := -1
	for j := i - 1; j >= c.A && at < 0; j-- {
		if toks[j].Kind == 'p' && strings.Contains(",:;–—", toks[j].Text) && j > c.A {
			return false
		}
		if j == a && reasons[toks[j].Lower] || whens.Has(toks[j].Lower) || j > c.A && whenPhrases[toks[j-1].Lower+" "+toks[j].Lower] {
			at = j
		}
	}
	if at < 0 || at+1 < i && clue.Asks(toks, at, i) {
		return false
	}
	medial := at > a && toks[at-1].Text != ","
	for k := a; k < b; k++ { // the main clause names something itself
		if k != i && (medial && k < at || !medial && k > i) && (toks[k].M != nil && !toks[k].M.Soft || toks[k].Kind == 'L') {
			return true
		}
	}
	return false
}

var whens = lazyregexp.Of(`when whenever once until unless before after if wenn sobald bis bevor nachdem falls cuando si hasta antes después quand lorsque si dès jusqu'à avant après quando se até antes depois damit`)

// given tells a name in a clause that only gives the reason for what was asked before in the
// sentence: "drop a.go; b.go already has it", "…, b.go can't know it".
func given(toks []token.Token, asked bool, c *talk.Clause) bool {
	return asked && !c.Firm && c.Has&(token.Bad|token.Need) == 0 && !clue.Also(toks, c)
}

// testOf tells the file that tests are asked for, where the tests are named too: "tests for a.go
// are missing, please add some to a_test.go".
func testOf(toks []token.Token, i int) bool {
	for j := i - 1; j > 0 && j >= i-3; j-- {
		if toks[j].Lower != "for" && toks[j].Lower != "of" && toks[j].Lower != "für" && toks[j].Lower != "para" && toks[j].Lower != "pour" {
			continue
		}
		if toks[j-1].Lower == "missing" && (j > 1 && strings.HasPrefix(toks[j-2].Lower, "test") || j > 2 && strings.HasPrefix(toks[j-3].Lower, "test")) { // "tests: missing for a.go"
			return true
		}
		switch toks[j-1].Lower {
		case "test", "tests", "coverage", "spec", "specs", "case", "cases", "prueba", "pruebas", "teste", "testes":
			return true
		}
	}
	return false
}

// value tells a pattern that is to be written into a file named before it: "typedoc.json:
// exclude `**/internal/**`".
func value(toks []token.Token, a, i int) bool {
	if len(toks[i].M.Set) == 0 || !strings.Contains(toks[i].Text, "*") {
		return false
	}
	for j := a; j < i; j++ {
		if m := toks[j].M; m != nil && !m.Soft && len(m.Set) == 0 && m.Dir == "" {
			return true
		}
	}
	return false
}

var whenPhrases = map[string]bool{"as soon": true, "as long": true, "every time": true, "each time": true, "by the time": true, "so that": true, "para que": true, "pour que": true, "afin que": true, "in order": true}
