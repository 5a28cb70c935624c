package testdiff

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// Mark is a line of a test that a finding can be about. Unsure means that it may not apply, because
// it depends on a condition or can mean something else.
type Mark struct {
	Line   int
	Text   string
	Unsure bool
}

// Assertions are the assertions of a text, and what keeps them from failing.
type Assertions struct {
	Count        int    // that can fail
	Vacuous      []Mark // assertions that always pass
	EarlyReturns []Mark // unconditional returns before an assertion
	Unreachable  []Mark // conditions that are never true, around assertions
	Swallowed    []Mark // handlers that ignore a failed assertion
}

// FindAssertions returns the assertions in the tokens of a test's body, without its braces.
func FindAssertions(l syntax.Language, tokens []syntax.Token) Assertions {
	s := newSource(l, tokens)
	var f Assertions
	last := -1
	for i := range s.Tokens {
		if s.Depth[i] > maxDepth || !s.isAssertion(i) {
			continue
		}
		if s.isVacuous(i) {
			f.Vacuous = append(f.Vacuous, Mark{Line: s.At(i).Line, Text: JoinTokens(s.assertionStatement(i))})
			continue
		}
		f.Count++
		last = i
		if d := s.findSuppression(i); d.Unreachable.Text != "" {
			f.Unreachable = append(f.Unreachable, d.Unreachable)
		} else if d.Swallowed.Text != "" {
			f.Swallowed = append(f.Swallowed, d.Swallowed)
		}
	}
	f.EarlyReturns = s.earlyReturns(last)
	return f
}

// isAssertion reports whether an assertion begins at token i.
func (s *source) isAssertion(i int) bool {
	t := s.Tokens[i]
	if t.Kind != syntax.Word {
		return false
	}
	low := strings.ToLower(t.Text)
	call, dotted := s.Is(i+1, "("), s.At(i-1).Is(".")
	switch s.Lang {
	case syntax.Go:
		return call && s.isGoAssertion(i, dotted)
	case syntax.Python:
		return s.isPythonAssertion(i, call, dotted)
	case syntax.JavaScript, syntax.TypeScript:
		return s.isScriptAssertion(i, call || s.hasTypeArguments(i+1), dotted) // expectTypeOf<A>().toEqualTypeOf<B>()
	case syntax.Rust:
		return s.Is(i+1, "!") && (startsWith(low, "assert", "debug_assert", "prop_assert") || low == "panic" || low == "unreachable")
	case syntax.Java:
		return call && (startsWith(low, "assert", "expect") || javaAssertCalls[low]) || t.Is("assert") && !dotted
	case syntax.CSharp:
		return s.isCSharpAssertion(i, call || s.hasTypeArguments(i+1), dotted)
	case syntax.Ruby:
		return isRubyAssertion(t, dotted)
	case syntax.PHP:
		return s.isPHPAssertion(i)
	}
	return false
}

func (s *source) isPythonAssertion(i int, call, dotted bool) bool {
	t := s.Tokens[i]
	if t.Is("assert") && !dotted || t.Is("raise") && s.Is(i+1, "AssertionError") {
		return true
	}
	low := strings.ToLower(t.Text)
	return call && (strings.HasPrefix(low, "assert") || dotted && pythonAssertCalls[low])
}

func isRubyAssertion(t syntax.Token, dotted bool) bool {
	low := strings.ToLower(t.Text)
	if dotted {
		return t.IsOneOf("should", "should_not") || startsWith(low, "must_", "wont_")
	}
	return t.IsOneOf("expect", "is_expected", "flunk") || startsWith(low, "assert", "refute")
}

var (
	pythonAssertCalls = set("raises warns fail deprecated_call")
	javaAssertCalls   = set("verify fail andexpect verifynomoreinteractions")
)

func startsWith(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}

// isCSharpAssertion finds Assert.X, functions named AssertX, x.Should(), x.ShouldBe(…), and
// verifications of mocks.
func (s *source) isCSharpAssertion(i int, call, dotted bool) bool {
	name := s.Tokens[i].Text
	if dotted && strings.HasSuffix(s.At(i-2).Text, "Assert") {
		return true
	}
	switch low := strings.ToLower(name); {
	case !call:
		return false
	case low == "should":
		return true
	case dotted:
		return strings.HasPrefix(name, "Should") || low == "verify" || low == "received"
	}
	declared := s.At(i-1).IsOneOf("void", "Task")
	return len(name) > len("Assert") && strings.HasPrefix(name, "Assert") && !declared
}

// hasTypeArguments reports whether type arguments begin at token i and a call follows:
// ShouldBeOfType<A>().
func (s *source) hasTypeArguments(i int) bool {
	if !s.Is(i, "<") {
		return false
	}
	depth := 0
	for k := i; k < min(i+40, len(s.Tokens)); k++ {
		switch t := s.Tokens[k]; {
		case t.Is("<"):
			depth++
		case t.Is(">"):
			if depth--; depth == 0 {
				return s.Is(k+1, "(")
			}
		case t.Is(">>"):
			if depth -= 2; depth <= 0 {
				return s.Is(k+1, "(")
			}
		case t.Kind != syntax.Word && !t.IsOneOf(",", ".", "?", "[", "]", "(", ")"):
			return false
		}
	}
	return false
}

// isGoAssertion finds t.Error and the like, calls of assertion packages, and helpers that receive
// t.
func (s *source) isGoAssertion(i int, dotted bool) bool {
	t := s.Tokens[i]
	on := s.At(i - 2).Text
	if dotted && (goHandles[on] || on == ")" && s.Is(i-4, "T", "(")) {
		switch t.Text {
		case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
			return true
		}
		return false
	}
	if s.receivesHandle(i+1) && !t.Is("func") && t.Text != "New" {
		return true
	}
	if !dotted {
		return false
	}
	switch on {
	case "assert", "require", "is", "must", "should", "qt", "expect":
		return t.Text != "New"
	case "s", "suite": // methods of a suite
		return startsWith(t.Text, "Equal", "NoError", "Error") || t.IsOneOf("True", "False", "Nil", "NotNil", "Len", "Contains")
	}
	return false
}

// receivesHandle reports whether the call at open receives the test handle: as its first argument
// by any of its names, later only as t, because the other names are ambiguous there.
func (s *source) receivesHandle(open int) bool {
	for i := open + 1; i < s.End(open); i++ {
		t := s.Tokens[i]
		whole := s.Open[i] == open && t.Kind == syntax.Word && s.IsOneOf(i+1, ",", ")")
		usual := i == open+1 || t.Is("t") && s.Is(i-1, ",")
		if whole && usual && goHandles[t.Text] {
			return true
		}
	}
	return false
}

// scriptMethods are the assertion methods of the handles that JavaScript's test runners pass to a
// test.
var scriptMethods = set(
	`is isNot not equal equals isEqual strictEqual strictEquals notEqual notEquals notStrictEqual doesNotEqual looseEqual looseEquals
		notLooseEqual deepEqual deepEquals isEquivalent same strictSame notSame notDeepEqual notEquivalent deepLooseEqual notDeepLooseEqual
		ok notOk true false truthy falsy assert fail error ifError ifErr throws doesNotThrow notThrows throwsAsync notThrowsAsync rejects
		resolves like match notMatch doesNotMatch regex notRegex has hasProp type snapshot matchSnapshot`)

func (s *source) isScriptAssertion(i int, call, dotted bool) bool {
	switch t := s.Tokens[i]; {
	case t.Is("expect"):
		return call || s.Is(i+1, ".", "soft", "(") // with a dot it is a request's expected response
	case t.Is("assert"):
		return (call || s.Is(i+1, ".")) && (!dotted || scriptHandles[s.At(i-2).Text])
	case t.Is("should"):
		return dotted
	case dotted && call && scriptHandles[s.At(i-2).Text]:
		return scriptMethods[t.Text]
	case call && (t.Is("expectTypeOf") || t.Is("assertEquals") || t.Is("assertThrows") || t.Is("assertStrictEquals")):
		return true
	}
	return false
}

// assertionStatement returns the tokens of the assertion at i: its call with everything chained to
// it, or its line if it is a keyword before an expression.
func (s *source) assertionStatement(i int) []syntax.Token {
	k := i
	for k < len(s.Tokens) {
		switch {
		case s.Is(k, "(") || s.Is(k, "["):
			k = s.End(k)
		case k > i && s.Tokens[k].First && !s.Is(k, ".") && s.Lang != syntax.PHP,
			s.Is(k, ";"), s.Is(k, "}"), s.Is(k, ")") && s.Open[k] == s.Open[i]:
			return s.Tokens[i:k]
		}
		k++
	}
	return s.Tokens[i:]
}

// earlyReturns returns the unconditional returns before the last assertion.
func (s *source) earlyReturns(last int) []Mark {
	var marks []Mark
	for i := 0; i < last; i++ {
		t := s.Tokens[i]
		if !t.Is("return") || s.Open[i] >= 0 || s.isGuarded(i) {
			continue
		}
		if (s.Lang == syntax.Python || s.Lang == syntax.Ruby) && (!t.First || t.Col > s.Tokens[0].Col || s.hasTrailingCondition(i)) {
			continue
		}
		if s.returnsAssertion(i, last) {
			continue
		}
		marks = append(marks, Mark{Line: t.Line, Text: "return"})
	}
	return marks
}

// hasTrailingCondition reports Ruby's `return if x`.
func (s *source) hasTrailingCondition(i int) bool {
	for k := i; k < len(s.Tokens) && s.Tokens[k].Line == s.Tokens[i].Line; k++ {
		if s.Is(k, "if") || s.Is(k, "unless") {
			return true
		}
	}
	return false
}

// terminatedLanguages are the languages in which a line break does not end a statement.
var terminatedLanguages = []syntax.Language{syntax.Java, syntax.CSharp, syntax.Rust, syntax.PHP}

// returnsAssertion reports whether the assertion at k is what the return at i returns.
func (s *source) returnsAssertion(i, k int) bool {
	lines := !slices.Contains(terminatedLanguages, s.Lang)
	for n := i + 1; n <= k; n++ {
		t := s.Tokens[n]
		newLine := lines && t.First && !t.Is(".") && !s.At(n-1).Is(",")
		if s.Open[n] < 0 && (t.Is(";") || newLine) {
			return false
		}
	}
	return true
}
