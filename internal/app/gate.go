package app

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// Gate gives a task that waits for a person. CodeUsage when it does not wait.
func (s *Service) Gate(task belay.TaskID) (*session.Record, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return nil, err
	}
	if r.State.Gate == nil {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", task), "%s is not waiting at a gate (%s)", task, r.Phase())
	}
	return r, nil
}

// GateNumbered is Gate for an answer to the gate with this number, as a person saw it: CodeBusy, with who decided what,
// when the task is past it. 0 is whichever gate it waits at.
func (s *Service) GateNumbered(task belay.TaskID, n int) (*session.Record, error) {
	if n == 0 {
		return s.Gate(task)
	}
	r, err := s.Session.Load(task)
	if err != nil {
		return nil, err
	}
	if g := r.State.Gate; g != nil && g.Number == n {
		return r, nil
	}
	next := fmt.Sprintf("belay show %s", task)
	for _, a := range r.State.Decisions {
		if a.Gate == n {
			return nil, belay.Refuse(belay.CodeBusy, next, "%s was answered meanwhile: %s, by %s", task, a.Decision,
				cmp.Or(a.By, "somebody"))
		}
	}
	return nil, belay.Refuse(belay.CodeBusy, next, "%s does not wait for this answer any more", task)
}

// DecidedLine is a decision that was recorded, and where the task is now.
type DecidedLine struct {
	Task     belay.TaskID  `json:"task"`
	Decision loop.Decision `json:"decision"`
	Phase    loop.Phase    `json:"phase"`
}

// Decide records a person's decision at a gate, by its number or 0 as in GateNumbered. It is acted on by the runner that
// waits, or by the next `run --resume`.
func (s *Service) Decide(ctx context.Context, task belay.TaskID, gate int, what loop.Decision, words, by string) (*session.Record, error) {
	r, err := s.GateNumbered(task, gate)
	if err != nil {
		return nil, err
	}
	if what == loop.DecideApprove && r.State.Gate.Overrides() {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay task move %s --to approved --force", task),
			"accepting rejected work needs a category and a reason")
	}
	return s.decide(ctx, r, what, words, by)
}

// PutBack does the restore that a task waits for, now and not when it is resumed.
func (s *Service) PutBack(ctx context.Context, r *session.Record, w runner.Watcher) error {
	at, err := s.at(ctx, r)
	if err != nil {
		return err
	}
	unlock, err := at.Session.Hold(ctx, r.Task.ID, "belay review")
	if err != nil {
		return err
	}
	defer unlock()
	return at.pending(ctx, r, w, loop.CmdRestore)
}

// Settle closes the record of a task whose work was just accepted, unless a run holds its
// tree: that one closes it.
func (s *Service) Settle(ctx context.Context, r *session.Record, w runner.Watcher) error {
	at, err := s.at(ctx, r)
	if belay.CodeOf(err) == belay.CodeNotFound {
		at, err = s, nil // its tree is gone, and closing needs none
	}
	if err != nil {
		return err
	}
	unlock, err := at.Session.Hold(ctx, r.Task.ID, "belay review")
	if belay.CodeOf(err) == belay.CodeBusy {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	return at.pending(ctx, r, w, loop.CmdClose)
}

func (s *Service) decide(ctx context.Context, r *session.Record, what loop.Decision, words, by string) (*session.Record, error) {
	if by == "" {
		by = os.Getenv("USER")
	}
	ev := loop.Event{Kind: loop.EvDecided, Gate: r.State.Gate.Number, Decision: what, Note: words, By: by}
	if err := s.Session.Apply(ctx, r, ev); err != nil {
		return r, err
	}
	return r, runner.Settle(ctx, s.Session, r)
}
