package session

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
)

// LockTree locks the worktree for one run. CodeBusy names the process that has the lock.
func (s *Session) LockTree(_ context.Context, task belay.TaskID, doing string) (func(), error) {
	return TakeLock(s.Scratch("tree.lock"), task, doing, now())
}

// TreeLockHolder returns the process that has locked the worktree, if any.
func (s *Session) TreeLockHolder() (Holder, bool) { return LockHolder(s.Scratch("tree.lock")) }
