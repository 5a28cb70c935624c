package testdiff

import (
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// Of a broken text the tests that can still be recognised are returned.

// Test is one test as it is in a text, or a group of tests (a class, a describe).
type Test struct {
	Name      string // with the names of the groups around it: Parser > reads an empty file
	ShortName string // without them
	Line      int
	Group     bool
	Bases     []string       // of a class: what it inherits tests from, where that is read
	Skips     []Mark         // what keeps it from running
	Focuses   []Mark         // what keeps all others from running
	Body      []syntax.Token // what it does, without the braces around it; a group has none

	Asserts      int    // assertions that could fail
	Vacuous      []Mark // assertions that always pass
	EarlyReturns []Mark // returns that no assertion after them survives
	Unreachable  []Mark // assertions under a condition that never holds
	Swallowed    []Mark // assertions whose failure is caught, and nothing comes of it
	PanicLine    int    // the line that says that it has to panic, 0 for none

	Rows  int            // how often it runs, each time with other values; 0 when it says nothing of that, Unknown
	Table []syntax.Token // these values
}

// IsEmpty reports whether the body does nothing: it has no statement, or only some that
// stand for none: pass, ..., a docstring, a bare return, t.Parallel().
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

// ReadTests returns the tests of a text, groups among them, in the order in which they begin.
// Two of one name get numbers.
func ReadTests(l syntax.Language, text []byte) []Test {
	s := newSource(l, syntax.LexCode(l, text))
	return s.readTests(text)
}

// readTests returns the tests of a text, groups among them, in order.
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
			u.Asserts += a.Count // to what its head expects: an exception, a panic
			u.Vacuous, u.EarlyReturns = append(u.Vacuous, a.Vacuous...), a.EarlyReturns
			u.Unreachable, u.Swallowed = a.Unreachable, a.Swallowed
		}
		if seen[u.Name]++; seen[u.Name] > 1 { // two tests of one name are two
			u.Name += " #" + strconv.Itoa(seen[u.Name])
		}
	}
	return list
}

// scopes are the groups that are open at a place of a text, the outermost first.
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

// groupPrefix returns the names of groups, each with an arrow after it.
func groupPrefix(groups []string, name string) string {
	return strings.Join(append(append([]string{}, groups...), name), " > ")
}
