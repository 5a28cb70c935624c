// Package cases reads the tests of a source text: what they are called, what they do,
// what they assert, and what keeps them from running. It knows the usual frameworks of
// every language that lang knows.
//
// It builds no syntax tree, runs nothing and reads no file. A text that is broken gives
// the tests that can still be told.
package cases

import (
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/check/lang"
)

// Test is one test as it stands in a text, or a group of tests (a class, a describe).
type Test struct {
	Name  string // with the names of the groups around it: Parser > reads an empty file
	Leaf  string // without them
	Line  int
	Group bool
	Skips []Mark       // what keeps it from running
	Only  []Mark       // what keeps all others from running
	Body  []lang.Token // what it does, without the braces around it; a group has none

	Asserts int    // assertions that could fail
	Hollow  []Mark // assertions that always hold
	Early   []Mark // returns that no assertion after them survives
}

// Mark is a place in a test that says something of it. Maybe tells one that holds only
// under a condition, or that may not mean what it seems to.
type Mark struct {
	Line  int
	Text  string
	Maybe bool
}

// Read gives the tests of a text, groups among them, in the order in which they begin.
// Two of one name get numbers.
func Read(l lang.Language, text []byte) []Test {
	return newSource(l, lang.Code(l, text)).units()
}

// source is a text cut into tokens, with the brackets that belong together.
type source struct {
	lang   lang.Language
	tokens []lang.Token
	pair   []int // for ( [ {: the index of what closes it, -1 when nothing does
	open   []int // for every token: the bracket it stands in, -1 for none
	depth  []int // for every token: how many brackets it stands in
}

// deepest is how many brackets deep tests and assertions are looked for: a text in which
// thousands nest, or are never closed, would be read again and again.
const deepest = 60

func newSource(l lang.Language, tokens []lang.Token) *source {
	n := lang.Nested(tokens)
	return &source{lang: l, tokens: tokens, pair: n.Close, open: n.Open, depth: n.Depth}
}

// at gives token i, an empty one past the ends.
func (s *source) at(i int) lang.Token {
	if i < 0 || i >= len(s.tokens) {
		return lang.Token{}
	}
	return s.tokens[i]
}

// is tells whether the tokens from i on are these words and marks.
func (s *source) is(i int, words ...string) bool {
	for n, w := range words {
		if !s.at(i + n).Is(w) {
			return false
		}
	}
	return true
}

// end gives the index of what closes the bracket at i, or the end of the text.
func (s *source) end(i int) int {
	if i < 0 || i >= len(s.tokens) || s.pair[i] < 0 {
		return len(s.tokens)
	}
	return s.pair[i]
}

// inside gives the tokens between the bracket at i and what closes it.
func (s *source) inside(i int) []lang.Token {
	if i < 0 || i+1 > len(s.tokens) {
		return nil
	}
	return s.tokens[i+1 : max(s.end(i), i+1)]
}

// units gives the tests of a text, groups among them, in order.
func (s *source) units() []Test {
	var list []Test
	switch s.lang {
	case lang.Go:
		list = s.goUnits()
	case lang.Python:
		list = s.pythonUnits()
	case lang.JavaScript, lang.TypeScript:
		list = s.scriptUnits()
	case lang.Rust:
		list = s.rustUnits()
	case lang.Java:
		list = s.javaUnits()
	case lang.CSharp:
		list = s.csharpUnits()
	case lang.Ruby:
		list = s.rubyUnits()
	}
	seen := map[string]int{}
	for i := range list {
		u := &list[i]
		if !u.Group {
			u.count(s.lang)
		}
		if seen[u.Name]++; seen[u.Name] > 1 { // two tests of one name are two
			u.Name += " #" + strconv.Itoa(seen[u.Name])
		}
	}
	return list
}

// within gives the names of groups, each with an arrow after it.
func within(groups []string, name string) string {
	return strings.Join(append(append([]string{}, groups...), name), " > ")
}

// text writes tokens on one line, for a name of what has none.
func text(tokens []lang.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t.Kind != lang.Mark && tokens[i-1].Kind != lang.Mark {
			b.WriteByte(' ')
		}
		if b.WriteString(t.Text); b.Len() > 80 {
			break
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// conditional tells whether the token at i stands under a condition inside the bracket
// of the body: within braces that follow if, for, switch, else and their kind.
func (s *source) conditional(i, body int) bool {
	for o := s.open[i]; o >= 0 && o != body; o = s.open[o] {
		if !s.tokens[o].Is("{") {
			continue
		}
		for k := o - 1; k > body; k-- {
			t := s.tokens[k]
			if t.Is("if") || t.Is("for") || t.Is("while") || t.Is("switch") || t.Is("else") || t.Is("match") || t.Is("catch") {
				return !(t.Is("if") && constantTrue(s.tokens[k+1:o]))
			}
			if t.Is(";") || t.Is("{") || t.Is("}") || t.Is("func") || t.Is(">") && k > 0 && s.tokens[k-1].Is("=") {
				break
			}
		}
	}
	return false
}

// guarded tells whether the statement at i is what an if without braces does.
func (s *source) guarded(i int) bool {
	for s.at(i-1).Is("return") || s.at(i-1).Is("await") || s.at(i-1).Is("throw") {
		i--
	}
	if s.at(i - 1).Is("else") {
		return true
	}
	if !s.at(i - 1).Is(")") {
		return false
	}
	for o := i - 2; o >= 0; o-- {
		if s.pair[o] == i-1 {
			return s.at(o-1).Is("if") && !constantTrue(s.tokens[o+1:i-1])
		}
	}
	return false
}

func constantTrue(tokens []lang.Token) bool {
	if n := len(tokens); n > 2 && tokens[0].Is("(") && tokens[n-1].Is(")") {
		tokens = tokens[1 : n-1]
	}
	return len(tokens) == 1 && (tokens[0].Is("true") || tokens[0].Is("True") || tokens[0].Text == "1")
}
