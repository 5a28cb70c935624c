package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// Rejection rejects several tasks together: each is rolled back and retried.
type Rejection struct {
	Tasks    []belay.TaskID
	Text     string // what is wrong, for all tasks
	Reviewer string
	Watch    runner.Observer
}

// RejectedTask is a task that was rolled back.
type RejectedTask struct {
	Task   belay.TaskID     `json:"task"`
	Review ReviewGiven      `json:"review"`
	Rescue belay.SnapshotID `json:"rescue,omitempty"` // the state before the rollback
	Kept   []string         `json:"kept,omitempty"`   // later changes by others, left alone
}

// RejectTogether rejects tasks of a feature: it records a review cycle for each and restores its
// before snapshot, the newest first, with a rescue snapshot. Later changes by others stay. If a
// task outside of the list has changed the same files since, it fails (CodeRefused) before anything
// is written.
func RejectTogether(ctx context.Context, s *Service, q Rejection) ([]RejectedTask, error) {
	if strings.TrimSpace(q.Text) == "" {
		return nil, belay.Refuse(belay.CodeUsage, "--file FEEDBACK, or -m \"what is wrong\"", "a rejection needs its reason")
	}
	var records []*session.Record
	for _, id := range q.Tasks {
		r, err := s.Session.Load(id)
		if err != nil {
			return nil, err
		}
		if !loop.IsReviewable(r.State) {
			return nil, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", id),
				"%s has no checked work (%s): nothing was rolled back", id, r.Phase())
		}
		records = append(records, r)
	}
	var ids []belay.TaskID
	for _, r := range records {
		ids = append(ids, r.Task.ID)
	}
	for _, r := range records {
		if err := CheckReopen(ctx, s, r, ids...); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(records,
		func(a, b *session.Record) int { return strings.Compare(string(b.State.Before), string(a.State.Before)) })
	var out []RejectedTask
	for _, r := range records {
		one, err := rollBackOne(ctx, s, r, q, ids)
		if err != nil {
			return out, fmt.Errorf("roll back %s: %w", r.Task.ID, err)
		}
		out = append(out, one)
	}
	return out, nil
}

func rollBackOne(ctx context.Context, s *Service, r *session.Record, q Rejection, with []belay.TaskID) (RejectedTask, error) {
	given, err := RecordReview(ctx, s,
		NewReview{Task: r.Task.ID, Verdict: Reject, Text: q.Text, Reviewer: q.Reviewer, Redo: true, Together: with, Watch: q.Watch})
	if err != nil {
		return RejectedTask{}, err
	}
	out := RejectedTask{Task: r.Task.ID, Review: given}
	if !given.Acted {
		return out, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", r.Task.ID), "%s", given.NextStep)
	}
	if r, err = s.Session.Load(r.Task.ID); err != nil {
		return out, err
	}
	if err := s.RestorePending(ctx, r, q.Watch); err != nil {
		return out, err
	}
	for _, a := range r.State.Attempts {
		if a.Rescue != "" {
			out.Rescue, out.Kept = a.Rescue, a.Kept
		}
	}
	return out, nil
}
