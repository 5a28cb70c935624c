package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/terminal"
	"github.com/belay-dev/belay/internal/worktree"
)

func (a loopFamily) mergeCommand() *cobra.Command {
	var q runner.MergeRequest
	var all app.MergeAllRequest
	var every bool
	c := &cobra.Command{
		Use: "merge TASK | merge --all [TASK…]", Short: "Merge a task's worktree into yours",
		Long: `Merge applies the changes of a task's own worktree to your working tree, uncommitted work
included. It writes what only the task changed, keeps what only you changed, and merges
text files that both changed. On a conflict it writes nothing and lists each conflict
with its kind, until you choose: --theirs PATH for the task's version, --ours PATH for
yours (the whole file; "." for everything), --markers to write conflict markers.

The result is left unstaged: index, HEAD and branches do not change. Belay takes a
snapshot first; belay undo reverses the merge exactly. It then removes the task's
worktree, unless --keep.

With --all it merges every accepted task, or those that are named, in the order in which
they depend on each other, after the tests have passed on all of them together in a
temporary checkout. If they fail, the task that makes the difference is found by
bisection and opened again with the failures as its reasons; the others are tested and
merged without it. A task that conflicts with those before it is left for you.

Exit codes: 0 merged · 1 conflicts, or the task was not accepted · 2 failed, nothing
changed · 4 the worktree changed after it was checked · 5 a working tree is in use · 6 no
such task.`,
		Example: `  belay merge T7 --dry-run
  belay merge T7
  belay merge T7 --theirs docs --ours go.sum
  belay merge --all`,
		ValidArgsFunction: a.CompleteTasks,
		Args: func(c *cobra.Command, args []string) error {
			if every {
				return nil
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) (err error) {
			if every {
				all.DryRun, all.Keep = q.DryRun, q.Keep
				return a.mergeAll(c, all, args)
			}
			if all.SkipTests || all.Trust {
				return belay.Refuse(belay.CodeUsage, "add --all", "--skip-tests and --trust need --all: a single merge runs no tests")
			}
			if q.Task, err = belay.ParseTaskID(args[0]); err != nil {
				return err
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			for _, list := range []*[]string{&q.Ours, &q.Theirs} {
				if *list, err = svc.RepoPaths(a.Dir, *list); err != nil {
					return err
				}
			}
			out, err := svc.Merge(c.Context(), q)
			if a.AskSkipBroken(err) {
				q.SkipBroken = true
				out, err = svc.Merge(c.Context(), q)
			}
			if out.Task == "" {
				return err
			}
			return a.PrintResult(out, err, func(w io.Writer) { printMerged(w, out, q.DryRun, err != nil) })
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
	f.BoolVar(&every, "all", false, "merge all accepted tasks, or those named, tested together first")
	f.BoolVar(&all.SkipTests, "skip-tests", false, "with --all: merge without testing the tasks together")
	f.BoolVar(&all.Trust, "trust", false, "with --all: trust the repository's commands, now and later")
	for _, one := range []string{"ours", "theirs", "markers", "skip-broken", "unaccepted", "as-is", "judged"} {
		c.MarkFlagsMutuallyExclusive("all", one)
	}
	return c
}

// mergeAll merges several tasks: belay merge --all [TASK…]
func (a loopFamily) mergeAll(c *cobra.Command, q app.MergeAllRequest, args []string) error {
	svc, err := a.openTasks(c.Context(), args, &q.Tasks)
	if err != nil {
		return err
	}
	out, err := a.mergeQueue(c.Context(), svc, q)
	if out.Tasks == nil {
		return err
	}
	return a.PrintResult(out, err, func(w io.Writer) { printMergedAll(w, out) })
}

func (a loopFamily) mergeQueue(ctx context.Context, svc *app.Service, q app.MergeAllRequest) (app.MergedAll, error) {
	q.Progress = func(line string) {
		if !a.JSON {
			fmt.Fprintln(a.Err, line)
		}
	}
	return app.MergeAll(ctx, svc, q)
}

// printMergedAll prints the outcome of each task.
func printMergedAll(w io.Writer, m app.MergedAll) {
	p := terminal.PaintFor(w)
	for _, t := range m.Tasks {
		word := map[app.QueueOutcome]string{app.QueueMerged: p.Good("merged"), app.QueueReady: p.Good("would merge"),
			app.QueueWaits: p.Warn("waiting")}[t.Outcome]
		if word == "" {
			word = p.Bad(string(t.Outcome))
		}
		text := t.Why
		if t.Outcome == app.QueueMerged {
			text = belay.CountOf(t.Paths, "path")
		}
		fmt.Fprintln(w, strings.TrimSuffix(fmt.Sprintf("%s %s: %s", word, t.Task, belay.VisibleLine(text)), ": "))
		for _, f := range t.Findings {
			fmt.Fprintf(w, "    %s\n", belay.VisibleLine(f.Title))
		}
		if t.Outcome == app.QueueRejected && !m.DryRun {
			fmt.Fprintf(w, "    continue with: belay run --resume %s\n", t.Task)
		}
		if t.Ticked != "" {
			fmt.Fprintf(w, "    %s\n", belay.VisibleLine(t.Ticked))
		}
	}
	if m.Tests != "" {
		fmt.Fprintf(w, "tests of the result: %s (%s)\n", belay.VisibleLine(m.Tests), belay.CountOf(m.Runs, "run"))
	}
	if m.Before != "" {
		fmt.Fprintf(w, "the previous state is snapshot %[1]s; restore it with: belay snapshot restore %[1]s\n", m.Before.Short())
	}
}

// printMerged prints the result of a merge, or its plan.
func printMerged(w io.Writer, m runner.MergeResult, dry, failed bool) {
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
		fmt.Fprintf(w, "left %s: %s\n", belay.VisibleLine(k.Path), belay.VisibleLine(k.Reason))
	}
	for _, k := range m.Skipped {
		fmt.Fprintf(w, "%s %s: %s\n", p.Warn("skipped"), belay.VisibleLine(k.Path), belay.VisibleLine(k.Reason))
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
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, _ []string) error {
			s, err := svc.Status(c.Context())
			return a.printDataOrError(s.Worktrees, err, func(w io.Writer) { terminal.PrintWorktrees(w, s.Worktrees) })
		}),
	}
}

func (a loopFamily) worktreeRemoveCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use: "remove TASK", Short: "Remove a task's worktree", Args: cobra.ExactArgs(1), Aliases: []string{"rm"},
		Long: `Remove deletes a task's worktree if no work is lost: the task has ended, accepted work is
merged, and nobody changed the worktree since. --force removes it anyway, after a
snapshot. The task's record and snapshots are kept, and belay run --resume recreates the
worktree of an open task.

Exit codes: 0 removed · 1 it has unmerged work or changes · 2 the task has no worktree ·
5 in use · 6 no such task.`,
		Example:           "  belay worktree remove T7\n  belay worktree remove T7 --force",
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withTask(func(c *cobra.Command, svc *app.Service, id belay.TaskID) error {
			r, err := svc.RemoveTree(c.Context(), id, force)
			if err != nil {
				return err
			}
			return a.PrintResult(map[string]any{"task": id, "worktree": r.Task.Worktree, "removed": true}, nil, func(w io.Writer) {
				fmt.Fprintf(w, "removed %s\n", belay.VisibleLine(r.Task.Worktree))
			})
		}),
	}
	c.Flags().BoolVar(&force, "force", false, "remove it even if work is lost; takes a snapshot first")
	return c
}
