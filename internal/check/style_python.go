package check

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// pythonStyleProblems returns the public functions, methods and classes of a Python file without
// hints or a docstring. Names that begin with an underscore, and declarations inside a function or
// a private class, are private.
func pythonStyleProblems(tokens []syntax.Token, stub bool) []styleProblem {
	var out []styleProblem
	var open []pythonScope
	for i, t := range tokens {
		if t.First {
			for len(open) > 0 && t.Col <= open[len(open)-1].col && t.Line > open[len(open)-1].head {
				open = open[:len(open)-1]
			}
		}
		first := t.First || i > 0 && tokens[i-1].Is("async")
		if !first || !t.IsOneOf("def", "class") || i+1 >= len(tokens) || tokens[i+1].Kind != syntax.Word {
			continue
		}
		d := pythonDeclaration(tokens, i)
		private := strings.HasPrefix(d.name, "_") && !strings.HasPrefix(d.name, "__")
		inside, class := pythonScopes(open)
		if !private && !inside && !(class == "" && strings.HasPrefix(d.name, "__")) {
			out = append(out, d.problems(class, stub)...)
		}
		col := t.Col
		if !t.First {
			col = tokens[i-1].Col
		}
		open = append(open, pythonScope{col: col, head: d.end, name: d.name, class: t.Is("class"), private: private})
	}
	return out
}

type pythonScope struct {
	col, head      int // the column of the declaration, and the last line of its head
	name           string
	class, private bool
}

// pythonScopes reports whether a declaration is private by its place, and the names of the classes
// around it, each with a dot.
func pythonScopes(open []pythonScope) (hidden bool, class string) {
	for _, s := range open {
		if !s.class || s.private {
			return true, ""
		}
		class += s.name + "."
	}
	return false, class
}

type pythonDef struct {
	name       string
	line, end  int
	class      bool
	docstring  bool
	untyped    []string // parameters without a hint
	returns    bool     // the result has a hint
	decorators map[string]bool
}

// pythonDeclaration parses the declaration with def or class at tokens[at].
func pythonDeclaration(tokens []syntax.Token, at int) pythonDef {
	d := pythonDef{name: tokens[at+1].Text, line: tokens[at].Line, class: tokens[at].Is("class"), decorators: decorators(tokens, at)}
	depth, i := 0, at+2
	for ; i < len(tokens); i++ {
		t := tokens[i]
		if depth < 0 || t.First && depth == 0 && i > at+2 {
			break // the head is incomplete
		}
		switch {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			if depth++; depth == 1 && t.Is("(") && !d.class {
				d.readParams(tokens[i+1:])
			}
		case t.Is(")") || t.Is("]") || t.Is("}"):
			depth--
		case t.Is("-") && depth == 0 && i+1 < len(tokens) && tokens[i+1].Is(">"):
			d.returns = true
		}
		if t.Is(":") && depth == 0 {
			break
		}
	}
	d.end = d.line
	if i < len(tokens) {
		d.end = tokens[i].Line
	}
	if i+1 < len(tokens) {
		d.docstring = tokens[i+1].Kind == syntax.Text
	}
	return d
}

// readParams parses parameters up to the closing parenthesis.
func (d *pythonDef) readParams(tokens []syntax.Token) {
	depth, name, typed, value, stars, n := 0, "", false, false, 0, 0
	flush := func() {
		if name != "" {
			if !typed && stars == 0 && !(n == 0 && slices.Contains([]string{"self", "cls", "mcs"}, name)) {
				d.untyped = append(d.untyped, name)
			}
			n++
		}
		name, typed, value, stars = "", false, false, 0
	}
	for _, t := range tokens {
		switch {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case t.Is(")") && depth == 0:
			flush()
			return
		case t.Is(")") || t.Is("]") || t.Is("}"):
			depth--
		case depth > 0:
		case t.Is(","):
			flush()
		case t.Is(":") && !value:
			typed = true
		case t.Is("="):
			value = true
		case t.Is("*") && name == "":
			stars++
		case t.Kind == syntax.Word && name == "":
			name = t.Text
		}
	}
}

// decorators returns the last part of the name of each decorator of the declaration at tokens[at].
func decorators(tokens []syntax.Token, at int) map[string]bool {
	names := map[string]bool{}
	i := at - 1
	for i >= 0 && tokens[i].Line == tokens[at].Line {
		i-- // async
	}
	for i >= 0 {
		start := i
		for start > 0 && !(tokens[start].First && tokens[start].Col <= tokens[at].Col) {
			start--
		}
		if !tokens[start].Is("@") {
			return names
		}
		for _, t := range tokens[start : i+1] {
			if t.Is("(") {
				break
			}
			if t.Kind == syntax.Word {
				names[t.Text] = true
			}
		}
		i = start - 1
	}
	return names
}

func (d pythonDef) problems(class string, stub bool) []styleProblem {
	var missing []string
	dunder := strings.HasPrefix(d.name, "__")
	again := d.decorators["overload"] || d.decorators["setter"] || d.decorators["deleter"] || d.decorators["override"]
	if !d.docstring && !dunder && !again && !stub {
		missing = append(missing, "a docstring")
	}
	kind := "class "
	if !d.class {
		kind = "def "
		if len(d.untyped) > 0 {
			missing = append(missing, "hints for "+strings.Join(d.untyped, ", "))
		}
		if !d.returns && d.name != "__init__" && d.name != "__init_subclass__" {
			missing = append(missing, "a hint of what it returns")
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []styleProblem{{line: d.line, name: kind + class + d.name, what: "lacks " + strings.Join(missing, " and "),
		advice: "add " + strings.Join(missing, " and ")}}
}
