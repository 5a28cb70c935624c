package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"

	"github.com/belay-dev/belay/internal/testreport"

	"github.com/belay-dev/belay/internal/snapshot"
)

// Time limits of all checks together: short for a person who waits for the answer, longer for the
// tests of a run, which pays for an agent.
const (
	RunTimeout = 10 * time.Minute
)

// Work is what a task changed, as input of the checks.
type Work struct {
	All  []belay.Change // before → after, of the paths that an attempt changed
	Last []belay.Change // what the last attempt changed

	Spans         []check.Span       // the times in which an attempt worked; none if unknown
	Missed        []snapshot.Missed  // changes of the agent that the capture does not contain
	ChangedByHand func(string) bool  // reports whether only a person changed a path; nil if none did
	TreeLocked    bool               // the run has locked the tree: what a linter edits in it is reverted
	Baseline      *testreport.Report // test results before the task; nil if unknown
}

// Work compares the before snapshot with a capture and returns what the agent changed.
func (sess *Session) Work(ctx context.Context, r *Record, after belay.SnapshotID) (w Work, err error) {
	defer sess.Snaps.Repo.ShareReader()()
	taken, err := sess.TaskSnapshots(ctx, r)
	if err != nil {
		return w, err
	}
	var list []Span
	if w.All, w.Last, list, err = AgentWork(ctx, sess.Snaps, taken, r.State.Before, after); err != nil {
		return w, err
	}
	for _, s := range list {
		if s.Agent {
			w.Spans = append(w.Spans, check.Span{From: s.From, To: s.To})
		}
	}
	w.Missed, err = MissedChanges(ctx, sess.Snaps, taken, r.State.Before, after)
	return w, err
}

// checkMissed converts missed paths to the form of the checks.
func checkMissed(list []snapshot.Missed) (out []check.UncapturedPath) {
	for _, m := range list {
		c := check.UncapturedPath{Path: m.Path, Description: m.Detail, Unsure: !m.Certain}
		switch m.Kind {
		case snapshot.MissedOutput:
			c.Description = "newly ignored build output, " + m.Detail
		case snapshot.MissedFile, snapshot.MissedAuthored:
			c.Rejects = true
		case snapshot.MissedMode:
			c.Rejects, c.ModeOnly = true, true
		case snapshot.MissedHeadMoved, snapshot.MissedInner, snapshot.MissedRefs:
			c.Path, c.Rejects = m.Path+"/", true
		case snapshot.MissedRepository: // no rollback removes it, so later attempts would be rejected for it
			c.Path, c.Worktree = m.Path+"/", true
		}
		out = append(out, c)
	}
	return out
}

func (s *Session) KeepReport(report belay.Report) (string, error) {
	text, err := json.Marshal(report)
	if err != nil {
		return "", err
	}
	sha, _, err := s.Journal.Attach(bytes.NewReader(text))
	return sha, err
}

// Judge runs the task's checks on its changes.
func (s *Session) Judge(ctx context.Context, t belay.Task, w Work, before, after belay.SnapshotID,
	progress func(check.Progress)) (belay.Report, error) {
	for _, one := range slices.Concat(t.Scope.Files, t.Scope.Protect, t.Scope.Expect) {
		if err := belay.Valid(one); err != nil {
			return belay.Report{}, err
		}
	}
	if err := check.ValidateRules(t.Checks); err != nil {
		return belay.Report{}, err
	}
	var state check.GitFacts
	var unclear error
	var asked sync.Once
	perhaps, err := s.Snaps.MaybeAuthored(ctx, after)
	if err != nil {
		return belay.Report{}, err
	}
	report := check.Run(ctx, check.Input{
		Root: s.Repo.Root, Env: s.TestEnv(t),
		Changes: w.All, ChangedByHand: w.ChangedByHand, Uncaptured: checkMissed(w.Missed), Uncertain: perhaps, Attempt: w.Last,
		Scope:  t.Scope,
		NoTask: t.ID == "", Request: t.Request, List: t.List(), Words: t.Words(), Checks: t.Checks, May: s.Gate, Skip: t.Checks.Skip,
		Before: before, After: after, Baseline: w.Baseline, State: s.Checkout(before, t), CopyIgnored: s.CopyIgnored,
		Guard: check.GuardTree(s.Restores, t.ID, after, w.TreeLocked),
		Texts: check.NewSnapshotTexts(s.Snaps, before, after),
		Ignored: func(ctx context.Context, paths []string) (map[string]bool, error) {
			return s.Snaps.CapturedIgnored(ctx, after, paths)
		},
		Git: func(ctx context.Context) (check.GitFacts, error) {
			asked.Do(func() {
				state, unclear = check.ReadGitFacts(ctx, s.Snaps, before, after, w.Spans)
				state.ByAttempt = state.ByAttempt && t.Worktree == "" // otherwise the user's own tree still has the work
			})
			return state, unclear
		},
		Logs: func(_ string, r io.Reader) (string, error) { return s.AttachText(r, t) },
	}, progress)
	report.Task = t.ID
	return report, nil
}

// Report reads a stored report.
func (s *Session) Report(sha string) (belay.Report, error) {
	text, err := s.Journal.Attachment(sha)
	if err != nil {
		return belay.Report{}, err
	}
	var report belay.Report
	if err := json.Unmarshal(text, &report); err != nil {
		return belay.Report{}, errors.Join(fmt.Errorf("read report %s", sha), err)
	}
	return report, nil
}
