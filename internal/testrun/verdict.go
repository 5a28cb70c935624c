package testrun

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/testreport"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// What is said where the before state decides.
const (
	hadNone    = "no tests found"
	failedThen = "the test command failed before the task too, and its exit code does not separate old failures from new ones"
)

// mostTests is how many failing tests are findings of their own.
const mostTests = 50

// judge turns the ending and the report of a run into an answer. A failure that was
// seen is a fact whatever else went wrong; a pass needs a whole report and an exit
// code that agrees with it.
func (r *testRun) judge(ctx context.Context) belay.CheckResult {
	fresh, known := r.fresh, r.known
	switch {
	case r.ending.Cut:
		// Time ran out: what had failed by then is shown, but not held against the work.
		return r.answer(Unfinished(ctx), r.failures(fresh, "cut"), known)
	case r.ending.Failed != nil:
		return r.answer("could not run: "+r.ending.Failed.Error(), nil, nil)
	case r.nothing() && r.noneBefore(ctx):
		return belay.Skipped(Name, hadNone)
	case r.format == testreport.Exit:
		return r.judgeExit(ctx, fresh, known)
	case len(fresh) > 0:
		return r.answer("", r.failures(fresh, "new"), known)
	case r.unable():
		return r.answer("could not run: "+r.stuck.What, nil, known)
	case r.crashed():
		return r.answer("the test command "+r.ending.String()+", not sent by belay", nil, known)
	case r.ending.Code != 0 && len(known)+len(r.flaky) == 0 && r.failedSoBefore(ctx):
		return r.answer(failedThen, nil, nil)
	case r.ending.Code != 0 && len(known)+len(r.flaky) == 0:
		return r.answer("", []belay.Finding{r.unexplained()}, nil)
	case r.broken != "":
		return r.answer(r.broken, nil, known)
	case r.report.Incomplete:
		return r.answer("the report is incomplete: "+strings.Join(r.report.Warnings, "; "), nil, known)
	case r.report.Total == 0 && r.noneBefore(ctx):
		return belay.Skipped(Name, hadNone)
	case r.report.Total == 0:
		return r.answer("the test command succeeded but its report has no tests", nil, nil)
	}
	return r.answer("", nil, known)
}

// judgeExit judges by the exit code alone. Where the command failed before the task,
// another failure says nothing about it.
func (r *testRun) judgeExit(ctx context.Context, fresh, known []testreport.Failure) belay.CheckResult {
	switch {
	case r.unable():
		return r.answer("could not run: "+r.stuck.What, nil, nil)
	case r.crashed():
		return r.answer("the test command "+r.ending.String()+", not sent by belay", nil, nil)
	case r.ending.Code == 0 && r.report.Total == 0 && r.noneBefore(ctx):
		return belay.Skipped(Name, hadNone)
	case r.ending.Code == 0 && r.report.Total == 0:
		return r.answer("the test command succeeded but ran no tests: "+r.lastLine(), nil, nil)
	case len(known)+len(fresh) > 0 && !r.names() && Demanded(r.in.Command):
		f := r.unexplained()
		if r.failedBefore() {
			f.Detail = "it failed before the task too; a test command given for a task must pass afterwards " +
				"(--known-failures accepts the same failure)\n" + f.Detail
		}
		return r.answer("", []belay.Finding{f}, nil)
	case len(known) > 0 && !r.names() && r.in.Command.KnownFailures:
		if r.sameFailure() {
			return r.answer("", nil, known)
		}
		f := r.unexplained()
		f.Title = "the test command fails differently than before"
		return r.answer("", []belay.Finding{f}, nil)
	case len(known) > 0 && len(fresh) == 0 && !r.names(), len(fresh) > 0 && r.failedBefore() && !r.names():
		return r.answer(failedThen, nil, known)
	case len(fresh) > 0 && r.names():
		return r.answer("", r.failures(fresh, "new"), known)
	case len(fresh) > 0:
		return r.answer("", []belay.Finding{r.unexplained()}, nil)
	}
	return r.answer("", nil, known)
}

// sameFailure reports whether a command that names no test says what it said when it failed
// before the task, but for figures, times, and where it ran.
func (r *testRun) sameFailure() bool {
	for _, then := range r.in.Baseline.Failures {
		for _, now := range r.report.Failures {
			if then.Test == now.Test && settled(then.Message) == settled(now.Message) {
				return true
			}
		}
	}
	return false
}

var folders = lazyregexp.New(`(?:/[^\s/:'"()]+)+/`)

// settled is a message without what differs from run to run.
func settled(message string) string {
	message = folders.ReplaceAllString(message, "/")
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, message)
}

// names reports whether the report has tests in it, and not only the command's end.
func (r *testRun) names() bool { return r.report.Format != testreport.Exit }

func (r *testRun) failedBefore() bool { return r.in.Baseline != nil && len(r.in.Baseline.Failures) > 0 }

// answer makes the result: unknown when why is given. Known failures, warnings of the
// report and processes that outlived the run are added to the findings.
func (r *testRun) answer(why string, found []belay.Finding, known []testreport.Failure) belay.CheckResult {
	found = append(found, r.failures(r.flaky, "flaky")...)
	found = append(found, r.failures(known, "known")...)
	found = append(append(found, r.repaired()...), r.missing()...)
	at := newTree(r.in.Root)
	found = append(found, r.lost.findings(r.in.Request,
		func(test string) (string, int) { return at.locate(testreport.Failure{Test: test}) })...)
	if f, unseen := r.unseen(); why == "" && unseen {
		found = append(found, f)
	}
	if len(r.report.Warnings) > 0 {
		severity := belay.SeverityNote
		if r.report.Incomplete {
			severity = belay.SeverityWarning
		}
		found = append(found, belay.Finding{
			Severity: severity, Category: belay.CategoryTests,
			Title: "the test report has problems", Detail: strings.Join(r.report.Warnings, "\n"),
		})
	}
	if r.ending.Left > 0 {
		found = append(found, belay.Finding{
			Severity: belay.SeverityWarning, Category: belay.CategoryTests,
			Title:  "test processes could not be stopped",
			Detail: belay.Count(r.ending.Left, "process is", "processes are") + " still running and may change files",
		})
	}
	result := belay.Of(Name, r.summary(known), found)
	if why != "" {
		result.Verdict, result.Why = belay.VerdictUnknown, why
	}
	result.Tests = r.count()
	return result
}

// unseen is the note for a command that passed and named no test.
func (r *testRun) unseen() (belay.Finding, bool) {
	if r.names() || r.ending.Code != 0 {
		return belay.Finding{}, false
	}
	f := belay.Finding{
		Severity: belay.SeverityNote, Category: belay.CategoryTests, Title: "only the exit status of the tests is known",
		Detail: "skipped or deleted tests cannot be detected",
	}
	if c, ok := Tests(r.in.Root); ok && c.Format != "" && c.Format != testreport.Exit {
		f.Recommendation = "use a command that reports each test: " + c.String()
	}
	return f, true
}

func (r *testRun) summary(known []testreport.Failure) string {
	switch {
	case r.format == testreport.Exit && r.report.Total == 0, r.ending.Failed != nil:
		return "could not run"
	case !r.names():
		return "the test command " + r.ending.String()
	}
	var besides []string
	for _, p := range []struct {
		n    int
		noun string
	}{{len(known), "known before"}, {len(r.flaky), "flaky"}, {len(r.fixed), "fixed"}, {len(r.unrun), "gone"}} {
		if p.n > 0 {
			besides = append(besides, fmt.Sprintf("%d %s", p.n, p.noun))
		}
	}
	if b := r.in.Baseline; b != nil && b.Total > 0 && b.Format != testreport.Exit {
		return r.arithmetic(len(known))
	}
	if len(besides) > 0 {
		return fmt.Sprintf("%s (%s)", r.report, strings.Join(besides, ", "))
	}
	return r.report.String()
}

// failureKinds gives the severity, title and advice for each kind of failing test.
var failureKinds = map[string]struct {
	severity      belay.Severity
	title, advice string
}{
	"new":   {belay.SeverityError, "test fails: ", "make the code pass this test; do not change, skip or delete the test"},
	"known": {belay.SeverityNote, "test failed before too: ", ""},
	"flaky": {belay.SeverityWarning, "test is flaky: ", "it failed once and passed when run again on the same files"},
	"cut": {belay.SeverityWarning, "test failed before time ran out: ",
		"make the code pass this test; do not change, skip or delete the test"},
}

// failures makes findings of failing tests of one standing.
func (r *testRun) failures(tests []testreport.Failure, standing string) []belay.Finding {
	if len(tests) == 0 {
		return nil
	}
	s := failureKinds[standing]
	severity, title, advice := s.severity, s.title, s.advice
	at := newTree(r.in.Root)
	how := reproduces(r.in.Root, r.in.Command, r.report.Format)
	var out []belay.Finding
	for _, t := range tests[:min(len(tests), mostTests)] {
		f := belay.Finding{
			Severity: severity, Category: belay.CategoryTests,
			Title: title + testreport.Clip(t.Test, 200), Detail: t.Message, Recommendation: advice,
		}
		f.File, f.Line = at.locate(t)
		if severity == belay.SeverityError {
			f.Reproduce = how.command(t, f.File, f.Line)
			if r.own(t, f.File) {
				f.Recommendation = "make the code pass this test; the test belongs to this task, " +
					"so fix the test where it is wrong"
			}
		}
		out = append(out, f)
	}
	if len(tests) > mostTests {
		var ids []string
		for _, t := range tests[mostTests:min(len(tests), mostTests+100)] {
			ids = append(ids, testreport.Clip(t.Test, 200))
		}
		out = append(out, belay.Finding{
			Severity: severity, Category: belay.CategoryTests, Title: title + "more of them",
			Detail:         fmt.Sprintf("%d more, among them\n%s", len(tests)-mostTests, strings.Join(ids, "\n")),
			Recommendation: advice,
		})
	}
	return out
}

// own reports whether a test is the task's: it, or its file, is new since the task began, or the
// request asks to change the file. Such a test may be what is wrong.
func (r *testRun) own(t testreport.Failure, file string) bool {
	if file != "" && r.in.Own != nil && r.in.Own(file) {
		return true
	}
	b := r.in.Baseline
	if b == nil || !b.NamesPasses() || b.Skipped > 0 || b.Incomplete {
		return false // it is new where all that ran before is known by name
	}
	return !b.HasPassed(t.Test) && !slices.ContainsFunc(b.Failures, func(f testreport.Failure) bool {
		return f.Test == t.Test || f.Package != "" && f.Test == f.Package && f.Package == t.Package
	})
}

// repaired names the tests that failed before the task and do not any more.
func (r *testRun) repaired() []belay.Finding {
	var out []belay.Finding
	for _, id := range r.fixed[:min(len(r.fixed), mostTests)] {
		out = append(out, belay.Finding{
			Severity: belay.SeverityNote, Category: belay.CategoryTests, Title: "test is fixed: " + testreport.Clip(id, 200),
		})
	}
	return out
}

// missing names the tests that failed before the task and did not run now.
func (r *testRun) missing() []belay.Finding {
	var out []belay.Finding
	for _, id := range r.unrun[:min(len(r.unrun), mostTests)] {
		out = append(out, belay.Finding{
			Severity: belay.SeverityWarning, Category: belay.CategoryTests,
			Title:  "test that failed before did not run: " + testreport.Clip(id, 200),
			Detail: "it was deleted, renamed or skipped, which does not fix it",
		})
	}
	return out
}

// count returns the figures, nil where the report says nothing of single tests.
func (r *testRun) count() *belay.TestCount {
	if !r.names() || r.report.Total == 0 {
		return nil
	}
	return &belay.TestCount{
		Total: r.report.Total, Passed: r.report.Passed, Failed: r.report.Failed, Errors: r.report.Errors, Skipped: r.report.Skipped,
		New: len(r.fresh), Known: len(r.known), Flaky: len(r.flaky), Fixed: len(r.fixed), Gone: len(r.unrun),
		NewlySkipped: r.lost.left(r.lost.skipped) + r.lost.moreSkipped, Missing: r.lost.left(r.lost.missing), Renamed: len(r.lost.renamed),
	}
}

// unexplained is the finding for a command that failed and named no test.
func (r *testRun) unexplained() belay.Finding {
	f := belay.Finding{
		Severity: belay.SeverityError, Category: belay.CategoryTests,
		Title:          "the test command failed",
		Recommendation: "run " + r.in.Command.String() + " and fix what it reports",
		Reproduce:      r.in.Command.String(),
	}
	said := r.outputEnd()
	if said == "" {
		said = strings.Join(r.report.Warnings, "\n")
	}
	f.Detail = strings.TrimRight("it "+r.ending.String()+"\n"+said, "\n")
	f.File, f.Line = newTree(r.in.Root).locate(testreport.Failure{Message: said})
	return f
}

// outputEnd is the end of what the command wrote for people.
func (r *testRun) outputEnd() string {
	if r.onStdout() {
		return testreport.Tail(r.errors.Last(64 << 10))
	}
	return testreport.Tail(r.output.Last(64 << 10))
}

// lastLine is what the command said last.
func (r *testRun) lastLine() string {
	said := strings.TrimSpace(r.outputEnd())
	return testreport.Clip(strings.TrimSpace(said[strings.LastIndexByte(said, '\n')+1:]), 200)
}
