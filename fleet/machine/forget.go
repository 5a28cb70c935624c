package machine

import (
	"context"
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
)

// Lister lists workflows of the server.
type Lister interface {
	ListWorkflow(context.Context, *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error)
}

// Forget deletes what a remote has of tasks that ended long ago. Errors of type task.ErrRefused:
// the remote is not trusted here, or refuses to delete refs.
func (m *Machine) Forget(ctx context.Context, q task.ForgetAsk) (task.ForgetResult, error) {
	defer heartbeatEvery(ctx, 0)()
	if err := m.checkTrusted(task.Input{ID: "forget", Remote: q.Remote}); err != nil {
		return task.ForgetResult{}, nonRetryable(err)
	}
	known, err := OpenOrEndedTasks(ctx, m.Server, q.Remote)
	if err != nil {
		return task.ForgetResult{}, err
	}
	out, err := remote.Forget(ctx, q, known, time.Now())
	out.Tasks = out.Tasks[:min(len(out.Tasks), maxForgotten)]
	return out, nonRetryable(err)
}

// maxForgotten limits the tasks in a result: the server takes 2 MB.
const maxForgotten = 1000

// OpenOrEndedTasks asks the server for the tasks of a remote, by their key, with the time when they
// ended. It is zero for those that run or wait, and for those of an open feature, whatever their
// own state.
func OpenOrEndedTasks(ctx context.Context, c Lister, url string) (map[belay.TaskID]time.Time, error) {
	q := fmt.Sprintf("WorkflowType IN ('%s', '%s') AND %s = '%s'", task.WorkflowName, task.FeatureName, task.AttrRepository,
		task.RepositoryKey(url))
	known, of, open := map[belay.TaskID]time.Time{}, map[belay.TaskID]string{}, map[string]bool{}
	for token := []byte(nil); ; {
		page, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: q, NextPageToken: token})
		if err != nil {
			return nil, fmt.Errorf("list the tasks of %s: %w", remote.WithoutLogin(url), err)
		}
		for _, e := range page.Executions {
			id, feature := belay.TaskID(keywordAttribute(e, task.AttrTask)), keywordAttribute(e, task.AttrFeature)
			running := e.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING
			if e.GetType().GetName() == task.FeatureName {
				open[feature] = open[feature] || running
				continue
			}
			of[id] = feature
			switch at, seen := known[id]; {
			case running:
				known[id] = time.Time{}
			case !seen || !at.IsZero() && at.Before(e.CloseTime.AsTime()): // the last of several runs
				known[id] = e.CloseTime.AsTime()
			}
		}
		if token = page.NextPageToken; len(token) == 0 {
			break
		}
	}
	for id, feature := range of {
		if feature != "" && open[feature] {
			known[id] = time.Time{}
		}
	}
	return known, nil
}

// keywordAttribute returns a keyword search attribute of a workflow; "" if it has none of that
// name.
func keywordAttribute(e *workflowpb.WorkflowExecutionInfo, name string) (s string) {
	_ = converter.GetDefaultDataConverter().FromPayload(e.GetSearchAttributes().GetIndexedFields()[name], &s)
	return s
}
