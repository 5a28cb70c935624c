package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
)

func (a taskFamily) acceptRecordCommand() *cobra.Command {
	return &cobra.Command{
		Use: "accept-record TASK", Short: "Continue with a record that was cut or changed", Args: cobra.ExactArgs(1),
		ValidArgsFunction: a.CompleteTasks,
		Long: `Belay remembers in your state folder, outside the repository, how far the record of each
task goes, and refuses to continue with one that was cut, changed or deleted. This command
accepts the record as it is now and notes that in it; one that is gone is forgotten. Find
out first who changed it: belay log TASK, belay doctor.

Exit codes: 0 accepted · 2 nothing is wrong with it · 6 no such task.`,
		Example: "  belay task accept-record T7",
		RunE: func(c *cobra.Command, args []string) error {
			desk, id, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			what, err := desk.AcceptRecord(c.Context(), id)
			if err != nil {
				return err
			}
			said := map[string]any{"task": id, "accepted": what}
			return a.Tell(said, nil, func(w io.Writer) {
				fmt.Fprintf(w, "accepted: %s\n", belay.VisibleLine(what))
			})
		},
	}
}
