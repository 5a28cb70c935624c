// Package tree has the commands about whole states: take, compare, put back, forget. It reads flags
// and prints; flow does the work.
package tree

import (
	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
)

type commands struct{ *cli.App }

// Commands gives the commands of this family.
func Commands(app *cli.App) []*cobra.Command {
	a := commands{app}
	return []*cobra.Command{a.snapshotCommand(), a.undoCommand(), a.redoCommand(), a.watchCommand()}
}
