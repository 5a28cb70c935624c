package testrun

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testreport"
)

// mostAgain is how many new failures are run again. Where more fail at once it is no
// accident.
const mostAgain = 20

// sort tells failures that are new from those known before the task, those that come
// and go, and says what is fixed.
func (r *testRun) sort(ctx context.Context) {
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
			r.known = append(r.known, f)
		} else {
			r.fresh = append(r.fresh, f)
		}
	}
	if r.onlyReportedFailed() && r.names() && r.in.Baseline.Format != testreport.Exit {
		for _, f := range r.in.Baseline.Failures {
			switch {
			case failing[f.Test]:
			case r.passes(f.Test):
				r.fixed = append(r.fixed, f.Test)
			default:
				r.unrun = append(r.unrun, f.Test)
			}
		}
	}
	few := len(r.fresh) > 0 && len(r.fresh) <= mostAgain
	ended := !r.ending.Cut && ctx.Err() == nil
	if few && ended && r.in.Before != nil && (r.names() || !Demanded(r.in.Command)) {
		r.again(ctx)
	}
	r.compare(ctx, failing)
}

// passes reports whether a test that does not fail any more passed. One that was deleted,
// renamed or skipped is not fixed. Where the report has no names of tests that passed, at
// least as many tests as before have to have run.
func (r *testRun) passes(test string) bool {
	if r.report.NamesPasses() {
		return r.report.HasPassed(test)
	}
	return r.report.Total-r.report.Skipped >= r.in.Baseline.Total-r.in.Baseline.Skipped
}

// Demanded reports whether the command is one that a person gave for this very task: where
// it says only whether it passes, it has to pass after the task, whatever it said before.
func Demanded(c belay.TestCommand) bool {
	return c.From == "flag" && (c.Format == "" || c.Format == testreport.Exit) && !c.KnownFailures
}

// onlyReportedFailed reports whether every test that is missing from the report passed.
func (r *testRun) onlyReportedFailed() bool {
	ended := r.ending.Failed == nil && !r.ending.Cut && r.broken == ""
	return ended && r.in.Baseline != nil && !r.report.Incomplete && r.report.Total > 0
}

// again runs what fails for the first time once more, here and on the before state. A
// test is flaky when it passes here now, known when it fails there; everything else,
// what could not be run again included, stays new.
func (r *testRun) again(ctx context.Context) {
	command := narrowed(r.in.Command, r.fresh)
	here, ok := r.failed(ctx, command, r.in.Root)
	if !ok {
		return
	}
	r.fresh, r.flaky = partition(r.fresh, here)
	if len(r.fresh) == 0 {
		return
	}
	root, done, err := r.in.Before(ctx)
	if err != nil {
		return
	}
	defer done()
	if there, ok := r.failed(ctx, command, root); ok {
		var known []testreport.Failure
		known, r.fresh = partition(r.fresh, there)
		r.known = append(r.known, known...)
	}
}

// partition splits failures into those that are in the set and those that are not.
func partition(all []testreport.Failure, set map[string]bool) (in, out []testreport.Failure) {
	for _, f := range all {
		if set[f.Test] {
			in = append(in, f)
		} else {
			out = append(out, f)
		}
	}
	return in, out
}

// failed runs command in root and gives the ids of what failed. ok is false when that
// could not be told: when they were names before and are none now, or the other way
// round, for one.
func (r *testRun) failed(ctx context.Context, command belay.TestCommand, root string) (ids map[string]bool, ok bool) {
	in, may, names := r.in, r.may, r.names()
	id := in.Command.String()
	if config.Written(command) != config.Written(in.Command) {
		may = may.Narrowed(command.Args)
	}
	in.Root, in.Command, in.Baseline, in.Before, in.Logs = root, command, nil, nil, nil
	run, err := newTestRun(ctx, in, may)
	if err != nil {
		return nil, false
	}
	defer run.close()
	run.run(ctx)
	run.read(ctx)
	run.stuck = run.obstacle()
	if ctx.Err() != nil || run.ending.Cut || run.ending.Failed != nil || run.crashed() || run.unable() {
		return nil, false
	}
	if run.ending.Code != 0 && run.names() != names {
		return nil, false
	}
	if run.format == testreport.Exit && !run.names() {
		return map[string]bool{id: run.ending.Code != 0}, true
	}
	if run.broken != "" || run.report.Incomplete && len(run.report.Failures) == 0 {
		return nil, false
	}
	ids = map[string]bool{}
	for _, f := range run.report.Failures {
		ids[f.Test] = true
	}
	return ids, true
}

// narrowed makes the command run little more than the failures, where the runner lets
// itself be told: go test takes packages and names. Others run whole.
func narrowed(c belay.TestCommand, failures []testreport.Failure) belay.TestCommand {
	args := c.Args
	if c.Command != "" && !strings.ContainsAny(c.Command, "|&;<>$`(){}*?[]~#'\"\\\n") {
		args = strings.Fields(c.Command)
	}
	last := len(args) - 1
	if c.Format != testreport.GoTest || last < 2 || args[0] != "go" || args[1] != "test" || args[last] != "./..." {
		return c
	}
	var packages, names []string
	for _, f := range failures {
		name, ok := strings.CutPrefix(f.Test, f.Package+".")
		if f.Package == "" || !ok || strings.ContainsAny(f.Package, " \t[") {
			return c // a package that does not build, or something else that has no name
		}
		name, _, _ = strings.Cut(name, "/")
		packages, names = append(packages, f.Package), append(names, regexp.QuoteMeta(name))
	}
	slices.Sort(packages)
	slices.Sort(names)
	run := "^(" + strings.Join(slices.Compact(names), "|") + ")$"
	c.Command, c.Args = "", slices.Concat(args[:last], []string{"-count=1", "-run", run}, slices.Compact(packages))
	return c
}
