package session

import (
	"context"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// LockTree locks the worktree. CodeBusy names the process that has the lock, or the agent that
// outlived its belay run.
func (s *Session) LockTree(ctx context.Context, task belay.TaskID, doing string) (func(), error) {
	return s.lockTree(ctx, task, doing, "")
}

// LockTreeToRun is LockTree for the run that waits for the task's own agent.
func (s *Session) LockTreeToRun(ctx context.Context, task belay.TaskID, doing string) (func(), error) {
	return s.lockTree(ctx, task, doing, task)
}

func (s *Session) lockTree(ctx context.Context, task belay.TaskID, doing string, own belay.TaskID) (func(), error) {
	// An agent that is about to end is not an error, so wait a moment. The lock file names its task
	// until another process gets the lock.
	h, left := s.leftAgent()
	for end := time.Now().Add(deadHolderWait); left && h.Task.Key() != own.Key() && ctx.Err() == nil; h, left = s.leftAgent() {
		if time.Now().After(end) {
			return nil, h.BusyError()
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return TakeLock(s.Scratch(treeLock), task, doing, now())
}

const treeLock = "tree.lock"

// TreeLockHolder returns the process that has locked the worktree, or the agent that outlived its
// belay run, if any.
func (s *Session) TreeLockHolder() (Holder, bool) {
	if h, busy := LockHolder(s.Scratch(treeLock)); busy {
		return h, true
	}
	return s.leftAgent()
}

// leftAgent returns the agent in this worktree that is still running after its belay run was killed.
func (s *Session) leftAgent() (Holder, bool) {
	h := readHolder(s.Scratch(treeLock))
	if h.Task == "" {
		return Holder{}, false
	}
	if s.AgentInTree(h.Task) == nil {
		return Holder{}, false
	}
	_, busy := LockHolder(s.Scratch(treeLock)) // by the run that waits for it
	return Holder{Task: h.Task, Left: true}, !busy
}

// AgentInTree returns the agent of a task, or of one of its roles, that is running in this
// worktree; nil if none is.
func (s *Session) AgentInTree(task belay.TaskID) *agent.Run {
	runs, _ := fsroot.ReadDir(s.Scratch("run", task.Key())) // a task that ended has none
	for _, e := range runs {
		if run, err := agent.Attach(s.RunDir(task, e.Name())); err == nil && run.WorksIn(s.Repo.Root) {
			return run
		}
	}
	return nil
}
