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

type undoer func(*app.Desk, context.Context, restore.Options) (restore.Restored, error)

// stepBack makes undo and redo.
func (a snapshotFamily) stepBack(name, about string, do undoer) *cobra.Command {
	var o restore.Options
	c := &cobra.Command{
		Use: name, Short: about, Args: cobra.NoArgs,
		Long: about + ". Nothing is lost either way: the present is held first.\n\nA restore that was interrupted is " +
			"finished first. One that cannot be finished is reversed\nby belay undo, an interrupted undo by belay " +
			"redo.\n\nExit codes: 0 done, all or without what is skipped · 2 nothing to " + name + ", or refused · 5 a task runs here.",
		Example: "  belay " + name + "\n  belay " + name + " --dry-run",
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			out, err := do(desk, c.Context(), o)
			if a.SkipBroken(err) {
				o.SkipBroken = true
				out, err = do(desk, c.Context(), o)
			}
			if err != nil {
				return err
			}
			return a.SteppedBack(out, o.DryRun, name)
		},
	}
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "print the plan and change nothing")
	c.Flags().BoolVar(&o.SkipBroken, "skip-broken", false, "leave out, by name, what cannot be restored")
	return c
}

func (a snapshotFamily) dropCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "drop ID…", Short: "Forget snapshots", Args: cobra.MinimumNArgs(1),
		Long: `Drop forgets snapshots for good; git gc then frees their space. The snapshots of an open
task are refused.

Exit codes: 0 forgotten · 2 belongs to an open task · 6 no such snapshot.`,
		Example: "  belay snapshot drop 01jd6y", ValidArgsFunction: a.CompleteSnapshots,
		RunE: func(c *cobra.Command, args []string) error {
			desk, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			protected, err := desk.Protected(c.Context())
			if err != nil {
				return err
			}
			var ids []belay.SnapshotID
			for _, arg := range args {
				id, err := belay.ParseSnapshotID(arg)
				if err != nil {
					return err
				}
				info, err := desk.Snaps.Get(c.Context(), id)
				if err != nil {
					return err
				}
				if protected(info) == app.NeededByTask {
					return belay.Refuse(belay.CodeCannot,
						fmt.Sprintf("end %s first: belay show %s", info.Task, info.Task),
						"%s belongs to the open task %s", info.ID.Short(), info.Task)
				}
				if !slices.Contains(ids, info.ID) {
					ids = append(ids, info.ID)
				}
			}
			if !a.Confirm(fmt.Sprintf("forget %d snapshot(s) for good?", len(ids)), yes) {
				return belay.Refuse(belay.CodeInterrupted, "add --yes to go ahead", "nothing was changed")
			}
			if err := desk.Snaps.Drop(c.Context(), ids...); err != nil {
				return err
			}
			return a.Tell(ids, nil, func(w io.Writer) { fmt.Fprintf(w, "%d snapshot(s) forgotten\n", len(ids)) })
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a snapshotFamily) pruneCommand() *cobra.Command {
	var q app.PruneRequest
	var age string
	c := &cobra.Command{
		Use: "prune", Short: "Forget old snapshots", Args: cobra.NoArgs,
		Long: `Prune forgets snapshots older than a day. Whatever their age, these stay: the snapshots
of open tasks and of work that is not merged, those that belay undo and redo can still go
to, the newest of each task, and those that a run took of a task whose record is gone.

What is forgotten by itself when a task ends is set by snapshot.on_completion and
snapshot.archive_for in the config: by default the snapshots between a task's state before
and its last one, a week after its end.

Nothing is forgotten while a snapshot, or the history of restores, cannot be read.

Exit codes: 0 done · 2 a snapshot cannot be read.`,
		Example: "  belay snapshot prune --older-than 72h --dry-run",
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if q.OlderThan, err = parseAge(age); err != nil {
				return err
			}
			desk, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			missing, err := desk.Missing(c.Context())
			if err != nil {
				return err
			}
			out, err := desk.Prune(c.Context(), q)
			if err != nil {
				return err
			}
			for _, task := range slices.Sorted(maps.Keys(out.Unrecorded)) {
				fmt.Fprintf(a.Err, "belay: %d snapshot(s) of %s stay: its record is gone or cannot be read (belay "+
					"doctor; --without-record forgets them)\n", out.Unrecorded[task], belay.VisibleLine(string(task)))
			}
			for _, file := range out.Damaged {
				fmt.Fprintf(a.Err, "belay: %s is damaged or gone: what belay undo needs there is not known, so its "+
					"rescues stay\n", belay.VisibleLine(file))
			}
			if len(missing) > 0 {
				fmt.Fprintln(a.Err, "belay: "+terminal.MissingSnapshots(missing))
			}
			return a.Tell(out, nil, func(w io.Writer) { pruned(w, out, q.DryRun) })
		},
	}
	c.Flags().StringVar(&age, "older-than", "24h", "age, like 90m, 72h or 7d")
	c.Flags().BoolVar(&q.WithoutRecord, "without-record", false, "forget also those of tasks whose record is gone")
	c.Flags().BoolVar(&q.DryRun, "dry-run", false, "count and change nothing")
	return c
}

// pruned says what was forgotten, and why others stay.
func pruned(w io.Writer, out app.Pruned, dry bool) {
	verb := "forgotten"
	if dry {
		verb = "would be forgotten"
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
	fmt.Fprintf(w, "%d snapshot(s) %s, %d kept%s\n", len(out.Dropped), verb, out.Kept, text)
	if len(out.Contexts) > 0 {
		fmt.Fprintf(w, "removed the contexts of tasks that are gone or have ended: %s\n",
			belay.VisibleLine(strings.Join(out.Contexts, ", ")))
	}
}

// parseAge reads a duration that may be given in days.
func parseAge(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		d, err := time.ParseDuration(days + "h")
		if err == nil && d >= 0 && d <= math.MaxInt64/24 { // more would come round to less than nothing
			return d * 24, nil
		}
	} else if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return d, nil
	}
	return 0, belay.Refuse(belay.CodeUsage, "write an age like 90m, 72h or 7d", "%q is not an age", s)
}

func (a snapshotFamily) usageCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show how much snapshots hold", Args: cobra.NoArgs,
		Long: "Exit codes: 0 shown.", Example: "  belay snapshot status",
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			u, err := desk.Snaps.Usage(c.Context())
			if err != nil {
				return err
			}
			return a.Tell(u, nil, func(w io.Writer) {
				fmt.Fprintf(w, "%d snapshot(s), %s that nothing else holds\n", u.Snapshots, terminal.Size(u.Bytes))
				if u.Unreadable > 0 {
					fmt.Fprintf(w, "%d snapshot(s) cannot be read: belay doctor\n", u.Unreadable)
				}
				if limit := desk.Config.Snapshot.Cap; limit > 0 && u.Bytes > limit {
					fmt.Fprintf(w, "over the cap of %s: belay snapshot prune\n", terminal.Size(limit))
				}
			})
		},
	}
}
