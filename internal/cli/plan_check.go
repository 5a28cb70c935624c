package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/plan"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a planFamily) validateCommand() *cobra.Command {
	var against string
	c := &cobra.Command{
		Use: "validate PLAN", Short: "Validate a plan", Args: cobra.ExactArgs(1), ValidArgsFunction: completePlans,
		Long: `Validate checks a plan's syntax, IDs, tags and markers. In a repository it also lists
markers of unknown tasks, and sections that were removed without [REMOVE] since the last
task started, or since the last commit; --against names another state.

Exit codes: 0 valid, perhaps with warnings · 1 not valid · 2 wrong syntax · 6 no such file.`,
		Example: "  belay plan validate plan.tsx",
		RunE: func(c *cobra.Command, args []string) error {
			svc, err := a.openService(c.Context())
			if err != nil {
				return err
			}
			v, err := app.ValidatePlan(c.Context(), svc, app.PlanComparison{Dir: a.Dir, Plan: args[0], Against: against})
			if err != nil {
				return err
			}
			return a.PrintResult(v, v.Err(), func(w io.Writer) { printFindings(w, v, terminal.PaintFor(a.Out)) })
		},
	}
	c.Flags().StringVar(&against, "against", "", "the `STATE` to compare with: a folder, task, snapshot or revision")
	return c
}

func printFindings(w io.Writer, v app.PlanValidation, paint terminal.Paint) {
	for _, f := range v.Findings {
		word := paint.Warn(string(f.Severity))
		if f.Severity == belay.SeverityError {
			word = paint.Bad(string(f.Severity))
		}
		fmt.Fprintf(w, "%s: %s: %s\n", belay.VisibleLine(belay.At(v.Plan, f.Line)), word, belay.VisibleLine(f.Message))
	}
	if v.Valid {
		fmt.Fprintf(w, "%s is valid\n", belay.VisibleLine(v.Plan))
	}
}

// compareFlags are the flags of the commands that compare a plan with a state.
type compareFlags struct{ against, task string }

func (q *compareFlags) add(c *cobra.Command, a planFamily) {
	c.Flags().StringVar(&q.against, "against", "", "the `STATE` to compare with: a folder, task, snapshot or revision")
	c.Flags().StringVar(&q.task, "task", "", "check the markers of this `TASK` (default: the latest)")
	_ = c.RegisterFlagCompletionFunc("task", a.CompleteTasks)
}

func (a planFamily) compare(ctx context.Context, name string, q compareFlags) (app.PlanCompared, error) {
	id, err := parseTask(q.task)
	if err != nil {
		return app.PlanCompared{}, err
	}
	svc, err := a.openService(ctx)
	if err != nil {
		return app.PlanCompared{}, err
	}
	return app.ComparePlan(ctx, svc, app.PlanComparison{Dir: a.Dir, Plan: name, Against: q.against, Task: id})
}

func (a planFamily) diffCommand() *cobra.Command {
	var q compareFlags
	c := &cobra.Command{
		Use: "diff PLAN", Short: "Compare a plan's sections and counts with an earlier state",
		Args: cobra.ExactArgs(1), ValidArgsFunction: completePlans,
		Long: `Diff compares a plan with an earlier state of the project: which sections were added,
removed, moved, changed or only marked and, for each marker of a task, how many items its
list had then and has now. The default is the task's before snapshot; --against names
another one, and a folder needs no repository.

Exit codes: 0 shown · 2 wrong syntax · 6 no such plan or state.`,
		Example: "  belay plan diff plan.tsx\n  belay plan diff plan.tsx --against HEAD~3",
		RunE: func(c *cobra.Command, args []string) error {
			res, err := a.compare(c.Context(), args[0], q)
			return a.printDataOrError(res, err, func(w io.Writer) {
				paint := terminal.PaintFor(a.Out)
				printPlanChanges(w, res.Changes, paint)
				printMarkers(w, res, paint)
			})
		},
	}
	q.add(c, a)
	return c
}

func (a planFamily) checkCommand() *cobra.Command {
	var q compareFlags
	c := &cobra.Command{
		Use: "check PLAN", Short: "Check the implementation against a plan's markers", Args: cobra.ExactArgs(1),
		ValidArgsFunction: completePlans,
		Long: `Check counts what the markers of a task ask for, before the task and now:

  ADD 2       the list has 2 more         REMOVE      it is gone
  PRESERVED   nothing was removed         NO CHANGES  the section's files are unchanged
  MODIFY      something changed, and the structure is kept
  FIX         nothing was lost; tests show whether it works

What cannot be counted for certain is unknown: a warning, never a pass. --against names
another state to compare with; a folder needs no repository.

Exit codes: 0 met, or unknown · 1 not met · 2 wrong syntax · 6 no such plan or state.`,
		Example: "  belay plan check plan.tsx --task T3",
		RunE: func(c *cobra.Command, args []string) error {
			res, err := a.compare(c.Context(), args[0], q)
			if err != nil {
				return err
			}
			return a.PrintResult(res, res.Refusal(), func(w io.Writer) { printMarkers(w, res, terminal.PaintFor(a.Out)) })
		},
	}
	q.add(c, a)
	return c
}

func printPlanChanges(w io.Writer, all []plan.Change, paint terminal.Paint) {
	for _, c := range all {
		word := string(c.Change)
		switch c.Change {
		case plan.Same:
			continue
		case plan.Added:
			word = paint.Good(word)
		case plan.Removed:
			word = paint.Bad(word)
			if c.Allowed {
				word += " as asked"
			}
		case plan.Moved:
			word += " from " + belay.VisibleLine(c.From)
		}
		fmt.Fprintf(w, "%s: %s\n", belay.VisibleLine(c.Path), word)
		printLines(w, "+", c.MarkersAdded)
		printLines(w, "-", c.MarkersRemoved)
	}
}

func printLines(w io.Writer, sign string, list []plan.MarkerLine) {
	for _, l := range list {
		fmt.Fprintf(w, "    %s %s\n", sign, belay.VisibleLine(l.Text))
	}
}

func printMarkers(w io.Writer, c app.PlanCompared, paint terminal.Paint) {
	for _, j := range c.Markers {
		fmt.Fprintf(w, "%s  %s [%s]%s  %s\n", verdictText(j.Verdict, paint), belay.VisibleLine(j.Section), j.Marker,
			countsText(j.Counts), belay.VisibleLine(j.Text))
		for _, f := range j.Findings {
			fmt.Fprintf(w, "    %s: %s\n", f.Severity, belay.VisibleLine(f.String()))
		}
	}
	for _, s := range c.Warnings {
		fmt.Fprintf(w, "warning: %s\n", belay.VisibleLine(s))
	}
	of := ""
	if c.Task != "" {
		of = " for " + string(c.Task)
	}
	fmt.Fprintf(w, "%s%s, against %s\n", c.Verdict, of, belay.VisibleLine(c.Against))
}

func verdictText(v count.Verdict, paint terminal.Paint) string {
	text := fmt.Sprintf("%-7s", v)
	switch v {
	case count.Pass:
		return paint.Good(text)
	case count.Fail:
		return paint.Bad(text)
	}
	return paint.Warn(text)
}

func countsText(c count.Counts) string {
	if c.Before == nil && c.After == nil {
		return ""
	}
	return fmt.Sprintf(" %s before, %s after", countText(c.Before), countText(c.After))
}

// countText formats a count, nil as unknown.
func countText(n *int) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}
