package tasklist

import (
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// RemoveLeftovers removes from belay's folder of temporary files what a killed change of places left
// there, as far as known says that its bytes are held elsewhere: what somebody may have
// saved at that moment is never removed unseen. What is larger than most bytes is left.
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

// removeLeftover removes a file that was displaced by its own with the box ticked: ticked once
// more it is the one that is there.
func removeLeftover(tmp string, o belay.Origin, now []byte) {
	if tmp == "" {
		return
	}
	RemoveLeftovers(tmp, MaxTaskFile, func(text []byte) bool {
		out, lines, err := TickDone(text, o)
		return err == nil && len(lines) > 0 && string(out) == string(now)
	})
}
