package flow

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/drive"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/review/arbiter"
)

// Gate gives a task that waits for a person. CodeUsage when it does not wait.
func (d *Desk) Gate(task belay.TaskID) (*drive.Record, error) {
	r, err := d.Load(task)
	if err != nil {
		return nil, err
	}
	if r.State.Gate == nil {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", task), "%s does not wait at a gate (%s)", task, phase(r.State))
	}
	return r, nil
}

// Decide records a person's decision. It is acted on by the runner that waits, or
// by the next `run --resume`.
func (d *Desk) Decide(ctx context.Context, task belay.TaskID, what loop.Decision, words, by string) (*drive.Record, error) {
	r, err := d.Gate(task)
	if err != nil {
		return nil, err
	}
	if what == loop.DecideApprove && r.State.Gate.Kind != loop.GateReview {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay task move %s --to approved --force", task), "refused work is accepted with a category and a reason")
	}
	return d.decide(ctx, r, what, words, by)
}

// Approve accepts a task's refused work, for the record with the arbiter's decision.
// Work that was accepted without is left as it is. CodeUsage when the task does not wait
// with refused work, or force is missing.
func (d *Desk) Approve(ctx context.Context, task belay.TaskID, force bool, why func() (arbiter.Decision, error), w drive.Watcher) (*drive.Record, error) {
	r, err := d.Load(task)
	if err != nil {
		return nil, err
	}
	switch {
	case r.State.Outcome == loop.OutcomePassed:
		return r, nil
	case r.State.Gate == nil || !slices.Contains(r.State.Gate.Options, loop.DecideApprove):
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", task), "%s holds no refused work that could be accepted (%s)", task, phase(r.State))
	case r.State.Gate.Kind == loop.GateReview: // nobody refused it
		if r, err = d.decide(ctx, r, loop.DecideApprove, "", ""); err != nil {
			return nil, err
		}
		return r, d.Settle(ctx, r, w)
	case !force:
		return nil, belay.Refuse(belay.CodeRefused, fmt.Sprintf("mend it, or belay task move %s --to approved --force", task), "the work of %s was refused", task)
	}
	decision, err := why()
	if err != nil {
		return nil, err
	}
	if r, err = d.decide(ctx, r, loop.DecideApprove, decision.String(), ""); err != nil {
		return nil, err
	}
	return r, d.Settle(ctx, r, w)
}

// Settle closes the record of a task whose work was just accepted, unless a run holds its
// tree: that one closes it.
func (d *Desk) Settle(ctx context.Context, r *drive.Record, w drive.Watcher) error {
	at, err := d.at(ctx, r)
	if belay.CodeOf(err) == belay.CodeNotFound {
		at, err = d, nil // its tree is gone, and closing needs none
	}
	if err != nil {
		return err
	}
	unlock, err := at.Hold(ctx, r.Task.ID, "belay review")
	if belay.CodeOf(err) == belay.CodeBusy {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	return at.pending(ctx, r, w, loop.CmdClose)
}

func (d *Desk) decide(ctx context.Context, r *drive.Record, what loop.Decision, words, by string) (*drive.Record, error) {
	if by == "" {
		by = os.Getenv("USER")
	}
	ev := loop.Event{Kind: loop.EvDecided, Gate: r.State.Gate.Number, Decision: what, Note: words, By: by}
	return r, d.Apply(ctx, r, ev)
}

func phase(st loop.State) string {
	if st.Phase == "" {
		return string(loop.PhaseNew)
	}
	return string(st.Phase)
}
