package testdiff

import (
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/syntax"
)

var (
	goHandles     = set(`t b f tb rt tt`)
	goPackages    = set(`assert require is must should qt expect suite s c`)
	scriptHandles = set(`t st sst tt`) // handles that tape, tap, ava and node's runner pass to a test
)

// assertForm is the form of an assertion: its number of arguments without a message, and its
// comparison.
type assertForm struct {
	args int
	op   string
}

// assertForms maps the names of assertions, without assert, in lower case and without underscores,
// to their forms.
var assertForms = sync.OnceValue(func() map[string]assertForm {
	all := map[string]assertForm{"": {1, "true"}}
	for asks, names := range map[assertForm]string{
		{2, "eq"}: `equal equals eq same is areequal aresame deepequal deepequals strictequal strictequals
			deepstrictequal looseequal jsoneq yamleq equalvalues exactly listequal dictequal setequal tupleequal
			countequal multilineequal sequenceequal almostequal arrayequals iterableequals linesmatch equivalent
			elementsmatch samestrict isequal equalscanonicalizing jsonstringequalsjsonstring`,
		{3, "near"}:         `indelta inepsilon withindelta equalswithdelta`,
		{2, "ne"}:           `notequal notequals ne arenotequal notsame isnot notdeepequal`,
		{2, ">"}:            `greater gt greaterthan`,
		{2, "<"}:            `less lt lessthan`,
		{2, ">="}:           `greaterequal greaterorequal greaterthanorequal`,
		{2, "<="}:           `lessequal lessorequal lessthanorequal`,
		{2, "contains"}:     `contains includes include stringcontainsstring`,
		{2, "in"}:           `in arrayhaskey`,
		{2, "not contains"}: `notcontains doesnotcontain stringnotcontainsstring`,
		{2, "match"}:        `match matches regexp regex regexpmatches matchesregularexpression`,
		{2, "len"}:          `len length count`,
		{2, "error"}:        `equalerror errorcontains erroris`,
		{2, "type"}:         `isinstance isinstanceof instanceof kindof`,
		{2, "throws"}:       `throws raises raise`,
		{3, "throws"}:       `raisesregex`,
		{2, "prefix"}:       `stringstartswith startswith`,
		{2, "suffix"}:       `stringendswith endswith`,
		{1, "true"}:         `true ok truthy istrue`,
		{1, "false"}:        `false notok falsy isfalse`,
		{1, "nil"}:          `nil null isnil isnull isnone`,
		{1, "not nil"}:      `notnil notnull isnotnil isnotnull isnotnone`,
		{1, "no error"}:     `noerror`,
		{1, "error"}:        `error`,
		{1, "empty"}:        `empty`,
		{1, "not empty"}:    `notempty`,
		{1, "zero"}:         `zero`,
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = asks
		}
	}
	return all
})

// readAssertCall reads the call of an assertion whose name is token i.
func (s *source) readAssertCall(i int) bool {
	bare, open, ok := s.assertionName(i)
	if !ok {
		return s.readHelperCall(i)
	}
	var args [][]syntax.Token
	switch {
	case s.Is(open, "("):
		args = s.args(open)
	case s.Lang == syntax.Ruby && s.At(i).First && !s.Is(open, "."):
		args = splitArguments(tokensUntil(s.operands(i+1), "do"))
	default:
		return false
	}
	if s.Lang == syntax.Go && len(args) > 0 && len(args[0]) == 1 && goHandles[args[0][0].Text] {
		args = args[1:]
	}
	o := assertForms()[bare]
	if s.Lang == syntax.Java && len(args) == o.args+1 && isText(args[0]) && (o.args == 1 || s.isMessageFirst(args)) {
		args = args[1:] // the message is the first argument
	}
	if len(args) < min(o.args, 2) || len(args) == 0 || len(args[0]) == 0 {
		return false
	}
	refuted := strings.HasPrefix(s.At(i).Text, "refute")
	switch {
	case o.args == 1 && (o.op == "true" || o.op == "false"):
		s.readConditions(args[0], (o.op == "false") != refuted)
	case o.args == 1:
		s.addValue(Value{Subject: tokenKey(args[0]), Op: effectiveOp(o.op, refuted)}, args[0][0])
	default:
		s.addComparison(effectiveOp(o.op, refuted), args[0], args[1], false)
		s.addTolerance(o.op, args)
	}
	return true
}

// isText reports whether an argument is a single string literal.
func isText(arg []syntax.Token) bool { return len(arg) == 1 && arg[0].Kind == syntax.Text }

// readHelperCall reads the call of a test helper that is named like an assertion: its subject and
// the expected value.
func (s *source) readHelperCall(i int) bool {
	low := strings.ToLower(s.Tokens[i].Text)
	ofOther := s.isMemberAccess(i-1) && !s.IsOneOf(i-2, "self", "this", "$this", "static")
	if ofOther || !s.Is(i+1, "(") || !startsWith(low, "assert", "expect", "check", "verify") {
		return false
	}
	args := s.args(i + 1)
	if s.Lang == syntax.Go && len(args) > 0 && len(args[0]) == 1 && goHandles[args[0][0].Text] {
		args = args[1:]
	}
	if len(args) != 2 {
		return false
	}
	s.addComparison(s.Tokens[i].Text, args[0], args[1], false)
	return true
}

// isMessageFirst distinguishes assertEquals("message", 4, f()) from assertEquals("a", f(),
// "message").
func (s *source) isMessageFirst(args [][]syntax.Token) bool {
	if isLiteral(s.Lang, args[1]) {
		return !isLiteral(s.Lang, args[2])
	}
	return isLiteral(s.Lang, args[2]) && args[2][0].Kind != syntax.Text
}

// addTolerance records the tolerance of a comparison of numbers; its subject is both values.
func (s *source) addTolerance(op string, args [][]syntax.Token) {
	if op != "near" && op != "eq" || len(args) < 3 {
		return
	}
	if n := len(args[2]); n > 0 && n <= 2 && args[2][0].Kind == syntax.Number {
		s.addValue(Value{Subject: tokenKey(args[0]) + " ~ " + tokenKey(args[1]), Op: "within", Text: tokenText(args[2])}, args[2][0])
	}
}

// assertionName reports whether token i is the name of an assertion; bare is the name as a key of
// assertForms, open the position of its parenthesis.
func (s *source) assertionName(i int) (bare string, open int, ok bool) {
	open = i + 1
	if !s.Is(open, "(") && !s.Is(open, "!") && s.Lang != syntax.Ruby {
		return "", 0, false
	}
	low := strings.ToLower(strings.ReplaceAll(s.Tokens[i].Text, "_", ""))
	dotted, on := s.isMemberAccess(i-1), s.At(i-2).Text
	switch s.Lang {
	case syntax.Rust:
		if !s.Is(open, "!") || !strings.Contains(low, "assert") {
			return "", 0, false
		}
		open++
	case syntax.Go:
		if !dotted && !strings.HasPrefix(low, "assert") || dotted && !goPackages[on] {
			return "", 0, false
		}
		low = strings.TrimSuffix(low, "f")
	case syntax.JavaScript, syntax.TypeScript:
		if dotted && !scriptHandles[on] && on != "assert" && on != "chai" || !dotted && !strings.HasPrefix(low, "assert") {
			return "", 0, false
		}
	case syntax.CSharp:
		if !dotted || !strings.HasSuffix(on, "Assert") {
			return "", 0, false
		}
	default:
		if !strings.HasPrefix(low, "assert") && !strings.HasPrefix(low, "refute") {
			return "", 0, false
		}
	}
	for _, head := range []string{"debugassert", "propassert", "assert", "refute"} {
		if rest, had := strings.CutPrefix(low, head); had {
			low = rest
			break
		}
	}
	_, ok = assertForms()[low]
	return low, open, ok
}

// equalityMatchers are matchers that test for equality.
var equalityMatchers = set(`toBe toEqual toStrictEqual isEqualTo isSameAs isEqualByComparingTo eq eql equal be equals EqualTo
	SameAs Be ShouldBe ShouldEqual must_equal deep toMatchObject
	BeEquivalentTo to_equal toMatchInlineSnapshot`)

// readMatcherChain reads expect(x).toBe(3), assertThat(x).isEqualTo(3), x.Should().Be(3),
// Assert.That(x, Is.EqualTo(3)) and RSpec's expect(x).to eq 3, beginning at token i.
func (s *source) readMatcherChain(i int) bool {
	t := s.Tokens[i]
	switch {
	case (t.Is("expect") || t.Is("assertThat") || t.Is("expectThat") || t.Is("assert_that")) && s.Is(i+1, "("):
		args := s.args(i + 1)
		if len(args) == 2 && t.Is("assertThat") { // assertThat(x, is(3))
			s.addMatcher(tokenKey(args[0]), args[1], false)
			return true
		}
		if len(args) == 0 {
			return false
		}
		s.readMatchers(tokenKey(s.Tokens[i+2:s.End(i+1)]), s.End(i+1)+1)
		return true
	case t.Is("That") && s.Is(i-1, ".") && s.Is(i-2, "Assert") && s.Is(i+1, "("):
		if args := s.args(i + 1); len(args) > 1 {
			s.addMatcher(tokenKey(args[0]), args[1], false)
		} else if len(args) == 1 {
			s.readConditions(args[0], false)
		}
		return true
	case t.Is("Should") && s.Is(i-1, ".") && s.Is(i+1, "("):
		s.readMatchers(tokenKey(s.statementBefore(i-1)), s.End(i+1)+1)
		return true
	case (strings.HasPrefix(t.Text, "ShouldBe") || strings.HasPrefix(t.Text, "ShouldEqual") ||
		strings.HasPrefix(t.Text, "must_")) && s.Is(i-1, "."):
		s.addMatcher(tokenKey(s.statementBefore(i-1)), s.operands(i), false)
		return true
	}
	return false
}

// statementBefore returns the tokens of the statement up to the dot at i.
func (s *source) statementBefore(i int) []syntax.Token {
	k := i
	for k > 0 && i-k < 200 && s.Open[k-1] >= s.Open[i] {
		begins := s.IsOneOf(k-1, ";", "{", "}") || s.Tokens[k].First && !s.Is(k, ".")
		if begins && s.Open[k-1] == s.Open[i] {
			break
		}
		k--
	}
	return s.Tokens[k:i]
}

// readMatchers reads the matchers that are chained to a subject, from token k.
func (s *source) readMatchers(subject string, k int) {
	not := false
	for k < len(s.Tokens) {
		dot := s.isMemberAccess(k)
		word := k
		if dot {
			word++
		}
		t := s.At(word)
		switch {
		case !dot, t.Kind != syntax.Word:
			return
		case t.Is("to") || t.Is("not_to") || t.Is("to_not"):
			if !s.Is(word+1, "(") && !s.Is(word+1, ".") {
				s.addMatcher(subject, tokensUntil(s.operands(word+1), "do"), !t.Is("to"))
				return
			}
			if s.Lang == syntax.Ruby {
				s.addMatcher(subject, s.Tokens[word+2:max(s.End(word+1), word+2)], !t.Is("to"))
				return
			}
			k = word + 1
			continue
		case t.Is("and") && s.Lang == syntax.PHP && s.Is(word+1, "("): // Pest's expect(x)->toBe(1)->and(y)->toBe(2)
			subject, not = tokenKey(s.Tokens[word+2:max(s.End(word+1), word+2)]), false
			k = s.End(word+1) + 1
			continue
		case t.Is("not"), t.Is("Not"):
			not = !not
		case s.Is(word+1, "("):
			end := s.End(word + 1)
			s.addMatcher(subject, s.Tokens[word:min(end+1, len(s.Tokens))], not)
			k = end + 1
			continue
		case !s.isMemberAccess(word + 1): // chai's expect(x).to.be.true
			s.addMatcher(subject, s.Tokens[word:word+1], not)
			return
		}
		k = word + 1
	}
}

// addMatcher records a matcher: its name, and its argument if that is a literal.
func (s *source) addMatcher(subject string, m []syntax.Token, not bool) {
	for len(m) > 2 && (m[0].Is("Is") || m[0].Is("Has") || m[0].Is("Does")) && m[1].Is(".") {
		m = m[2:]
	}
	for len(m) > 2 && m[0].Is("Not") && m[1].Is(".") {
		m, not = m[2:], !not
	}
	if len(m) == 0 || m[0].Kind != syntax.Word {
		return
	}
	op, args := m[0].Text, m[1:]
	if len(args) > 1 && args[0].Is("(") && args[len(args)-1].Is(")") {
		args = args[1 : len(args)-1]
	}
	if op == "be" && len(args) > 1 && (args[0].Is("<") || args[0].Is(">") || args[0].Is("=")) { // RSpec's be > 3
		s.readCondition(append([]syntax.Token{{Kind: syntax.Word, Text: subject, Line: m[0].Line, Col: m[0].Col}}, args...), not)
		return
	}
	if equalityMatchers[op] || op == "is" && len(args) > 0 {
		op = "eq"
		if args = tokensUntil(args, ","); len(args) == 0 {
			return
		}
	}
	if len(args) > 0 && !isLiteral(s.Lang, args) {
		return
	}
	s.addValue(Value{Subject: subject, Op: effectiveOp(op, not), Text: tokenText(args)}, m[0])
}
