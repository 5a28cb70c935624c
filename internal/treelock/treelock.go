// Package treelock says who works in a working tree: two agents must not write into the same
// tree at once. The lock dies with its process; what its file says is information for
// people.
//
// It looks at nothing but the lock's file.
package treelock

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Holder is what a lock file says of the process that holds it: information for
// people. Whether the lock is held is decided by the lock itself, which dies with
// the process; a process id alone proves nothing.
type Holder struct {
	Task  belay.TaskID `json:"task,omitempty"`
	Doing string       `json:"doing"`
	PID   int          `json:"pid"`
	Host  string       `json:"host"`
	Since time.Time    `json:"since"`
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "somebody"
	}
	return fmt.Sprintf("%s (process %d on %s, since %s)", h.Doing, h.PID, h.Host, h.Since.Local().Format("15:04:05"))
}

// Take takes the lock in the file at path. It never waits: CodeBusy names who has it.
func Take(path string, task belay.TaskID, doing string, now time.Time) (func(), error) {
	if err := fsroot.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make %s: %w", filepath.Dir(path), err)
	}
	lock := fsroot.NewLock(path)
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !got {
		var h Holder
		text, _ := fsroot.ReadFile(path, fsroot.Usual)
		_ = json.Unmarshal(text, &h) // half-written information is no information
		try := "wait for it, or use another worktree: git worktree add"
		if h.Task != "" {
			try = fmt.Sprintf("belay status, or belay cancel %s", h.Task)
		}
		return nil, belay.Refuse(belay.CodeBusy, try, "this working tree is held by %s", h)
	}
	host, _ := os.Hostname()
	text, err := json.Marshal(Holder{Task: task, Doing: doing, PID: os.Getpid(), Host: host, Since: now})
	if err == nil {
		err = fsroot.WriteFile(path, text, 0o600)
	}
	if err != nil {
		_ = lock.Unlock()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// Held reports who holds the lock in the file at path, if anybody does.
func Held(path string) (Holder, bool) {
	if _, err := fsroot.Lstat(path); err != nil {
		return Holder{}, false
	}
	lock := fsroot.NewLock(path)
	if got, err := lock.TryRLock(); err != nil || got {
		_ = lock.Unlock()
		return Holder{}, false
	}
	var h Holder
	text, _ := fsroot.ReadFile(path, fsroot.Usual)
	_ = json.Unmarshal(text, &h)
	return h, true
}
