package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/baseline"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/results"
	"github.com/belay-dev/belay/internal/checkout"
	"github.com/belay-dev/belay/internal/loop"
)

func TestEnv(t belay.Task) []string {
	return agent.Environ(os.Environ(), nil, map[string]string{"BELAY_TASK": string(t.ID)})
}

// stateBefore makes a checkout of the state before when it is asked for.
func (d *Desk) stateBefore(id belay.SnapshotID, t belay.Task) func(context.Context) (string, func(), error) {
	return func(ctx context.Context) (string, func(), error) {
		c, err := checkout.Make(ctx, d.Snaps.Store, id, t.Checks.Reuse)
		if err != nil {
			return "", nil, err
		}
		return c.Root, func() { _ = c.Close() }, nil // what stays is swept by the next one
	}
}

// BaselineOf reads what the record says the tests said before the task; nil when
// nothing is known.
func (d *Desk) BaselineOf(s loop.State) (*results.Report, error) {
	if s.BaselineReport == "" {
		return nil, nil
	}
	text, err := d.Journal.Attachment(s.BaselineReport)
	if err != nil {
		return nil, err
	}
	var b baseline.Baseline
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("read the baseline %s: %w", s.BaselineReport, err)
	}
	return b.Known(), nil
}
