package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/lint"
	"github.com/belay-dev/belay/internal/terminal"
)

type checkFlags struct {
	Settings
	before, format string
	timeout        time.Duration
	trust, quiet   bool
}

func (a loopFamily) checkCommand() *cobra.Command {
	var q checkFlags
	c := &cobra.Command{
		Use: "check [TASK]", Short: "Check the working tree", Args: cobra.MaximumNArgs(1),
		Long: `Check compares the working tree with a task's before snapshot and checks the change:
files in scope, protected paths, instruction files, size, secrets, weakened tests,
missing test files, documentation, linters, tests. --before compares with a snapshot or a
commit instead.

Without TASK and --before it checks the open task. Where no task is open, as in CI, it
checks the branch: everything since the merge base with the target branch. CI systems name
that branch in the environment; elsewhere it is the default branch of origin.

--format sarif, github or rdjson writes the findings for other programs; junit writes each
check as a test, and markdown a summary for people.

Exit codes: 0 all passed · 1 a check failed · 2 could not be checked ·
3 a person has to decide · 6 no such task · 130 interrupted.`,
		Example: `  belay check
  belay check T7
  belay check T7 --skip tests --timeout 5s
  belay check --before 01jd6y --files 'src/**' --protect go.mod --json
  belay check --before HEAD
  belay check T7 --format sarif > belay.sarif`,
		ValidArgsFunction: a.CompleteTasks,
		RunE:              func(c *cobra.Command, args []string) error { return a.check(c, args, q) },
	}
	f := c.Flags()
	f.StringVar(&q.before, "before", "", "compare with this `SNAPSHOT`, or a commit, instead of a task's before snapshot")
	f.DurationVar(&q.timeout, "timeout", 0, "time limit for the snapshot and all checks together; checks.timeout, or 10m, when left out")
	f.BoolVar(&q.trust, "trust", false, "trust the repository's commands, now and later")
	f.BoolVarP(&q.quiet, "quiet", "q", false, "show only what blocks or asks; nothing when all passed")
	f.StringVar(&q.format, "format", "text", "write the report as text, json, "+strings.Join(lint.OutputFormats(), ", "))
	q.AddScope(f)
	return c
}

func (a loopFamily) check(c *cobra.Command, args []string, q checkFlags) error {
	if err := a.validateFormat(q.format); err != nil {
		return err
	}
	opening := c.Context()
	if c.Flags().Changed("timeout") {
		if q.timeout <= 0 {
			return belay.Refuse(belay.CodeUsage, "--timeout 30s", "%s is not a time limit", q.timeout)
		}
		var cancel context.CancelFunc
		opening, cancel = context.WithTimeout(opening, q.timeout)
		defer cancel()
	}
	svc, err := a.Open(opening, q.Flags(c.Flags())...)
	if err != nil {
		return err
	}
	s := a.Screen(q.quiet)
	r := app.CheckRequest{Before: q.before, Skip: q.Skip, Timeout: q.timeout, Trust: q.trust}
	switch {
	case len(args) == 1:
		r.Task, err = belay.ParseTaskID(args[0])
	case q.before == "":
		if r.Task, err = svc.CurrentTask(); err == nil && r.Task == "" {
			r.Before, err = a.findBase(opening, svc)
		} else if err == nil {
			s.Note(fmt.Sprintf("checking %s; belay check --before HEAD checks uncommitted changes", r.Task))
		}
	}
	if err == nil && r.Task == "" {
		r.Skip = nil // Adhoc has them already
		r.Adhoc, err = svc.AdhocTask()
	}
	if err != nil {
		return err
	}
	r.Watch = s
	s.SetProgress("checking")
	stop := startTicking(c.Context(), s)
	report, err := svc.Check(a.StopRequested, r)
	stop()
	if err == nil && a.StopRequested.Err() != nil { // show the checks that finished
		return a.PrintResult(report, a.InterruptedError(), func(w io.Writer) { terminal.PrintReport(w, report) })
	}
	return a.printReport(report, err, q, r.Task)
}

// findBase returns the commit that the branch is compared with.
func (a loopFamily) findBase(ctx context.Context, svc *app.Service) (string, error) {
	base, err := svc.Base(ctx, os.Getenv)
	if err == nil && !a.JSON {
		fmt.Fprintf(a.Err, "belay: comparing with %s\n", base)
	}
	return base.Commit, err
}

// validateFormat fails for an unknown format, before anything is checked.
func (a loopFamily) validateFormat(format string) error {
	all := append([]string{"text", "json"}, lint.OutputFormats()...)
	if !slices.Contains(all, format) {
		return belay.Refuse(belay.CodeUsage, "use one of "+strings.Join(all, ", "), "%q is not a report format", format)
	}
	if format == "json" {
		a.JSON = true
	}
	return nil
}

// printReport prints a report and returns the error of its verdict.
func (a loopFamily) printReport(report belay.Report, err error, q checkFlags, task belay.TaskID) error {
	if err != nil {
		return err
	}
	switch report.Verdict {
	case belay.VerdictFail:
		try := "fix it, then run belay check again"
		if task != "" {
			try += "; or belay rollback " + string(task)
		}
		err = belay.Refuse(belay.CodeRefused, try, "%s", belay.CountOf(len(report.Errors()), "blocking finding"))
	case belay.VerdictUnknown:
		if report.Asks() {
			err = belay.Refuse(belay.CodeWaiting, "decide on it, above: keep the change, or undo it and check again",
				"%s for a person to decide", belay.CountOf(len(report.Questions()), "question"))
			break
		}
		try := "see the check that could not run, above"
		if slices.ContainsFunc(report.Checks,
			func(r belay.CheckResult) bool { return strings.Contains(r.Why, config.ErrUntrusted.Error()) }) {
			try = "run belay trust (it lists the commands and asks), then check again; or use --trust in a script"
		}
		err = belay.Refuse(belay.CodeCannot, try, "the work could not be checked")
	}
	if slices.Contains(lint.OutputFormats(), q.format) && !a.JSON {
		if werr := lint.Write(a.Out, q.format, report); werr != nil {
			return werr
		}
		return a.PrintResult(nil, err)
	}
	return a.PrintResult(report, err, terminal.WrapOutput(func(w io.Writer) {
		if q.quiet {
			report.Checks = slices.DeleteFunc(slices.Clone(report.Checks), func(r belay.CheckResult) bool {
				return r.Verdict == belay.VerdictPass || r.Skipped
			})
		}
		terminal.PrintReport(w, report)
	}))
}
