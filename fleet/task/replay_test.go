package task_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/task"
)

// Replays the histories of each version of the program, recorded from a server: a task that waits
// at a gate for a month is continued by a later version, which must do the same.
func TestReplay(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob("testdata/histories/*/*.json")
	if err != nil || len(all) < 4 {
		t.Fatalf("%d histories, %v", len(all), err)
	}
	for _, file := range all {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r := worker.NewWorkflowReplayer()
			for name, f := range map[string]any{task.WorkflowName: task.Workflow, task.FeatureName: task.FeatureWorkflow,
				task.LimitsName: task.LimitsWorkflow, task.ScheduledName: task.ScheduledWorkflow} {
				r.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: name})
			}
			if err := r.ReplayWorkflowHistoryFromJSONFile(silent{}, file); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReplayNotices: a replay detects a workflow that differs from its history.
func TestReplayNotices(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob("testdata/histories/*/*.json")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	text, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(`"belay.do"`)) {
		t.Fatalf("%s has no %s", all[0], task.DoName)
	}
	file := filepath.Join(t.TempDir(), "changed.json")
	if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte(`"belay.do"`), []byte(`"belay.undo"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := worker.NewWorkflowReplayer()
	r.RegisterWorkflowWithOptions(task.Workflow, workflow.RegisterOptions{Name: task.WorkflowName})
	if err := r.ReplayWorkflowHistoryFromJSONFile(silent{}, file); err == nil {
		t.Error("the replay did not notice another activity")
	}
}

// TestRecord writes the history of each task of a server to a file in the folder $BELAY_RECORD.
func TestRecord(t *testing.T) {
	dir := os.Getenv("BELAY_RECORD")
	if dir == "" {
		t.Skip("BELAY_RECORD names no folder")
	}
	ctx := context.Background()
	c, err := client.Dial(client.Options{HostPort: os.Getenv("TEMPORAL_ADDRESS"), Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	page, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Executions {
		var h history.History
		for it := c.GetWorkflowHistory(ctx, e.Execution.WorkflowId, e.Execution.RunId, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); it.HasNext(); {
			ev, err := it.Next()
			if err != nil {
				t.Fatal(err)
			}
			h.Events = append(h.Events, ev)
		}
		text, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(&h)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(e.Execution.WorkflowId)+".json"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
