package cli

import (
	"github.com/spf13/cobra"

	apppkg "github.com/belay-dev/belay/internal/app"
)

type taskFamily struct{ *App }

// Commands gives the commands of this family; others are put below belay task, too.
func TaskCommands(app *App, others ...*cobra.Command) []*cobra.Command {
	a := taskFamily{app}
	c := &cobra.Command{
		Use: "task", Short: "Record and import tasks, run one step by step",
		Long: `The steps of belay run, one at a time, for an agent that works in its own window:

  belay task add "fix the login" --files 'auth/**'    record it
  belay task start T1                                 take the before snapshot
  … the agent works …
  belay task capture T1                               take the after snapshot
  belay check T1                                      check the change
  belay task finish T1                                close it, or belay rollback T1`,
		Example: "  belay task add \"fix the login\" --files 'auth/**'\n  belay task list",
	}
	c.AddCommand(a.addCommand(), a.listCommand(), a.historyCommand("history"), a.parseCommand(), a.moveCommand(), a.acceptRecordCommand(),
		a.stepCommand("start", "Take the before snapshot of a task", "before snapshot: %s", (*apppkg.Desk).Start),
		a.stepCommand("capture", "End the attempt and take its snapshot",
			"attempt captured; next: belay check %s", (*apppkg.Desk).Capture),
		a.stepCommand("finish", "Close a task after its checks passed", "%s is finished", (*apppkg.Desk).Finish))
	c.AddCommand(others...)
	history := a.historyCommand("task-history")
	history.Hidden = true // the other way to say it
	return []*cobra.Command{c, history}
}
