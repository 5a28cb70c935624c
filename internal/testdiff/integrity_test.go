package testdiff

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"
)

func told(list []belay.Finding) string {
	var parts []string
	for _, f := range list {
		parts = append(parts, fmt.Sprintf("%s %s:%d %s", f.Severity, f.File, f.Line, f.Title))
	}
	return strings.Join(parts, "\n")
}

func file(path, before, after string) *syntax.File {
	f := &syntax.File{Path: path, Before: []byte(before), After: []byte(after)}
	if before == "" {
		f.Before = nil
	}
	if after == "" {
		f.After = nil
	}
	return f
}

const goHead = "package x\n\n"

func goTest(name, body string) string {
	return "func " + name + "(t *testing.T) {\n" + body + "}\n\n"
}

func goTable(in, want string) string {
	return goTest("TestT", "\tfor _, c := range []struct{ in, want int }{{"+in+", "+want+"}} {\n\t\tif got := f(c.in); got != c.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n")
}

var goCode = file("a.go", goHead, goHead+"func F() {}\n")

const asserting = "\tif got := f(); got != 1 {\n\t\tt.Errorf(\"%d\", got)\n\t}\n"

var integrityCases = map[string]struct {
	files []*syntax.File
	want  string
}{
	"a test deleted": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting)+goTest("TestB", "\tt.Fatal(g())\n"), goHead+goTest("TestB", "\tt.Fatal(g())\n"))},
		"question a_test.go:0 test deleted: TestA"},
	"a test commented out": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+"/*\n"+goTest("TestA", asserting)+"*/\n")},
		"question a_test.go:0 test deleted: TestA"},
	"a test moved": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead), file("b_test.go", "", goHead+goTest("TestA", asserting))}, ""},
	"moved to where nobody looks": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), ""), file("a_test.go.bak", "", goHead+goTest("TestA", asserting))},
		"question a_test.go:0 test file deleted: a_test.go"},
	"moved and skipped": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead), file("b_test.go", "", goHead+goTest("TestA", "\tt.Skip()\n"+asserting))},
		"error b_test.go:4 test skipped: TestA"},
	"a test renamed": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestBetterName", asserting))}, ""},
	"a file renamed": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), ""), file("sub/a_test.go", "", "package sub\n\n"+goTest("TestA", asserting))}, ""},
	"a file deleted with its code": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), ""), file("a.go", goHead, "")},
		"warning a_test.go:0 test file deleted: a_test.go"},
	"a subtest deleted": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", "\tt.Run(\"one\", func(t *testing.T) { t.Fatal() })\n\tt.Run(\"two\", func(t *testing.T) { check(t, 2, \"x\") })\n"),
		goHead+goTest("TestA", "\tt.Run(\"one\", func(t *testing.T) { t.Fatal() })\n"))},
		"question a_test.go:0 test deleted: TestA/two\nwarning a_test.go:3 fewer assertions: TestA"},
	"a subtest without a name is named": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", "\tfor _, c := range cases {\n\t\tt.Run(\"\", func(t *testing.T) { check(t, c) })\n\t}\n"),
		goHead+goTest("TestA", "\tfor i, c := range cases {\n\t\tt.Run(fmt.Sprint(i), func(t *testing.T) { check(t, c) })\n\t}\n"))}, ""},
	"a skip added":   {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", "\tt.Skip(\"flaky\")\n"+asserting))}, "error a_test.go:4 test skipped: TestA"},
	"a skip in text": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", "\t// t.Skip(\"flaky\")\n\ts := \"t.Skip()\"\n\t_ = s\n"+asserting))}, ""},
	"a skip for short runs": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", "\tif testing.Short() {\n\t\tt.Skip()\n\t}\n"+asserting))},
		"warning a_test.go:5 test skipped conditionally: TestA"},
	"a skip was there": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", "\tt.Skip()\n"+asserting), goHead+goTest("TestA", "\tt.Skip(\"why\")\n"+asserting))}, ""},
	"emptied":          {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", ""))}, "error a_test.go:3 test emptied: TestA"},
	"no assertion left": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", "\tf()\n"))},
		"error a_test.go:3 test without assertions: TestA"},
	"assertions in a helper": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", "\twants(1)\n"))},
		"warning a_test.go:3 test without assertions: TestA"},
	"a helper that is handed t": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", "\twants(t, 1)\n"))}, ""},
	"a helper that was handed t last": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", "\tout, err := run(c)\n\texpectSuccess(out, err, t)\n"), goHead+goTest("TestA", "\t_, _ = run(c)\n"))},
		"error a_test.go:3 test without assertions: TestA"},
	"fewer":                    {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting+"\trequire.NoError(t, err)\n"), goHead+goTest("TestA", asserting))}, "warning a_test.go:3 fewer assertions: TestA"},
	"more":                     {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", asserting+"\trequire.NoError(t, err)\n"))}, ""},
	"a new value":              {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", strings.Replace(asserting, "1", "2", 1)))}, ""},
	"an early return":          {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", "\treturn\n"+asserting))}, "error a_test.go:4 test returns before its assertions: TestA"},
	"a constraint":             {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), "//go:build ignore\n\n"+goHead+goTest("TestA", asserting))}, "error a_test.go:1 tests of the file are excluded"},
	"a constraint of a system": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), "//go:build !windows\n\n"+goHead+goTest("TestA", asserting))}, "warning a_test.go:1 tests of the file are excluded"},
	"a constraint that was":    {[]*syntax.File{file("a_test.go", "//go:build e2e\n\n"+goHead, "//go:build e2e && linux\n\n"+goHead+goTest("TestA", asserting))}, ""},
	"a constraint that was, in its old form": {[]*syntax.File{file("a_test.go", "// +build e2e,linux\n\n"+goHead+goTest("TestA", asserting),
		"//go:build e2e && linux\n// +build e2e,linux\n\n"+goHead+goTest("TestA", asserting))}, ""},
	"only code changed":  {[]*syntax.File{file("a.go", goHead+"func F() {}\n", goHead+"func F() { t.Skip() }\n")}, ""},
	"a new skipped test": {[]*syntax.File{file("a_test.go", "", goHead+goTest("TestA", "\tt.Skip()\n"+asserting))}, "warning a_test.go:4 new test is skipped: TestA"},
	"a new hollow test":  {[]*syntax.File{file("a_test.go", "", goHead+goTest("TestA", "\tassert.True(t, true)\n"))}, "warning a_test.go:4 new test asserts nothing: TestA"},

	"python: skip":        {[]*syntax.File{file("test_a.py", "def test_a():\n    assert f()\n", "import pytest\n\n@pytest.mark.skip\ndef test_a():\n    assert f()\n")}, "error test_a.py:3 test skipped: test_a"},
	"python: xfail":       {[]*syntax.File{file("test_a.py", "def test_a():\n    assert f()\n", "@pytest.mark.xfail(strict=False)\ndef test_a():\n    assert f()\n")}, "error test_a.py:1 test skipped: test_a"},
	"python: assert True": {[]*syntax.File{file("test_a.py", "def test_a():\n    assert f() == 2\n", "def test_a():\n    assert True\n")}, "error test_a.py:2 assertion that always passes: test_a"},
	"python: or True":     {[]*syntax.File{file("test_a.py", "def test_a():\n    assert f() == 2\n    assert g()\n", "def test_a():\n    assert f() == 2 or True\n    assert g()\n")}, "error test_a.py:2 assertion that always passes: test_a"},
	"python: pass":        {[]*syntax.File{file("test_a.py", "def test_a():\n    assert f() == 2\n", "def test_a():\n    pass\n")}, "error test_a.py:1 test emptied: test_a"},
	"python: module":      {[]*syntax.File{file("test_a.py", "def test_a():\n    assert f()\n", "pytestmark = pytest.mark.skip(reason='x')\n\ndef test_a():\n    assert f()\n")}, "error test_a.py:1 tests of the file are excluded"},
	"python: deleted":     {[]*syntax.File{file("tests/test_a.py", "class TestA:\n    def test_a(self):\n        assert f()\n    def test_b(self):\n        assert g(2)\n", "class TestA:\n    def test_b(self):\n        assert g(2)\n")}, "question tests/test_a.py:0 test deleted: TestA > test_a"},
	"python: class skip":  {[]*syntax.File{file("test_a.py", "class TestA:\n    def test_a(self):\n        assert f()\n", "@unittest.skip('x')\nclass TestA:\n    def test_a(self):\n        assert f()\n")}, "error test_a.py:1 tests skipped: TestA"},
	"typescript: only":    {[]*syntax.File{file("a.test.ts", "it('a', () => { expect(f()).toBe(1) })\nit('b', () => { expect(g()).toBe(2) })\n", "it.only('a', () => { expect(f()).toBe(1) })\nit('b', () => { expect(g()).toBe(2) })\n")}, "error a.test.ts:1 only some tests run: a"},
	"typescript: skip":    {[]*syntax.File{file("a.test.ts", "describe('x', () => { it('a', () => { expect(f()).toBe(1) }) })\n", "describe.skip('x', () => { it('a', () => { expect(f()).toBe(1) }) })\n")}, "error a.test.ts:1 tests skipped: x"},
	"typescript: xit":     {[]*syntax.File{file("a.spec.js", "it('a', () => { expect(f()).toBe(1) })\n", "xit('a', () => { expect(f()).toBe(1) })\n")}, "error a.spec.js:1 test skipped: a"},
	"java: equal to itself, said otherwise": {[]*syntax.File{file("ATest.java",
		"class ATest {\n@Test\nvoid a() { assertTrue(x.equals(x)); assertTrue(x.equals(y)); }\n}\n",
		"class ATest {\n@Test\nvoid a() { assertEquals(x, x); assertEquals(x, y); }\n}\n")}, ""},
	"java: hollow by equals": {[]*syntax.File{file("ATest.java",
		"class ATest {\n@Test\nvoid a() { assertTrue(x.equals(y)); }\n}\n",
		"class ATest {\n@Test\nvoid a() { assertTrue(x.equals(x)); }\n}\n")}, "error ATest.java:3 assertion that always passes: ATest > a"},
	"typescript: skip of a computed name": {[]*syntax.File{file("a.test.ts", "for (const c of cases) {\n  it(c.name + ' works', () => { expect(f(c)).toBe(1) })\n}\n", "for (const c of cases) {\n  it.skip(c.name + ' works', () => { expect(f(c)).toBe(1) })\n}\n")}, "error a.test.ts:2 test skipped: c.name+' works'"},
	"typescript: hollow":                  {[]*syntax.File{file("a.test.tsx", "it('a', () => { expect(f()).toBe(1) })\n", "it('a', () => { expect(true).toBe(true) })\n")}, "error a.test.tsx:1 assertion that always passes: a"},
	"typescript: of types":                {[]*syntax.File{file("a.test.ts", "it('a', () => { expect(f()).toBe(1) })\n", "it('a', () => { expectTypeOf<Of<A, B[]>>().toEqualTypeOf<number>() })\n")}, ""},
	"typescript: group renamed":           {[]*syntax.File{file("a.test.ts", "describe('x', () => { it('a', () => { expect(f()).toBe(1) }) })\n", "describe('y', () => { it('a', () => { expect(f()).toBe(1) }) })\n")}, ""},
	"a helper without its assertion": {[]*syntax.File{file("a_test.go", goHead+"func want(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Fatal(a)\n\t}\n}\n\n"+goTest("TestA", "\twant(t, f(), 1)\n"), goHead+"func want(t *testing.T, a, b int) {}\n\n"+goTest("TestA", "\twant(t, f(), 1)\n"))},
		"warning a_test.go:0 fewer assertions outside tests: a_test.go"},
	"a helper taken into its test": {[]*syntax.File{file("a_test.go", goHead+"func want(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Fatal(a)\n\t}\n}\n\n"+goTest("TestA", "\twant(t, f(), 1)\n"), goHead+goTest("TestA", asserting))}, ""},
	"a helper moved": {[]*syntax.File{file("a_test.go", goHead+"func want(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Fatal(a)\n\t}\n}\n\n"+goTest("TestA", "\twant(t, f(), 1)\n"), goHead+goTest("TestA", "\twant(t, f(), 1)\n")),
		file("help.go", "", goHead+"func want(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Fatal(a)\n\t}\n}\n")}, ""},
	"tape: no assertion left":  {[]*syntax.File{file("test/a.js", "test('a', function (t) {\n  t.notEqual(f(), 1);\n  t.end();\n});\n", "test('a', function (t) {\n  f();\n  t.end();\n});\n")}, "error test/a.js:1 test without assertions: a"},
	"tape: fewer in a subtest": {[]*syntax.File{file("test/a.js", "test('a', function (t) {\n  t.test('b', function (st) {\n    st.deepEqual(f(), 1);\n    st.equal(g(), 1);\n    st.end();\n  });\n});\n", "test('a', function (t) {\n  t.test('b', function (st) {\n    st.equal(g(), 1);\n    st.end();\n  });\n});\n")}, "warning test/a.js:1 fewer assertions: a\nwarning test/a.js:2 fewer assertions: a > b"},
	"node: t.assert":           {[]*syntax.File{file("test/a.js", "test('a', (t) => {\n  t.assert.equal(f(), 1);\n});\n", "test('a', (t) => {\n  f();\n});\n")}, "error test/a.js:1 test without assertions: a"},
	"ruby: omit":               {[]*syntax.File{file("test/test_a.rb", "class TestA < Test::Unit::TestCase\n  def test_a\n    assert_equal(1, f)\n  end\nend\n", "class TestA < Test::Unit::TestCase\n  def test_a\n    omit(\"later\")\n    assert_equal(1, f)\n  end\nend\n")}, "error test/test_a.rb:3 test skipped: TestA > test_a"},
	"rust: ignore":             {[]*syntax.File{file("src/a.rs", "#[test]\nfn a() { assert_eq!(f(), 1); }\n", "#[test]\n#[ignore]\nfn a() { assert_eq!(f(), 1); }\n")}, "error src/a.rs:2 test skipped: a"},
	"rust: deleted":            {[]*syntax.File{file("src/a.rs", "fn f() {}\n#[test]\nfn a() { assert_eq!(f(), 1); }\n", "fn f() {}\n")}, "question src/a.rs:0 test deleted: a"},
	"rust: deleted, with a text of its own": {[]*syntax.File{file("src/a.rs", "fn f() {}\n#[test]\nfn a() { assert_eq!(f(), \"10 of October\"); }\n", "fn f() {}\n")},
		"question src/a.rs:0 test deleted: a"},
	"java: disabled": {[]*syntax.File{file("src/test/java/ATest.java", "class ATest { @Test void a() { assertTrue(f()); } }\n", "class ATest { @Test @Disabled void a() { assertTrue(f()); } }\n")}, "error src/test/java/ATest.java:1 test skipped: ATest > a"},
	"ruby: skip":     {[]*syntax.File{file("spec/a_spec.rb", "describe A do\n  it 'a' do\n    expect(f).to eq 1\n  end\nend\n", "describe A do\n  it 'a' do\n    skip\n    expect(f).to eq 1\n  end\nend\n")}, "error spec/a_spec.rb:3 test skipped: A > a"},
	"csharp: skip":   {[]*syntax.File{file("ATests.cs", "class ATests {\n  [Fact]\n  public void A() { Assert.Equal(1, F()); }\n}\n", "class ATests {\n  [Fact(Skip = \"x\")]\n  public void A() { Assert.Equal(1, F()); }\n}\n")}, "error ATests.cs:2 test skipped: ATests > A"},

	"fail_under":        {[]*syntax.File{file("pyproject.toml", "[tool.coverage.report]\nfail_under = 90\n", "[tool.coverage.report]\nfail_under = 40 # for now\n")}, "error pyproject.toml:2 limit lowered: fail-under"},
	"fail_under gone":   {[]*syntax.File{file(".coveragerc", "[report]\nfail_under = 90\n", "[report]\n# fail_under = 90\n")}, "warning .coveragerc:0 limit lowered: fail-under"},
	"fail_under raised": {[]*syntax.File{file("pyproject.toml", "fail_under = 90\n", "fail_under = 95\n")}, ""},
	"--cov-fail-under":  {[]*syntax.File{file("Makefile", "test:\n\tpytest --cov-fail-under=80\n", "test:\n\tpytest --cov-fail-under=8\n")}, "error Makefile:2 limit lowered: cov-fail-under"},
	"jest, all removed": {[]*syntax.File{file("package.json", `{"jest": {"coverageThreshold": {"global": {"branches": 80,
"functions": 70, "lines": 90, "statements": 60}}}}`, "{}\n")}, "warning package.json:0 limit lowered: branches\n" +
		"warning package.json:0 limit lowered: functions\nwarning package.json:0 limit lowered: lines\nwarning package.json:0 limit lowered: statements"},
	"jest": {[]*syntax.File{file("package.json", "{\"jest\": {\"coverageThreshold\": {\"global\": {\"branches\": 80,\n\"lines\": 90}}}}\n", "{\"jest\": {\"coverageThreshold\": {\"global\": {\"branches\": 80,\n\"lines\": 9}}}}\n")}, "error package.json:2 limit lowered: lines"},
	"codecov": {[]*syntax.File{file("codecov.yml", "coverage:\n  status:\n    project:\n      default:\n        target: 80%\n        threshold: 1%\n", "coverage:\n  status:\n    project:\n      default:\n        target: 50%\n        threshold: 30%\n        informational: true\n")},
		"error codecov.yml:5 limit lowered: target\nerror codecov.yml:6 limit lowered: threshold\nwarning codecov.yml:7 test failures no longer count: informational"},
	"|| true":                {[]*syntax.File{file(".github/workflows/ci.yml", "steps:\n  - run: go test ./...\n", "steps:\n  - run: go test ./... || true\n")}, "error .github/workflows/ci.yml:2 test failures no longer count: the command always succeeds"},
	"|| echo kept":           {[]*syntax.File{file(".github/workflows/ci.yml", "steps:\n  - run: go test ./...\n", "steps:\n  - run: go test ./... || echo $? > status\n")}, ""},
	"|| echo":                {[]*syntax.File{file(".github/workflows/ci.yml", "steps:\n  - run: go test ./...\n", "steps:\n  - run: go test ./... || echo failed > status\n")}, "error .github/workflows/ci.yml:2 test failures no longer count: the command always succeeds"},
	"c#: own assertion gone": {[]*syntax.File{file("ATests.cs", "class ATests {\n[Fact]\npublic void A() {\nAssertParsed(\"x\");\n}\n}\n", "class ATests {\n[Fact]\npublic void A() {\nint x = 1;\n}\n}\n")}, "error ATests.cs:3 test without assertions: ATests > A"},
	"|| true in npm":         {[]*syntax.File{file("package.json", "{\"scripts\": {\n\"test\": \"jest\"}}\n", "{\"scripts\": {\n\"test\": \"jest || true\"}}\n")}, "error package.json:2 test failures no longer count: the command always succeeds"},
	"|| true elsewhere":      {[]*syntax.File{file("Makefile", "clean:\n\trm x\n", "clean:\n\trm x || true\n")}, ""},
	"continue-on-error": {[]*syntax.File{file(".github/workflows/ci.yml", "    steps:\n      - name: unit\n        run: |\n          npm test\n      - name: lint\n        run: eslint .\n", "    steps:\n      - name: unit\n        continue-on-error: true\n        run: |\n          npm test\n      - name: lint\n        run: eslint .\n")},
		"error .github/workflows/ci.yml:3 test failures no longer count: continue-on-error"},
	"continue-on-error of a linter": {[]*syntax.File{file(".github/workflows/ci.yml", "    steps:\n      - name: unit\n        run: npm test\n      - name: lint\n        run: eslint .\n", "    steps:\n      - name: unit\n        run: npm test\n      - name: lint\n        run: eslint .\n        continue-on-error: true\n")},
		"warning .github/workflows/ci.yml:6 test failures no longer count: continue-on-error"},
	"allow_failure":            {[]*syntax.File{file(".gitlab-ci.yml", "unit:\n  script:\n    - pytest\n", "unit:\n  allow_failure: true\n  script:\n    - pytest\n")}, "error .gitlab-ci.yml:2 test failures no longer count: allow_failure"},
	"CI without a requirement": {[]*syntax.File{file(".github/workflows/ci.yml", "steps:\n  - run: make build\n    env:\n      TEST_REQUIRES: \"pytest^<9.0\"\n", "steps:\n  - run: make build\n")}, ""},
	"an assertion becomes a helper": {[]*syntax.File{file("a.test.js", "test('a', async t => {\n  t.plan(1)\n  t.match(await f(), 1)\n})\n", "test('a', async () => {\n  match(await f(), 1)\n})\n")},
		"warning a.test.js:1 test without assertions: a"},
	"an assertion becomes a call that was there": {[]*syntax.File{file("a.test.js", "test('a', async t => {\n  match(f())\n  t.match(f(), 1)\n})\n", "test('a', async () => {\n  match(f())\n})\n")},
		"error a.test.js:1 test without assertions: a"},
	"CI without tests": {[]*syntax.File{file(".github/workflows/ci.yml", "steps:\n  - run: make build\n  - run: cargo test\n", "steps:\n  - run: make build\n")}, "error .github/workflows/ci.yml:0 CI runs fewer tests"},
	"maven":            {[]*syntax.File{file("pom.xml", "<properties>\n</properties>\n", "<properties>\n<skipTests>true</skipTests>\n</properties>\n")}, "error pom.xml:2 test failures no longer count: skipTests"},
	"a test file excluded": {[]*syntax.File{file("vitest.config.ts", "export default { test: {} }\n", "export default { test: {\n  exclude: [\n    'dist/**',\n    'src/a.test.ts',\n  ],\n} }\n")},
		"warning vitest.config.ts:4 tests may be excluded: src/a.test.ts"},
	"a test file excluded by a new file": {[]*syntax.File{file("tests/conftest.py", "", "collect_ignore = [\"test_a.py\"]\n")}, "warning tests/conftest.py:1 tests may be excluded: test_a.py"},
	"no file of tests":                   {[]*syntax.File{file("jest.config.js", "", "module.exports = {\n  testPathIgnorePatterns: ['/node_modules/', 'dist/'],\n  coverage: { exclude: ['**/*.test.ts'] },\n}\n")}, ""},
	"a test file named elsewhere":        {[]*syntax.File{file("vitest.config.ts", "", "export default { test: {\n  exclude: ['dist'],\n  include: [\n    'src/a.test.ts',\n  ],\n} }\n")}, ""},
	"rspec's pattern":                    {[]*syntax.File{file(".rspec", "--color\n", "--color\n--exclude-pattern spec/a_spec.rb\n")}, "warning .rspec:2 tests may be excluded: --exclude-pattern spec/a_spec.rb"},
	"cargo's tests":                      {[]*syntax.File{file("Cargo.toml", "[package]\n", "[package]\nautotests = false\n")}, "warning Cargo.toml:2 tests may be excluded: autotests = false"},
	"--deselect":                         {[]*syntax.File{file("tox.ini", "commands = pytest\n", "commands = pytest --deselect tests/test_a.py::test_a\n")}, "warning tox.ini:1 tests may be excluded: --deselect tests/test_a.py::test_a"},
	"golangci":                           {[]*syntax.File{file(".golangci.yml", "issues:\n  exclude-rules:\n    - path: a\n", "issues:\n  exclude-rules:\n    - path: a\n    - path: b\n")}, "warning .golangci.yml:4 the linter ignores more than before"},
	"golangci, a linter":                 {[]*syntax.File{file(".golangci.yml", "linters:\n  enable:\n    - a\n", "linters:\n  enable:\n    - a\n    - b\n")}, ""},
	"a new value, with the code":         {[]*syntax.File{goCode, file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", strings.Replace(asserting, "1", "2", 1)))}, "warning a_test.go:4 expected value changed: TestA: 1 → 2"},
	"a new value and a new name":         {[]*syntax.File{goCode, file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestTwo", strings.Replace(asserting, "1", "2", 1)))}, "warning a_test.go:4 expected value changed: TestTwo: 1 → 2"},
	"an assertion moved":                 {[]*syntax.File{goCode, file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", strings.Replace(asserting, "1", "2", 1))+goTest("TestB", asserting))}, ""},
	"a test added":                       {[]*syntax.File{goCode, file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", asserting)+goTest("TestB", strings.Replace(asserting, "1", "2", 1)))}, ""},
	"an assertion added":                 {[]*syntax.File{goCode, file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", strings.Replace(asserting, "1", "2", 1)+asserting))}, ""},
	"a new value, with comments of code": {[]*syntax.File{file("a.go", goHead, goHead+"// F does.\n"), file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", strings.Replace(asserting, "1", "2", 1)))}, ""},
	"a row of a table":                   {[]*syntax.File{goCode, file("a_test.go", goHead+goTable("1", "2"), goHead+goTable("1", "3"))}, "warning a_test.go:4 expected value changed: TestT: 2 → 3"},
	"a table of the file":                {[]*syntax.File{goCode, file("a_test.go", goHead+"var cases = []struct{ in, want int }{{1, 2}}\n", goHead+"var cases = []struct{ in, want int }{{0, 7}, {1, 3}}\n")}, "warning a_test.go:3 expected value changed: outside of tests: 2 → 3"},
	"python: a new value":                {[]*syntax.File{file("a.py", "x = 1\n", "x = 2\n"), file("test_a.py", "def test_a():\n    assert f(1) == 3\n", "def test_a():\n    assert f(1) == 4\n")}, "warning test_a.py:2 expected value changed: test_a: 3 → 4"},
	"python: parametrized":               {[]*syntax.File{file("a.py", "x = 1\n", "x = 2\n"), file("test_a.py", "def test_b():\n    assert f(0) == 1\n\n@pytest.mark.parametrize('a,expected', [\n    (1, 2),\n])\ndef test_a(a, expected):\n    assert f(a) == expected\n", "def test_b():\n    assert f(0) == 1\n\n@pytest.mark.parametrize('a,expected', [\n    (1, 3),\n])\ndef test_a(a, expected):\n    assert f(a) == expected\n")}, "warning test_a.py:5 expected value changed: test_a: 2 → 3"},
	"typescript: a weaker matcher":       {[]*syntax.File{file("a.ts", "let x = 1\n", "let x = 2\n"), file("a.test.ts", "it('a', () => { expect(f()).toEqual(1) })\n", "it('a', () => { expect(f()).toBeDefined() })\n")}, "warning a.test.ts:1 expected value changed: a: 1 → toBeDefined"},
	"rust: a new value":                  {[]*syntax.File{file("src/a.rs", "fn f() -> u8 { 1 }\n#[test]\nfn a() { assert_eq!(f(), 1); }\n", "fn f() -> u8 { 2 }\n#[test]\nfn a() { assert_eq!(f(), 2); }\n")}, "warning src/a.rs:3 expected value changed: a: 1 → 2"},
	"rust: a new value alone":            {[]*syntax.File{file("src/a.rs", "fn f() -> u8 { 1 }\n#[test]\nfn a() { assert_eq!(f(), 1); }\n", "fn f() -> u8 { 1 }\n#[test]\nfn a() { assert_eq!(f(), 2); }\n")}, ""},
	"java: a new value":                  {[]*syntax.File{file("A.java", "class A {}\n", "class A { int a; }\n"), file("ATest.java", "class ATest { @Test void a() { assertEquals(1, f()); } }\n", "class ATest { @Test void a() { assertEquals(2, f()); } }\n")}, "warning ATest.java:1 expected value changed: ATest > a: 1 → 2"},
	"ruby: a new value":                  {[]*syntax.File{file("lib/a.rb", "A = 1\n", "A = 2\n"), file("spec/a_spec.rb", "describe A do\n  it 'a' do\n    expect(f).to eq 1\n  end\nend\n", "describe A do\n  it 'a' do\n    expect(f).to eq 2\n  end\nend\n")}, "warning spec/a_spec.rb:3 expected value changed: A > a: 1 → 2"},
	"csharp: a row":                      {[]*syntax.File{file("A.cs", "class A {}\n", "class A { int a; }\n"), file("ATests.cs", "class ATests {\n  [Theory]\n  [InlineData(1, 2)]\n  public void A(int a, int expected) { Assert.Equal(expected, F(a)); }\n}\n", "class ATests {\n  [Theory]\n  [InlineData(1, 3)]\n  public void A(int a, int expected) { Assert.Equal(expected, F(a)); }\n}\n")}, "warning ATests.cs:3 expected value changed: ATests > A: 2 → 3"},
	"a snapshot rewritten":               {[]*syntax.File{goCode, file("web/__snapshots__/a.test.ts.snap", "exports[`a 1`] = `\n<b>1</b>\n`;\n", "exports[`a 1`] = `\n<b>2</b>\n`;\n")}, "warning web/__snapshots__/a.test.ts.snap:2 expected result rewritten: web/__snapshots__/a.test.ts.snap"},
	"a snapshot added":                   {[]*syntax.File{goCode, file("testdata/a.golden", "a\n", "a\nb\n")}, ""},
	"a golden rewritten alone":           {[]*syntax.File{file("testdata/a.golden", "a\n", "b\n")}, ""},
	"a golden rewritten":                 {[]*syntax.File{goCode, file("testdata/a.golden", "a\nb\n", "a\nc\n")}, "warning testdata/a.golden:2 expected result rewritten: testdata/a.golden"},
	"a comment of it":                    {[]*syntax.File{file("Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test ./... # never || true\n")}, ""},
}

func TestLook(t *testing.T) {
	t.Parallel()
	for name, c := range integrityCases {
		t.Run(name, func(t *testing.T) {
			if got := told(Check(c.files, Rules{})); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestLookTheOtherWay: a file with equal texts has no findings.
func TestLookTheOtherWay(t *testing.T) {
	t.Parallel()
	for name, c := range integrityCases {
		for _, f := range c.files {
			same := &syntax.File{Path: f.Path, Before: f.After, After: f.After}
			if got := told(Check([]*syntax.File{same}, Rules{})); got != "" {
				t.Errorf("%s: unchanged, but got %s", name, got)
			}
		}
	}
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	for _, f := range Check(integrityCases["a test deleted"].files, Rules{Allow: []string{"*_test.go"}}) {
		if f.Severity != belay.SeverityNote {
			t.Error(told([]belay.Finding{f}))
		}
	}
}

// TestExpectedBySeverity: changes that the task asks for have no findings, and the config sets the
// severity of the others.
func TestExpectedBySeverity(t *testing.T) {
	t.Parallel()
	files := integrityCases["a new value, with the code"].files
	asked := belay.Request{Requirements: []belay.Requirement{{Marker: belay.MarkModify, Text: "update the tests"}}}
	for _, c := range []struct {
		rules Rules
		want  belay.Severity
	}{
		{Rules{}, belay.SeverityWarning},
		{Rules{Expected: belay.SeverityError}, belay.SeverityError},
		{Rules{Expected: belay.SeverityError, Allow: []string{"*_test.go"}}, belay.SeverityNote},
		{Rules{ChangesAsked: AsksForTests(asked)}, ""},
	} {
		found := Check(files, c.rules)
		switch {
		case c.want == "" && len(found) > 0, c.want != "" && (len(found) != 1 || found[0].Severity != c.want):
			t.Errorf("%+v: %s", c.rules, told(found))
		}
	}
}

func TestAsksForTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		marker belay.Marker
		text   string
		want   bool
	}{
		{belay.MarkModify, "update the tests", true},
		{belay.MarkModify, "update the expected values in cart.test.ts", true},
		{belay.MarkModify, "update the snapshots", true},
		{belay.MarkRemove, "remove the slow test cases", true},
		{belay.MarkAdd, "add tests for it", false},
		{belay.MarkFix, "make the tests pass", false},
		{belay.MarkModify, "change the contest page", false},
	} {
		if got := AsksForTests(belay.Request{Requirements: []belay.Requirement{{Marker: c.marker, Text: c.text}}}); got != c.want {
			t.Errorf("%s %q: %v", c.marker, c.text, got)
		}
	}
}

func FuzzLook(f *testing.F) {
	for _, c := range slices.Concat(slices.Collect(maps.Values(integrityCases)), slices.Collect(maps.Values(mergedTable))) {
		for _, x := range c.files {
			f.Add(x.Path, x.Before, x.After)
		}
	}
	f.Fuzz(func(t *testing.T, path string, before, after []byte) {
		lines := strings.Count(string(after), "\n") + 1
		for _, x := range Check([]*syntax.File{{Path: path, Before: before, After: after}}, Rules{}) {
			if x.Line < 0 || x.Line > lines || x.Title == "" || x.Category != belay.CategoryIntegrity {
				t.Fatalf("%+v", x)
			}
		}
	})
}

// BenchmarkLook checks a change of 2,000 test files.
func BenchmarkLook(b *testing.B) {
	var before, after strings.Builder
	before.WriteString(goHead)
	after.WriteString(goHead)
	for i := range 40 {
		before.WriteString(goTest(fmt.Sprintf("TestNumber%d", i), asserting))
		after.WriteString(goTest(fmt.Sprintf("TestNumber%d", i), asserting+"\tt.Log(1)\n"))
	}
	for b.Loop() {
		var files []*syntax.File
		for i := range 2000 {
			files = append(files, file(fmt.Sprintf("d%d/f%d_test.go", i%40, i), before.String(), after.String()))
		}
		if found := Check(files, Rules{}); len(found) > 0 {
			b.Fatal(told(found[:1]))
		}
	}
}
