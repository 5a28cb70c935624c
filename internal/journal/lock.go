package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

const lockPoll = 2 * time.Millisecond // an append takes about twice as long

// lockOwner is the content of a lock file: the process that took the lock. It is only for messages;
// the lock itself belongs to the open file and ends with its process.
type lockOwner struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// lock waits for the lock of task's record, for s.wait at most. The lock file is never removed:
// otherwise two processes could lock two files of the same name.
func (s *Store) lock(ctx context.Context, task belay.TaskID) (unlock func(), err error) {
	path := s.lockFile(task)
	fl := fsroot.NewLock(path)
	limited, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	_, err = fl.TryLockContext(limited, lockPoll)
	switch {
	case err == nil:
		s.writeLockOwner(path)
		return func() { fl.Unlock() }, nil
	case ctx.Err() != nil:
		return nil, &belay.Error{Code: belay.CodeInterrupted, What: fmt.Sprintf("interrupted before the record of %s was written", task),
			Try: "run the command again", Err: context.Cause(ctx)}
	case limited.Err() != nil:
		return nil, belay.Refuse(belay.CodeBusy, "wait for it to finish and try again",
			"the record of %s has been locked by %s for more than %s", task, readLockOwner(path), s.wait)
	}
	return nil, couldNot("lock", path, err)
}

// writeLockOwner writes the owner of the lock. Errors are ignored.
func (s *Store) writeLockOwner(path string) {
	host, _ := os.Hostname()
	text, _ := json.Marshal(lockOwner{PID: os.Getpid(), Host: host, Since: s.now()})
	fsroot.WriteFile(path, append(text, '\n'), 0o600)
}

func readLockOwner(path string) string {
	const nobody = "another process"
	f, err := fsroot.Open(path)
	if err != nil {
		return nobody
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 4<<10))
	var h lockOwner
	if errors.Join(err, json.Unmarshal(text, &h)) != nil || h.PID == 0 {
		return nobody
	}
	return belay.VisibleLine(fmt.Sprintf("process %d on %s (since %s)", h.PID, h.Host, h.Since.Format(time.RFC3339)))
}
