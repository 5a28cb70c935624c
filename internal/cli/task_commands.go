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
		Use: "task", Short: "Record tasks, import them, drive one by hand",
		Long: `What belay run drives, step by step, for an agent that works in its own window:

  belay task add "fix the login" --files 'auth/**'    record it
  belay task start T1                                 hold the state before
  … the agent works …
  belay task capture T1                               hold what it left
  belay check T1                                      judge it
  belay task finish T1                                close it, or belay rollback T1`,
		Example: "  belay task add \"fix the login\" --files 'auth/**'\n  belay task list",
	}
	c.AddCommand(a.addCommand(), a.listCommand(), a.historyCommand("history"), a.parseCommand(), a.moveCommand(), a.acceptRecordCommand(),
		a.stepCommand("start", "Hold the state before a task", "holds the state before: %s", (*apppkg.Desk).Start),
		a.stepCommand("capture", "Say that the attempt has ended and hold what it left",
			"the attempt is captured; now: belay check %s", (*apppkg.Desk).Capture),
		a.stepCommand("finish", "Close a task whose checks passed", "%s is finished", (*apppkg.Desk).Finish))
	c.AddCommand(others...)
	history := a.historyCommand("task-history")
	history.Hidden = true // the other way to say it
	return []*cobra.Command{c, history}
}
