package testrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"
)

// TestReproduce: the ids are those of recorded reports (internal/check/results).
func TestReproduce(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"go.mod": "module example.com/tiny\n", "package.json": `{"scripts": {"test": "vitest run --config v.mjs --coverage"}}`, "Gemfile": "", "mvnw": "",
		"tests/test_a.py": "", "tests/test_b.py": "", "calc.test.js": "", "t/a.test.js": "", "test/calc.js": "", "spec/calc_spec.rb": "", "a.test.mjs": "",
	}
	root := t.TempDir()
	for name, text := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		command, format, test, pkg string
		file                       string
		line                       int
		want                       string
	}{
		{"go test -json ./...", testreport.GoTest, "example.com/tiny/fails.TestBad", "example.com/tiny/fails", "", 0, "go test -run '^TestBad$' ./fails"},
		{"go test -json -race -tags e2e -count=1 ./...", testreport.GoTest, "example.com/tiny.TestBad", "example.com/tiny", "", 0, "go test -race -tags e2e -run '^TestBad$' ."},
		{"go test -json ./...", testreport.GoTest, "example.com/tiny/fails.TestTable/two_words", "example.com/tiny/fails", "", 0, "go test -run '^TestTable$/^two_words$' ./fails"},
		{"go test -json ./...", testreport.GoTest, "example.com/tiny/broken", "example.com/tiny/broken", "", 0, "go test ./broken"},
		{"make test", testreport.Go, "example.com/tiny/bad.TestC", "example.com/tiny/bad", "", 0, "go test -run '^TestC$' ./bad"},
		{"cd sub && make test", testreport.Go, "example.com/other/bad.TestC", "example.com/other/bad", "", 0, "go test -run '^TestC$' example.com/other/bad"},
		{"pytest -q", testreport.Pytest, "tests/test_b.py::TestShop::test_cart[two words]", "", "tests/test_b.py", 21, "pytest 'tests/test_b.py::TestShop::test_cart[two words]'"},
		{"uv run pytest -c a.ini -x", testreport.Pytest, "tests/test_a.py::test_adds", "", "tests/test_a.py", 8, "uv run pytest -c a.ini tests/test_a.py::test_adds"},
		{`python3 -m pytest -q --junitxml="$BELAY_REPORTS/pytest.xml"`, testreport.JUnit, "tests.test_a.test_bad[1-<x>]", "tests.test_a", "tests/test_a.py", 8, `python3 -m pytest 'tests/test_a.py::test_bad[1-<x>]'`},
		{"python3 -m pytest", testreport.JUnit, "tests.test_a.TestShop.test_bad[1-<x>]", "tests.test_a.TestShop", "tests/test_a.py", 8, "python3 -m pytest 'tests/test_a.py::TestShop::test_bad[1-<x>]'"},
		{"python3 -m pytest", testreport.JUnit, "tests.test_a.test_both", "tests.test_a", "src/shop.py", 3, "python3 -m pytest -k test_both"},
		{"npx jest --ci", testreport.Jest, "calc.test.js > calc › divides by 2.5", "", "calc.test.js", 3, `npx jest -t '^calc divides by 2\.5$' calc.test.js`},
		{"npm test", testreport.Vitest, "calc.test.js > calc > divides", "", "calc.test.js", 2, "npx vitest run --config v.mjs -t 'calc divides' calc.test.js"},
		{"npm test", testreport.JUnit, "a.test.mjs.shop > fails", "a.test.mjs", "a.test.mjs", 2, "npx vitest run --config v.mjs -t 'shop fails' a.test.mjs"},
		{"mocha", testreport.Mocha, "calc > deep > halves", "", "test/calc.js", 2, "mocha -f 'calc deep halves' test/calc.js"},
		{"npx ava", testreport.AVA, "divides", "", "", 0, "npx ava --match=divides"},
		{"node --test", testreport.Node, "inner bad", "", "t/a.test.js", 7, "node --test '--test-name-pattern=^inner bad$' t/a.test.js"},
		{"cargo test --no-fail-fast", testreport.Cargo, "demo::tests::does_not", "demo", "src/lib.rs", 23, "cargo test tests::does_not -- --exact"},
		{"cargo test", testreport.Cargo, "demo lib test", "", "", 0, "cargo test"},
		{"mvn -q test", testreport.Maven, "x.FooTest.bad", "", "", 0, "mvn '-Dtest=x.FooTest#bad' -Dsurefire.failIfNoSpecifiedTests=false test"},
		{"make check", testreport.Maven, "FooTest.bad(int)[1]", "", "", 0, "./mvnw '-Dtest=FooTest#bad' -Dsurefire.failIfNoSpecifiedTests=false test"},
		{"./gradlew test", testreport.JUnit, "com.x.FooTest.bad", "com.x.FooTest", "", 0, "./gradlew test --tests com.x.FooTest.bad"},
		{"python3 -m unittest -v", testreport.Unittest, "test_calc.CalcTest.test_halves", "", "", 0, "python3 -m unittest test_calc.CalcTest.test_halves"},
		{"vendor/bin/phpunit", testreport.PHPUnit, "CalcTest::testHalves", "", "", 0, `vendor/bin/phpunit --filter '/CalcTest::testHalves\b/'`},
		{"bundle exec rspec", testreport.RSpec, "spec/calc_spec.rb > calc divides", "", "spec/calc_spec.rb", 3, "bundle exec rspec spec/calc_spec.rb:3"},
		{"dotnet test --logger trx", testreport.TRX, "Shop.CartTests.Totals(1, 2)", "", "", 0, "dotnet test --filter 'FullyQualifiedName~Shop.CartTests.Totals'"},
		{"dotnet test", testreport.Dotnet, "Heat.Tests.CelsiusTests.Boils", "", "", 0, "dotnet test --filter FullyQualifiedName=Heat.Tests.CelsiusTests.Boils"},
		// A test that cannot be selected gets the complete command.
		{"./check.sh", testreport.TAP, "b", "", "", 0, "./check.sh"},
		{"sh -c 'exit 1'", testreport.Exit, "sh -c 'exit 1'", "", "", 0, "sh -c 'exit 1'"},
		{"cd sub && pytest", testreport.JUnit, "tests.test_a.test_x", "tests.test_a", "tests/test_a.py", 1, "cd sub && pytest"},
		{"go test ./...", testreport.GoTest, "example.com/tiny.Test" + strings.Repeat("X", 500), "example.com/tiny", "", 0, "go test ./..."},
		{"pytest", testreport.Pytest, "tests/test_a.py::test_x['; rm -rf / #]", "", "tests/test_a.py", 1, `pytest 'tests/test_a.py::test_x['\''; rm -rf / #]'`},
	} {
		how := newReproducer(root, belay.TestCommand{Command: c.command, Format: c.format}, c.format)
		if got := how.command(testreport.Failure{Test: c.test, Package: c.pkg}, c.file, c.line); got != c.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", c.command, c.test, got, c.want)
		}
	}
}

// TestReproduceRuns runs the proposed command for a Go test and its subtest: it fails, and no other
// test runs.
func TestReproduceRuns(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.com/tiny\n\ngo 1.24\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tt.Run(\"two words\", func(t *testing.T) { t.Fatal(\"wrong\") })\n\tt.Run(\"other\", func(t *testing.T) { t.Fatal(\"other\") })\n}\n\nfunc TestAB(t *testing.T) { t.Fatal(\"too much\") }\n",
	} {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	how := newReproducer(root, belay.TestCommand{Command: "go test -json ./...", Format: testreport.GoTest}, testreport.GoTest)
	line := how.command(testreport.Failure{Test: "example.com/tiny/a.TestA/two_words", Package: "example.com/tiny/a"}, "", 0)
	c := exec.Command("sh", "-c", line)
	c.Dir = root
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "wrong") || strings.Contains(string(out), "other") || strings.Contains(string(out), "too much") {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
}
