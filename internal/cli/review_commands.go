package cli

import (
	"github.com/spf13/cobra"
)

type reviewFamily struct{ *App }

// Commands gives the commands of this family.
func ReviewCommands(app *App) []*cobra.Command {
	a := reviewFamily{app}
	c := &cobra.Command{
		Use: "review", Short: "Record and read reviews",
		Example: `  belay review mine feedback.md
  belay review begin T7 --reviewer ana
  belay review record T7 --verdict reject --file feedback.md
  belay review list T7`,
	}
	c.AddCommand(a.mineCommand(), a.beginCommand(), a.endCommand(), a.recordCommand(), a.listCommand(), a.showCommand(),
		a.resolveCommand(), a.featureCommand())
	return []*cobra.Command{c}
}
