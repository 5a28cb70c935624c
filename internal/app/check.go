package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testrun"
	"github.com/belay-dev/belay/internal/worktree"
)

// CheckRequest asks for the checks of a task, or of the working tree. Without a task, the tree is
// compared with Before, and Adhoc has the scope and the tests.
type CheckRequest struct {
	Task    belay.TaskID
	Before  string     // a snapshot or a commit, when there is no task
	Adhoc   belay.Task // scope and checks, when there is no task
	Skip    []string
	Timeout time.Duration // 0: the config's
	Trust   bool          // allow the repository's commands to run, now and later
	Watch   runner.Observer
}

// Check checks a task's current state, or the working tree against a snapshot. If the task's loop
// is waiting for this check (a task driven by hand), the verdict is recorded and the loop
// continues; otherwise only the report is stored.
func (s *Service) Check(ctx context.Context, q CheckRequest) (belay.Report, error) {
	if q.Timeout == 0 {
		q.Timeout = cmp.Or(s.Session.Config.Checks.Timeout, session.RunTimeout)
	}
	began := time.Now()
	within := func(began time.Time) (context.Context, context.CancelFunc) {
		return context.WithDeadlineCause(ctx, began.Add(q.Timeout), testrun.TimeoutError{Limit: q.Timeout})
	}
	looking, cancel := within(began)
	defer func() { cancel() }()
	s, r, err := s.taskToCheck(looking, q)
	var report belay.Report
	if err == nil {
		task, asking := q.Adhoc, time.Now()
		if r != nil {
			task = r.Task
		}
		if err := s.offerTrust(programsOfChecks(task), q.Trust); err != nil {
			return report, err
		}
		// The time that a person takes to answer does not count.
		cancel()
		looking, cancel = within(began.Add(time.Since(asking)))
		report, err = s.runCheck(ctx, looking, q, r)
	}
	var odd interface{ Try() string } // an error about a file is more helpful than the timeout
	if err != nil && looking.Err() != nil && ctx.Err() == nil && !errors.As(err, &odd) {
		return report, &belay.Error{Code: belay.CodeCannot, What: fmt.Sprintf("the checks did not finish within %s", q.Timeout), Err: err,
			Try: fmt.Sprintf("give it more time: --timeout %s", 4*q.Timeout)}
	}
	return report, err
}

// recordTimeout is how long recording a report may take after the time limit of the checks has passed.
const recordTimeout = 10 * time.Second

// taskToCheck returns the task to check with the checks to run, and the service of its tree. The record is nil without
// a task.
func (s *Service) taskToCheck(ctx context.Context, q CheckRequest) (*Service, *session.Record, error) {
	if q.Task == "" {
		return s, nil, nil
	}
	r, err := s.Session.Load(q.Task)
	if err != nil {
		return s, nil, err
	}
	if r.State.Before == "" {
		return s, nil, belay.Refuse(belay.CodeCannot, fmt.Sprintf("belay task start %s", q.Task),
			"%s has not started: it has no snapshot to compare with", q.Task)
	}
	if s, err = s.forTask(ctx, r); err != nil {
		return s, nil, err
	}
	r.Task.Checks.Skip = append(slices.Clone(r.Task.Checks.Skip), q.Skip...)
	r.Task.Checks.Timeout = q.Timeout
	return s, r, nil
}

// runCheck does the work of Check. looking ends at the overall time limit, which includes taking
// the snapshot.
func (s *Service) runCheck(ctx, looking context.Context, q CheckRequest, r *session.Record) (belay.Report, error) {
	if r == nil {
		return s.checkAdhoc(looking, q)
	}
	if c := r.State.Pending; c != nil && c.Kind == loop.CmdCheck {
		ending, cancel := context.WithTimeout(ctx, q.Timeout+recordTimeout)
		defer cancel()
		return s.checkPending(ending, q, r, *c)
	}
	return s.checkPresent(ctx, looking, q, r)
}

func (s *Service) checkPending(ctx context.Context, q CheckRequest, r *session.Record, c loop.Command) (belay.Report, error) {
	unlock, err := s.Session.LockTree(ctx, q.Task, "belay check")
	if err != nil {
		return belay.Report{}, err
	}
	defer unlock()
	dr := &runner.Driver{Session: s.Session, Record: r, Observer: q.Watch, Soft: ctx}
	ev, err := dr.Check(ctx, c)
	if err != nil {
		return belay.Report{}, err
	}
	ev.Command = c.ID
	if err := s.Session.Apply(ctx, r, ev); err != nil {
		return belay.Report{}, err
	}
	return s.Session.Report(ev.Report)
}

func (s *Service) checkPresent(ctx, looking context.Context, q CheckRequest, r *session.Record) (belay.Report, error) {
	info, err := s.Session.Snaps.TakeWith(looking, session.TemporaryMeta(r, "manual check"), s.Session.SnapshotExtent(r))
	if err != nil {
		return belay.Report{}, err
	}
	w := session.Work{}
	if w.All, err = s.Session.Snaps.Changes(looking, r.State.Before, info.ID); err != nil {
		return belay.Report{}, err
	}
	w.Last = w.All
	// Judge only what the attempts changed, or everything if that is unknown or an attempt is
	// running.
	c := r.State.Pending
	if theirs, err := s.Session.Work(looking, r, info.ID); err == nil && (c == nil || c.Kind != loop.CmdAttempt) {
		w.ChangedByHand = func(path string) bool {
			return !slices.ContainsFunc(theirs.All, func(c belay.Change) bool { return c.Path == path })
		}
	}
	if w.Missed, err = s.Session.Snaps.Missed(ctx, r.State.Before, info.ID); err != nil {
		return belay.Report{}, err
	}
	if w.Baseline, err = s.Session.BaselineReport(r); err != nil {
		q.Watch.Note("the baseline is lost, old failures cannot be distinguished from new ones: " + session.ErrorLine(err))
	}
	report, err := s.Session.Judge(looking, r.Task, w, r.State.Before, info.ID, q.Watch.Checking)
	if err != nil {
		return report, err
	}
	if r.State.Open() { // an ended task has no markers in the plan any more
		n := len(report.Checks)
		if report.Checks, err = s.Session.JudgePlan(ctx, r, report.Checks); err != nil {
			return report, err
		}
		if len(report.Checks) > n {
			report.Verdict = belay.Judge(report.Checks)
		}
	}
	report.After = "" // a temporary snapshot is not listed
	_, err = s.Session.KeepReport(report)
	return report, err
}

func (s *Service) checkAdhoc(ctx context.Context, q CheckRequest) (belay.Report, error) {
	var before snapshot.Info
	id, err := s.Session.ResolveSnapshot(ctx, belay.SnapshotID(q.Before))
	if err == nil {
		before, err = s.Session.Snaps.Get(ctx, id)
	}
	if belay.CodeOf(err) == belay.CodeNotFound {
		before, err = worktree.Snapshot(ctx, s.Session.Restores, q.Before, session.TemporaryMeta(nil, q.Before+", to judge by"))
	}
	if err != nil {
		return belay.Report{}, err
	}
	adhoc := &session.Record{Task: q.Adhoc}
	adhoc.State.Before = before.ID
	info, err := s.Session.Snaps.TakeWith(ctx, session.TemporaryMeta(nil, "manual check"), s.Session.SnapshotExtent(adhoc))
	if err != nil {
		return belay.Report{}, err
	}
	changes, err := s.Session.Snaps.Changes(ctx, before.ID, info.ID)
	if err != nil {
		return belay.Report{}, err
	}
	missed, err := s.Session.Snaps.Missed(ctx, before.ID, info.ID)
	if err != nil {
		return belay.Report{}, err
	}
	q.Adhoc.Checks.Timeout = q.Timeout
	q.Adhoc.Checks.Skip = append(q.Adhoc.Checks.Skip, q.Skip...)
	report, err := s.Session.Judge(ctx, q.Adhoc,
		session.Work{All: changes, Last: changes, Missed: missed, ChangedByHand: func(string) bool { return true }}, before.ID,
		info.ID, q.Watch.Checking)
	report.After = "" // a temporary snapshot is not listed, and a commit is not a snapshot
	if before.Transient {
		report.Before = ""
	}
	return report, err
}
