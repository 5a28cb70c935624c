package session

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// TestLingering: TakeLock waits for the lock of a dead process, but not for that of a live one.
func TestLingering(t *testing.T) {
	t.Parallel()
	done := exec.Command("true")
	if err := done.Run(); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for name, one := range map[string]struct {
		pid  int
		busy bool
	}{"dead": {done.Process.Pid, false}, "living": {os.Getpid(), true}} {
		path := filepath.Join(t.TempDir(), "tree.lock")
		text, err := json.Marshal(Holder{Doing: "belay run", PID: one.pid, Host: host, Since: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		lock := fsroot.NewLock(path)
		if got, err := lock.TryLock(); !got || err != nil {
			t.Fatal(got, err)
		}
		free := make(chan struct{})
		go func() {
			defer close(free)
			if !one.busy {
				time.Sleep(200 * time.Millisecond)
				_ = lock.Unlock()
			}
		}()
		unlock, err := TakeLock(path, "T1", "belay run", time.Now())
		if busy := belay.CodeOf(err) == belay.CodeBusy; busy != one.busy || err != nil && !busy {
			t.Errorf("%s: %v", name, err)
		}
		<-free
		if err != nil {
			_ = lock.Unlock()
			continue
		}
		unlock()
		if h, held := LockHolder(path); held {
			t.Errorf("%s: it is held by %s", name, h)
		}
	}
}
