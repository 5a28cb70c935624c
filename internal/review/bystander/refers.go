// Package bystander tells why a name in a clause that asks for something, or names a
// defect, is still not where the change is: it is only compared with, called from, an
// example, a reason, a condition, said not to be meant, or it only describes how things
// hang together. What the whole review says of a file is not its business. It touches no
// file.
package bystander

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// Refers tells whether the mention at i is only compared with, called from or shown.
func Refers(toks []token.Token, c *talk.Clause, i int) bool {
	if compared(toks, c, i) {
		return false
	}
	if doing(toks, c, i) || called(toks, c, i) || trailing(toks, c, i) || explained(toks, c, i) || source(toks, c, i) || offered(toks, c, i) || equated(toks, c, i) {
		return true
	}
	if refers, told := led(toks, c, i); told {
		return refers
	}
	return exists(toks, c, i) || consequence(toks, c, i) || shows(toks, c, i)
}

// doing tells the name in "close what b.go opens".
func doing(toks []token.Token, c *talk.Clause, i int) bool {
	return i > c.A && (toks[i-1].Lower == "what" || toks[i-1].Lower == "was" && toks[i-1].Class&token.Copula == 0) && i+1 < c.B && toks[i+1].Kind == 'w'
}

// led looks at the words that lead to the mention at i, the nearest first, and tells whether
// they refer to it; told is false when they say nothing of that.
func led(toks []token.Token, c *talk.Clause, i int) (refers, told bool) {
	for j, steps := i-1, 0; j >= c.A && steps < 6; j, steps = j-1, steps+1 {
		t := toks[j]
		if t.Kind == 'p' && t.Text == "." && j > c.A && abbreviated.Has(toks[j-1].Lower) {
			continue
		}
		if t.Lower == "as" && likened(toks[c.A:j]) || t.Lower == "que" && samely(toks[c.A:j]) { // "el mismo fallo que a.go"
			return true, true
		}
		if t.Ends&token.Ref != 0 {
			return points(toks, c, i, j), true
		}
		if t.Kind == 'w' && j > c.A && strings.HasSuffix(t.Lower, "ing") && toks[j-1].Ends&token.Ref != 0 && (toks[j-1].Lower == "of" || toks[j-1].Lower == "than") { // "instead of patching b.go"
			return true, true
		}
		if k := before(toks, c, j); k >= 0 {
			j = k
			continue
		}
		if !(t.Kind == 'w' && talk.Skipped[t.Lower] || t.Kind == 'c' || t.Kind == 'L' || t.Kind == 'p' && strings.Contains("(\"`“", t.Text)) {
			break
		}
	}
	return false, false
}

// points tells whether the word of reference that ends at j only points at the mention at i:
// "like in a.go", "see a.go", but not "the error comes from a.go".
func points(toks []token.Token, c *talk.Clause, i, j int) bool {
	t := toks[j]
	last := toks[max(j-1, c.A)].Lower
	switch t.Lower {
	case "in", "at":
		if symptom.Has(last) && laterLines(toks, i, c.B) {
			return false
		}
	case "see":
		if j == c.A && c.Has&(token.Bad|token.Need|token.Ask) != 0 || j > c.A+1 && last == "to" && wants.Has(toks[j-2].Lower) { // "the pattern I'd like to see in a.go"
			return false
		}
	}
	if (nominal.Has(t.Lower) || nominal.Has(last)) && (said(toks, i+1, c.B) || c.Short) { // "the example in a.go doesn't compile"
		return false
	}
	if (t.Lower == "see" || t.Lower == "also" && j > c.A && last == "see") && needed(toks, i+1, c.B) { // "see also b.go, which has to change with it"
		return false
	}
	switch t.Lower {
	case "from":
		if j > c.A && caused(toks, c.A, j) { // "the error comes from a.go"
			return false
		}
		fallthrough
	case "aus", "de", "desde", "depuis", "via":
		return !token.Takes(toks[c.A:j+1]) && c.Has&(token.Moved|token.Undo) == 0
	}
	return true
}

// shows tells from the words behind the mention at i that it is where something shows.
func shows(toks []token.Token, c *talk.Clause, i int) bool {
	for j, steps := i+1, 0; j < c.B && steps < 5; j++ {
		t := toks[j]
		if t.Class&token.Shows != 0 {
			return true
		}
		if t.Kind == 'w' {
			steps++
			switch t.Lower {
			case "which", "that", "also", "still", "just", "only", "line", "where", "one":
				continue
			}
			return wideShows(t)
		}
		if t.Kind == 'm' || t.Kind == 'p' && !strings.Contains("),(`\"", t.Text) {
			return false
		}
	}
	return false
}

// before skips "A and" before B: what is said of A is said of both.
func before(toks []token.Token, c *talk.Clause, j int) int {
	t := toks[j]
	if !(t.Kind == 'w' && token.Joins[t.Lower] || t.Kind == 'p' && (t.Text == "," || t.Text == "&" || t.Text == "/" || t.Text == "、")) {
		return -1
	}
	for j--; j >= c.A && (toks[j].Kind == 'L' || toks[j].Kind == 'p' && toks[j].Text == ","); j-- {
	}
	if j >= c.A && (toks[j].M != nil || toks[j].Kind == 'u') {
		return j
	}
	return -1
}

// exists tells "there's a helper for this in a.go", "we have a type for it in a.go": where
// something that is good to use already is.
func exists(toks []token.Token, c *talk.Clause, i int) bool {
	if c.Has&(token.Bad|token.Ask) != 0 {
		return false
	}
	frame := false
	for j := c.A; j < i && j < c.A+8; j++ {
		switch toks[j].Lower {
		case "there's", "there", "have", "find", "es", "gibt", "haben", "hay", "tenemos", "existe", "a", "avons", "temos", "existem":
			frame = true
		}
		if frame && useful.Has(toks[j].Lower) {
			return true
		}
	}
	return false
}

var useful = lazyregexp.Of(`helper function util utility method constant type wrapper class hook example precedent equivalent implementation version counterpart macro fixture snippet
		funktion methode konstante klasse beispiel función método constante clase ejemplo fonction méthode classe exemple função classe exemplo`)

var likens = map[string]bool{"as": true, "like": true, "wie": true, "como": true, "comme": true, "come": true, "zoals": true}

var does = map[string]bool{"does": true, "do": true, "did": true, "has": true, "tut": true, "macht": true, "hace": true, "fait": true, "faz": true, "fa": true, "doet": true}

var abbreviated = lazyregexp.Of(`cf vgl e.g i.e bzw z.b p.ej ej ex`)

var symptom = lazyregexp.Of(`fails fail failing crashes dies`)

// laterLines tells lines that are said further on: "when it fails in a.go, we go on (line 52)".
func laterLines(toks []token.Token, i, b int) bool {
	for j := i + 2; j < b; j++ {
		if toks[j].Kind == 'L' {
			return true
		}
	}
	return false
}

var nominal = lazyregexp.Of(`example pattern helper caller callers one ones snippet beispiel ejemplo exemple exemplo`)

// said tells that something is wrong, or has to happen, among the tokens.
func said(toks []token.Token, a, b int) bool {
	for j := a; j < b; j++ {
		if toks[j].Class&(token.Bad|token.Need) != 0 {
			return true
		}
	}
	return false
}

// needed tells that something has to happen among the tokens, said of what stands before them.
func needed(toks []token.Token, a, b int) bool {
	if a < b && toks[a].Text == "," {
		a++
	}
	if a >= b || toks[a].Lower != "which" && toks[a].Lower != "that" {
		return false
	}
	for j := a; j < b && toks[j].M == nil; j++ {
		if toks[j].Class&token.Need != 0 {
			return true
		}
	}
	return false
}

// caused tells "the error comes" before a "from": what follows is what to mend.
func caused(toks []token.Token, a, j int) bool {
	switch toks[j-1].Lower {
	case "comes", "came", "stems", "originates", "arises":
		return said(toks, a, j) || toks[a].Class&token.But != 0
	}
	return false
}

// samely tells "el mismo", "le même" before a "que".
func samely(toks []token.Token) bool {
	for _, t := range toks {
		switch t.Lower {
		case "mismo", "misma", "mismos", "mismas", "mesmo", "mesma", "mesmos", "même", "mêmes":
			return true
		}
	}
	return false
}

// likened tells "the same" before an "as".
func likened(toks []token.Token) bool {
	for _, t := range toks {
		if t.Lower == "same" || t.Lower == "just" || t.Lower == "exactly" || t.Lower == "way" {
			return true
		}
	}
	return false
}

// consequence tells ", so the import in a.go fails": where it shows.
func consequence(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i - 1; j > c.A; j-- {
		if toks[j].M != nil || toks[j].Text == ":" || toks[j].Class&(token.Ask|token.Need) != 0 {
			return false
		}
		if toks[j].Lower == "so" && toks[j-1].Text == "," {
			for k := i + 1; k < c.B; k++ {
				if toks[k].Class&(token.Ask|token.Need) != 0 {
					return false
				}
			}
			return true
		}
	}
	return false
}

func wideShows(t token.Token) bool { return token.Wide([]rune(t.Text)[0]) && t.Class&token.Shows != 0 }

// explained tells a name at the start that only says who says so: "as a.md explains, …".
func explained(toks []token.Token, c *talk.Clause, i int) bool {
	return i > c.A && i+1 < c.B && likens[toks[i-1].Lower] && (does[toks[i+1].Lower] || explains.Has(toks[i+1].Lower))
}

var explains = lazyregexp.Of(`explains says shows notes describes requires documents states demands specifies suggests mentions says explains erklärt sagt zeigt beschreibt verlangt explica dice muestra describe indica explique dit montre décrit diz mostra descreve`)

// compared tells the first name of "like a.go, b.go ignores the error": b.go is what is spoken of.
func compared(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i - 1; j > c.A; j-- {
		if toks[j].Kind == 'p' && toks[j].Text == "," {
			for k := j - 1; k >= c.A; k-- {
				if toks[k].Ends&token.Ref != 0 {
					return !listed(toks, c, i)
				}
			}
			return false
		}
		if toks[j].M != nil {
			return false
		}
	}
	return false
}

// listed tells that a list of names goes on behind the one at i.
func listed(toks []token.Token, c *talk.Clause, i int) bool {
	j := i + 1
	return j < c.B && (token.Joins[toks[j].Lower] || toks[j].Text == ",") && j+1 < c.B && toks[j+1].M != nil
}

// source tells a name that something is taken over from into a file named before: "a.go should
// get its timeout from b.go". What is moved leaves one file and reaches another.
func source(toks []token.Token, c *talk.Clause, i int) bool {
	if c.Has&token.Moved != 0 {
		return false
	}
	j := i - 1
	for j > c.A && toks[j].Kind == 'w' && talk.Skipped[toks[j].Lower] {
		j--
	}
	switch toks[max(j, c.A)].Lower {
	case "from", "aus", "von", "desde", "de", "depuis":
	default:
		return false
	}
	for k := j - 1; k >= c.A; k-- {
		if token.Outward(toks[k].Lower) {
			return false
		}
		if toks[k].M != nil && !toks[k].M.Soft {
			return true
		}
	}
	return false
}

// offered tells "b.go has a pool you can copy".
func offered(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i + 1; j+2 < c.B; j++ {
		if toks[j].Lower == "you" && (toks[j+1].Lower == "can" || toks[j+1].Lower == "could" || toks[j+1].Lower == "may") && offers.Has(toks[j+2].Lower) {
			return true
		}
	}
	return false
}

var offers = lazyregexp.Of(`copy use reuse borrow follow take steal crib mirror adapt`)

// equated tells the right side of "a.go = b.go with other names".
func equated(toks []token.Token, c *talk.Clause, i int) bool {
	if i < c.A+2 || toks[i-1].Kind != 'p' || toks[i-1].Text != "=" && toks[i-1].Text != "≈" && toks[i-1].Text != "≙" {
		return false
	}
	return toks[i-2].M != nil || toks[i-2].Text == "="
}

// called tells the second name of "a.go calls b.go without the lock": what is wrong is how the
// first does it.
func called(toks []token.Token, c *talk.Clause, i int) bool {
	j := i - 1
	for j > c.A && toks[j].Kind == 'w' && talk.Skipped[toks[j].Lower] {
		j--
	}
	if !calls.Has(toks[max(j, c.A)].Lower) || c.Firm && c.Has&token.Ask != 0 {
		return false
	}
	for j--; j >= c.A; j-- {
		if m := toks[j].M; m != nil && !m.Soft && len(m.Set) == 0 {
			return true
		}
		if toks[j].Kind == 'p' && toks[j].Text != ")" && toks[j].Text != "`" {
			return false
		}
	}
	return false
}

var wants = lazyregexp.Of(`like love want expect expected prefer hope hoped rather`)

var calls = lazyregexp.Of(`calls imports uses invokes includes loads importiert benutzt verwendet ruft llama importa usa appelle importe utilise chama`)

// trailing tells the name in ", which b.go then shows": what comes of it elsewhere.
func trailing(toks []token.Token, c *talk.Clause, i int) bool {
	if i < c.A+2 || toks[i-1].Lower != "which" && toks[i-1].Lower != "that" || toks[i-2].Text != "," || i+1 >= c.B {
		return false
	}
	for j := i + 1; j < c.B; j++ {
		if toks[j].Class&(token.Bad|token.Need|token.Ask) != 0 {
			return false
		}
	}
	return true
}
