package cli

import (
	"fmt"
	"os"
	"syscall"

	"github.com/belay-dev/belay/internal/app"
)

// becomeFleet runs belay-fleet in the place of this process: its streams, its signals and its exit status are those of
// belay-fleet from then on. It returns only when that is not possible.
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
