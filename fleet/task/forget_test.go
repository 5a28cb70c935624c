package task_test

import (
	"errors"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/task"
)

// A failed pass is retried; one that the remote refuses is not.
func TestForgetWorkflow(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", task.ErrRefused} {
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(silent{})
		env := suite.NewTestWorkflowEnvironment()
		env.RegisterWorkflowWithOptions(task.ForgetWorkflow, workflow.RegisterOptions{Name: task.ForgetName})
		asked := task.ForgetAsk{Remote: "/srv/app.git", Keep: task.Retention{OlderThan: time.Hour, KeepLast: 3}}
		tries := 0
		env.RegisterActivityWithOptions(func(q task.ForgetAsk) (task.ForgetResult, error) {
			if tries++; q != asked {
				t.Errorf("%+v", q)
			}
			if kind != "" {
				return task.ForgetResult{}, temporal.NewNonRetryableApplicationError("no", kind, nil)
			}
			if tries == 1 {
				return task.ForgetResult{}, errors.New("the remote does not answer")
			}
			return task.ForgetResult{Snapshots: 7}, nil
		}, activity.RegisterOptions{Name: task.ForgetName})
		env.ExecuteWorkflow(task.ForgetName, asked)
		var out task.ForgetResult
		err := env.GetWorkflowError()
		if kind != "" {
			if err == nil || tries != 1 {
				t.Errorf("%v after %d tries", err, tries)
			}
			continue
		}
		if err = errors.Join(err, env.GetWorkflowResult(&out)); err != nil || tries != 2 || out.Snapshots != 7 {
			t.Errorf("%v, %+v, %d tries", err, out, tries)
		}
	}
}
