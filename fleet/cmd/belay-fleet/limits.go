package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
)

func (a *program) limitsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "limits", Short: "Show what teams have used of their limits", Args: cobra.NoArgs,
		Long: `Limits lists the teams with recent attempts: what these cost today (UTC), how many are
running, and which tasks wait for what. The file that workers are started with
(belay-fleet worker --limits) sets the limits.

Exit codes: 0 listed · 2 no worker answers.`,
		Example: "  belay-fleet limits",
		RunE: func(c *cobra.Command, _ []string) error {
			cl, err := a.dial(c.Context())
			if err != nil {
				return err
			}
			defer cl.Close()
			all, err := ledgers(c.Context(), cl)
			if err != nil {
				return err
			}
			return a.PrintResult(all, nil, func(w io.Writer) { printLedgers(w, all) })
		},
	}
}

// ledgers asks the running workflows of teams for their ledgers.
func ledgers(ctx context.Context, c client.Client) ([]task.Ledger, error) {
	all := []task.Ledger{}
	for token := []byte(nil); ; {
		page, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{NextPageToken: token,
			Query: "WorkflowType = '" + task.LimitsName + "' AND ExecutionStatus = 'Running'"})
		if err != nil {
			return nil, err
		}
		for _, e := range page.Executions {
			v, err := c.QueryWorkflow(ctx, e.Execution.WorkflowId, "", task.QueryLedger)
			var l task.Ledger
			if err == nil {
				err = v.Get(&l)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, l)
		}
		if token = page.NextPageToken; len(token) == 0 {
			return all, nil
		}
	}
}

func printLedgers(w io.Writer, all []task.Ledger) {
	if len(all) == 0 {
		fmt.Fprintln(w, "no team has used anything lately")
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TEAM\tDAY\tUSED\tOF\tUNDER WAY\tWAITING")
	for _, l := range all {
		of := ""
		if l.Limits.CostPerDay > 0 {
			of = belay.Dollars(l.Limits.CostPerDay)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\n", l.Limits.Team, l.Day, belay.Dollars(l.Spent), of, len(l.Running), len(l.Waiting))
	}
	_ = t.Flush()
	for _, l := range all {
		for _, s := range l.Waiting {
			fmt.Fprintf(w, "  %s: waiting: %s\n", belay.VisibleLine(s.Workflow), belay.VisibleLine(s.Why))
		}
	}
}
