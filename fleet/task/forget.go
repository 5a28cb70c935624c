package task

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/internal/belay"
)

// ForgetName is the name of the workflow that forgets, and of its activity. It is in histories and
// schedules.
const ForgetName = "belay.forget"

// Retention sets how long a remote keeps the data of ended tasks.
type Retention struct {
	OlderThan time.Duration `json:"older_than_ns"` // since a task ended; older snapshots are deleted
	Records   time.Duration `json:"records_ns"`    // since then; older records are deleted
	KeepLast  int           `json:"keep_last"`     // the newest ended tasks, which keep all
	DryRun    bool          `json:"dry_run,omitempty"`
}

// ForgetAsk asks a worker to delete old data on a remote.
type ForgetAsk struct {
	Remote string    `json:"remote"`
	Keep   Retention `json:"keep"`
}

// ForgetResult is what was deleted, or would be in a dry run.
type ForgetResult struct {
	Remote    string          `json:"remote"`
	DryRun    bool            `json:"dry_run,omitempty"`
	Snapshots int             `json:"snapshots"` // number of deleted snapshots
	Records   int             `json:"records"`   // number of deleted records, of tasks without snapshots
	Tasks     []ForgottenTask `json:"tasks"`
}

// ForgottenTask is the result for one task.
type ForgottenTask struct {
	Task          belay.TaskID `json:"task"`
	Ended         time.Time    `json:"ended,omitzero"`   // unknown for a deleted record
	Snapshots     int          `json:"snapshots"`        // number of deleted snapshots
	RecordDeleted bool         `json:"record,omitempty"` // the record was deleted
	KeptReason    string       `json:"kept,omitempty"`   // why an old task was kept; "" if it was not
}

// ForgetWorkflow asks any worker to delete old data.
func ForgetWorkflow(ctx workflow.Context, q ForgetAsk) (out ForgetResult, err error) {
	ctx = workflow.WithActivityOptions(ctx, anyWorkerOptions(Input{}))
	err = workflow.ExecuteActivity(ctx, ForgetName, q).Get(ctx, &out)
	return out, err
}
