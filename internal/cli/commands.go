package cli

import (
	"github.com/spf13/cobra"
)

type commands struct{ *App }

// Commands gives the commands of this family.
func Commands(app *App) []*cobra.Command {
	a := commands{app}
	scope := &cobra.Command{Use: "scope", Short: "Check a change against its requirement",
		Example: "  belay scope check --before old --after new --file src/Flavors.tsx --requirement \"ADD 2 flavors\""}
	scope.AddCommand(a.checkCommand())
	return []*cobra.Command{a.countCommand(), scope}
}
