package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"
	"github.com/belay-dev/belay/internal/testrun"
	"github.com/belay-dev/belay/internal/worktree"
)

// TestEnv returns the environment of a task's tests, as KEY=value.
func (s *Session) TestEnv(t belay.Task) []string {
	return agent.BuildEnviron(os.Environ(), nil, s.TreeEnv(map[string]string{"BELAY_TASK": string(t.ID)}))
}

// TreeEnv adds the variables of a task's own worktree to an environment.
func (s *Session) TreeEnv(env map[string]string) map[string]string {
	if s.Ports > 0 {
		env["BELAY_PORT_BASE"] = strconv.Itoa(s.Ports)
	}
	return env
}

// TestKeeper returns the Baseliner that runs a task's tests on snapshots of this worktree and
// stores the results.
func (s *Session) TestKeeper(t belay.Task) testrun.Baseliner {
	return testrun.Baseliner{Snaps: s.Snaps, Dir: filepath.Join(s.Repo.Common, "belay", "baseline"), Env: s.TestEnv(t), May: s.Gate}
}

// Checkout returns a function that makes a temporary checkout of a snapshot, ready for a
// task's tests. done removes it.
func (s *Session) Checkout(id belay.SnapshotID, t belay.Task) func(context.Context) (root string, done func(), err error) {
	return func(ctx context.Context) (string, func(), error) {
		return worktree.MakeEquipped(ctx, s.Snaps, id, t.Checks.Reuse)
	}
}

// CopyIgnored copies the ignored files of this worktree into a checkout that lacks them.
func (s *Session) CopyIgnored(ctx context.Context, root string) (copied, left []string) {
	return worktree.CopyIgnored(ctx, s.Repo, root)
}

// BaselineReport reads the test report of the before snapshot; nil if there is none, or if it is of
// another test command than the task's current one.
func (s *Session) BaselineReport(r *Record) (*testreport.Report, error) {
	b, err := s.Baseline(r)
	if err != nil || !b.IsOf(r.Task.Checks.Tests) {
		return nil, err
	}
	return b.KnownReport(), nil
}

// Baseline reads the baseline of a record; the zero value if it has none.
func (s *Session) Baseline(r *Record) (b testrun.Baseline, err error) {
	sha := r.State.BaselineReport
	if sha == "" {
		return b, nil
	}
	text, err := s.Journal.Attachment(sha)
	if err != nil {
		return b, err
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return b, fmt.Errorf("read the baseline %s: %w", sha, err)
	}
	return b, nil
}
