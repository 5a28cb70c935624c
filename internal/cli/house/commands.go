// Package house has the commands about belay itself: what is open, settings, trust, health. It reads flags
// and prints; flow does the work.
package house

import (
	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
)

type commands struct{ *cli.App }

// Commands gives the commands of this family.
func Commands(app *cli.App) []*cobra.Command {
	a := commands{app}
	return []*cobra.Command{a.statusCommand(), a.initCommand(), a.configCommand(), a.trustCommand(), a.doctorCommand(), a.guardCommand()}
}
