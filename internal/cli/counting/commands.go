// Package counting has the commands that count: the lists of a file, and whether a change
// did what a requirement asks of them. They read and print; they change nothing.
package counting

import (
	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
)

type commands struct{ *cli.App }

// Commands gives the commands of this family.
func Commands(app *cli.App) []*cobra.Command {
	a := commands{app}
	scope := &cobra.Command{Use: "scope", Short: "Hold a change to what was asked for",
		Example: "  belay scope check --before old --after new --file src/Flavors.tsx --requirement \"ADD 2 flavors\""}
	scope.AddCommand(a.checkCommand())
	return []*cobra.Command{a.countCommand(), scope}
}
