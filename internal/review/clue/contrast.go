package clue

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// Denied tells a name that is only said not to be meant, where the sentence means another:
// "fix it in b.go, not in a.go", "not a.go, but b.go".
func Denied(toks []token.Token, a, b, i int) bool {
	j := i - 1
	for j >= a && toks[j].Kind == 'w' && (within[toks[j].Lower] || talk.Skipped[toks[j].Lower]) && i-j <= 3 {
		j--
	}
	if j < a || !nots[toks[j].Lower] || j > a && (token.Phrase(toks[j-1].Lower)&token.Copula != 0 && toks[j-1].Lower != "it's" || strings.HasPrefix(toks[j-1].Lower, "do")) {
		return false
	}
	for k := a; k < b; k++ {
		if k != i && toks[k].M != nil && !toks[k].M.Soft {
			return true
		}
	}
	return false
}

var (
	nots   = set(`not nicht no pas não non niet`)
	within = set(`in to from at on of im en dans em no na nel`)
)

// Condition tells a name in a clause that only says when: "when b.go is empty, a.go divides by
// zero", "a.go panics once b.go has closed". What is said of lines there still counts, and so
// does the only name of a sentence.
func Condition(toks []token.Token, a, b int, c *talk.Clause, i int) bool {
	at := -1
	for j := i - 1; j >= c.A && at < 0; j-- {
		if toks[j].Kind == 'p' && strings.Contains(",:;–—", toks[j].Text) && j > c.A {
			return false
		}
		if j == a && reasons[toks[j].Lower] || whens[toks[j].Lower] || j > c.A && whens[toks[j-1].Lower+" "+toks[j].Lower] {
			at = j
		}
	}
	if at < 0 || at+1 < i && Asks(toks, at, i) {
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

var whens = set(`when whenever once until unless before after if wenn sobald bis bevor nachdem falls cuando si hasta antes después quand lorsque si dès jusqu'à avant après quando se até antes depois damit`)

func init() {
	for _, p := range []string{"as soon", "as long", "every time", "each time", "by the time", "so that", "para que", "pour que", "afin que", "in order"} {
		whens[p] = true
	}
}

// Explained tells a name at the start that only says who says so: "as a.md explains, …".
func Explained(toks []token.Token, c *talk.Clause, i int) bool {
	return i > c.A && i+1 < c.B && likens[toks[i-1].Lower] && (does[toks[i+1].Lower] || explains[toks[i+1].Lower])
}

var explains = set(`explains says shows notes describes requires documents states demands specifies suggests mentions says explains erklärt sagt zeigt beschreibt verlangt explica dice muestra describe indica explique dit montre décrit diz mostra descreve`)

// Likened tells the first name of "like a.go, b.go ignores the error": b.go is what is spoken of.
func Likened(toks []token.Token, c *talk.Clause, i int) bool {
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

// Source tells a name that something is taken over from into a file named before: "a.go should
// get its timeout from b.go". What is moved leaves one file and reaches another.
func Source(toks []token.Token, c *talk.Clause, i int) bool {
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

// Verdict tells a sentence that only says that all is well after all: "probably fine".
func Verdict(toks []token.Token, c *talk.Clause) bool {
	if c.Has&token.Good == 0 || c.B-c.A > 9 {
		return false
	}
	for i := c.A; i < c.B; i++ {
		t := toks[i]
		if t.Kind == 'p' && strings.Contains(".,!:)(", t.Text) || t.Class&token.Good != 0 && !thanks[t.Lower] || t.Kind == 'w' && verdicts[t.Lower] {
			continue
		}
		return false
	}
	return true
}

var (
	verdicts = set(`probably actually but though still so all with me by for now is it's that's it this that seems looks look then anyway i guess think suppose again and both they are checked passes as here me us
		wohl aber doch wahrscheinlich eigentlich also das ist mir für mich pero creo está es para mí mais c'est ça est pour moi mas está é para mim acho`)
	thanks = set(`thanks thank appreciate appreciated kudos good great nice`)
)

// Otherwise tells praise of all but what was said: "otherwise good", "good work overall".
func Otherwise(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "otherwise", "overall", "rest", "else", "besides", "apart", "general", "generally", "sonst", "ansonsten", "insgesamt", "demás", "resto", "sinon", "reste", "globalement", "geral", "work", "job":
			return true
		}
	}
	return false
}

// Removes tells "remove it", "please drop that": what was said not to belong here is to go.
func Removes(toks []token.Token, c *talk.Clause) bool {
	if c.Has&(token.Gone|token.Undo) == 0 {
		return false
	}
	if c.Has&token.Ask != 0 && CountWords(toks, c) <= 3 { // "please out"
		return true
	}
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "it", "them", "that", "this", "these", "those", "es", "das", "sie":
			return true
		}
	}
	return false
}

// Both tells "fix both", "both need it".
func Both(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "both", "beide", "beides", "ambos", "ambas", "entrambi":
			return true
		}
	}
	return false
}

// No tells "but no, …": what was thought first is not so.
func No(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B && i < c.A+3; i++ {
		switch toks[i].Lower {
		case "no", "nope", "nein", "non", "não":
			return true
		}
	}
	return false
}

// Objects tells what somebody objects to after praise: "it works, but only by luck", "… but it
// leaks", "… the timeout is too short though".
func Objects(toks []token.Token, c *talk.Clause) bool {
	if c.Neg != "" || c.Short || Names(toks, c.A, c.B) || Otherwise(toks, c) {
		return false
	}
	if toks[c.A].Class&token.But == 0 {
		return c.Has&token.But != 0 && c.Has&token.Bad != 0
	}
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "i", "ich", "yo", "je", "eu", "whatever", "never", "nvm":
			return c.Has&(token.Bad|token.Need|token.Ask) != 0
		}
	}
	return CountWords(toks, c) > 1
}

// Given tells a name in a clause that only gives the reason for what was asked before in the
// sentence: "drop a.go; b.go already has it", "…, b.go can't know it".
func Given(toks []token.Token, asked bool, c *talk.Clause) bool {
	return asked && !c.Firm && c.Has&(token.Bad|token.Need) == 0 && !Also(toks, c)
}

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

// Borrowed tells a name that hangs on a preposition where a name before it is asked to change:
// "let a.go reuse the pool of b.go", "a.go must not know about b.go". What moves has two ends.
func Borrowed(toks []token.Token, c *talk.Clause, i int) bool {
	if !c.Firm || c.Has&token.Moved != 0 || i == c.A {
		return false
	}
	j := i - 1
	for j > c.A && toks[j].Kind == 'w' && talk.Skipped[toks[j].Lower] && !borrows[toks[j].Lower] {
		j--
	}
	if !borrows[toks[j].Lower] {
		return false
	}
	for k := j - 1; k >= c.A; k-- {
		if joins[toks[k].Lower] {
			return false
		}
		if toks[k].M != nil && !toks[k].M.Soft {
			return true
		}
	}
	return false
}

var (
	borrows = set(`of about by with for against into upon`)
	joins   = set(`merge merged fold combine join extract split sync unify both share`)
)

// TestOf tells the file that tests are asked for, where the tests are named too: "tests for a.go
// are missing, please add some to a_test.go".
func TestOf(toks []token.Token, i int) bool {
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

// SaysNo tells the reviewer's own answer to a question of his: "do we need this? I don't think
// so."
func SaysNo(toks []token.Token, c *talk.Clause) bool {
	text := " "
	for i := c.A; i < c.B; i++ {
		if toks[i].Kind == 'w' {
			text += toks[i].Lower + " "
		}
	}
	for _, p := range noes {
		if text == " "+p+" " {
			return true
		}
	}
	return false
}

var noes = []string{"i don't think so", "i do not think so", "i doubt it", "i think not", "no", "nope", "probably not", "i'd say no", "not really", "i guess not", "surely not", "hardly", "ich glaube nicht", "wohl nicht", "nein", "creo que no", "no creo", "je ne crois pas", "acho que não", "não"}

// offered tells "b.go has a pool you can copy".
func offered(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i + 1; j+2 < c.B; j++ {
		if toks[j].Lower == "you" && (toks[j+1].Lower == "can" || toks[j+1].Lower == "could" || toks[j+1].Lower == "may") && offers[toks[j+2].Lower] {
			return true
		}
	}
	return false
}

var offers = set(`copy use reuse borrow follow take steal crib mirror adapt`)

// equated tells the right side of "a.go = b.go with other names".
func equated(toks []token.Token, c *talk.Clause, i int) bool {
	if i < c.A+2 || toks[i-1].Kind != 'p' || toks[i-1].Text != "=" && toks[i-1].Text != "≈" && toks[i-1].Text != "≙" {
		return false
	}
	return toks[i-2].M != nil || toks[i-2].Text == "="
}

// Value tells a pattern that is to be written into a file named before it: "typedoc.json:
// exclude `**/internal/**`".
func Value(toks []token.Token, a, i int) bool {
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

// Measured tells "checked against the RFC", "tested with nginx": what follows is what was found.
func Measured(toks []token.Token) bool {
	for i, t := range toks {
		if t.Lower == "checklist" || t.Lower == "criteria" || t.Lower == "guidelines" || t.Lower == "standards" || t.Lower == "rules" {
			return true
		}
		if i > 0 && (t.Lower == "against" || t.Lower == "with" || t.Lower == "by" || t.Lower == "using") {
			return true
		}
	}
	return false
}

// Object tells the second name of "a.go should call b.go": what the first is to do it with.
// Two names that are joined do it both.
func Object(toks []token.Token, c *talk.Clause, i int) bool {
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

// TheFile tells "remove the file", "drop it".
func TheFile(toks []token.Token, c *talk.Clause) bool {
	for i := c.A + 1; i < c.B; i++ {
		if w := toks[i].Lower; w == "it" || w == "file" && (toks[i-1].Lower == "the" || toks[i-1].Lower == "this" || toks[i-1].Lower == "that") {
			return true
		}
	}
	return false
}

// Throughout tells a paragraph that gives one label to all that follows: "only nits from me".
func Throughout(toks []token.Token) bool {
	for i := 0; i < len(toks) && i < 8; i++ {
		switch toks[i].Lower {
		case "only", "just", "all", "everything", "nothing", "purely", "nur", "alles", "solo", "sólo", "todo", "que", "seulement", "tout", "só", "apenas", "tudo":
			return true
		}
	}
	return false
}

// OwnSubject tells a clause that speaks of something of its own: "its behaviour must not
// change" does not say that of the file before.
func OwnSubject(toks []token.Token, c *talk.Clause) bool {
	i := c.A
	for i < c.B && toks[i].Kind == 'p' {
		i++
	}
	if i+1 >= c.B {
		return false
	}
	switch toks[i].Lower {
	case "its", "their", "his", "the", "our", "your", "die", "der", "das", "ihre", "sein", "su", "sus", "el", "la", "le", "les", "son", "sa", "o", "a":
		return toks[i+1].Kind == 'w' && toks[i+1].Lower != "file" && toks[i+1].Lower != "rest" && toks[i+1].Lower != "code" && toks[i+1].Lower != "change"
	}
	return false
}
