// Package review has the commands about reviews: what a review asks to change, and the
// review cycles of a task. It reads flags and prints; flow does the work.
package review

import (
	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
)

type commands struct{ *cli.App }

// Commands gives the commands of this family.
func Commands(app *cli.App) []*cobra.Command {
	a := commands{app}
	c := &cobra.Command{
		Use: "review", Short: "Reviews: what they ask to change, and their record",
		Example: `  belay review mine feedback.md
  belay review begin T7 --reviewer ana
  belay review record T7 --verdict reject --file feedback.md
  belay review list T7`,
	}
	c.AddCommand(a.mineCommand(), a.beginCommand(), a.endCommand(), a.recordCommand(), a.listCommand(), a.showCommand(), a.resolveCommand(), a.featureCommand())
	return []*cobra.Command{c}
}
