package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

type planFamily struct{ *App }

// PlanCommands returns the commands of belay plan.
func PlanCommands(app *App) []*cobra.Command {
	a := planFamily{app}
	c := &cobra.Command{
		Use: "plan", Short: "Mark what a task may change in a plan, and check the work against it",
		Long: `A plan says section by section what is to be built: a plan.tsx with <Screen> and <Section>
elements, or a plan.md with headings. Belay marks a plan for a task with comments, and
checks the implementation against them:

  TASK-3 [ADD]: (2) …         2 more; or MODIFY, FIX, REMOVE
  NO CHANGES for task-3       the section's files stay unchanged
  PRESERVED for task-3: …     nothing of it is removed

docs/plans.md explains plans.`,
		Example: "  belay plan sections plan.tsx\n  belay plan show plan.tsx",
	}
	c.AddCommand(a.sectionsCommand(), a.showCommand(), a.newCommand(), a.updateCommand(), a.validateCommand(),
		a.diffCommand(), a.checkCommand())
	return []*cobra.Command{c}
}

// openService opens the repository that contains the folder. Outside of one it returns nil, because
// some requests do not need it.
func (a planFamily) openService(ctx context.Context) (*app.Service, error) {
	dir, err := filepath.Abs(a.Dir)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", belay.VisibleLine(a.Dir), err)
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return a.Open(ctx)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil, nil
		}
		dir = up
	}
}

// parseTask parses a task's ID; "" stays "".
func parseTask(word string) (belay.TaskID, error) {
	if word == "" {
		return "", nil
	}
	return belay.ParseTaskID(word)
}

// completePlans completes the names of plans.
func completePlans(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"tsx", "md"}, cobra.ShellCompDirectiveFilterFileExt
}
