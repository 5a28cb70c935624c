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

// Messages that depend on the before snapshot.
const (
	noTestsFound    = "no tests found"
	failedBeforeToo = "the test command failed before the task too, and its exit code does not separate old failures from new ones"
)

// maxTestFindings is how many failing tests are separate findings.
const maxTestFindings = 50

// judge derives the result from the ending and the report of a run. An observed failure counts
// whatever else went wrong; a pass needs a complete report and an exit code that agrees with it.
func (r *testRun) judge(ctx context.Context) belay.CheckResult {
	fresh, known := r.newFailures, r.knownFailures
	switch {
	case r.ending.Cut:
		// After the time limit, earlier failures are shown but do not reject the work.
		return r.checkResult(UnfinishedReason(ctx), r.failureFindings(fresh, "cut"), known)
	case r.ending.Failed != nil:
		return r.checkResult("could not run: "+r.ending.Failed.Error(), nil, nil)
	case r.foundNoTests() && r.noneBefore(ctx):
		return belay.Skipped(Name, noTestsFound)
	case r.format == testreport.Exit:
		return r.judgeExit(ctx, fresh, known)
	case len(fresh) > 0:
		return r.checkResult("", r.failureFindings(fresh, "new"), known)
	case r.isRunnerMissing():
		return r.checkResult("could not run: "+r.blockedBy.Message, nil, known)
	case r.wasKilled():
		return r.checkResult("the test command "+r.ending.String()+", not sent by belay", nil, known)
	case r.ending.Code != 0 && len(known)+len(r.flakyFailures) == 0 && r.failedSoBefore(ctx):
		return r.checkResult(failedBeforeToo, nil, nil)
	case r.ending.Code != 0 && len(known)+len(r.flakyFailures) == 0:
		return r.checkResult("", []belay.Finding{r.unexplainedFinding()}, nil)
	case r.reportError != "":
		return r.checkResult(r.reportError, nil, known)
	case r.report.Incomplete:
		return r.checkResult("the report is incomplete: "+strings.Join(r.report.Warnings, "; "), nil, known)
	case r.report.Total == 0 && r.noneBefore(ctx):
		return belay.Skipped(Name, noTestsFound)
	case r.report.Total == 0:
		return r.checkResult("the test command succeeded but its report has no tests", nil, nil)
	}
	return r.checkResult("", nil, known)
}

// judgeExit judges by the exit code alone. If the command failed before the task, another failure
// shows nothing.
func (r *testRun) judgeExit(ctx context.Context, fresh, known []testreport.Failure) belay.CheckResult {
	switch {
	case r.isRunnerMissing():
		return r.checkResult("could not run: "+r.blockedBy.Message, nil, nil)
	case r.wasKilled():
		return r.checkResult("the test command "+r.ending.String()+", not sent by belay", nil, nil)
	case r.ending.Code == 0 && r.report.Total == 0 && r.noneBefore(ctx):
		return belay.Skipped(Name, noTestsFound)
	case r.ending.Code == 0 && r.report.Total == 0:
		return r.checkResult("the test command succeeded but ran no tests: "+r.lastLine(), nil, nil)
	case len(known)+len(fresh) > 0 && !r.namesTests() && IsDemanded(r.in.Command):
		f := r.unexplainedFinding()
		if r.failedBefore() {
			f.Detail = "it failed before the task too; a test command given for a task must pass afterwards " +
				"(--known-failures accepts the same failure)\n" + f.Detail
		}
		return r.checkResult("", []belay.Finding{f}, nil)
	case len(known) > 0 && !r.namesTests() && r.in.Command.KnownFailures:
		if r.failsAsBefore() {
			return r.checkResult("", nil, known)
		}
		f := r.unexplainedFinding()
		f.Title = "the test command fails differently than before"
		return r.checkResult("", []belay.Finding{f}, nil)
	case len(known) > 0 && len(fresh) == 0 && !r.namesTests(), len(fresh) > 0 && r.failedBefore() && !r.namesTests():
		return r.checkResult(failedBeforeToo, nil, known)
	case len(fresh) > 0 && r.namesTests():
		return r.checkResult("", r.failureFindings(fresh, "new"), known)
	case len(fresh) > 0:
		return r.checkResult("", []belay.Finding{r.unexplainedFinding()}, nil)
	}
	return r.checkResult("", nil, known)
}

// failsAsBefore reports whether a command that names no test prints the same as when it failed
// before the task, except for figures, times, and paths.
func (r *testRun) failsAsBefore() bool {
	for _, then := range r.in.Baseline.Failures {
		for _, now := range r.report.Failures {
			if then.Test == now.Test && stableMessage(then.Message) == stableMessage(now.Message) {
				return true
			}
		}
	}
	return false
}

var folderPath = lazyregexp.New(`(?:/[^\s/:'"()]+)+/`)

// stableMessage returns a message without the parts that differ between runs.
func stableMessage(message string) string {
	message = folderPath.ReplaceAllString(message, "/")
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, message)
}

// namesTests reports whether the report contains tests, and not only the exit code.
func (r *testRun) namesTests() bool { return r.report.Format != testreport.Exit }

func (r *testRun) failedBefore() bool { return r.in.Baseline != nil && len(r.in.Baseline.Failures) > 0 }

// checkResult makes the result: unknown if why is given. Known failures, warnings of the report and
// processes that outlived the run are added to the findings.
func (r *testRun) checkResult(why string, found []belay.Finding, known []testreport.Failure) belay.CheckResult {
	found = append(found, r.failureFindings(r.flakyFailures, "flaky")...)
	found = append(found, r.failureFindings(known, "known")...)
	found = append(append(found, r.fixedFindings()...), r.notRunFindings()...)
	at := newTree(r.in.Root)
	found = append(found, r.regressed.findings(r.in,
		func(test string) (string, int) { return at.locate(testreport.Failure{Test: test}) })...)
	if f, unseen := r.unnamedNote(); why == "" && unseen {
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
	if len(r.lacking) > 0 && len(r.knownFailures)+len(r.regressed.absent) > 0 {
		found = append(found, belay.Finding{
			Severity: belay.SeverityWarning, Category: belay.CategoryTests,
			Title:          "the code before the task was tested without some ignored files",
			Detail:         "a test that fails or does not run there may pass with them: " + shortList(r.lacking),
			Recommendation: "name them in checks.reuse",
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
	result.Tests = r.testCount()
	return result
}

// unnamedNote returns the note for a command that passed without naming a test.
func (r *testRun) unnamedNote() (belay.Finding, bool) {
	if r.namesTests() || r.ending.Code != 0 {
		return belay.Finding{}, false
	}
	f := belay.Finding{
		Severity: belay.SeverityNote, Category: belay.CategoryTests, Title: "only the exit status of the tests is known",
		Detail: "skipped or deleted tests cannot be detected",
	}
	if c, ok := DetectTests(r.in.Root); ok && c.Format != "" && c.Format != testreport.Exit {
		f.Recommendation = "use a command that reports each test: " + c.String()
	}
	return f, true
}

func (r *testRun) summary(known []testreport.Failure) string {
	switch {
	case r.format == testreport.Exit && r.report.Total == 0, r.ending.Failed != nil:
		return "could not run"
	case !r.namesTests():
		return "the test command " + r.ending.String()
	}
	var besides []string
	for _, p := range []struct {
		n    int
		noun string
	}{{len(known), "known before"}, {len(r.flakyFailures), "flaky"}, {len(r.fixed), "fixed"}, {len(r.notRun), "gone"}} {
		if p.n > 0 {
			besides = append(besides, fmt.Sprintf("%d %s", p.n, p.noun))
		}
	}
	if b := r.in.Baseline; b != nil && b.Total > 0 && b.Format != testreport.Exit {
		return r.countSummary(len(known))
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

// failureFindings makes findings of failing tests in the same state: new, known, flaky or cut.
func (r *testRun) failureFindings(tests []testreport.Failure, standing string) []belay.Finding {
	if len(tests) == 0 {
		return nil
	}
	s := failureKinds[standing]
	severity, title, advice := s.severity, s.title, s.advice
	at := newTree(r.in.Root)
	how := newReproducer(r.in.Root, r.in.Command, r.report.Format)
	var out []belay.Finding
	for _, t := range tests[:min(len(tests), maxTestFindings)] {
		f := belay.Finding{
			Severity: severity, Category: belay.CategoryTests,
			Title: title + testreport.Clip(t.Test, 200), Detail: t.Message, Recommendation: advice,
		}
		f.File, f.Line = at.locate(t)
		if severity == belay.SeverityError {
			f.Reproduce = how.command(t, f.File, f.Line)
			if r.isOwnTest(t, f.File) {
				f.Recommendation = "make the code pass this test; the test belongs to this task, " +
					"so fix the test where it is wrong"
			}
		}
		out = append(out, f)
	}
	if len(tests) > maxTestFindings {
		var ids []string
		for _, t := range tests[maxTestFindings:min(len(tests), maxTestFindings+100)] {
			ids = append(ids, testreport.Clip(t.Test, 200))
		}
		out = append(out, belay.Finding{
			Severity: severity, Category: belay.CategoryTests, Title: title + "more of them",
			Detail:         fmt.Sprintf("%d more, among them\n%s", len(tests)-maxTestFindings, strings.Join(ids, "\n")),
			Recommendation: advice,
		})
	}
	return out
}

// isOwnTest reports whether a test is the task's: it, or its file, is new since the task began, or
// the request asks to change the file. Such a test may itself be wrong.
func (r *testRun) isOwnTest(t testreport.Failure, file string) bool {
	if file != "" && r.in.IsOwn != nil && r.in.IsOwn(file) {
		return true
	}
	b := r.in.Baseline
	if b == nil || !b.HasAllPassNames() || b.Skipped > 0 || b.Incomplete {
		return false // it is new if all earlier tests are known by name
	}
	return !b.HasPassed(t.Test) && !slices.ContainsFunc(b.Failures, func(f testreport.Failure) bool {
		return f.Test == t.Test || f.Package != "" && f.Test == f.Package && f.Package == t.Package
	})
}

// fixedFindings reports the tests that failed before the task and no longer fail.
func (r *testRun) fixedFindings() []belay.Finding {
	var out []belay.Finding
	for _, id := range r.fixed[:min(len(r.fixed), maxTestFindings)] {
		out = append(out, belay.Finding{
			Severity: belay.SeverityNote, Category: belay.CategoryTests, Title: "test is fixed: " + testreport.Clip(id, 200),
		})
	}
	return out
}

// notRunFindings reports the tests that failed before the task and did not run now.
func (r *testRun) notRunFindings() []belay.Finding {
	var out []belay.Finding
	for _, id := range r.notRun[:min(len(r.notRun), maxTestFindings)] {
		out = append(out, belay.Finding{
			Severity: belay.SeverityWarning, Category: belay.CategoryTests,
			Title:  "test that failed before did not run: " + testreport.Clip(id, 200),
			Detail: "it was deleted, renamed or skipped, which does not fix it",
		})
	}
	return out
}

// testCount returns the numbers, nil if the report contains no single tests.
func (r *testRun) testCount() *belay.TestCount {
	if !r.namesTests() || r.report.Total == 0 {
		return nil
	}
	return &belay.TestCount{
		Total: r.report.Total, Passed: r.report.Passed, Failed: r.report.Failed, Errors: r.report.Errors, Skipped: r.report.Skipped,
		New: len(r.newFailures), Known: len(r.knownFailures), Flaky: len(r.flakyFailures), Fixed: len(r.fixed), Gone: len(r.notRun),
		NewlySkipped: r.regressed.countStillPassing(r.regressed.skipped) + r.regressed.moreSkipped,
		Missing:      r.regressed.countStillPassing(r.regressed.missing), Renamed: len(r.regressed.renamed),
	}
}

// unexplainedFinding is the finding for a command that failed without naming a test.
func (r *testRun) unexplainedFinding() belay.Finding {
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

// outputEnd returns the end of the command's output for people.
func (r *testRun) outputEnd() string {
	if r.reportsOnStdout() {
		return testreport.LastLines(r.stderr.Last(64 << 10))
	}
	return testreport.LastLines(r.output.Last(64 << 10))
}

// lastLine returns the last line of the command's output.
func (r *testRun) lastLine() string {
	said := strings.TrimSpace(r.outputEnd())
	return testreport.Clip(strings.TrimSpace(said[strings.LastIndexByte(said, '\n')+1:]), 200)
}
