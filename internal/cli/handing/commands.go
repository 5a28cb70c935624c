// Package handing has the commands about a task's context: the block that every role works
// from, what each role says and hands over, and the proof that nothing changed in between.
// It reads flags and prints; flow does the work.
package handing

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/cli"
	"github.com/belay-dev/belay/internal/desk"
	"github.com/belay-dev/belay/internal/flow/handoffs"
)

type commands struct{ *cli.App }

// Commands gives the commands of this family.
func Commands(app *cli.App) []*cobra.Command {
	a := commands{app}
	c := &cobra.Command{
		Use: "context", Short: "What roles hand on to each other: one block, exact deltas, drift caught",
		Long: `Context holds what a task is and by which rules it is judged, once, for all who work
on it; takes the tree over from each role exactly as it left it; and proves to the next
one that nobody touched it in between. TASK may be left out where BELAY_TASK is set, as
it is for agents that belay runs.`,
		Example: `  belay context init T7
  belay context update T7 --role implementer --status in_progress
  belay context snapshot T7 --role implementer
  belay context verify T7 --for reviewer
  belay context diff T7 --role reviewer --type incremental`,
	}
	c.AddCommand(a.initCommand(), a.rebuildCommand(), a.getCommand(), a.statusCommand(), a.updateCommand(), a.blockCommand(), a.snapshotCommand(),
		a.verifyCommand(), a.resolveCommand(), a.diffCommand(), a.qaCommand(), a.attachCommand(), a.exportCommand(), a.statsCommand(), a.purgeCommand())
	return []*cobra.Command{c}
}

// asked is what every command of the family is told.
type asked struct {
	by    string
	force bool
}

func (q *asked) flags(c *cobra.Command) {
	c.Flags().StringVar(&q.by, "by", "", "`NAME` of who does this, for the record (BELAY_ACTOR, or the user)")
	c.Flags().BoolVar(&q.force, "force-secrets", false, "write it although it looks like a secret; this is recorded")
}

// open opens the desk and reads the task's id.
func (a commands) open(c *cobra.Command, args []string, q asked) (*desk.Desk, handoffs.Request, error) {
	id := os.Getenv("BELAY_TASK")
	if len(args) > 0 {
		id = args[0]
	}
	if id == "" {
		return nil, handoffs.Request{}, belay.Refuse(belay.CodeUsage, c.CommandPath()+" TASK", "which task?")
	}
	task, err := belay.ParseTaskID(id)
	if err != nil {
		return nil, handoffs.Request{}, err
	}
	desk, err := a.Open(c.Context())
	if err != nil {
		return nil, handoffs.Request{}, err
	}
	return desk.Desk, handoffs.Request{Task: task, By: q.by, Force: q.force}, nil
}

// needRole refuses a command without its role.
func needRole(c *cobra.Command, role string) error {
	if role != "" {
		return nil
	}
	if role = os.Getenv("BELAY_ROLE"); role != "" {
		return c.Flags().Set("role", role)
	}
	return belay.Refuse(belay.CodeUsage, c.CommandPath()+" TASK --role implementer", "which role?")
}
