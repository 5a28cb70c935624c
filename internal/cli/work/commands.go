// Package work has the commands that drive a task: run it, answer for it, judge it, look
// at its record. It reads flags and prints; flow does the work.
package work

import (
	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
)

type commands struct{ *cli.App }

// Commands gives the commands of this family.
func Commands(app *cli.App) []*cobra.Command {
	a := commands{app}
	return []*cobra.Command{a.runCommand(), a.gateCommand(), a.cancelCommand(), a.checkCommand(), a.rollbackCommand(),
		a.mergeCommand(), a.worktreeCommand(), a.showCommand(), a.logCommand(), a.fixPromptCommand()}
}
