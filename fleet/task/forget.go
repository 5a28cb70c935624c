package task

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/internal/belay"
)

// The names of the workflow that forgets, and of its activity. They are in histories, and in schedules.
const ForgetName = "belay.forget"

// Retention says how long a remote keeps what it has of ended tasks.
type Retention struct {
	OlderThan time.Duration `json:"older_than_ns"` // since a task ended; then its snapshots are forgotten
	Records   time.Duration `json:"records_ns"`    // since then; after it the record is forgotten as well
	KeepLast  int           `json:"keep_last"`     // ended tasks, the newest, that keep all
	DryRun    bool          `json:"dry_run,omitempty"`
}

// ForgetAsk is what is to be forgotten, on which remote.
type ForgetAsk struct {
	Remote string    `json:"remote"`
	Keep   Retention `json:"keep"`
}

// ForgetResult is what was forgotten, or would be.
type ForgetResult struct {
	Remote    string          `json:"remote"`
	DryRun    bool            `json:"dry_run,omitempty"`
	Snapshots int             `json:"snapshots"` // that tasks had
	Records   int             `json:"records"`   // of tasks whose snapshots were forgotten before
	Tasks     []ForgottenTask `json:"tasks"`
}

// ForgottenTask is what became of one task.
type ForgottenTask struct {
	Task          belay.TaskID `json:"task"`
	Ended         time.Time    `json:"ended,omitzero"`   // unknown for a record that is forgotten
	Snapshots     int          `json:"snapshots"`        // that are no more on the remote
	RecordDeleted bool         `json:"record,omitempty"` // the record is no more on the remote
	KeptReason    string       `json:"kept,omitempty"`   // why nothing was forgotten, though it is old; "" where it was
}

// ForgetWorkflow has some worker forget what is old.
func ForgetWorkflow(ctx workflow.Context, q ForgetAsk) (out ForgetResult, err error) {
	ctx = workflow.WithActivityOptions(ctx, anyWorkerOptions(Input{}))
	err = workflow.ExecuteActivity(ctx, ForgetName, q).Get(ctx, &out)
	return out, err
}
