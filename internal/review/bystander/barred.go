package bystander

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// forbidden tells the object of a prohibition: "don't make X accept null".
func forbidden(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i - 1; j >= c.A && j >= i-4; j-- {
		if toks[j].Kind == 'p' && strings.Contains("—–:;.,(", toks[j].Text) {
			return false
		}
		switch toks[j].Lower {
		case "don't", "dont":
			return true
		case "never": // "never stop it" forbids, "it is never stopped" complains
			return j == c.A || toks[j-1].Kind == 'p' || toks[j-1].Class&(token.But|token.Ask) != 0
		case "not":
			return j > c.A && toks[j-1].Lower == "do"
		case "in", "from", "at", "of", "to":
			return false
		}
	}
	return false
}

// denied tells a name that is only said not to be meant, where the sentence means another:
// "fix it in b.go, not in a.go", "not a.go, but b.go".
func denied(toks []token.Token, a, b, i int) bool {
	j := i - 1
	for j >= a && toks[j].Kind == 'w' && (within.Has(toks[j].Lower) || talk.Skipped[toks[j].Lower]) && i-j <= 3 {
		j--
	}
	if j < a || !nots.Has(toks[j].Lower) || j > a && (token.Phrase(toks[j-1].Lower)&token.Copula != 0 && toks[j-1].Lower != "it's" || strings.HasPrefix(toks[j-1].Lower, "do")) {
		return false
	}
	return elsewhere(toks, a, b, i)
}

// elsewhere tells whether a sentence names something beside the name at i.
func elsewhere(toks []token.Token, a, b, i int) bool {
	for k := a; k < b; k++ {
		if k != i && toks[k].M != nil && !toks[k].M.Soft {
			return true
		}
	}
	return false
}

// blameless tells "the bug is not in a.go", "the cause isn't a.go".
func blameless(toks []token.Token, a, i int) bool {
	j := i - 1
	for j > a && within.Has(toks[j].Lower) {
		j--
	}
	if j <= a || !nots.Has(toks[j].Lower) && toks[j].Lower != "isn't" && toks[j].Lower != "wasn't" {
		return false
	}
	for k := j - 1; k >= a && k >= j-3; k-- {
		if causes.Has(toks[k].Lower) {
			return true
		}
	}
	return false
}

var causes = lazyregexp.Of(`bug problem cause culprit issue error fault leak crash failure reason fehler ursache problema causa culpa fallo erreur faute défaut erro`)

var (
	nots   = lazyregexp.Of(`not nicht no pas não non niet`)
	within = lazyregexp.Of(`in to from at on of im en dans em no na nel`)
)

// Barred tells how a prohibition with two names is meant: "don't call b.go from a.go" changes
// a.go (1 for a name inside of which, -1 for one that is not to be used there, 0 for others).
func Barred(toks []token.Token, c *talk.Clause, i int) int {
	first := c.A
	for first < c.B && (toks[first].Kind == 'p' || toks[first].Lower == "please") {
		first++
	}
	if first >= c.B {
		return 0
	}
	switch toks[first].Lower {
	case "don't", "dont", "never", "stop", "avoid":
	case "do":
		if first+1 >= c.B || toks[first+1].Lower != "not" {
			return 0
		}
	default:
		return 0
	}
	place := func(j int) bool {
		switch toks[j-1].Lower {
		case "from", "in", "inside", "within", "into":
			return true
		}
		return false
	}
	for j := c.A + 1; j < c.B; j++ {
		if j == i || toks[j].M == nil {
			continue
		}
		if j > i && place(j) && !place(max(i, c.A+1)) {
			return -1
		}
		if j < i && place(i) {
			return 1
		}
	}
	return 0
}

// borrowed tells a name that hangs on a preposition where a name before it is asked to change:
// "let a.go reuse the pool of b.go", "a.go must not know about b.go". What moves has two ends.
func borrowed(toks []token.Token, c *talk.Clause, i int) bool {
	if !c.Firm || c.Has&token.Moved != 0 || i == c.A {
		return false
	}
	j := i - 1
	for j > c.A && toks[j].Kind == 'w' && talk.Skipped[toks[j].Lower] && !borrows.Has(toks[j].Lower) {
		j--
	}
	if !borrows.Has(toks[j].Lower) {
		return false
	}
	for k := j - 1; k >= c.A; k-- {
		if joins.Has(toks[k].Lower) {
			return false
		}
		if toks[k].M != nil && !toks[k].M.Soft {
			return true
		}
	}
	return false
}

var (
	borrows = lazyregexp.Of(`of about by with for against into upon`)
	joins   = lazyregexp.Of(`merge merged fold combine join extract split sync unify both share`)
)

// object tells the second name of "a.go should call b.go": what the first is to do it with.
// Two names that are joined do it both.
func object(toks []token.Token, c *talk.Clause, i int) bool {
	if c.Has&token.Need == 0 || c.Has&(token.Ask|token.Moved|token.Create) != 0 {
		return false
	}
	s := c.A
	for s < i && (toks[s].Kind == 'p' || talk.Skipped[toks[s].Lower]) {
		s++
	}
	if s >= i || toks[s].M == nil || toks[s].M.Soft {
		return false
	}
	for j := s + 1; j < i; j++ {
		if token.Joins[toks[j].Lower] || toks[j].Kind == 'p' || toks[j].Class&token.But != 0 {
			return false
		}
	}
	return i > s+1
}
