// Package intake has the commands by which tasks come in from elsewhere and are put right:
// belay task import and belay task edit. It reads flags and prints; flow does the work.
package intake

import (
	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
)

type commands struct{ *cli.App }

// Commands gives the commands of this family, which stand below belay task.
func Commands(app *cli.App) []*cobra.Command {
	a := commands{app}
	return []*cobra.Command{a.importCommand(), a.editCommand()}
}
