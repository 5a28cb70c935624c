package testrun

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testreport"
	"github.com/belay-dev/belay/internal/testutil"
)

// runners are the runners with reports of four states in testdata/runners: three tests that pass,
// then one of them skipped, missing, and renamed. All were recorded from the runner itself, except
// xunit's, which follows its documented format.
var runners = []struct{ dir, name, command, format string }{
	{"go-json", "Go", "go test", testreport.GoTest},
	{"go-v", "Go", "go test -v in a script", ""},
	{"pytest-junit", "pytest", "python3 -m pytest --junitxml=…", testreport.JUnit},
	{"pytest", "pytest", "pytest -q", ""},
	{"unittest-verbose", "unittest", "python3 -m unittest -v", ""},
	{"unittest", "unittest", "python3 -m unittest", ""},
	{"jest-verbose", "jest", "jest --verbose", ""},
	{"jest", "jest", "jest", ""},
	{"vitest-verbose", "vitest", "vitest run --reporter=verbose", ""},
	{"vitest-junit", "vitest", "vitest run --reporter=junit", ""},
	{"vitest", "vitest", "vitest run", ""},
	{"mocha", "mocha", "mocha", ""},
	{"ava", "ava", "ava", ""},
	{"ava-tap", "ava", "ava --tap", testreport.TAP},
	{"node-tap", "node:test", "node --test (TAP)", ""},
	{"node-spec", "node:test", "node --test (spec)", ""},
	{"jasmine", "jasmine", "jasmine", ""},
	{"cargo", "cargo", "cargo test", testreport.Cargo},
	{"junit4", "JUnit 4", "Maven, Gradle, the console launcher", testreport.JUnit},
	{"junit5", "JUnit 5", "Maven, Gradle, the console launcher", testreport.JUnit},
	{"rspec", "RSpec", "rspec", ""},
	{"minitest-verbose", "minitest", "ruby test.rb -v", ""},
	{"minitest", "minitest", "ruby test.rb", ""},
	{"phpunit-junit", "PHPUnit", "phpunit --log-junit …", testreport.JUnit},
	{"phpunit", "PHPUnit", "phpunit", ""},
	{"xunit", "xUnit, NUnit, MSTest", "dotnet test --logger trx", testreport.TRX},
}

const runnersBegin, runnersEnd = "<!-- runners: go test ./internal/testrun -run TestRunners -update -->\n", "<!-- /runners -->"

// TestRunners compares each recorded report with that of the before snapshot, and verifies the
// table in the documentation.
func TestRunners(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| runner | command | passed → skipped | passed → gone | passed → another name |\n|---|---|---|---|---|\n")
	for _, r := range runners {
		base, _ := playRunner(t, r.dir, "before", r.format, nil)
		if base.Passed != 3 && base.Passed != 4 { // jest's has a second file
			t.Errorf("%s: %s before", r.dir, base)
		}
		fmt.Fprintf(&table, "| %s | `%s` |", r.name, r.command)
		for _, state := range []string{"skipped", "missing", "renamed"} {
			_, said := playRunner(t, r.dir, state, r.format, stored(t, base))
			cell := runnerCell(said)
			if state == "skipped" && said.Verdict != belay.VerdictFail {
				t.Errorf("%s: a skipped test is %s: %s", r.dir, said.Verdict, testutil.Told(said))
			}
			fmt.Fprintf(&table, " %s |", cell)
		}
		table.WriteString("\n")
	}
	const file = "../../docs/reports.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), runnersBegin)
	old, tail, closed := strings.Cut(rest, runnersEnd)
	switch {
	case !ok || !closed:
		t.Fatalf("%s has no table of runners", file)
	case old == table.String():
	case testutil.Updating():
		if err := os.WriteFile(file, []byte(head+runnersBegin+table.String()+runnersEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the recorded reports give:\n%s", file, table.String())
	}
}

// playRunner runs a command that writes a recorded report.
func playRunner(t *testing.T, dir, state, format string, base *testreport.Report) (testreport.Report, belay.CheckResult) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata/suite/runners", dir, state+".*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s, %s: %v %v", dir, state, files, err)
	}
	path, err := filepath.Abs(files[0])
	if err != nil {
		t.Fatal(err)
	}
	c := belay.TestCommand{Command: "cat " + path, Format: format}
	switch format {
	case testreport.JUnit, testreport.TRX:
		c.Command = `cp ` + path + ` "$BELAY_REPORTS/report.xml"`
	}
	if base == nil {
		base = &testreport.Report{}
	}
	return Run(t.Context(), Input{Root: testutil.Project(t, map[string]string{"x": ""}), Command: c, May: config.Anything(), Baseline: base})
}

// runnerCell returns a result as a cell of the table.
func runnerCell(said belay.CheckResult) string {
	for _, f := range said.Findings {
		if f.Severity == belay.SeverityNote && !strings.HasPrefix(f.Title, "only the exit") {
			continue
		}
		what := "warns"
		if f.Severity == belay.SeverityError {
			what = "**rejects**"
		}
		named := ", by name"
		if !strings.Contains(f.Title, ": ") {
			named = ", by count"
		}
		return what + named
	}
	return "not seen"
}
