package cli

import (
	"github.com/spf13/cobra"
)

type snapshotFamily struct{ *App }

// Commands gives the commands of this family.
func SnapshotCommands(app *App) []*cobra.Command {
	a := snapshotFamily{app}
	diff := a.diffCommand()
	diff.GroupID = "loop"
	return []*cobra.Command{diff, a.snapshotCommand(), a.undoCommand(), a.redoCommand(), a.watchCommand()}
}
