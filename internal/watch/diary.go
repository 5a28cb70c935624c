package watch

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// diary is the watch's log: one line an event, for people. It is started again when it
// grows over the limit; one older part is kept.
type diary struct {
	mu    sync.Mutex
	path  string
	limit int64
}

const diaryLimit = 128 << 10

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if info, err := fsroot.Lstat(d.path); err == nil && info.Size() > d.limit {
		_ = fsroot.Rename(d.path, d.path+".old")
	}
	f, err := fsroot.OpenFile(d.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return // a lost line harms nobody
	}
	defer f.Close()
	fmt.Fprintf(f, "%s %d %s\n", time.Now().UTC().Format(time.RFC3339), os.Getpid(), belay.VisibleLine(fmt.Sprintf(format, args...)))
}
