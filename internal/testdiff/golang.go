package testdiff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/syntax"
)

// readGoTests returns test, fuzz and example functions, but no benchmarks, the Test methods of
// suites, and subtests named by a literal. An empty name does not count: go test numbers such subtests.
func (s *source) readGoTests() []Test {
	var list []Test
	for i, t := range s.Tokens {
		if !t.Is("func") || s.Open[i] >= 0 {
			continue
		}
		name := i + 1
		if s.Is(name, "(") { // a method
			name = s.End(name) + 1
		}
		n := s.At(name)
		if n.Kind != syntax.Word || !goTestName(n.Text, name > i+1) || !s.Is(name+1, "(") {
			continue
		}
		method, example := name > i+1, strings.HasPrefix(n.Text, "Example")
		if len(s.Inside(name+1)) == 0 && !example && !method {
			continue
		}
		body := s.End(name+1) + 1
		for body < len(s.Tokens) && !s.Is(body, "{") && !s.At(body).First {
			body++
		}
		if !s.Is(body, "{") {
			continue
		}
		u := Test{Name: n.Text, ShortName: n.Text, Line: n.Line, Body: s.Inside(body)}
		list = append(list, s.readGoBody(u, body)...)
	}
	return list
}

// goTestName applies the rule of go test: behind Test, Fuzz or Example comes nothing or no
// lower-case letter.
func goTestName(name string, method bool) bool {
	for _, head := range []string{"Test", "Fuzz", "Example"} {
		rest, ok := strings.CutPrefix(name, head)
		if !ok || method && head != "Test" {
			continue
		}
		first, _ := utf8.DecodeRuneInString(rest)
		return (rest == "" || !unicode.IsLower(first)) && name != "TestMain"
	}
	return false
}

// readGoBody looks for skips and subtests in the body with its brace at open.
func (s *source) readGoBody(u Test, open int) []Test {
	list := []Test{u}
	for i := open + 1; i < s.End(open); i++ {
		t := s.Tokens[i]
		if t.Kind != syntax.Word || s.Depth[i] > maxDepth || !s.At(i-1).Is(".") || !s.Is(i+1, "(") {
			continue
		}
		switch t.Text {
		case "Skip", "Skipf", "SkipNow":
			m := Mark{Line: t.Line, Text: JoinTokens(s.Tokens[i-2 : i+1]), Unsure: s.isConditional(i, open)}
			list[0].Skips = append(list[0].Skips, m)
		case "Run":
			name := s.At(i + 2)
			if name.Kind != syntax.Text || name.Value() == "" || !s.Is(i+3, ",", "func") {
				continue
			}
			body := i + 4
			for body < s.End(i+1) && !s.Is(body, "{") {
				body++
			}
			if body < s.End(i+1) {
				list = append(list, Test{Name: u.Name + "/" + name.Value(), ShortName: u.ShortName + "/" + name.Value(),
					Line: name.Line, Body: s.Inside(body)})
			}
		}
	}
	return list
}
