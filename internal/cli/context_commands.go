package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
)

type contextFamily struct{ *App }

// ContextCommands returns the commands of belay context.
func ContextCommands(app *App) []*cobra.Command {
	a := contextFamily{app}
	c := &cobra.Command{
		Use: "context", Short: "Share a task's context between roles and detect drift",
		Long: `A context describes a task and its rules once, for all roles that work on it. Each role
hands over the exact working tree it leaves, and belay verifies that nobody changed it
before the next role starts. TASK may be left out where BELAY_TASK is set, as for
agents that belay runs.`,
		Example: `  belay context init T7
  belay context update T7 --role implementer --status in_progress
  belay context snapshot T7 --role implementer
  belay context verify T7 --for reviewer
  belay context diff T7 --role reviewer --type incremental`,
	}
	c.AddCommand(a.initCommand(), a.rebuildCommand(), a.getCommand(), a.statusCommand(), a.updateCommand(),
		a.blockCommand(), a.snapshotCommand(),
		a.verifyCommand(), a.resolveCommand(), a.diffCommand(), a.qaCommand(), a.attachCommand(), a.exportCommand(),
		a.statsCommand(), a.purgeCommand())
	for _, sub := range c.Commands() {
		for _, flag := range []string{"role", "for", "qa"} {
			if sub.Flags().Lookup(flag) != nil {
				_ = sub.RegisterFlagCompletionFunc(flag, a.completeRoles) // fails only for an unknown flag
			}
		}
	}
	return []*cobra.Command{c}
}

// contextFlags are the flags that all commands of the family have.
type contextFlags struct {
	by    string
	force bool
}

func (q *contextFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&q.by, "by", "", "your `NAME` in the record (default: BELAY_ACTOR, or the user)")
	c.Flags().BoolVar(&q.force, "force-secrets", false, "allow possible secrets (recorded)")
}

// open opens the repository and parses the task's ID.
func (a contextFamily) open(c *cobra.Command, args []string, q contextFlags) (*session.Session, app.ContextRequest, error) {
	id := os.Getenv("BELAY_TASK")
	if len(args) > 0 {
		id = args[0]
	}
	if id == "" {
		return nil, app.ContextRequest{}, belay.Refuse(belay.CodeUsage, c.CommandPath()+" TASK", "no task was given")
	}
	task, err := belay.ParseTaskID(id)
	if err != nil {
		return nil, app.ContextRequest{}, err
	}
	s, err := a.Open(c.Context())
	if err != nil {
		return nil, app.ContextRequest{}, err
	}
	return s.Session, app.ContextRequest{Task: task, By: q.by, Force: q.force}, nil
}

// contextAction is the work of a command of the family in an opened repository.
type contextAction = func(c *cobra.Command, s *session.Session, r app.ContextRequest) error

// withContext returns the function of a command that opens the repository, parses the task's ID,
// and calls do.
func (a contextFamily) withContext(q *contextFlags, do contextAction) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		s, r, err := a.open(c, args, *q)
		if err != nil {
			return err
		}
		return do(c, s, r)
	}
}

// withPlace returns the action of a command that works with the context of a task.
func withPlace(do func(c *cobra.Command, p *app.TaskContext) error) contextAction {
	return func(c *cobra.Command, s *session.Session, r app.ContextRequest) error {
		p, err := app.OpenPlace(c.Context(), s, r)
		if err != nil {
			return err
		}
		return do(c, p)
	}
}

// withRole is withContext for a command that requires --role or BELAY_ROLE.
func (a contextFamily) withRole(q *contextFlags, do contextAction) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if role := os.Getenv("BELAY_ROLE"); role != "" && !c.Flags().Changed("role") {
			if err := c.Flags().Set("role", role); err != nil {
				return err
			}
		}
		if c.Flag("role").Value.String() == "" {
			return belay.Refuse(belay.CodeUsage, c.CommandPath()+" TASK --role implementer", "no role was given")
		}
		return a.withContext(q, do)(c, args)
	}
}

// completeRoles offers the roles of the task, or else those of the config.
func (a contextFamily) completeRoles(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	task := os.Getenv("BELAY_TASK")
	if len(args) > 0 {
		task = args[0]
	}
	return a.completeFrom(c, func(svc *app.Service) (names []string, err error) {
		if id, err := belay.ParseTaskID(task); err == nil {
			if rec, err := svc.Session.Load(id); err == nil && rec.Context.IsSet() {
				for _, s := range rec.Context.Roles {
					names = append(names, s.Name+"\t"+string(s.Status))
				}
				return names, nil
			}
		}
		roles, err := app.Roles(svc.Session.Config)
		for _, r := range roles {
			names = append(names, r.Name)
		}
		return names, err
	})
}
