package task

import (
	"fmt"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/internal/belay"
)

// Names of what a schedule starts. They are in histories and schedules.
const (
	ScheduledName = "belay.scheduled"
	TipName       = "belay.tip" // the activity that reads a branch of a remote
)

// Scheduled is a task that is submitted repeatedly.
type Scheduled struct {
	Name string `json:"name"` // of the schedule; prefix of its tasks' IDs
	Like Input  `json:"like"` // without ID and Base
}

// ScheduleID names a schedule on the server.
func ScheduleID(name string) string { return "belay/schedule/" + belay.TaskID(name).Key() }

// ScheduledWorkflow submits one task, from its branch's current commit, and ends with it: while the
// task is open, the schedule starts no other.
func ScheduledWorkflow(ctx workflow.Context, in Scheduled) (Result, error) {
	task := in.Like
	task.ID = belay.TaskID(fmt.Sprintf("%s-%s", in.Name, workflow.Now(ctx).UTC().Format("20060102-150405")))
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, anyWorkerOptions(task)), TipName, task).Get(ctx, &task.Base)
	if err != nil {
		return Result{}, err
	}
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: WorkflowID(task.Remote, task.ID), TaskQueue: Queue, WaitForCancellation: true,
		ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON, WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		TypedSearchAttributes: SearchAttributes(task),
	})
	var r Result
	return r, workflow.ExecuteChildWorkflow(child, WorkflowName, task).Get(ctx, &r)
}
