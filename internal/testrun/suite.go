package testrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/testdiff"
	"github.com/belay-dev/belay/internal/testreport"
)

// Output worth keeping goes through Input.Logs.

// Name is the name of the check.
const Name = "tests"

const defaultGrace = time.Second

// Input is the input of a run of the test command.
type Input struct {
	Root    string   // the working tree in which the command runs; paths in findings are relative to it
	Env     []string // for the command, KEY=value; nil is this process's own
	Command belay.TestCommand
	May     *config.Gate // decides whether the command may run
	// Baseline is the result of the same command before the task; nil if unknown.
	Baseline *testreport.Report
	// Request is what the task asks for: it may ask to remove or skip a test.
	Request []belay.Requirement
	Words   string // the text that Request was parsed from
	// IsOwn reports whether a file of the tree is new since the task began, or one that the request
	// asks to change; nil if unknown.
	IsOwn func(path string) bool
	// Successors returns, by short names of tests, what became of those that the change deleted; nil if that is not known.
	Successors func() map[string]testdiff.Successor
	// Checkout checks out the before snapshot in a folder, to run new failures there; nil if there
	// is none. done removes it.
	Checkout func(ctx context.Context) (root string, done func(), err error)
	// CopyIgnored copies into a checkout the ignored files of Root that it lacks, and returns them, and what it could not
	// copy; nil copies nothing.
	CopyIgnored func(ctx context.Context, root string) (copied, left []string)
	// Logs stores an attachment and returns its SHA-256; nil stores nothing.
	Logs func(name string, r io.Reader) (string, error)
	// Grace is the time between SIGTERM and SIGKILL after the time limit; 0 is one second.
	Grace time.Duration
}

// TimeoutError is the cause of a context that ended because a time limit was reached.
type TimeoutError struct{ Limit time.Duration }

func (o TimeoutError) Error() string { return "did not finish within " + belay.Duration(o.Limit) }

// UnfinishedReason returns why there is no result after ctx has ended.
func UnfinishedReason(ctx context.Context) string {
	var over TimeoutError
	if errors.As(context.Cause(ctx), &over) {
		return over.Error()
	}
	return "interrupted before it finished"
}

// Run runs the test command until ctx ends, and returns its report, to be stored as a later
// Input.Baseline, and the result of the check. The report is empty if the result is skipped, or
// unknown for another reason than Incomplete.
//
// A test that fails for the first time is run again, here and on the before snapshot: it rejects
// the work only if it fails here twice and passes there.
func Run(ctx context.Context, in Input) (testreport.Report, belay.CheckResult) {
	report, result, _ := RunOrObstacle(ctx, in)
	return report, result
}

// RunOrObstacle is Run, and also returns why the command could not run, nil if it could or if that
// is uncertain.
func RunOrObstacle(ctx context.Context, in Input) (testreport.Report, belay.CheckResult, *Obstacle) {
	if !in.Command.Set() {
		return testreport.Report{}, belay.Skipped(Name, "no test command: set checks.tests.command or pass --test"), nil
	}
	may, err := in.May.Tests(in.Command)
	if err != nil {
		return testreport.Report{}, belay.Unknown(Name, "not run: "+err.Error()), nil
	}
	run, err := newTestRun(ctx, in, may)
	if err != nil {
		return testreport.Report{}, belay.Unknown(Name, "could not run: "+err.Error()), nil
	}
	defer run.close()
	run.run(ctx)
	run.readReport(ctx)
	if run.blockedBy == nil {
		run.blockedBy = run.findObstacle()
	}
	run.sortFailures(ctx)
	result := run.judge(ctx)
	if in.Logs != nil {
		if result.Log, err = in.Logs("tests.log", run.output.Reader()); err != nil {
			result.Findings = append(result.Findings, belay.Finding{
				Check: Name, Severity: belay.SeverityWarning, Category: belay.CategoryTests,
				Title: "the output of the tests could not be stored", Detail: err.Error(),
			}.Sign())
		}
	}
	return run.report, result, run.blockedBy
}

// testRun is one run of the test command.
type testRun struct {
	in            Input
	may           config.Command
	format        string
	reports       string // the folder in ReportsVar
	reportsBefore fileSet
	output        proc.HeadTail // stdout and stderr
	stderr        proc.HeadTail // only stderr, if stdout is not for people
	ending        proc.Ending
	report        testreport.Report
	reportError   string // why there is no report
	newFailures   []testreport.Failure
	knownFailures []testreport.Failure
	flakyFailures []testreport.Failure
	again         testreport.Report // of the second run, if a failure is flaky
	fixed         []string
	notRun        []string    // failed before, and did not run now
	regressed     regressions // passed before, and no longer do
	lacking       []string    // ignored files that the before snapshot was run without, although something failed there
	blockedBy     *Obstacle
}

func newTestRun(ctx context.Context, in Input, may config.Command) (*testRun, error) {
	cmd := in.Command
	r := &testRun{in: in, may: may, format: cmd.Format}
	switch r.format {
	case "":
		r.format = testreport.Exit
	case testreport.Exit:
	default:
		if !slices.Contains(testreport.Formats(), r.format) {
			return nil, fmt.Errorf("%q is not a test report format; use exit or one of %s", cmd.Format,
				strings.Join(testreport.Formats(), ", "))
		}
	}
	if r.reportsInFiles() {
		if err := checkReportGlob(cmd.Report); err != nil {
			return nil, err
		}
	}
	if info, err := os.Stat(in.Root); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", in.Root)
	}
	dir, err := os.MkdirTemp("", "belay-reports-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the reports: %w", err)
	}
	r.reports = dir
	if r.reportsInFiles() {
		r.reportsBefore = findReports(ctx, in.Root, cmd.Report, "")
	}
	return r, nil
}

func (r *testRun) close() { os.RemoveAll(r.reports) }

// reportsInFiles reports whether the format is written to files, as the XML formats are: all others
// are printed by the command.
func (r *testRun) reportsInFiles() bool {
	switch r.format {
	case testreport.JUnit, testreport.TRX, testreport.NUnit, testreport.XUnit:
		return true
	}
	return false
}

// reportsOnStdout reports whether the format is only on stdout, so that a line of stderr would
// damage it. Output for people is on both.
func (r *testRun) reportsOnStdout() bool {
	return r.format == testreport.GoTest || r.format == testreport.TAP
}

// run runs the command. Its output is parsed while it runs, because only a bounded part of it is
// kept.
func (r *testRun) run(ctx context.Context) {
	p := proc.Program{
		Command: r.may, Dir: r.in.Root, Env: proc.Environ(r.in.Env, r.in.Root, ReportsVar+"="+r.reports),
		Stdout: &r.output,
		Grace:  r.in.grace(),
	}
	if r.reportsInFiles() || r.format == testreport.Exit {
		r.ending = p.Run(ctx)
		return
	}
	pipeR, pipeW := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if e := recover(); e != nil {
				r.report.WarnIncomplete("internal error while reading the test events: %v", e)
			}
			pipeR.Close() // the program must not block on a reader that has stopped
		}()
		r.readStream(pipeR)
	}()
	p.Stdout = tee{&r.output, pipeW}
	if r.reportsOnStdout() {
		p.Stderr = io.MultiWriter(&r.output, &r.stderr)
	}
	p.Cut = func() { pipeW.Close() } // the failure of a test that belay ends must not count
	r.ending = p.Run(ctx)
	pipeW.Close()
	<-done
}

func (r *testRun) readStream(in io.Reader) {
	if r.format == testreport.GoTest {
		r.report, _ = testreport.ReadGoTest(in) // the pipe never fails
		return
	}
	var err error
	if r.report, err = testreport.Read(in, r.format); err != nil {
		r.reportError = err.Error()
	}
}

// tee writes to first and, ignoring errors, to second.
type tee struct{ first, second io.Writer }

func (t tee) Write(p []byte) (int, error) {
	t.second.Write(p) // fails on purpose after the cut
	return t.first.Write(p)
}

// readReport makes the report of a run that ended by itself; that of go test exists already.
func (r *testRun) readReport(ctx context.Context) {
	switch {
	case r.reportsInFiles():
		r.report = testreport.Report{Format: r.format}
		if !r.ending.Cut && r.ending.Failed == nil {
			r.readFiles(ctx)
			if m := interrupted.FindString(r.output.Last(4 << 10)); m != "" {
				r.report.WarnIncomplete("pytest did not run all tests: %s", m)
			}
		}
	case r.format == testreport.Exit && r.ending.Failed == nil && !r.ending.Cut:
		r.report = testreport.Report{Format: testreport.Exit}
		// The output of a known runner has more than the exit code, if they agree.
		if said, ok := r.readPrinted(); ok {
			r.report = said
			return
		}
		if r.ending.Code == 0 {
			if r.ranNone() {
				return
			}
			r.report.Total, r.report.Passed = 1, 1
			return
		}
		if r.blockedBy = r.findObstacle(); r.blockedBy != nil && r.blockedBy.runnerMissing {
			return
		}
		f := testreport.Failure{Test: r.in.Command.String(), Message: testreport.LastLines(r.output.Last(64 << 10))}
		r.report.Fail(f, false)
	}
}

// readPrinted parses the output of a command without a configured format: events of go test, TAP or
// XML, or a runner's output for people. ok is false if it contradicts how the command ended.
func (r *testRun) readPrinted() (testreport.Report, bool) {
	agrees := func(said testreport.Report) bool {
		failed := said.Failed+said.Errors > 0
		return !said.Incomplete && said.Total > 0 && said.Sound() == nil && failed == (r.ending.Code != 0)
	}
	if said, err := testreport.Read(r.output.Reader(), ""); err == nil && agrees(said) {
		return said, true
	}
	said, ok, _ := testreport.ReadAnyPlain(r.output.Reader())
	return said, ok && agrees(said)
}

// interrupted matches pytest's output when it stops; its report does not contain that.
var interrupted = lazyregexp.New(`Interrupted: \d+ errors? during collection`)

func (r *testRun) readFiles(ctx context.Context) {
	found := findReports(ctx, r.in.Root, r.in.Command.Report, r.reports)
	fresh := found.changedSince(r.reportsBefore)
	if found.incomplete || r.reportsBefore.incomplete {
		r.report.WarnIncomplete("not every report was checked: out of time, or too many files")
	}
	for _, file := range fresh {
		if ctx.Err() != nil {
			r.report.WarnIncomplete("not every report was read: out of time")
			break
		}
		one, err := file.read(r.format)
		if err != nil {
			r.report.WarnIncomplete("%s: %s", file.name, err)
		}
		for _, w := range one.Warnings {
			r.report.Warn("%s: %s", file.name, w)
		}
		one.Warnings = nil
		r.report.Add(one)
	}
	switch {
	case len(fresh) > 0:
	case len(found.files) > 0:
		r.reportError = fmt.Sprintf("no report was written: %s matches only files older than the run", r.in.Command.Report)
	default:
		r.reportError = fmt.Sprintf("no report was written: nothing matches %s in $%s or the work tree",
			reportGlob(r.in.Command.Report), ReportsVar)
	}
}

// isRunnerMissing reports whether the test runner is missing.
func (r *testRun) isRunnerMissing() bool { return r.blockedBy != nil && r.blockedBy.runnerMissing }

// wasKilled reports whether the command was killed, but not by belay: on Linux usually because
// memory ran out.
func (r *testRun) wasKilled() bool { return r.ending.Signal == syscall.SIGKILL && !r.ending.Cut }

func (in Input) grace() time.Duration {
	if in.Grace > 0 {
		return in.Grace
	}
	return defaultGrace
}
