package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/terminal"
)

// overview is the state of the fleet at one time.
type overview struct {
	Time    time.Time      `json:"time"`
	Waiting []row          `json:"waiting"` // for a person, oldest first
	Running []row          `json:"running"` // the other open tasks
	Phases  map[string]int `json:"phases"`  // number of open tasks, by phase
	Ended   map[string]int `json:"ended"`   // number of tasks that ended today, by outcome
	Cost    float64        `json:"cost_today"`
	Backlog int64          `json:"backlog"` // steps that no worker has taken
	Workers []workerLoad   `json:"workers"`
}

// workerLoad is a worker and its open tasks.
type workerLoad struct {
	Worker string     `json:"worker"`
	Seen   *time.Time `json:"seen,omitempty"` // when it last asked for work; nil if it is not connected but has tasks
	Slots  *slots     `json:"slots,omitempty"`
	Tasks  []string   `json:"tasks"`
}

func (a *program) topCommand() *cobra.Command {
	var every time.Duration
	c := &cobra.Command{
		Use: "top", Short: "Show what the fleet is doing", Args: cobra.NoArgs,
		Long: `Top shows the tasks that wait for a person, open tasks by phase, the workers with their
slots and tasks, the number of steps that no worker has taken yet, the tasks that ended
today, and the cost of those that were started today. A day is one of UTC, as for the
limits of teams. On a terminal it is refreshed until Ctrl-C; otherwise, and with --json,
it is printed once.

Exit codes: 0 shown.`,
		Example: "  belay-fleet top\n  belay-fleet top --json",
		RunE: func(c *cobra.Command, _ []string) error {
			cl, err := a.dial(c.Context())
			if err != nil {
				return err
			}
			defer cl.Close()
			if a.JSON || !terminal.IsTerminal(a.Out) {
				o, err := gather(c.Context(), cl, a.namespace, time.Now())
				if err != nil {
					return err
				}
				return a.PrintResult(o, nil, func(w io.Writer) { o.print(w, 0) })
			}
			return a.refresh(c.Context(), every, func() (overview, error) { return gather(c.Context(), cl, a.namespace, time.Now()) })
		},
	}
	c.Flags().DurationVar(&every, "every", 2*time.Second, "how often to refresh")
	return c
}

// refresh prints the overview repeatedly, or the error if the server does not answer.
func (a *program) refresh(ctx context.Context, every time.Duration, look func() (overview, error)) error {
	a.Printed = true
	for {
		o, err := look()
		var page strings.Builder
		if err != nil {
			fmt.Fprintf(&page, "%s\n", belay.VisibleLine(err.Error()))
		} else {
			o.print(&page, 20)
		}
		if ctx.Err() != nil {
			return nil
		}
		// One write, from the top: it clears the rest of each line, and everything below the last.
		fmt.Fprintf(a.Out, "\x1b[H%s\x1b[J", strings.ReplaceAll(page.String(), "\n", "\x1b[K\n"))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
	}
}

// gather collects an overview from the server.
func gather(ctx context.Context, c client.Client, namespace string, now time.Time) (overview, error) {
	midnight, query := today(now)
	rows, err := list(ctx, c, query)
	if err != nil {
		return overview{}, err
	}
	seen, err := recentPollers(ctx, c)
	if err != nil {
		return overview{}, err
	}
	o := summarize(rows, seen, midnight)
	o.Time = now
	have, err := slotsOf(ctx, c, namespace)
	if err != nil {
		return o, err
	}
	for i, l := range o.Workers {
		if s, ok := have[l.Worker]; ok && l.Seen != nil {
			o.Workers[i].Slots = &s
		}
	}
	queues := []string{task.Queue, task.BeginQueue}
	for worker := range seen {
		queues = append(queues, task.QueueOf(worker))
	}
	o.Backlog, err = backlog(ctx, c, namespace, queues)
	return o, err
}

// today returns the beginning of the day in UTC, and the query for the tasks of that day.
func today(now time.Time) (midnight time.Time, query string) {
	midnight = now.UTC().Truncate(24 * time.Hour)
	at := midnight.Format(time.RFC3339)
	return midnight, fmt.Sprintf("ExecutionStatus = 'Running' OR StartTime >= '%s' OR CloseTime >= '%[1]s'", at)
}

// backlog is the number of steps in the queues.
func backlog(ctx context.Context, c client.Client, namespace string, queues []string) (n int64, err error) {
	for _, q := range queues {
		d, err := c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{Namespace: namespace,
			TaskQueue: &taskqueue.TaskQueue{Name: q}, TaskQueueType: enums.TASK_QUEUE_TYPE_ACTIVITY, ReportStats: true})
		if err != nil {
			return n, err
		}
		n += d.GetStats().GetApproximateBacklogCount()
	}
	return n, nil
}

// summarize adds up tasks. seen has the workers with the time when they last asked for work.
func summarize(rows []row, seen map[string]time.Time, midnight time.Time) overview {
	o := overview{Waiting: []row{}, Running: []row{}, Phases: map[string]int{}, Ended: map[string]int{}, Workers: []workerLoad{}}
	has := map[string][]string{}
	for _, r := range rows {
		if !r.Started.Before(midnight) && !task.IsFeature(r.id) { // a feature's cost is that of its tasks
			o.Cost += r.Cost
		}
		if r.Outcome != "" {
			o.Ended[r.Outcome]++
			continue
		}
		o.Phases[r.Phase]++
		if r.Worker != "" {
			has[r.Worker] = append(has[r.Worker], r.Task)
		}
		if r.Phase == string(loop.PhaseGate) || r.Phase == task.PhaseQuarantined {
			o.Waiting = append(o.Waiting, r)
		} else {
			o.Running = append(o.Running, r)
		}
	}
	older := func(a, b row) int { return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.id, b.id)) }
	slices.SortFunc(o.Waiting, older)
	slices.SortFunc(o.Running, older)
	for worker, at := range seen {
		o.Workers = append(o.Workers, workerLoad{worker, &at, nil, slices.Sorted(slices.Values(has[worker]))})
	}
	for worker, tasks := range has {
		if _, ok := seen[worker]; !ok {
			o.Workers = append(o.Workers, workerLoad{worker, nil, nil, slices.Sorted(slices.Values(tasks))})
		}
	}
	slices.SortFunc(o.Workers, func(a, b workerLoad) int { return strings.Compare(a.Worker, b.Worker) })
	return o
}

// print writes the overview, with at most that many open tasks; 0 is all.
func (o overview) print(w io.Writer, most int) {
	fmt.Fprintf(w, "%s   open: %s   today (UTC): %s, $%.2f   backlog: %s\n", o.Time.Local().Format(time.TimeOnly), counts(o.Phases),
		counts(o.Ended), o.Cost, belay.CountOf(int(o.Backlog), "step"))
	shown := slices.Concat(o.Waiting, o.Running)
	more := 0
	if most > 0 && len(shown) > most {
		more, shown = len(shown)-most, shown[:most]
	}
	fmt.Fprintln(w)
	printTable(w, shown)
	if more > 0 {
		fmt.Fprintf(w, "and %d more: belay-fleet list\n", more)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "WORKER\tSEEN\tSLOTS\tTASKS")
	for _, l := range o.Workers {
		seen := "not connected"
		if l.Seen != nil {
			seen = l.Seen.Local().Format(time.TimeOnly)
		}
		names, more := l.Tasks, ""
		if len(names) > 8 {
			names, more = names[:8], fmt.Sprintf(" and %d more", len(names)-8)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s%s\n", belay.VisibleLine(l.Worker), seen, l.Slots, belay.VisibleLine(strings.Join(names, " ")), more)
	}
	_ = t.Flush()
}

func counts(of map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, fmt.Sprintf("%d %s", of[name], belay.VisibleLine(name)))
	}
	if all == nil {
		return "none"
	}
	return strings.Join(all, ", ")
}
