package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// Only literals are expected values. A change of a variable, or of a call of the code under test,
// is not noticed.

// Value is an expected value of a test.
type Value struct {
	Subject string // what is compared, without the value, so that it is the same before and after
	Op      string // the comparison: eq, ne, true, false, the name of a matcher, or row for a table's
	Text    string // the literal as written; "" for true, false and others without a value
	Line    int
	Col     int
}

// Describe formats the value for people, with its comparison unless that is equality.
func (v Value) Describe() string {
	switch {
	case v.Op == "eq" || v.Op == opRow || isHelperOp(v.Op) && v.Text != "":
		return v.Text
	case v.Text == "":
		return v.Op
	}
	return v.Op + " " + v.Text
}

// isHelperOp reports whether a comparison is the name of a test helper.
func isHelperOp(op string) bool {
	return strings.HasPrefix(op, "assert") || strings.HasPrefix(op, "check") || strings.HasPrefix(op, "verify") ||
		strings.HasPrefix(op, "expect")
}

// Change is an expected value and its replacement.
type Change struct{ Old, New Value }

const opRow = "row"

// ExpectedValues returns the values that the tokens of a text, without comments, expect, in order.
func ExpectedValues(l syntax.Language, tokens []syntax.Token) []Value {
	s := newSource(l, tokens)
	for i, t := range tokens {
		if s.Depth[i] > maxDepth {
			continue
		}
		switch {
		case l == syntax.Go && t.Is("if"):
			s.readGoIf(i)
		case t.Is("assert") && !s.Is(i-1, ".") && (l == syntax.Python || l == syntax.Java && !s.Is(i+1, "(")):
			what := s.operands(i + 1)
			if l == syntax.Java {
				what = tokensUntil(what, ":")
			}
			s.readConditions(tokensUntil(what, ","), false)
		case t.Kind == syntax.Word && s.readMatcherChain(i):
		case t.Kind == syntax.Word && s.readAssertCall(i):
		case t.Kind == syntax.Word || t.Kind == syntax.Text:
			if !s.readExpectedField(i) {
				s.readTable(i)
			}
		}
	}
	return s.expected
}

// args returns the arguments in the bracket at open.
func (s *source) args(open int) [][]syntax.Token {
	if !s.Is(open, "(") && !s.Is(open, "[") && !s.Is(open, "{") {
		return nil
	}
	return splitArguments(s.Tokens[open+1 : max(s.End(open), open+1)])
}

// operands returns the tokens from i to the end of the statement: of its line, unless that ends in
// a bracket or an operator, or to a mark that ends it.
func (s *source) operands(i int) []syntax.Token {
	k := i
	for k < len(s.Tokens) {
		t := s.Tokens[k]
		if k > i && s.startsStatement(k) || t.IsOneOf(";", ")", "}", "]") {
			break
		}
		if t.Is("(") || t.Is("[") || t.Is("{") {
			k = min(s.End(k), len(s.Tokens)-1)
		}
		k++
	}
	return s.Tokens[min(i, k):k]
}

// startsStatement reports whether a line that begins with token k begins another statement.
func (s *source) startsStatement(k int) bool {
	return s.Lang != syntax.PHP && s.At(k).First && !s.Is(k, ".") && !continuesLine(s.Tokens[k-1])
}

// continuesLine reports whether a line that ends with the token continues on the next one.
func continuesLine(t syntax.Token) bool {
	return t.Kind == syntax.Mark && strings.Contains(`,=+-*/<>&|\.([{`, t.Text) || t.Is("and") || t.Is("or")
}

func (s *source) addValue(v Value, at syntax.Token) {
	if v.Subject != "" {
		v.Line, v.Col = at.Line, at.Col
		s.expected = append(s.expected, v)
	}
}
