// Package work has the commands that drive a task: run it, answer for it, judge it, look at its
// record. It reads flags
// and prints; flow does the work.
package work

import (
	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
)

type commands struct{ *cli.App }

// Commands gives the commands of this family; those of others that stand below belay task
// are put there.
func Commands(app *cli.App, ofTasks ...*cobra.Command) []*cobra.Command {
	a := commands{app}
	history := a.taskHistoryCommand("task-history")
	history.Hidden = true // the other way to say it
	return []*cobra.Command{history, a.runCommand(), a.gateCommand(), a.cancelCommand(), a.checkCommand(), a.rollbackCommand(), a.taskCommand(ofTasks), a.mergeCommand(), a.worktreeCommand(), a.showCommand(), a.logCommand(), a.fixPromptCommand()}
}
