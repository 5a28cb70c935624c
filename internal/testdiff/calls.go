package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

var (
	goTestHandles     = set(`t b f tb rt tt`)
	goPackages        = set(`assert require is must should qt expect suite s c`)
	scriptTestHandles = set(`t st sst tt assert chai`)
)

// ops are what assertions ask, by their names without assert, in lower case and without
// underscores: how many arguments are not a message, and the question.
var ops = map[string]struct {
	args int
	op   string
}{
	"equal": {2, "eq"}, "equals": {2, "eq"}, "eq": {2, "eq"}, "same": {2, "eq"}, "is": {2, "eq"}, "areequal": {2, "eq"},
	"aresame":   {2, "eq"},
	"deepequal": {2, "eq"}, "deepequals": {2, "eq"}, "strictequal": {2, "eq"}, "strictequals": {2, "eq"},
	"deepstrictequal": {2, "eq"}, "looseequal": {2, "eq"},
	"jsoneq": {2, "eq"}, "yamleq": {2, "eq"}, "equalvalues": {2, "eq"}, "exactly": {2, "eq"}, "listequal": {2, "eq"},
	"dictequal": {2, "eq"}, "setequal": {2, "eq"},
	"tupleequal": {2, "eq"}, "countequal": {2, "eq"}, "multilineequal": {2, "eq"}, "sequenceequal": {2, "eq"},
	"almostequal": {2, "eq"}, "arrayequals": {2, "eq"},
	"iterableequals": {2, "eq"}, "linesmatch": {2, "eq"}, "equivalent": {2, "eq"}, "elementsmatch": {2, "eq"},
	"samestrict": {2, "eq"}, "isequal": {2, "eq"},
	"indelta": {3, "near"}, "inepsilon": {3, "near"}, "withindelta": {3, "near"},
	"notequal": {2, "ne"}, "notequals": {2, "ne"}, "ne": {2, "ne"}, "arenotequal": {2, "ne"}, "notsame": {2, "ne"},
	"isnot": {2, "ne"}, "notdeepequal": {2, "ne"},
	"greater": {2, ">"}, "gt": {2, ">"}, "less": {2, "<"}, "lt": {2, "<"}, "greaterequal": {2, ">="},
	"greaterorequal": {2, ">="}, "lessequal": {2, "<="}, "lessorequal": {2, "<="},
	"contains": {2, "contains"}, "in": {2, "in"}, "includes": {2, "contains"}, "include": {2, "contains"},
	"notcontains": {2, "not contains"}, "doesnotcontain": {2, "not contains"},
	"match": {2, "match"}, "matches": {2, "match"}, "regexp": {2, "match"}, "regex": {2, "match"},
	"regexpmatches": {2, "match"}, "len": {2, "len"}, "length": {2, "len"}, "count": {2, "len"},
	"equalerror": {2, "error"}, "errorcontains": {2, "error"}, "erroris": {2, "error"}, "isinstance": {2, "type"},
	"isinstanceof": {2, "type"}, "instanceof": {2, "type"}, "kindof": {2, "type"},
	"throws": {2, "throws"}, "raises": {2, "throws"}, "raise": {2, "throws"}, "raisesregex": {3, "throws"},
	"stringcontainsstring": {2, "contains"}, "stringnotcontainsstring": {2, "not contains"}, "arrayhaskey": {2, "in"},
	"matchesregularexpression": {2, "match"}, "equalswithdelta": {3, "near"}, "stringstartswith": {2, "prefix"},
	"stringendswith": {2, "suffix"}, "equalscanonicalizing": {2, "eq"}, "jsonstringequalsjsonstring": {2, "eq"},
	"greaterthan": {2, ">"}, "lessthan": {2, "<"}, "greaterthanorequal": {2, ">="}, "lessthanorequal": {2, "<="},
	"startswith": {2, "prefix"}, "endswith": {2, "suffix"},
	"true": {1, "true"}, "ok": {1, "true"}, "truthy": {1, "true"}, "istrue": {1, "true"}, "": {1, "true"},
	"false": {1, "false"}, "notok": {1, "false"}, "falsy": {1, "false"}, "isfalse": {1, "false"},
	"nil": {1, "nil"}, "null": {1, "nil"}, "isnil": {1, "nil"}, "isnull": {1, "nil"}, "isnone": {1, "nil"},
	"notnil": {1, "not nil"}, "notnull": {1, "not nil"}, "isnotnil": {1, "not nil"}, "isnotnull": {1, "not nil"},
	"isnotnone": {1, "not nil"},
	"noerror":   {1, "no error"}, "error": {1, "error"}, "empty": {1, "empty"}, "notempty": {1, "not empty"}, "zero": {1, "zero"},
}

// called reads the call of an assertion whose name is token i.
func (s *source) called(i int) bool {
	bare, open, ok := s.assertion(i)
	if !ok {
		return s.helper(i)
	}
	var args [][]syntax.Token
	switch {
	case s.Is(open, "("):
		args = s.args(open)
	case s.Lang == syntax.Ruby && s.At(i).First && !s.Is(open, "."):
		args = splitArguments(until(s.operands(i+1), "do"))
	default:
		return false
	}
	if s.Lang == syntax.Go && len(args) > 0 && len(args[0]) == 1 && goTestHandles[args[0][0].Text] {
		args = args[1:]
	}
	o := ops[bare]
	if s.Lang == syntax.Java && len(args) == o.args+1 && isText(args[0]) && (o.args == 1 || s.messageFirst(args)) {
		args = args[1:] // the message comes first
	}
	if len(args) < min(o.args, 2) || len(args) == 0 || len(args[0]) == 0 {
		return false
	}
	refuted := strings.HasPrefix(s.At(i).Text, "refute")
	switch {
	case o.args == 1 && (o.op == "true" || o.op == "false"):
		s.conditions(args[0], (o.op == "false") != refuted)
	case o.args == 1:
		s.add(Value{Subject: key(args[0]), Op: sense(o.op, refuted)}, args[0][0])
	default:
		s.compared(sense(o.op, refuted), args[0], args[1], false)
		s.margin(o.op, args)
	}
	return true
}

// isText tells whether an argument is a text and nothing else.
func isText(arg []syntax.Token) bool { return len(arg) == 1 && arg[0].Kind == syntax.Text }

// helper reads the call of a function of the tests that is named like an assertion, of what
// it compares and what that should be.
func (s *source) helper(i int) bool {
	low := strings.ToLower(s.Tokens[i].Text)
	ofOther := s.dot(i-1) && !s.Among(i-2, "self", "this", "$this", "static")
	if ofOther || !s.Is(i+1, "(") || !startsWith(low, "assert", "expect", "check", "verify") {
		return false
	}
	args := s.args(i + 1)
	if s.Lang == syntax.Go && len(args) > 0 && len(args[0]) == 1 && goTestHandles[args[0][0].Text] {
		args = args[1:]
	}
	if len(args) != 2 {
		return false
	}
	s.compared(s.Tokens[i].Text, args[0], args[1], false)
	return true
}

// messageFirst tells assertEquals("message", 4, f()) from assertEquals("a", f(), "message").
func (s *source) messageFirst(args [][]syntax.Token) bool {
	if literal(s.Lang, args[1]) {
		return !literal(s.Lang, args[2])
	}
	return literal(s.Lang, args[2]) && args[2][0].Kind != syntax.Text
}

// margin notes how far a number may be off: what is compared is its subject.
func (s *source) margin(op string, args [][]syntax.Token) {
	if op != "near" && op != "eq" || len(args) < 3 {
		return
	}
	if n := len(args[2]); n > 0 && n <= 2 && args[2][0].Kind == syntax.Number {
		s.add(Value{Subject: key(args[0]) + " ~ " + key(args[1]), Op: "within", Text: text(args[2])}, args[2][0])
	}
}

// assertion reports whether token i names one; bare is its name as ops have it, open where
// its parenthesis is.
func (s *source) assertion(i int) (bare string, open int, ok bool) {
	open = i + 1
	if !s.Is(open, "(") && !s.Is(open, "!") && s.Lang != syntax.Ruby {
		return "", 0, false
	}
	low := strings.ToLower(strings.ReplaceAll(s.Tokens[i].Text, "_", ""))
	dotted, on := s.dot(i-1), s.At(i-2).Text
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
		if dotted && !scriptTestHandles[on] || !dotted && !strings.HasPrefix(low, "assert") {
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
	_, ok = ops[low]
	return low, open, ok
}

// sames are matchers that ask for equality.
var sames = set(`toBe toEqual toStrictEqual isEqualTo isSameAs isEqualByComparingTo eq eql equal be equals EqualTo
	SameAs Be ShouldBe ShouldEqual must_equal deep toMatchObject
	BeEquivalentTo to_equal toMatchInlineSnapshot`)

// chained reads expect(x).toBe(3), assertThat(x).isEqualTo(3), x.Should().Be(3),
// Assert.That(x, Is.EqualTo(3)) and RSpec's expect(x).to eq 3, beginning at token i.
func (s *source) chained(i int) bool {
	t := s.Tokens[i]
	switch {
	case (t.Is("expect") || t.Is("assertThat") || t.Is("expectThat") || t.Is("assert_that")) && s.Is(i+1, "("):
		args := s.args(i + 1)
		if len(args) == 2 && t.Is("assertThat") { // assertThat(x, is(3))
			s.matcher(key(args[0]), args[1], false)
			return true
		}
		if len(args) == 0 {
			return false
		}
		s.matchers(key(s.Tokens[i+2:s.End(i+1)]), s.End(i+1)+1)
		return true
	case t.Is("That") && s.Is(i-1, ".") && s.Is(i-2, "Assert") && s.Is(i+1, "("):
		if args := s.args(i + 1); len(args) > 1 {
			s.matcher(key(args[0]), args[1], false)
		} else if len(args) == 1 {
			s.conditions(args[0], false)
		}
		return true
	case t.Is("Should") && s.Is(i-1, ".") && s.Is(i+1, "("):
		s.matchers(key(s.before(i-1)), s.End(i+1)+1)
		return true
	case (strings.HasPrefix(t.Text, "ShouldBe") || strings.HasPrefix(t.Text, "ShouldEqual") ||
		strings.HasPrefix(t.Text, "must_")) && s.Is(i-1, "."):
		s.matcher(key(s.before(i-1)), s.operands(i), false)
		return true
	}
	return false
}

// before returns the tokens of the statement up to the dot at i.
func (s *source) before(i int) []syntax.Token {
	k := i
	for k > 0 && i-k < 200 && s.Open[k-1] >= s.Open[i] {
		begins := s.Among(k-1, ";", "{", "}") || s.Tokens[k].First && !s.Is(k, ".")
		if begins && s.Open[k-1] == s.Open[i] {
			break
		}
		k--
	}
	return s.Tokens[k:i]
}

// matchers reads what is chained to a subject from token k on.
func (s *source) matchers(subject string, k int) {
	not := false
	for k < len(s.Tokens) {
		dot := s.dot(k)
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
				s.matcher(subject, until(s.operands(word+1), "do"), !t.Is("to"))
				return
			}
			if s.Lang == syntax.Ruby {
				s.matcher(subject, s.Tokens[word+2:max(s.End(word+1), word+2)], !t.Is("to"))
				return
			}
			k = word + 1
			continue
		case t.Is("and") && s.Lang == syntax.PHP && s.Is(word+1, "("): // Pest's expect(x)->toBe(1)->and(y)->toBe(2)
			subject, not = key(s.Tokens[word+2:max(s.End(word+1), word+2)]), false
			k = s.End(word+1) + 1
			continue
		case t.Is("not"), t.Is("Not"):
			not = !not
		case s.Is(word+1, "("):
			end := s.End(word + 1)
			s.matcher(subject, s.Tokens[word:min(end+1, len(s.Tokens))], not)
			k = end + 1
			continue
		case !s.dot(word + 1): // chai's expect(x).to.be.true
			s.matcher(subject, s.Tokens[word:word+1], not)
			return
		}
		k = word + 1
	}
}

// matcher notes one matcher: its name, and what it is given where that is a literal.
func (s *source) matcher(subject string, m []syntax.Token, not bool) {
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
		s.part(append([]syntax.Token{{Kind: syntax.Word, Text: subject, Line: m[0].Line, Col: m[0].Col}}, args...), not)
		return
	}
	if sames[op] || op == "is" && len(args) > 0 {
		op = "eq"
		if args = until(args, ","); len(args) == 0 {
			return
		}
	}
	if len(args) > 0 && !literal(s.Lang, args) {
		return
	}
	s.add(Value{Subject: subject, Op: sense(op, not), Text: text(args)}, m[0])
}
