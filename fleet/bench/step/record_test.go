package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// TestTasks: the workers of the measurement take the real workflow through the requested number of
// attempts.
func TestTasks(t *testing.T) {
	t.Parallel()
	for attempts, prose := range map[int]string{1: "1", 3: "3", mostAttempts: "20"} {
		r := &records{all: map[belay.TaskID]*record{}}
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(silentLogger{})
		env := suite.NewTestWorkflowEnvironment()
		env.SetTestTimeout(time.Minute)
		env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Hour}) // a busy machine is no deadlock
		env.RegisterWorkflowWithOptions(task.Workflow, workflow.RegisterOptions{Name: task.WorkflowName})
		calls := 0
		do := func(ctx context.Context, q task.Ask) (task.ActivityResult, error) { calls++; return r.do("w1")(ctx, q) }
		for _, name := range []string{task.BeginName, task.DoName} {
			env.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: name})
		}
		env.ExecuteWorkflow(task.WorkflowName, task.Input{ID: "T1", Remote: "/srv/git/app.git", Prose: prose})
		var got task.Result
		if err := env.GetWorkflowError(); err != nil {
			t.Fatal(err)
		}
		if err := env.GetWorkflowResult(&got); err != nil {
			t.Fatal(err)
		}
		if got.Outcome != loop.OutcomePassed || got.Attempts != attempts || calls != 3+3*attempts {
			t.Errorf("%d attempts: %+v after %d activities", attempts, got, calls)
		}
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for i := range 101 {
		all = append(all, time.Duration(100-i))
	}
	if p50, p95 := spread(all); p50 != 50 || p95 != 95 || all[0] != 100 {
		t.Error(p50, p95)
	}
}

// TestSteps: only activities count for the times between commands, whatever else a history
// contains.
func TestSteps(t *testing.T) {
	t.Parallel()
	all, err := client.HistoryFromJSON(strings.NewReader(`{"events": [
		{"eventId": "1", "eventTime": "2026-03-02T08:00:01Z", "eventType": "WorkflowExecutionStarted"},
		{"eventId": "2", "eventTime": "2026-03-02T08:00:05Z", "eventType": "ActivityTaskStarted"},
		{"eventId": "3", "eventTime": "2026-03-02T08:00:07Z", "eventType": "ActivityTaskCompleted"},
		{"eventId": "4", "eventTime": "2026-03-02T08:00:08Z", "eventType": "WorkflowTaskCompleted"},
		{"eventId": "5", "eventTime": "2026-03-02T08:00:11Z", "eventType": "ActivityTaskStarted"},
		{"eventId": "6", "eventTime": "2026-03-02T08:00:20Z", "eventType": "ActivityTaskCompleted"}]}`), client.HistoryJSONOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h := &history{}
	h.all.Events = all.Events
	between, whole, parts := h.steps()
	if len(between) != 1 || between[0] != 4*time.Second || len(whole) != 1 || whole[0] != 13*time.Second {
		t.Error(between, whole)
	}
	if n := len(phases) - 1; len(parts[n]) != 1 || parts[n][0] != 9*time.Second { // the first command is no step
		t.Error(parts)
	}
}
