package check_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/intent"
	"github.com/belay-dev/belay/internal/syntax"
)

// treeChange is a change as two tables of files. Files that are equal in both did not change.
type treeChange struct{ before, after map[string]string }

// input converts a change to the input of the contract.
func (c treeChange) input(req belay.Request) check.ContractInput {
	in := check.ContractInput{Request: req, Paths: slices.Sorted(maps.Keys(c.after))}
	all := map[string]bool{}
	for p := range c.before {
		all[p] = true
	}
	for p := range c.after {
		all[p] = true
	}
	for _, p := range slices.Sorted(maps.Keys(all)) {
		was, had := c.before[p]
		is, has := c.after[p]
		f, one := &syntax.File{Path: p}, belay.Change{Path: p, Status: "M"}
		switch {
		case had && has && was == is:
			continue
		case !had:
			one.Status = "A"
		case !has:
			one.Status = "D"
		}
		if had {
			f.Before = []byte(was)
		}
		if has {
			f.After = []byte(is)
		}
		in.Changes, in.Files = append(in.Changes, one), append(in.Files, f)
	}
	in.Read = func(path string) ([]byte, bool) { text, ok := c.after[path]; return []byte(text), ok }
	return in
}

// judged parses words like a task's text and checks a change against them.
func (c treeChange) judged(words string) check.ContractResult {
	req, _ := intent.Parse(intent.Input{Text: words, PlanExists: true, Files: slices.Sorted(maps.Keys(c.before))})
	in := c.input(req)
	in.Words = words
	return check.Contract(in)
}

// findingLines returns the findings on lines, without notes.
func findingLines(res check.ContractResult) []string {
	var out []string
	for _, f := range res.Findings {
		if f.Severity != belay.SeverityNote {
			out = append(out, string(f.Severity)+": "+f.Title)
		}
	}
	return out
}

const grid = `import { Card } from "./Card";

export interface Drink {
  name: string;
  copy: string;
}

export const FLAVORS: Drink[] = [
%s];
`

func drinks(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "  { name: %q, copy: \"Tastes of %s.\" },\n", n, strings.ToLower(n))
	}
	return fmt.Sprintf(grid, b.String())
}

var eight = []string{"Volt", "Chrome", "Citrus", "Red Line", "Ice Pick", "Mango", "Cherry", "Zero"}

func with(more ...string) string { return drinks(append(slices.Clone(eight), more...)...) }

func converted() string {
	return drinks(append([]string{"Lull", "Moon", "Dusk", "Hush"}, eight[4:]...)...)
}

// project returns a few files that most changes leave unchanged, with differ applied.
func project(differ map[string]string) map[string]string {
	all := map[string]string{
		"src/FlavorGrid.tsx":  with(),
		"src/pages/Store.tsx": "export function Store() {\n  return <main>Buy it all here</main>;\n}\n",
		"src/theme.ts":        "export const moods = [\"voltage\", \"chrome\"];\n\nexport function nextMood(m: string) {\n  return moods[0];\n}\n",
		"src/legacy.ts":       "export const banner = \"Old is gold\";\n",
		"src/theme.test.ts":   "test(\"nextMood\", () => {});\n",
	}
	for p, text := range differ {
		if all[p] = text; text == "" {
			delete(all, p)
		}
	}
	return all
}

// TestMarkers checks every marker, and statements of what stays, in a person's text.
func TestMarkers(t *testing.T) {
	t.Parallel()
	files := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	for name, tt := range map[string]struct {
		words string
		after map[string]string
		want  []string
	}{
		"converted": {"add 2 more drinks for night", files("src/FlavorGrid.tsx", converted()),
			[]string{"error: expected 10 flavors (8 + 2), found 8: src/FlavorGrid.tsx:8"}},
		"added": {"add 2 more drinks for night", files("src/FlavorGrid.tsx", with("Lull", "Moon")), nil},
		"one short": {"add 2 more drinks for night", files("src/FlavorGrid.tsx", with("Lull")),
			[]string{"error: expected 10 flavors (8 + 2), found 9: src/FlavorGrid.tsx:8"}},
		"one more": {"add 2 more drinks for night", files("src/FlavorGrid.tsx", with("Lull", "Moon", "Dusk")),
			[]string{"warning: expected 10 flavors (8 + 2), found 11: src/FlavorGrid.tsx:8"}},
		"one by its digit": {"add 1 drink for night", files("src/FlavorGrid.tsx", drinks(append([]string{"Lull"}, eight[1:]...)...)),
			[]string{"error: expected 9 flavors (8 + 1), found 8: src/FlavorGrid.tsx:8"}},
		"a drink, converted": {"add another drink for night", files("src/FlavorGrid.tsx", drinks(append([]string{"Lull"}, eight[1:]...)...)),
			[]string{"warning: flavors should be added, but the number is unchanged: 8: src/FlavorGrid.tsx:8"}},
		"a drink, added": {"add another drink for night", files("src/FlavorGrid.tsx", with("Lull")), nil},
		"somewhere else": {"add 2 more drinks for night", files("src/night.ts", "export const nightDrinks = [{ name: \"Lull\" }, { name: \"Moon\" }];\n"),
			[]string{"warning: not certain which list this refers to: "}},
		"nowhere": {"add 2 more flavors", files("src/theme.ts", "export const moods = [\"voltage\", \"chrome\"];\n"),
			[]string{"error: expected 10 flavors (8 + 2), found 8: src/FlavorGrid.tsx:8"}},
		"fewer than kept": {"add a drink for the night. keep the 8 flavors", files("src/FlavorGrid.tsx", drinks(append([]string{"Lull"}, eight[3:]...)...)),
			[]string{"warning: flavors should be added, but there are fewer: 8 before, 6 after: src/FlavorGrid.tsx:8",
				"error: flavors should be preserved: 8 before, 6 after: src/FlavorGrid.tsx:8"}},
		"a page that was to stay": {"add 1 drink. keep the store page", files("src/FlavorGrid.tsx", with("Lull"), "src/pages/Store.tsx", "export {};\n"),
			[]string{"warning: changed although it should stay unchanged: src/pages/Store.tsx:1"}},
		"a file that was to stay": {"fix nextMood in src/theme.ts, don't touch src/legacy.ts", files("src/theme.ts", "export const moods = [\"a\", \"b\"];\n", "src/legacy.ts", "x\n"),
			[]string{"warning: not shown: fix nextMood in src/theme.ts", "warning: changed although it should stay unchanged: src/legacy.ts:1"}},
		"copy untouched": {"refine the copy", files("src/FlavorGrid.tsx", with("Lull")),
			[]string{"warning: copy untouched: no existing sentence changed"}},
		"copy refined": {"refine the copy", files("src/FlavorGrid.tsx", strings.ReplaceAll(with(), "Tastes of", "A hint of")),
			[]string{"warning: not shown: refine the copy"}},
		"a file untouched": {"update src/pages/Store.tsx to show prices", files("src/FlavorGrid.tsx", with("Lull")),
			[]string{"warning: not shown: src/pages/Store.tsx untouched"}},
		"changed and one lost": {"rename the flavors", files("src/FlavorGrid.tsx", drinks(append([]string{"Bolt"}, eight[2:]...)...)),
			[]string{"warning: flavors should be changed without adding or removing any: 8 before, 7 after: src/FlavorGrid.tsx:8"}},
		"changed and one more": {"rename the flavors", files("src/FlavorGrid.tsx", drinks(append([]string{"Bolt", "Lull"}, eight[1:]...)...)),
			[]string{"warning: not shown: rename the flavors"}},
		"all of a number, and one more": {"rename the 8 flavors", files("src/FlavorGrid.tsx", drinks(append([]string{"Bolt", "Lull"}, eight[1:]...)...)),
			[]string{"warning: flavors should be changed without adding or removing any: 8 before, 9 after: src/FlavorGrid.tsx:8"}},
		"still there": {"remove src/legacy.ts", files("src/theme.ts", "export {};\n"),
			[]string{"error: should be deleted but is still there: src/legacy.ts"}},
		"gone":                {"remove src/legacy.ts", files("src/legacy.ts", ""), nil},
		"the banner":          {"remove the banner", files("src/legacy.ts", "export {};\n"), nil},
		"two of them":         {"remove 2 flavors", files("src/FlavorGrid.tsx", drinks(eight[2:]...)), nil},
		"five of them":        {"remove 2 flavors", files("src/FlavorGrid.tsx", drinks(eight[5:]...)), []string{"error: expected 6 flavors (8 - 2), found 3: src/FlavorGrid.tsx:8"}},
		"new files":           {"add 2 pages for the night", files("src/pages/Night.tsx", "export {};\n", "src/pages/Late.tsx", "export {};\n"), []string{"warning: could not be counted: "}},
		"a fix by name":       {"fix nextMood in src/theme.ts", files("src/legacy.ts", "x\n"), []string{"warning: src/theme.ts untouched"}},
		"tests in a new file": {"test it in store.test.tsx", files("src/pages/store.test.tsx", "test(\"Store\", () => {});\n"), nil},
		"tests of two things": {"add tests for Store and nextMood in store.test.tsx", files("src/pages/store.test.tsx", "test(\"Store\", () => {});\n"),
			[]string{"warning: not shown: "}},
		"tests that are not there": {"test it in store.test.tsx", files("src/theme.ts", "export {};\n"), []string{"warning: not shown: "}},
		"nothing to say":           {"make it faster", files("src/theme.ts", "export const moods = [];\n"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := findingLines(treeChange{project(nil), project(tt.after)}.judged(tt.words))
			ok := len(got) == len(tt.want)
			for i := range min(len(got), len(tt.want)) {
				ok = ok && strings.HasPrefix(got[i], tt.want[i])
			}
			if !ok {
				t.Errorf("%s\n%s", tt.words, cmp.Diff(tt.want, got))
			}
		})
	}
}

// TestConvertedWhateverItIsCalled: if items were exchanged and nothing else grew, an addition is
// missing, even if no word of the request is in the code.
func TestConvertedWhateverItIsCalled(t *testing.T) {
	t.Parallel()
	const list = "export const STOCK = [\n  { sku: \"Ember\" },\n  { sku: \"Arctic\" },\n  { sku: \"Citrus\" },\n];\n"
	swap := strings.NewReplacer("Arctic", "Moon", "Citrus", "Lull")
	for name, tt := range map[string]struct {
		words, before, after, path string
		refused                    bool
	}{
		"drinks in STOCK":          {"add 2 drinks for the night", list, swap.Replace(list), "src/shop.ts", true},
		"one of them grew besides": {"add 2 drinks for the night", list, strings.Replace(swap.Replace(list), "];", "  { sku: \"Dusk\" },\n  { sku: \"Hush\" },\n];", 1), "src/shop.ts", false},
		"text was added besides":   {"add 2 notes on shipping", list, swap.Replace(list) + "// Ships in a day.\n// Ships abroad.\n", "src/shop.ts", false},
		"numbers, not things":      {"add 2 to every size", "export const SIZES = [4, 8];\n", "export const SIZES = [6, 10];\n", "src/sizes.ts", false},
		"a measure":                {"add 2 seconds to the delays", "export const DELAYS = ['1s', '3s'];\n", "export const DELAYS = ['3s', '5s'];\n", "src/delays.ts", false},
		"attributes of items":      {"add 2 alt texts", "export const A = () => <p><img src=\"a\" /><img src=\"b\" /></p>;\n", "export const A = () => <p><img src=\"x\" alt=\"1\" /><img src=\"y\" alt=\"2\" /></p>;\n", "src/A.tsx", false},
		"to each of them":          {"add 1 emoji to each sku", list, strings.NewReplacer("Ember", "Ember!", "Arctic", "Arctic!", "Citrus", "Citrus!").Replace(list), "src/shop.ts", false},
		"commas in its words":      {"add 2 drinks for the night", list, strings.NewReplacer("Arctic", "Moon, and more", "Citrus", "Lull: calm").Replace(list), "src/shop.ts", true},
		"in one string":            {"add 2 classes to the button", "export const A = () => <button className=\"a\">x</button>;\n", "export const A = () => <button className=\"a b c\">x</button>;\n", "src/A.tsx", false},
	} {
		got := findingLines(treeChange{project(map[string]string{tt.path: tt.before}), project(map[string]string{tt.path: tt.after})}.judged(tt.words))
		if refused := slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "error: expected") }); refused != tt.refused {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestNoFalseRefusals: correct work that counting could misread is never rejected.
func TestNoFalseRefusals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		words         string
		before, after map[string]string
	}{
		"spread from another file": {"add 2 drinks", project(nil), project(map[string]string{
			"src/FlavorGrid.tsx": strings.Replace("import { night } from \"./night\";\n"+with(), "];", "  ...night,\n];", 1),
			"src/night.ts":       "export const night = [{ name: \"Lull\" }, { name: \"Moon\" }];\n"})},
		"loaded from a file": {"add 2 drinks", project(nil), project(map[string]string{
			"src/FlavorGrid.tsx": "import data from \"./flavors.json\";\nexport const FLAVORS: Drink[] = data.map(load);\n",
			"src/flavors.json":   "[{\"name\": \"Lull\"}]\n"})},
		"moved to a new file": {"add 2 drinks", project(nil), project(map[string]string{
			"src/FlavorGrid.tsx": "export { FLAVORS } from \"./flavors\";\n", "src/flavors.ts": with("Lull", "Moon")})},
		"tests in a new file": {"add 2 tests for nextMood", project(nil), project(map[string]string{
			"src/next.test.ts": "test(\"a\", () => {});\ntest(\"b\", () => {});\n"})},
		"a number that counts nothing": {"make the 3 column layout responsive and add 2 px of padding", project(nil), project(map[string]string{
			"src/grid.css": ".grid { padding: 2px; }\n"})},
		"options of a flag": {"add two retries to the upload", map[string]string{"up.go": "package up\n\nvar retries = []int{1}\n\nfunc Upload() {}\n"},
			map[string]string{"up.go": "package up\n\nvar retries = []int{1}\n\nfunc Upload() { for range 2 {} }\n"}},
		"a table that grew elsewhere": {"add 2 cases to the parser's tests", map[string]string{"parse_test.go": "package p\n\nvar cases = []string{\"a\", \"b\"}\n"},
			map[string]string{"parse_test.go": "package p\n\nvar cases = []string{\"a\", \"b\"}\n", "more_test.go": "package p\n\nvar moreCases = []string{\"c\", \"d\"}\n"}},
		"numbers that are others now": {"add 2 to every size in SIZES", map[string]string{"a.ts": "export const SIZES = [4, 8, 16];\n"}, map[string]string{"a.ts": "export const SIZES = [6, 10, 18];\n"}},
		"in one text":                 {"add 2 flavors", map[string]string{"a.js": "const flavors = JSON.parse('[\"a\",\"b\"]');\n"}, map[string]string{"a.js": "const flavors = JSON.parse('[\"a\",\"b\",\"c\",\"d\"]');\n"}},
		"in an object of the object":  {"add 1 resolver to resolvers", map[string]string{"a.ts": "export const resolvers = { Query: { a() {}, b() {} } };\n"}, map[string]string{"a.ts": "export const resolvers = { Query: { a() {}, b() {}, c() {} } };\n"}},
		"selectors of a rule":         {"add 1 selector", map[string]string{"a.css": "h1, h2 { color: red }\n"}, map[string]string{"a.css": "h1, h2, h3 { color: red }\n"}},
		"filled elsewhere":            {"add 2 plugins to plugins", map[string]string{"a.py": "plugins = ['a']\n"}, map[string]string{"a.py": "plugins = ['a']\nfor p in found():\n    plugins.append(p)\n"}},
		"grouped otherwise": {"add 2 drinks", project(nil), project(map[string]string{
			"src/FlavorGrid.tsx": strings.Replace(with("Lull", "Moon"), "FLAVORS: Drink[] = [", "FLAVORS: Record<string, Drink[]> = { all: [", 1)})},
	} {
		for _, f := range (treeChange{tt.before, tt.after}).judged(tt.words).Findings {
			if f.Severity == belay.SeverityError {
				t.Errorf("%s: %s", name, f.Title)
			}
		}
	}
}

// TestUnclearWordsRefuseNothing: for an ambiguous request, counting only warns.
func TestUnclearWordsRefuseNothing(t *testing.T) {
	t.Parallel()
	two := 2
	req := belay.Request{Type: belay.Unclear, Requirements: []belay.Requirement{{Marker: belay.MarkAdd, Text: "add 2 drinks", Count: &two}}}
	res := check.Contract(treeChange{project(nil), project(map[string]string{"src/FlavorGrid.tsx": converted()})}.input(req))
	if len(res.Findings) == 0 || res.Findings[0].Severity != belay.SeverityWarning || res.Met[0].Verdict != belay.MetUnknown {
		t.Errorf("%+v", res)
	}
}

// TestLargeIsNamed: a file too large to count is reported, and rejects nothing.
func TestLargeIsNamed(t *testing.T) {
	t.Parallel()
	two := 2
	req := belay.Request{Type: belay.Mutation, Requirements: []belay.Requirement{{Marker: belay.MarkAdd, Text: "add 2 drinks", Count: &two}}}
	c := treeChange{project(nil), project(map[string]string{"src/theme.ts": "export const moods = [];\n"})}
	in := c.input(req)
	in.Unread = []string{"video.mp4", "src/all.json"}
	in.Changes = append(in.Changes, belay.Change{Path: "src/all.json", Status: "M"})
	got := findingLines(check.Contract(in))
	if !slices.Contains(got, "warning: too large to count") {
		t.Error(got)
	}
	for _, g := range got {
		if strings.HasPrefix(g, "error") || strings.Contains(g, "mp4") {
			t.Error(g)
		}
	}
}

// TestBrokenReadingWarns: a failure while reading gives a warning.
func TestBrokenReadingWarns(t *testing.T) {
	t.Parallel()
	in := treeChange{project(nil), project(map[string]string{"src/theme.ts": "x\n"})}.input(belay.Request{
		Type: belay.Mutation, Requirements: []belay.Requirement{{Marker: belay.MarkAdd, Text: "add 2 flavors", Count: new(2)}}})
	in.Read = func(string) ([]byte, bool) { panic("a scanner broke") }
	res := check.Contract(in)
	if got := findingLines(res); len(got) != 1 || !strings.Contains(got[0], "warning: could not be checked: internal error") || res.Met[0].Verdict != belay.MetUnknown {
		t.Errorf("%v %+v", got, res.Met)
	}
}

// TestFixes checks each FIX against the check that it names.
func TestFixes(t *testing.T) {
	t.Parallel()
	run := func(verdict belay.Verdict, now, before []string) check.TestRun {
		return check.TestRun{Result: belay.CheckResult{Check: "tests", Verdict: verdict}, Names: check.TestNames{Failing: now, FailedBefore: before}}
	}
	lint := func(v belay.Verdict) belay.CheckResult { return belay.CheckResult{Check: "lint", Verdict: v} }
	for name, tt := range map[string]struct {
		text    string
		tests   check.TestRun
		lint    belay.CheckResult
		want    string
		verdict string
	}{
		"known failure that stays": {"fix TestMood", run(belay.VerdictPass, []string{"pkg/TestMood"}, []string{"pkg/TestMood"}), lint(""),
			"error: should be fixed but still fails: pkg/TestMood", belay.MetNot},
		"passes now":              {"fix TestMood", run(belay.VerdictPass, nil, []string{"pkg/TestMood"}), lint(""), "", belay.MetYes},
		"another fails":           {"fix TestMood", run(belay.VerdictPass, []string{"pkg/TestOther"}, []string{"pkg/TestMood", "pkg/TestOther"}), lint(""), "", belay.MetYes},
		"a plain word in another": {"fix the parser crash in x", run(belay.VerdictPass, []string{"parse"}, []string{"parse"}), lint(""), "", ""},
		"a plain word":            {"fix add in the parser", run(belay.VerdictPass, []string{"add"}, []string{"add"}), lint(""), "", ""},
		"a plain word as a test": {"fix the test parse", run(belay.VerdictPass, []string{"parse"}, []string{"parse"}), lint(""),
			"error: should be fixed but still fails: parse", belay.MetNot},
		"a quoted word": {"fix `parse`", run(belay.VerdictPass, []string{"parse"}, []string{"parse"}), lint(""),
			"error: should be fixed but still fails: parse", belay.MetNot},
		"a passing test in a word": {"fix the latest address in x", check.TestRun{Result: belay.CheckResult{Check: "tests", Verdict: belay.VerdictPass},
			Names: check.TestNames{Passed: []string{"add"}}}, lint(""), "", ""},
		"a passing test": {"fix the test add", check.TestRun{Result: belay.CheckResult{Check: "tests", Verdict: belay.VerdictPass},
			Names: check.TestNames{Passed: []string{"add"}}}, lint(""), "", belay.MetYes},
		"a prefix of it": {"fix TestMood", run(belay.VerdictPass, []string{"pkg/TestMoodier"}, nil), lint(""), "", ""},
		"a package and its test between letters": {"修复pkg/TestMood的问题", run(belay.VerdictPass, []string{"pkg/TestMood"}, nil), lint(""),
			"error: should be fixed but still fails: pkg/TestMood", belay.MetNot},
		"a file and its test between letters": {"修复test_a.py::adds的问题", run(belay.VerdictPass, []string{"test_a.py::adds"}, nil), lint(""),
			"error: should be fixed but still fails: test_a.py::adds", belay.MetNot},
		"could not tell": {"fix TestMood", run(belay.VerdictUnknown, nil, []string{"pkg/TestMood"}), lint(""),
			"warning: should be fixed, but the tests gave no result: pkg/TestMood", belay.MetUnknown},
		"all tests": {"fix the failing tests", run(belay.VerdictPass, []string{"a::test_b"}, []string{"a::test_b"}), lint(""),
			"error: the tests should be fixed, but this one still fails: a::test_b", belay.MetNot},
		"all tests pass": {"fix the failing tests", run(belay.VerdictPass, nil, []string{"a"}), lint(""), "", belay.MetYes},
		"its tests": {"fix the price so that its tests pass", run(belay.VerdictPass, []string{"a price has its tax"}, []string{"a price has its tax"}), lint(""),
			"error: the tests should be fixed, but this one still fails: a price has its tax", belay.MetNot},
		"its tests too":    {"fix the price and move its tests", run(belay.VerdictPass, []string{"a price has its tax"}, []string{"a price has its tax"}), lint(""), "", ""},
		"words of a title": {"fix \"cart adds an item\"", run(belay.VerdictPass, []string{"cart > adds an item"}, nil), lint(""), "error: should be fixed but still fails: cart > adds an item", belay.MetNot},
		"lint":             {"fix the lint errors", run(belay.VerdictPass, nil, nil), lint(belay.VerdictFail), "error: the linter errors should be fixed, but some are left", belay.MetNot},
		"lint passes":      {"fix the lint errors", run(belay.VerdictPass, nil, nil), lint(belay.VerdictPass), "", belay.MetYes},
		"names nothing":    {"fix the crash on login", run(belay.VerdictPass, []string{"TestLogin"}, []string{"TestLogin"}), lint(""), "", ""},
	} {
		met := []belay.Met{{Marker: belay.MarkFix, Text: tt.text}}
		found, _ := check.JudgeFixes(belay.Request{Requirements: []belay.Requirement{{Marker: belay.MarkFix, Text: tt.text}}}, tt.text, tt.tests, tt.lint, met)
		got := strings.Join(findingLines(check.ContractResult{Findings: found}), "\n")
		if got != tt.want || met[0].Verdict != tt.verdict {
			t.Errorf("%s: %q %q", name, got, met[0].Verdict)
		}
	}
}

// FuzzJudge: any text with any files gives a result, and the same one again.
func FuzzJudge(f *testing.F) {
	f.Add("add 2 drinks, keep the 8 flavors", with(), converted())
	f.Add("remove 2 flavors and fix src/a.tsx", "[1,2,3]", "[")
	f.Add("refine the copy", "<p>some words</p>", "<p>other words</p>")
	f.Fuzz(func(t *testing.T, words, before, after string) {
		c := treeChange{map[string]string{"src/a.tsx": before, "b.md": after}, map[string]string{"src/a.tsx": after, "b.md": before}}
		if d := cmp.Diff(c.judged(words), c.judged(words)); d != "" {
			t.Error(d)
		}
	})
}

// BenchmarkJudge judges the first example in a repository of many files.
func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			before := project(nil)
			for i := range n {
				before[fmt.Sprintf("lib/part%d/module%d.ts", i%300, i)] = "export {};\n"
			}
			after := maps.Clone(before)
			after["src/FlavorGrid.tsx"] = converted()
			two := 2
			in := treeChange{before, after}.input(belay.Request{Type: belay.Mutation, Requirements: []belay.Requirement{
				{Marker: belay.MarkAdd, Text: "add 2 more drinks for night", Count: &two}, {Marker: belay.MarkModify, Text: "refine the copy"}}})
			for b.Loop() {
				if res := check.Contract(in); len(res.Findings) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
	}
}

// TestArrived: a new item named as in the request is evidence, and if its list did not grow there
// is a warning.
func TestArrived(t *testing.T) {
	t.Parallel()
	const languages = `{"languages": {"Ada": {"name": "Ada"}, "Slang": {"name": "Slang"}%s}}`
	const lexer = "<lexer>\n<filename>*.sh</filename>\n<filename>*.ksh</filename>\n%s</lexer>\n"
	const settings = "package config\n\ntype OrderSettings struct {\n\tConstructor bool\n\tAlphabetical bool\n%s}\n"
	for _, c := range []struct {
		words, path   string
		before, after string
		shown         int
		want          []string
	}{
		{"Add support for SIL (#1153)", "languages.json", fmt.Sprintf(languages, ""), fmt.Sprintf(languages, `, "SIL": {"name": "SIL"}`), 1, nil},
		{"Add Hare support", "languages.json", fmt.Sprintf(languages, ""), fmt.Sprintf(languages, `, "Hare": {"name": "Hare"}`), 1, nil},
		{"Add Hare support", "languages.json", fmt.Sprintf(languages, ""), fmt.Sprintf(languages, `, "Harness": {"name": "Other"}`), 0,
			[]string{"warning: not shown: Add Hare support"}},
		{"Add APKBUILD as filename", "bash.xml", fmt.Sprintf(lexer, ""), fmt.Sprintf(lexer, "<filename>APKBUILD</filename>\n"), 1, nil},
		{"Add APKBUILD as filename", "bash.xml", fmt.Sprintf(lexer, ""),
			"<lexer>\n<filename>*.sh</filename>\n<filename>APKBUILD</filename>\n</lexer>\n", 1,
			[]string{"warning: APKBUILD was added but lexer.filename has no more items than before: *.ksh is gone: bash.xml:3"}},
		{"Add APKBUILD, replace the pattern for ksh", "bash.xml", fmt.Sprintf(lexer, ""),
			"<lexer>\n<filename>*.sh</filename>\n<filename>APKBUILD</filename>\n</lexer>\n", 1, []string{"warning: not shown: replace the pattern for ksh"}},
		{"Add `NavigatorUAData` to `browser`", "globals.json", `{"browser": {"Navigator": false, "name": false}}`,
			`{"browser": {"NavigatorUAData": false, "name": false}}`, 1,
			[]string{"warning: NavigatorUAData was added but browser has no more items than before: Navigator is gone: globals.json:1"}},
		{"Add `NavigatorUAData` in the place of `Navigator`", "globals.json", `{"browser": {"Navigator": false, "name": false}}`,
			`{"browser": {"NavigatorUAData": false, "name": false}}`, 1, nil},
		{"Add missing Function field", "config.go", fmt.Sprintf(settings, ""), fmt.Sprintf(settings, "\tFunction bool\n"), 1, nil},
		{"Add the Function field", "config.go", fmt.Sprintf(settings, ""),
			"package config\n\ntype OrderSettings struct {\n\tConstructor bool\n\tFunction bool\n}\n", 1,
			[]string{"warning: Function was added but OrderSettings has no more items than before: Alphabetical is gone: config.go:5"}},
	} {
		res := treeChange{map[string]string{c.path: c.before}, map[string]string{c.path: c.after}}.judged(c.words)
		shown := 0
		for _, m := range res.Met {
			if m.Verdict == belay.MetYes {
				shown++
			}
		}
		if diff := cmp.Diff(c.want, findingLines(res)); diff != "" || shown != c.shown {
			t.Errorf("%s: %d shown, want %d\n%s", c.words, shown, c.shown, diff)
		}
	}
}

// TestNotRejected: numbers and words before a noun in real requests, for work that was done.
func TestNotRejected(t *testing.T) {
	t.Parallel()
	const log = "# Changes\n\n## 0.6.3\n\n### New features\n\n* New `$custom-colors` variable for own colors\n\n### Improvements\n\n%s* #1669 Add `.is-expanded` modifier to `.buttons.has-addons`\n* #1628 Add `.has-background` helpers for block background colors\n* #1767 Added minified bundle\n"
	const card = "$card-color: $text\n%s\n.card\n  color: $card-color\n"
	const guide = "# Tool\n\n## Steps\n\n- clone it\n- run it\n%s"
	const csvTest = "package report\n\nimport \"testing\"\n\nfunc TestWriteFindings(t *testing.T) {}\n\nfunc TestFindings(t *testing.T) {}\n"
	const entry = "* #1619 Add $card-header-color, $card-content-color and $card-footer-color to allow different background customization for card elements\n"
	for _, c := range []struct {
		words         string
		before, after map[string]string
	}{
		{"add 3 variables to allow customization of card-header, card-content and card-footer background (#1619)", map[string]string{"CHANGES.md": fmt.Sprintf(log, ""), "card.sass": fmt.Sprintf(card, "")},
			map[string]string{"CHANGES.md": fmt.Sprintf(log, entry),
				"card.sass": fmt.Sprintf(card, "$card-header-color: none\n$card-content-color: none\n$card-footer-color: none\n")}},
		{"add npm-shrinkwrap.json to .gitignore", map[string]string{".gitignore": "build\n"},
			map[string]string{".gitignore": "build\nnpm-shrinkwrap.json\n"}},
		{"add two test findings to gitleaksignore", map[string]string{".gitleaksignore": "a1\n", "csv_test.go": csvTest},
			map[string]string{".gitleaksignore": "a1\nb2\nc3\n", "csv_test.go": csvTest}},
		{"Add two new config steps for Compose", map[string]string{"README.md": fmt.Sprintf(guide, ""), "config.md": "# Config\n\n## One\n"},
			map[string]string{"README.md": fmt.Sprintf(guide, "- configure Compose\n"),
				"config.md": "# Config\n\n## One\n\n## FunctionNaming\n\nNames.\n\n## TopLevelNaming\n\nNames.\n"}},
		{"Add 24 Pull requests API", map[string]string{"README.md": "# API\n\n- Foo API\n- Bar API\n"},
			map[string]string{"README.md": "# API\n\n- Foo API\n- Bar API\n- 24 Pull requests API\n"}},
		{"add e2e tests for the setup tab", map[string]string{"a.spec.ts": "test(\"one\", () => { a() })\n"},
			map[string]string{"a.spec.ts": "test(\"one\", () => { a() })\ntest(\"setup\", () => { a() })\n"}},
		{"add an E2E test that opens the setup tab", map[string]string{"a.spec.ts": "test(\"one\", () => { a() })\n"},
			map[string]string{"a.spec.ts": "test(\"one\", () => { a() })\ntest(\"setup\", () => { a() })\n"}},
	} {
		for _, f := range (treeChange{c.before, c.after}).judged(c.words).Findings {
			if f.Severity == belay.SeverityError {
				t.Errorf("%s: %s", c.words, f.Title)
			}
		}
	}
}
