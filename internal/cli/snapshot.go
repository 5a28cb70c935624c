package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a snapshotFamily) snapshotCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "snapshot", Short: "Take, compare and restore snapshots", Aliases: []string{"snap"},
		Long: `A snapshot is the whole state of a working tree: tracked, staged and untracked files
byte for byte, the index, HEAD and its branch, refs, and an operation in progress.
Taking one changes no file, branch or index; its refs are below refs/belay/.`,
		Example: "  belay snapshot take -m \"before lunch\"\n  belay snapshot list",
	}
	c.AddCommand(a.takeCommand(), a.listCommand(), a.snapshotShowCommand(), a.diffCommand("belay snapshot diff"),
		a.restoreCommand(), a.dropCommand(), a.pruneCommand(), a.usageCommand())
	return c
}

func (a snapshotFamily) takeCommand() *cobra.Command {
	m := snapshot.Meta{Kind: belay.KindManual}
	var task string
	c := &cobra.Command{
		Use: "take", Short: "Take a snapshot and print its ID", Args: cobra.NoArgs,
		Long: `Take prints the snapshot's ID as its only line. On standard error it lists what it could
not capture; a later restore does not touch those paths.

Exit codes: 0 taken · 2 could not be taken.`,
		Example: `  belay snapshot take -m "before lunch"
  id=$(belay snapshot take)`,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if task != "" {
				if m.Task, err = belay.ParseTaskID(task); err != nil {
					return err
				}
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			info, err := svc.Session.Snaps.Take(c.Context(), m)
			if err != nil {
				return err
			}
			if !a.JSON {
				a.printGaps(info)
			}
			return a.PrintResult(info, nil, func(w io.Writer) { fmt.Fprintln(w, info.ID) })
		},
	}
	f := c.Flags()
	f.StringVarP(&m.Message, "message", "m", "", "what it is for")
	f.StringVar(&m.Feature, "feature", "", "the feature it belongs to")
	f.StringVar(&m.Agent, "agent", "", "the agent that works next")
	f.StringSliceVar(&m.Expected, "expected-files", nil, "files expected to change after it")
	f.StringVar(&task, "task", "", "the task it belongs to")
	return c
}

func (a snapshotFamily) printGaps(info snapshot.Info) {
	const most = 10
	for i, g := range info.Gaps {
		if left := len(info.Gaps) - i; i == most && left > 1 {
			fmt.Fprintf(a.Err, "belay: not captured: %d more (belay snapshot show %s)\n", left, info.ID.Short())
			break
		}
		fmt.Fprintf(a.Err, "belay: not captured: %s (%s)\n", belay.VisibleLine(g.Path), belay.VisibleLine(g.Reason))
	}
	for _, n := range info.Nested {
		fmt.Fprintf(a.Err, "belay: not included: %s (nested repository)\n", belay.VisibleLine(n))
	}
	for _, b := range info.BrokenRefs {
		fmt.Fprintf(a.Err, "belay: %s does not resolve: its content is saved unchanged\n", belay.VisibleLine(b))
	}
	if info.Unstable {
		fmt.Fprintln(a.Err, "belay: files changed while the snapshot was taken: it may mix older and newer files")
	}
}

// listedSnapshot is a snapshot in a list. Archived means that its task has ended and nothing needs
// it.
type listedSnapshot struct {
	snapshot.Info
	Archived bool `json:"archived,omitempty"`
}

func (a snapshotFamily) listCommand() *cobra.Command {
	var task, kind string
	c := &cobra.Command{
		Use: "list", Short: "List snapshots, oldest first", Args: cobra.NoArgs, Aliases: []string{"ls"},
		Long:    "Exit codes: 0 listed.",
		Example: "  belay snapshot list --task T7",
		RunE: func(c *cobra.Command, _ []string) error {
			if _, err := belay.ParseKind(kind); kind != "" && err != nil {
				return belay.Refuse(belay.CodeUsage, "before, after, handoff, stall, rescue, merge or manual", "%v", err)
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			all, bad, err := svc.Session.Snaps.ListAll(c.Context())
			if err != nil {
				return err
			}
			for _, b := range bad {
				fmt.Fprintf(a.Err, "%s (belay doctor)\n", belay.VisibleLine(b.Error()))
			}
			missing, err := svc.MissingSnapshots(c.Context())
			if err != nil {
				return err
			}
			if len(missing) > 0 {
				fmt.Fprintln(a.Err, "belay: "+terminal.MissingSnapshotsText(missing))
			}
			archived, err := svc.Archived(c.Context())
			if err != nil {
				return err
			}
			list := []listedSnapshot{}
			for _, s := range all {
				if (task == "" || s.Task.Key() == belay.TaskID(task).Key()) && (kind == "" || string(s.Kind) == kind) {
					list = append(list, listedSnapshot{s, archived[s.ID]})
				}
			}
			return a.PrintResult(list, nil, func(w io.Writer) {
				var rows [][]string
				for _, s := range list {
					about := s.Message
					if s.Partial {
						about = strings.TrimSpace(about + " (partial)")
					}
					if s.Archived {
						about = strings.TrimSpace(about + " (archived)")
					}
					rows = append(rows, []string{s.ID.Short(), s.Time.Local().Format("2006-01-02 15:04:05"),
						string(s.Kind), string(s.Task), about})
				}
				terminal.PrintTable(w, rows)
			})
		},
	}
	c.Flags().StringVar(&task, "task", "", "only this task's")
	c.Flags().StringVar(&kind, "kind", "", "only this kind: before, after, handoff, stall, rescue, merge or manual")
	return c
}

func (a snapshotFamily) snapshotShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a snapshot's content and gaps", Args: cobra.ExactArgs(1),
		Long:    "ID may be cut to its first characters.\n\nExit codes: 0 shown · 6 no such snapshot.",
		Example: "  belay snapshot show 01jd6y", ValidArgsFunction: a.CompleteSnapshots,
		RunE: func(c *cobra.Command, args []string) error {
			svc, id, err := a.openSnapshot(c, args[0])
			if err != nil {
				return err
			}
			info, err := svc.Session.Snaps.Get(c.Context(), id)
			return a.printDataOrError(info, err, func(w io.Writer) { terminal.PrintSnapshot(w, info) })
		},
	}
}

// openSnapshot opens the repository and resolves a snapshot ID or its first characters.
func (a snapshotFamily) openSnapshot(c *cobra.Command, arg string) (*app.Service, belay.SnapshotID, error) {
	id, err := belay.ParseSnapshotID(arg)
	if err != nil {
		return nil, "", err
	}
	svc, err := a.Open(c.Context())
	if err != nil {
		return nil, "", err
	}
	id, err = svc.Session.ResolveSnapshot(c.Context(), id)
	return svc, id, err
}

func (a snapshotFamily) diffCommand(path string) *cobra.Command {
	var stat, names bool
	c := &cobra.Command{
		Use: "diff [FROM] [TO] [-- PATH…]", Short: "Show what a task changed, or compare snapshots",
		Long: `If FROM is a task, diff shows what its last attempt changed; the default is the latest
task. If FROM is a snapshot ID, diff compares that snapshot with TO, or with the working
tree. On a terminal, long output goes through $GIT_PAGER, $PAGER or less.

Exit codes: 0 compared · 6 no such snapshot or task.`,
		Example: strings.ReplaceAll(`  belay diff
  belay diff T7 --stat
  belay diff 01jd6y 01jd72 -- src/`, "belay diff", path),
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			ids, rule := a.CompleteSnapshots(c, args, typed)
			if len(args) == 0 {
				tasks, _ := a.CompleteTasks(c, args, typed)
				ids = append(tasks, ids...)
			}
			return ids, rule
		},
		RunE: func(c *cobra.Command, args []string) error {
			ids, paths := args, []string(nil)
			if n := c.ArgsLenAtDash(); n >= 0 {
				ids, paths = args[:n], args[n:]
			}
			if len(ids) > 2 {
				return belay.Refuse(belay.CodeUsage, "belay diff [FROM] [TO] [-- PATH…]", "expected at most two snapshots")
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				id, err := a.ResolveTask(svc, nil)
				if err != nil {
					return err
				}
				ids = []string{string(id)}
			}
			if paths, err = svc.RepoPaths(a.Dir, paths); err != nil {
				return err
			}
			to := ""
			if len(ids) == 2 {
				to = ids[1]
			}
			d, err := svc.Diff(c.Context(), ids[0], to, paths)
			if err != nil {
				return err
			}
			return a.printDiff(c, svc, d, stat, names)
		},
	}
	c.Flags().BoolVar(&stat, "stat", false, "lines added and removed for each file")
	c.Flags().BoolVar(&names, "name-only", false, "names alone")
	return c
}

func (a snapshotFamily) printDiff(c *cobra.Command, svc *app.Service, d app.Diff, stat, names bool) error {
	if a.JSON || stat || names {
		return a.PrintResult(d, nil, func(w io.Writer) {
			var rows [][]string
			for _, ch := range d.Changes {
				switch {
				case names:
					rows = append(rows, []string{ch.Path})
				case ch.Binary:
					rows = append(rows, []string{ch.Status, "binary", ch.Path})
				default:
					rows = append(rows, []string{ch.Status, fmt.Sprintf("+%d -%d", ch.Added, ch.Deleted), ch.Path})
				}
			}
			terminal.PrintTable(w, rows)
		})
	}
	a.Printed = true
	return a.printDiffPaged(c.Context(), svc, d, a.Out)
}

// printDiffPaged prints a diff: in colour through a pager on a terminal, else unchanged.
func (a *App) printDiffPaged(ctx context.Context, svc *app.Service, d app.Diff, to io.Writer) error {
	if !terminal.IsTerminal(to) {
		return svc.Patch(ctx, d, to)
	}
	return a.WithPager(ctx, to, func(w io.Writer) error {
		var b bytes.Buffer
		if err := svc.Patch(ctx, d, &b); err != nil {
			return err
		}
		_, err := io.WriteString(w, terminal.ColourDiff(terminal.PaintFor(w), b.String()))
		return err
	})
}

func (a snapshotFamily) restoreCommand() *cobra.Command {
	var o restore.Options
	var yes bool
	c := &cobra.Command{
		Use: "restore ID [-- PATH…]", Short: "Restore a snapshot", Args: cobra.MinimumNArgs(1),
		Long: `Restore restores files, index, HEAD, branches and an operation in progress; with paths,
only those files. It takes a snapshot first: belay undo reverses it. Ignored files,
nested repositories and paths that the snapshot could not capture are not touched.

If something cannot be restored (damaged objects, an immutable file), nothing is, and
each path is listed; --skip-broken restores everything else. The result then has
"partial": true and the paths as "skipped". It also finishes an interrupted restore of ID.

Exit codes: 0 restored, perhaps with skipped paths · 2 failed and nothing changed, or
interrupted; the message says which and what to do · 5 a task runs here, or another
restore · 6 no such snapshot.`,
		Example: `  belay snapshot restore 01jd6y --dry-run
  belay snapshot restore 01jd6y -- src/login.go`,
		ValidArgsFunction: a.CompleteSnapshots,
		RunE: func(c *cobra.Command, args []string) error {
			if n := c.ArgsLenAtDash(); n >= 0 && n != 1 || n < 0 && len(args) > 1 {
				return belay.Refuse(belay.CodeUsage, "belay snapshot restore ID -- PATH…", "give one snapshot; paths come after --")
			}
			if err := app.CheckGlobs(o.Preserve); err != nil {
				return err
			}
			svc, id, err := a.openSnapshot(c, args[0])
			if err != nil {
				return err
			}
			if o.Paths, err = svc.RepoPaths(a.Dir, args[1:]); err != nil {
				return err
			}
			o.CommandText = "belay snapshot restore " + string(id)
			if len(o.Paths) > 0 {
				o.CommandText = "the same command with"
			}
			unfinished := o.SkipBroken && svc.Session.Restores.Interrupted() // the flag is the confirmation
			do := func(dry, skip bool) (restore.Restored, error) {
				o.DryRun, o.SkipBroken = dry, skip
				return svc.Restore(c.Context(), id, o)
			}
			finish := func() error { return svc.FinishRestore(c.Context(), a.Screen(false)) }
			return a.runRestore("restore "+id.Short(), o.DryRun, !yes && !unfinished, o.SkipBroken, finish, do)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "print the plan and change nothing")
	f.BoolVar(&o.FilesOnly, "files-only", false, "do not change index, HEAD, branches and git's state")
	f.StringSliceVar(&o.Preserve, "preserve", nil, "`GLOBS` not to touch")
	f.BoolVar(&o.SkipBroken, "skip-broken", false, "skip and list what cannot be restored")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a snapshotFamily) undoCommand() *cobra.Command {
	c := a.undoCommandFor("undo", "Undo the last restore", (*app.Service).Undo)
	var turn, tool, of string
	c.Use, c.Args = "undo [--turn [N] | --tool [N]]", cobra.MaximumNArgs(1)
	c.Short = "Undo the last restore, or a turn of an agent's session"
	about, codes, _ := strings.Cut(c.Long, "\n\nExit codes: ")
	c.Long = about + `

With --turn, undo reverses what the tools of an agent's own session changed since turn N
began; with --tool, since tool call N. The default is the last one that changed something
and is not undone yet. belay timeline shows the numbers. Files that others changed stay,
unless a tool changed them, too. belay redo reverses this. The agent is told with your next
prompt.

Exit codes: ` + codes
	c.Example += "\n  belay undo --turn\n  belay undo --turn 3\n  belay undo --tool 7 --dry-run"
	f := c.Flags()
	f.StringVar(&turn, "turn", "", "go back to before turn `N`")
	f.StringVar(&tool, "tool", "", "go back to before tool call `N`")
	f.StringVar(&of, "session", "", "the `SESSION`, when it is not the latest")
	f.Lookup("turn").NoOptDefVal, f.Lookup("tool").NoOptDefVal = lastValue, lastValue
	plain := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if turn == "" && tool == "" {
			if len(args) > 0 || of != "" {
				return belay.Refuse(belay.CodeUsage, "belay undo --turn N, or --tool N", "--turn or --tool is missing")
			}
			return plain(c, nil)
		}
		return a.undoWork(c, app.UndoTurnRequest{Session: of, ToolCall: tool != ""}, turn+tool, args)
	}
	return c
}

// lastValue is the value of --turn or --tool without a number.
const lastValue = "last"

func (a snapshotFamily) undoWork(c *cobra.Command, q app.UndoTurnRequest, word string, args []string) (err error) {
	if word == lastValue && len(args) > 0 {
		word, args = args[0], nil
	}
	if word != lastValue {
		q.Number, err = strconv.Atoi(word)
	}
	if err != nil || word != lastValue && q.Number < 1 || len(args) > 0 {
		return belay.Refuse(belay.CodeUsage, "belay timeline shows the numbers", "%q is not the number of a turn or a tool call",
			strings.Join(append([]string{word}, args...), " "))
	}
	q.Options.DryRun, _ = c.Flags().GetBool("dry-run")
	q.Options.SkipBroken, _ = c.Flags().GetBool("skip-broken")
	svc, err := a.Open(c.Context())
	if err != nil {
		return err
	}
	out, what, err := svc.UndoTurn(c.Context(), q)
	if a.AskSkipBroken(err) {
		q.Options.SkipBroken = true
		out, what, err = svc.UndoTurn(c.Context(), q)
	}
	if err != nil {
		return err
	}
	if !a.JSON {
		fmt.Fprintf(a.Err, "belay: undo %s\n", what)
	}
	return a.PrintRestored(out, q.Options.DryRun)
}

func (a snapshotFamily) redoCommand() *cobra.Command {
	return a.undoCommandFor("redo", "Redo the restore that undo reversed", (*app.Service).Redo)
}
