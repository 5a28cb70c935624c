package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a pullFamily) tickedCommand() *cobra.Command {
	var all, noTests bool
	var q app.CheckRequest
	c := &cobra.Command{
		Use: "verify-ticked PATH…|--all", Short: "Check whether ticked tasks were really done",
		Long: `Verify-ticked checks each ticked task of a task file, no matter who ticked it. It compares
what the task asks for with what was changed in its time: from the commit that ticked the
box before it, or that added the task, to the commit that ticked its own box (or to the
working tree, if that is not committed). A task is shown, with the place in the code;
contradicted, if the code proves that it was not done; or not shown. Tests run on the
working tree; --no-tests leaves them out.

PATH is a file or a folder; --all reads the task files in these tools' usual places, or
those that specs: in .belay/config.yaml names. Only first parents are followed, and no
rename of the file.

Exit codes: 0 nothing is contradicted and no test failed · 1 a task is contradicted or a
test failed · 2 could not check · 6 no such file.`,
		Example: `  belay verify-ticked specs/001-login/tasks.md
  belay verify-ticked --all --no-tests --json`,
		RunE: func(c *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return belay.Refuse(belay.CodeUsage, "belay verify-ticked FILE…, or belay verify-ticked --all",
					"give files, or --all")
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			files, err := app.ReadTaskFiles(app.ImportQuery{Dir: a.Dir, Paths: args, All: all, Stdin: a.In, Root: svc.Session.Repo.Root,
				Specs: svc.Session.Config.Specs})
			if err != nil {
				return err
			}
			if noTests {
				q.Skip = []string{"tests"}
			}
			s := a.Screen(false)
			q.Watch = s
			s.SetProgress("checking")
			stop := startTicking(c.Context(), s)
			report, err := svc.CheckTicked(a.StopRequested, files, q)
			stop()
			if err != nil {
				return err
			}
			return a.PrintResult(report, tickedError(report), func(w io.Writer) { printTicked(w, report) })
		},
	}
	f := c.Flags()
	f.BoolVar(&all, "all", false, "all task files in the tools' usual places")
	f.BoolVar(&noTests, "no-tests", false, "run no tests")
	f.DurationVar(&q.Timeout, "timeout", 0, "time limit for the tests; checks.timeout, or 10m, when left out")
	f.BoolVar(&q.Trust, "trust", false, "trust the repository's commands, now and later")
	return c
}

func tickedError(r app.TickedReport) error {
	if n := r.Count(belay.MetNot); n > 0 {
		return belay.Refuse(belay.CodeRefused, "do it, or untick its box", "%s contradicted by the code", belay.CountOf(n, "ticked task"))
	}
	if r.Tests != nil && r.Tests.Verdict == belay.VerdictFail {
		return belay.Refuse(belay.CodeRefused, "belay check --before HEAD shows them", "tests fail in the working tree")
	}
	if r.Tests != nil && r.Tests.Verdict == belay.VerdictUnknown && !r.Tests.Skipped {
		return belay.Refuse(belay.CodeCannot, "see why above, or use --no-tests", "the tests gave no result")
	}
	return nil
}

func printTicked(w io.Writer, r app.TickedReport) {
	if len(r.Tasks) == 0 {
		fmt.Fprintln(w, "no ticked task")
		return
	}
	for _, t := range r.Tasks {
		name := t.ID
		if name != "" {
			name += "  "
		}
		fmt.Fprintf(w, "%-12s  %s%s  (%s:%d)\n", t.Verdict, belay.VisibleLine(name), belay.TitleOf(t.Title),
			belay.VisibleLine(t.Source), t.Line)
		if t.Why != "" {
			fmt.Fprintf(w, "              %s\n", t.Why)
		}
		for _, m := range t.Requirements {
			fmt.Fprintf(w, "              %s: %s\n", m.Verdict, metText(m))
		}
	}
	if r.Tests != nil {
		fmt.Fprintln(w)
		terminal.PrintReport(w, belay.Report{Verdict: belay.Judge([]belay.CheckResult{*r.Tests}), Checks: []belay.CheckResult{*r.Tests}})
	}
	fmt.Fprintf(w, "%d shown, %d contradicted, %d not shown\n", r.Count(belay.MetYes), r.Count(belay.MetNot), r.Count(belay.MetUnknown))
}

// metText formats a requirement with the first place that shows it.
func metText(m belay.Met) string {
	line := belay.VisibleLine(m.Text)
	switch {
	case m.File != "" && m.Line > 0:
		line += fmt.Sprintf(" (%s:%d)", belay.VisibleLine(m.File), m.Line)
	case len(m.Evidence) > 0:
		line += " (" + belay.VisibleLine(m.Evidence[0]) + ")"
	case len(m.Missing) > 0:
		line += " (missing: " + belay.VisibleLine(m.Missing[0]) + ")"
	}
	return line
}
