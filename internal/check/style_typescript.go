package check

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// scriptStyleProblems returns the exported functions of a TypeScript file with parameters or a
// result without a type. A constant with a type gives it to its function.
func scriptStyleProblems(tokens []syntax.Token) []styleProblem {
	var out []styleProblem
	depth := 0
	for i, t := range tokens {
		switch {
		case t.Is("{") || t.Is("("):
			depth++
		case t.Is("}") || t.Is(")"):
			depth--
		}
		if t.Is("export") && t.First && depth == 0 {
			if l, lacking := scriptExport(tokens[i+1:], t.Line); lacking {
				out = append(out, l)
			}
		}
	}
	return out
}

// scriptExport parses an export, if it is a function.
func scriptExport(s []syntax.Token, line int) (styleProblem, bool) {
	for len(s) > 0 && (s[0].Is("default") || s[0].Is("async") || s[0].Is("declare")) {
		s = s[1:]
	}
	switch {
	case len(s) > 2 && s[0].Is("function"):
		s = s[1:]
		if s[0].Is("*") {
			s = s[1:]
		}
		name := "default"
		if s[0].Kind == syntax.Word {
			name, s = s[0].Text, s[1:]
		}
		return scriptFunc(name, skipGenerics(s), line, false)
	case len(s) > 4 && (s[0].Is("const") || s[0].Is("let")) && s[1].Kind == syntax.Word && s[2].Is("="):
		name := s[1].Text
		s = s[3:]
		if s[0].Is("async") {
			s = s[1:]
		}
		if len(s) > 1 && s[0].Is("function") {
			s = s[1:]
			if s[0].Kind == syntax.Word {
				s = s[1:]
			}
			return scriptFunc(name, skipGenerics(s), line, false)
		}
		return scriptFunc(name, skipGenerics(s), line, true)
	}
	return styleProblem{}, false
}

func skipGenerics(s []syntax.Token) []syntax.Token {
	if len(s) == 0 || !s[0].Is("<") {
		return s
	}
	depth := 0
	for i, t := range s {
		switch {
		case t.Is("<"):
			depth++
		case t.Is(">") && !(i > 0 && s[i-1].Is("=")):
			if depth--; depth == 0 {
				return s[i+1:]
			}
		}
	}
	return nil
}

// scriptFunc parses a function from its parameters on; an arrow function must have an arrow.
func scriptFunc(name string, s []syntax.Token, line int, arrow bool) (styleProblem, bool) {
	if len(s) == 0 || !s[0].Is("(") {
		return styleProblem{}, false
	}
	untyped, rest := scriptParams(s[1:])
	if rest == nil {
		return styleProblem{}, false
	}
	result := len(rest) > 0 && rest[0].Is(":")
	if arrow && !result && !(len(rest) > 1 && rest[0].Is("=") && rest[1].Is(">")) {
		return styleProblem{}, false
	}
	var missing []string
	if len(untyped) > 0 {
		missing = append(missing, "types for "+strings.Join(untyped, ", "))
	}
	if !result {
		missing = append(missing, "a type of what it returns")
	}
	if len(missing) == 0 {
		return styleProblem{}, false
	}
	what := strings.Join(missing, " and ")
	return styleProblem{line: line, name: "function " + name, what: "lacks " + what, advice: "add " + what}, true
}

// scriptParams returns the parameters without a type, and the tokens after the closing parenthesis;
// nil if there is none. A parameter with a default value has the value's type.
func scriptParams(s []syntax.Token) (untyped []string, rest []syntax.Token) {
	depth, name, typed := 0, "", false
	flush := func() {
		if name != "" && !typed {
			untyped = append(untyped, name)
		}
		name, typed = "", false
	}
	for i, t := range s {
		opens := t.IsOneOf("(", "[", "{", "<")
		closes := t.IsOneOf(")", "]", "}") || t.Is(">") && !(i > 0 && s[i-1].Is("="))
		switch {
		case t.Is(")") && depth == 0:
			flush()
			return untyped, append([]syntax.Token{}, s[i+1:min(len(s), i+4)]...)
		case opens:
			if depth == 0 && name == "" {
				name = "the destructured parameter"
			}
			depth++
		case closes:
			depth--
		case depth > 0:
		case t.Is(","):
			flush()
		case t.Is(":") || t.Is("="):
			typed = true
		case t.Kind == syntax.Word && (name == "" || slices.Contains([]string{"public", "private", "readonly"}, name)):
			name = t.Text
		}
	}
	return nil, nil
}
