package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

func (a taskFamily) acceptRecordCommand() *cobra.Command {
	return &cobra.Command{
		Use: "accept-record TASK", Short: "Accept a record that was truncated or changed", Args: cobra.ExactArgs(1),
		ValidArgsFunction: a.CompleteTasks,
		Long: `Belay does not continue a task with a record that was truncated, changed or deleted: it
compares the record with a copy of its head in your state folder, outside the repository.
First find out who changed it: belay log TASK, belay doctor. This command accepts the
current record and notes that in it; a deleted record is forgotten.

Exit codes: 0 accepted · 2 the record is intact · 6 no such task.`,
		Example: "  belay task accept-record T7",
		RunE: a.withTask(func(c *cobra.Command, svc *app.Service, id belay.TaskID) error {
			what, err := svc.Session.AcceptRecord(c.Context(), id)
			return a.printDataOrError(map[string]any{"task": id, "accepted": what}, err, func(w io.Writer) {
				fmt.Fprintf(w, "accepted: %s\n", belay.VisibleLine(what))
			})
		}),
	}
}
