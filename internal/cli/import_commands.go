package cli

import (
	"github.com/spf13/cobra"
)

type importFamily struct{ *App }

// Commands gives the commands of this family, which stand below belay task.
func ImportCommands(app *App) []*cobra.Command {
	a := importFamily{app}
	return []*cobra.Command{a.importCommand(), a.editCommand()}
}
