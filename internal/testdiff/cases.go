package testdiff

import (
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// Of a text with syntax errors, the tests that can be recognised are returned.

// Test is a test in a text, or a group of tests (a class, a describe).
type Test struct {
	Name      string // with the names of its groups: Parser > reads an empty file
	ShortName string // without them
	Line      int
	Group     bool
	Bases     []string       // of a class: the classes it inherits tests from; only PHP is read
	Skips     []Mark         // reasons why it does not run
	Focuses   []Mark         // reasons why only it runs
	Body      []syntax.Token // without its braces; empty for a group

	Asserts      int    // that can fail
	Vacuous      []Mark // assertions that always pass
	EarlyReturns []Mark // unconditional returns before an assertion
	Unreachable  []Mark // assertions under a condition that is never true
	Swallowed    []Mark // assertions with a failure that is caught and ignored
	PanicLine    int    // line of the attribute that expects a panic, 0 for none

	Rows  int            // how often it runs, each time with other values; 0 without a table, or UnknownRows
	Table []syntax.Token // the values
}

// IsEmpty reports whether the body has no statement, except pass, ..., a docstring, a bare return,
// or t.Parallel().
func (u Test) IsEmpty() bool {
	rest := 0
	for i := 0; i < len(u.Body); i++ {
		t := u.Body[i]
		parallel := i+4 < len(u.Body) && u.Body[i+1].Is(".") && (u.Body[i+2].Is("Parallel") || u.Body[i+2].Is("Helper"))
		switch {
		case parallel:
			i += 4
		case t.Is(";") || t.Is("pass") || t.Is(".") || t.Is("return"):
		case t.Kind == syntax.Text && i == 0:
		default:
			rest++
		}
	}
	return rest == 0
}

// ReadTests returns the tests of a text, including groups, in the order in which they begin. Tests
// with the same name get numbers.
func ReadTests(l syntax.Language, text []byte) []Test {
	s := newSource(l, syntax.LexCode(l, text))
	return s.readTests(text)
}

// readTests returns the tests of a text, including groups, in order.
func (s *source) readTests(text []byte) []Test {
	var list []Test
	switch s.Lang {
	case syntax.Go:
		list = s.readGoTests()
	case syntax.Python:
		list = s.readPythonTests()
	case syntax.JavaScript, syntax.TypeScript:
		list = s.readScriptTests()
	case syntax.Rust:
		list = s.readRustTests()
	case syntax.Java:
		list = s.readJavaTests()
	case syntax.CSharp:
		list = s.readCSharpTests()
	case syntax.Ruby:
		list = s.readRubyTests()
	case syntax.PHP:
		list = s.readPHPTests(text)
	}
	s.countTestRows(list)
	seen := map[string]int{}
	for i := range list {
		u := &list[i]
		if !u.Group {
			a := FindAssertions(s.Lang, u.Body)
			u.Asserts += a.Count // added to those of its head: an expected exception or panic
			u.Vacuous, u.EarlyReturns = append(u.Vacuous, a.Vacuous...), a.EarlyReturns
			u.Unreachable, u.Swallowed = a.Unreachable, a.Swallowed
		}
		if seen[u.Name]++; seen[u.Name] > 1 { // two tests of the same name are distinct
			u.Name += " #" + strconv.Itoa(seen[u.Name])
		}
	}
	return list
}

// scopes are the groups around a position of a text, the outermost first.
type scopes struct {
	ends  []int
	names []string
}

// popTo closes the groups that end before token i, and returns the names of the others.
func (o *scopes) popTo(i int) []string {
	for n := len(o.ends); n > 0 && i >= o.ends[n-1]; n-- {
		o.ends, o.names = o.ends[:n-1], o.names[:n-1]
	}
	return o.names
}

func (o *scopes) push(end int, name string) {
	o.ends, o.names = append(o.ends, end), append(o.names, name)
}

// groupPrefix joins the names of groups and a name with arrows.
func groupPrefix(groups []string, name string) string {
	return strings.Join(append(append([]string{}, groups...), name), " > ")
}
