package runner

import (
	"context"
	"os"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

// failureTime is how long the command for a failed task may take.
const failureTime = time.Minute

// onFailure runs the command that wants to know of a task that failed. How it ends changes
// nothing about the task.
func (d *Driver) onFailure(ctx context.Context, c loop.Command) error {
	t := d.Rec.Task
	if d.Rec.State.Ending != loop.OutcomeFailed || len(t.OnFailure) == 0 {
		return nil
	}
	command, err := d.Session.May.Program(t.OnFailure)
	if err != nil {
		d.Watch.Note("on_failure: " + session.Sentence(err))
		return nil
	}
	stopped, err := Once(ctx, Run{Dir: d.Session.RunDir(t.ID, c.ID), Soft: d.Soft, Live: d.Watch.Output(), Note: d.Watch.Note},
		d.Session.Self, agent.Spec{
			Command: command, Dir: d.Session.Repo.Root, Timeout: failureTime, Label: "on_failure",
			Env: agent.BuildEnviron(os.Environ(), nil, map[string]string{
				"BELAY_TASK": string(t.ID), "BELAY_OUTCOME": string(d.Rec.State.Ending), "BELAY_REASON": d.Rec.State.Why,
			}),
		})
	if stopped {
		return ErrParked
	}
	return err
}
