package tasklist

import (
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// RemoveLeftovers removes files from belay's temporary folder that a process killed while replacing
// a file left there, if known reports that their bytes exist elsewhere. Any other file may be the
// only copy of what somebody just saved, and stays. Files larger than most bytes stay too.
func RemoveLeftovers(tmp string, most int64, known func(text []byte) bool) {
	list, _ := fsroot.ReadDir(tmp)
	for _, e := range list {
		path := filepath.Join(tmp, e.Name())
		if !strings.HasPrefix(e.Name(), fsroot.SwapPrefix) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err != nil || info.Size() > most {
			continue
		}
		if text, err := fsroot.ReadFile(path, fsroot.MaxSmallFile); err == nil && known(text) {
			_ = fsroot.Remove(path)
		}
	}
}

// removeLeftover removes a temporary file that equals the current file before its box was ticked.
func removeLeftover(tmp string, o belay.Origin, now []byte) {
	if tmp == "" {
		return
	}
	RemoveLeftovers(tmp, MaxTaskFile, func(text []byte) bool {
		out, lines, err := TickDone(text, o)
		return err == nil && len(lines) > 0 && string(out) == string(now)
	})
}
