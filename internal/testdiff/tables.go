package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// isExpectedName reports whether a name is usual for an expected value.
func isExpectedName(name string) bool {
	name = strings.TrimLeft(name, "$_")
	if len(name) < 3 || len(name) > 60 || strings.IndexByte("wWeE", name[0]) < 0 {
		return false
	}
	low := strings.ToLower(name)
	return strings.HasPrefix(low, "want") || strings.HasPrefix(low, "expect") || low == "exp"
}

// maxRowTokens bounds the size of a row that is part of a field's subject.
const maxRowTokens = 300

// readExpectedField reads a literal assigned to a field or variable with an expected value's name,
// at token i: want: 3, "expected": 3, expected = 3, var want int = 3.
func (s *source) readExpectedField(i int) bool {
	t, k := s.Tokens[i], i+1
	if !s.Is(k, ":") && !s.Is(k, "=") && s.Lang != syntax.Go || !isExpectedName(t.Value()) {
		return false
	}
	switch {
	case s.Is(k, ":") && s.Is(k+1, "="), s.Is(k, "=") && s.Is(k+1, ">"):
		k += 2
	case s.Is(k, ":") && t.Kind == syntax.Text, s.Is(k, "=") && !s.Is(k+1, "="):
		k++
	case s.Is(k, ":") && !s.Is(k+1, ":"):
		k = s.skipDeclaredType(k+1, k+1)
	case s.At(k).Kind == syntax.Word && s.Lang == syntax.Go: // var want int = 3
		if k = s.skipDeclaredType(k, 0); k == 0 {
			return false
		}
	default:
		return false
	}
	value := tokensUntil(s.operands(k), ",")
	if !isLiteral(s.Lang, value) {
		return false
	}
	s.addValue(Value{Subject: s.rowSubject(i, k), Op: "eq", Text: tokenText(value)}, value[0])
	return true
}

// skipDeclaredType returns the position behind the type of a declaration with a value: const want:
// number = 3.
func (s *source) skipDeclaredType(k, otherwise int) int {
	for n := k; n < k+8 && n < len(s.Tokens) && s.At(n).Line == s.At(k).Line && !isClosing(s.At(n)) && !s.Is(n, ","); n++ {
		if s.Is(n, "=") && !s.Is(n+1, "=") && !s.Is(n+1, ">") {
			return n + 1
		}
	}
	return otherwise
}

// rowSubject returns the subject of the field at i: all of its row except expected values, with the
// row's name. A statement's subject is its name. at is the position of the value.
func (s *source) rowSubject(i, at int) string {
	own := s.Tokens[i].Value()
	open := s.Open[i]
	if open < 0 || at != i+2 || !s.Is(i+1, ":") && !s.Is(open, "(") {
		return own
	}
	if s.End(open)-open > maxRowTokens || s.End(open) == len(s.Tokens) {
		return own
	}
	var rest []syntax.Token
	for _, arg := range s.args(open) {
		if len(arg) > 2 && isExpectedName(arg[0].Value()) && isLiteral(s.Lang, arg[2:]) {
			continue
		}
		rest = append(rest, arg...)
	}
	head := ""
	switch {
	case s.Is(open-1, ":"):
		head = s.At(open-2).Text + " "
	case s.Is(open, "("):
		head = s.At(open-1).Text + " "
	}
	return head + tokenKey(rest) + " " + own
}

// readTable reads the rows of a table with named columns that begins at token i: Go's []struct{in,
// want string}{{…}}, parametrize("a, expected", […]), each([…])("…", (a, expected) =>…),
// and attributes of a test with parameters.
func (s *source) readTable(i int) {
	switch t := s.Tokens[i]; {
	case s.Lang == syntax.Go && t.Is("struct") && s.Is(i+1, "{") && (s.Is(i-1, "]") || s.Is(i-2, "map", "[")):
		s.readRows(s.structFieldNames(i+1), s.End(i+1)+1)
	case s.Lang == syntax.Python && t.Is("parametrize") && s.Is(i+1, "("):
		if args := s.args(i + 1); len(args) > 1 && len(args[1]) > 0 {
			s.readRows(quotedNames(args[0]), s.tokenIndex(args[1][0]))
		}
	case (s.Lang == syntax.TypeScript || s.Lang == syntax.JavaScript) && t.Is("each") && s.Is(i-1, ".") && s.Is(i+1, "("):
		if call := s.End(i+1) + 1; s.Is(call, "(") {
			if args := s.args(call); len(args) > 1 {
				s.readRows(parameterNames(args[1]), i+2)
			}
		}
	case s.Lang == syntax.CSharp && t.IsOneOf("InlineData", "TestCase", "DataRow") && s.Is(i+1, "("),
		s.Lang == syntax.Rust && t.Is("case") && s.Is(i-1, "[") && s.Is(i+1, "("):
		s.readRow(s.attributedParameters(i), i+1)
	}
}

// readRows reads each bracket in the one at open as a row.
func (s *source) readRows(names []string, open int) {
	any := false
	for _, n := range names {
		any = any || isExpectedName(n)
	}
	if !any || !s.Is(open, "[") && !s.Is(open, "{") && !s.Is(open, "(") {
		return
	}
	for k := open + 1; k < s.End(open); k++ {
		if s.Open[k] == open && (s.Is(k, "{") || s.Is(k, "(") || s.Is(k, "[")) {
			s.readRow(names, k)
		}
	}
}

// readRow reads a row's values by the names of their columns.
func (s *source) readRow(names []string, open int) {
	args := s.args(open)
	if len(args) != len(names) {
		return
	}
	var rest []string
	for i, a := range args {
		if len(a) > 1 && a[1].Is(":") && a[0].Kind == syntax.Word && s.Lang == syntax.Go {
			return // with field names, which readExpectedField reads
		}
		if !isExpectedName(names[i]) {
			rest = append(rest, tokenKey(a))
		}
	}
	for i, a := range args {
		if isExpectedName(names[i]) && isLiteral(s.Lang, a) {
			s.addValue(Value{Subject: strings.Join(rest, " , ") + " " + names[i], Op: opRow, Text: tokenText(a)}, a[0])
		}
	}
}

// structFieldNames returns the names of a struct's fields: in, want string counts two.
func (s *source) structFieldNames(open int) []string {
	var names []string
	for k := open + 1; k < s.End(open); k++ {
		t := s.Tokens[k]
		begins := t.First || s.IsOneOf(k-1, "{", ";") || s.Is(k-1, ",") && s.Open[k-1] == open
		if begins && s.Open[k] == open && t.Kind == syntax.Word {
			names = append(names, t.Text)
		}
	}
	return names
}

func quotedNames(tokens []syntax.Token) []string {
	var names []string
	for _, t := range tokens {
		if t.Kind == syntax.Text {
			for n := range strings.SplitSeq(t.Value(), ",") {
				names = append(names, strings.TrimSpace(n))
			}
		}
	}
	return names
}

// parameterNames returns the names of a function's parameters.
func parameterNames(tokens []syntax.Token) []string {
	depth, fresh := 0, true
	var names []string
	for _, t := range tokens {
		switch {
		case t.Is("(") || t.Is("{") || t.Is("[") || t.Is("<"):
			depth++
		case isClosing(t) || t.Is(">"):
			if depth--; depth == 0 {
				return names
			}
		case depth == 1 && t.Is(","):
			fresh = true
		case depth == 1 && fresh && t.Kind == syntax.Word:
			names, fresh = append(names, t.Text), false
		}
	}
	return names
}

// attributedParameters returns the names of the parameters of the method with the attribute at i:
// the last word of each, or the one before its colon.
func (s *source) attributedParameters(i int) []string {
	k := i
	for k < len(s.Tokens) && s.Open[k] >= 0 && s.Is(s.Open[k], "[") {
		k = s.End(s.Open[k])
	}
	for k++; k < len(s.Tokens) && !s.Is(k, "{") && !s.Is(k, ";"); k++ {
		if !s.Is(k, "(") || s.Open[k] >= 0 && s.Is(s.Open[k], "[") {
			continue
		}
		var names []string
		for _, p := range s.args(k) {
			name := ""
			if len(p) > 0 {
				name = p[len(p)-1].Text
			}
			for n, t := range p {
				if t.Is(":") && n > 0 {
					name = p[n-1].Text
					break
				}
			}
			names = append(names, name)
		}
		return names
	}
	return nil
}
