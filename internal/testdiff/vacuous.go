package testdiff

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// isVacuous reports whether the assertion at i passes whatever the code does: it asserts a
// constant, compares a thing with itself, or contains "or true".
func (s *source) isVacuous(i int) bool {
	t := s.Tokens[i]
	low := strings.ToLower(strings.ReplaceAll(t.Text, "_", ""))
	st := s.assertionStatement(i)
	if s.Lang == syntax.Python && t.Is("assert") || s.Lang == syntax.Java && t.Is("assert") && !s.Is(i+1, "(") {
		asserted := tokensUntil(st[1:], ",")
		return isAlwaysTrue(asserted) || s.Lang == syntax.Python && isTuple(asserted)
	}
	open := i + 1
	if s.Lang == syntax.Rust {
		open++
	}
	if (s.Lang == syntax.TypeScript || s.Lang == syntax.JavaScript) && t.Is("assert") && s.Is(i+1, ".") { // assert.equal(…)
		low, open = "assert"+strings.ToLower(s.At(i+2).Text), i+3
	}
	var args [][]syntax.Token
	switch {
	case s.Is(open, "("):
		args = splitArguments(s.Inside(open))
	case s.Lang == syntax.Ruby:
		args = splitArguments(st[1:])
	}
	if len(args) == 0 {
		return false
	}
	if s.Lang == syntax.Go {
		if goHandles[JoinTokens(args[0])] {
			args = args[1:]
		}
	}
	if t.Is("expect") && !s.isMemberAccess(i-1) && isSingleArgumentCall(st) {
		return true // no matcher; a request's expect(200) has one
	}
	if t.IsOneOf("expect", "assertThat", "that") || s.Lang == syntax.CSharp && low == "that" {
		return s.isVacuousExpect(args, st)
	}
	return isVacuousCall(low, args)
}

// isSingleArgumentCall reports a call with one argument and nothing chained to it.
func isSingleArgumentCall(call []syntax.Token) bool {
	if n := len(call); n > 0 && call[n-1].Is(";") {
		call = call[:n-1]
	}
	if len(call) == 0 {
		return false
	}
	inner, ok := unwrapOnce(call[1:])
	return ok && len(tokensUntil(inner, ",")) == len(inner)
}

// isVacuousCall checks assertX(args…) by its name.
func isVacuousCall(name string, args [][]syntax.Token) bool {
	if len(args) == 0 {
		return false
	}
	is := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(name, w) })
	}
	switch {
	case is("notequal", "notequals", "notsame", "ne", "notdeepequal", "areNotEqual", "refuteequal"):
		return false
	case is("true", "assert", "assertok", "ok", "truthy", "debugassert", "propassert"):
		return isAlwaysTrue(args[0]) || name == "assertok" && len(args) == 1 && isConstant(args[0]) && !args[0][0].Is("false")
	case is("false", "falsy", "refute"):
		return len(args[0]) == 1 && (args[0][0].Is("false") || args[0][0].Is("False") || args[0][0].Is("nil"))
	case is("equal", "equals", "same", "eq", "areequal", "is", "deepequal", "strictequal", "assertis"):
		return len(args) > 1 && isSameThing(args[0], args[1])
	}
	return false
}

// isVacuousExpect checks expect(a).toBe(b), expect(a).to eq(b), assertThat(a).isEqualTo(b),
// Assert.That(a, Is.True).
func (s *source) isVacuousExpect(args [][]syntax.Token, st []syntax.Token) bool {
	a := args[0]
	if len(args) > 1 {
		return len(a) == 1 && (a[0].Is("true") && strings.HasSuffix(JoinTokens(args[1]), "True"))
	}
	last := -1 // the matcher: the last word before the last parenthesis
	end := len(st)
	for k := range st {
		if st[k].Is("not") || st[k].Is("to_not") || st[k].Is("not_to") || st[k].Is("rejects") {
			return false
		}
	}
	depth := 0
	for k, t := range st {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && t.Kind == syntax.Word && k > 0:
			last = k
		}
	}
	if last < 0 {
		return false
	}
	var b []syntax.Token
	if last+1 < end && st[last+1].Is("(") {
		b = st[last+2 : max(end-1, last+2)]
	}
	switch name := st[last].Text; name {
	case "toBe", "toEqual", "toStrictEqual", "isEqualTo", "isSameAs", "eq", "eql", "equal", "equals", "be":
		return len(b) > 0 && isSameThing(a, tokensUntil(b, ","))
	case "toBeTruthy", "toBeTrue", "isTrue", "be_truthy", "true", "ok", "be_true":
		return isAlwaysTrue(a)
	case "toBeDefined", "isNotNull", "exist":
		return isConstant(a)
	case "toBeFalsy", "toBeFalse", "isFalse", "be_falsey":
		return len(a) == 1 && a[0].Is("false")
	}
	return false
}

// isConstant reports whether tokens are a literal.
func isConstant(tokens []syntax.Token) bool {
	if len(tokens) == 2 && tokens[0].Is("-") {
		tokens = tokens[1:]
	}
	if len(tokens) != 1 {
		return false
	}
	t := tokens[0]
	switch t.Text {
	case "true", "True", "false", "False", "null", "nil", "None", "undefined":
		return true
	}
	return t.Kind == syntax.Number || t.Kind == syntax.Text && !strings.Contains(t.Text, "${") && !strings.Contains(t.Text, "#{")
}

// isAlwaysTrue reports whether an expression is always true: true, 1, 1 == 1, x == x, x.equals(x),
// anything or true.
func isAlwaysTrue(tokens []syntax.Token) bool {
	tokens = unwrapBrackets(tokens)
	n := len(tokens)
	if n == 1 {
		t := tokens[0]
		return t.Is("true") || t.Is("True") || t.Kind == syntax.Number && t.Text != "0"
	}
	if n == 2 && (tokens[0].Is("not") || tokens[0].Is("!")) {
		return tokens[1].Is("false") || tokens[1].Is("False")
	}
	if any := splitCondition(tokens, "|", "or"); len(any) > 1 && slices.ContainsFunc(any, func(one []syntax.Token) bool {
		return len(one) == 1 && (one[0].Is("True") || one[0].Is("true"))
	}) {
		return true
	}
	for i := 1; i+1 < n; i++ {
		switch {
		case tokens[i].IsOneOf("equals", "Equals") && tokens[i-1].Is(".") && tokens[i+1].Is("(") && tokens[n-1].Is(")"):
			return isSameThing(tokens[:i-1], tokens[i+2:n-1])
		case tokens[i].Is("is") && !tokens[i+1].Is("not"):
			return isSameThing(tokens[:i], tokens[i+1:])
		case tokens[i].Is("=") && tokens[i+1].Is("=") && !tokens[i-1].Is("!") && !tokens[i-1].Is("<") && !tokens[i-1].Is(">"):
			rest := tokens[i+2:]
			if len(rest) > 0 && rest[0].Is("=") {
				rest = rest[1:]
			}
			return isSameThing(tokens[:i], rest)
		}
	}
	return false
}

// unwrapOnce removes one pair of parentheses around everything.
func unwrapOnce(tokens []syntax.Token) ([]syntax.Token, bool) {
	if len(tokens) < 3 || !tokens[0].Is("(") {
		return nil, false
	}
	depth := 0
	for i, t := range tokens {
		if t.Is("(") {
			depth++
		} else if t.Is(")") {
			depth--
		}
		if depth == 0 {
			return tokens[1 : len(tokens)-1], i == len(tokens)-1
		}
	}
	return nil, false
}

// isTuple reports a tuple with elements, which is always true in Python: assert (x == 1, "why").
func isTuple(tokens []syntax.Token) bool {
	inner, ok := unwrapOnce(tokens)
	return ok && len(tokensUntil(inner, ",")) < len(inner)
}

// isSameThing reports whether two literals or names are equal. Two equal calls may differ, and
// comparing them may be the test.
func isSameThing(a, b []syntax.Token) bool {
	if len(a) == 0 || len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Text != b[i].Text || a[i].Is("(") || a[i].Is("and") || a[i].Is("&") {
			return false
		}
	}
	return true
}
