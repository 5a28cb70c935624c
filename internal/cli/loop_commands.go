package cli

import (
	"github.com/spf13/cobra"
)

type loopFamily struct{ *App }

// Commands gives the commands of this family.
func LoopCommands(app *App) []*cobra.Command {
	a := loopFamily{app}
	return []*cobra.Command{a.runCommand(), a.decideCommand(), a.gateCommand(), a.cancelCommand(), a.checkCommand(), a.rollbackCommand(),
		a.mergeCommand(), a.worktreeCommand(), a.showCommand(), a.logCommand(), a.fixPromptCommand()}
}
