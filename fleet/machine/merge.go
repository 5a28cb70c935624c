package machine

import (
	"context"
	"errors"
	"path/filepath"

	"go.temporal.io/sdk/temporal"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
)

// Merge merges accepted work of one task to its feature's branch on the remote, after tests of the
// merged files passed. Conflicts and failures are a result, not an error. Repeated, it finds its
// earlier commit. Errors of type task.ErrRefused: the remote is not trusted here, or the branch has
// other work.
func (m *Machine) Merge(ctx context.Context, q task.MergeAsk) (task.MergeResult, error) {
	defer heartbeatEvery(ctx, q.Beat)()
	out, err := m.mergeWork(ctx, q)
	var said *belay.Error // a missing commit, tests without a result; errors without a code are retried
	if errors.As(err, &said) && (said.Code == belay.CodeNotFound || said.Code == belay.CodeCannot) {
		err = temporal.NewNonRetryableApplicationError(session.ErrorLine(err), task.ErrRefused, err)
	}
	return out.Shortened(), nonRetryable(err)
}

// mergesFolder contains the working trees of merges.
const mergesFolder = "merges"

func (m *Machine) mergeWork(ctx context.Context, q task.MergeAsk) (out task.MergeResult, err error) {
	in := q.Like
	in.ID = belay.TaskID(in.Feature) // it becomes part of paths and refs
	if err := m.checkTrusted(in); err != nil {
		return out, err
	}
	mirror, err := m.openMirror(ctx, in)
	if err != nil {
		return out, err
	}
	tip := q.Tip
	if tip == "" {
		tip = in.Base
	}
	for _, commit := range []string{tip, q.Base, q.Commit} {
		if err := mirror.FetchCommit(ctx, commit); err != nil {
			return out, err
		}
	}
	// A new folder each time: if this worker seemed lost, the same merge may still run.
	folder, done, err := remote.MakeScratch(filepath.Join(m.Home, mergesFolder), task.RepositoryKey(in.Remote)+"-*")
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, done()) }()
	dir := filepath.Join(folder, "tree")
	if err := mirror.Clone(ctx, dir, in.Branch, tip, in.Author); err != nil {
		return out, err
	}
	flags, err := flagsOf(in.Settings)
	if err != nil {
		return out, err
	}
	svc, err := app.Open(ctx, app.OpenOptions{Dir: dir, Flags: flags, Self: m.Self})
	if err != nil {
		return out, err
	}
	c, err := svc.Combine(ctx, app.CombineRequest{Task: q.Task, Base: q.Base, Commit: q.Commit, Origin: q.Origin, Slot: m.waitForSlot})
	if err != nil {
		return out, err
	}
	out = task.MergeResult{Tests: c.Tests, Conflicts: c.Conflicts, Note: c.Note}
	for _, f := range c.Findings {
		out.Findings = append(out.Findings, f.Title)
	}
	if out.Reason() != "" {
		return out, nil
	}
	out.Commit, err = mirror.Merge(ctx, dir, remote.Merge{Branch: task.FeatureBranch(in.Feature), Tip: q.Tip, Onto: tip, Work: q.Commit,
		Message: "Merge " + string(q.Task) + ": " + belay.VisibleLine(q.Title) + "\n"})
	return out, err
}

// waitForSlot waits until another agent, test run or review may run.
func (m *Machine) waitForSlot(ctx context.Context) (done func(), err error) {
	select { // heartbeats continue meanwhile: a busy worker is not lost
	case m.slots <- struct{}{}:
		return func() { <-m.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Tip returns the commit of a task's branch on its remote. Errors of type task.ErrRefused: the
// remote is not trusted here, or has no such branch.
func (m *Machine) Tip(ctx context.Context, in task.Input) (string, error) {
	defer heartbeatEvery(ctx, 0)()
	if err := m.checkTrusted(in); err != nil {
		return "", nonRetryable(err)
	}
	mirror, err := m.openMirror(ctx, in)
	if err != nil {
		return "", err
	}
	tip, err := mirror.Tip(ctx, in.Branch)
	return tip, nonRetryable(err)
}
