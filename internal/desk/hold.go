package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/belay-dev/belay/internal/belay"
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

// Hold takes the working tree for one run: two agents must not write into the same
// tree at once. It never waits: CodeBusy names who has it.
func (d *Desk) Hold(_ context.Context, task belay.TaskID, doing string) (func(), error) {
	path := d.Scratch("tree.lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make %s: %w", filepath.Dir(path), err)
	}
	lock := flock.New(path)
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !got {
		var h Holder
		text, _ := os.ReadFile(path)
		_ = json.Unmarshal(text, &h) // half-written information is no information
		try := "wait for it, or use another worktree: git worktree add"
		if h.Task != "" {
			try = fmt.Sprintf("belay status, or belay cancel %s", h.Task)
		}
		return nil, belay.Refuse(belay.CodeBusy, try, "this working tree is held by %s", h)
	}
	host, _ := os.Hostname()
	text, err := json.Marshal(Holder{Task: task, Doing: doing, PID: os.Getpid(), Host: host, Since: now()})
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		_ = lock.Unlock()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// Held reports who holds the working tree, if anybody does.
func (d *Desk) Held() (Holder, bool) {
	path := d.Scratch("tree.lock")
	if _, err := os.Stat(path); err != nil {
		return Holder{}, false
	}
	lock := flock.New(path)
	if got, err := lock.TryRLock(); err != nil || got {
		_ = lock.Unlock()
		return Holder{}, false
	}
	var h Holder
	text, _ := os.ReadFile(path)
	_ = json.Unmarshal(text, &h)
	return h, true
}
