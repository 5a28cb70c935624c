package watch

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// eventLog is the log file of the watch, for people to read, with one line per event. A file larger
// than the limit is renamed to .old, and a new one is started.
type eventLog struct {
	mu    sync.Mutex
	path  string
	limit int64
}

const logLimit = 128 << 10

func (d *eventLog) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if info, err := fsroot.Lstat(d.path); err == nil && info.Size() > d.limit {
		_ = fsroot.Rename(d.path, d.path+".old")
	}
	f, err := fsroot.OpenFile(d.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return // the watch works without its log
	}
	defer f.Close()
	fmt.Fprintf(f, "%s %d %s\n", time.Now().UTC().Format(time.RFC3339), os.Getpid(), belay.VisibleLine(fmt.Sprintf(format, args...)))
}
