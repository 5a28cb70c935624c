package cli

import (
	"github.com/spf13/cobra"
)

type snapshotFamily struct{ *App }

// Commands gives the commands of this family.
func SnapshotCommands(app *App) []*cobra.Command {
	a := snapshotFamily{app}
	return []*cobra.Command{a.diffCommand("belay diff"), a.snapshotCommand(), a.undoCommand(), a.redoCommand(), a.watchCommand()}
}
