package suite

import (
	"context"
	"strings"

	"github.com/belay-dev/belay/internal/check/results"
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

// nothing tells of a runner that failed because it found no test at all.
func (r *testRun) nothing() bool {
	if r.ending.Code == 0 || r.ending.Cut || r.ending.Failed != nil || r.names() && r.report.Total > 0 {
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

// noneBefore tells whether there were no tests before the task either. Where nobody
// looked, the command runs there: a project without tests is not held up for it.
func (r *testRun) noneBefore(ctx context.Context) bool {
	if b := r.in.Baseline; b != nil {
		return b.Total == 0 && !b.Incomplete
	}
	if r.in.Before == nil || ctx.Err() != nil {
		return false
	}
	root, done, err := r.in.Before(ctx)
	if err != nil {
		return false
	}
	defer done()
	_, there := Run(ctx, Input{Root: root, Env: r.in.Env, Command: r.in.Command, Baseline: &results.Report{}, Grace: r.in.Grace})
	return there.Skipped
}
