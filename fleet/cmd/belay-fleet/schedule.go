package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/cli"
)

func (a *program) scheduleCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "schedule", Short: "Submit a task at regular times", Args: cobra.NoArgs,
		Long: `Schedule has the server submit a task at fixed times. Each task starts from the current
state of its branch and gets a new ID: NAME, the date and the time (UTC). While one is
open, also at a gate, the next one is skipped.`,
		Example: `  belay-fleet schedule create deps --cron "0 3 * * 1" -- "update the dependencies" --files 'go.*' --with claude
  belay-fleet schedule list
  belay-fleet schedule delete deps`,
	}
	c.AddCommand(a.scheduleCreateCommand(), a.scheduleListCommand(), a.scheduleDeleteCommand())
	return c
}

func (a *program) scheduleCreateCommand() *cobra.Command {
	var cron, zone string
	c := &cobra.Command{
		Use: `create NAME --cron "MIN HOUR DAY MONTH WEEKDAY" -- "PROSE" [submit's flags]`, Short: "Create a schedule",
		Long: `Create makes a schedule. After -- follow the arguments of belay-fleet submit for one task,
except --task and --base.

Exit codes: 0 created · 2 failed · 5 the name is taken.`,
		Example: `  belay-fleet schedule create deps --cron "0 3 * * 1" -- "update the dependencies" --files 'go.*' --with claude
  belay-fleet schedule create docs --cron "@daily" --zone Europe/Zurich -- "fix dead links" -- my-agent --quiet`,
		RunE: func(c *cobra.Command, args []string) error {
			dash := c.ArgsLenAtDash()
			if dash != 1 || strings.TrimSpace(cron) == "" {
				return belay.Refuse(belay.CodeUsage,
					`belay-fleet schedule create NAME --cron "0 3 * * *" -- "what the agent should do" --with AGENT`,
					"a schedule needs a name, --cron and, after --, a task")
			}
			return a.scheduleCreate(c, args[0], cron, zone, args[dash:])
		},
	}
	c.Flags().StringVar(&cron, "cron", "", "the times, as a cron `EXPRESSION`: five fields, or @daily, @weekly …")
	c.Flags().StringVar(&zone, "zone", "UTC", "the time `ZONE` of --cron, like Europe/Zurich")
	return c
}

func (a *program) scheduleCreate(c *cobra.Command, name, cron, zone string, rest []string) error {
	if _, err := belay.ParseNewTaskID(name); err != nil || len(name) > 40 {
		return belay.Refuse(belay.CodeUsage, "use a short name, like deps", "%q cannot begin the ids of tasks", belay.VisibleLine(name))
	}
	if err := isZone(zone); err != nil {
		return err
	}
	in, err := parseScheduled(c.Context(), rest)
	if err != nil {
		return err
	}
	cl, err := a.dial(c.Context())
	if err != nil {
		return err
	}
	defer cl.Close()
	if err := create(c.Context(), cl, name, cron, zone, belay.TitleOf(in.Prose), task.ScheduledName,
		task.Scheduled{Name: name, Like: in}); err != nil {
		return err
	}
	return a.PrintResult(map[string]any{"schedule": name, "cron": cron, "zone": zone, "remote": in.Remote, "branch": in.Branch}, nil,
		func(w io.Writer) {
			fmt.Fprintf(w, "%s: created; belay-fleet schedule list shows the next time\n", name)
		})
}

func isZone(name string) error {
	if _, err := time.LoadLocation(name); err != nil {
		return belay.Refuse(belay.CodeUsage, "use a name like Europe/Zurich", "no time zone %s", belay.VisibleLine(name))
	}
	return nil
}

// create creates a schedule that starts a workflow. CodeBusy: the name is taken.
func create(ctx context.Context, cl client.Client, name, cron, zone, note, workflow string, arg any) error {
	_, err := cl.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: task.ScheduleID(name), Spec: client.ScheduleSpec{CronExpressions: []string{cron}, TimeZoneName: zone},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, Note: note,
		Action: &client.ScheduleWorkflowAction{ID: task.ScheduleID(name), Workflow: workflow, TaskQueue: task.Queue, Args: []any{arg}},
	})
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return belay.Refuse(belay.CodeBusy, "belay-fleet schedule delete "+name, "there is a schedule %s", name)
	}
	if err != nil {
		return belay.Refuse(belay.CodeCannot, `check --cron, like "0 3 * * 1"`, "the server refuses the schedule: %v", err)
	}
	return nil
}

// parseScheduled parses the arguments that submit takes for one task.
func parseScheduled(ctx context.Context, args []string) (in task.Input, err error) {
	var f cli.NewTaskFlags
	c := &cobra.Command{Use: "submit"}
	c.SetContext(ctx)
	submitFlags(c, &f, &in)
	if err := c.ParseFlags(args); err != nil {
		return in, cli.FlagError(c, err)
	}
	prose, command, err := cli.SplitPrompt(c, c.Flags().Args())
	if err != nil {
		return in, err
	}
	if f.ID != "" || in.Base != "" || listOf(f, prose) != "" {
		return in, belay.Refuse(belay.CodeUsage, "leave out --task and --base, and give the text of one task",
			"each task of a schedule gets a new id, and begins where its branch is then")
	}
	in.Base = "HEAD" // unused: each task starts from its branch at the time
	in, err = ask(c, f, in, prose, command)
	in.ID, in.Base = "", ""
	return in, err
}

// schedule is a row of the list of schedules.
type schedule struct {
	Name   string     `json:"name"`
	Note   string     `json:"note"`
	Next   *time.Time `json:"next,omitempty"`
	Last   *time.Time `json:"last,omitempty"`
	Paused bool       `json:"paused,omitempty"`
}

func (a *program) scheduleListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the schedules", Args: cobra.NoArgs,
		Long: `List shows the schedules with the times of their last and next tasks.

Exit codes: 0 listed.`,
		Example: "  belay-fleet schedule list",
		RunE: func(c *cobra.Command, _ []string) error {
			cl, err := a.dial(c.Context())
			if err != nil {
				return err
			}
			defer cl.Close()
			all, err := schedules(c.Context(), cl)
			if err != nil {
				return err
			}
			return a.PrintResult(all, nil, func(w io.Writer) { printSchedules(w, all) })
		},
	}
}

func schedules(ctx context.Context, c client.Client) ([]schedule, error) {
	all := []schedule{}
	it, err := c.ScheduleClient().List(ctx, client.ScheduleListOptions{PageSize: 100})
	if err != nil {
		return nil, err
	}
	for it.HasNext() {
		e, err := it.Next()
		if err != nil {
			return nil, err
		}
		name, ours := strings.CutPrefix(e.ID, task.ScheduleID(""))
		if !ours {
			continue
		}
		s := schedule{Name: name, Note: e.Note, Paused: e.Paused}
		if len(e.NextActionTimes) > 0 {
			s.Next = &e.NextActionTimes[0]
		}
		if n := len(e.RecentActions); n > 0 {
			s.Last = &e.RecentActions[n-1].ActualTime
		}
		all = append(all, s)
	}
	return all, nil
}

func printSchedules(w io.Writer, all []schedule) {
	if len(all) == 0 {
		fmt.Fprintln(w, "no schedules")
		return
	}
	at := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return t.Local().Format("2006-01-02 15:04")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SCHEDULE\tLAST\tNEXT\tTASK")
	for _, s := range all {
		next := at(s.Next)
		if s.Paused {
			next = "paused"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", belay.VisibleLine(s.Name), at(s.Last), next, belay.VisibleLine(s.Note))
	}
	_ = t.Flush()
}

func (a *program) scheduleDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME", Short: "Delete a schedule", Args: cobra.ExactArgs(1),
		Long: `Delete ends a schedule. Tasks that it submitted stay.

Exit codes: 0 deleted · 6 no such schedule.`,
		Example: "  belay-fleet schedule delete deps",
		RunE: func(c *cobra.Command, args []string) error {
			cl, err := a.dial(c.Context())
			if err != nil {
				return err
			}
			defer cl.Close()
			if err := cl.ScheduleClient().GetHandle(c.Context(), task.ScheduleID(args[0])).Delete(c.Context()); err != nil {
				if belay.CodeOf(translateError(err, args[0])) == belay.CodeNotFound {
					return belay.Refuse(belay.CodeNotFound, "belay-fleet schedule list", "no schedule %s", belay.VisibleLine(args[0]))
				}
				return err
			}
			return a.PrintResult(map[string]any{"schedule": args[0]}, nil, func(w io.Writer) { fmt.Fprintf(w, "%s: deleted\n", args[0]) })
		},
	}
}
