package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// readPythonTests returns functions and methods with names that begin with test, and the classes
// around them, by indentation.
func (s *source) readPythonTests() []Test {
	type scope struct {
		col  int
		name string
	}
	var list []Test
	var open []scope
	for i, t := range s.Tokens {
		if t.First {
			for len(open) > 0 && t.Col <= open[len(open)-1].col && s.isOutsideBrackets(i) {
				open = open[:len(open)-1]
			}
		}
		name := s.At(i + 1)
		starts := t.First || s.At(i-1).Is("async") && s.At(i-1).First
		if !starts || !t.Is("def") && !t.Is("class") || name.Kind != syntax.Word {
			continue
		}
		col := t.Col
		if !t.First {
			col = s.At(i - 1).Col
		}
		var groups []string
		for _, o := range open {
			groups = append(groups, o.name)
		}
		open = append(open, scope{col, name.Text})
		if t.Is("def") && !strings.HasPrefix(name.Text, "test") {
			continue
		}
		u := Test{Name: groupPrefix(groups, name.Text), ShortName: name.Text, Line: name.Line, Group: t.Is("class")}
		u.Skips = s.decoratorSkips(i)
		if t.Is("def") {
			body, first := s.pythonBody(i+2, col)
			u.Body = body
			s.addDecoratorTables(s.decoratorsStart(i), i, &u)
			u.Skips = append(u.Skips, pythonSkips(body, first)...)
		}
		list = append(list, u)
	}
	return list
}

// pythonBody returns the block behind the colon of the head at i, to the first line that is not
// indented further than col, and the column of its statements.
func (s *source) pythonBody(i, col int) (body []syntax.Token, first int) {
	for i < len(s.Tokens) && (!s.Is(i, ":") || !s.isOutsideBrackets(i)) {
		i++
	}
	start := min(i+1, len(s.Tokens))
	end := start
	for end < len(s.Tokens) && !(s.Tokens[end].First && s.Tokens[end].Col <= col && s.isOutsideBrackets(end)) {
		end++
	}
	if body = s.Tokens[start:end]; len(body) > 0 {
		first = body[0].Col
	}
	return body, first
}

// isOutsideBrackets reports whether the token is outside of brackets, not counting unclosed ones.
func (s *source) isOutsideBrackets(i int) bool { return s.Open[i] < 0 || s.Close[s.Open[i]] < 0 }

// decoratorSkips looks for skips in the decorators of the def or class at i.
func (s *source) decoratorSkips(i int) []Mark {
	var marks []Mark
	from := s.decoratorsStart(i)
	for k := from; k < i; k++ {
		t := s.Tokens[k]
		nested := s.Open[k] >= from // pytest.param(…, marks=…)
		switch t.Text {
		case "skip", "xfail", "expectedFailure", "skipTest":
			marks = append(marks, Mark{Line: t.Line, Text: "@" + t.Text,
				Unsure: nested || t.Text == "xfail" && s.Is(k+1, "(") && s.At(k+2).Kind == syntax.Word && !s.Is(k+3, "=")})
		case "skipif", "skipIf", "skipUnless":
			sure := s.Is(k+1, "(") && (t.Text != "skipUnless" && s.Is(k+2, "True") || t.Text == "skipUnless" && s.Is(k+2, "False"))
			marks = append(marks, Mark{Line: t.Line, Text: "@" + t.Text, Unsure: !sure || nested})
		}
	}
	return marks
}

// decoratorsStart returns the first token of the decorators of the def or class at i.
func (s *source) decoratorsStart(i int) int {
	if !s.At(i).First { // async
		i--
	}
	for from, col := i, s.At(i).Col; ; {
		for from--; from > 0 && !(s.Tokens[from].First && s.Tokens[from].Col <= col && s.isOutsideBrackets(from)); {
			from--
		}
		if !s.Is(from, "@") {
			return i
		}
		i = from
	}
}

// pythonSkips looks for calls that skip; first is the column of the body's statements.
func pythonSkips(body []syntax.Token, first int) []Mark {
	var marks []Mark
	lineCol, oneLine := first, true
	for i, t := range body {
		if t.First {
			lineCol, oneLine = t.Col, false
		}
		call := i+1 < len(body) && body[i+1].Is("(")
		dotted := i > 0 && body[i-1].Is(".")
		raised := i > 0 && (body[i-1].Is("raise") || dotted && i > 2 && body[i-3].Is("raise"))
		nested := !oneLine && lineCol > first
		switch {
		case t.IsOneOf("skip", "xfail") && call && dotted && i > 1 && body[i-2].Is("pytest"),
			t.Is("skipTest") && call && dotted, t.Is("SkipTest") && raised:
			marks = append(marks, Mark{Line: t.Line, Text: t.Text, Unsure: nested})
		case t.Is("importorskip") && call:
			marks = append(marks, Mark{Line: t.Line, Text: t.Text, Unsure: true})
		}
	}
	return marks
}
