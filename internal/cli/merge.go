package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/terminal"
	"github.com/belay-dev/belay/internal/worktree"
)

func (a loopFamily) mergeCommand() *cobra.Command {
	var q runner.MergeRequest
	c := &cobra.Command{
		Use: "merge TASK", Short: "Merge a task's worktree into yours", Args: cobra.ExactArgs(1),
		Long: `Merge applies the changes of a task's own worktree to your working tree, uncommitted work
included. It writes what only the task changed, keeps what only you changed, and merges
text files that both changed. On a conflict it writes nothing and lists each conflict
with its kind, until you choose: --theirs PATH for the task's version, --ours PATH for
yours (the whole file; "." for everything), --markers to write conflict markers.

The result is left unstaged: index, HEAD and branches do not change. Belay takes a
snapshot first; belay undo reverses the merge exactly. It then removes the task's
worktree, unless --keep.

Exit codes: 0 merged · 1 conflicts, or the task was not accepted · 2 could not, nothing
changed · 4 the worktree changed after it was checked · 5 a working tree is in use · 6 no
such task.`,
		Example: `  belay merge T7 --dry-run
  belay merge T7
  belay merge T7 --theirs docs --ours go.sum`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if q.Task, err = belay.ParseTaskID(args[0]); err != nil {
				return err
			}
			desk, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			for _, list := range []*[]string{&q.Ours, &q.Theirs} {
				if *list, err = desk.Paths(a.Dir, *list); err != nil {
					return err
				}
			}
			out, err := desk.Merge(c.Context(), q)
			if a.SkipBroken(err) {
				q.SkipBroken = true
				out, err = desk.Merge(c.Context(), q)
			}
			if out.Task == "" {
				return err
			}
			return a.Tell(out, err, func(w io.Writer) { merged(w, out, q.DryRun, err != nil) })
		},
	}
	f := c.Flags()
	f.BoolVar(&q.DryRun, "dry-run", false, "print what would happen and change nothing")
	f.StringSliceVar(&q.Ours, "ours", nil, "resolve conflicts in `PATHS` with your version")
	f.StringSliceVar(&q.Theirs, "theirs", nil, "resolve conflicts in `PATHS` with the task's version")
	f.BoolVar(&q.Markers, "markers", false, "write conflict markers into text files")
	f.BoolVar(&q.SkipBroken, "skip-broken", false, "skip and list what cannot be written")
	f.BoolVar(&q.Keep, "keep", false, "keep the task's worktree")
	f.BoolVar(&q.Unaccepted, "unaccepted", false, "merge although the task was not accepted")
	f.BoolVar(&q.AsIs, "as-is", false, "merge the worktree's current state, checked or not")
	f.BoolVar(&q.Judged, "judged", false, "merge the checked state, although the worktree changed since")
	return c
}

// merged prints what a merge did, or would do.
func merged(w io.Writer, m runner.Merged, dry, failed bool) {
	p := terminal.PaintFor(w)
	if m.Open() == 0 || dry {
		for _, c := range m.Changes {
			verb := map[worktree.How]string{worktree.HowTaken: "wrote", worktree.HowJoined: "joined",
				worktree.HowMarked: "marked", worktree.HowChosen: "wrote"}[c.How]
			if c.Removed {
				verb = "removed"
			}
			if dry {
				verb = map[string]string{"wrote": "would write", "joined": "would join", "marked": "would mark",
					"removed": "would remove"}[verb]
			}
			fmt.Fprintf(w, "%s %s\n", verb, belay.VisibleLine(c.Path))
		}
	}
	for _, c := range m.Conflicts {
		fmt.Fprintf(w, "%s %s: %s (%s)\n", p.Bad("conflict"), belay.VisibleLine(c.Path), belay.VisibleLine(c.Says), c.Kind)
	}
	for _, k := range m.Left {
		fmt.Fprintf(w, "left %s: %s\n", belay.VisibleLine(k.Path), belay.VisibleLine(k.Why))
	}
	for _, k := range m.Skipped {
		fmt.Fprintf(w, "%s %s: %s\n", p.Warn("skipped"), belay.VisibleLine(k.Path), belay.VisibleLine(k.Why))
	}
	switch {
	case m.Open() > 0 || dry || failed && len(m.Changes) == 0:
		return
	case len(m.Changes) == 0:
		fmt.Fprintln(w, "nothing to merge: all changes are already here")
	default:
		fmt.Fprintf(w, "merged %s from %s\n", belay.CountOf(len(m.Changes), "path"), m.Task)
	}
	if m.Rescue != "" {
		fmt.Fprintf(w, "the previous state is snapshot %s; undo with: belay undo\n", m.Rescue.Short())
	}
	if m.Ticked != "" {
		fmt.Fprintln(w, belay.VisibleLine(m.Ticked))
	}
	if m.Stays != "" {
		fmt.Fprintf(w, "%s\n", belay.VisibleLine(m.Stays))
	}
}

func (a loopFamily) worktreeCommand() *cobra.Command {
	c := &cobra.Command{Use: "worktree", Short: "List and remove task worktrees",
		Example: "  belay worktree list\n  belay worktree remove T8"}
	c.AddCommand(a.worktreeListCommand(), a.worktreeRemoveCommand())
	return c
}

func (a loopFamily) worktreeListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List tasks with their own worktree", Args: cobra.NoArgs, Aliases: []string{"ls"},
		Long:    "Exit codes: 0 listed.",
		Example: "  belay worktree list",
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			s, err := desk.Status(c.Context())
			if err != nil {
				return err
			}
			return a.Tell(s.Worktrees, nil, func(w io.Writer) { terminal.Worktrees(w, s.Worktrees) })
		},
	}
}

func (a loopFamily) worktreeRemoveCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use: "remove TASK", Short: "Remove a task's worktree", Args: cobra.ExactArgs(1), Aliases: []string{"rm"},
		Long: `Remove deletes a task's worktree if nothing is lost: the task has ended, accepted work is
merged, and nobody changed the worktree since. --force removes it anyway, after a
snapshot. The task's record and snapshots are kept, and belay run --resume recreates the
worktree of an open task.

Exit codes: 0 removed · 1 it has unmerged work or changes · 2 the task has none ·
5 somebody works in it · 6 no such task.`,
		Example:           "  belay worktree remove T7\n  belay worktree remove T7 --force",
		ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) error {
			desk, id, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			r, err := desk.RemoveTree(c.Context(), id, force)
			if err != nil {
				return err
			}
			return a.Tell(map[string]any{"task": id, "worktree": r.Task.Worktree, "removed": true}, nil, func(w io.Writer) {
				fmt.Fprintf(w, "removed %s\n", belay.VisibleLine(r.Task.Worktree))
			})
		},
	}
	c.Flags().BoolVar(&force, "force", false, "remove it even if work is lost; takes a snapshot first")
	return c
}
