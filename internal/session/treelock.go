package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

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

// lingering is how long the lock of a dead process is waited for. A process that is killed
// while it starts another one leaves it with a copy of the lock until that one is the
// program it is to be.
const lingering = 2 * time.Second

// dead reports whether the process that the file names is gone. Of another machine nothing
// is known.
func (h Holder) dead() bool {
	host, _ := os.Hostname()
	return h.PID > 0 && h.Host == host && errors.Is(unix.Kill(h.PID, 0), unix.ESRCH)
}

func read(path string) (h Holder) {
	text, _ := fsroot.ReadFile(path, fsroot.MaxSmallFile)
	_ = json.Unmarshal(text, &h) // half-written information is no information
	return h
}

// acquire tries to get a lock, again and again while its holder is dead.
func acquire(path string, lock func() (bool, error)) (h Holder, got bool, err error) {
	for end := time.Now().Add(lingering); ; time.Sleep(10 * time.Millisecond) {
		if got, err = lock(); got || err != nil {
			return h, got, err
		}
		if h = read(path); !h.dead() || time.Now().After(end) {
			return h, false, nil
		}
	}
}

// Take takes the lock in the file at path. It waits for nobody who lives: CodeBusy names
// who has it.
func Take(path string, task belay.TaskID, doing string, now time.Time) (func(), error) {
	if err := fsroot.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make %s: %w", filepath.Dir(path), err)
	}
	lock := fsroot.NewLock(path)
	h, got, err := acquire(path, lock.TryLock)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !got {
		try := "wait for it, or use another worktree: git worktree add"
		if h.Task != "" {
			try = fmt.Sprintf("belay status, or belay cancel %s", h.Task)
		}
		return nil, belay.Refuse(belay.CodeBusy, try, "this working tree is in use by %s", h)
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
	h, got, err := acquire(path, lock.TryRLock)
	if err != nil || got {
		_ = lock.Unlock()
		return Holder{}, false
	}
	return h, true
}
