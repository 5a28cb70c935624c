package cli

import (
	"fmt"
	"os"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// FleetCommands returns the command that runs belay-fleet.
func FleetCommands(app *App) []*cobra.Command { return []*cobra.Command{app.fleetCommand()} }

func (a *App) fleetCommand() *cobra.Command {
	return &cobra.Command{
		Use: "fleet COMMAND [ARGS…]", Short: "Run tasks on many machines, with belay-fleet", DisableFlagParsing: true,
		Long: `Fleet runs belay-fleet, which runs tasks on many machines: submit, list, show, log,
decide, cancel, top, workers, worker and more. It uses the belay-fleet beside belay, or
else the one on PATH. docs/fleet.md explains the fleet, and belay fleet COMMAND --help
each command.

Exit codes: those of belay-fleet · 2 it is not installed.`,
		Example: "  belay fleet list\n  belay fleet decide f7k2q retry\n  belay fleet top",
		RunE: func(c *cobra.Command, args []string) error {
			args, err := a.fleetArgs(args)
			if err != nil {
				return err
			}
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return c.Help()
			}
			return a.becomeFleet(args...)
		},
	}
}

// fleetArgs returns the arguments for belay-fleet: all but -C, which is belay's own. Flags are not
// parsed here, so args include those before the command's name.
func (a *App) fleetArgs(args []string) ([]string, error) {
	for len(args) > 0 && slices.Contains([]string{"-C", "--dir"}, args[0]) {
		if len(args) == 1 {
			return nil, belay.Refuse(belay.CodeUsage, "belay -C DIR fleet list", "%s needs a folder", args[0])
		}
		a.Dir, args = args[1], args[2:]
	}
	return args, nil
}

// becomeFleet replaces this process by belay-fleet, with its streams, signals and exit status. It
// returns only if that is not possible.
func (a *App) becomeFleet(args ...string) error {
	program, err := app.FleetProgram()
	if err != nil {
		return err
	}
	if a.Dir != "" {
		if err := os.Chdir(a.Dir); err != nil {
			return err
		}
	}
	if a.JSON {
		args = append([]string{"--json"}, args...)
	}
	return fmt.Errorf("start %s: %w", program, syscall.Exec(program, append([]string{program}, args...), os.Environ()))
}
