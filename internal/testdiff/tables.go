package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// wanted reports whether a name is one of what is expected.
func wanted(name string) bool {
	name = strings.TrimLeft(name, "$_")
	if len(name) < 3 || len(name) > 60 || strings.IndexByte("wWeE", name[0]) < 0 {
		return false
	}
	low := strings.ToLower(name)
	return strings.HasPrefix(low, "want") || strings.HasPrefix(low, "expect") || low == "exp"
}

// widest bounds how large a bracket is that says what a field is of.
const widest = 300

// named reads a field or a variable of such a name that is given a literal, the name being
// token i: want: 3, "expected": 3, expected = 3, var want int = 3.
func (r *reader) named(i int) bool {
	t, k := r.tokens[i], i+1
	if !r.is(k, ":") && !r.is(k, "=") && r.lang != syntax.Go || !wanted(t.Value()) {
		return false
	}
	switch {
	case r.is(k, ":") && r.is(k+1, "="), r.is(k, "=") && r.is(k+1, ">"):
		k += 2
	case r.is(k, ":") && t.Kind == syntax.Text, r.is(k, "=") && !r.is(k+1, "="):
		k++
	case r.is(k, ":") && !r.is(k+1, ":"):
		k = r.typed(k+1, k+1)
	case r.at(k).Kind == syntax.Word && r.lang == syntax.Go: // var want int = 3
		if k = r.typed(k, 0); k == 0 {
			return false
		}
	default:
		return false
	}
	value := until(r.statement(k), ",")
	if !literal(r.lang, value) {
		return false
	}
	r.add(Value{Subject: r.around(i, k), Op: "eq", Text: text(value)}, value[0])
	return true
}

// typed passes over the type of a declaration that continues with a value: const want: number = 3.
func (r *reader) typed(k, otherwise int) int {
	for n := k; n < k+8 && n < len(r.tokens) && r.at(n).Line == r.at(k).Line && !closes(r.at(n)) && !r.is(n, ","); n++ {
		if r.is(n, "=") && !r.is(n+1, "=") && !r.is(n+1, ">") {
			return n + 1
		}
	}
	return otherwise
}

// around says what the field at i is of: all of its row but what is expected, and what
// names the row. A statement's is its name.
// at is where its value begins.
func (r *reader) around(i, at int) string {
	own := r.tokens[i].Value()
	open := r.nest.Open[i]
	if open < 0 || at != i+2 || !r.is(i+1, ":") && !r.is(open, "(") {
		return own
	}
	if r.end(open)-open > widest || r.end(open) == len(r.tokens) {
		return own
	}
	var rest []syntax.Token
	for _, arg := range r.args(open) {
		if len(arg) > 2 && wanted(arg[0].Value()) && literal(r.lang, arg[2:]) {
			continue
		}
		rest = append(rest, arg...)
	}
	head := ""
	switch {
	case r.is(open-1, ":"):
		head = r.at(open-2).Text + " "
	case r.is(open, "("):
		head = r.at(open-1).Text + " "
	}
	return head + key(rest) + " " + own
}

// table reads the rows of a table whose columns have names, where token i begins one: Go's
// []struct{in, want string}{{…}}, parametrize("a, expected", […]), each([…])("…", (a, expected) =>…),
// and attributes of a test with parameters.
func (r *reader) table(i int) {
	switch t := r.tokens[i]; {
	case r.lang == syntax.Go && t.Is("struct") && r.is(i+1, "{") && (r.is(i-1, "]") || r.is(i-2, "map", "[")):
		r.rows(r.goFields(i+1), r.end(i+1)+1)
	case r.lang == syntax.Python && t.Is("parametrize") && r.is(i+1, "("):
		if args := r.args(i + 1); len(args) > 1 && len(args[1]) > 0 {
			r.rows(quotedNames(args[0]), r.index(args[1][0]))
		}
	case (r.lang == syntax.TypeScript || r.lang == syntax.JavaScript) && t.Is("each") && r.is(i-1, ".") && r.is(i+1, "("):
		if call := r.end(i+1) + 1; r.is(call, "(") {
			if args := r.args(call); len(args) > 1 {
				r.rows(parameters(args[1]), i+2)
			}
		}
	case r.lang == syntax.CSharp && t.Among("InlineData", "TestCase", "DataRow") && r.is(i+1, "("),
		r.lang == syntax.Rust && t.Is("case") && r.is(i-1, "[") && r.is(i+1, "("):
		r.row(r.method(i), i+1)
	}
}

// index returns where a token stands.
func (r *reader) index(t syntax.Token) int {
	for i := range r.tokens {
		if r.tokens[i].Line == t.Line && r.tokens[i].Col == t.Col {
			return i
		}
	}
	return len(r.tokens)
}

// rows reads each bracket within the one at open as a row.
func (r *reader) rows(names []string, open int) {
	any := false
	for _, n := range names {
		any = any || wanted(n)
	}
	if !any || !r.is(open, "[") && !r.is(open, "{") && !r.is(open, "(") {
		return
	}
	for k := open + 1; k < r.end(open); k++ {
		if r.nest.Open[k] == open && (r.is(k, "{") || r.is(k, "(") || r.is(k, "[")) {
			r.row(names, k)
		}
	}
}

// row reads a row's values by the names of their columns.
func (r *reader) row(names []string, open int) {
	args := r.args(open)
	if len(args) != len(names) {
		return
	}
	var rest []string
	for i, a := range args {
		if len(a) > 1 && a[1].Is(":") && a[0].Kind == syntax.Word && r.lang == syntax.Go {
			return // by name
		}
		if !wanted(names[i]) {
			rest = append(rest, key(a))
		}
	}
	for i, a := range args {
		if wanted(names[i]) && literal(r.lang, a) {
			r.add(Value{Subject: strings.Join(rest, " , ") + " " + names[i], Op: opRow, Text: text(a)}, a[0])
		}
	}
}

// goFields returns the names of a struct's fields: in, want string counts two.
func (r *reader) goFields(open int) []string {
	var names []string
	for k := open + 1; k < r.end(open); k++ {
		t := r.tokens[k]
		begins := t.First || r.among(k-1, "{", ";") || r.is(k-1, ",") && r.nest.Open[k-1] == open
		if begins && r.nest.Open[k] == open && t.Kind == syntax.Word {
			names = append(names, t.Text)
		}
	}
	return names
}

func quotedNames(tokens []syntax.Token) []string {
	var names []string
	for _, t := range tokens {
		if t.Kind == syntax.Text {
			for n := range strings.SplitSeq(t.Value(), ",") {
				names = append(names, strings.TrimSpace(n))
			}
		}
	}
	return names
}

// parameters returns the names of a function's parameters.
func parameters(tokens []syntax.Token) []string {
	depth, fresh := 0, true
	var names []string
	for _, t := range tokens {
		switch {
		case t.Is("(") || t.Is("{") || t.Is("[") || t.Is("<"):
			depth++
		case closes(t) || t.Is(">"):
			if depth--; depth == 0 {
				return names
			}
		case depth == 1 && t.Is(","):
			fresh = true
		case depth == 1 && fresh && t.Kind == syntax.Word:
			names, fresh = append(names, t.Text), false
		}
	}
	return names
}

// method returns the names of the parameters of the method that the attribute at i is of:
// the last word of each, or the one before its colon.
func (r *reader) method(i int) []string {
	k := i
	for k < len(r.tokens) && r.nest.Open[k] >= 0 && r.is(r.nest.Open[k], "[") {
		k = r.end(r.nest.Open[k])
	}
	for k++; k < len(r.tokens) && !r.is(k, "{") && !r.is(k, ";"); k++ {
		if !r.is(k, "(") || r.nest.Open[k] >= 0 && r.is(r.nest.Open[k], "[") {
			continue
		}
		var names []string
		for _, p := range r.args(k) {
			name := ""
			if len(p) > 0 {
				name = p[len(p)-1].Text
			}
			for n, t := range p {
				if t.Is(":") && n > 0 {
					name = p[n-1].Text
					break
				}
			}
			names = append(names, name)
		}
		return names
	}
	return nil
}
