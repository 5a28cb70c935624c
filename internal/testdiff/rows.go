package testdiff

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// Unknown is a number of rows that the text does not say.
const Unknown = -1

// mostRows bounds what is made of tables in tables.
const mostRows = 100_000

// table is a list of values that something is gone through with: a loop, or a test.
type table struct {
	from, to int // the tokens that it is gone through for
	rows     int
	values   []syntax.Token
}

// tabled tells for each test how often it runs by the tables around it and by the loops
// in it that assert.
func (s *source) tabled(list []Test) {
	s.findLoops()
	for n := range list {
		u := &list[n]
		if u.Group || len(u.Body) == 0 {
			continue
		}
		from := s.index(u.Body[0])
		to := from + len(u.Body)
		inner := table{}
		for _, t := range s.tables {
			switch {
			case t.from <= from && to <= t.to && s.Lang != syntax.Go: // a subtest of Go runs within its test
				u.Rows, u.Table = times(u.Rows, t.rows), append(u.Table[:len(u.Table):len(u.Table)], t.values...)
			case from <= t.from && t.to <= to && (inner.rows == 0 || t.rows > inner.rows) && s.assertsIn(t.from, t.to):
				inner = t
			}
		}
		if inner.rows != 0 {
			u.Rows, u.Table = times(u.Rows, inner.rows), append(u.Table[:len(u.Table):len(u.Table)], inner.values...)
		}
	}
}

// times multiplies numbers of rows; 0 is not a table.
func times(a, b int) int {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	case a < 0 || b < 0:
		return Unknown
	}
	return min(a*b, mostRows)
}

func (s *source) assertsIn(from, to int) bool {
	for i := from; i < to; i++ {
		if s.Asserts(i) {
			return true
		}
	}
	return false
}

// index returns the place of a token in the text.
func (s *source) index(t syntax.Token) int {
	i, _ := slices.BinarySearchFunc(s.Tokens, t, func(x, t syntax.Token) int {
		switch {
		case before(x, t):
			return -1
		case before(t, x):
			return 1
		}
		return 0
	})
	return i
}

// elements counts what is between the commas of the bracket at i.
func (s *source) elements(i int) (rows int, values []syntax.Token) {
	if s.Pair[i] < 0 {
		return Unknown, nil
	}
	values = s.Inside(i)
	open := true // something may come
	for k := i + 1; k < s.Pair[i]; k++ {
		switch {
		case s.Open[k] == i && s.Is(k, ","):
			open = true
		case s.Open[k] == i && (s.Is(k, "*") && s.Is(k-1, "*") || s.Is(k, ".", ".", ".") || s.Is(k, "for")):
			return Unknown, values // what another list holds
		case open:
			rows, open = rows+1, false
		}
	}
	return rows, values
}

// listAt counts the list that an expression from token i to token to gives: one that is
// written there, or is what a name of the text was set to.
func (s *source) listAt(i, to int, names bool) (rows int, values []syntax.Token) {
	if names && s.At(i).Kind == syntax.Word && !s.Is(i, "new") && !s.Is(i+1, "!") {
		if at, known := s.definitions()[s.At(i).Text]; known && !s.Is(i+1, "(") {
			return s.listAt(at, min(at+60, len(s.Tokens)), false)
		}
	}
	for k := i; k < to && k < len(s.Tokens); k++ {
		end, over := s.passedOver(i, k)
		switch {
		case over:
			k = end
		case s.wraps(k):
			if s.Is(k-1, "range") || s.Is(k+1, ")") {
				return Unknown, nil
			}
			return s.listAt(k+1, s.End(k), names)
		case s.noList(i, k):
			return Unknown, nil
		case s.Among(k, "[", "{", "("):
			return s.elements(k)
		}
	}
	return Unknown, nil
}

// passedOver reports whether what token k of an expression that begins at i opens is before the list: a type, or the
// arguments of a call that gives it in Java. end is where it ends.
func (s *source) passedOver(i, k int) (end int, ok bool) {
	switch {
	case s.Is(k, "struct", "{") || s.Is(k, "interface", "{"):
		return s.End(k + 1), true
	case s.Is(k, "[") && (s.Lang == syntax.Java || s.Lang == syntax.Go || s.Lang == syntax.CSharp && k > i),
		s.Is(k, "(") && s.Lang == syntax.Java && !s.Among(k-1, "of", "asList"):
		return s.End(k), true
	}
	return k, false
}

// wraps reports whether token k opens a call that gives its argument's items: enumerate([…]), Object.entries({…}).
func (s *source) wraps(k int) bool {
	return s.Is(k, "(") && s.At(k-1).Kind == syntax.Word &&
		(s.Lang == syntax.Python || s.Lang == syntax.JavaScript || s.Lang == syntax.TypeScript)
}

// noList reports whether an expression that begins at i is known at token k to give no list that is written there.
func (s *source) noList(i, k int) bool {
	return s.Is(k, ";") || s.Is(k, "(") && (s.Lang == syntax.Go || s.Lang == syntax.PHP && k > i && !s.Is(k-1, "array"))
}

// definitions returns for each name of the text where what it was last set to begins.
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
		declared := s.Among(i+1, ":", "=") || s.Is(i-1, "var")
		for declared && k < min(i+30, len(s.Tokens)) && !s.Among(k, "=", ";", ",") && s.Open[k] >= s.Open[i] {
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

// given counts the list that a call is given as its first argument.
func (s *source) given(call int) (t table) {
	t.rows, t.values = s.listAt(call+1, s.End(call), true)
	return t
}

// linesOf counts the lines of a text that say something.
func linesOf(t syntax.Token) int {
	n := 0
	for line := range strings.Lines(t.Value()) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// pythonTables adds the tables of what decorates a test, from token i on, that runs to
// token to.
func (s *source) pythonTables(i, to int, u *Test) {
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
			t.rows, t.values = s.listAt(at, s.End(k+1), true)
		case "expand", "parameters", "named_parameters", "cases":
			if t = s.given(k + 1); t.rows < 0 { // parameters((1, 2), (3, 4))
				t.rows, t.values = s.elements(k + 1)
			}
		case "data":
			t.rows, t.values = s.elements(k + 1)
		default:
			continue
		}
		u.Rows, u.Table = times(u.Rows, t.rows), append(u.Table, t.values...)
	}
}

// attributed adds the rows of attributes, which each are one or name where they stand.
func (s *source) attributed(u *Test, attrs []attribute) {
	sum := 0
	for _, a := range attrs {
		rows := 0
		switch a.name {
		case "InlineData", "TestCase", "DataRow", "case", "test_case", "NullSource", "EmptySource":
			rows = 1
		case "NullAndEmptySource":
			rows = 2
		case "ValueSource", "CsvSource":
			rows = s.javaRows(a)
		case "MethodSource", "EnumSource", "ArgumentsSource", "CsvFileSource", "FieldSource", "MemberData", "ClassData",
			"TestCaseSource", "DynamicData":
			rows = Unknown
		default:
			continue
		}
		if u.Table = append(u.Table, a.args...); rows < 0 || sum < 0 {
			sum = Unknown
		} else {
			sum += rows
		}
	}
	if sum != 0 && !(sum == 1 && s.Lang == syntax.CSharp && len(attrs) == 1 && len(u.Table) == 0) {
		u.Rows = sum
	}
}

// javaRows counts what @ValueSource(ints = {1, 2}) and @CsvSource({"1,2"}) list.
func (s *source) javaRows(a attribute) int {
	for _, t := range a.args {
		if t.Is("{") {
			rows, _ := s.elements(s.index(t))
			return rows
		}
		if t.Kind == syntax.Text && strings.HasPrefix(t.Text, `"""`) {
			return linesOf(t)
		}
	}
	return min(len(a.args), 1)
}
