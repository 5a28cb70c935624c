package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// source is a text cut into tokens, with the brackets that belong together.
type source struct {
	Lang   syntax.Language
	Tokens []syntax.Token
	Close  []int // for ( [ {: the index of what closes it, -1 when nothing does
	Open   []int // for every token: the bracket it is in, -1 for none
	Depth  []int // for every token: how many brackets it is in

	lines, heads []int          // see readLines
	swallowed    map[int]Mark   // what swallows gave
	unreachable  map[int]string // what impossibleCondition gave
	tables       []table        // see tabled
	defs         map[string]int // see definitions
	bodies       map[string]int // see phpBodies
	expected     []Value        // see ExpectedValues
}

// maxDepth is how many brackets deep tests and assertions are looked for: a text in which
// thousands nest, or are never closed, would be read again and again.
const maxDepth = 60

// newSource finds the brackets of tokens that belong together.
func newSource(l syntax.Language, tokens []syntax.Token) *source {
	n := syntax.MatchBrackets(tokens)
	return &source{Lang: l, Tokens: tokens, Close: n.Close, Open: n.Open, Depth: n.Depth}
}

// At returns token i, an empty one past the ends.
func (s *source) At(i int) syntax.Token {
	if i < 0 || i >= len(s.Tokens) {
		return syntax.Token{}
	}
	return s.Tokens[i]
}

// Is reports whether the tokens from i on are these words and marks.
func (s *source) Is(i int, words ...string) bool {
	for n, w := range words {
		if !s.At(i + n).Is(w) {
			return false
		}
	}
	return true
}

// IsOneOf reports whether token i is one of these words and marks.
func (s *source) IsOneOf(i int, words ...string) bool { return s.At(i).IsOneOf(words...) }

// End returns the index of what closes the bracket at i, or the end of the text.
func (s *source) End(i int) int {
	if i < 0 || i >= len(s.Tokens) || s.Close[i] < 0 {
		return len(s.Tokens)
	}
	return s.Close[i]
}

// Inside returns the tokens between the bracket at i and what closes it.
func (s *source) Inside(i int) []syntax.Token {
	if i < 0 || i+1 > len(s.Tokens) {
		return nil
	}
	return s.Tokens[i+1 : max(s.End(i), i+1)]
}

// JoinTokens writes tokens on one line, for a name of what has none.
func JoinTokens(tokens []syntax.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t.Kind != syntax.Mark && tokens[i-1].Kind != syntax.Mark {
			b.WriteByte(' ')
		}
		if b.WriteString(t.Text); b.Len() > 80 {
			break
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// isConditional reports whether the token at i stands under a condition inside the bracket
// of the body: within braces that follow if, for, switch, else and their kind.
func (s *source) isConditional(i, body int) bool {
	for o := s.Open[i]; o >= 0 && o != body; o = s.Open[o] {
		if !s.Tokens[o].Is("{") {
			continue
		}
		for k := o - 1; k > body; k-- {
			t := s.Tokens[k]
			if t.IsOneOf("if", "for", "foreach", "while", "switch", "else", "elseif", "match", "catch") {
				return !(t.Is("if") && isConstantTrue(s.Tokens[k+1:o]))
			}
			if t.IsOneOf(";", "{", "}", "func") || t.Is(">") && k > 0 && s.Tokens[k-1].Is("=") {
				break
			}
		}
	}
	return false
}

// isGuarded reports whether the statement at i is what an if without braces does.
func (s *source) isGuarded(i int) bool {
	for s.At(i-1).Is("return") || s.At(i-1).Is("await") || s.At(i-1).Is("throw") {
		i--
	}
	if s.At(i - 1).Is("else") {
		return true
	}
	if !s.At(i - 1).Is(")") {
		return false
	}
	for o := i - 2; o >= 0; o-- {
		if s.Close[o] == i-1 {
			return s.IsOneOf(o-1, "if", "elseif") && !isConstantTrue(s.Tokens[o+1:i-1])
		}
	}
	return false
}

func isConstantTrue(tokens []syntax.Token) bool {
	if n := len(tokens); n > 2 && tokens[0].Is("(") && tokens[n-1].Is(")") {
		tokens = tokens[1 : n-1]
	}
	return len(tokens) == 1 && (tokens[0].IsOneOf("true", "True", "TRUE") || tokens[0].Text == "1")
}
