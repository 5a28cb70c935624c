// Package report has the commands that read reports of other programs. They need no
// repository: they read files and print what those say.
package report

import (
	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
)

type commands struct{ *cli.App }

// Commands gives the commands of this family.
func Commands(app *cli.App) []*cobra.Command {
	a := commands{app}
	c := &cobra.Command{Use: "report", Short: "Read reports that test runners wrote",
		Example: "  belay report read report.xml"}
	c.AddCommand(a.readCommand())
	return []*cobra.Command{c}
}
