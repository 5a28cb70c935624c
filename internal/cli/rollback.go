package cli

import (
	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
)

func (a loopFamily) rollbackCommand() *cobra.Command {
	var q app.RollbackRequest
	var yes bool
	c := &cobra.Command{
		Use: "rollback TASK [-- PATH…]", Short: "Roll back a task", Args: cobra.MinimumNArgs(1),
		Long: `Rollback restores files, index, HEAD, branch and an operation in progress to the task's
before snapshot. It reverts what the attempts changed; what somebody else changed since
is kept and listed, unless --hard. A box that belay ticked for the task is unticked. It
takes a snapshot first: belay undo reverses the rollback.

With paths after --, only those files and folders are restored; index, HEAD and branches
do not change. A path that is in neither the before snapshot nor the working tree is an error.

If something cannot be restored (damaged objects, an immutable file), nothing is, and
each path is listed; --skip-broken rolls back everything else.

Exit codes: 0 done, perhaps with skipped paths · 2 failed, nothing changed · 5 the tree is in use · 6 no such task.`,
		Example: `  belay rollback T7 --dry-run
  belay rollback T7 -- src/login.go docs
  belay rollback T7 --preserve 'tests/**' --reason "wrong approach"`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) error {
			if n := c.ArgsLenAtDash(); n >= 0 && n != 1 || n < 0 && len(args) > 1 {
				return belay.Refuse(belay.CodeUsage, "belay rollback TASK -- PATH…", "give one task; paths come after --")
			}
			svc, task, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			q.Task, q.Watch = task, a.Screen(false)
			if q.Paths, err = svc.RepoPaths(a.Dir, args[1:]); err != nil {
				return err
			}
			do := func(dry, skip bool) (restore.Restored, error) {
				q.DryRun, q.SkipBroken = dry, skip
				return svc.Rollback(c.Context(), q)
			}
			finish := func() error { return svc.FinishTaskRestore(c.Context(), task, q.Watch) }
			return a.runRestore("roll back "+string(q.Task), q.DryRun, !yes, q.SkipBroken, finish, do)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&q.Preserve, "preserve", nil, "`GLOBS` not to touch")
	f.BoolVar(&q.Hard, "hard", false, "also revert what others changed")
	f.BoolVar(&q.DryRun, "dry-run", false, "print the plan and change nothing")
	f.BoolVar(&q.Files, "files-only", false, "do not change index, HEAD, branches and git's state")
	f.BoolVar(&q.SkipBroken, "skip-broken", false, "skip and list what cannot be restored")
	f.StringVar(&q.Reason, "reason", "by hand", "for the task's history")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}
