package testrun

import (
	"context"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/testreport"
)

// noTests is what runners print when they fail because there is nothing to run; pytest also has an
// exit code for it.
var noTests = []struct {
	words string
	code  int // 0 for any code except success
}{
	{"no packages to test", 0},                    // go test
	{"no targets specified in the manifest", 0},   // cargo
	{"No tests found, exiting with code", 0},      // jest
	{"No test files found, exiting with code", 0}, // vitest
	{"Error: No test files found", 0},             // mocha
	{"no tests ran in", 5},                        // pytest
}

// nothingToDo matches the output of make if a target has nothing to do, because a folder is named
// test.
var nothingToDo = lazyregexp.New(`^(?:g?make(?:\[\d+\])?: (?:Nothing to be done for |[^\n]* is up to date|` +
	`(?:Entering|Leaving) directory )[^\n]*\n?)+$`)

// noTestsTexts is the output of runners that succeed although they ran no test, if they print no
// totals.
var noTestsTexts = []string{"No tests found, exiting with code 0", "No test files found, exiting with code 0",
	"testing: warning: no tests to run", "No tests executed!", "NO TESTS RAN", "No specs found", "no tests ran in", "No tests were found"}

// ranNone reports whether a command succeeded and, according to its runner, ran no test. It is false
// if another runner in the same output ran one.
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

// somePassed matches a number of passed tests in any runner's output.
var somePassed = lazyregexp.New(`(?i)\b[1-9]\d* (?:\w+ )?(?:tests?|examples?|specs?|runs|passed|passing|pass|` +
	`assertions?)\b|\b(?:tests?(?: run)?|passed|pass):? +[1-9]`)

// foundNoTests reports whether a runner failed because it found no test.
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

// noneBefore reports whether there were no tests before the task either. Without a baseline, the
// command is run there, because a project without tests is not rejected for that.
func (r *testRun) noneBefore(ctx context.Context) bool {
	if b := r.in.Baseline; b != nil {
		return b.Total == 0 && !b.Incomplete
	}
	none := func(_ testreport.Report, there belay.CheckResult) bool { return there.Skipped }
	return none(r.runBefore(ctx, none))
}

// failedSoBefore reports whether the command also failed before the task without naming a test: for
// example because of a coverage limit. It runs the command once more, so it is only used if the
// before snapshot was not tested.
func (r *testRun) failedSoBefore(ctx context.Context) bool {
	if r.in.Baseline != nil || IsDemanded(r.in.Command) && !r.namesTests() {
		return false
	}
	return IsUnexplained(r.runBefore(ctx, IsUnexplained))
}

// IsUnexplained reports whether a command failed without naming a failed test. Its report then
// proves nothing about the tests.
func IsUnexplained(report testreport.Report, said belay.CheckResult) bool {
	return said.Verdict == belay.VerdictFail && len(report.Failures) == 0
}

// runBefore runs the command on the before snapshot. A result that excuses the work must be the same with the ignored files
// of the tree; those alone excuse nothing, because the agent may have made them.
func (r *testRun) runBefore(ctx context.Context, excuses func(testreport.Report, belay.CheckResult) bool) (testreport.Report,
	belay.CheckResult) {
	if r.in.Checkout == nil || ctx.Err() != nil {
		return testreport.Report{}, belay.CheckResult{}
	}
	var report testreport.Report
	var result belay.CheckResult
	run := func(root string, _ []string) {
		report, result = Run(ctx, Input{Root: root, Env: r.in.Env, Command: r.in.Command, May: r.in.May,
			Baseline: &testreport.Report{}, Grace: r.in.Grace})
	}
	if r.onBefore(ctx, false, run) && excuses(report, result) {
		r.onBefore(ctx, true, run)
	}
	return report, result
}
