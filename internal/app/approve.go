package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// Approval asks belay to accept a task's work. Decision is called only for rejected work with Force set; it returns the
// arbiter's decision.
type Approval struct {
	Task     belay.TaskID
	Gate     int // the work must wait at this gate; 0: at any
	Force    bool
	By       string // "": $USER
	Decision func() (review.Decision, error)
	Watch    runner.Observer
}

// writeOverride writes the recorded override into the review file.
func writeOverride(ctx context.Context, s *session.Session, r *session.Record, w runner.Observer) {
	if err := runner.WriteOverride(ctx, s, r); err != nil {
		w.Note("the override is recorded, but the review file could not be written: " + session.ErrorLine(err))
	}
}

// ApproveWork accepts a task's work. If the work is accepted already, only a missing review file is
// written. Work that waits for a review, or that only raised a question, is accepted without a
// reason; rejected work is accepted with the arbiter's decision, which goes into the record and
// into the review cycle's file. Errors: CodeUsage when the task has no work to accept, CodeRefused
// when Force is missing, CodeBusy when it no longer waits at Gate, CodeDrift when work that waits for a review changed after its checks.
func ApproveWork(ctx context.Context, s *Service, q Approval) (*session.Record, error) {
	load := s.Session.Load
	if q.Gate != 0 {
		load = func(id belay.TaskID) (*session.Record, error) { return s.TaskAtNumberedGate(id, q.Gate) }
	}
	r, err := load(q.Task)
	if err != nil {
		return nil, err
	}
	if q.By == "" {
		q.By = os.Getenv("USER")
	}
	gate := r.State.Gate
	refused := gate != nil && slices.Contains(gate.Options, loop.DecideApprove)
	switch {
	case r.State.Outcome == loop.OutcomePassed || r.State.Ending == loop.OutcomePassed:
		return r, runner.WriteOverride(ctx, s.Session, r) // a kill may have prevented the write
	case refused && !gate.Overrides():
		if err := CheckCaptured(ctx, s, r); err != nil {
			return nil, err
		}
		ev := loop.Event{Kind: loop.EvDecided, Gate: gate.Number, Decision: loop.DecideApprove, By: q.By}
		if err := s.Session.Apply(ctx, r, ev); err != nil {
			return nil, err
		}
		return r, s.CloseAccepted(ctx, r, q.Watch)
	case !refused && !loop.IsOverrulable(r.State):
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", q.Task),
			"%s has no rejected work to accept (%s)", q.Task, r.Phase())
	case !q.Force:
		return nil, belay.Refuse(belay.CodeRefused,
			fmt.Sprintf("fix it, or belay task move %s --to approved --force", q.Task), "the work of %s was rejected", q.Task)
	}
	why, err := q.Decision()
	if err != nil {
		return nil, err
	}
	if err := overrule(ctx, s, r, q.By, why); err != nil {
		return nil, err
	}
	writeOverride(ctx, s.Session, r, q.Watch)
	return r, s.CloseAccepted(ctx, r, q.Watch)
}

// overrule records that rejected work is accepted: as a decision at the gate, or before belay acts on the rejection.
func overrule(ctx context.Context, s *Service, r *session.Record, by string, why review.Decision) error {
	if gate := r.State.Gate; gate != nil {
		ev := loop.Event{Kind: loop.EvDecided, Gate: gate.Number, Decision: loop.DecideApprove, By: by, Note: why.String()}
		return s.Session.Apply(ctx, r, ev)
	}
	unlock, err := lockUnstarted(ctx, s, r)
	if err != nil {
		return err
	}
	defer unlock()
	return s.Session.Apply(ctx, r, loop.Event{Kind: loop.EvOverruled, By: by, Note: why.String()})
}

// lockUnstarted locks a task's tree and verifies that belay has not acted on the rejection yet: no
// agent was started for it and the tree is still the rejected one. Errors: CodeBusy or CodeRefused.
func lockUnstarted(ctx context.Context, s *Service, r *session.Record) (func(), error) {
	id, c := r.Task.ID, r.State.Pending
	at, err := runner.TaskSession(ctx, s.Session, r)
	if err != nil {
		return nil, err
	}
	unlock, err := at.LockTree(ctx, id, "belay task move")
	if err != nil {
		return nil, err
	}
	refuse := func(what string) (func(), error) {
		unlock()
		return nil, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay run --resume %s", id),
			"%s: belay is already acting on the rejection of %s", what, id)
	}
	if _, err := fsroot.Lstat(at.RunDir(id, c.ID)); !errors.Is(err, os.ErrNotExist) {
		return refuse("an agent has started")
	}
	if _, begun, err := at.Snaps.Find(ctx, id, c.ID, r.IsForPending); err != nil || begun {
		return refuse("a rollback is running")
	}
	changes, err := changesSince(ctx, at, r)
	if err != nil {
		unlock()
		return nil, err
	}
	for _, ch := range changes {
		if !strings.HasPrefix(ch.Path, ".belay/") {
			return refuse(ChangeText(ch) + " was changed since")
		}
	}
	return unlock, nil
}
