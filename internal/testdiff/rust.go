package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// attribute is an attribute of Rust (#[name(args)]), Java (@Name(args)) or C# ([Name(args)]).
type attribute struct {
	name string // the last part of its name
	line int
	args []syntax.Token
}

func (a attribute) hasWord(word string) bool {
	for _, t := range a.args {
		if t.Is(word) {
			return true
		}
	}
	return false
}

// readRustTests returns functions with a test attribute.
func (s *source) readRustTests() []Test {
	var list []Test
	var attrs []attribute
	for i := 0; i < len(s.Tokens); i++ {
		t := s.Tokens[i]
		switch {
		case t.Is("#") && (s.Is(i+1, "[") || s.Is(i+1, "!", "[")):
			open := i + 1
			if s.Is(i+1, "!") {
				open++
			} else {
				attrs = append(attrs, readRustAttribute(s.Inside(open)))
			}
			i = min(s.End(open), len(s.Tokens)-1)
		case t.Is("mod") && s.At(i+1).Kind == syntax.Word && s.Is(i+2, "{"):
			u := Test{Name: "mod " + s.At(i+1).Text, ShortName: s.At(i + 1).Text, Line: t.Line, Group: true, Skips: rustSkips(attrs)}
			list, attrs = append(list, u), nil
		case t.Is("fn") && s.At(i+1).Kind == syntax.Word:
			if u, body, ok := s.readRustTest(i, attrs); ok {
				list = append(list, u)
				i = min(s.End(body), len(s.Tokens)-1) // a nested test does not run
			}
			attrs = nil
		case t.Is(";") || t.Is("{") || t.Is("}"):
			attrs = nil
		}
	}
	return list
}

func readRustAttribute(tokens []syntax.Token) attribute {
	a := attribute{}
	for i, t := range tokens {
		if t.Kind == syntax.Word {
			if a.line = t.Line; a.name != "case" { // case::named(…)
				a.name = t.Text
			}
		} else if !t.Is(":") {
			a.args = tokens[i:]
			break
		}
	}
	return a
}

func (s *source) readRustTest(i int, attrs []attribute) (Test, int, bool) {
	test := false
	u := Test{Name: s.At(i + 1).Text, ShortName: s.At(i + 1).Text, Line: s.At(i + 1).Line, Skips: rustSkips(attrs)}
	for _, a := range attrs {
		switch a.name {
		case "test", "rstest", "test_case", "wasm_bindgen_test", "quickcheck", "test_log", "tokio_test":
			test = true
		case "should_panic":
			u.Asserts++
			u.PanicLine = a.line
		}
	}
	s.addAttributeRows(&u, attrs)
	body := i + 2
	for body < len(s.Tokens) && !s.Is(body, "{") && !s.Is(body, ";") {
		if s.Is(body, "(") {
			body = s.End(body)
		}
		body++
	}
	u.Body = s.Inside(body)
	return u, min(body, len(s.Tokens)), test && s.Is(body, "{")
}

// rustSkips returns the attributes that skip a test or a module.
func rustSkips(attrs []attribute) []Mark {
	var marks []Mark
	for _, a := range attrs {
		switch {
		case a.name == "ignore":
			marks = append(marks, Mark{Line: a.line, Text: "#[ignore]"})
		case a.name == "cfg_attr" && a.hasWord("ignore"):
			marks = append(marks, Mark{Line: a.line, Text: "#[cfg_attr(…, ignore)]", Unsure: true})
		case a.name == "cfg" && (a.hasWord("FALSE") || a.hasWord("any") && strings.HasSuffix(JoinTokens(a.args), "any())")):
			marks = append(marks, Mark{Line: a.line, Text: "#[cfg(any())]"})
		case a.name == "cfg" && (a.hasWord("feature") || a.hasWord("not") || a.hasWord("target_os")):
			marks = append(marks, Mark{Line: a.line, Text: "#[cfg(…)]", Unsure: true})
		}
	}
	return marks
}
