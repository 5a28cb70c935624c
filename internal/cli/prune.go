package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/terminal"
)

type undoFunc func(*app.Service, context.Context, restore.Options) (restore.Restored, error)

// undoCommandFor creates the commands undo and redo.
func (a snapshotFamily) undoCommandFor(name, about string, do undoFunc) *cobra.Command {
	var o restore.Options
	c := &cobra.Command{
		Use: name, Short: about, Args: cobra.NoArgs,
		Long: about + ". It takes a snapshot first, so nothing is lost.\n\nIt first finishes an interrupted restore. " +
			"If that is impossible, belay undo reverses\nan interrupted restore, and belay redo an interrupted undo." +
			"\n\nExit codes: 0 done, perhaps with skipped paths · 2 nothing to " + name + ", or not possible · 5 a task runs here.",
		Example: "  belay " + name + "\n  belay " + name + " --dry-run",
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, _ []string) error {
			out, err := do(svc, c.Context(), o)
			if a.AskSkipBroken(err) {
				o.SkipBroken = true
				out, err = do(svc, c.Context(), o)
			}
			if err != nil {
				return err
			}
			return a.PrintUndone(out, o.DryRun, name)
		}),
	}
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "print the plan and change nothing")
	c.Flags().BoolVar(&o.SkipBroken, "skip-broken", false, "skip and list what cannot be restored")
	return c
}

func (a snapshotFamily) dropCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "drop ID…", Short: "Delete snapshots", Args: cobra.MinimumNArgs(1),
		Long: `Drop deletes snapshots permanently; git gc then frees their space. Snapshots of an open
task cannot be dropped.

Exit codes: 0 deleted · 2 belongs to an open task · 6 no such snapshot.`,
		Example: "  belay snapshot drop 01jd6y", ValidArgsFunction: a.CompleteSnapshots,
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, args []string) error {
			protected, err := svc.Protected(c.Context())
			if err != nil {
				return err
			}
			var ids []belay.SnapshotID
			for _, arg := range args {
				id, err := belay.ParseSnapshotID(arg)
				if err != nil {
					return err
				}
				info, err := svc.Session.Snaps.Get(c.Context(), id)
				if err != nil {
					return err
				}
				if protected(info) == app.NeededByTask {
					return belay.Refuse(belay.CodeCannot,
						fmt.Sprintf("finish or abort %s first: belay show %s", info.Task, info.Task),
						"%s belongs to %s, which is still open", info.ID.Short(), info.Task)
				}
				if !slices.Contains(ids, info.ID) {
					ids = append(ids, info.ID)
				}
			}
			if !a.Confirm(fmt.Sprintf("permanently delete %s?", belay.CountOf(len(ids), "snapshot")), yes) {
				return belay.Refuse(belay.CodeInterrupted, "add --yes to continue", "nothing was changed")
			}
			if err := svc.Session.Restores.Drop(c.Context(), ids...); err != nil {
				return err
			}
			return a.PrintResult(ids, nil, func(w io.Writer) { fmt.Fprintf(w, "deleted %s\n", belay.CountOf(len(ids), "snapshot")) })
		}),
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a snapshotFamily) pruneCommand() *cobra.Command {
	var q app.PruneRequest
	var age string
	c := &cobra.Command{
		Use: "prune", Short: "Delete old snapshots", Args: cobra.NoArgs,
		Long: `Prune deletes snapshots older than a day. It always keeps the snapshots of open tasks and
of unmerged work, those that belay undo and redo need, the newest of each task, and those
that a run took for a task without a record.

When a task ends, snapshot.on_completion and snapshot.archive_for in the config decide
what is deleted automatically: by default the snapshots between the task's first and last
one, a week after its end.

Nothing is deleted while a snapshot, or the restore history, cannot be read.

Exit codes: 0 done · 2 a snapshot cannot be read.`,
		Example: "  belay snapshot prune --older-than 72h --dry-run",
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if q.OlderThan, err = ParseAge(age); err != nil {
				return err
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			missing, err := svc.MissingSnapshots(c.Context())
			if err != nil {
				return err
			}
			out, err := svc.Prune(c.Context(), q)
			if err != nil {
				return err
			}
			for _, task := range slices.Sorted(maps.Keys(out.Unrecorded)) {
				fmt.Fprintf(a.Err, "belay: kept %s of %s: its record is missing or unreadable (belay doctor; --without-record deletes "+
					"them)\n", belay.CountOf(out.Unrecorded[task], "snapshot"), belay.VisibleLine(string(task)))
			}
			for _, file := range out.Damaged {
				fmt.Fprintf(a.Err, "belay: %s is damaged or missing, so the rescue snapshots that belay undo may need are kept\n",
					belay.VisibleLine(file))
			}
			if len(missing) > 0 {
				fmt.Fprintln(a.Err, "belay: "+terminal.MissingSnapshotsText(missing))
			}
			return a.PrintResult(out, nil, func(w io.Writer) { printPruned(w, out, q.DryRun) })
		},
	}
	c.Flags().StringVar(&age, "older-than", "24h", "age, like 90m, 72h or 7d")
	c.Flags().BoolVar(&q.WithoutRecord, "without-record", false, "also delete snapshots of tasks without a record")
	c.Flags().BoolVar(&q.DryRun, "dry-run", false, "count and change nothing")
	return c
}

// printPruned prints what was deleted, and why other snapshots are kept.
func printPruned(w io.Writer, out app.Pruned, dry bool) {
	verb := "deleted"
	if dry {
		verb = "would be deleted"
	}
	var why []string
	if out.ForTasks > 0 {
		why = append(why, fmt.Sprintf("%d for open and unmerged tasks", out.ForTasks))
	}
	if out.ForUndo > 0 {
		why = append(why, fmt.Sprintf("%d for undo and redo", out.ForUndo))
	}
	text := ""
	if len(why) > 0 {
		text = " (" + strings.Join(why, ", ") + ")"
	}
	fmt.Fprintf(w, "%s %s, %d kept%s\n", belay.CountOf(len(out.Dropped), "snapshot"), verb, out.Kept, text)
	if len(out.Contexts) > 0 {
		fmt.Fprintf(w, "removed the contexts of tasks that are gone or have ended: %s\n",
			belay.VisibleLine(strings.Join(out.Contexts, ", ")))
	}
}

// ParseAge parses a duration that may be in days.
func ParseAge(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		d, err := time.ParseDuration(days + "h")
		if err == nil && d >= 0 && d <= math.MaxInt64/24 { // more would overflow
			return d * 24, nil
		}
	} else if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return d, nil
	}
	return 0, belay.Refuse(belay.CodeUsage, "write an age like 90m, 72h or 7d", "%q is not an age", s)
}

func (a snapshotFamily) usageCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show how much space snapshots use", Args: cobra.NoArgs,
		Long: "Exit codes: 0 shown.", Example: "  belay snapshot status",
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, _ []string) error {
			u, err := svc.Session.Snaps.Usage(c.Context())
			return a.printDataOrError(u, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s, %s not shared with anything else\n", belay.CountOf(u.Snapshots, "snapshot"), belay.RoundSize(u.Bytes))
				if u.Unreadable > 0 {
					fmt.Fprintf(w, "%s: run belay doctor\n", belay.CountOf(u.Unreadable, "unreadable snapshot"))
				}
				if limit := svc.Session.Config.Snapshot.Cap; limit > 0 && u.Bytes > limit {
					fmt.Fprintf(w, "over the limit of %s: run belay snapshot prune\n", belay.RoundSize(limit))
				}
			})
		}),
	}
}
