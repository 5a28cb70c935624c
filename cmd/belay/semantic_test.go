package main

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clash is a pair of changes that each pass their tests, change no common file, and fail together:
// the first changes the library and its test, the second is a new file that depends on the old
// behaviour.
type clash struct {
	name     string
	old, new string // in the library
	was, is  string // in its test
	relies   string // a test of the new file, as one line
}

// clashing has the clashes of a language. The files are a small library with a test for each of its
// functions.
type clashing struct {
	name, test, format, program string
	lib, tests                  string // paths
	base                        map[string]string
	more                        func(c clash) (path, text string)
	clashes                     []clash
}

var clashingLanguages = []clashing{
	{name: "python", test: "python3 -m unittest -v", program: "python3", lib: "shop.py", tests: "test_shop.py",
		base: map[string]string{
			"shop.py": "LIMIT = 3\n\n\ndef name():\n    return 'shop'\n\n\ndef total(items):\n    return sum(items)\n\n\ndef cents():\n    return 100\n\n\n" +
				"def valid(s):\n    return s != ''\n\n\ndef listed():\n    return ['b', 'a']\n\n\ndef rate(n):\n    return n * 2\n",
			"test_shop.py": "import unittest\nimport shop\n\n\nclass Shop(unittest.TestCase):\n    def test_name(self):\n        self.assertEqual(shop.name(), 'shop')\n\n" +
				"    def test_total(self):\n        self.assertEqual(shop.total([1, 2]), 3)\n\n    def test_cents(self):\n        self.assertEqual(shop.cents(), 100)\n\n" +
				"    def test_limit(self):\n        self.assertEqual(shop.LIMIT, 3)\n\n    def test_valid(self):\n        self.assertTrue(shop.valid('a'))\n\n" +
				"    def test_listed(self):\n        self.assertEqual(shop.listed(), ['b', 'a'])\n\n    def test_rate(self):\n        self.assertEqual(shop.rate(2), 4)\n",
		},
		more: func(c clash) (string, string) {
			return "test_more.py", "import unittest\nimport shop\n\n\nclass More(unittest.TestCase):\n    def test_more(self):\n        self.assertEqual(" + c.relies + ")\n"
		},
		clashes: []clash{
			{"renamed", "def name()", "def title()", "shop.name()", "shop.title()", "'hi ' + shop.name(), 'hi shop'"},
			{"a parameter more", "def total(items):\n    return sum(items)", "def total(items, tax):\n    return sum(items) + tax", "shop.total([1, 2])", "shop.total([1, 2], 0)", "shop.total([2, 4]) / 2, 3"},
			{"another unit", "return 100", "return 1", "shop.cents(), 100", "shop.cents(), 1", "2 * shop.cents(), 200"},
			{"a constant gone", "LIMIT = 3\n", "def limit():\n    return 3\n", "shop.LIMIT", "shop.limit()", "4 > shop.LIMIT, True"},
			{"stricter", "return s != ''", "return len(s) > 2", "shop.valid('a')", "shop.valid('abc')", "shop.valid('ab'), True"},
			{"another order", "return ['b', 'a']", "return ['a', 'b']", "['b', 'a']", "['a', 'b']", "shop.listed()[0], 'b'"},
			{"another factor", "return n * 2", "return n * 3", "shop.rate(2), 4", "shop.rate(2), 6", "shop.rate(5), 10"},
		}},
	{name: "javascript", test: "node --test --test-reporter=tap", format: "tap", program: "node", lib: "shop.js", tests: "shop.test.js",
		base: map[string]string{
			"shop.js": "exports.LIMIT = 3;\nexports.name = () => 'shop';\nexports.total = (items) => items.reduce((a, b) => a + b, 0);\nexports.cents = () => 100;\n" +
				"exports.valid = (s) => s !== '';\nexports.listed = () => ['b', 'a'];\nexports.rate = (n) => n * 2;\n",
			"shop.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst shop = require('./shop.js');\n" +
				"test('name', () => { assert.equal(shop.name(), 'shop'); });\ntest('total', () => { assert.equal(shop.total([1, 2]), 3); });\n" +
				"test('cents', () => { assert.equal(shop.cents(), 100); });\ntest('limit', () => { assert.equal(shop.LIMIT, 3); });\n" +
				"test('valid', () => { assert.ok(shop.valid('a')); });\ntest('listed', () => { assert.deepEqual(shop.listed(), ['b', 'a']); });\n" +
				"test('rate', () => { assert.equal(shop.rate(2), 4); });\n",
		},
		more: func(c clash) (string, string) {
			return "more.test.js", "const test = require('node:test');\nconst assert = require('node:assert');\nconst shop = require('./shop.js');\n" +
				"test('more', () => { assert.equal(" + c.relies + "); });\n"
		},
		clashes: []clash{
			{"renamed", "exports.name", "exports.title", "shop.name()", "shop.title()", "'hi ' + shop.name(), 'hi shop'"},
			{"another shape", "items.reduce((a, b) => a + b, 0)", "({ sum: items.reduce((a, b) => a + b, 0) })", "shop.total([1, 2])", "shop.total([1, 2]).sum", "shop.total([2, 4]) / 2, 3"},
			{"another unit", "() => 100", "() => 1", "shop.cents(), 100", "shop.cents(), 1", "2 * shop.cents(), 200"},
			{"a constant gone", "exports.LIMIT = 3", "exports.limit = () => 3", "shop.LIMIT", "shop.limit()", "4 > shop.LIMIT, true"},
			{"stricter", "s !== ''", "s.length > 2", "shop.valid('a')", "shop.valid('abc')", "shop.valid('ab'), true"},
			{"made to wait", "(n) => n * 2", "async (n) => n * 2", "test('rate', () => { assert.equal(shop.rate(2)", "test('rate', async () => { assert.equal(await shop.rate(2)", "shop.rate(5), 10"},
		}},
	{name: "go", test: "go test ./...", program: "go", lib: "shop.go", tests: "shop_test.go",
		base: map[string]string{
			"go.mod": "module example.com/shop\n\ngo 1.21\n",
			"shop.go": "package shop\n\nconst Limit = 3\n\nfunc Name() string { return \"shop\" }\n\nfunc Total(items ...int) int {\n\tn := 0\n\tfor _, i := range items {\n\t\tn += i\n\t}\n\treturn n\n}\n\n" +
				"func Cents() int { return 100 }\n\nfunc Valid(s string) bool { return s != \"\" }\n\nfunc Listed() []string { return []string{\"b\", \"a\"} }\n\nfunc Rate(n int) int { return n * 2 }\n",
			"shop_test.go": "package shop\n\nimport \"testing\"\n\nfunc same(t *testing.T, got, want any) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Fatalf(\"got %v, want %v\", got, want)\n\t}\n}\n\n" +
				"func TestName(t *testing.T) { same(t, Name(), \"shop\") }\n\nfunc TestTotal(t *testing.T) { same(t, Total(1, 2), 3) }\n\nfunc TestCents(t *testing.T) { same(t, Cents(), 100) }\n\n" +
				"func TestLimit(t *testing.T) { same(t, Limit, 3) }\n\nfunc TestValid(t *testing.T) { same(t, Valid(\"a\"), true) }\n\nfunc TestListed(t *testing.T) { same(t, Listed()[0], \"b\") }\n\n" +
				"func TestRate(t *testing.T) { same(t, Rate(2), 4) }\n",
		},
		more: func(c clash) (string, string) {
			return "more_test.go", "package shop\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) { same(t, " + c.relies + ") }\n"
		},
		clashes: []clash{
			{"renamed", "func Name()", "func Title()", "Name(), ", "Title(), ", `"hi "+Name(), "hi shop"`},
			{"a parameter more", "func Total(items ...int) int {\n\tn := 0", "func Total(tax bool, items ...int) int {\n\tn := 0", "Total(1, 2)", "Total(false, 1, 2)", "Total(2, 4)/2, 3"},
			{"another unit", "return 100", "return 1", "Cents(), 100", "Cents(), 1", "2*Cents(), 200"},
			{"a constant gone", "const Limit = 3", "func Max() int { return 3 }", "Limit, 3", "Max(), 3", "4 > Limit, true"},
			{"stricter", `return s != ""`, "return len(s) > 2", `Valid("a")`, `Valid("abc")`, `Valid("ab"), true`},
			{"another order", `{"b", "a"}`, `{"a", "b"}`, `Listed()[0], "b"`, `Listed()[0], "a"`, `Listed()[1], "a"`},
			{"another factor", "return n * 2", "return n * 3", "Rate(2), 4", "Rate(2), 6", "Rate(5), 10"},
		}},
}

// TestSemanticConflicts: of four tasks, two clash. Nothing that fails its tests is merged, the
// second of the two is named, and the tests run at most log2 N + 2 times. BELAY_WIDE tries all
// clashes, otherwise one.
func TestSemanticConflicts(t *testing.T) {
	t.Parallel()
	cache := folder(t)
	give(t, cache)
	for _, l := range clashingLanguages {
		if _, err := exec.LookPath(l.program); err != nil {
			if wide() {
				t.Errorf("%s is needed: %v", l.program, err)
			}
			continue
		}
		for i, c := range l.clashes {
			if !wide() && (l.name != "javascript" || i > 0) {
				continue
			}
			t.Run(l.name+" "+c.name, func(t *testing.T) { clashes(t, l, c, cache) })
		}
	}
}

func clashes(t *testing.T, l clashing, c clash, cache string) {
	w := quietWorld(t, l.base)
	test := l.test
	if l.name == "go" {
		test = "env GOFLAGS=-count=1 GOCACHE=" + cache + " " + test
	}
	add := func(id string, files map[string]string) {
		from := filepath.Join(w.up, id)
		for name, text := range files {
			w.must(os.MkdirAll(from, 0o755))
			w.must(os.WriteFile(filepath.Join(from, name), []byte(text), 0o644))
		}
		give(t, from)
		args := []string{"task", "add", "change the shop", "--as-it-is", "--task", id, "--test", test, "--skip", "integrity"}
		if l.format != "" {
			args = append(args, "--test-format", l.format)
		}
		w.succeed(append(args, "--", "cp", "-R", from+"/.", ".")...)
	}
	changed := func(path, from, to string) string {
		if !strings.Contains(l.base[path], from) {
			t.Fatalf("%s has no %q", path, from)
		}
		return strings.ReplaceAll(l.base[path], from, to)
	}
	more, text := l.more(c)
	add("T1", map[string]string{"one.txt": "1\n"})
	add("T2", map[string]string{l.lib: changed(l.lib, c.old, c.new), l.tests: changed(l.tests, c.was, c.is)})
	add("T3", map[string]string{more: text})
	add("T4", map[string]string{"four.txt": "4\n"})
	w.succeed("run", "--parallel", "2")
	got := w.belay("", "merge", "--all", "--json")
	var said struct {
		Data struct {
			Runs  int
			Tasks []struct{ Task, Outcome string }
		}
	}
	if err := json.Unmarshal([]byte(got.out), &said); err != nil {
		t.Fatal(err, got)
	}
	if want := "[{T3 rejected} {T1 merged} {T2 merged} {T4 merged}]"; fmt.Sprint(said.Data.Tasks) != want {
		t.Fatalf("%v, want %s\n%s", said.Data.Tasks, want, got)
	}
	if most := bits.Len(3) + 2; said.Data.Runs > most {
		t.Errorf("%d runs, at most %d", said.Data.Runs, most)
	}
	if w.there(more) || !w.there("four.txt") {
		t.Error("what was merged is not what passed")
	}
	if sound := w.belay("", "check", "--skip", "integrity"); sound.code != 0 {
		t.Error(sound)
	}
}
