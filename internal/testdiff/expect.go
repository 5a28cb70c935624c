package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// What is not a literal (a variable, a call of the code under test) is not an expected value,
// and its changes are not seen.

// Value is something that a test expects.
type Value struct {
	Subject string // what is compared, without the value: the same before and after
	Op      string // how: eq, ne, true, false, the name of a matcher, or row for a table's
	Text    string // the literal as it is written; "" for true, false and what needs none
	Line    int
	Col     int
}

// Said writes the value as people read it: how it is compared where that is not equality.
func (v Value) Said() string {
	switch {
	case v.Op == "eq" || v.Op == opRow || helped(v.Op) && v.Text != "":
		return v.Text
	case v.Text == "":
		return v.Op
	}
	return v.Op + " " + v.Text
}

// helped tells the name of a helper of the tests' own.
func helped(op string) bool {
	return strings.HasPrefix(op, "assert") || strings.HasPrefix(op, "check") || strings.HasPrefix(op, "verify") ||
		strings.HasPrefix(op, "expect")
}

// Change is a value that was expected, and the one that is expected in its place.
type Change struct{ Old, New Value }

const opRow = "row"

// reader is the tokens of a text with the brackets that belong together.
type reader struct {
	lang   syntax.Language
	tokens []syntax.Token
	nest   syntax.Nest
	out    []Value
}

// deepest bounds how many brackets deep assertions are looked for.
const deepest = 60

// Read gives the values that the tokens of a text, without its comments, expect, in order.
func ExpectedValues(l syntax.Language, tokens []syntax.Token) []Value {
	r := &reader{lang: l, tokens: tokens, nest: syntax.Nested(tokens)}
	for i, t := range tokens {
		if r.nest.Depth[i] > deepest {
			continue
		}
		switch {
		case l == syntax.Go && t.Is("if"):
			r.goIf(i)
		case t.Is("assert") && !r.is(i-1, ".") && (l == syntax.Python || l == syntax.Java && !r.is(i+1, "(")):
			what := r.statement(i + 1)
			if l == syntax.Java {
				what = until(what, ":")
			}
			r.condition(until(what, ","))
		case t.Kind == syntax.Word && r.chained(i):
		case t.Kind == syntax.Word && r.called(i):
		case t.Kind == syntax.Word || t.Kind == syntax.Text:
			if !r.named(i) {
				r.table(i)
			}
		}
	}
	return r.out
}

func (r *reader) at(i int) syntax.Token {
	if i < 0 || i >= len(r.tokens) {
		return syntax.Token{}
	}
	return r.tokens[i]
}

func (r *reader) is(i int, words ...string) bool {
	for n, w := range words {
		if !r.at(i + n).Is(w) {
			return false
		}
	}
	return true
}

// dot reports whether the token at i stands between a thing and its member.
func (r *reader) dot(i int) bool {
	if r.lang == syntax.PHP {
		return r.among(i, "->", "::")
	}
	return r.is(i, ".")
}

func (r *reader) among(i int, words ...string) bool { return r.at(i).Among(words...) }

// end gives the index of what closes the bracket at i, or the end of the text.
func (r *reader) end(i int) int {
	if i < 0 || i >= len(r.tokens) || r.nest.Close[i] < 0 {
		return len(r.tokens)
	}
	return r.nest.Close[i]
}

// args returns the arguments between the bracket at open and what closes it.
func (r *reader) args(open int) [][]syntax.Token {
	if !r.is(open, "(") && !r.is(open, "[") && !r.is(open, "{") {
		return nil
	}
	return splitArguments(r.tokens[open+1 : max(r.end(open), open+1)])
}

// statement returns the tokens from i on to the end of the statement: of the line, when it
// ends in no bracket and no operator, or the mark that ends it.
func (r *reader) statement(i int) []syntax.Token {
	k := i
	for k < len(r.tokens) {
		t := r.tokens[k]
		if k > i && r.newLine(k) || t.Among(";", ")", "}", "]") {
			break
		}
		if t.Is("(") || t.Is("[") || t.Is("{") {
			k = min(r.end(k), len(r.tokens)-1)
		}
		k++
	}
	return r.tokens[min(i, k):k]
}

// newLine reports whether a line that begins with token k begins another statement.
func (r *reader) newLine(k int) bool {
	return r.lang != syntax.PHP && r.at(k).First && !r.is(k, ".") && !continues(r.tokens[k-1])
}

// continues reports whether a line that ends with the token goes on in the next.
func continues(t syntax.Token) bool {
	return t.Kind == syntax.Mark && strings.Contains(`,=+-*/<>&|\.([{`, t.Text) || t.Is("and") || t.Is("or")
}

func (r *reader) add(v Value, at syntax.Token) {
	if v.Subject != "" {
		v.Line, v.Col = at.Line, at.Col
		r.out = append(r.out, v)
	}
}
