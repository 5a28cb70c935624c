package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

var (
	javaTests = map[string]bool{"Test": true, "ParameterizedTest": true, "RepeatedTest": true, "TestFactory": true,
		"TestTemplate": true, "Property": true}
	csharpTests = map[string]bool{"Fact": true, "Theory": true, "Test": true, "TestMethod": true, "TestCase": true, "TestCaseSource": true,
		"DataTestMethod": true, "SkippableFact": true, "SkippableTheory": true, "Property": true}
)

// readJavaTests returns methods with a test annotation, and void methods with names that begin with
// test, as in older runners.
func (s *source) readJavaTests() []Test {
	return s.readClassTests(func(i int) (list []attribute, after int) {
		if !s.Is(i, "@") || s.At(i+1).Kind != syntax.Word || s.Is(i+1, "interface") {
			return nil, i
		}
		k := i + 1
		for s.Is(k+1, ".") {
			k += 2
		}
		a := attribute{name: s.At(k).Text, line: s.At(i).Line}
		if s.Is(k+1, "(") {
			a.args = s.Inside(k + 1)
			k = s.End(k + 1)
		}
		return []attribute{a}, k + 1
	}, javaTests)
}

// readCSharpTests returns methods with a test attribute.
func (s *source) readCSharpTests() []Test {
	return s.readClassTests(func(i int) (list []attribute, after int) {
		if !s.Is(i, "[") || !s.At(i).First && !s.At(i-1).Is("]") || s.At(i+1).Kind != syntax.Word {
			return nil, i
		}
		for k := i + 1; k < s.End(i); k++ {
			if s.Open[k] != i || s.At(k).Kind != syntax.Word || s.Is(k+1, ".") || s.Is(k+1, ":") {
				continue
			}
			a := attribute{name: strings.TrimSuffix(s.At(k).Text, "Attribute"), line: s.At(k).Line}
			if s.Is(k+1, "(") {
				a.args = s.Inside(k + 1)
			}
			list = append(list, a)
		}
		return list, s.End(i) + 1
	}, csharpTests)
}

// readClassTests reads the tests in the classes of a text. read returns the attributes that begin
// at a token, and their end.
func (s *source) readClassTests(read func(int) ([]attribute, int), tests map[string]bool) []Test {
	var list []Test
	var around scopes
	var attrs []attribute
	for i := 0; i < len(s.Tokens); i++ {
		if more, after := read(i); after > i {
			attrs = append(attrs, more...)
			i = after - 1
			continue
		}
		t := s.Tokens[i]
		if s.Depth[i] > maxDepth {
			continue
		}
		groups := around.popTo(i)
		switch {
		case (t.Is("class") || t.Is("record") || t.Is("struct")) && s.At(i+1).Kind == syntax.Word && !s.At(i-1).Is("."):
			name := s.At(i + 1).Text
			body := i + 2
			for body < len(s.Tokens) && !s.Is(body, "{") && !s.Is(body, ";") {
				body++
			}
			list = append(list, Test{Name: groupPrefix(groups, name), ShortName: name, Line: t.Line, Group: true,
				Skips: s.attributeSkips(attrs)})
			around.push(s.End(body), name)
			i, attrs = body, nil
		case t.Kind == syntax.Word && s.Is(i+1, "(") && (s.At(i-1).Kind == syntax.Word || s.At(i-1).IsOneOf(">", "]", "?")):
			u, body, ok := s.readMethod(i, attrs, tests)
			if attrs = nil; ok {
				u.Name = groupPrefix(groups, u.ShortName)
				list = append(list, u)
			}
			i = max(i, body)
		case t.Is(";") || t.Is("{") || t.Is("}"):
			attrs = nil
		}
	}
	return list
}

// readMethod reads the method with its name at token i. body is where to continue: behind a test's
// body, otherwise at i.
func (s *source) readMethod(i int, attrs []attribute, tests map[string]bool) (u Test, body int, ok bool) {
	t := s.Tokens[i]
	u = Test{ShortName: t.Text, Line: t.Line, Skips: s.attributeSkips(attrs)}
	test := s.Lang == syntax.Java && s.At(i-1).Is("void") && strings.HasPrefix(t.Text, "test") && len(s.Inside(i+1)) == 0
	for _, a := range attrs {
		if tests[a.name] {
			test = true
			if a.hasWord("expected") || a.hasWord("expectedExceptions") {
				u.Asserts++
			}
		}
		if a.name == "ExpectedException" {
			u.Asserts++
		}
	}
	if !test {
		return u, i, false
	}
	s.addAttributeRows(&u, attrs)
	body = s.End(i+1) + 1
	for body < len(s.Tokens) && !s.Is(body, "{") && !s.Is(body, ";") && !s.Is(body, "=", ">") {
		body++
	}
	switch {
	case s.Is(body, "{"):
		u.Body = s.Inside(body)
		u.Skips = append(u.Skips, s.assumptionSkips(body)...)
		return u, min(s.End(body), len(s.Tokens)-1), true
	case s.Is(body, "=", ">"):
		end := body + 2
		for end < len(s.Tokens) && !(s.Is(end, ";") && s.Open[end] == s.Open[body]) {
			end++
		}
		u.Body = s.Tokens[min(body+2, len(s.Tokens)):end]
		return u, end, true
	}
	return u, i, false
}

// attributeSkips returns the attributes that skip a test or a class.
func (s *source) attributeSkips(attrs []attribute) []Mark {
	var marks []Mark
	for _, a := range attrs {
		m := Mark{Line: a.line, Text: a.name}
		switch {
		case a.name == "Disabled" || a.name == "Ignore" || a.name == "Explicit" || a.name == "Ignored":
			marks = append(marks, m)
		case strings.HasPrefix(a.name, "DisabledIf") || strings.HasPrefix(a.name, "DisabledOn") ||
			strings.HasPrefix(a.name, "EnabledIf") || strings.HasPrefix(a.name, "EnabledOn"):
			m.Unsure = true
			marks = append(marks, m)
		case a.hasWord("Skip"), a.hasWord("enabled") && a.hasWord("false"), a.hasWord("Ignore") && s.Lang == syntax.CSharp:
			m.Text += "(" + JoinTokens(a.args) + ")"
			m.Unsure = a.hasWord("SkipWhen") || a.hasWord("SkipUnless")
			marks = append(marks, m)
		}
	}
	return marks
}

// assumptionSkips returns calls that end a test without a failure.
func (s *source) assumptionSkips(body int) []Mark {
	var marks []Mark
	for i := body + 1; i < s.End(body); i++ {
		t := s.Tokens[i]
		if t.Kind != syntax.Word || !s.Is(i+1, "(") {
			continue
		}
		m := Mark{Line: t.Line, Text: t.Text, Unsure: true}
		switch t.Text {
		case "assumeTrue", "assumeFalse", "assumeThat":
			m.Unsure = !(t.Text == "assumeTrue" && s.Is(i+2, "false") || t.Text == "assumeFalse" && s.Is(i+2, "true"))
		case "SkipException", "abort":
			m.Unsure = s.isConditional(i, body) || s.isGuarded(i-1)
		case "Ignore", "Inconclusive", "Pass":
			if !s.At(i-1).Is(".") || !s.At(i-2).Is("Assert") {
				continue
			}
			m.Text = "Assert." + t.Text
			m.Unsure = s.isConditional(i, body) || s.isGuarded(i-2)
		case "If", "IfNot", "Unless":
			if !s.At(i-1).Is(".") || !s.At(i-2).Is("Skip") {
				continue
			}
			m.Text = "Skip." + t.Text
		default:
			continue
		}
		marks = append(marks, m)
	}
	return marks
}
