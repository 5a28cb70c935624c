package drive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/loop"
)

// failureTime is how long the command for a failed task may take.
const failureTime = time.Minute

// onFailure runs the command that wants to know of a task that failed. It runs once, also
// when belay is killed meanwhile; how it ends changes nothing about the task.
func (d *Driver) onFailure(ctx context.Context, c loop.Command) error {
	t := d.Rec.Task
	if len(t.OnFailure) == 0 {
		return nil
	}
	dir := d.RunDir(t.ID, c.ID)
	run, err := agent.Attach(dir)
	if errors.Is(err, fs.ErrNotExist) {
		run, err = agent.Start(ctx, dir, d.Self, agent.Spec{
			Argv: t.OnFailure, Dir: d.Repo.Root, Timeout: failureTime, Label: string(t.ID) + " on_failure",
			Env: agent.Environ(os.Environ(), nil, map[string]string{
				"BELAY_TASK": string(t.ID), "BELAY_OUTCOME": string(d.Rec.State.Ending), "BELAY_REASON": d.Rec.State.Why,
			}),
		})
	}
	if err != nil {
		d.Watch.Note("on_failure could not be run: " + Sentence(err))
		return nil
	}
	end, err := d.await(ctx, run, dir, nil)
	switch {
	case err != nil:
		return err
	case end.Stopped:
		return ErrParked
	case end.Exit != 0 || end.Ended != agent.EndedExit:
		d.Watch.Note(fmt.Sprintf("on_failure ended with exit %d (%s)", end.Exit, end.Ended))
	}
	return nil
}
