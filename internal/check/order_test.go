package check_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/intent"
)

// TestNoOrders: requests that sound exact but name nothing exactly. Work that touches every file
// and has none of their words is not contradicted.
func TestNoOrders(t *testing.T) {
	t.Parallel()
	before := map[string]string{
		"calc.go": "package calc\n\nfunc Add() {}\n", "ip.go": "package calc\n\ntype Addr struct{}\n\nfunc (a Addr) Close() {}\n",
		"shop/cart.py": "class Cart:\n    size = 1\n", "src/a.ts": "export function load() {}\n", "docs/arch.md": "# arch\n", "Dockerfile": "FROM x\n",
	}
	after := maps.Clone(before)
	for p := range after {
		after[p] += map[bool]string{true: "zzz = 1\n", false: "var zzz = 1\n"}[strings.HasSuffix(p, ".py")]
	}
	for _, text := range []string{
		"Add a Save button to the toolbar", "Add Docker support", "Remove Docker support", "Remove Docker", "Add Redis", "Add caching",
		"Delete the calc.go references in docs/arch.md", "Remove unused imports from calc.go", "Remove the comments in ip.go", "Delete old files",
		"Rename the Settings page to Preferences page in the menu", "Rename the users table to people", "Rename variables for clarity", "Rename the function for clarity", "Rename it to something better",
		"Add type hints to shop/cart.py", "Add types to src/a.ts", "Add a class diagram to docs/arch.md", "Add function comments to calc.go", "Add method chaining to Cart",
		"Add a test for size in shop/cart.py", "Add a test case", "Add tests for Add in calc.go", "Add property tests", "Add more tests to calc.go",
		"Add a method to compute the length of Addr in ip.go", "Add a function that halves a number", "Add an option to disable colours", "Add a flag to print JSON", "Add an option for JSON output",
		"Add an endpoint for health checks", "Add a route that lists users", "Remove the route guard", "Remove the file size limit", "Drop the type parameter",
		"Move the header to the top", "Move LevelMapper into HookOptions", "Move the parsing into its own function", "Create a file with the notes", "Create the files described in docs/arch.md", "Write a script that loads the data",
		"Add a field for the name", "Add a parameter to load", "Remove the parameter", "Add a helper to make calls shorter", "Introduce an interface between Cart and its storage",
		"Implement the class described in docs/arch.md", "Implement the interface in ip.go", "Define constants instead of magic numbers in calc.go", "Write functions to split the work",
		"Update calc.go to use generics", "Change the type of size in shop/cart.py to int", "Delete everything that is not needed", "Remove all console.log calls from src/a.ts",
		"Add a component like the one in src/a.ts", "Add error handling to src/a.ts", "Create a hook to load data", "Add a switch statement to calc.go", "Add an option type to src/a.ts",
		"Add a German translation", "Add Sentry", "Add GraphQL", "Add OpenAPI and YouTube", "Add `retries` to calc.go", "Add JavaScript to docs/arch.md", "Add IPv6 to ip.go", "Add OAuth login", "Remove TODO comments", "Remove README badges", "Add CI", "Add GitHub Actions",
		"Add class names to the buttons", "Add a module docstring to shop/cart.py", "Add field validation to the form", "Add argument parsing to shop/cart.py", "Add attribute access to Cart",
	} {
		for _, c := range []treeChange{{before, after}} {
			for _, f := range c.judged(text).Findings {
				if f.Severity == belay.SeverityError {
					t.Errorf("%q: %s", text, f.Title)
				}
			}
		}
	}
}

// TestOrders: what distinguishes shown, contradicted and not shown, in addition to the forty orders
// of orders_test.go.
func TestOrders(t *testing.T) {
	t.Parallel()
	calc := "package calc\n\nfunc Add() {}\n\nfunc Old() {}\n"
	for name, tt := range map[string]struct {
		request       string
		before, after map[string]string
		want          string // the result of the first requirement
		says          string // part of its text
	}{
		"one of two":          {"Add functions Half and Other", one("calc.go", calc), one("calc.go", calc+"\nfunc Half() {}\n"), belay.MetNot, "should be added but is missing: Other"},
		"in another spelling": {"Add a function half_of to calc.go", one("calc.go", calc), one("calc.go", calc+"\nfunc HalfOf() {}\n"), belay.MetYes, "half_of, calc.go:7"},
		"in another file": {"Add a function Half to calc.go", two("calc.go", calc, "ip.go", "package calc\n"), two("calc.go", calc, "ip.go", "package calc\n\nfunc Half() {}\n"), belay.MetNot,
			"should be added in calc.go but was added elsewhere: Half"},
		"only spoken of":         {"Add a function Half", one("calc.go", calc), one("calc.go", calc+"\n// Half is yet to come\n"), belay.MetUnknown, "no declaration"},
		"only in documentation":  {"Add a function Half", two("calc.go", calc, "README.md", "x\n"), two("calc.go", calc, "README.md", "x\nHalf\n"), belay.MetUnknown, "no declaration"},
		"there before":           {"Add a function Old", two("calc.go", calc, "README.md", "x\n"), two("calc.go", calc, "README.md", "x\ny\n"), belay.MetUnknown, "existed before"},
		"a wrapper stays":        {"Rename Old to Former", one("calc.go", calc), one("calc.go", calc+"\nfunc Former() {}\n"), belay.MetNot, "should be renamed to Former but is still declared: Old"},
		"a wrapper was asked":    {"Rename Old to Former and keep the old name as an alias", one("calc.go", calc), one("calc.go", calc+"\nfunc Former() {}\n"), belay.MetUnknown, "was not removed"},
		"only its case":          {"Rename Add to ADD", one("calc.go", calc), one("calc.go", strings.ReplaceAll(calc, "Add", "ADD")), belay.MetYes, "calc.go:3"},
		"no such file":           {"Delete docs/gone.md", one("calc.go", calc), one("calc.go", calc+"\n"), belay.MetUnknown, "no such file before"},
		"under a condition":      {"Remove the function Old on Windows", one("calc.go", calc+"\nfunc Old() {}\n"), one("calc.go", calc+"\n\nfunc Old() {}\n"), belay.MetUnknown, "Old is still declared"},
		"under none":             {"Remove the function Old", one("calc.go", calc+"\nfunc Old() {}\n"), one("calc.go", calc+"\n\nfunc Old() {}\n"), belay.MetNot, "should be removed but is still declared: Old"},
		"a folder":               {"Delete docs/", two("docs/a.md", "a\n", "calc.go", calc), one("calc.go", calc), belay.MetYes, "docs"},
		"half a folder":          {"Delete docs/", two("docs/a.md", "a\n", "docs/b.md", "b\n"), one("docs/b.md", "b\n"), belay.MetUnknown, "still there"},
		"a name of no kind":      {"Add NumSets in sets.go: it returns the number of sets", one("calc.go", calc), two("calc.go", calc, "sets.go", "package calc\n\nfunc NumSets() int { return 1 }\n"), belay.MetYes, "NumSets, sets.go:3"},
		"of no kind, elsewhere":  {"Add NumSets in calc.go", one("calc.go", calc), two("calc.go", calc, "sets.go", "package calc\n\nfunc NumSets() int { return 1 }\n"), belay.MetUnknown, "added elsewhere"},
		"a product's name":       {"Add OpenAPI to calc.go", one("calc.go", calc), one("calc.go", calc+"\nvar x = 1\n"), belay.MetUnknown, "not shown"},
		"asked for besides":      {"Add a function Half and its tests", one("calc.go", calc), one("calc.go", calc+"\nfunc Half() {}\n"), belay.MetUnknown, "not shown: its tests"},
		"a constant":             {"Add a constant MaxSize", one("calc.go", calc), one("calc.go", calc+"\nconst (\n\tMaxSize = 1\n)\n"), belay.MetYes, "MaxSize, calc.go:8"},
		"another language":       {"Add a function `half`", one("a.kt", "fun add() {}\n"), one("a.kt", "fun add() {}\n\nprivate suspend fun half(n: Int) = n / 2\n"), belay.MetYes, "half, a.kt:3"},
		"a method of a template": {"Add a method `len` in b.rs", one("b.rs", "struct B;\n"), one("b.rs", "struct B;\n\nimpl B {\n    pub fn len(&self) -> usize { 0 }\n}\n"), belay.MetYes, "len, b.rs:4"},
		"a signature":            {"Add `pub fn len<T>(b: &T) -> usize` to b.rs", one("b.rs", "struct B;\n"), one("b.rs", "struct B;\npub fn len<T>(b: &T) -> usize { 0 }\n"), belay.MetYes, "len, b.rs:2"},
		"a signature, not added": {"Add a `def half(n)` to a.py", one("a.py", "import os\n"), one("a.py", "import sys\n"), belay.MetNot, "should be added in a.py but is missing: half"},
		"a type as code":         {"Add `type Half struct` in calc.go", one("calc.go", calc), one("calc.go", calc+"\ntype Half struct{}\n"), belay.MetYes, "Half, calc.go:7"},
		"a keyword in prose":     {"Add \"type hints\" to a.py", one("a.py", "def half(n): pass\n"), one("a.py", "def half(n: int): pass\n"), belay.MetUnknown, "not shown"},
		"in Java":                {"Add a method peek to Stack.java", one("Stack.java", "class Stack {\n}\n"), one("Stack.java", "class Stack {\n  public int peek() {\n    return 1;\n  }\n}\n"), belay.MetYes, "peek, Stack.java:2"},
		"in Ruby":                {"Add a method `peek!` in stack.rb", one("stack.rb", "class Stack\nend\n"), one("stack.rb", "class Stack\n  def peek\n  end\nend\n"), belay.MetUnknown, "not shown"},
		"in C#":                  {"Add a method Peek in Stack.cs", one("Stack.cs", "class Stack {\n}\n"), one("Stack.cs", "class Stack {\n  public int Peek() {\n    return 1;\n  }\n}\n"), belay.MetYes, "Peek, Stack.cs:2"},
	} {
		req, _ := intent.Parse(intent.Input{Text: tt.request, PlanExists: true})
		if len(req.Requirements) == 0 {
			t.Errorf("%s: %q asks for nothing", name, tt.request)
			continue
		}
		in := treeChange{tt.before, tt.after}.input(req)
		in.Words = tt.request
		res := check.Contract(in)
		all := strings.Join(append(findingLines(res), res.Met[0].Evidence...), "\n")
		if res.Met[0].Verdict != tt.want || !strings.Contains(all, tt.says) {
			t.Errorf("%s: %s\n%s\nwant %s, %s", name, res.Met[0].Verdict, all, tt.want, tt.says)
		}
	}
}

func one(path, text string) map[string]string { return map[string]string{path: text} }

func two(a, x, b, y string) map[string]string { return map[string]string{a: x, b: y} }
