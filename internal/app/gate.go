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

// TaskAtGate loads a task that waits for a person, and fails with CodeUsage if it does not.
func (s *Service) TaskAtGate(task belay.TaskID) (*session.Record, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return nil, err
	}
	if r.State.Gate == nil {
		try := fmt.Sprintf("belay show %s", task)
		if s.nextStepOf(r) != "" {
			try = fmt.Sprintf("belay run --resume %s; Ctrl-C there stops it and asks", task)
		}
		return nil, belay.Refuse(belay.CodeUsage, try, "%s is not waiting at a gate (%s)", task, r.Phase())
	}
	return r, nil
}

// TaskAtNumberedGate loads a task that waits at gate n, the one that a person was shown; 0 accepts
// any gate. If the task is past that gate, the error is CodeBusy and names the decision and who
// made it.
func (s *Service) TaskAtNumberedGate(task belay.TaskID, n int) (*session.Record, error) {
	if n == 0 {
		return s.TaskAtGate(task)
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

// DecisionResult is a decision that was recorded, and the task's phase after it.
type DecisionResult struct {
	Task     belay.TaskID  `json:"task"`
	Decision loop.Decision `json:"decision"`
	Phase    loop.Phase    `json:"phase"`
}

// Decide records a person's decision at a gate, with the number as in TaskAtNumberedGate. The
// waiting run acts on it, or the next `run --resume`.
func (s *Service) Decide(ctx context.Context, task belay.TaskID, gate int, what loop.Decision, words, by string) (*session.Record, error) {
	r, err := s.TaskAtNumberedGate(task, gate)
	if err != nil {
		return nil, err
	}
	if what == loop.DecideApprove && r.State.Gate.Overrides() {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay task move %s --to approved --force", task),
			"accepting rejected work needs a category and a reason")
	}
	return s.recordDecision(ctx, r, what, words, by)
}

// RestorePending performs the restore that is a task's pending command, instead of leaving it to a
// resume.
func (s *Service) RestorePending(ctx context.Context, r *session.Record, w runner.Observer) error {
	at, err := s.forTask(ctx, r)
	if err != nil {
		return err
	}
	unlock, err := at.Session.LockTree(ctx, r.Task.ID, "belay review")
	if err != nil {
		return err
	}
	defer unlock()
	return at.doPending(ctx, r, w, loop.CmdRestore)
}

// CloseAccepted closes the record of a task that was just accepted. If the tree is locked it does
// nothing: the task's run, or the next resume, closes it.
func (s *Service) CloseAccepted(ctx context.Context, r *session.Record, w runner.Observer) error {
	at, err := s.forTask(ctx, r)
	if belay.CodeOf(err) == belay.CodeNotFound {
		at, err = s, nil // closing does not need the missing worktree
	}
	if err != nil {
		return err
	}
	unlock, err := at.Session.LockTree(ctx, r.Task.ID, "belay review")
	if belay.CodeOf(err) == belay.CodeBusy {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	return at.doPending(ctx, r, w, loop.CmdClose)
}

func (s *Service) recordDecision(ctx context.Context, r *session.Record, what loop.Decision, words, by string) (*session.Record, error) {
	if by == "" {
		by = os.Getenv("USER")
	}
	ev := loop.Event{Kind: loop.EvDecided, Gate: r.State.Gate.Number, Decision: what, Note: words, By: by, Rules: loop.DecisionRules}
	if err := s.Session.Apply(ctx, r, ev); err != nil {
		return r, err
	}
	return r, runner.ApplyAnswer(ctx, s.Session, r)
}
