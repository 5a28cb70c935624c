package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/fleet/machine"
	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/cli"
	"github.com/belay-dev/belay/internal/session"
)

func (a *program) forgetCommand() *cobra.Command {
	var older, records, cron, zone string
	keep := task.Retention{}
	c := &cobra.Command{
		Use: "forget [REMOTE]", Short: "Delete snapshots of tasks that ended long ago from a remote", Args: cobra.MaximumNArgs(1),
		Long: `Forget deletes the snapshots of old tasks from a git remote (default: origin). A task is
old if it ended more than --older-than ago and is not one of the --keep-last tasks that
ended last. Open tasks, and tasks of an open feature, keep everything. The record of an
old task moves to refs/belay/forgotten/DAY/TASK, and is deleted --records-older-than
later. Branches are never deleted.

If a ref of a task changes meanwhile, the task is left alone. A pass that was killed is
completed by the next one. With --cron a worker does it at regular times: belay-fleet
schedule list shows the schedule, and schedule delete ends it.

Exit codes: 0 done, or scheduled · 1 the remote refuses · 2 failed · 5 the schedule exists.`,
		Example: `  belay-fleet forget --dry-run
  belay-fleet forget https://git.example.com/team/app.git --older-than 90d --keep-last 100
  belay-fleet forget https://git.example.com/team/app.git --cron @daily`,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if keep.OlderThan, err = cli.ParseAge(older); err != nil {
				return err
			}
			if keep.Records, err = cli.ParseAge(records); err != nil {
				return err
			}
			if keep.KeepLast < 0 {
				return belay.Refuse(belay.CodeUsage, "use 0 or more", "--keep-last is negative")
			}
			url := strings.Join(args, "")
			if url == "" {
				url = origin(c.Context())
			}
			if url == "" {
				return belay.Refuse(belay.CodeUsage, "belay-fleet forget REMOTE, or run it in a clone",
					"no remote is given, and there is no origin here")
			}
			if cron != "" && keep.DryRun {
				return belay.Refuse(belay.CodeUsage, "use one of them", "--dry-run and --cron cannot be combined")
			}
			if cron != "" {
				return a.forgetAt(c.Context(), task.ForgetAsk{Remote: remote.WithoutLogin(url), Keep: keep}, cron, zone)
			}
			return a.forget(c.Context(), task.ForgetAsk{Remote: url, Keep: keep})
		},
	}
	f := c.Flags()
	f.StringVar(&older, "older-than", "30d", "`AGE` since a task ended, like 72h or 30d")
	f.StringVar(&records, "records-older-than", "365d", "`AGE` since the snapshots were forgotten")
	f.IntVar(&keep.KeepLast, "keep-last", 20, "keep the `N` tasks that ended last")
	f.BoolVarP(&keep.DryRun, "dry-run", "n", false, "list what would be deleted, and delete nothing")
	f.StringVar(&cron, "cron", "", "have a worker do it at the times of this cron `EXPRESSION`: five fields, or @daily, @weekly …")
	f.StringVar(&zone, "zone", "UTC", "the time `ZONE` of --cron, like Europe/Zurich")
	return c
}

func (a *program) forget(ctx context.Context, q task.ForgetAsk) error {
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	known, err := machine.OpenOrEndedTasks(ctx, c, remote.WithoutLogin(q.Remote))
	if err != nil {
		return belay.Refuse(belay.CodeCannot, "belay-fleet setup, once for a namespace", "the server does not list tasks: %v", err)
	}
	out, err := remote.Forget(ctx, q, known, time.Now())
	if err != nil && len(out.Tasks) == 0 {
		return err
	}
	return a.PrintResult(out, err, func(w io.Writer) { printForgotten(w, out) })
}

func printForgotten(w io.Writer, out task.ForgetResult) {
	done, tasks := "deleted", 0
	if out.DryRun {
		done = "would be deleted"
	}
	for _, t := range out.Tasks {
		switch {
		case t.KeptReason != "":
			fmt.Fprintf(w, "%s: kept: %s\n", t.Task, t.KeptReason)
		case t.RecordDeleted:
			fmt.Fprintf(w, "%s: its record %s\n", t.Task, done)
		default:
			tasks++
			fmt.Fprintf(w, "%s: ended %s, %s %s\n", t.Task, t.Ended.Local().Format(time.DateOnly), belay.CountOf(t.Snapshots, "snapshot"),
				done)
		}
	}
	fmt.Fprintf(w, "%s of %s and %s %s\n", belay.CountOf(out.Snapshots, "snapshot"), belay.CountOf(tasks, "task"),
		belay.CountOf(out.Records, "record"), done)
}

// forgetAt creates a schedule of passes on the server.
func (a *program) forgetAt(ctx context.Context, q task.ForgetAsk, cron, zone string) error {
	if err := isZone(zone); err != nil {
		return err
	}
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	name := "forget-" + task.RepositoryKey(q.Remote)
	if err := create(ctx, c, name, cron, zone, "forget old tasks of "+q.Remote, task.ForgetName, q); err != nil {
		return err
	}
	return a.PrintResult(map[string]any{"schedule": name, "cron": cron, "zone": zone, "remote": q.Remote}, nil, func(w io.Writer) {
		fmt.Fprintf(w, "%s: created; belay-fleet schedule list shows the next time\n", name)
	})
}

// remoteContents is what a remote has of a task.
type remoteContents struct {
	remote.RemoteContents
	Unknown string `json:"unknown,omitempty"` // the error, if the remote cannot be read
}

// readRemoteContents asks the remote what it still has of an ended task; nil for a task that is
// open, or was never pushed.
func readRemoteContents(ctx context.Context, st task.Status) *remoteContents {
	if st.Outcome == "" || st.Unpushed || st.Head.Seq == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	there, err := remote.ReadContents(ctx, st.Task.Remote, st.Task.ID)
	if err != nil {
		return &remoteContents{Unknown: strings.ReplaceAll(session.ErrorLine(err), "\n", " ")}
	}
	return &remoteContents{RemoteContents: there}
}

func (r remoteContents) text() string {
	switch {
	case r.Unknown != "":
		return "unknown: " + belay.VisibleLine(r.Unknown)
	case r.Forgotten != "":
		return "its record; its snapshots were forgotten on " + r.Forgotten
	case r.Record:
		return "its record and " + belay.CountOf(r.Snapshots, "snapshot")
	}
	return "nothing: its record was forgotten as well"
}
