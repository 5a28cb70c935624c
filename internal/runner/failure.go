package runner

import (
	"context"
	"os"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

// failureTimeout limits the command for a failed task.
const failureTimeout = time.Minute

// runFailureCommand runs the config's command for failed tasks. Its result does not change the
// task.
func (d *Driver) runFailureCommand(ctx context.Context, c loop.Command) error {
	t := d.Record.Task
	if d.Record.State.Ending != loop.OutcomeFailed || len(t.OnFailure) == 0 {
		return nil
	}
	command, err := d.Session.Gate.Program(t.OnFailure)
	if err != nil {
		d.Observer.Note("on_failure: " + session.ErrorLine(err))
		return nil
	}
	stopped, err := RunOnce(ctx, Run{Dir: d.Session.RunDir(t.ID, c.ID), Soft: d.Soft, Live: d.Observer.Output(), Note: d.Observer.Note},
		d.Session.ShimArgv, agent.Spec{
			Command: command, Dir: d.Session.Repo.Root, Timeout: failureTimeout, Label: "on_failure",
			Env: agent.BuildEnviron(os.Environ(), nil, map[string]string{
				"BELAY_TASK": string(t.ID), "BELAY_OUTCOME": string(d.Record.State.Ending), "BELAY_REASON": d.Record.State.Why,
			}),
		})
	if stopped {
		return ErrParked
	}
	return err
}
