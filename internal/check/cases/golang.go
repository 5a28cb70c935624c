package cases

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/check/lang"
)

// goUnits gives test, benchmark, fuzz and example functions, the Test methods of
// suites, and subtests that are named by a literal.
func (s *source) goUnits() []Test {
	var list []Test
	for i, t := range s.tokens {
		if !t.Is("func") || s.open[i] >= 0 {
			continue
		}
		name := i + 1
		if s.is(name, "(") { // a method
			name = s.end(name) + 1
		}
		n := s.at(name)
		if n.Kind != lang.Word || !goTestName(n.Text, name > i+1) || !s.is(name+1, "(") || len(s.inside(name+1)) == 0 && !strings.HasPrefix(n.Text, "Example") && name == i+1 {
			continue
		}
		body := s.end(name+1) + 1
		for body < len(s.tokens) && !s.is(body, "{") && !s.at(body).First {
			body++
		}
		if !s.is(body, "{") {
			continue
		}
		u := Test{Name: n.Text, Leaf: n.Text, Line: n.Line, Body: s.inside(body)}
		list = append(list, s.goBody(u, body)...)
	}
	return list
}

// goTestName follows go test: Test, then nothing or what is no lower-case letter.
func goTestName(name string, method bool) bool {
	for _, head := range []string{"Test", "Fuzz", "Benchmark", "Example"} {
		rest, ok := strings.CutPrefix(name, head)
		if !ok || method && head != "Test" {
			continue
		}
		first, _ := utf8.DecodeRuneInString(rest)
		return (rest == "" || !unicode.IsLower(first)) && name != "TestMain"
	}
	return false
}

// goBody looks through the body, whose brace is at open, for skips and subtests.
func (s *source) goBody(u Test, open int) []Test {
	list := []Test{u}
	for i := open + 1; i < s.end(open); i++ {
		t := s.tokens[i]
		if t.Kind != lang.Word || s.depth[i] > deepest || !s.at(i-1).Is(".") || !s.is(i+1, "(") {
			continue
		}
		switch t.Text {
		case "Skip", "Skipf", "SkipNow":
			m := Mark{Line: t.Line, Text: text(s.tokens[i-2 : i+1]), Maybe: s.conditional(i, open)}
			list[0].Skips = append(list[0].Skips, m)
		case "Run":
			name := s.at(i + 2)
			if name.Kind != lang.Text || !s.is(i+3, ",", "func") {
				continue
			}
			body := i + 4
			for body < s.end(i+1) && !s.is(body, "{") {
				body++
			}
			if body < s.end(i+1) {
				list = append(list, Test{Name: u.Name + "/" + name.Value(), Leaf: u.Leaf + "/" + name.Value(), Line: name.Line, Body: s.inside(body)})
			}
		}
	}
	return list
}
