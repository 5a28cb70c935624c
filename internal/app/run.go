package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// RunRequest asks to run or resume a task.
type RunRequest struct {
	NewTask              // a new task, unless Resume is set or ID is an added task's
	Resume  belay.TaskID // an open task
	Keep    bool         // keep the task's worktree when nothing in it is left to merge
	Watch   runner.Observer
	Soft    context.Context // ends when a person stops the run: the work is captured and the task paused

	StopBefore func(loop.Command) bool // if set, the run returns before a command for which it is true
}

// Run drives a task until it is closed, paused, waits for a person, or is before a command for
// which StopBefore is true. The record shows which.
func (s *Service) Run(ctx context.Context, q RunRequest) (*session.Record, error) {
	r, err := s.taskToRun(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := runner.CheckOrder(s.Session, r, r.Task.Worktree == ""); err != nil {
		return r, err
	}
	given := s.Session.Config // includes the flags
	inner, err := runner.PrepareTree(ctx, s.Session, r, q.Watch)
	if err != nil {
		return r, err
	}
	s = &Service{Session: inner, ask: s.ask}
	if err := s.FinishRestore(ctx, q.Watch); err != nil {
		return r, err
	}
	unlock, err := s.Session.LockTreeToRun(ctx, r.Task.ID, "belay run")
	if err != nil {
		return r, err
	}
	defer unlock()
	if r, err = s.Session.Load(r.Task.ID); err != nil { // loaded again under the lock
		return nil, err
	}
	dr := &runner.Driver{Session: s.Session, Record: r, Observer: q.Watch, Soft: q.Soft, Stop: q.StopBefore}
	if q.Text == "" { // an existing task
		if _, err := s.Adjust(ctx, r, given, q.NewTask); err != nil {
			return r, err
		}
	}
	if err := s.startOrResume(ctx, dr, q); err != nil {
		return r, err
	}
	err = s.drive(ctx, dr)
	s.sendAtEnd(ctx, r.Task.ID, q.Watch)
	writeOverride(ctx, s.Session, r, q.Watch)
	if err == nil && !q.Keep && r.Task.Worktree != "" && !r.Open() && r.State.Outcome != loop.OutcomePassed {
		unlock()
		s.removeEndedTree(ctx, r, q.Watch)
	}
	if errors.Is(err, runner.ErrParked) {
		return r, parkedError(r.Task.ID)
	}
	if err == nil && q.Soft.Err() != nil && r.Open() {
		return r, belay.Refuse(belay.CodeInterrupted, fmt.Sprintf("belay run --resume %s", r.Task.ID),
			"%s is paused; its work is saved", r.Task.ID)
	}
	return r, err
}

// taskToRun performs all checks that are possible before anything is written, then returns the
// record to drive.
func (s *Service) taskToRun(ctx context.Context, q RunRequest) (*session.Record, error) {
	if q.Resume != "" {
		return s.taskToResume(ctx, q)
	}
	if q.ID != "" && q.Text == "" {
		if r, err := s.Session.Load(q.ID); err == nil && r.State.Phase == "" {
			return s.checkAdded(ctx, q, r)
		}
	}
	t, err := s.newTask(q.NewTask)
	if err != nil {
		return nil, err
	}
	if q.ID != "" {
		if _, err := s.Session.Load(q.ID); err == nil {
			return nil, s.existsError(q.ID, belay.Refuse(belay.CodeUsage, "", ""))
		}
	}
	if err := s.checkRunnable(t, q.NewTask); err != nil {
		return nil, err
	}
	if held, busy := s.Session.TreeLockHolder(); busy && !q.OwnTree {
		return nil, held.BusyError()
	}
	return s.Add(ctx, q.NewTask)
}

// TaskNamed returns the recorded task with this ID, "" when there is none.
func (s *Service) TaskNamed(word string) belay.TaskID {
	id, err := belay.ParseTaskID(word)
	if err != nil {
		return ""
	}
	r, err := s.Session.Load(id)
	if err != nil {
		return ""
	}
	return r.Task.ID
}

// checkRunnable fails if a task's agent is missing, or if it would run untrusted programs.
func (s *Service) checkRunnable(t belay.Task, q NewTask) error {
	if err := s.checkAgent(t); err != nil {
		return err
	}
	return s.checkTrusted(t, q)
}

// checkTrusted fails if a task would run untrusted programs.
func (s *Service) checkTrusted(t belay.Task, q NewTask) error {
	s.Session.Gate.TypeCommand(q.Agent)
	if err := s.checkPrograms(programsOf(t), len(q.Agent) > 0, q.Trust); err != nil {
		return err
	}
	_ = s.Session.Gate.Keep() // without a written list, the person is only asked again
	return nil
}

// taskToResume returns an open task, with the agent's command replaced if a different one was
// given.
func (s *Service) taskToResume(ctx context.Context, q RunRequest) (*session.Record, error) {
	r, err := s.Session.Load(q.Resume)
	if err != nil {
		return nil, err
	}
	if !r.Open() {
		return nil, endedError(r, fmt.Sprintf("belay show %s", q.Resume))
	}
	if len(r.Task.Roles) > 0 {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay run --resume %s", q.Resume),
			"%s is a pipeline: it cannot run in parallel", q.Resume)
	}
	if r.State.Phase == "" || r.State.Gate != nil && r.State.Gate.Kind == loop.GateClarify {
		return s.checkAdded(ctx, q, r)
	}
	if q.OwnTree && r.Task.Worktree == "" {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay run --resume %s", q.Resume),
			"%s has already started in the working tree %s", q.Resume, s.Session.Repo.Root)
	}
	t, _, err := s.withFlags(r, s.Session.Config, q.NewTask)
	if err != nil {
		return r, err
	}
	if c := r.State.Pending; c != nil && (c.Kind == loop.CmdClose || c.Kind == loop.CmdRestore) {
		return r, nil // it ends without running programs; others are asked for when they start
	}
	if len(q.Agent) > 0 {
		t.Agent = q.Agent
	}
	return r, s.checkTrusted(t, q.NewTask)
}

// checkAdded checks that a task recorded by `belay task add` can be run now, and records its
// worktree.
func (s *Service) checkAdded(ctx context.Context, q RunRequest, r *session.Record) (*session.Record, error) {
	t, _, err := s.withFlags(r, s.Session.Config, q.NewTask)
	if err != nil {
		return r, err
	}
	if len(q.Agent) > 0 {
		t.Agent = q.Agent
	}
	if err := s.checkRunnable(t, q.NewTask); err != nil || !q.OwnTree || r.Task.Worktree != "" {
		return r, err
	}
	t = r.Task
	if t.Worktree, err = runner.WorktreePath(s.Session, t.ID); err != nil {
		return r, err
	}
	return r, s.Session.Append(ctx, r, session.EntryTask, t)
}

// startOrResume starts a task, or resumes it after a cancel, with the given agent command.
func (s *Service) startOrResume(ctx context.Context, dr *runner.Driver, q RunRequest) error {
	if len(q.Agent) > 0 && !slices.Equal(q.Agent, dr.Record.Task.Agent) {
		t := dr.Record.Task
		t.Agent, t.Role = q.Agent, q.Agent[0]
		if err := s.Session.Append(ctx, dr.Record, session.EntryTask, t); err != nil {
			return err
		}
	}
	if dr.Record.Log.Torn > 0 {
		dr.Observer.Note(fmt.Sprintf("the last %d bytes of the record were incomplete and are skipped; that step runs again",
			dr.Record.Log.Torn))
	}
	st := dr.Record.State
	switch {
	case st.Phase == "" || st.Phase == loop.PhaseNew:
		if err := s.noteUnreviewed(ctx, dr); err != nil {
			return err
		}
		return runner.BeginTask(ctx, s.Session, dr.Record)
	case st.Gate != nil && st.Gate.Kind == loop.GateCancelled:
		return s.Session.Apply(ctx, dr.Record, loop.Event{Kind: loop.EvResumed})
	}
	return nil
}

// noteUnreviewed notes that a task with its own mode has no reviewers.
func (s *Service) noteUnreviewed(ctx context.Context, dr *runner.Driver) error {
	p := dr.Record.Task.Policy
	mode := belay.ModeOf(p.Reviews)
	if p.Review || len(p.Persons) > 0 || mode == "" || p.Reviews == belay.DefaultPolicy().Reviews {
		return nil
	}
	text := fmt.Sprintf("mode %s: no reviewers are configured, so its %d reviews are skipped (reviewers: in %s)",
		mode, p.Reviews, config.File)
	dr.Observer.Note(text)
	return s.Session.AddNote(ctx, dr.Record, session.Note{Kind: "mode", Text: text})
}

// FinishRestore completes an interrupted restore, before anything else reads the tree.
func (s *Service) FinishRestore(ctx context.Context, w runner.Observer) error {
	done, err := s.Session.Restores.Recover(ctx)
	if err != nil || done == nil {
		return err
	}
	w.Note(restore.FinishedMessage(*done))
	return nil
}

// Cancel stops the running attempt, from another terminal. The run that waits for it captures the
// work and pauses.
func (s *Service) Cancel(ctx context.Context, task belay.TaskID) error {
	r, err := s.Session.Load(task)
	if err != nil {
		return err
	}
	c := r.State.Pending
	if c == nil || c.Kind != loop.CmdAttempt && c.Kind != loop.CmdDebug {
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", task), "%s has no agent running (%s)", task, r.State.Phase)
	}
	if s, err = s.forTask(ctx, r); err != nil {
		return err
	}
	run, err := agent.Attach(s.Session.RunDir(task, c.ID))
	if errors.Is(err, os.ErrNotExist) {
		run, err = s.Session.AgentInTree(task), nil // of a role
	}
	switch {
	case err != nil:
		return err
	case run == nil:
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay run --resume %s", task), "%s has no agent running here", task)
	}
	return run.Stop(ctx)
}
