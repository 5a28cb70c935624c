package testdiff

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// UnknownRows is a number of rows that is not in the text.
const UnknownRows = -1

// maxRows bounds the product of nested tables.
const maxRows = 100_000

// table is a list of values over which a loop or a test runs.
type table struct {
	from, to int // the tokens that it runs
	rows     int
	values   []syntax.Token
}

// countTestRows sets how often each test runs, by the tables around it and by loops with assertions
// in it.
func (s *source) countTestRows(list []Test) {
	s.findLoops()
	for n := range list {
		u := &list[n]
		if u.Group || len(u.Body) == 0 {
			continue
		}
		from := s.tokenIndex(u.Body[0])
		to := from + len(u.Body)
		inner := table{}
		for _, t := range s.tables {
			switch {
			case t.from <= from && to <= t.to && s.Lang != syntax.Go: // a subtest of Go runs within its test
				u.Rows, u.Table = multiplyRows(u.Rows, t.rows), append(u.Table[:len(u.Table):len(u.Table)], t.values...)
			case from <= t.from && t.to <= to && (inner.rows == 0 || t.rows > inner.rows) && s.assertsIn(t.from, t.to):
				inner = t
			}
		}
		if inner.rows != 0 {
			u.Rows, u.Table = multiplyRows(u.Rows, inner.rows), append(u.Table[:len(u.Table):len(u.Table)], inner.values...)
		}
	}
}

// multiplyRows multiplies numbers of rows; 0 means no table.
func multiplyRows(a, b int) int {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	case a < 0 || b < 0:
		return UnknownRows
	}
	return min(a*b, maxRows)
}

func (s *source) assertsIn(from, to int) bool {
	for i := from; i < to; i++ {
		if s.isAssertion(i) {
			return true
		}
	}
	return false
}

// tokenIndex returns the index of a token in the text.
func (s *source) tokenIndex(t syntax.Token) int {
	i, _ := slices.BinarySearchFunc(s.Tokens, t, func(x, t syntax.Token) int {
		switch {
		case isBefore(x, t):
			return -1
		case isBefore(t, x):
			return 1
		}
		return 0
	})
	return i
}

// countElements counts the elements in the bracket at i.
func (s *source) countElements(i int) (rows int, values []syntax.Token) {
	if s.Close[i] < 0 {
		return UnknownRows, nil
	}
	values = s.Inside(i)
	open := true // an element may follow
	for k := i + 1; k < s.Close[i]; k++ {
		switch {
		case s.Open[k] == i && s.Is(k, ","):
			open = true
		case s.Open[k] == i && (s.Is(k, "*") && s.Is(k-1, "*") || s.Is(k, ".", ".", ".") || s.Is(k, "for")):
			return UnknownRows, values // elements of another list
		case open:
			rows, open = rows+1, false
		}
	}
	return rows, values
}

// countList counts the list in an expression from token i to token to: a literal or, with names,
// the literal that was assigned to a name.
func (s *source) countList(i, to int, names bool) (rows int, values []syntax.Token) {
	if names && s.At(i).Kind == syntax.Word && !s.Is(i, "new") && !s.Is(i+1, "!") {
		if at, known := s.definitions()[s.At(i).Text]; known && !s.Is(i+1, "(") {
			return s.countList(at, min(at+60, len(s.Tokens)), false)
		}
	}
	for k := i; k < to && k < len(s.Tokens); k++ {
		end, over := s.isBeforeList(i, k)
		switch {
		case over:
			k = end
		case s.isListWrapper(k):
			if s.Is(k-1, "range") || s.Is(k+1, ")") {
				return UnknownRows, nil
			}
			return s.countList(k+1, s.End(k), names)
		case s.isNotList(i, k):
			return UnknownRows, nil
		case s.IsOneOf(k, "[", "{", "("):
			return s.countElements(k)
		}
	}
	return UnknownRows, nil
}

// isBeforeList reports whether the bracket at token k, in an expression that begins at i, precedes
// the list: a type, or the arguments of a call in Java. end is its end.
func (s *source) isBeforeList(i, k int) (end int, ok bool) {
	switch {
	case s.Is(k, "struct", "{") || s.Is(k, "interface", "{"):
		return s.End(k + 1), true
	case s.Is(k, "[") && (s.Lang == syntax.Java || s.Lang == syntax.Go || s.Lang == syntax.CSharp && k > i),
		s.Is(k, "(") && s.Lang == syntax.Java && !s.IsOneOf(k-1, "of", "asList"):
		return s.End(k), true
	}
	return k, false
}

// isListWrapper reports whether token k opens a call that returns the items of its argument:
// enumerate([…]), Object.entries({…}).
func (s *source) isListWrapper(k int) bool {
	return s.Is(k, "(") && s.At(k-1).Kind == syntax.Word &&
		(s.Lang == syntax.Python || s.Lang == syntax.JavaScript || s.Lang == syntax.TypeScript)
}

// isNotList reports whether token k shows that an expression that begins at i is no literal list.
func (s *source) isNotList(i, k int) bool {
	return s.Is(k, ";") || s.Is(k, "(") && (s.Lang == syntax.Go || s.Lang == syntax.PHP && k > i && !s.Is(k-1, "array"))
}

// definitions maps each name of the text to the start of the last value assigned to it.
func (s *source) definitions() map[string]int {
	if s.defs != nil {
		return s.defs
	}
	s.defs = map[string]int{}
	for i, t := range s.Tokens {
		if t.Kind != syntax.Word || s.Is(i-1, ".") {
			continue
		}
		k := i + 1
		declared := s.IsOneOf(i+1, ":", "=") || s.Is(i-1, "var")
		for declared && k < min(i+30, len(s.Tokens)) && !s.IsOneOf(k, "=", ";", ",") && s.Open[k] >= s.Open[i] {
			if s.Is(k, "(") || s.Is(k, "[") || s.Is(k, "{") {
				k = min(s.End(k), len(s.Tokens)-1)
			}
			k++
		}
		if s.Is(k, "=") && !s.Is(k+1, "=") && !s.Is(k+1, ">") && s.Open[k] == s.Open[i] {
			s.defs[t.Text] = k + 1
		}
	}
	return s.defs
}

// countFirstArgument counts the list in the first argument of a call.
func (s *source) countFirstArgument(call int) (t table) {
	t.rows, t.values = s.countList(call+1, s.End(call), true)
	return t
}

// countTextLines counts the lines of a text that are not blank.
func countTextLines(t syntax.Token) int {
	n := 0
	for line := range strings.Lines(t.Value()) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// addDecoratorTables adds the tables in a test's decorators, which are the tokens from i to to.
func (s *source) addDecoratorTables(i, to int, u *Test) {
	for k := i; k < to; k++ {
		if !s.Is(k+1, "(") || s.Open[k] != s.Open[i] {
			continue
		}
		t := table{}
		switch s.Tokens[k].Text {
		case "parametrize":
			at := k + 2
			for at < s.End(k+1) && !(s.Is(at, ",") && s.Open[at] == k+1) {
				at++
			}
			if at++; s.Is(at, "argvalues", "=") {
				at += 2
			}
			t.rows, t.values = s.countList(at, s.End(k+1), true)
		case "expand", "parameters", "named_parameters", "cases":
			if t = s.countFirstArgument(k + 1); t.rows < 0 { // parameters((1, 2), (3, 4))
				t.rows, t.values = s.countElements(k + 1)
			}
		case "data":
			t.rows, t.values = s.countElements(k + 1)
		default:
			continue
		}
		u.Rows, u.Table = multiplyRows(u.Rows, t.rows), append(u.Table, t.values...)
	}
}

// addAttributeRows adds the rows of attributes, each of which is a row or names a source of rows.
func (s *source) addAttributeRows(u *Test, attrs []attribute) {
	sum := 0
	for _, a := range attrs {
		rows := 0
		switch a.name {
		case "InlineData", "TestCase", "DataRow", "case", "test_case", "NullSource", "EmptySource":
			rows = 1
		case "NullAndEmptySource":
			rows = 2
		case "ValueSource", "CsvSource":
			rows = s.countJavaRows(a)
		case "MethodSource", "EnumSource", "ArgumentsSource", "CsvFileSource", "FieldSource", "MemberData", "ClassData",
			"TestCaseSource", "DynamicData":
			rows = UnknownRows
		default:
			continue
		}
		if u.Table = append(u.Table, a.args...); rows < 0 || sum < 0 {
			sum = UnknownRows
		} else {
			sum += rows
		}
	}
	if sum != 0 && !(sum == 1 && s.Lang == syntax.CSharp && len(attrs) == 1 && len(u.Table) == 0) {
		u.Rows = sum
	}
}

// countJavaRows counts the rows listed in @ValueSource(ints = {1, 2}) and @CsvSource({"1,2"}).
func (s *source) countJavaRows(a attribute) int {
	for _, t := range a.args {
		if t.Is("{") {
			rows, _ := s.countElements(s.tokenIndex(t))
			return rows
		}
		if t.Kind == syntax.Text && strings.HasPrefix(t.Text, `"""`) {
			return countTextLines(t)
		}
	}
	return min(len(a.args), 1)
}
