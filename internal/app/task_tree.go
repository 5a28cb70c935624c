package app

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// forTask returns the service of a task's working tree.
func (s *Service) forTask(ctx context.Context, r *session.Record) (*Service, error) {
	inner, err := runner.TaskSession(ctx, s.Session, r)
	return &Service{Session: inner, ask: s.ask}, err
}

// HasRun reports whether a belay run of the task has the lock of its tree.
func (s *Service) HasRun(ctx context.Context, r *session.Record) bool {
	at, err := s.forTask(ctx, r)
	if err != nil {
		return false
	}
	h, held := at.Session.TreeLockHolder()
	return held && h.Task.Key() == r.Task.ID.Key()
}

// Merge merges the work of a task with its own worktree into the user's working tree.
func (s *Service) Merge(ctx context.Context, q runner.MergeRequest) (runner.MergeResult, error) {
	return runner.Merge(ctx, s.Session, q)
}

// RemoveTree removes a task's worktree, as runner.RemoveWorktree does.
func (s *Service) RemoveTree(ctx context.Context, task belay.TaskID, force bool) (*session.Record, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return nil, err
	}
	return r, runner.RemoveWorktree(ctx, s.Session, r, force)
}

// removeEndedTree removes the worktree of a task that ended without being accepted.
func (s *Service) removeEndedTree(ctx context.Context, r *session.Record, w runner.Observer) {
	if err := runner.RemoveWorktree(ctx, s.Session, r, false); err != nil {
		w.Note(session.ErrorLine(err))
		return
	}
	w.Note(fmt.Sprintf("removed the worktree of %s; its snapshots are kept", r.Task.ID))
}

// checkDependencies fails if a task depends on itself or on a task that does not exist.
func (s *Service) checkDependencies(q NewTask) error {
	for _, id := range q.After {
		if q.ID != "" && id.Key() == q.ID.Key() {
			return belay.Refuse(belay.CodeUsage, "name another", "%s cannot depend on itself", id)
		}
		if _, err := s.Session.Load(id); err != nil {
			return err
		}
	}
	return nil
}

// MayRunSeparately fails for a task that cannot be started or resumed in its own worktree.
func (s *Service) MayRunSeparately(r *session.Record, q NewTask) error {
	id := r.Task.ID
	switch {
	case !r.Open():
		return endedError(r, fmt.Sprintf("belay show %s", id))
	case r.State.Gate != nil && r.State.Gate.Kind == loop.GateClarify:
		return WaitingError(r, "")
	case r.Task.Worktree == "" && r.State.Phase != "":
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay run --resume %s", id), "%s has already started in your working tree", id)
	}
	t := r.Task
	if len(q.Agent) > 0 {
		t.Agent = q.Agent
	}
	return s.checkRunnable(t, q)
}
