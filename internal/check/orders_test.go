package check

import (
	"maps"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/intent"
)

// projects are the projects of the orders.
var projects = map[string]map[string]string{
	"go": {
		"go.mod": "module calc\n\ngo 1.22\n", "README.md": "# calc\n", "docs/guide.md": "how to\n",
		"calc.go":      "package calc\n\n// Add adds.\nfunc Add(a, b int) int {\n\ttotal := a + b\n\treturn total\n}\n\nfunc Old() int { return 1 }\n\nfunc Twice(a int) int { return Add(a, a) }\n",
		"ip.go":        "package calc\n\ntype Addr struct{ b []byte }\n\nfunc (a Addr) Close() error { return nil }\n",
		"calc_test.go": "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
	},
	"python": {
		"README.md": "# shop\n", "docs/guide.md": "how to\n", "shop/__init__.py": "",
		"shop/cart.py":       "MAX = 10\n\n\nclass Cart:\n    def __init__(self):\n        self.items = []\n\n    def push(self, item):\n        self.items.append(item)\n\n\ndef total(cart):\n    return sum(cart.items)\n\n\ndef legacy_total(cart):\n    return 0\n",
		"shop/cli.py":        "import argparse\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument(\"--verbose\")\n    parser.parse_args()\n",
		"tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total\n",
	},
	"typescript": {
		"README.md": "# web\n", "package.json": "{\n  \"name\": \"web\"\n}\n",
		"src/server.ts":     "import { app } from \"./app\";\n\napp.get(\"/users\", (req, res) => res.json([]));\napp.get(\"/old\", (req, res) => res.json([]));\n",
		"src/stack.ts":      "export class Stack {\n  items: number[] = [];\n\n  push(x: number): void {\n    this.items.push(x);\n  }\n}\n\nexport function formatDate(d: Date): string {\n  return d.toISOString();\n}\n",
		"src/stack.test.ts": "import { Stack } from \"./stack\";\n\ntest(\"push\", () => {\n  expect(new Stack().items).toEqual([]);\n});\n",
	},
}

// edits are the files that a change writes: complete, or old⇒new in the existing text; "" deletes
// the file.
type edits map[string]string

func (e edits) on(project map[string]string) said {
	s := said{}
	for p, text := range project {
		s[p] = [2]string{text, text}
	}
	for p, what := range e {
		was := s[p][0]
		is := what
		if old, now, ok := strings.Cut(what, "⇒"); ok {
			is = strings.Replace(was, old, now, 1)
			if old == "" { // append
				is = was + now
			}
		}
		s[p] = [2]string{was, is}
	}
	return s
}

// differing returns the changed files.
func (s said) differing() said {
	out := maps.Clone(s)
	maps.DeleteFunc(out, func(_ string, t [2]string) bool { return t[0] == t[1] })
	return out
}

// request returns an order as a parsed request. This package cannot use the parser of package
// intent: markers are given, bounds are parsed.
func request(order string, marks []string) belay.Request {
	r := belay.Request{Type: belay.Mutation, Bounds: intent.Bounds(order)}
	for _, m := range marks {
		mark, text, _ := strings.Cut(m, " ")
		if mark == "KEEP" {
			r.Preserve = append(r.Preserve, text)
			continue
		}
		r.Requirements = append(r.Requirements, belay.Requirement{Marker: belay.Marker(mark), Text: text})
	}
	return r
}

// orders are plain orders of a person, their markers, and work that fulfils them. proved means that
// the tree proves that an agent which does nothing useful did not fulfil it.
var orders = []struct {
	project, order string
	marks          []string
	right          edits
	proved         bool
}{
	{"go", "Delete docs/guide.md", []string{"REMOVE Delete docs/guide.md"}, edits{"docs/guide.md": ""}, true},
	{"go", "Please delete the file docs/guide.md, nobody reads it.", []string{"REMOVE delete the file docs/guide.md"}, edits{"docs/guide.md": ""}, true},
	{"go", "Remove the function Old from calc.go", []string{"REMOVE Remove the function Old from calc.go"}, edits{"calc.go": "func Old() int { return 1 }\n\n⇒"}, true},
	{"go", "Delete the function Old", []string{"REMOVE Delete the function Old"}, edits{"calc.go": "func Old() int { return 1 }\n\n⇒"}, true},
	{"go", "Remove the method Close from ip.go", []string{"REMOVE Remove the method Close from ip.go"}, edits{"ip.go": "\nfunc (a Addr) Close() error { return nil }\n⇒"}, true},
	{"go", "Rename Add to Plus", []string{"MODIFY Rename Add"}, edits{"calc.go": strings.ReplaceAll(projects["go"]["calc.go"], "Add", "Plus"), "calc_test.go": strings.ReplaceAll(projects["go"]["calc_test.go"], " Add(", " Plus(")}, false},
	{"go", "Rename the function Add in calc.go to Plus", []string{"MODIFY Rename the function Add in calc.go"}, edits{"calc.go": strings.ReplaceAll(projects["go"]["calc.go"], "Add", "Plus"), "calc_test.go": strings.ReplaceAll(projects["go"]["calc_test.go"], " Add(", " Plus(")}, true},
	{"go", "Rename docs/guide.md to docs/manual.md", []string{"MODIFY Rename docs/guide.md to docs/manual.md"}, edits{"docs/guide.md": "", "docs/manual.md": "how to\n"}, true},
	{"go", "Move calc.go to pkg/calc.go", []string{"MODIFY Move calc.go to pkg/calc.go"}, edits{"calc.go": "", "pkg/calc.go": projects["go"]["calc.go"]}, true},
	{"go", "Add method Len in ip.go", []string{"ADD Add method Len in ip.go"}, edits{"ip.go": "⇒\nfunc (a Addr) Len() int { return len(a.b) }\n"}, true},
	{"go", "Add a method Len to the type Addr in ip.go", []string{"ADD Add a method Len to the type Addr"}, edits{"ip.go": "⇒\nfunc (a *Addr) Len() int { return len(a.b) }\n"}, true},
	{"go", "Add functions Half and Other", []string{"ADD Add functions Half and Other"}, edits{"calc.go": "⇒\nfunc Half(a int) int { return a / 2 }\n\nfunc Other() {}\n"}, true},
	{"go", "Please implement a `Half(n int) int` function in calc.go", []string{"ADD implement a `Half(n int) int` function in calc.go"}, edits{"calc.go": "⇒\nfunc Half(n int) int { return n / 2 }\n"}, true},
	{"go", "Add a constant MaxSize = 10 to calc.go", []string{"ADD Add a constant MaxSize = 10 to calc.go"}, edits{"calc.go": "⇒\nconst MaxSize = 10\n"}, true},
	{"go", "Add a field Name to the struct Addr in ip.go", []string{"ADD Add a field Name to the struct Addr"}, edits{"ip.go": "struct{ b []byte }⇒struct {\n\tName string\n\tb    []byte\n}"}, true},
	{"go", "Add a test TestTwice to calc_test.go", []string{"ADD Add a test TestTwice to calc_test.go"}, edits{"calc_test.go": "⇒\nfunc TestTwice(t *testing.T) {\n\tif Twice(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n"}, true},
	{"go", "Add a file docs/usage.md", []string{"ADD Add a file docs/usage.md"}, edits{"docs/usage.md": "use it\n"}, true},
	{"go", "Create NOTES.md with a short description", []string{"ADD Create NOTES.md with a short description"}, edits{"NOTES.md": "a calculator\n"}, true},
	{"go", "Add a function Half. Don't touch ip.go", []string{"ADD Add a function Half", "KEEP ip.go"}, edits{"calc.go": "⇒\nfunc Half(a int) int { return a / 2 }\n"}, true},
	{"go", "Only change calc.go. Add a function Half.", []string{"MODIFY change calc.go", "ADD Add a function Half"}, edits{"calc.go": "⇒\nfunc Half(a int) int { return a / 2 }\n"}, true},
	{"go", "Add a function Half to calc.go and leave README.md alone", []string{"ADD Add a function Half to calc.go", "KEEP README.md"}, edits{"calc.go": "⇒\nfunc Half(a int) int { return a / 2 }\n"}, true},
	{"go", "Don't touch anything except calc.go. Make Add faster.", []string{"MODIFY Make Add faster"}, edits{"calc.go": "\ttotal := a + b\n\treturn total\n⇒\treturn a + b\n"}, true},
	{"go", "Fix the bug in Add, without touching the tests", []string{"FIX Fix the bug in Add", "KEEP the tests"}, edits{"calc.go": "a + b⇒b + a"}, false},
	{"go", "Update README.md", []string{"MODIFY Update README.md"}, edits{"README.md": "⇒\nIt adds.\n"}, false},
	{"python", "Add a class Stack to shop/stack.py", []string{"ADD Add a class Stack to shop/stack.py"}, edits{"shop/stack.py": "class Stack:\n    pass\n"}, true},
	{"python", "Add a method pop_all to Cart", []string{"ADD Add a method pop_all to Cart"}, edits{"shop/cart.py": "class Cart:\n⇒class Cart:\n    def pop_all(self):\n        self.items = []\n\n"}, true},
	{"python", "Add a function half to shop/cart.py", []string{"ADD Add a function half to shop/cart.py"}, edits{"shop/cart.py": "⇒\n\ndef half(n):\n    return n / 2\n"}, true},
	{"python", "Remove the function legacy_total", []string{"REMOVE Remove the function legacy_total"}, edits{"shop/cart.py": "\n\ndef legacy_total(cart):\n    return 0\n⇒"}, true},
	{"python", "Rename the class Cart to Basket", []string{"MODIFY Rename the class Cart"}, edits{"shop/cart.py": "class Cart⇒class Basket"}, true},
	{"python", "Rename legacy_total to old_total", []string{"MODIFY Rename legacy_total to old_total"}, edits{"shop/cart.py": "legacy_total⇒old_total"}, true},
	{"python", "Add a flag --dry-run to the cli", []string{"ADD Add a flag --dry-run to the cli"}, edits{"shop/cli.py": "\"--verbose\")\n⇒\"--verbose\")\n    parser.add_argument(\"--dry-run\")\n"}, true},
	{"python", "Remove the flag --verbose", []string{"REMOVE Remove the flag --verbose"}, edits{"shop/cli.py": "    parser.add_argument(\"--verbose\")\n⇒"}, true},
	{"python", "Do not modify shop/cart.py or tests/; add a --json flag", []string{"ADD add a --json flag"}, edits{"shop/cli.py": "\"--verbose\")\n⇒\"--verbose\")\n    parser.add_argument(\"--json\")\n"}, true},
	{"python", "Delete shop/cli.py and tests/test_cart.py", []string{"REMOVE Delete shop/cli.py and tests/test_cart.py"}, edits{"shop/cli.py": "", "tests/test_cart.py": ""}, true},
	{"typescript", "Add an endpoint GET /health", []string{"ADD Add an endpoint GET /health"}, edits{"src/server.ts": "⇒app.get(\"/health\", (req, res) => res.json({ ok: true }));\n"}, true},
	{"typescript", "Add an endpoint /users/:id that returns one user", []string{"ADD Add an endpoint /users/:id that returns one user"}, edits{"src/server.ts": "⇒app.get(\"/users/:id\", (req, res) => res.json({}));\n"}, true},
	{"typescript", "Remove the endpoint /old", []string{"REMOVE Remove the endpoint /old"}, edits{"src/server.ts": "app.get(\"/old\", (req, res) => res.json([]));\n⇒"}, true},
	{"typescript", "Add a method peek to the class Stack in src/stack.ts", []string{"ADD Add a method peek to the class"}, edits{"src/stack.ts": "  push(x⇒  peek(): number {\n    return this.items[0];\n  }\n\n  push(x"}, true},
	{"typescript", "Add a function `parseDate` beside formatDate", []string{"ADD Add a function `parseDate` beside formatDate"}, edits{"src/stack.ts": "⇒\nexport const parseDate = (s: string): Date => new Date(s);\n"}, true},
	{"typescript", "Rename formatDate to toIso", []string{"MODIFY Rename formatDate to toIso"}, edits{"src/stack.ts": "formatDate⇒toIso"}, true},
	{"typescript", "Rename src/stack.ts to src/lifo.ts", []string{"MODIFY Rename src/stack.ts to src/lifo.ts"}, edits{"src/stack.ts": "", "src/lifo.ts": projects["typescript"]["src/stack.ts"], "src/stack.test.ts": "./stack⇒./lifo"}, true},
	{"typescript", "Leave package.json and README.md untouched. Add a class Queue.", []string{"ADD Add a class Queue", "KEEP package.json and README.md"}, edits{"src/queue.ts": "export class Queue {}\n"}, true},
	{"typescript", "make the page nicer", []string{"MODIFY make the page nicer"}, edits{"src/server.ts": "res.json([])⇒res.json([1])"}, false},
}

// judgeOrder checks a change against an order.
func judgeOrder(t *testing.T, order string, marks []string, s said) belay.Report {
	t.Helper()
	changes := s.differing().changes()
	in := Input{Changes: changes, Attempt: changes, Texts: onlyDiffering{s}, Request: request(order, marks), Words: order, Only: []string{nameScope, nameAsked}}
	return Run(t.Context(), in, nil)
}

// onlyDiffering has the complete tree, and reports only the changed files as changed.
type onlyDiffering struct{ said }

// TestUselessWorkIsNotShown gives more than forty orders to an agent that does nothing useful: none
// may be shown as done, and if the tree proves that, the work is rejected.
func TestUselessWorkIsNotShown(t *testing.T) {
	t.Parallel()
	if len(orders) < 40 {
		t.Fatalf("%d orders", len(orders))
	}
	for _, o := range orders {
		for _, useless := range []edits{{"README.md": "⇒\n"}, {"docs/other.txt": "done\n"}} {
			report := judgeOrder(t, o.order, o.marks, useless.on(projects[o.project]))
			for _, c := range report.Checks {
				for _, m := range c.Met {
					if m.Verdict == belay.MetYes && m.Marker != belay.MarkPreserved {
						t.Errorf("%s: %q is said to be shown: %v", o.order, m.Text, m.Evidence)
					}
				}
			}
			if o.proved != (report.Verdict == belay.VerdictFail) {
				t.Errorf("%s: %s, want rejected %v:\n%s", o.order, report.Verdict, o.proved, titles(report))
			}
		}
	}
}

// TestRightWorkIsNotRejected fulfils each order exactly.
func TestRightWorkIsNotRejected(t *testing.T) {
	t.Parallel()
	for _, o := range orders {
		s := o.right.on(projects[o.project])
		if len(s.differing()) != len(o.right) {
			t.Fatalf("%s: an edit changes nothing", o.order)
		}
		report := judgeOrder(t, o.order, o.marks, s)
		if report.Verdict != belay.VerdictPass {
			t.Errorf("%s: %s\n%s", o.order, report.Verdict, titles(report))
		}
		for _, c := range report.Checks {
			for _, m := range c.Met {
				if o.proved && m.Marker != belay.MarkFix && m.Marker != belay.MarkModify && m.Verdict != belay.MetYes {
					t.Errorf("%s: %q is %s\n%s", o.order, m.Text, m.Verdict, titles(report))
				}
			}
		}
	}
}

func titles(r belay.Report) string {
	var out []string
	for _, c := range r.Checks {
		if c.Check == nameScope || c.Check == nameAsked {
			out = append(out, c.Check+": "+string(c.Verdict)+" "+c.Summary+c.Why)
		}
		for _, f := range c.Findings {
			out = append(out, "  "+string(f.Severity)+" "+f.File+" "+f.Title)
		}
	}
	return strings.Join(out, "\n")
}
