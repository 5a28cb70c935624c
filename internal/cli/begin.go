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
		Use: "begin TASK", Short: "Say that you review a task's work", Args: cobra.ExactArgs(1),
		Long: `Begin claims the working tree for one review: a second one is told who holds it and since
when, and so is a run whose own reviewers would begin. It prints where to look and where
to write. Belay review record ends it, and belay review end gives it up.

The claim counts while the program that runs belay (or --pid) is there; --pid -1 names
none, and then, as on another machine, it counts for review.stale (8h). Where
review.isolate.variable is set, several reviews may go on at once, each with its own
value of the variable, which is printed.

Exit codes: 0 yours · 2 no such process · 5 somebody else reviews · 6 no such task.`,
		Example:           "  belay review begin T7 --reviewer ana\n  eval \"$(belay review begin T7 --reviewer ana --export)\"",
		ValidArgsFunction: a.CompleteTasks,
	}
	export := c.Flags().Bool("export", false, "print only the shell lines that set the environment")
	c.Flags().StringVar(&reviewer, "reviewer", "", "`NAME` of who reviews")
	c.Flags().IntVar(&pid, "pid", 0, "`PROCESS` that stands for the reviewer; -1 is none")
	c.RunE = func(c *cobra.Command, args []string) error {
		desk, task, err := a.OpenTask(c.Context(), args[0])
		if err != nil {
			return err
		}
		b, err := app.Begin(c.Context(), desk, task, reviewer, pid)
		if err != nil {
			return err
		}
		return a.Tell(b, nil, func(w io.Writer) {
			for _, e := range b.Env {
				fmt.Fprintln(w, "export "+belay.VisibleLine(e))
			}
			if !*export {
				fmt.Fprintf(w, "%s\nlook in %s, write what is to change into %s, then: belay review record %s --verdict reject|approve\n",
					belay.VisibleLine(b.Claim.String()), belay.VisibleLine(b.Tree), b.Feedback, b.Task)
			}
		})
	}
	return c
}

func (a reviewFamily) endCommand() *cobra.Command {
	var reviewer string
	c := &cobra.Command{
		Use: "end TASK", Short: "Give a review up", Args: cobra.ExactArgs(1),
		Long: `End takes the claim on a review away, one reviewer's or all of the task's, also one that
somebody else left behind.

Exit codes: 0 given up · 6 nobody reviews it, or no such task.`,
		Example:           "  belay review end T7 --reviewer ana",
		ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) error {
			desk, task, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			n, err := app.End(c.Context(), desk, task, reviewer)
			if err != nil {
				return err
			}
			return a.Tell(map[string]any{"task": task, "ended": n}, nil, func(w io.Writer) {
				fmt.Fprintf(w, "nobody reviews %s any more\n", task)
			})
		},
	}
	c.Flags().StringVar(&reviewer, "reviewer", "", "only the review of this `NAME`")
	return c
}
