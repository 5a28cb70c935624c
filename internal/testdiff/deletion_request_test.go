package testdiff

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"
)

// wants returns the deletion request of a single requirement.
func wants(m belay.Marker, text string) *DeletionRequest {
	return ReadDeletionRequest(belay.Request{Requirements: []belay.Requirement{{Marker: m, Text: text}}}, "")
}

func goOther(name, call string) string {
	return goTest(name, "\tif got := "+call+"; got != 1 {\n\t\tt.Errorf(\"%d\", got)\n\t}\n")
}

const pyOld = "def test_old():\n    assert old(1) == 2\n\n\ndef test_older():\n    assert old(2) == 3\n"

// reworkedFiles returns a change that adds a function, and replaces a test with one that contains
// call.
func reworkedFiles(call string) []*syntax.File {
	return []*syntax.File{
		file("a.go", goHead+"func redirect(int) int { return 1 }\n", goHead+"func redirect(int) int { return 1 }\nfunc listed(int) int { return 1 }\n"),
		file("a_test.go", goHead+goOther("TestKept", "h()")+goOther("TestRedirectPort", "redirect(2)")+goOther("TestB", "g(2)"),
			goHead+goOther("TestKept", "h()")+goTest("TestProtocolsInOrder", "\tgot, more := "+call+", \"h3\"\n\tif len(more) != 2 || got != 7 || wrong {\n\t\tt.Fatalf(\"%v %v\", got, more)\n\t}\n")+goOther("TestB", "g(2)")),
	}
}

// goneTable has deleted tests, and the findings with a given request.
var goneTable = map[string]struct {
	want  *DeletionRequest
	files []*syntax.File
	says  string
}{
	"not asked":                      {wants(belay.MarkModify, "make the parser faster"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "question a_test.go:0 test deleted: TestA"},
	"asked by name":                  {wants(belay.MarkRemove, "remove TestParserOld"), []*syntax.File{file("a_test.go", goHead+goOther("TestParserOld", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "note a_test.go:0 test deleted: TestParserOld"},
	"the duplicate test":             {wants(belay.MarkRemove, "remove the duplicate test"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "note a_test.go:0 test deleted: TestA"},
	"one was asked for":              {wants(belay.MarkRemove, "remove the duplicate test"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "f(1)")+goOther("TestB", "g(2)")+goOther("TestC", "h(3)"), goHead+goOther("TestC", "h(3)"))}, "note a_test.go:0 test deleted: TestA\nquestion a_test.go:0 test deleted: TestB"},
	"two were asked for":             {wants(belay.MarkRemove, "delete 2 flaky tests"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "f(1)")+goOther("TestB", "g(2)")+goOther("TestC", "h(3)"), goHead)}, "note a_test.go:0 test deleted: TestA\nnote a_test.go:0 test deleted: TestB\nquestion a_test.go:0 test deleted: TestC"},
	"tests of another one":           {wants(belay.MarkRemove, "drop the lexer tests"), []*syntax.File{file("a_test.go", goHead+goOther("TestParser", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "question a_test.go:0 test deleted: TestParser"},
	"must stay":                      {wants(belay.MarkModify, "do not remove tests"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "question a_test.go:0 test deleted: TestA"},
	"a file by its path":             {wants(belay.MarkRemove, "delete tests/test_old.py"), []*syntax.File{file("tests/test_old.py", pyOld, "")}, "note tests/test_old.py:0 test file deleted: tests/test_old.py"},
	"a document of a like name":      {wants(belay.MarkRemove, "remove AUTHORS.md"), []*syntax.File{file("auth_test.go", goHead+goTest("TestBasicAuth", asserting)+goTest("TestB", asserting), goHead+goTest("TestB", asserting))}, "question auth_test.go:0 test deleted: TestBasicAuth"},
	"another file":                   {wants(belay.MarkRemove, "delete tests/test_old.py"), []*syntax.File{file("tests/test_new.py", pyOld, "")}, "question tests/test_new.py:0 test file deleted: tests/test_new.py"},
	"what an option can do":          {wants(belay.MarkAdd, "Add an option to remove several roles"), []*syntax.File{file("a_test.go", goHead+goOther("TestSeveralRoles", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "question a_test.go:0 test deleted: TestSeveralRoles"},
	"a word for any use":             {wants(belay.MarkRemove, "Remove use of the hyphen"), []*syntax.File{file("a_test.go", goHead+goOther("TestUsesTwo", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "question a_test.go:0 test deleted: TestUsesTwo"},
	"with its feature":               {wants(belay.MarkRemove, "Remove the proxy option from the client"), []*syntax.File{file("a_test.go", goHead+goOther("TestProxyOption", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "warning a_test.go:0 test deleted: TestProxyOption"},
	"without its feature":            {wants(belay.MarkRemove, "Remove the proxy option from the client"), []*syntax.File{file("a_test.go", goHead+goOther("TestClient", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "question a_test.go:0 test deleted: TestClient"},
	"by what they do":                {wants(belay.MarkRemove, "remove the unicode host test"), []*syntax.File{file("test_a.py", "def test_environ():\n    assert client.get('/', headers={'HTTP_HOST': 'x'}) == 400\n\n\ndef test_b():\n    assert g(2)\n", "def test_b():\n    assert g(2)\n")}, "note test_a.py:0 test deleted: test_environ"},
	"one word of two":                {wants(belay.MarkRemove, "Remove WEBrick"), []*syntax.File{file("test/a_test.rb", "test 'includes webrick' do\n  assert_equal 1, f\nend\n\ntest 'b' do\n  assert_equal 2, g\nend\n", "test 'b' do\n  assert_equal 2, g\nend\n")}, "warning test/a_test.rb:0 test deleted: includes webrick"},
	"a revert":                       {wants(belay.MarkModify, "Revert \"Add half\""), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "warning a_test.go:0 test deleted: TestA"},
	"only tests":                     {wants(belay.MarkAdd, "cover more"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "parse(4711)")+goOther("TestB", "g(2)"), goHead+goOther("TestWide", "parse(1, 2, 3, 4, 5, 6, 7, 8, 9)")+goOther("TestB", "g(2)"))}, "warning a_test.go:0 test deleted: TestA"},
	"only tests, to fix":             {wants(belay.MarkFix, "fix the build"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "parse(4711)")+goOther("TestB", "g(2)"), goHead+goOther("TestWide", "parse(1, 2, 3, 4, 5, 6, 7, 8, 9)")+goOther("TestB", "g(2)"))}, "question a_test.go:0 test deleted: TestA"},
	"cleaned up":                     {wants(belay.MarkModify, "Cleanup unnecessary test case"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "warning a_test.go:0 test deleted: TestA"},
	"in its place":                   {nil, []*syntax.File{file("a_test.go", goHead+goOther("TestKept", "h()")+goOther("TestClearsWorlds", "clearAll(one)")+goOther("TestB", "g(2)"), goHead+goOther("TestKept", "h()")+goTest("TestBooksAfterClearKeepNumbers", "\tout := clearAll(three, four)\n\tif out != nil || len(more) > 0 {\n\t\tt.Fatal(out, more, 1, 2, 3)\n\t}\n")+goOther("TestB", "g(2)"))}, "warning a_test.go:0 test deleted: TestClearsWorlds"},
	"not in its place":               {nil, []*syntax.File{file("a_test.go", goHead+goOther("TestKept", "h()")+goOther("TestClearsWorlds", "clearAll(one)")+goOther("TestB", "g(2)"), goHead+goOther("TestKept", "h()")+goOther("TestB", "g(2)")+goTest("TestBooksAfterClearKeepNumbers", "\tout := clearAll(three, four)\n\tif out != nil || len(more) > 0 {\n\t\tt.Fatal(out, more, 1, 2, 3)\n\t}\n"))}, "question a_test.go:0 test deleted: TestClearsWorlds"},
	"its text is gone":               {nil, []*syntax.File{file("a.rb", "puts \"Use the other option\"\n", "nil\n"), file("a_test.rb", "class ATest\n  def test_hint\n    assert_match(/Use the other option/, out)\n  end\n\n  def test_b\n    assert b\n  end\nend\n", "class ATest\n  def test_b\n    assert b\n  end\nend\n")}, "warning a_test.rb:0 test deleted: ATest > test_hint"},
	"its text stays":                 {nil, []*syntax.File{file("a.rb", "puts \"Use the other option\"\n", "puts \"Use the other option\", 1\n"), file("a_test.rb", "class ATest\n  def test_hint\n    assert_match(/Use the other option/, out)\n  end\n\n  def test_b\n    assert b\n  end\nend\n", "class ATest\n  def test_b\n    assert b\n  end\nend\n")}, "question a_test.rb:0 test deleted: ATest > test_hint"},
	"by the words alone":             {ReadDeletionRequest(belay.Request{}, "Delete the obsolete test\n\nIt used to remove all tests"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "f(1)")+goOther("TestB", "g(2)"), goHead)}, "note a_test.go:0 test deleted: TestA\nquestion a_test.go:0 test deleted: TestB"},
	"by an item of its prose":        {ReadDeletionRequest(belay.Request{Requirements: []belay.Requirement{{Marker: belay.MarkModify, Text: "Use the linter for cycles"}}}, "Use the linter for cycles\n\n- Drop the test of TestA's cycles\n"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "cycles(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "note a_test.go:0 test deleted: TestA"},
	"cleaned up, misspelt":           {wants(belay.MarkAdd, "Cleanup unneccessary test case"), []*syntax.File{file("a_test.go", goHead+goOther("TestA", "f(1)")+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "warning a_test.go:0 test deleted: TestA"},
	"others of what is new":          {wants(belay.MarkAdd, "publish the protocols"), reworkedFiles("listed(1)"), "warning a_test.go:0 test deleted: TestRedirectPort"},
	"others, to fix":                 {wants(belay.MarkFix, "publish the protocols"), reworkedFiles("listed(1)"), "question a_test.go:0 test deleted: TestRedirectPort"},
	"others of what was":             {wants(belay.MarkAdd, "publish the protocols"), reworkedFiles("redirect(1)"), "question a_test.go:0 test deleted: TestRedirectPort"},
	"its type is gone":               {nil, []*syntax.File{file("a.py", "import ssl\n\n\nclass Context(ssl.Context):\n    pass\n", "import ssl\n\n\ndef make():\n    return ssl.Context()\n"), file("test_a.py", "def test_repr():\n    assert repr(a.Context()) == 'x'\n\n\ndef test_b():\n    assert g(2)\n", "def test_b():\n    assert g(2)\n")}, "warning test_a.py:0 test deleted: test_repr"},
	"its type is declared elsewhere": {nil, []*syntax.File{file("a.py", "class Context:\n    pass\n", "x = 1\n"), file("b.py", "x = 1\n", "class Context:\n    pass\n"), file("test_a.py", "def test_repr():\n    assert repr(a.Context()) == 'x'\n\n\ndef test_b():\n    assert g(2)\n", "def test_b():\n    assert g(2)\n")}, "question test_a.py:0 test deleted: test_repr"},
	"csharp: typed asserts":          {nil, []*syntax.File{file("ATests.cs", "class ATests {\n  [Fact]\n  public void A() { F().ShouldBeOfType<Late>().Name.ShouldBe(\"x\"); }\n}\n", "class ATests {\n  [Fact]\n  public void A() { F().ShouldBeOfType<List<Late>>(); }\n}\n")}, "warning ATests.cs:3 fewer assertions: ATests > A"},

	"with its function":      {nil, []*syntax.File{file("a.go", goHead+"func Half(x int) int { return x / 2 }\nfunc Two() int { return 2 }\n", goHead+"func Two() int { return 2 }\n"), file("a_test.go", goHead+goOther("TestHalf", "Half(2)")+goOther("TestTwo", "Two()"), goHead+goOther("TestTwo", "Two()"))}, "warning a_test.go:0 test deleted: TestHalf"},
	"its function stays":     {nil, []*syntax.File{file("a.go", goHead+"func Half(x int) int { return x / 2 }\n", goHead+"func Half(x int) int { return x >> 1 }\n"), file("a_test.go", goHead+goOther("TestHalf", "Half(2)")+goOther("TestTwo", "Two()"), goHead+goOther("TestTwo", "Two()"))}, "question a_test.go:0 test deleted: TestHalf"},
	"a variable is gone":     {nil, []*syntax.File{file("a.go", goHead+"func Half(x int) int {\n\tresult := x / 2\n\treturn result\n}\n", goHead+"func Half(x int) int { return x / 2 }\n"), file("a_test.go", goHead+goTest("TestHalf", "\tresult := Half(2)\n\tif result != 1 {\n\t\tt.Fatal(result)\n\t}\n")+goOther("TestTwo", "Two()"), goHead+goOther("TestTwo", "Two()"))}, "question a_test.go:0 test deleted: TestHalf"},
	"replaced":               {nil, []*syntax.File{file("a_test.go", goHead+goOther("TestParseEmptyInput", "parse(one, two)")+goOther("TestB", "g(2)"), goHead+goTest("TestParseEmptyString", "\tout, err := parse(three)\n\tif err != nil || out != nil || len(more) > 0 {\n\t\tt.Fatal(out, err, more)\n\t}\n")+goOther("TestB", "g(2)"))}, "warning a_test.go:0 test deleted: TestParseEmptyInput"},
	"another beside a third": {nil, []*syntax.File{file("a_test.go", goHead+goOther("TestParseEmptyInput", "parse(one, two)")+goTest("TestParseEmptyStrings", "\tout, err := parse(three)\n\tif err != nil || out != nil || len(more) > 0 {\n\t\tt.Fatal(out, err)\n\t}\n"), goHead+goTest("TestParseEmptyStrings", "\tout, err := parse(three)\n\tif err != nil || out != nil || len(more) > 0 {\n\t\tt.Fatal(out, err)\n\t}\n")+goTest("TestParseEmptyString", "\tout, err := parse(three)\n\tif err != nil || out != nil || len(more) > 0 {\n\t\tt.Fatal(out, err, more)\n\t}\n"))}, "question a_test.go:0 test deleted: TestParseEmptyInput"},
	"a copy of one that stays": {nil, []*syntax.File{file("a_test.go", goHead+goTest("TestOneFlag", "\tc := build(\"a\", 1)\n\tif out := c.run(); out != \"one\" {\n\t\tt.Fatal(out)\n\t}\n")+goTest("TestTwoFlags", "\tc := build(\"b\", 2)\n\tif out := c.run(); out != \"two\" {\n\t\tt.Fatal(out)\n\t}\n"),
		goHead+goTest("TestTwoFlags", "\tc := build(\"b\", 2)\n\tif out := c.run(); out != \"two\" {\n\t\tt.Fatal(out)\n\t}\n")+goTest("TestGroups", "\tc := build(\"c\", 3)\n\tif out := c.run(); out != \"three\" {\n\t\tt.Fatal(out)\n\t}\n"))}, "question a_test.go:0 test deleted: TestOneFlag"},
	"into another test": {nil, []*syntax.File{file("ATest.java", "class ATest {\n  @Test void type() { assertThrows(Late.class, run(after(50))); }\n  @Test void text() { Exception e = assertThrows(Exception.class, run(after(50))); assertEquals(\"late\", e.getMessage()); }\n}\n",
		"class ATest {\n  @Test void text() { Exception e = assertThrows(Late.class, run(after(50))); assertEquals(\"late\", e.getMessage()); }\n}\n")}, "warning ATest.java:0 test deleted: ATest > type"},
	"a twin is left":      {nil, []*syntax.File{file("a_test.py", "class TestA:\n    def test_x(self):\n        assert f(1, 2) == 3\n\n\nclass TestB:\n    def test_x(self):\n        assert f(1, 2) == 3\n", "class TestB:\n    def test_x(self):\n        assert f(1, 2) == 3\n")}, "warning a_test.py:0 test deleted: TestA > test_x"},
	"a twin elsewhere":    {nil, []*syntax.File{file("a_spec.rb", rubyTwins("one", "two"), rubyTwins("", "two"))}, "question a_spec.rb:0 test deleted: A > as one > waits"},
	"it never ran":        {nil, []*syntax.File{file("a_test.go", goHead+goTest("TestA", "\tt.Skip()\n"+asserting)+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, "warning a_test.go:0 test deleted: TestA"},
	"a benchmark":         {nil, []*syntax.File{file("a_test.go", goHead+"func BenchmarkA(b *testing.B) {\n\tfor b.Loop() {\n\t\tf()\n\t}\n}\n"+goOther("TestB", "g(2)"), goHead+goOther("TestB", "g(2)"))}, ""},
	"made a benchmark":    {nil, []*syntax.File{file("a_test.go", goHead+goTest("TestA", asserting)+goOther("TestB", "g(2)"), goHead+"func BenchmarkA(b *testing.B) {\n"+asserting+"}\n\n"+goOther("TestB", "g(2)"))}, "question a_test.go:0 test deleted: TestA"},
	"rust: with its code": {nil, []*syntax.File{file("src/a.rs", "pub fn f() -> u8 { 1 }\n#[test]\nfn a() { assert_eq!(f(), 1); }\n", "")}, "warning src/a.rs:0 test file deleted: src/a.rs"},
	"rust: a test file":   {nil, []*syntax.File{file("tests/a.rs", "#[test]\nfn a() { assert_eq!(f(), 1); }\n", "")}, "question tests/a.rs:0 test file deleted: tests/a.rs"},
	"a fixture":           {nil, []*syntax.File{file("test/fixtures/a/a.test.ts", "test('works', () => { expect(f()).toBe(1) })\n", "")}, "warning test/fixtures/a/a.test.ts:0 test file deleted: test/fixtures/a/a.test.ts"},
	"as text of another":  {nil, []*syntax.File{file("a.test.ts", "test('prints the long name', () => { expect(f()).toBe(1) })\n", ""), file("b.test.ts", "", "test('runs', async () => { expect(await run(`test('prints the long name', () => {})`)).toBe(0) })\n")}, "warning a.test.ts:0 test file deleted: a.test.ts"},
	"ruby: a condition":   {nil, []*syntax.File{file("spec/a_spec.rb", "describe A do\n  it 'a' do\n    expect(f).to eq 1\n  end\nend\n", "describe A do\n  it 'a', :skip => !old? do\n    expect(f).to eq 1\n  end\nend\n")}, "warning spec/a_spec.rb:2 test skipped conditionally: A > a"},
	"ruby: a reason":      {nil, []*syntax.File{file("spec/a_spec.rb", "describe A do\n  it 'a' do\n    expect(f).to eq 1\n  end\nend\n", "describe A do\n  it 'a', skip: 'later' do\n    expect(f).to eq 1\n  end\nend\n")}, "error spec/a_spec.rb:2 test skipped: A > a"},
	"csharp: own asserts": {nil, []*syntax.File{file("ATests.cs", "class ATests {\n  [Fact]\n  public void A() { Assert.Throws<Late>(() => F()); }\n}\n", "class ATests {\n  [Fact]\n  public void A() { ExceptionAssert.Throws<Late>(() => F()); }\n}\n")}, ""},
}

// rubyTwins returns a test with the same name in each of two contexts, except those with an empty
// name.
func rubyTwins(contexts ...string) string {
	var b strings.Builder
	b.WriteString("describe A do\n")
	for i, c := range []string{"one", "two"} {
		b.WriteString("  context 'as " + c + "' do\n    let(:limit) { " + c + " }\n\n")
		if contexts[i] != "" {
			b.WriteString("    it 'waits' do\n      expect(run(limit)).to eq(:waits)\n    end\n")
		}
		b.WriteString("  end\n\n")
	}
	return b.String() + "end\n"
}

// TestGone: a test that was deleted with its subject, replaced, merged, or deleted on request is no
// unexplained deletion; any other is.
func TestGone(t *testing.T) {
	t.Parallel()
	for name, c := range goneTable {
		t.Run(name, func(t *testing.T) {
			if got := told(Check(c.files, Rules{Deletions: c.want})); got != c.says {
				t.Errorf("\n got %s\nwant %s", got, c.says)
			}
		})
	}
}

// TestEverydayRequests: a request that only speaks of deletion allows no test to be lost; one that asks for it does.
func TestEverydayRequests(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"fix the memory drop in the tests",
		"find out why coverage dropped in the tests",
		"restore the deleted tests",
		"bring back the accidentally removed tests",
		"fix the crash when deleting a test suite",
		"handle users who delete test cases",
		"allow admins to delete test suites",
		"users can remove tests from a plan",
		"add support for deleting test cases",
		"fix removing a test case from the list",
		"the importer drops test cases with an empty name, fix it",
		"a bug removes the test files of other users",
		"prevent the sync from deleting tests",
		"don't let the generator delete tests",
		"warn before a person deletes test cases",
		"fix the merge of test suites",
		"document the move of the tests",
		"show the drop rate of tests in the report",
		"speed up the split of tests into shards",
		"make the retired tests pass again",
		"count the tests that were removed in the report",
		"fix the port of the tests",
		"a script that removes the old tests",
		"fix the script in the patch folder that removes tests",
		"the hook asks users to delete tests",
		"we need documentation about deleting tests",
		"the rewrite of the tests is slow",
		"fix the cleanup of the tests",
		"we do not need a rewrite of the tests",
		"the drop in m_test.go is odd",
		"restore the tests dropped from m_test.go",
		"a flag lets admins remove tests",
		"issue (3) users removed tests",
		"an item should be removed from the test suite after a crash",
		"deleted users should be removed in the tests view",
	} {
		if s := wants(belay.MarkModify, text).Severity("m.TestOld", "TestOld", "m_test.go"); s != belay.SeverityError {
			t.Errorf("%s: %s", text, s)
		}
	}
	for _, text := range []string{
		"remove the old tests",
		"drop the tests of the parser",
		"delete the flaky tests and add a new one",
		"removed the outdated tests",
		"Removes unused tests",
		"this removes the obsolete tests",
		"please drop all tests in m_test.go",
		"update the docs, then remove the legacy tests",
		"speed up the build by removing slow tests",
		"you can delete the old tests",
		"could you delete the old tests",
		"we should get rid of the old tests",
		"get rid of the duplicate tests",
		"clean up: drop dead tests",
		"in the parser drop the old tests",
		"start by deleting the obsolete tests",
		"the old tests are wrong, so delete the old tests",
		"I want you to remove the old tests",
		"refactor m.go and drop its tests",
		"merge the tests into one table",
		"move the tests to other_test.go",
		"rewrite the tests with a table",
		"consider removing the old tests",
		"finish removing the old tests",
		"The obsolete tests should be removed from m_test.go",
		"delete from m_test.go the tests of Half",
		"Open a PR that removes the old tests",
		"write a patch which deletes the flaky tests",
		"do a rewrite of the tests",
		"we need a refactoring of the tests",
		"do a cleanup of the tests",
		"I ask you to remove the old tests",
		"lets please remove the old tests",
		"this is about removing the old tests",
		"Plan for deleting the old tests",
		"(3) removed the old tests",
		"[parser] drops the old tests",
		"#12 removed the old tests",
	} {
		if s := wants(belay.MarkModify, text).Severity("m.TestOld", "TestOld", "m_test.go"); s == belay.SeverityError {
			t.Errorf("%s: %s", text, s)
		}
	}
}

// TestMarkedAsRemoved: what is marked as to be removed is so also if its words have a verb that is none there.
func TestMarkedAsRemoved(t *testing.T) {
	t.Parallel()
	for text, lost := range map[string]bool{"the tests of the drop command": true, "do not remove tests": false} {
		s := wants(belay.MarkRemove, text).Severity("m.TestDrop", "TestDrop", "m_test.go")
		if (s != belay.SeverityError) != lost {
			t.Errorf("%s: %s", text, s)
		}
	}
}

// TestSkipRequests: a request for a skip allows it, one that only speaks of one does not.
func TestSkipRequests(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]belay.Severity{
		"TestOld: add the skip mark":               belay.SeverityNote,
		"put a skip on TestOld":                    belay.SeverityNote,
		"add a skip mark to TestOld":               belay.SeverityNote,
		"skip TestOld":                             belay.SeverityNote,
		"fix the skip of TestOld":                  belay.SeverityError,
		"remove the skip mark of TestOld":          belay.SeverityError,
		"find out who put the ignored tests there": belay.SeverityError,
	} {
		r := ReadSkipRequest([]belay.Requirement{{Marker: belay.MarkModify, Text: text}})
		if s := r.Severity("m.TestOld", "TestOld", "m_test.go"); s != want {
			t.Errorf("%s: %s", text, s)
		}
	}
}
