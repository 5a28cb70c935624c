package count_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
)

// named is a case with its own files. Counts below 0 are unknown.
type named struct {
	id, language, file, requirement string
	before, after                   map[string]string
	was, is                         int
	expect                          count.Verdict
	conversion                      bool
}

func files(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

var specials = []named{
	{"properties with accessors", "csharp", "A.cs", "ADD 1 property to User",
		files("A.cs", "public class User {\n  public string Name { get; set; }\n  public int Age { get; private set; } = 1;\n  public int N => 1;\n}\n"), files("A.cs", "public class User {\n  public string Name { get; set; }\n  public int Age { get; private set; } = 1;\n  public int N => 1;\n  public string Mail { get; init; }\n}\n"), 3, 4, count.Pass, false},
	{"a test below its annotation", "java", "ATest.java", "ADD 1 test",
		files("ATest.java", "class ATest {\n  @Test void a() {}\n  @Test\n  @Tag(\"x\")\n  void b() {}\n  void helper() {}\n}\n"), files("ATest.java", "class ATest {\n  @Test void a() {}\n  @Test\n  @Tag(\"x\")\n  void b() {}\n  void helper() {}\n  @Test\n  void c() {}\n}\n"), 2, 3, count.Pass, false},
	{"passed on through a call that changes the number", "typescript", "src/t.ts", "ADD 2 drinks to drinks",
		files("src/t.ts", "const names = ['a', 'b'];\nexport const drinks = names.flatMap((name) => variants(name));\n"),
		files("src/t.ts", "const names = ['a', 'b', 'c', 'd'];\nexport const drinks = names.flatMap((name) => variants(name));\n"), -1, -1, count.Warn, false},
	{"filled in a loop", "python", "a.py", "ADD 2 plugins to plugins",
		files("a.py", "plugins = ['a']\n"), files("a.py", "plugins = ['a']\nfor p in found():\n    plugins.append(p)\n"), 1, -1, count.Warn, false},
	{"filled in init", "go", "a.go", "ADD 1 flavor to Flavors",
		files("a.go", "package a\n\nvar Flavors = []string{\"a\"}\n"), files("a.go", "package a\n\nvar Flavors = []string{\"a\"}\n\nfunc init() { Flavors = append(Flavors, \"b\") }\n"), 1, -1, count.Warn, false},
	{"filled from another file", "javascript", "a.js", "ADD 1 color to colors",
		files("a.js", "export const colors = ['red', 'blue'];\n"), files("a.js", "export const colors = ['red', 'blue'];\n", "b.js", "import { colors } from './a.js';\ncolors.push('green');\n"), 2, -1, count.Warn, false},
	{"filled in a comment", "javascript", "a.js", "ADD 1 color to colors",
		files("a.js", "export const colors = ['red', 'blue'];\n"), files("a.js", "export const colors = ['red', 'blue'];\n// colors.push('green');\n"), 2, 2, count.Fail, true},
	{"no YAML any more", "yaml", "a.yml", "ADD 1 flavor",
		files("a.yml", "flavors:\n  - a\n  - b\n"), files("a.yml", "flavors:\n  - a\n  - b\n\t- x: [\n"), 2, -1, count.Warn, false},
	{"no YAML any more in a later document", "yaml", "a.yml", "ADD 1 flavor",
		files("a.yml", "x: [1]\n---\nflavors:\n  - a\n  - b\n"), files("a.yml", "x: [1]\n---\nflavors:\n  - a\n  - b\n\t- x: [\n"), 2, -1, count.Warn, false},
	{"listOf", "kotlin", "a.kt", "ADD 2 flavors",
		files("a.kt", "val flavors = listOf(\"a\", \"b\")\nval moods = mapOf(\"x\" to 1, \"y\" to f { 2 })\n"), files("a.kt", "val flavors = listOf(\"a\", \"b\", \"c\", \"d\")\nval moods = mapOf(\"x\" to 1, \"y\" to f { 2 })\n"), 2, 4, count.Pass, false},
	{"listOf, converted", "kotlin", "a.kt", "ADD 1 flavor",
		files("a.kt", "val flavors = listOf(\"a\", \"b\")\nval moods = mapOf(\"x\" to 1)\n"), files("a.kt", "val flavors = listOf(\"a\", \"c\")\nval moods = mapOf(\"x\" to 1)\n"), 2, 2, count.Fail, true},
	{"mapOf with a key twice", "kotlin", "a.kt", "ADD 1 price to prices",
		files("a.kt", "val prices = mapOf(\"a\" to 1, \"b\" to 2)\n"), files("a.kt", "val prices = mapOf(\"a\" to 1, \"b\" to 2, \"b\" to 3)\n"), 2, 2, count.Fail, true},
	{"enum class", "kotlin", "a.kt", "ADD 1 mood",
		files("a.kt", "enum class Mood(val s: String) {\n    VOLTAGE(\"v\"),\n    CHROME(\"c\");\n    fun n() = 1\n}\n"), files("a.kt", "enum class Mood(val s: String) {\n    VOLTAGE(\"v\"),\n    CHROME(\"c\"),\n    NIGHT(\"n\");\n    fun n() = 1\n}\n"), 2, 3, count.Pass, false},
	{"script of a component", "vue", "src/A.vue", "ADD 2 flavors",
		files("src/A.vue", "<template><li v-for=\"f in flavors\">{{ f }}</li></template>\n<script setup lang=\"ts\">\nconst flavors: string[] = ['a', 'b'];\n</script>\n"), files("src/A.vue", "<template><li v-for=\"f in flavors\">{{ f }}</li></template>\n<script setup lang=\"ts\">\nconst flavors: string[] = ['a', 'b', 'c', 'd'];\n</script>\n"), 2, 4, count.Pass, false},
	{"script of a component, converted", "svelte", "src/A.svelte", "ADD 2 flavors",
		files("src/A.svelte", "<script>\n  let flavors = ['a', 'b'];\n</script>\n{#each flavors as f}<li>{f}</li>{/each}\n"), files("src/A.svelte", "<script>\n  let flavors = ['c', 'd'];\n</script>\n{#each flavors as f}<li>{f}</li>{/each}\n"), 2, 2, count.Fail, true},
	{"moved and grown", "tsx", "src/Grid.tsx", "ADD 2 flavors",
		files("src/Grid.tsx", "const FLAVORS = ['a', 'b', 'c'];\nexport const G = () => <ul>{FLAVORS.map((f) => <li>{f}</li>)}</ul>;\n"),
		files("src/Grid.tsx", "import { FLAVORS } from './data';\nexport const G = () => <ul>{FLAVORS.map((f) => <li>{f}</li>)}</ul>;\n", "src/data.ts", "export const FLAVORS = ['a', 'b', 'c', 'd', 'e'];\n"), 3, 5, count.Pass, false},
	{"moved and converted", "tsx", "src/Grid.tsx", "ADD 2 flavors",
		files("src/Grid.tsx", "const FLAVORS = ['a', 'b', 'c', 'd'];\n"),
		files("src/Grid.tsx", "import { FLAVORS } from './data';\n", "src/data.ts", "export const FLAVORS = ['a', 'b', 'x', 'y'];\n"), 4, 4, count.Fail, true},
	{"renamed", "typescript", "src/data.ts", "PRESERVED: the 4 drinks stay",
		files("src/data.ts", "export const drinks = ['tea', 'milk', 'mate', 'cola'];\nconst other = ['x', 'y'];\n"),
		files("src/data.ts", "export const beverages = ['tea', 'milk', 'mate', 'cola'];\nconst other = ['x', 'y'];\n"), 4, 4, count.Pass, false},
	{"renamed and lost one", "typescript", "src/data.ts", "PRESERVED: the 4 drinks stay",
		files("src/data.ts", "export const drinks = ['tea', 'milk', 'mate', 'cola'];\n"),
		files("src/data.ts", "export const beverages = ['tea', 'milk', 'mate'];\n"), 4, 3, count.Fail, false},
	{"split and spread", "typescript", "src/data.ts", "ADD 2 drinks to DRINKS",
		files("src/data.ts", "export const DRINKS = ['tea', 'milk', 'mate'];\n"),
		files("src/data.ts", "const DAY = ['tea', 'milk', 'mate'];\nconst NIGHT = ['calm', 'rest'];\nexport const DRINKS = [...DAY, ...NIGHT];\n"), 3, 5, count.Pass, false},
	{"spread and converted", "typescript", "src/data.ts", "ADD 2 drinks to DRINKS",
		files("src/data.ts", "export const DRINKS = ['tea', 'milk', 'mate', 'cola'];\n"),
		files("src/data.ts", "const DAY = ['tea', 'milk'];\nconst NIGHT = ['calm', 'rest'];\nexport const DRINKS = [...DAY, ...NIGHT];\n"), 4, 4, count.Fail, true},
	{"spread from another file", "typescript", "src/all.ts", "ADD 2 drinks to ALL",
		files("src/all.ts", "import { DAY } from './day';\nexport const ALL = [...DAY, 'x'];\n", "src/day.ts", "export const DAY = ['a', 'b'];\n"),
		files("src/all.ts", "import { DAY } from './day';\nexport const ALL = [...DAY, 'x'];\n", "src/day.ts", "export const DAY = ['a', 'b', 'c', 'd'];\n"), 3, 5, count.Pass, false},
	{"concat", "javascript", "src/a.js", "ADD 2 tags to the tags",
		files("src/a.js", "const base = ['a', 'b'];\nconst tags = base.concat(['c']);\n"),
		files("src/a.js", "const base = ['a', 'b'];\nconst tags = base.concat(['c', 'd'], 'e');\n"), 3, 5, count.Pass, false},
	{"unknown spread grows by two", "typescript", "src/a.ts", "ADD 2 plugins to plugins",
		files("src/a.ts", "export function f(extra: string[]) {\n  const plugins = [...extra, 'a'];\n  return plugins;\n}\n"),
		files("src/a.ts", "export function f(extra: string[]) {\n  const plugins = [...extra, 'a', 'b', 'c'];\n  return plugins;\n}\n"), -1, -1, count.Pass, false},
	{"unknown is no pass", "typescript", "src/a.ts", "ADD 2 plugins to plugins",
		files("src/a.ts", "export const plugins = ['a'];\n"),
		files("src/a.ts", "export const plugins = ['a', ...load()];\n"), 1, -1, count.Warn, false},
	{"condition is no pass", "typescript", "src/a.ts", "ADD 2 links to links",
		files("src/a.ts", "export const links = ['a', 'b'];\n"),
		files("src/a.ts", "export const links = ['a', 'b', ...(night ? ['c', 'd'] : [])];\n"), 2, -1, count.Warn, false},
	{"choice of equals", "typescript", "src/a.ts", "ADD 1 link to links",
		files("src/a.ts", "export const links = ['a', 'b'];\n"),
		files("src/a.ts", "export const links = ['a', 'b', ...(night ? ['c'] : ['d'])];\n"), 2, 3, count.Pass, false},
	{"generated", "javascript", "src/a.js", "ADD 2 seats to the seats",
		files("src/a.js", "const seats = Array.from({ length: 6 }, (_, i) => ({ id: i }));\n"),
		files("src/a.js", "const seats = Array.from({ length: 8 }, (_, i) => ({ id: i }));\n"), 6, 8, count.Pass, false},
	{"object assign", "javascript", "src/a.js", "ADD 1 label to labels",
		files("src/a.js", "const base = { a: 1, b: 2 };\nconst labels = Object.assign({}, base, { c: 3 });\n"),
		files("src/a.js", "const base = { a: 1, b: 2 };\nconst labels = Object.assign({}, base, { c: 3, b: 4 });\n"), 3, 3, count.Fail, true},
	{"same key twice", "typescript", "src/a.ts", "ADD 1 color to colors",
		files("src/a.ts", "export const colors = { red: 1, blue: 2 };\n"),
		files("src/a.ts", "export const colors = { red: 1, blue: 2, red: 3 };\n"), 2, 2, count.Fail, true},
	{"set", "typescript", "src/a.ts", "ADD 1 code to codes",
		files("src/a.ts", "export const codes = new Set<string>(['a', 'b']);\n"),
		files("src/a.ts", "export const codes = new Set<string>(['a', 'b', 'a']);\n"), 2, 2, count.Fail, true},
	{"use state", "tsx", "src/A.tsx", "ADD 1 drink",
		files("src/A.tsx", "export function A() {\n  const [drinks, setDrinks] = useState<Drink[]>([{ id: 'a' }, { id: 'b' }]);\n  return <p>{drinks.length}</p>;\n}\n"),
		files("src/A.tsx", "export function A() {\n  const [drinks, setDrinks] = useState<Drink[]>([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);\n  return <p>{drinks.length}</p>;\n}\n"), 2, 3, count.Pass, false},
	{"nested grows, outer does not", "typescript", "src/menu.ts", "ADD 1 section to the sections",
		files("src/menu.ts", "export const sections = [\n  { title: 'A', dishes: ['x'] },\n  { title: 'B', dishes: ['y'] },\n];\n"),
		files("src/menu.ts", "export const sections = [\n  { title: 'A', dishes: ['x', 'z'] },\n  { title: 'B', dishes: ['y'] },\n];\n"), 2, 2, count.Fail, true},
	{"siblings in a condition", "jsx", "src/A.jsx", "ADD 1 card to the cards",
		files("src/A.jsx", "export const A = ({ x }) => (\n  <div className=\"cards\">\n    <Card t=\"a\" />\n    {x ? <Card t=\"b\" /> : <Card t=\"c\" />}\n  </div>\n);\n"),
		files("src/A.jsx", "export const A = ({ x }) => (\n  <div className=\"cards\">\n    <Card t=\"a\" />\n    {x ? <Card t=\"b\" /> : <Card t=\"c\" />}\n    <Card t=\"d\" />\n  </div>\n);\n"), 2, 3, count.Pass, false},
	{"siblings become data", "jsx", "src/A.jsx", "ADD 1 person to the team",
		files("src/A.jsx", "export const A = () => (\n  <div className=\"team\">\n    <Person name=\"Ada\" />\n    <Person name=\"Mo\" />\n  </div>\n);\n"),
		files("src/A.jsx", "const TEAM = ['Ada', 'Mo', 'Noor'];\nexport const A = () => (\n  <div className=\"team\">\n    {TEAM.map((n) => <Person name={n} />)}\n  </div>\n);\n"), 2, 3, count.Pass, false},
	{"comprehension", "python", "a.py", "ADD 2 days to DAYS",
		files("a.py", "NAMES = ['mon', 'tue']\nDAYS = [n.upper() for n in NAMES]\n"),
		files("a.py", "NAMES = ['mon', 'tue', 'wed', 'thu']\nDAYS = [n.upper() for n in NAMES]\n"), 2, 4, count.Pass, false},
	{"filtered comprehension", "python", "a.py", "ADD 2 days to DAYS",
		files("a.py", "NAMES = ['mon', 'tue']\nDAYS = ['mon', 'tue']\n"),
		files("a.py", "NAMES = ['mon', 'tue', 'wed', 'thu']\nDAYS = [n for n in NAMES if n]\n"), 2, -1, count.Warn, false},
	{"concatenation", "python", "a.py", "ADD 2 days to DAYS",
		files("a.py", "DAYS = ['mon', 'tue'] + ['wed']\n"),
		files("a.py", "DAYS = ['mon', 'tue'] + ['wed', 'thu']\nDAYS += ['fri']\n"), 3, 5, count.Pass, false},
	{"starred", "python", "a.py", "ADD 1 field to FIELDS",
		files("a.py", "BASE = ('a', 'b')\nFIELDS = (*BASE, 'c')\n"),
		files("a.py", "BASE = ('a', 'x')\nFIELDS = (*BASE, 'c')\n"), 3, 3, count.Fail, true},
	{"moved to a module", "python", "app/a.py", "PRESERVED: all 3 colors stay",
		files("app/a.py", "COLORS = ['red', 'green', 'blue']\n"),
		files("app/a.py", "from app.colors import COLORS\n", "app/colors.py", "COLORS = [\n    'red',\n    'green',\n    'blue',\n]\n"), 3, 3, count.Pass, false},
	{"append of slices", "go", "a.go", "ADD 2 names to All",
		files("a.go", "package a\n\nvar Base = []string{\"a\", \"b\"}\n\nvar All = append([]string{\"x\"}, Base...)\n"),
		files("a.go", "package a\n\nvar Base = []string{\"a\", \"b\", \"c\", \"d\"}\n\nvar All = append([]string{\"x\"}, Base...)\n"), 3, 5, count.Pass, false},
	{"concat of packages' files", "go", "a.go", "PRESERVED: the 3 names in All stay",
		files("a.go", "package a\n\nvar All = slices.Concat(Base, []string{\"x\"})\n", "b.go", "package a\n\nvar Base = []string{\"a\", \"b\"}\n"),
		files("a.go", "package a\n\nvar All = slices.Concat(Base, []string{\"x\"})\n", "b.go", "package a\n\nvar Base = []string{\"a\"}\n"), 3, 2, count.Fail, false},
	{"between lists", "go", "a.go", "PRESERVED: the 3 stable features stay stable",
		files("a.go", "package a\n\nvar Stable = []string{\"a\", \"b\", \"c\"}\n\nvar Beta = []string{\"x\"}\n"),
		files("a.go", "package a\n\nvar Stable = []string{\"a\", \"b\"}\n\nvar Beta = []string{\"x\", \"c\"}\n"), 3, 2, count.Fail, false},
	{"anchors", "yaml", "a.yml", "ADD 1 step to the build steps",
		files("a.yml", "base: &base\n  - a\n  - b\nbuild:\n  steps: *base\n"),
		files("a.yml", "base: &base\n  - a\n  - b\n  - c\nbuild:\n  steps: *base\n"), 2, 3, count.Pass, false},
	{"merge keys", "yaml", "a.yml", "ADD 1 variable to the environment",
		files("a.yml", "x: &x {A: 1, B: 2}\nenvironment:\n  <<: *x\n  C: 3\n"),
		files("a.yml", "x: &x {A: 1, B: 2}\nenvironment:\n  <<: *x\n  C: 3\n  B: 4\n"), 3, 3, count.Fail, true},
	{"tasks", "markdown", "TODO.md", "ADD 2 tasks under Later",
		files("TODO.md", "# Now\n- [ ] a\n\n# Later\n- [x] b\n- [ ] c\n"),
		files("TODO.md", "# Now\n- [ ] a\n\n# Later\n- [x] b\n- [ ] c\n- [ ] d\n- [ ] e\n"), 2, 4, count.Pass, false},
	{"sections", "markdown", "GUIDE.md", "ADD 1 section to the guide",
		files("GUIDE.md", "# Guide\n\n## A\n\ntext\n\n## B\n\n```\n## not one\n```\n"),
		files("GUIDE.md", "# Guide\n\n## A\n\ntext\n\n## B\n\n### C\n"), 2, 2, count.Fail, true},
	{"no changes", "json", "package.json", "NO CHANGES to package.json",
		files("package.json", "{}\n"), files("package.json", "{}\n"), -1, -1, count.Pass, false},
	{"a change", "json", "package.json", "NO CHANGES to package.json",
		files("package.json", "{}\n"), files("package.json", "{ }\n"), -1, -1, count.Warn, false},
	{"the file is gone", "json", "a.json", "PRESERVED: the 2 items stay",
		files("a.json", "{\"items\": [1, 2]}\n"), files("b.json", "{}\n"), 2, 0, count.Fail, false},
	{"renamed file", "json", "a.json", "ADD 1 talk to talks",
		files("a.json", "{\"talks\": [\"a\", \"b\"]}\n"), files("b/a.json", "{\"talks\": [\"a\", \"b\", \"c\"]}\n"), 2, 3, count.Pass, false},
	{"no words fit and nothing grew", "typescript", "a.ts", "ADD 2 things nobody named",
		files("a.ts", "export const drinks = ['a', 'b'];\n"), files("a.ts", "export const drinks = ['a', 'x'];\n"), 2, 2, count.Fail, true},
	{"no file named", "tsx", "", "ADD 2 nighttime flavors to the flavors list",
		files("src/Grid.tsx", "export const FLAVORS = ['a', 'b', 'c'];\n", "src/other.ts", "export const moods = ['x'];\n"),
		files("src/Grid.tsx", "export const FLAVORS = ['a', 'y', 'z'];\n", "src/other.ts", "export const moods = ['x'];\n"), 3, 3, count.Fail, true},
	{"interface fields", "typescript", "a.ts", "ADD 1 field to the User interface",
		files("a.ts", "export interface User {\n  id: string;\n  tags?: Array<{ a: string; b: string }>;\n}\n"),
		files("a.ts", "export interface User {\n  id: string;\n  tags?: Array<{ a: string; b: string }>;\n  name: string;\n}\n"), 2, 3, count.Pass, false},
	{"class methods", "typescript", "a.ts", "ADD 1 method to Store",
		files("a.ts", "export class Store {\n  private items: string[] = ['x'];\n  constructor(private readonly a: A) {}\n  get size(): number { return this.items.length; }\n  add = (x: string) => { this.items.push(x); };\n}\n"),
		files("a.ts", "export class Store {\n  private items: string[] = ['x'];\n  constructor(private readonly a: A) {}\n  get size(): number { return this.items.length; }\n  add = (x: string) => { this.items.push(x); };\n  async clear<T>(x: T): Promise<void> {}\n}\n"), 3, 4, count.Pass, false},
	{"struct fields", "go", "a.go", "ADD 1 field to the Config struct",
		files("a.go", "package a\n\ntype Config struct {\n\tA, B int\n\tC struct{ D int }\n}\n"),
		files("a.go", "package a\n\ntype Config struct {\n\tA, B int\n\tC struct{ D, E int }\n}\n"), 3, 3, count.Fail, true},
	{"regular expressions", "javascript", "a.js", "ADD 1 rule to rules",
		files("a.js", "const n = a / b / c;\nconst rules = [/[/\\]]+/g, x => x / 2, /\"/];\n"),
		files("a.js", "const n = a / b / c;\nconst rules = [/[/\\]]+/g, x => x / 2, /\"/, /,/];\n"), 3, 4, count.Pass, false},
	{"steps of one job", "yaml", "ci.yml", "ADD 1 step to the test job",
		files("ci.yml", "jobs:\n  build:\n    steps:\n      - run: a\n      - run: b\n  test:\n    needs: [build]\n    steps:\n      - run: c\n      - run: d\n"),
		files("ci.yml", "jobs:\n  build:\n    steps:\n      - run: a\n      - run: b\n      - run: x\n  test:\n    needs: [build]\n    steps:\n      - run: c\n      - run: e\n"), 2, 2, count.Fail, true},
	{"button variants", "css", "b.css", "ADD 2 button variants (.btn--ghost, .btn--night)",
		files("b.css", ".btn { color: red; }\n.btn--big { color: blue; margin: 0; }\n.btn--flat { color: blue; }\n"),
		files("b.css", ".btn { color: red; }\n.btn--ghost { color: blue; margin: 0; }\n.btn--night { color: blue; }\n"), 3, 3, count.Fail, true},
	{"subcommands", "python", "cli.py", "ADD 1 subcommand (export) to the parser",
		files("cli.py", "import argparse\nparser = argparse.ArgumentParser()\nsub = parser.add_subparsers()\nrun = sub.add_parser('run', help='(x)')\nrun.add_argument('--a')\nlist_ = sub.add_parser('list')\n"),
		files("cli.py", "import argparse\nparser = argparse.ArgumentParser()\nsub = parser.add_subparsers()\nrun = sub.add_parser('run', help='(x)')\nrun.add_argument('--a')\nlist_ = sub.add_parser('list')\nexport = sub.add_parser('export')\n"), 2, 3, count.Pass, false},
	{"flags removed", "json", "flags.json", "REMOVE 2 legacy flags (beta, oldnav)",
		files("flags.json", "{\"flags\": {\"beta\": true, \"oldnav\": false, \"dark\": true}, \"groups\": {\"a\": [1]}}\n"),
		files("flags.json", "{\"flags\": {\"dark\": true}, \"groups\": {\"a\": [1]}}\n"), 3, 1, count.Pass, false},
	{"nav links", "jsx", "Nav.jsx", "ADD 2 links to the main navigation",
		files("Nav.jsx", "export const Nav = () => (\n  <nav className=\"main-nav\">\n    <Link to=\"/\">Home</Link>\n    <Link to=\"/a\">A</Link>\n    <button onClick={() => go(['x'])}>x</button>\n  </nav>\n);\n"),
		files("Nav.jsx", "export const Nav = () => (\n  <nav className=\"main-nav\">\n    <Link to=\"/\">Home</Link>\n    <Link to=\"/a\">A</Link>\n    <Link to=\"/b\">B</Link>\n    <Link to=\"/c\">C</Link>\n    <button onClick={() => go(['x'])}>x</button>\n  </nav>\n);\n"), 2, 4, count.Pass, false},
	{"dataclass fields", "python", "m.py", "ADD 1 field to the Drink dataclass",
		files("m.py", "@dataclass\nclass Drink:\n    name: str\n    tags: list[str] = field(default_factory=list)\n\n    def label(self) -> str:\n        x: int = 1\n        return self.name\n"),
		files("m.py", "@dataclass\nclass Drink:\n    name: str\n    tags: list[str] = field(default_factory=list)\n    price: int = 0\n\n    def label(self) -> str:\n        x: int = 1\n        return self.name\n"), 2, 3, count.Pass, false},
	{"table columns", "sql", "a.sql", "ADD 1 column to the users table",
		files("a.sql", "CREATE TABLE users (\n  id int PRIMARY KEY,\n  name varchar(10) DEFAULT 'a, b',\n  CONSTRAINT x UNIQUE (id, name)\n);\n"),
		files("a.sql", "CREATE TABLE users (\n  id int PRIMARY KEY,\n  name varchar(10) DEFAULT 'a, b',\n  mail text,\n  CONSTRAINT x UNIQUE (id, name)\n);\n"), 2, 3, count.Pass, false},
}

func TestSpecials(t *testing.T) {
	tally := map[string]*score{}
	for _, c := range specials {
		r, err := count.ParseRequirement(c.requirement)
		if err != nil {
			t.Fatal(err)
		}
		r.File = c.file
		got, err := count.Check(mapped(c.before), mapped(c.after), r)
		if err != nil {
			t.Errorf("%s: %v", c.id, err)
			continue
		}
		ok := got.Verdict == c.expect && same(got.Counts.Before, c.was) && (same(got.Counts.After, c.is))
		tallied(tally, c.language).note(ok, c.conversion, c.expect, got)
		if !ok {
			t.Errorf("%s: want %s %d → %d, got %s %s", c.id, c.expect, c.was, c.is, got.Verdict, spelled(got))
		}
	}
	printTally(t, tally)
}

func same(got *int, want int) bool { return got == nil && want < 0 || got != nil && *got == want }

func mapped(files map[string]string) count.Tree {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return count.FS(m)
}

// TestSignIsNoNoun: a number before a symbol is not certain enough to reject work.
func TestSignIsNoNoun(t *testing.T) {
	tests := func(names ...string) count.Tree {
		text := "describe('base', () => {\n"
		for _, n := range names {
			text += "  it('" + n + "', () => {})\n"
		}
		return mapped(files("base.test.js", text+"})\n"))
	}
	for text, certain := range map[string]bool{"ADD 30 tests": true, "ADD 30 base tests still pass ✅": false} {
		r, err := count.ParseRequirement(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := count.Check(tests("a", "b", "c"), tests("a", "b"), r)
		if err != nil || got.Verdict != count.Fail || got.Certain != certain {
			t.Errorf("%s: %v, %s, certain %v", text, err, got.Verdict, got.Certain)
		}
	}
}

// unreadable is a tree in which reading fails.
type unreadable struct{}

func (unreadable) Paths() ([]string, error)    { return []string{"x"}, nil }
func (unreadable) Read(string) ([]byte, error) { return nil, os.ErrPermission }

// TestUnreadableIsNoPass: what cannot be read may have changed.
func TestUnreadableIsNoPass(t *testing.T) {
	t.Parallel()
	for _, after := range []count.Tree{unreadable{}, count.FS(fstest.MapFS{"x": {}})} {
		res, err := count.Check(unreadable{}, after, belay.Requirement{Marker: belay.MarkNoChanges, File: "x"})
		if err != nil || res.Verdict != count.Warn || len(res.Findings) != 1 || !strings.Contains(res.Findings[0].Message, "cannot be read") {
			t.Errorf("%+v, %v", res, err)
		}
	}
}
