package cases

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/check/lang"
)

// count counts what the unit asserts.
func (u *Test) count(l lang.Language) {
	s := newSource(l, u.Body)
	last := -1
	for i := range s.tokens {
		if s.depth[i] > deepest || !s.asserts(i) {
			continue
		}
		if s.hollow(i) {
			u.Hollow = append(u.Hollow, Mark{Line: s.at(i).Line, Text: text(s.statement(i))})
			continue
		}
		u.Asserts++
		last = i
	}
	u.Early = s.returns(last)
}

// asserts tells whether an assertion begins at token i.
func (s *source) asserts(i int) bool {
	t := s.tokens[i]
	if t.Kind != lang.Word {
		return false
	}
	low := strings.ToLower(t.Text)
	call, dotted := s.is(i+1, "("), s.at(i-1).Is(".")
	switch s.lang {
	case lang.Go:
		return call && s.goAsserts(i, dotted)
	case lang.Python:
		return t.Is("assert") && !dotted || call && (dotted || strings.HasPrefix(low, "assert")) && (strings.HasPrefix(low, "assert") || low == "raises" || low == "warns" || low == "fail" || low == "deprecated_call") ||
			t.Is("raise") && s.is(i+1, "AssertionError")
	case lang.JavaScript, lang.TypeScript:
		return s.scriptAsserts(i, call, dotted)
	case lang.Rust:
		return s.is(i+1, "!") && (strings.HasPrefix(low, "assert") || strings.HasPrefix(low, "debug_assert") || low == "panic" || low == "unreachable" || low == "prop_assert" || strings.HasPrefix(low, "prop_assert"))
	case lang.Java:
		return call && (strings.HasPrefix(low, "assert") || low == "verify" || low == "fail" || strings.HasPrefix(low, "expect") || low == "andexpect" || low == "verifynomoreinteractions") ||
			t.Is("assert") && !dotted
	case lang.CSharp:
		return dotted && s.at(i-2).Is("Assert") || call && low == "should" || call && dotted && strings.HasPrefix(t.Text, "Should") || call && dotted && (low == "verify" || low == "received")
	case lang.Ruby:
		return !dotted && (t.Is("expect") || t.Is("is_expected") || strings.HasPrefix(low, "assert") || strings.HasPrefix(low, "refute") || t.Is("flunk")) ||
			dotted && (t.Is("should") || t.Is("should_not") || strings.HasPrefix(low, "must_") || strings.HasPrefix(low, "wont_"))
	}
	return false
}

var goHandles = []string{"t", "b", "f", "tb", "rt", "tt"}

// goAsserts knows t.Error and its kind, the calls of assertion packages, and helpers
// that are handed t.
func (s *source) goAsserts(i int, dotted bool) bool {
	t := s.tokens[i]
	on := s.at(i - 2).Text
	if dotted && (slices.Contains(goHandles, on) || on == ")" && s.is(i-4, "T", "(")) {
		switch t.Text {
		case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
			return true
		}
		return false
	}
	if s.handed(i+1) && !t.Is("func") && t.Text != "New" {
		return true
	}
	if !dotted {
		return false
	}
	switch on {
	case "assert", "require", "is", "must", "should", "qt", "expect":
		return t.Text != "New"
	case "s", "suite": // the methods of a suite
		return strings.HasPrefix(t.Text, "Equal") || strings.HasPrefix(t.Text, "NoError") || strings.HasPrefix(t.Text, "Error") || t.Text == "True" || t.Text == "False" || t.Text == "Nil" || t.Text == "NotNil" || t.Text == "Len" || t.Text == "Contains"
	}
	return false
}

// handed tells whether the call at open is given what a test is run with: as its first
// argument by any of its names, further on by the usual one, which says nothing else there.
func (s *source) handed(open int) bool {
	for i := open + 1; i < s.end(open); i++ {
		t := s.tokens[i]
		first := i == open+1
		if s.open[i] != open || t.Kind != lang.Word || !(first || t.Is("t") && s.is(i-1, ",")) || !(s.is(i+1, ",") || s.is(i+1, ")")) {
			continue
		}
		if slices.Contains(goHandles, t.Text) {
			return true
		}
	}
	return false
}

// What tape, tap, ava and node's runner hand to a test, and its methods that assert.
var (
	scriptHandles = map[string]bool{"t": true, "st": true, "sst": true, "tt": true}
	scriptMethods = words(`is isNot not equal equals isEqual strictEqual strictEquals notEqual notEquals notStrictEqual doesNotEqual looseEqual looseEquals
		notLooseEqual deepEqual deepEquals isEquivalent same strictSame notSame notDeepEqual notEquivalent deepLooseEqual notDeepLooseEqual
		ok notOk true false truthy falsy assert fail error ifError ifErr throws doesNotThrow notThrows throwsAsync notThrowsAsync rejects
		resolves like match notMatch doesNotMatch regex notRegex has hasProp type snapshot matchSnapshot`)
)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func (s *source) scriptAsserts(i int, call, dotted bool) bool {
	switch t := s.tokens[i]; {
	case t.Is("expect"):
		return call || s.is(i+1, ".", "soft", "(") // dotted: a request that is expected to answer so
	case t.Is("assert"):
		return (call || s.is(i+1, ".")) && (!dotted || scriptHandles[s.at(i-2).Text])
	case t.Is("should"):
		return dotted
	case dotted && call && scriptHandles[s.at(i-2).Text]:
		return scriptMethods[t.Text]
	case call && (t.Is("expectTypeOf") || t.Is("assertEquals") || t.Is("assertThrows") || t.Is("assertStrictEquals")):
		return true
	}
	return false
}

// statement gives the tokens of the assertion at i: its call with what is chained to
// it, or its line where it is a word before an expression.
func (s *source) statement(i int) []lang.Token {
	k := i
	for k < len(s.tokens) {
		switch {
		case s.is(k, "(") || s.is(k, "["):
			k = s.end(k)
		case k > i && s.tokens[k].First && !s.is(k, "."), s.is(k, ";"), s.is(k, "}"), s.is(k, ")") && s.open[k] == s.open[i]:
			return s.tokens[i:k]
		}
		k++
	}
	return s.tokens[i:]
}

// returns gives the places from which no later assertion is reached: a return that
// stands under no condition before the last assertion.
func (s *source) returns(last int) []Mark {
	var marks []Mark
	for i := 0; i < last; i++ {
		t := s.tokens[i]
		if !t.Is("return") || s.open[i] >= 0 || s.guarded(i) {
			continue
		}
		if (s.lang == lang.Python || s.lang == lang.Ruby) && (!t.First || t.Col > s.tokens[0].Col || s.conditionAfter(i)) {
			continue
		}
		if s.statementHolds(i, last) {
			continue
		}
		marks = append(marks, Mark{Line: t.Line, Text: "return"})
	}
	return marks
}

// conditionAfter tells Ruby's `return if x`.
func (s *source) conditionAfter(i int) bool {
	for k := i; k < len(s.tokens) && s.tokens[k].Line == s.tokens[i].Line; k++ {
		if s.is(k, "if") || s.is(k, "unless") {
			return true
		}
	}
	return false
}

// statementHolds tells whether the assertion at k is what the return at i returns.
func (s *source) statementHolds(i, k int) bool {
	lines := s.lang != lang.Java && s.lang != lang.CSharp && s.lang != lang.Rust // a line ends a statement
	for n := i + 1; n <= k; n++ {
		t := s.tokens[n]
		if s.open[n] < 0 && (t.Is(";") || lines && t.First && !t.Is(".") && !s.at(n-1).Is(",")) {
			return false
		}
	}
	return true
}

// Empty tells whether the body does nothing: it has no statement, or only some that
// stand for none: pass, ..., a docstring, a bare return, t.Parallel().
func (u Test) Empty() bool {
	rest := 0
	for i := 0; i < len(u.Body); i++ {
		t := u.Body[i]
		parallel := i+4 < len(u.Body) && u.Body[i+1].Is(".") && (u.Body[i+2].Is("Parallel") || u.Body[i+2].Is("Helper"))
		switch {
		case parallel:
			i += 4
		case t.Is(";") || t.Is("pass") || t.Is(".") || t.Is("return"):
		case t.Kind == lang.Text && i == 0:
		default:
			rest++
		}
	}
	return rest == 0
}
