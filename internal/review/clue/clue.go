// Package clue answers small questions about the words around a name: is it only compared
// with, does it move, is it what a rename left, which line belongs to it. It decides
// nothing and touches no file.
package clue

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// Whole tells a file that is to go, to come back or to move: its lines do not matter.
func Whole(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i - 1; j >= c.A && j >= i-4; j-- {
		t := toks[j]
		if t.Class&(token.Undo|token.Moved) != 0 || t.Class&token.Gone != 0 && t.Kind == 'w' {
			return true
		}
		if t.Kind == 'w' && !talk.Skipped[t.Lower] || t.Kind == 'w' && strings.Contains(" in of at on ", " "+t.Lower+" ") {
			return false
		}
	}
	return false
}

func Also(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B; i++ {
		if i > c.A+2 && i < c.B-2 && toks[i+1].M == nil && toks[i-1].M == nil { // "it also runs on branches" adds no file
			continue
		}
		switch toks[i].Lower {
		case "also", "too", "additionally", "auch", "también", "aussi", "também", "besides", "anche", "ook", "furthermore", "moreover", "außerdem", "zudem", "además", "além", "inoltre", "verder":
			return true
		}
	}
	return false
}

// Denies tells "doesn't reset", "never closes": something that should happen and does not.
func Denies(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B; i++ {
		switch w := toks[i].Lower; {
		case strings.HasSuffix(w, "n't"), w == "not", w == "never", w == "nicht", w == "nie", w == "kein", w == "keine", w == "no", w == "ne", w == "jamais", w == "não", w == "nunca":
			return true
		}
	}
	return false
}

// Asks tells whether something is asked for among the tokens.
func Asks(toks []token.Token, a, b int) bool {
	for i := a; i < b; i++ {
		if toks[i].Class&(token.Ask|token.Need) != 0 {
			return true
		}
	}
	return false
}

func Reported(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "renamed", "moved", "umbenannt", "verschoben", "renombrado", "movido", "renommé", "déplacé", "renomeado", "renombraste", "renomeou":
			return true
		}
	}
	return false
}

// Arrow tells "a.go → b.go": one name is to become the other.
func Arrow(toks []token.Token, c *talk.Clause) bool {
	for i := c.A + 1; i+1 < c.B; i++ {
		if toks[i].Kind == 'p' && toks[i].Text == "→" && toks[i-1].Kind == 'm' && toks[i+1].Kind == 'm' {
			return true
		}
	}
	return false
}

// Alone tells the only name of a clause, at its start or after "in".
func Alone(toks []token.Token, c *talk.Clause, i int) bool {
	for j := c.A; j < c.B; j++ {
		if j != i && (toks[j].M != nil || toks[j].Kind == 'L') {
			return false
		}
	}
	return i <= c.A+2
}

// SparesTests tells "tests don't need one", "except in tests" beside a set.
func SparesTests(toks []token.Token, a, b int) bool {
	for i := a; i < b; i++ {
		if toks[i].Lower != "tests" && toks[i].Lower != "test" && toks[i].Lower != "specs" {
			continue
		}
		for j := max(a, i-4); j < min(b, i+5); j++ {
			if toks[j].Class&(token.Except|token.Not|token.Keep) != 0 || j > i && toks[j].Class&token.Good != 0 {
				return true
			}
		}
	}
	return false
}

// OfTests tells a clause about the tests that were pasted, which says that they are wrong.
func OfTests(toks []token.Token, c *talk.Clause) bool {
	if c.Has&token.Good != 0 {
		return false
	}
	for i := c.A + 1; i < c.B; i++ {
		switch toks[i].Lower {
		case "test", "tests", "spec", "specs", "assertion", "expectation":
			switch toks[i-1].Lower {
			case "the", "this", "that", "your", "those", "these", "der", "die", "das", "el", "la", "le", "o":
				return c.Has&(token.Bad|token.Need|token.Ask) != 0
			}
		}
	}
	return false
}

// BareName tells an item that only names files or folders, for what stands under it.
func BareName(toks []token.Token) bool {
	names := 0
	for _, t := range toks {
		switch {
		case t.Kind == 'm':
			names++
		case t.Kind == 'w' && len(t.Lower) > 2 && !talk.Skipped[t.Lower] && talk.Severities[t.Lower] == "" && t.Class&token.Where == 0:
			return false
		}
	}
	return names > 0
}

// Spread carries "Not to be changed: a; b; and c" over the whole list.
func Spread(toks []token.Token, cs []talk.Clause) {
	if len(cs) < 2 || cs[0].Neg == "" {
		return
	}
	for i := cs[0].A; i < cs[0].B; i++ {
		if toks[i].M != nil {
			return
		}
		if toks[i].Kind == 'p' && (toks[i].Text == ":" || toks[i].Text == "：") {
			break
		}
		if i == cs[0].B-1 {
			return
		}
	}
	for k := 1; k < len(cs); k++ {
		if (cs[k].Neg == "" || cs[k].Neg == "found good") && toks[cs[k].A].Class&token.But == 0 {
			cs[k].Neg, cs[k].Firm = cs[0].Neg, false
		}
	}
}

// likewise is whose the lines are that others are only compared with.
const likewise = -2

// ofPage tells the lines of a page that is made from something else.
func ofPage(toks []token.Token, a, i int) bool {
	for j := i - 1; j >= a && j >= i-3; j-- {
		switch toks[j].Lower {
		case "page", "html", "pdf", "seite", "página", "ausgabe", "output":
			return true
		}
		if toks[j].M != nil {
			return false
		}
	}
	return false
}

// Belongs says for each token of lines in a sentence which mention it is of: the one it
// is said to be in, else the one before.
func Belongs(toks []token.Token, a, b int) map[int]int {
	var out map[int]int
	lined := false
	last, first := -1, -1 // the last name, and the last that is not only compared with
	for i := a; i < b; i++ {
		if toks[i].Kind == 'm' {
			if len(toks[i].M.Set) == 0 && !toks[i].M.Soft || last < 0 {
				last = i
				if i == a || toks[i-1].Ends&token.Ref == 0 {
					first = i
				}
			}
			continue
		}
		if toks[i].Kind != 'L' {
			continue
		}
		if out == nil {
			out = map[int]int{}
		}
		if lined && i > a && toks[i-1].Ends&token.Ref != 0 || ofPage(toks, a, i) { // "88-91, a copy of 60-63"
			out[i] = likewise
			continue
		}
		lined = true
		if last >= 0 && last > a && i-last <= 2 && Relates(toks[last-1].Lower) { // "a.go imports b.go (line 3)"
			if s := subject(toks, a, last); s >= 0 {
				out[i] = s
				continue
			}
		}
		if next := inNext(toks, i, b); next >= 0 && (next == i+2 || !(last >= 0 && i-last <= 2)) {
			out[i] = next
		} else if first >= 0 && i-last > 2 {
			out[i] = first
		} else if last >= 0 {
			out[i] = last
		} else if n := nextName(toks, i, b); n >= 0 {
			out[i] = n
		} else {
			out[i] = -1
		}
	}
	return out
}

// subject is the name before the one at i in a sentence, or -1.
func subject(toks []token.Token, a, i int) int {
	for j := i - 1; j >= a; j-- {
		if toks[j].M != nil && !toks[j].M.Soft && len(toks[j].M.Set) == 0 {
			return j
		}
	}
	return -1
}

// inNext finds the mention of "line 3 of the loop in a.go".
func inNext(toks []token.Token, i, b int) int {
	in := false
	for j := i + 1; j < b && j <= i+7; j++ {
		t := toks[j]
		switch {
		case t.Kind == 'm':
			if in && len(t.M.Spans) == 0 {
				return j
			}
			return -1
		case t.Kind == 'L' || t.Kind == 'p' && strings.Contains(",;:", t.Text):
			return -1
		case t.Kind == 'w' && strings.Contains(" of in inside von in im der de del dans du do da em en の ", " "+t.Lower+" "):
			in = true
		}
	}
	return -1
}

func nextName(toks []token.Token, i, b int) int {
	for j := i + 1; j < b && j <= i+3; j++ {
		if toks[j].Kind == 'm' && len(toks[j].M.Spans) == 0 {
			return j
		}
		if toks[j].Kind == 'w' && !talk.Skipped[toks[j].Lower] {
			break
		}
	}
	return -1
}

func ContainsAll(all, some []spot.Span) bool {
	for _, s := range some {
		ok := false
		for _, x := range all {
			ok = ok || x == s
		}
		if !ok {
			return false
		}
	}
	return true
}

// Attach gives lines that follow a name to it.
func Attach(toks []token.Token) {
	for j := 1; j < len(toks); j++ {
		if toks[j].Kind != 'L' {
			continue
		}
		for k := j - 1; k >= 0 && k >= j-4; k-- {
			if m := toks[k].M; m != nil && len(m.Spans) == 0 {
				m.Spans = toks[j].Spans
				break
			}
		}
	}
}

func Question(toks []token.Token, s [2]int) bool {
	t := toks[s[1]-1]
	return t.Kind == 'p' && (t.Text == "?" || t.Text == "？")
}

func CountWords(toks []token.Token, c *talk.Clause) int {
	n := 0
	for i := c.A; i < c.B; i++ {
		if toks[i].Kind == 'w' || toks[i].Kind == 'c' {
			n++
			if token.Wide([]rune(toks[i].Text + "x")[0]) {
				n++
			}
		}
	}
	return n
}

// Plural tells "fix these", "all of them", "both".
func Plural(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "these", "those", "them", "both", "all", "every", "each", "alle", "todos", "todas", "tous", "toutes", "errors", "warnings":
			return true
		}
	}
	return false
}

var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1, "erste": 1, "zweite": 2, "dritte": 3, "primero": 1, "primera": 1, "segundo": 2, "segunda": 2,
	"tercero": 3, "premier": 1, "première": 1, "deuxième": 2, "seconde": 2, "troisième": 3, "primeiro": 1, "primeira": 1, "terceiro": 3}

// Ordinal is the number that "the first", "the last" (-1) at the start of a clause gives,
// or 0.
func Ordinal(toks []token.Token, c *talk.Clause) int {
	which := 0
	for i := c.A; i < c.B && i < c.A+4; i++ {
		if n := ordinals[toks[i].Lower]; n != 0 {
			which = n
		}
	}
	return which
}

// Indefinite tells the article of something that was not spoken of yet.
func Indefinite(w string) bool {
	switch w {
	case "a", "an", "any", "some", "no", "another", "ein", "eine", "einen", "kein", "keine", "un", "una", "une", "um", "uma":
		return true
	}
	return false
}

// Relates tells verbs that say how two files hang together: "a.go calls b.go".
func Relates(verb string) bool { return relations.Has(verb) }

var relations = lazyregexp.Of(`calls uses imports importe importa importiert includes reads writes wraps extends implements feeds drives triggers invokes replaces replaced supersedes mirrors lives sits belongs comes runs depends builds loads ruft benutzt importiert llama usa importa appelle utilise importe chama`)
