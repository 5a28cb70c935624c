package testdiff

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/syntax"
)

// TestDeaf has unchanged assertions that can no longer fail their test, and some that only seem so.
func TestDeaf(t *testing.T) {
	t.Parallel()
	const never, caught = "assertion is never reached: ", "failed assertion is caught: "
	golang := func(condition string) string {
		return goHead + goTest("TestA", strings.Replace(asserting, "got != 1", condition, 1))
	}
	python := func(body string) string { return "def test_a():\n" + body }
	script := func(body string) string { return "it('a', () => {\n  " + body + "\n})\n" }
	java := func(body string) string { return "class ATest {\n  @Test void a() {\n    " + body + "\n  }\n}\n" }
	ruby := func(body string) string { return "describe A do\n  it 'a' do\n    " + body + "\n  end\nend\n" }
	rust := func(head, body string) string { return head + "#[test]\nfn a() { " + body + " }\n" }
	const caughtInPython = "    try:\n        assert f() == 1\n    except AssertionError:\n        pass\n"
	for name, c := range map[string]struct {
		path, before, after, want string
	}{
		"go: && false":     {"a_test.go", golang("got != 1"), golang("got != 1 && false"), "error a_test.go:5 " + never + "TestA"},
		"go: false &&":     {"a_test.go", golang("got != 1"), golang("false && got != 1"), "error a_test.go:5 " + never + "TestA"},
		"go: || false":     {"a_test.go", golang("got != 1"), golang("got != 1 || false"), ""},
		"go: a flag":       {"a_test.go", golang("got != 1"), golang("strict && got != 1"), ""},
		"go: compared":     {"a_test.go", golang("got != 1"), golang("got != 1 && ok == false"), ""},
		"go: in a text":    {"a_test.go", golang("got != 1"), golang(`got != 1 && s != "x && false"`), ""},
		"go: was there":    {"a_test.go", golang("got != 1 && false"), golang("got != 1 && (false)"), ""},
		"go: taken back":   {"a_test.go", golang("got != 1 && false"), golang("got != 1"), ""},
		"go: a new test":   {"a_test.go", goHead, golang("false"), "warning a_test.go:5 new test cannot fail: TestA"},
		"go: in a helper":  {"a_test.go", goHead + "func same(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Fatal(a, b)\n\t}\n}\n", goHead + "func same(t *testing.T, a, b int) {\n\tif a != b && false {\n\t\tt.Fatal(a, b)\n\t}\n}\n", "warning a_test.go:0 fewer assertions outside tests: a_test.go"},
		"python: if False": {"test_a.py", python("    assert f() == 1\n"), python("    if False:\n        assert f() == 1\n"), "error test_a.py:3 " + never + "test_a"},
		"python: if False and": {"test_a.py", python("    if linux():\n        assert f() == 1\n"), python("    if False and linux():\n        assert f() == 1\n"),
			"error test_a.py:3 " + never + "test_a"},
		"python: or True":      {"test_a.py", python("    assert f() == 1\n"), python("    assert True or f() == 1\n"), "error test_a.py:2 assertion that always passes: test_a"},
		"python: a condition":  {"test_a.py", python("    assert f() == 1\n"), python("    if linux() and not False:\n        assert f() == 1\n"), ""},
		"python: caught":       {"test_a.py", python("    assert f() == 1\n"), python(caughtInPython), "error test_a.py:3 " + caught + "test_a"},
		"python: was caught":   {"test_a.py", python(caughtInPython), python(caughtInPython + "    assert g()\n"), ""},
		"python: all caught":   {"test_a.py", python("    assert f() == 1\n"), python(strings.Replace(caughtInPython, " AssertionError", "", 1)), "error test_a.py:3 " + caught + "test_a"},
		"python: another":      {"test_a.py", python("    assert f() == 1\n"), python(strings.Replace(caughtInPython, "AssertionError", "KeyError", 1)), ""},
		"python: raised again": {"test_a.py", python("    assert f() == 1\n"), python(strings.Replace(caughtInPython, "pass", "raise", 1)), ""},
		"python: told":         {"test_a.py", python("    assert f() == 1\n"), python(strings.Replace(caughtInPython, "pass", "print('no')", 1)), "warning test_a.py:3 " + caught + "test_a"},
		"python: cleaned up":   {"test_a.py", python("    assert f() == 1\n"), python("    try:\n        assert f() == 1\n    finally:\n        close()\n"), ""},
		"python: expected":     {"test_a.py", python("    assert f() == 1\n"), python("    assert f() == 1\n    try:\n        g()\n    except Exception:\n        pass\n"), ""},
		"python: tried again":  {"test_a.py", python("    assert f() == 1\n"), python("    for _ in range(3):\n        try:\n            assert f() == 1\n            return\n        except AssertionError:\n            pass\n"), "warning test_a.py:4 " + caught + "test_a"},
		"script: if (false)":   {"a.test.ts", script("expect(f()).toBe(1)"), script("if (false && x) { expect(f()).toBe(1) }"), "error a.test.ts:2 " + never + "a"},
		"script: a condition":  {"a.test.ts", script("expect(f()).toBe(1)"), script("if (x !== false) { expect(f()).toBe(1) }"), ""},
		"script: caught":       {"a.test.ts", script("expect(f()).toBe(1)"), script("try { expect(f()).toBe(1) } catch (e) {}"), "error a.test.ts:2 " + caught + "a"},
		"script: handed on":    {"a.test.ts", script("expect(f()).toBe(1)"), script("try { expect(f()).toBe(1) } catch (e) { done(e) }"), ""},
		"script: of the code":  {"a.test.ts", script("expect(f()).toBe(1)"), script("try { g() } catch {}\n  expect(f()).toBe(1)"), ""},
		"java: caught":         {"ATest.java", java("assertEquals(1, f());"), java("try { assertEquals(1, f()); } catch (Throwable t) {}"), "error ATest.java:3 " + caught + "ATest > a"},
		"java: an exception":   {"ATest.java", java("assertEquals(1, f());"), java("try { assertEquals(1, f()); } catch (IOException t) {}"), ""},
		"ruby: caught":         {"spec/a_spec.rb", ruby("expect(f).to eq 1"), ruby("begin\n      expect(f).to eq 1\n    rescue Exception\n    end"), "error spec/a_spec.rb:4 " + caught + "A > a"},
		"ruby: may be caught":  {"spec/a_spec.rb", ruby("expect(f).to eq 1"), ruby("begin\n      expect(f).to eq 1\n    rescue\n    end"), "warning spec/a_spec.rb:4 " + caught + "A > a"},
		"ruby: another":        {"spec/a_spec.rb", ruby("expect(f).to eq 1"), ruby("begin\n      expect(f).to eq 1\n    rescue KeyError\n    end"), ""},
		"ruby: if false":       {"spec/a_spec.rb", ruby("expect(f).to eq 1"), ruby("expect(f).to eq 1 if false"), "error spec/a_spec.rb:3 " + never + "A > a"},
		"rust: has to panic":   {"tests/a.rs", rust("", "assert_eq!(f(), 1);"), rust("#[should_panic]\n", "assert_eq!(f(), 1);"), "error tests/a.rs:1 test must now panic: a"},
		"rust: changed":        {"tests/a.rs", rust("", "assert_eq!(f(), 1);"), rust("#[should_panic(expected = \"x\")]\n", "f();"), "warning tests/a.rs:1 test must now panic: a"},
		"rust: had to":         {"tests/a.rs", rust("#[should_panic]\n", "f();"), rust("#[should_panic(expected = \"x\")]\n", "f();"), ""},
		"rust: a new test":     {"tests/a.rs", rust("", "assert_eq!(f(), 1);"), rust("", "assert_eq!(f(), 1);") + "#[test]\n#[should_panic]\nfn b() { g(); }\n", ""},
		"rust: && false":       {"tests/a.rs", rust("", "if x { assert_eq!(f(), 1); }"), rust("", "if x && false { assert_eq!(f(), 1); }"), "error tests/a.rs:2 " + never + "a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := told(Check([]*syntax.File{file(c.path, c.before, c.after)}, Rules{})); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}
