package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
)

// slotsEvery is how often a worker reports its slots to the server.
const slotsEvery = 5 * time.Second

// slots are a worker's last reported slots.
type slots struct {
	Used int `json:"used"`
	Free int `json:"free"`
	Line int `json:"line"` // commands that wait for a slot
}

// String describes the slots for people; "" if the worker has not reported any.
func (s *slots) String() string {
	switch {
	case s == nil:
		return ""
	case s.Line > 0:
		return fmt.Sprintf("%d used, %d free, %d wait", s.Used, s.Free, s.Line)
	}
	return fmt.Sprintf("%d used, %d free", s.Used, s.Free)
}

// recentPollers returns the workers that asked for work recently, with the last time.
func recentPollers(ctx context.Context, c client.Client) (map[string]time.Time, error) {
	d, err := c.DescribeTaskQueue(ctx, task.Queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
	if err != nil {
		return nil, err
	}
	seen := map[string]time.Time{}
	for _, p := range d.Pollers {
		seen[p.Identity] = p.LastAccessTime.AsTime()
	}
	return seen, nil
}

// slotsOf returns the slots of workers by name, from the SDK's heartbeats; none if the server does
// not keep these.
func slotsOf(ctx context.Context, c client.Client, namespace string) (map[string]slots, error) {
	var keys []string
	q := &workflowservice.ListWorkersRequest{Namespace: namespace,
		Query: fmt.Sprintf("TaskQueue STARTS_WITH %q AND Status = 'Running'", task.Queue)}
	for {
		page, err := c.WorkflowService().ListWorkers(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, w := range page.Workers {
			keys = append(keys, w.WorkerInstanceKey)
		}
		if q.NextPageToken = page.NextPageToken; len(q.NextPageToken) == 0 {
			break
		}
	}
	return addUpSlots(readHeartbeats(keys, func(key string) (heartbeat, bool) {
		q := &workflowservice.DescribeWorkerRequest{Namespace: namespace, WorkerInstanceKey: key}
		d, err := c.WorkflowService().DescribeWorker(ctx, q)
		h := d.GetWorkerInfo().GetWorkerHeartbeat()
		a := h.GetActivityTaskSlotsInfo()
		return heartbeat{h.GetWorkerIdentity(), h.GetTaskQueue(), h.GetStartTime().AsTime(), int(a.GetCurrentUsedSlots()),
			int(a.GetCurrentAvailableSlots())}, err == nil // an error means that it has ended
	})), nil
}

// describeMost limits the simultaneous questions to the server.
const describeMost = 16

// readHeartbeats asks for heartbeats in parallel, and returns them in the order of keys.
func readHeartbeats(keys []string, ask func(key string) (h heartbeat, ok bool)) (all []heartbeat) {
	answers := make([]*heartbeat, len(keys))
	turns := make(chan struct{}, describeMost)
	var under sync.WaitGroup
	for i, key := range keys {
		turns <- struct{}{}
		under.Go(func() {
			defer func() { <-turns }()
			if h, ok := ask(key); ok {
				answers[i] = &h
			}
		})
	}
	under.Wait()
	for _, h := range answers {
		if h != nil {
			all = append(all, *h)
		}
	}
	return all
}

// heartbeat is the last heartbeat of one of a worker's queues.
type heartbeat struct {
	worker, queue string
	started       time.Time
	used, free    int
}

// addUpSlots combines heartbeats. Each machine polls three queues, as three workers of the SDK: the
// one that brings tasks has as many slots as the machine; what the others do uses some of these or
// waits for one. If a worker was restarted, its last process counts.
func addUpSlots(all []heartbeat) map[string]slots {
	last := map[[2]string]heartbeat{}
	for _, h := range all {
		key := [2]string{h.worker, h.queue}
		if o, ok := last[key]; !ok || h.started.After(o.started) {
			last[key] = h
		}
	}
	total, busy := map[string]int{}, map[string]int{}
	for _, h := range last {
		if busy[h.worker] += h.used; h.queue == task.BeginQueue {
			total[h.worker] = h.used + h.free
		}
	}
	out := map[string]slots{}
	for worker, n := range total {
		if n > 0 { // 0: it has just started
			used := min(busy[worker], n)
			out[worker] = slots{Used: used, Free: n - used, Line: busy[worker] - used}
		}
	}
	return out
}

func (a *program) workersCommand() *cobra.Command {
	return &cobra.Command{
		Use: "workers", Short: "List the workers that are connected", Args: cobra.NoArgs,
		Long: `Workers lists the workers that asked the server for work recently, the time, and their
used and free slots. "wait" counts commands that wait for a slot, because tasks came back
to a full worker. A lost worker stays in the list for some minutes.

Exit codes: 0 listed.`,
		Example: "  belay-fleet workers",
		RunE: func(c *cobra.Command, _ []string) error {
			cl, err := a.dial(c.Context())
			if err != nil {
				return err
			}
			defer cl.Close()
			seen, err := recentPollers(c.Context(), cl)
			if err != nil {
				return err
			}
			have, err := slotsOf(c.Context(), cl, a.namespace)
			if err != nil {
				return err
			}
			type row struct {
				Worker string    `json:"worker"`
				Seen   time.Time `json:"seen"`
				Slots  *slots    `json:"slots,omitempty"`
			}
			all := []row{}
			for _, name := range slices.SortedFunc(maps.Keys(seen), strings.Compare) {
				r := row{Worker: name, Seen: seen[name]}
				if s, ok := have[name]; ok {
					r.Slots = &s
				}
				all = append(all, r)
			}
			return a.PrintResult(all, nil, func(w io.Writer) {
				if len(all) == 0 {
					fmt.Fprintln(w, "no workers")
				}
				t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				for _, r := range all {
					fmt.Fprintf(t, "%s\t%s\t%s\n", belay.VisibleLine(r.Worker), r.Seen.Local().Format(time.DateTime), r.Slots)
				}
				_ = t.Flush()
			})
		},
	}
}
