package testrun

import (
	"context"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/testreport"
)

// noTests is what runners print when they end with an error because there is nothing to
// run; pytest has an exit code for it as well.
var noTests = []struct {
	words string
	code  int // 0 for any but success
}{
	{"no packages to test", 0},                    // go test
	{"no targets specified in the manifest", 0},   // cargo
	{"No tests found, exiting with code", 0},      // jest
	{"No test files found, exiting with code", 0}, // vitest
	{"Error: No test files found", 0},             // mocha
	{"no tests ran in", 5},                        // pytest
}

// nothingToDo is what make prints where a target has nothing to do: a folder is called test.
var nothingToDo = lazyregexp.New(`^(?:g?make(?:\[\d+\])?: (?:Nothing to be done for |[^\n]* is up to date|` +
	`(?:Entering|Leaving) directory )[^\n]*\n?)+$`)

// noTestsTexts are what runners print that end well although they ran no test, where they
// print no sums.
var noTestsTexts = []string{"No tests found, exiting with code 0", "No test files found, exiting with code 0",
	"testing: warning: no tests to run", "No tests executed!", "NO TESTS RAN", "No specs found", "no tests ran in", "No tests were found"}

// ranNone tells of a command that ended well and, as its runner says, ran no test. Where
// another runner that spoke as well ran one, its words are not read at all.
func (r *testRun) ranNone() bool {
	said := r.output.Last(64 << 10)
	if one, ok, _ := testreport.ReadAnyPlain(r.output.Reader()); ok {
		return one.Total == 0 && !one.Incomplete && !somePassed.MatchString(said)
	}
	if nothingToDo.MatchString(said) {
		return true
	}
	last := r.output.Last(4 << 10)
	for _, words := range noTestsTexts {
		if strings.Contains(last, words) && !somePassed.MatchString(said) {
			return true
		}
	}
	return false
}

// somePassed finds a count of tests of any runner.
var somePassed = lazyregexp.New(`(?i)\b[1-9]\d* (?:\w+ )?(?:tests?|examples?|specs?|runs|passed|passing|pass|` +
	`assertions?)\b|\b(?:tests?(?: run)?|passed|pass):? +[1-9]`)

// foundNoTests tells of a runner that failed because it found no test at all.
func (r *testRun) foundNoTests() bool {
	if r.ending.Code == 0 || r.ending.Cut || r.ending.Failed != nil || r.namesTests() && r.report.Total > 0 {
		return false
	}
	said := r.output.Last(4 << 10)
	for _, n := range noTests {
		if strings.Contains(said, n.words) && (n.code == 0 || n.code == r.ending.Code) {
			return true
		}
	}
	return false
}

// noneBefore reports whether there were no tests before the task either. Where nobody
// looked, the command runs there: a project without tests is not held up for it.
func (r *testRun) noneBefore(ctx context.Context) bool {
	if b := r.in.Baseline; b != nil {
		return b.Total == 0 && !b.Incomplete
	}
	_, there := r.runBefore(ctx)
	return there.Skipped
}

// failedSoBefore reports whether the command failed before the task, too, without naming
// a test: a limit of coverage, say. It asks only where the before state could not be
// told from the beginning, since the command runs once more for it.
func (r *testRun) failedSoBefore(ctx context.Context) bool {
	if r.in.Baseline != nil || IsDemanded(r.in.Command) && !r.namesTests() {
		return false
	}
	report, there := r.runBefore(ctx)
	return IsUnexplained(report, there)
}

// IsUnexplained tells of a command that failed and named no test that did. Whatever it
// reported, it proves nothing about the tests.
func IsUnexplained(report testreport.Report, said belay.CheckResult) bool {
	return said.Verdict == belay.VerdictFail && len(report.Failures) == 0
}

// runBefore runs the command on the before state.
func (r *testRun) runBefore(ctx context.Context) (testreport.Report, belay.CheckResult) {
	if r.in.Checkout == nil || ctx.Err() != nil {
		return testreport.Report{}, belay.CheckResult{}
	}
	root, done, err := r.in.Checkout(ctx)
	if err != nil {
		return testreport.Report{}, belay.CheckResult{}
	}
	defer done()
	return Run(ctx, Input{Root: root, Env: r.in.Env, Command: r.in.Command, May: r.in.May,
		Baseline: &testreport.Report{}, Grace: r.in.Grace})
}
