package testdiff

import (
	"maps"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"
)

func goPlain(name, in, want string) string {
	return goTest(name, "\tif got := add("+in+"); got != "+want+" {\n\t\tt.Errorf(\"%d\", got)\n\t}\n")
}

// goRows returns a table test with rows.
func goRows(name, rows string) string {
	return goTest(name, "\tfor _, c := range []struct{ in, want int }{"+rows+"} {\n\t\tt.Run(\"x\", func(t *testing.T) {\n\t\t\tif got := add(c.in); got != c.want {\n\t\t\t\tt.Errorf(\"%d\", got)\n\t\t\t}\n\t\t})\n\t}\n")
}

const (
	pyPlain = "def test_one():\n    assert add(1) == 2\n\ndef test_two():\n    assert add(2) == 3\n"
	pyRows  = "\n@pytest.mark.parametrize('a,b', [(1, 2), (2, 3)])\n"
	tsPlain = "it('one', () => { expect(add(1)).toBe(2) })\nit('two', () => { expect(add(2)).toBe(3) })\nit('three', () => { expect(add(3)).toBe(4) })\n"
	tsEach  = "('adds %d', (a, b) => { expect(add(a)).toBe(b) })\n"
)

// mergedTable has tests that became rows of a table, and some that only seem so.
var mergedTable = map[string]struct {
	files []*syntax.File
	want  string
}{
	"go: merged":                         {[]*syntax.File{goCode, file("a_test.go", goHead+goPlain("TestOne", "1", "2")+goPlain("TestTwo", "2", "3")+goPlain("TestTen", "10", "11"), goHead+goRows("TestAdd", "{1, 2}, {2, 3}, {10, 11}"))}, ""},
	"go: merged into one that was there": {[]*syntax.File{file("a_test.go", goHead+goPlain("TestAdd", "1", "2")+goPlain("TestTwo", "2", "3"), goHead+goRows("TestAdd", "{1, 2}, {2, 3}"))}, ""},
	"go: a row more":                     {[]*syntax.File{file("a_test.go", goHead+goRows("TestAdd", "{1, 2}")+goPlain("TestTwo", "2", "3"), goHead+goRows("TestAdd", "{1, 2}, {2, 3}"))}, ""},
	"go: another file":                   {[]*syntax.File{file("a_test.go", goHead+goPlain("TestTwo", "2", "3")+goPlain("TestTen", "10", "11"), ""), file("b_test.go", goHead, goHead+goRows("TestAdd", "{10, 11}, {2, 3}"))}, ""},
	"go: subtests": {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", "\tt.Run(\"one\", func(t *testing.T) { check(t, add(1), 2) })\n\tt.Run(\"two\", func(t *testing.T) { check(t, add(2), 3) })\n"),
		goHead+goTest("TestA", "\tfor name, c := range map[string]struct{ in, want int }{\"one\": {1, 2}, \"two\": {2, 3}} {\n\t\tt.Run(name, func(t *testing.T) { check(t, add(c.in), c.want) })\n\t}\n"))}, ""},
	"go: too few rows":      {[]*syntax.File{file("a_test.go", goHead+goPlain("TestOne", "1", "2")+goPlain("TestTwo", "2", "3")+goPlain("TestTen", "10", "11"), goHead+goRows("TestAdd", "{1, 2}, {2, 3}"))}, "question a_test.go:0 test deleted: TestTen"},
	"go: other values":      {[]*syntax.File{file("a_test.go", goHead+goRows("TestAdd", "{1, 2}")+goPlain("TestTen", "10", "11"), goHead+goRows("TestAdd", "{1, 2}, {5, 6}"))}, "warning a_test.go:0 test deleted: TestTen"},
	"go: another function":  {[]*syntax.File{file("a_test.go", goHead+goRows("TestAdd", "{1, 2}")+goTest("TestTen", "\tif got := take(10); got != 11 {\n\t\tt.Error(got)\n\t}\n"), goHead+goRows("TestAdd", "{1, 2}, {5, 6}"))}, "question a_test.go:0 test deleted: TestTen"},
	"go: a table as before": {[]*syntax.File{file("a_test.go", goHead+goRows("TestAdd", "{1, 2}, {2, 3}")+goPlain("TestTwo", "2", "3"), goHead+goRows("TestAdd", "{1, 2}, {2, 3}"))}, "question a_test.go:0 test deleted: TestTwo"},
	"go: nothing asserted":  {[]*syntax.File{file("a_test.go", goHead+goPlain("TestTwo", "2", "3"), goHead+goTest("TestAdd", "\tfor _, c := range []int{2, 3} {\n\t\tt.Log(add(c))\n\t}\n"))}, "question a_test.go:0 test deleted: TestTwo"},
	"go: rows from elsewhere": {[]*syntax.File{file("a_test.go", goHead+goPlain("TestOne", "1", "2")+goPlain("TestTwo", "2", "3"), goHead+goTest("TestAdd", "\tfor _, c := range load() {\n\t\tif got := add(c.in); got != c.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n"))},
		"warning a_test.go:0 test deleted: TestOne\nwarning a_test.go:0 test deleted: TestTwo"},

	"python: merged":             {[]*syntax.File{file("a.py", "x = 1\n", "x = 2\n"), file("test_a.py", pyPlain, pyRows+"def test_add(a, b):\n    assert add(a) == b\n")}, ""},
	"python: merged, skipped":    {[]*syntax.File{file("test_a.py", pyPlain, pyRows+"@pytest.mark.skip\ndef test_add(a, b):\n    assert add(a) == b\n")}, "question test_a.py:0 test deleted: test_two\nerror test_a.py:3 test skipped: test_add"},
	"python: rows of a function": {[]*syntax.File{file("test_a.py", pyPlain, "@pytest.mark.parametrize('a,b', rows())\ndef test_add(a, b):\n    assert add(a) == b\n")}, "warning test_a.py:0 test deleted: test_two"},
	"python: a loop":             {[]*syntax.File{file("test_a.py", pyPlain, "def test_add():\n    for a, b in [(1, 2), (2, 3)]:\n        assert add(a) == b\n")}, ""},

	"typescript: merged":         {[]*syntax.File{file("a.ts", "let x = 1\n", "let x = 2\n"), file("a.test.ts", tsPlain, "it.each([[1, 2], [2, 3], [3, 4]])"+tsEach)}, ""},
	"typescript: another file":   {[]*syntax.File{file("a.test.ts", tsPlain, ""), file("b.test.ts", "", "it.each([[1, 2], [2, 3], [3, 4]])"+tsEach)}, ""},
	"typescript: too few rows":   {[]*syntax.File{file("a.test.ts", tsPlain, "it.each([[1, 2], [2, 3]])"+tsEach)}, "question a.test.ts:0 test deleted: three"},
	"typescript: no test file":   {[]*syntax.File{file("a.test.ts", tsPlain, ""), file("b.ts", "", "it.each([[1, 2], [2, 3], [3, 4]])"+tsEach)}, "question a.test.ts:0 test file deleted: a.test.ts"},
	"typescript: a named list":   {[]*syntax.File{file("a.test.ts", tsPlain, "const all = [[1, 2], [2, 3], [3, 4]]\ndescribe.each(all)('%d', (a, b) => {\n  it('adds', () => { expect(add(a)).toBe(b) })\n})\n")}, ""},
	"typescript: an import":      {[]*syntax.File{file("a.test.ts", tsPlain, "it.each(all)"+tsEach)}, "warning a.test.ts:0 test deleted: two\nwarning a.test.ts:0 test deleted: three"},
	"typescript: holds anyway":   {[]*syntax.File{file("a.test.ts", tsPlain, "it.each([[1, 2], [2, 3], [3, 4]])('adds %d', (a, b) => { if (false) { expect(add(a)).toBe(b) } })\n")}, "question a.test.ts:0 test deleted: one\nquestion a.test.ts:0 test deleted: two\nquestion a.test.ts:0 test deleted: three\nwarning a.test.ts:1 new test cannot fail: adds %d"},
	"java: merged":               {[]*syntax.File{file("ATest.java", "class ATest { @Test void one() { assertEquals(2, add(1)); }\n@Test void two() { assertEquals(3, add(2)); } }\n", "class ATest {\n@ParameterizedTest @CsvSource({\"1, 2\", \"2, 3\"})\nvoid adds(int a, int b) { assertEquals(b, add(a)); } }\n")}, ""},
	"csharp: merged":             {[]*syntax.File{file("ATests.cs", "class ATests {\n  [Fact]\n  public void One() { Assert.Equal(2, Add(1)); }\n  [Fact]\n  public void Two() { Assert.Equal(3, Add(2)); }\n}\n", "class ATests {\n  [Theory]\n  [InlineData(1, 2)]\n  [InlineData(2, 3)]\n  public void Adds(int a, int b) { Assert.Equal(b, Add(a)); }\n}\n")}, ""},
	"csharp: a row that is gone": {[]*syntax.File{file("ATests.cs", "class ATests {\n  [Fact]\n  public void One() { Assert.Equal(2, Add(1)); }\n  [Fact]\n  public void Two() { Assert.Equal(3, Add(2)); }\n}\n", "class ATests {\n  [Theory]\n  [InlineData(1, 2)]\n  public void Adds(int a, int b) { Assert.Equal(b, Add(a)); }\n}\n")}, "question ATests.cs:0 test deleted: ATests > Two"},
	"rust: merged":               {[]*syntax.File{file("tests/a.rs", "#[test]\nfn one() { assert_eq!(add(1), 2); }\n#[test]\nfn two() { assert_eq!(add(2), 3); }\n", "#[rstest]\n#[case(1, 2)]\n#[case(2, 3)]\nfn adds(#[case] a: u8, #[case] b: u8) { assert_eq!(add(a), b); }\n")}, ""},
	"ruby: merged":               {[]*syntax.File{file("spec/a_spec.rb", "describe A do\n  it 'adds one' do\n    expect(add(1)).to eq 2\n  end\n  it 'adds two' do\n    expect(add(2)).to eq 3\n  end\nend\n", "describe A do\n  [[1, 2], [2, 3]].each do |a, b|\n    it \"adds #{a}\" do\n      expect(add(a)).to eq b\n    end\n  end\nend\n")}, ""},
}

func TestMerged(t *testing.T) {
	t.Parallel()
	for name, c := range mergedTable {
		t.Run(name, func(t *testing.T) {
			if got := told(Check(c.files, Rules{})); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// What is known of each test that is gone: another name, or that others do what it did. One that is asked about is not known.
func TestSuccessors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files []*syntax.File
		want  map[string]Successor
	}{
		"merged":          {mergedTable["python: merged"].files, map[string]Successor{"test_one": {Name: "test_add", Tests: 1}, "test_two": {Tests: 1}, "test_add": {}}},
		"a row less":      {mergedTable["typescript: too few rows"].files, map[string]Successor{"one": {Name: "adds %d", Tests: 1}, "two": {Tests: 1}, "three": {}, "adds %d": {}}},
		"in a group":      {[]*syntax.File{file("a.test.ts", "it('error: a', () => { expect(f(1)).toBe(2) })\n", "describe('errors', () => { it('a', () => { expect(f(1)).toBe(2) }) })\n")}, map[string]Successor{"error: a": {Name: "a", Tests: 1}, "a": {}, "errors": {}}},
		"asked about":     {[]*syntax.File{file("test_a.py", pyPlain, "x = 1\n")}, map[string]Successor{"test_one": {}, "test_two": {}}},
		"only skipped":    {[]*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting), goHead+goTest("TestA", "\tt.Skip()\n"+asserting))}, map[string]Successor{"TestA": {}}},
		"asked to delete": {[]*syntax.File{file("a_test.go", goHead+goTest("TestOld", asserting)+goTest("TestA", asserting), goHead+goTest("TestA", asserting))}, map[string]Successor{"TestOld": {}, "TestA": {}}},
		"for a reason":    {[]*syntax.File{file("a_test.go", goHead+goTest("TestOld", "\tt.Skip()\n"+asserting)+goTest("TestA", asserting), goHead+goTest("TestA", asserting))}, map[string]Successor{"TestOld": {Reason: "it was skipped", Tests: 1}, "TestA": {}}},
	} {
		rules := Rules{Deletions: ReadDeletionRequest(belay.Request{Requirements: []belay.Requirement{{Marker: belay.MarkRemove, Text: "delete TestOld"}}}, "")}
		if got := Successors(c.files, rules); !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
