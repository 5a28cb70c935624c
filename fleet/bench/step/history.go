package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	enums "go.temporal.io/api/enums/v1"
	pb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/task"
)

// history is the history of one run of a workflow.
type history struct {
	id    string
	all   pb.History
	bytes int64 // as the server counts them
}

func (h *history) events() int { return len(h.all.Events) }

// download fetches the histories of all tasks.
func download(ctx context.Context, c client.Client) (all []*history, err error) {
	q := &workflowservice.ListWorkflowExecutionsRequest{Query: "WorkflowType = '" + task.WorkflowName + "'"}
	for {
		page, err := c.ListWorkflow(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, e := range page.Executions {
			h, err := fetch(ctx, c, e.Execution.WorkflowId, e.Execution.RunId)
			if err != nil {
				return nil, err
			}
			all = append(all, h)
		}
		if q.NextPageToken = page.NextPageToken; len(q.NextPageToken) == 0 {
			return all, nil
		}
	}
}

func fetch(ctx context.Context, c client.Client, id, run string) (*history, error) {
	h := &history{id: id}
	for it := c.GetWorkflowHistory(ctx, id, run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); it.HasNext(); {
		e, err := it.Next()
		if err != nil {
			return nil, fmt.Errorf("history of %s: %w", id, err)
		}
		h.all.Events = append(h.all.Events, e)
	}
	d, err := c.DescribeWorkflowExecution(ctx, id, run)
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", id, err)
	}
	h.bytes = d.WorkflowExecutionInfo.HistorySizeBytes
	return h, nil
}

// replay replays the history with this program's workflow. The error names where they differ.
func (h *history) replay() error {
	r := worker.NewWorkflowReplayer()
	r.RegisterWorkflowWithOptions(task.Workflow, workflow.RegisterOptions{Name: task.WorkflowName})
	return r.ReplayWorkflowHistory(silentLogger{}, &h.all)
}

// phase is a part of a step, from one event of a history to a later one.
type phase struct {
	name     string
	from, to enums.EventType
}

// phases are the parts of a step in order: together they are the time from the end of one command
// to the end of the next.
var phases = []phase{
	{"the server hands the workflow task to a worker", enums.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, enums.EVENT_TYPE_WORKFLOW_TASK_STARTED},
	{"the worker decides, and the server records it", enums.EVENT_TYPE_WORKFLOW_TASK_STARTED, enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED},
	{"the server hands the command to a worker", enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, enums.EVENT_TYPE_ACTIVITY_TASK_STARTED},
	{"the command, which takes no time, and its report", enums.EVENT_TYPE_ACTIVITY_TASK_STARTED, enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED},
}

// steps returns the times from the end of each command to the start of the next, from its end to
// the end of the next, and of each phase.
func (h *history) steps() (between, whole []time.Duration, parts [][]time.Duration) {
	var ended time.Time
	parts = make([][]time.Duration, len(phases))
	last := map[enums.EventType]time.Time{}
	for _, e := range h.all.Events {
		at := e.EventTime.AsTime()
		last[e.EventType] = at
		for i, p := range phases {
			if from, ok := last[p.from]; ok && e.EventType == p.to && !ended.IsZero() {
				parts[i] = append(parts[i], at.Sub(from))
			}
		}
		switch e.EventType {
		case enums.EVENT_TYPE_ACTIVITY_TASK_STARTED:
			if !ended.IsZero() {
				between = append(between, at.Sub(ended))
			}
		case enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
			if !ended.IsZero() {
				whole = append(whole, at.Sub(ended))
			}
			ended = at
		}
	}
	return between, whole, parts
}

// sizesOf formats the sizes of histories.
func sizesOf(all []*history) string {
	var events []int
	var bytes []int64
	for _, h := range all {
		events, bytes = append(events, h.events()), append(bytes, h.bytes)
	}
	slices.Sort(events)
	slices.Sort(bytes)
	mid, end := (len(all)-1)/2, len(all)-1
	return fmt.Sprintf("median %d events and %.1f kB, most %d events and %.1f kB", events[mid], float64(bytes[mid])/1000, events[end],
		float64(bytes[end])/1000)
}
