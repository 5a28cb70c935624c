package testrun

import (
	"context"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testreport"
)

// maxReruns is how many new failures are run again. More failures at once are not flaky.
const maxReruns = 20

// sortFailures classifies failures as new, known before the task, or flaky, and finds the fixed
// ones.
func (r *testRun) sortFailures(ctx context.Context) {
	old := map[string]bool{}
	if b := r.in.Baseline; b != nil {
		for _, f := range b.Failures {
			old[f.Test] = true
		}
	}
	failing := map[string]bool{}
	for _, f := range r.report.Failures {
		failing[f.Test] = true
		if old[f.Test] {
			r.knownFailures = append(r.knownFailures, f)
		} else {
			r.newFailures = append(r.newFailures, f)
		}
	}
	if r.onlyReportedFailed() && r.namesTests() && r.in.Baseline.Format != testreport.Exit {
		for _, f := range r.in.Baseline.Failures {
			switch {
			case failing[f.Test]:
			case r.hasPassed(f.Test):
				r.fixed = append(r.fixed, f.Test)
			default:
				r.notRun = append(r.notRun, f.Test)
			}
		}
	}
	few := len(r.newFailures) > 0 && len(r.newFailures) <= maxReruns
	ended := !r.ending.Cut && ctx.Err() == nil
	if few && ended && r.in.Checkout != nil && (r.namesTests() || !IsDemanded(r.in.Command)) {
		r.rerunFailures(ctx)
	}
	r.findRegressions(ctx, failing)
}

// hasPassed reports whether a test that no longer fails has passed. A deleted, renamed or skipped
// test is not fixed. If the report does not name the tests that passed, at least as many tests as
// before must have run.
func (r *testRun) hasPassed(test string) bool {
	if r.report.HasAllPassNames() {
		return r.report.HasPassed(test)
	}
	return r.report.Total-r.report.Skipped >= r.in.Baseline.Total-r.in.Baseline.Skipped
}

// IsDemanded reports whether a person gave the command for this task: if it only reports whether it
// passes, it must pass after the task, whatever its result before.
func IsDemanded(c belay.TestCommand) bool {
	return c.From == "flag" && (c.Format == "" || c.Format == testreport.Exit) && !c.KnownFailures
}

// onlyReportedFailed reports whether every test that is missing from the report passed.
func (r *testRun) onlyReportedFailed() bool {
	ended := r.ending.Failed == nil && !r.ending.Cut && r.reportError == ""
	return ended && r.in.Baseline != nil && !r.report.Incomplete && r.report.Total > 0
}

// rerunFailures runs new failures once more, here and on the before snapshot. A test is flaky if it
// passes here now, known if it fails there; all others, including those that did not run again, stay new.
func (r *testRun) rerunFailures(ctx context.Context) {
	command := narrowCommand(r.in.Command, r.newFailures)
	here, ok := r.runAgain(ctx, command, r.in.Root)
	if !ok {
		return
	}
	r.flakyFailures, r.newFailures = partition(r.newFailures, func(test string) bool {
		return here.passed(test) || here.green && r.isFixture(test, here.report)
	})
	if len(r.flakyFailures) > 0 && here.complete {
		r.again = here.report
	}
	if len(r.newFailures) == 0 {
		return
	}
	var there secondRun
	if !r.onBefore(ctx, false, func(root string, _ []string) { there, ok = r.runAgain(ctx, command, root) }) || !ok {
		return
	}
	base := r.in.Baseline
	known, fresh := partition(r.newFailures, func(test string) bool {
		return there.failed[test] && !(base != nil && base.NeedsIgnored && base.HasPassed(test))
	})
	if len(known) > 0 {
		passing, failing := partition(known, r.passesWithIgnored(ctx, command))
		known, fresh = failing, append(fresh, passing...)
	}
	r.knownFailures, r.newFailures = append(r.knownFailures, known...), fresh
}

// onBefore calls run with a checkout of the before snapshot. With ignored, it has copies of the ignored files of the tree, for
// the lack of which a test may have failed in another one; it returns false without a call if there are none.
func (r *testRun) onBefore(ctx context.Context, ignored bool, run func(root string, copied []string)) bool {
	if ignored && r.in.CopyIgnored == nil {
		return false
	}
	root, done, err := r.in.Checkout(ctx)
	if err != nil {
		return false
	}
	defer done()
	var copied []string
	if ignored {
		if copied, r.lacking = r.in.CopyIgnored(ctx, root); len(copied) == 0 {
			return false
		}
	}
	run(root, copied)
	return true
}

// passesWithIgnored returns whether a test passes on the before snapshot with the ignored files of the tree.
func (r *testRun) passesWithIgnored(ctx context.Context, command belay.TestCommand) func(test string) bool {
	passed := func(string) bool { return false }
	r.onBefore(ctx, true, func(root string, copied []string) {
		if again, ok := r.runAgain(ctx, command, root); ok {
			passed = again.passed
		} else {
			r.lacking = append(r.lacking, copied...)
		}
	})
	return passed
}

// partition splits failures by their tests.
func partition(all []testreport.Failure, has func(test string) bool) (in, out []testreport.Failure) {
	for _, f := range all {
		if has(f.Test) {
			in = append(in, f)
		} else {
			out = append(out, f)
		}
	}
	return in, out
}

// secondRun is what a second run of the tests shows.
type secondRun struct {
	failed   map[string]bool
	report   testreport.Report
	complete bool // all tests of the command ran
	green    bool // and none failed
}

// passed reports whether a test ran again and passed.
func (s secondRun) passed(test string) bool {
	if s.failed[test] || !s.complete {
		return false
	}
	return s.report.HasPassed(test) || !s.report.HasAllPassNames()
}

// isFixture reports whether a failure cannot have been of a test, by a second run without failures: some runners name a
// fixture only if it fails. It had no result before the task and has none now.
func (r *testRun) isFixture(test string, again testreport.Report) bool {
	base := r.in.Baseline
	known := r.namesTests() && base != nil && base.HasAllPassNames() && again.HasAllPassNames()
	return known && again.Passed >= r.report.Passed && !again.HasSkipped(test) && !base.HasPassed(test) && !base.HasSkipped(test)
}

// runAgain runs command in root. ok is false if it is unknown which tests failed, for example if failures were named before
// and are not now, or the reverse.
func (r *testRun) runAgain(ctx context.Context, command belay.TestCommand, root string) (s secondRun, ok bool) {
	in, may, names := r.in, r.may, r.namesTests()
	id := in.Command.String()
	if config.Written(command) != config.Written(in.Command) {
		may = may.Narrowed(command.Args)
	}
	in.Root, in.Command, in.Baseline, in.Checkout, in.Logs = root, command, nil, nil, nil
	run, err := newTestRun(ctx, in, may)
	if err != nil {
		return s, false
	}
	defer run.close()
	run.run(ctx)
	run.readReport(ctx)
	run.blockedBy = run.findObstacle()
	if ctx.Err() != nil || run.ending.Cut || run.ending.Failed != nil || run.wasKilled() || run.isRunnerMissing() {
		return s, false
	}
	if run.ending.Code != 0 && run.namesTests() != names {
		return s, false
	}
	if run.format == testreport.Exit && !run.namesTests() {
		return secondRun{failed: map[string]bool{id: run.ending.Code != 0}, report: run.report, complete: true}, true
	}
	if run.reportError != "" || run.report.Incomplete && len(run.report.Failures) == 0 {
		return s, false
	}
	s = secondRun{failed: map[string]bool{}, report: run.report, complete: !run.report.Incomplete}
	for _, f := range run.report.Failures {
		s.failed[f.Test] = true
	}
	s.green = s.complete && run.ending.Code == 0 && len(s.failed) == 0
	return s, true
}

// narrowCommand makes go test run only the packages of the failures, all their tests in the same
// order: a test that fails because of a test before it would pass alone. Other commands are
// unchanged.
func narrowCommand(c belay.TestCommand, failures []testreport.Failure) belay.TestCommand {
	args := c.Args
	if c.Command != "" && !strings.ContainsAny(c.Command, "|&;<>$`(){}*?[]~#'\"\\\n") {
		args = strings.Fields(c.Command)
	}
	last := len(args) - 1
	if c.Format != testreport.GoTest || last < 2 || args[0] != "go" || args[1] != "test" || args[last] != "./..." {
		return c
	}
	var packages []string
	for _, f := range failures {
		if f.Package == "" || !strings.HasPrefix(f.Test, f.Package+".") || strings.ContainsAny(f.Package, " \t[") {
			return c // a package that does not build, or another failure without a name
		}
		packages = append(packages, f.Package)
	}
	slices.Sort(packages)
	c.Command, c.Args = "", slices.Concat(args[:last], []string{"-count=1"}, slices.Compact(packages))
	return c
}
