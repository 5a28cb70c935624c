package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
)

// TaskLine is one task in a list.
type TaskLine struct {
	ID        belay.TaskID   `json:"id"`
	Title     string         `json:"title"`
	Feature   string         `json:"feature,omitempty"`
	After     []belay.TaskID `json:"after,omitempty"` // tasks that have to be accepted first
	Phase     string         `json:"phase"`
	Outcome   loop.Outcome   `json:"outcome"`
	Paused    string         `json:"paused,omitempty"` // the next step, if no belay process works on the task
	Attempts  int            `json:"attempts"`
	Used      *belay.Use     `json:"used,omitempty"`      // by all agents; nil: none has run
	Waits     string         `json:"waits,omitempty"`     // the question to a person
	Overruled string         `json:"overruled,omitempty"` // the reason why rejected work was accepted
	Changed   time.Time      `json:"changed"`
	Tree      string         `json:"worktree,omitempty"` // its worktree, if that exists
	Unmerged  bool           `json:"unmerged,omitempty"` // accepted in its own worktree and not merged
	TornBytes int64          `json:"torn,omitempty"`
	Problem   string         `json:"problem,omitempty"` // why the record cannot be read

	FeaturePhase string `json:"feature_phase,omitempty"` // phase of its feature, if that is active
	FeatureNext  string `json:"feature_next,omitempty"`  // the command that continues the feature
}

// Tasks lists every task, in order of creation.
func (s *Service) Tasks() ([]TaskLine, error) {
	lines, _, err := s.readTasks()
	return lines, err
}

// readTasks is Tasks that also returns the readable records.
func (s *Service) readTasks() (lines []TaskLine, records []*session.Record, err error) {
	records, err = s.Session.Records(func(id belay.TaskID, err error) {
		lines = append(lines, TaskLine{ID: id, Phase: "unreadable", Problem: session.ErrorLine(err)})
	})
	if err != nil {
		return nil, nil, err
	}
	if gone, err := s.Session.MissingRecords(); err == nil {
		for _, st := range gone {
			if st.Open {
				lines = append(lines, TaskLine{ID: belay.TaskID(st.Task), Phase: "unreadable",
					Problem: fmt.Sprintf("its record is gone (%d entries known): run belay doctor", st.Seq)})
			}
		}
	}
	for _, r := range records {
		if r.Task.Session != nil {
			continue // an agent's own session: belay timeline shows it
		}
		l := TaskLine{ID: r.Task.ID, Title: r.Task.Title, Feature: r.Task.Feature, After: r.Task.After, Phase: r.Phase(),
			Outcome: r.State.Outcome, Attempts: len(r.State.Attempts), Changed: r.Changed, TornBytes: r.Log.Torn}
		l.Paused = s.nextStepOf(r)
		if total, any := prompt.TotalUse(r.State); any {
			l.Used = &total
		}
		if r.State.Gate != nil {
			l.Waits = r.State.Gate.Why
		}
		if n := len(r.Overrides); n > 0 && r.State.Outcome == loop.OutcomePassed {
			l.Overruled = r.Overrides[n-1].String()
		}
		l.Unmerged = runner.IsUnmerged(r)
		if _, err := os.Lstat(r.Task.Worktree); r.Task.Worktree != "" && err == nil {
			l.Tree = r.Task.Worktree
		}
		lines = append(lines, l)
	}
	return lines, records, nil
}

// nextStepOf returns the next step of a task that is in the middle of its run while no belay
// process works on it, "" otherwise. The attempt of a person, in a task without an agent, is not a
// run.
func (s *Service) nextStepOf(r *session.Record) string {
	c := r.State.Pending
	if c == nil || len(r.Task.Agent) == 0 {
		return ""
	}
	at, err := runner.TaskSession(context.Background(), s.Session, r)
	if err == nil {
		if by, busy := at.TreeLockHolder(); busy && by.Task.Key() == r.Task.ID.Key() {
			if by.Left {
				return prompt.PlannedText(*c) + "; its agent is still running"
			}
			return ""
		}
	} else if belay.CodeOf(err) != belay.CodeNotFound { // the next run recreates a missing tree
		return ""
	}
	return prompt.PlannedText(*c)
}

// Latest returns the task with the latest event. CodeNotFound if there is none.
func (s *Service) Latest() (belay.TaskID, error) {
	lines, err := s.Tasks()
	if err != nil {
		return "", err
	}
	lines = slices.DeleteFunc(lines, func(l TaskLine) bool { return l.Problem != "" })
	if len(lines) == 0 {
		return "", belay.Refuse(belay.CodeNotFound, `belay run "…" --with AGENT starts one`, "there is no task yet")
	}
	return slices.MaxFunc(lines, func(x, y TaskLine) int { return x.Changed.Compare(y.Changed) }).ID, nil
}

// FeatureLine sums up the tasks of a feature.
type FeatureLine struct {
	Feature  string     `json:"feature"`
	Tasks    int        `json:"tasks"`
	Open     int        `json:"open"`
	Attempts int        `json:"attempts"`
	Used     *belay.Use `json:"used,omitempty"` // nil: no agent has run

	Phase string `json:"phase,omitempty"` // the feature's phase, if it is active
	Next  string `json:"next,omitempty"`  // the command that continues the feature
}

// addActiveFeatures adds the phase of active features.
func addActiveFeatures(all []FeatureLine, views []FeatureView) []FeatureLine {
	for _, v := range views {
		i := slices.IndexFunc(all, func(f FeatureLine) bool { return f.Feature == v.Name })
		if i < 0 {
			i = len(all)
			all = append(all, FeatureLine{Feature: v.Name})
		}
		all[i].Phase, all[i].Next = v.Summary(), v.Next.Command
	}
	return all
}

// sumFeatures sums up tasks by feature.
func sumFeatures(lines []TaskLine) []FeatureLine {
	all := []FeatureLine{}
	for _, l := range lines {
		if l.Feature == "" {
			continue
		}
		i := slices.IndexFunc(all, func(f FeatureLine) bool { return f.Feature == l.Feature })
		if i < 0 {
			i = len(all)
			all = append(all, FeatureLine{Feature: l.Feature})
		}
		f := &all[i]
		f.Tasks++
		f.Attempts += l.Attempts
		if l.Phase != string(loop.PhaseClosed) {
			f.Open++
		}
		if l.Used != nil {
			sum := *l.Used
			if f.Used != nil {
				sum = f.Used.With(*l.Used)
			}
			f.Used = &sum
		}
	}
	return all
}

// Status is a summary of the working tree's state.
type Status struct {
	Root      string     `json:"root"`
	LockedBy  string     `json:"held,omitempty"`    // the task or command that has locked this tree
	Reviews   []string   `json:"reviews,omitempty"` // claims of running reviews
	Tasks     []TaskLine `json:"tasks"`             // open tasks
	Ended     int        `json:"ended"`             // number of ended tasks
	Overruled []TaskLine `json:"overruled"`         // tasks of which rejected work was accepted
	// tasks with their own worktree, and accepted ones that are not merged
	Worktrees        []TaskLine          `json:"worktrees"`
	Features         []FeatureLine       `json:"features"` // features of tasks, in the order of their first tasks, then other active ones
	Snapshots        snapshot.Usage      `json:"snapshots"`
	Archived         int                 `json:"archived_snapshots"`          // how many of them are archived
	AbsentRecords    []session.Absent    `json:"absent,omitempty"`            // tasks without a record
	MissingSnapshots []belay.SnapshotID  `json:"missing_snapshots,omitempty"` // snapshots that tasks need and whose refs are missing
	OverCap          bool                `json:"over_cap"`                    // snapshots are larger than snapshot.cap
	Interrupted      bool                `json:"interrupted_restore"`
	Unfinished       *restore.Unfinished `json:"interrupted,omitempty"`    // nil: none, or it is still running
	Untrusted        []string            `json:"untrusted,omitempty"`      // what the repository wants to run and is not trusted
	Trusted          *bool               `json:"config_trusted,omitempty"` // nil: the config has no commands
}

// Status reads the state of the tree; it changes nothing.
func (svc *Service) Status(ctx context.Context) (Status, error) {
	s, _, err := svc.Overview(ctx)
	return s, err
}

// Overview returns Status and Tasks, reading each record once.
func (svc *Service) Overview(ctx context.Context) (s Status, lines []TaskLine, err error) {
	s = Status{Root: svc.Session.Repo.Root, Tasks: []TaskLine{}, Worktrees: []TaskLine{}, Overruled: []TaskLine{}}
	if h, busy := svc.Session.TreeLockHolder(); busy {
		s.LockedBy = h.String()
	}
	claims, err := svc.Session.ReviewClaims().List()
	if err != nil {
		return s, nil, err
	}
	for _, c := range claims {
		s.Reviews = append(s.Reviews, c.String())
	}
	lines, records, err := svc.readTasks()
	if err != nil {
		return s, nil, err
	}
	lines, views := svc.AddPhases(ctx, lines)
	s.Features = addActiveFeatures(sumFeatures(lines), views)
	for _, l := range lines {
		if l.Tree != "" || l.Unmerged {
			s.Worktrees = append(s.Worktrees, l)
		}
		if l.Overruled != "" {
			s.Overruled = append(s.Overruled, l)
		}
		if l.Phase == string(loop.PhaseClosed) {
			s.Ended++
			continue
		}
		s.Tasks = append(s.Tasks, l)
	}
	if s.Snapshots, err = svc.Session.Snaps.Usage(ctx); err != nil {
		return s, nil, err
	}
	archived, err := svc.archivedIn(ctx, records)
	if err != nil {
		return s, nil, err
	}
	s.Archived = len(archived)
	if s.AbsentRecords, err = svc.Session.AbsentTasks(ctx); err != nil {
		return s, nil, err
	}
	if s.MissingSnapshots, err = svc.missingSnapshotsOf(ctx, records); err != nil {
		return s, nil, err
	}
	s.OverCap = svc.Session.Config.Snapshot.Cap > 0 && s.Snapshots.Bytes > svc.Session.Config.Snapshot.Cap
	s.Unfinished = svc.Session.Restores.Unfinished()
	s.Interrupted = s.Unfinished != nil
	if t, err := svc.TrustState(); err == nil {
		for _, i := range t.Untrusted() {
			s.Untrusted = append(s.Untrusted, i.Name)
		}
		if t.Hash != "" {
			s.Trusted = &t.Items[0].Trusted
		}
	}
	return s, lines, nil
}

// ReviewCounts counts the reviews of a task's work by configured reviewers. Limit is the mode's
// number of rejections after which a person decides.
type ReviewCounts struct {
	Rejected int    `json:"refused"`
	Passed   int    `json:"passed"`
	Limit    int    `json:"most"`
	Mode     string `json:"mode,omitempty"`
}

// TaskView is a task as `belay show` prints it.
type TaskView struct {
	Task      belay.Task         `json:"task"`
	Phase     string             `json:"phase"`
	Outcome   loop.Outcome       `json:"outcome"`
	Paused    string             `json:"paused,omitempty"` // the next step, if no belay process works on the task
	Why       string             `json:"why,omitempty"`
	Before    string             `json:"before,omitempty"`
	Attempts  []AttemptView      `json:"attempts"`
	Gate      *loop.Gate         `json:"gate,omitempty"`
	Rollbacks int                `json:"rollbacks"`
	Retries   int                `json:"retries"`
	Reviews   *ReviewCounts      `json:"reviews,omitempty"` // nil: no reviewers
	Decisions []loop.Decided     `json:"decisions,omitempty"`
	Notes     []session.Note     `json:"notes,omitempty"`
	Overruled []session.Override `json:"overruled,omitempty"` // decisions by which rejected work was accepted
	Created   time.Time          `json:"created"`
	Changed   time.Time          `json:"changed"`
	TornBytes int64              `json:"torn,omitempty"`
	Unmerged  bool               `json:"unmerged,omitempty"`  // accepted in its own worktree and not merged
	Snapshots string             `json:"snapshots,omitempty"` // of an ended task: which are kept, and for how long
	Problem   string             `json:"problem,omitempty"`   // why the record cannot be trusted

	Requirements []belay.Met `json:"requirements,omitempty"` // with their results in the last report

	Checks []belay.CheckResult `json:"-"` // of the last report
}

// AttemptView is one attempt with the reasons for its rejection.
type AttemptView struct {
	loop.Attempt
	Reasons []string `json:"reasons"`
	// Reviews are the reviewers' answers: score, the four questions, findings.
	Reviews []belay.Reviewed `json:"reviews,omitempty"`
}

// Show returns a task with all of its details.
func (svc *Service) Show(task belay.TaskID) (TaskView, *session.Record, error) {
	r, err := svc.Session.LoadUnchecked(task)
	if err != nil {
		return TaskView{}, nil, err
	}
	_, cut := svc.Session.CompareAnchor(task, r.Log)
	s := TaskView{
		Task: r.Task, Phase: r.Phase(), Outcome: r.State.Outcome, Why: r.State.Why, Before: string(r.State.Before),
		Gate: r.State.Gate, Rollbacks: r.State.Rollbacks, Retries: r.State.Retries, Decisions: r.State.Decisions,
		Notes: r.Notes, Created: r.Created, Changed: r.Changed, TornBytes: r.Log.Torn, Attempts: []AttemptView{},
		Unmerged: runner.IsUnmerged(r), Overruled: r.Overrides,
	}
	s.Snapshots, s.Paused = retentionOf(r), svc.nextStepOf(r)
	if cut != nil {
		s.Problem = session.ErrorLine(cut)
	}
	if p := r.Task.Policy; p.Review {
		refused, passed := r.State.Reviews()
		s.Reviews = &ReviewCounts{Rejected: refused, Passed: passed, Limit: p.Reviews, Mode: belay.ModeOf(p.Reviews)}
	}
	for _, n := range r.Notes {
		if n.Kind == "rollback" {
			s.Rollbacks++
		}
	}
	for _, a := range r.State.Attempts {
		shown := AttemptView{Attempt: a, Reasons: []string{}}
		for _, f := range a.Findings {
			shown.Reasons = append(shown.Reasons, f.Title)
		}
		reviewed, bad := svc.checksOf(a.Review)
		for _, c := range reviewed {
			if c.Review != nil {
				shown.Reviews = append(shown.Reviews, *c.Review)
			}
		}
		s.Attempts = append(s.Attempts, shown)
		checked, err := svc.checksOf(a.Report)
		if len(checked) > 0 {
			s.Checks = checked
		}
		if i := slices.IndexFunc(checked, func(c belay.CheckResult) bool { return len(c.Met) > 0 }); i >= 0 {
			s.Requirements = checked[i].Met
		}
		if bad = cmp.Or(bad, err); bad != nil && s.Problem == "" {
			s.Problem = fmt.Sprintf("a report of attempt %d cannot be read: %s", a.N, session.ErrorLine(bad))
		}
	}
	return s, r, nil
}

// MissingSnapshots returns the snapshots that tasks need and that are missing.
func (s *Service) MissingSnapshots(ctx context.Context) ([]belay.SnapshotID, error) {
	all, err := s.Session.Records(nil)
	if err != nil {
		return nil, err
	}
	return s.missingSnapshotsOf(ctx, all)
}

func (s *Service) missingSnapshotsOf(ctx context.Context, all []*session.Record) ([]belay.SnapshotID, error) {
	needs := runner.NeedsSnapshots(ctx, s.Session)
	return s.Session.MissingSnapshots(ctx, slices.DeleteFunc(slices.Clone(all), func(r *session.Record) bool { return !needs(r) }))
}

// checksOf returns the checks of a stored report, nil if there is no report.
func (s *Service) checksOf(sha string) ([]belay.CheckResult, error) {
	if sha == "" {
		return nil, nil
	}
	report, err := s.Session.Report(sha)
	return report.Checks, err
}
