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

// Holder is the content of a lock file about the process that has the lock: information for
// people. The lock itself, which ends with the process, decides whether it is taken; a process
// ID alone proves nothing.
type Holder struct {
	Task  belay.TaskID `json:"task,omitempty"`
	Doing string       `json:"doing"`
	PID   int          `json:"pid"`
	Host  string       `json:"host"`
	Since time.Time    `json:"since"`
	Left  bool         `json:"-"` // it is an agent that outlived its belay run
}

func (h Holder) String() string {
	switch {
	case h.Left:
		return fmt.Sprintf("the agent of %s, which still runs although its belay run ended", h.Task)
	case h.PID == 0:
		return "somebody"
	}
	return fmt.Sprintf("%s (process %d on %s, since %s)", h.Doing, h.PID, h.Host, h.Since.Local().Format("15:04:05"))
}

// BusyError is the error for whoever needs the working tree as well.
func (h Holder) BusyError() error {
	try := "wait for it, or use another worktree: git worktree add"
	switch {
	case h.Left:
		try = fmt.Sprintf("belay run --resume %s, or belay cancel %s to stop it", h.Task, h.Task)
	case h.Task != "":
		try = fmt.Sprintf("belay status, or belay cancel %s", h.Task)
	}
	return belay.Refuse(belay.CodeBusy, try, "this working tree is in use by %s", h)
}

// deadHolderWait is how long to wait for the lock of a dead process. A process killed while it
// starts another one leaves a copy of the lock in the child until the child's exec.
const deadHolderWait = 2 * time.Second

// isDead reports whether the process in the lock file has ended. It is false for a process on
// another machine.
func (h Holder) isDead() bool {
	host, _ := os.Hostname()
	return h.PID > 0 && h.Host == host && errors.Is(unix.Kill(h.PID, 0), unix.ESRCH)
}

func readHolder(path string) (h Holder) {
	text, _ := fsroot.ReadFile(path, fsroot.MaxSmallFile)
	_ = json.Unmarshal(text, &h) // half-written information is no information
	return h
}

// acquireLock tries to get a lock, and repeats that while its holder is dead.
func acquireLock(path string, lock func() (bool, error)) (h Holder, got bool, err error) {
	for end := time.Now().Add(deadHolderWait); ; time.Sleep(10 * time.Millisecond) {
		if got, err = lock(); got || err != nil {
			return h, got, err
		}
		if h = readHolder(path); !h.isDead() || time.Now().After(end) {
			return h, false, nil
		}
	}
}

// TakeLock locks the file at path. It does not wait for a live process: CodeBusy names the
// holder.
func TakeLock(path string, task belay.TaskID, doing string, now time.Time) (func(), error) {
	if err := fsroot.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make %s: %w", filepath.Dir(path), err)
	}
	lock := fsroot.NewLock(path)
	h, got, err := acquireLock(path, lock.TryLock)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !got {
		return nil, h.BusyError()
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

// LockHolder returns the process that has locked the file at path, if any.
func LockHolder(path string) (Holder, bool) {
	if _, err := fsroot.Lstat(path); err != nil {
		return Holder{}, false
	}
	lock := fsroot.NewLock(path)
	h, got, err := acquireLock(path, lock.TryRLock)
	if err != nil || got {
		_ = lock.Unlock()
		return Holder{}, false
	}
	return h, true
}
