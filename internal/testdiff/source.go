package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// source is a text as tokens, with matched brackets.
type source struct {
	Lang   syntax.Language
	Tokens []syntax.Token
	Close  []int // for ( [ {: index of the closing bracket, -1 without one
	Open   []int // for every token: the bracket it is in, -1 for none
	Depth  []int // for every token: number of brackets around it

	lines, heads []int          // see readLines
	swallowed    map[int]Mark   // cache of findSwallow
	unreachable  map[int]string // cache of impossibleCondition
	tables       []table        // see findLoops and readScriptCall
	defs         map[string]int // see definitions
	bodies       map[string]int // see phpBodies
	expected     []Value        // see ExpectedValues
}

// maxDepth bounds the nesting of brackets in which tests and assertions are looked for: a text with
// thousands of nested or unclosed ones would be read again and again.
const maxDepth = 60

// newSource matches the brackets of tokens.
func newSource(l syntax.Language, tokens []syntax.Token) *source {
	n := syntax.MatchBrackets(tokens)
	return &source{Lang: l, Tokens: tokens, Close: n.Close, Open: n.Open, Depth: n.Depth}
}

// At returns token i, an empty one if i is out of range.
func (s *source) At(i int) syntax.Token {
	if i < 0 || i >= len(s.Tokens) {
		return syntax.Token{}
	}
	return s.Tokens[i]
}

// Is reports whether the tokens from i have these texts.
func (s *source) Is(i int, words ...string) bool {
	for n, w := range words {
		if !s.At(i + n).Is(w) {
			return false
		}
	}
	return true
}

// IsOneOf reports whether token i has one of these texts.
func (s *source) IsOneOf(i int, words ...string) bool { return s.At(i).IsOneOf(words...) }

// End returns the index of the bracket that closes the one at i, or the end of the text.
func (s *source) End(i int) int {
	if i < 0 || i >= len(s.Tokens) || s.Close[i] < 0 {
		return len(s.Tokens)
	}
	return s.Close[i]
}

// Inside returns the tokens in the bracket at i.
func (s *source) Inside(i int) []syntax.Token {
	if i < 0 || i+1 > len(s.Tokens) {
		return nil
	}
	return s.Tokens[i+1 : max(s.End(i), i+1)]
}

// JoinTokens formats tokens on one line, as the name of something without one.
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

// isConditional reports whether the token at i is under a condition inside of the body: in braces
// behind if, for, switch, else and the like.
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

// isGuarded reports whether the statement at i is the body of an if without braces.
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
