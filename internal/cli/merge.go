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
		Use: "merge TASK", Short: "Bring the work of a task's own working tree back", Args: cobra.ExactArgs(1),
		Long: `Merge brings what a task changed in a working tree of its own onto what stands in yours
now, your uncommitted work included. What only the task changed is written, what only
you changed stays, and texts that both changed are joined where they join cleanly. Where
they do not, nothing at all is written and each conflict is named with its kind, until
you choose: --theirs PATH for the task's side, --ours PATH for yours (the whole file; "."
is everything), --markers to have both written into texts.

What comes is left unstaged: index, HEAD and branches stay as they are. The present is
held first, and belay undo takes the merge back exactly. Then the task's working tree is
removed, unless --keep.

Exit codes: 0 merged · 1 conflicts, or the task was not accepted · 2 could not, nothing
changed · 4 the task's tree was changed after it was judged · 5 a tree is in use · 6 no
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
	f.BoolVar(&q.DryRun, "dry-run", false, "say what would happen and change nothing")
	f.StringSliceVar(&q.Ours, "ours", nil, "`PATHS` whose conflicts are decided for what is here")
	f.StringSliceVar(&q.Theirs, "theirs", nil, "`PATHS` whose conflicts are decided for the task")
	f.BoolVar(&q.Markers, "markers", false, "write texts that do not join with conflict markers")
	f.BoolVar(&q.SkipBroken, "skip-broken", false, "leave out, by name, what cannot be written")
	f.BoolVar(&q.Keep, "keep", false, "leave the task's working tree")
	f.BoolVar(&q.Unaccepted, "unaccepted", false, "also when the task was not accepted")
	f.BoolVar(&q.AsIs, "as-is", false, "merge what stands in the task's tree now, judged or not")
	f.BoolVar(&q.Judged, "judged", false, "merge what was judged, although the task's tree has changed since")
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
		fmt.Fprintln(w, "nothing to bring: all of it is here already")
	default:
		fmt.Fprintf(w, "%d path(s) came from %s\n", len(m.Changes), m.Task)
	}
	if m.Rescue != "" {
		fmt.Fprintf(w, "the state it met is kept as %s: belay undo takes this back\n", m.Rescue.Short())
	}
	if m.Ticked != "" {
		fmt.Fprintln(w, belay.VisibleLine(m.Ticked))
	}
	if m.Stays != "" {
		fmt.Fprintf(w, "the working tree stays: %s\n", belay.VisibleLine(m.Stays))
	}
}

func (a loopFamily) worktreeCommand() *cobra.Command {
	c := &cobra.Command{Use: "worktree", Short: "List and remove the working trees of tasks",
		Example: "  belay worktree list\n  belay worktree remove T8"}
	c.AddCommand(a.worktreeListCommand(), a.worktreeRemoveCommand())
	return c
}

func (a loopFamily) worktreeListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List tasks with a working tree of their own", Args: cobra.NoArgs, Aliases: []string{"ls"},
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
		Use: "remove TASK", Short: "Remove a task's working tree", Args: cobra.ExactArgs(1), Aliases: []string{"rm"},
		Long: `Remove takes a task's own working tree away when nothing in it would be missed: the task
has ended, what was accepted is merged, and nobody changed it since. With --force in any
case; what stands there is held as a snapshot first. The task's record and snapshots
stay, and belay run --resume makes the tree of an open task again.

Exit codes: 0 removed · 1 it holds something that would be missed · 2 the task has none ·
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
	c.Flags().BoolVar(&force, "force", false, "also when something would be missed; it is held first")
	return c
}
