package cli

import (
	"github.com/spf13/cobra"
)

type repositoryFamily struct{ *App }

// Commands gives the commands of this family.
func RepositoryCommands(app *App) []*cobra.Command {
	a := repositoryFamily{app}
	return []*cobra.Command{a.statusCommand(), a.initCommand(), a.configCommand(), a.trustCommand(),
		a.doctorCommand(), a.guardCommand(), a.fenceCommand()}
}
