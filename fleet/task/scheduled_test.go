package task_test

import (
	"errors"
	"strings"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/loop"
)

// A schedule's task begins from the branch's current commit, under an ID with the time.
func TestScheduled(t *testing.T) {
	t.Parallel()
	for _, gone := range []bool{false, true} {
		f := &features{}
		env := f.env(t)
		env.SetStartTime(noon)
		env.RegisterWorkflowWithOptions(task.ScheduledWorkflow, workflow.RegisterOptions{Name: task.ScheduledName})
		env.RegisterActivityWithOptions(func(in task.Input) (string, error) {
			if gone {
				return "", temporal.NewNonRetryableApplicationError("there is no branch "+in.Branch, task.ErrRefused, nil)
			}
			return "tip of " + in.Branch, nil
		}, activity.RegisterOptions{Name: task.TipName})
		like := add
		like.ID, like.Base = "", ""
		env.ExecuteWorkflow(task.ScheduledName, task.Scheduled{Name: "deps", Like: like})
		err := env.GetWorkflowError()
		if gone {
			var refused *temporal.ApplicationError
			if !errors.As(err, &refused) || !strings.Contains(refused.Message(), "no branch main") || len(f.began) != 0 {
				t.Errorf("%v, %d begun", err, len(f.began))
			}
			continue
		}
		if r := ended(t, env); r.Outcome != loop.OutcomePassed {
			t.Errorf("%+v", r)
		}
		if len(f.began) != 1 || f.began[0].ID != "deps-20261128-120000" || f.began[0].Base != "tip of main" || f.began[0].Prose != add.Prose {
			t.Errorf("%+v", f.began)
		}
	}
}
