package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

func (a reviewFamily) beginCommand() *cobra.Command {
	var reviewer string
	var pid int
	c := &cobra.Command{
		Use: "begin TASK", Short: "Claim a task's working tree for a review", Args: cobra.ExactArgs(1),
		Long: `Begin claims the working tree for one review, and prints what to read and where to write.
A second review, and a run that would start its own reviewers, fails and names the owner
of the claim. End the claim with belay review record, or without a result with belay
review end.

The claim lasts while the process that runs belay (or --pid) is alive; with --pid -1, or
from another machine, it lasts for review.stale (8h). If review.isolate.variable is set,
several reviews may run at once: each gets its own value of the variable, which is printed.

Exit codes: 0 claimed · 2 no such process · 5 somebody else reviews · 6 no such task.`,
		Example:           "  belay review begin T7 --reviewer ana\n  eval \"$(belay review begin T7 --reviewer ana --export)\"",
		ValidArgsFunction: a.CompleteTasks,
	}
	export := c.Flags().Bool("export", false, "print only the shell lines that set the environment")
	c.Flags().StringVar(&reviewer, "reviewer", "", "the reviewer's `NAME`")
	c.Flags().IntVar(&pid, "pid", 0, "ID of the reviewer's `PROCESS`; -1 is none")
	c.RunE = a.withTask(func(c *cobra.Command, svc *app.Service, task belay.TaskID) error {
		b, err := app.BeginReview(c.Context(), svc, task, reviewer, pid)
		return a.printDataOrError(b, err, func(w io.Writer) {
			for _, e := range b.Env {
				fmt.Fprintln(w, "export "+belay.VisibleLine(e))
			}
			if !*export {
				fmt.Fprintf(w, "%s\nread %s, write your feedback to %s, then: belay review record %s --verdict reject|approve\n",
					belay.VisibleLine(b.Claim.String()), belay.VisibleLine(b.Tree), b.Feedback, b.Task)
			}
		})
	})
	return c
}

func (a reviewFamily) endCommand() *cobra.Command {
	var reviewer string
	c := &cobra.Command{
		Use: "end TASK", Short: "End a review without a result", Args: cobra.ExactArgs(1),
		Long: `End releases the claims on a task: all of them, or that of one reviewer.

Exit codes: 0 released · 6 nobody reviews it, or no such task.`,
		Example:           "  belay review end T7 --reviewer ana",
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withTask(func(c *cobra.Command, svc *app.Service, task belay.TaskID) error {
			n, err := app.EndReview(c.Context(), svc, task, reviewer)
			return a.printDataOrError(map[string]any{"task": task, "ended": n}, err, func(w io.Writer) {
				fmt.Fprintf(w, "ended the reviews of %s\n", task)
			})
		}),
	}
	c.Flags().StringVar(&reviewer, "reviewer", "", "only the review of this `NAME`")
	return c
}
