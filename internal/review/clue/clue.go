// Package clue answers small questions about the words around a name: is it only compared
// with, does it move, is it what a rename left, which line belongs to it. It decides
// nothing and touches no file.
package clue

import (
	"strings"

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

// Forbidden tells the object of a prohibition: "don't make X accept null".
func Forbidden(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i - 1; j >= c.A && j >= i-4; j-- {
		switch toks[j].Lower {
		case "don't", "dont", "never":
			return true
		case "not":
			return j > c.A && toks[j-1].Lower == "do"
		case "in", "from", "at", "of", "to":
			return false
		}
	}
	return false
}

// Came tells the file of "X was added without Y".
func Came(toks []token.Token, c *talk.Clause, i int) bool {
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

// Fails tells "a_test.go fails": the test shows what is wrong elsewhere.
func Fails(toks []token.Token, c *talk.Clause, i int) bool {
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

// Background tells a name in a clause that only sets off the one before: "the queue is read
// without a lock while b.go writes it".
func Background(toks []token.Token, c *talk.Clause, i int) bool {
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

// Reason tells a name after "since", "because" where the sentence, which starts at from,
// asked for something before: it says why, not where.
func Reason(toks []token.Token, from int, c *talk.Clause, i int) bool {
	for j := i - 1; j > c.A; j-- {
		if toks[j].M != nil {
			return false
		}
		if reasons[toks[j].Lower] || reasons[toks[j-1].Lower+" "+toks[j].Lower] {
			return (Asks(toks, from, j) || toks[j-1].Lower == "only" || toks[j-1].Lower == "just") && !Asks(toks, i, c.B)
		}
	}
	return false
}

var reasons = map[string]bool{"since": true, "because": true, "as": true, "given that": true, "weil": true, "da": true, "denn": true, "porque": true, "ya que": true, "puesto que": true, "pues": true,
	"parce que": true, "puisque": true, "car": true, "pois": true, "já que": true, "perché": true, "want": true}

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

// Untested tells "a.go has to be tested", "a.go is not covered".
func Untested(toks []token.Token, c *talk.Clause, i int) bool {
	for j := i + 1; j < c.B; j++ {
		switch toks[j].Lower {
		case "tested", "untested", "covered", "uncovered", "getestet", "abgedeckt", "probado", "cubierto", "testé", "couvert", "testado", "coberto":
			return true
		}
	}
	return false
}

// Cited tells a name inside of words in quotation marks: what a text, a message or an
// attacker says, not the reviewer. A name alone in them is only set off.
func Cited(toks []token.Token, a, b, i int) bool {
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
		if cs[k].Neg == "" && toks[cs[k].A].Class&token.But == 0 {
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
		if last >= 0 && last > a && i-last <= 2 && relations[toks[last-1].Lower] { // "a.go imports b.go (line 3)"
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

// Refers tells whether the mention at i is only compared with, called from or shown.
func Refers(toks []token.Token, c *talk.Clause, i int) bool {
	if Likened(toks, c, i) {
		return false
	}
	if i > c.A && (toks[i-1].Lower == "what" || toks[i-1].Lower == "was" && toks[i-1].Class&token.Copula == 0) && i+1 < c.B && toks[i+1].Kind == 'w' { // "close what b.go opens"
		return true
	}
	if Explained(toks, c, i) || Source(toks, c, i) || offered(toks, c, i) || equated(toks, c, i) {
		return true
	}
	for j, steps := i-1, 0; j >= c.A && steps < 6; j, steps = j-1, steps+1 {
		t := toks[j]
		if t.Kind == 'p' && t.Text == "." && j > c.A && abbreviated[toks[j-1].Lower] {
			continue
		}
		if t.Lower == "as" && likened(toks[c.A:j]) {
			return true
		}
		if t.Lower == "que" && samely(toks[c.A:j]) { // "el mismo fallo que a.go"
			return true
		}
		if t.Ends&token.Ref != 0 && t.Lower == "from" && j > c.A && caused(toks, c.A, j) { // "the error comes from a.go"
			return false
		}
		if t.Ends&token.Ref != 0 {
			if (t.Lower == "in" || t.Lower == "at") && symptom[toks[max(j-1, c.A)].Lower] && laterLines(toks, i, c.B) {
				return false
			}
			if (nominal[t.Lower] || nominal[toks[max(j-1, c.A)].Lower]) && (said(toks, i+1, c.B) || c.Short) { // "the example in a.go doesn't compile"
				return false
			}
			if t.Lower == "see" && j == c.A && c.Has&(token.Bad|token.Need|token.Ask) != 0 {
				return false
			}
			from := t.Lower == "from" || t.Lower == "aus" || t.Lower == "de" || t.Lower == "desde" || t.Lower == "depuis" || t.Lower == "via"
			if !(from && (token.Takes(toks[c.A:j+1]) || c.Has&(token.Moved|token.Undo) != 0)) {
				return true
			}
			return false
		}
		if t.Kind == 'w' && j > c.A && strings.HasSuffix(t.Lower, "ing") && toks[j-1].Ends&token.Ref != 0 && (toks[j-1].Lower == "of" || toks[j-1].Lower == "than") { // "instead of patching b.go"
			return true
		}
		if k := before(toks, c, j); k >= 0 {
			j = k
			continue
		}
		if !(t.Kind == 'w' && talk.Skipped[t.Lower] || t.Kind == 'c' || t.Kind == 'L' || t.Kind == 'p' && strings.Contains("(\"`“", t.Text)) {
			break
		}
	}
	if exists(toks, c, i) {
		return true
	}
	if consequence(toks, c, i) {
		return true
	}
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
		if frame && useful[toks[j].Lower] {
			return true
		}
	}
	return false
}

var useful = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`helper function util utility method constant type wrapper class hook example precedent equivalent implementation version counterpart macro fixture snippet
		funktion methode konstante klasse beispiel función método constante clase ejemplo fonction méthode classe exemple função classe exemplo`) {
		useful[w] = true
	}
}

var likens = map[string]bool{"as": true, "like": true, "wie": true, "como": true, "comme": true, "come": true, "zoals": true}

var does = map[string]bool{"does": true, "do": true, "did": true, "has": true, "tut": true, "macht": true, "hace": true, "fait": true, "faz": true, "fa": true, "doet": true}

var abbreviated = set(`cf vgl e.g i.e bzw z.b p.ej ej ex`)

var symptom = set(`fails fail failing crashes dies`)

// laterLines tells lines that are said further on: "when it fails in a.go, we go on (line 52)".
func laterLines(toks []token.Token, i, b int) bool {
	for j := i + 2; j < b; j++ {
		if toks[j].Kind == 'L' {
			return true
		}
	}
	return false
}

var nominal = set(`example pattern helper caller callers one ones snippet beispiel ejemplo exemple exemplo`)

// said tells that something is wrong, or has to happen, among the tokens.
func said(toks []token.Token, a, b int) bool {
	for j := a; j < b; j++ {
		if toks[j].Class&(token.Bad|token.Need) != 0 {
			return true
		}
	}
	return false
}

// caused tells "the error comes" before a "from": what follows is what to mend.
func caused(toks []token.Token, a, j int) bool {
	switch toks[j-1].Lower {
	case "comes", "came", "stems", "originates", "arises":
		return said(toks, a, j)
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

// Subject tells whether a symbol is what a clause is about, not what it works with.
func Subject(toks []token.Token, c *talk.Clause, i int) bool {
	if c.Has&(token.Ask|token.Need|token.Bad) == 0 && !(i == c.A && i+1 < c.B && toks[i+1].Kind == 'w' && toks[i+1].Class&(token.Copula|token.Good|token.Shows) == 0) {
		return false
	}
	for j := c.A; j < c.B; j++ {
		if m := toks[j].M; m != nil && !m.Soft {
			return false
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
