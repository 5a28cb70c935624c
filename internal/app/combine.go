package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/tasklist"
	"github.com/belay-dev/belay/internal/testrun"
	"github.com/belay-dev/belay/internal/worktree"
)

// CombineRequest asks to merge committed work into the files of a clone that has no other user.
type CombineRequest struct {
	Task         belay.TaskID
	Base, Commit string        // the work is the difference between the two commits
	Origin       *belay.Origin // its place in a task list; nil ticks nothing
	Slot         func(context.Context) (done func(), err error)
}

// CombineResult is the result of Combine. The clone has the merged files when there are no conflicts and no findings.
type CombineResult struct {
	Conflicts []string        // paths
	Tests     string          // the result of the tests, or why none ran
	Findings  []belay.Finding // failures with the work that do not occur without it
	Note      string          // why the box in the task list could not be ticked
}

// Combine merges work into the service's tree, as MergeAll does, and runs the tests there. When they pass it writes the
// merged files and ticks the task's box in the task list. It runs commands of the repository's config.
func (s *Service) Combine(ctx context.Context, q CombineRequest) (out CombineResult, err error) {
	t, err := s.newTask(NewTask{ID: q.Task, Text: string(q.Task)})
	if err != nil {
		return out, err
	}
	if err := s.checkTrusted(t, NewTask{Trust: true}); err != nil {
		return out, err
	}
	meta := session.TemporaryMeta(nil, "merge of "+string(q.Task))
	var work [2]snapshot.Info
	for i, commit := range []string{q.Base, q.Commit} {
		if work[i], err = worktree.Snapshot(ctx, s.Session.Restores, commit, meta); err != nil {
			return out, err
		}
	}
	together, err := worktree.Together(ctx, s.Session.Restores, []worktree.Request{{Task: q.Task, Before: work[0].ID, After: work[1].ID}},
		meta)
	var conflict *worktree.ConflictError
	if errors.As(err, &conflict) {
		out.Conflicts = conflict.Paths
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if !t.Checks.Tests.Set() || slices.Contains(t.Checks.Skip, testrun.Name) {
		out.Tests = "not run: no test command"
	} else if err := s.testCombined(ctx, q, t, together.ID, &out); err != nil || len(out.Findings) > 0 {
		return out, err
	}
	if _, err := s.Session.Restores.Restore(ctx, together.ID, restore.Options{}); err != nil {
		return out, err
	}
	if q.Origin != nil {
		if _, err := tasklist.MarkDone(s.Session.Repo.Root, "", *q.Origin); err != nil {
			out.Note = session.ErrorLine(err)
		}
	}
	return out, nil
}

// testCombined tests the merged files. Only when the tests fail does it also run them without the work, which costs
// another run.
func (s *Service) testCombined(ctx context.Context, q CombineRequest, t belay.Task, id belay.SnapshotID, out *CombineResult) (err error) {
	done, err := q.Slot(ctx)
	if err != nil {
		return err
	}
	defer done()
	if out.Tests, out.Findings, err = runTestsIn(ctx, s.Session, s.Session.Gate, t, id,
		testrun.Input{}); err != nil || len(out.Findings) == 0 {
		return err
	}
	here, err := s.Session.Snaps.TakeWith(ctx, session.TemporaryMeta(nil, "before a merge"),
		s.Session.SnapshotExtent(&session.Record{Task: t}))
	if err != nil {
		return err
	}
	t.Checks.Timeout = cmp.Or(t.Checks.Timeout, time.Duration(session.RunTimeout))
	known, err := s.Session.TestKeeper(t).Take(ctx, here.ID, t.Checks)
	if err != nil || known.Why != "" {
		return err
	}
	out.Tests, out.Findings, err = runTestsIn(ctx, s.Session, s.Session.Gate, t, id,
		testrun.Input{Baseline: &known.Report, Checkout: s.Session.Checkout(here.ID, t)})
	return err
}
