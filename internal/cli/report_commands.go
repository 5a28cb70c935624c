package cli

import (
	"github.com/spf13/cobra"
)

type reportFamily struct{ *App }

// Commands gives the commands of this family.
func ReportCommands(app *App) []*cobra.Command {
	a := reportFamily{app}
	c := &cobra.Command{Use: "report", Short: "Read reports that test runners wrote",
		Example: "  belay report read report.xml"}
	c.AddCommand(a.readCommand())
	return []*cobra.Command{c}
}
