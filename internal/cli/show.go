package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/terminal"
)

func byText(who string) string {
	if who == "" {
		return ""
	}
	return " by " + belay.VisibleLine(who)
}

func (a loopFamily) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show [TASK]", Short: "Show a task: its text, attempts and reasons", Args: cobra.MaximumNArgs(1),
		Long: "Show prints a task's text, state, attempts and findings, and what comes next.\n" +
			"The default is the latest task.\n\nExit codes: 0 shown · 6 no such task.",
		Example: "  belay show\n  belay show T7 --json", ValidArgsFunction: a.CompleteTasks,
		RunE: a.withTask(func(c *cobra.Command, svc *app.Service, id belay.TaskID) error {
			shown, r, err := svc.Show(id)
			if err != nil {
				return err
			}
			return a.PrintResultPaged(c.Context(), shown, terminal.WrapOutput(func(w io.Writer) {
				if shown.Problem != "" {
					fmt.Fprintf(w, "WARNING: %s\n\n", belay.VisibleLine(shown.Problem))
				}
				fmt.Fprint(w, prompt.TaskFile(r.Task), "\n", prompt.Summary(r.Task, r.State, shown.Checks, shown.Paused))
				fmt.Fprint(w, prompt.ReadingText(r.Task))
				if lines := prompt.RequirementsText(shown.Requirements); lines != "" {
					fmt.Fprintf(w, "\nrequirements, as of the last check:\n%s", lines)
				}
				for _, n := range r.Notes {
					fmt.Fprintf(w, "%s: %s\n", n.Kind, belay.VisibleLine(n.Text))
				}
				if shown.Snapshots != "" {
					fmt.Fprintf(w, "snapshots: %s\n", belay.VisibleLine(shown.Snapshots))
				}
				for _, o := range r.Overrides {
					fmt.Fprintf(w, "attempt %d was accepted despite its rejection%s: %s\n", o.Attempt, byText(o.By),
						belay.VisibleLine(o.String()))
				}
				if r.State.Gate != nil {
					fmt.Fprint(w, "\n", prompt.Gate(r.State, r.Task), "\n")
				}
			}))
		}),
	}
}
