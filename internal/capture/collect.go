package capture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/git"
)

// KeepNote is what stands in the .keep files of packs that are kept from a gc.
const KeepNote = "belay: until the git gc of that moment has ended\n"

// Release takes the marks of belay's kept packs away.
func Release(r *git.Repo) error {
	marks, err := filepath.Glob(filepath.Join(globSafe(r.Common), "objects", "pack", "pack-*.keep"))
	for _, path := range marks {
		if text, rerr := os.ReadFile(path); rerr == nil && string(text) == KeepNote {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}

// Collecting reports whether a git gc runs in this repository, as far as its own mark
// tells: gc.pid holds a process and a host, and means nothing after twelve hours.
func Collecting(r *git.Repo) bool {
	path := filepath.Join(r.Common, "gc.pid")
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()) > 12*time.Hour {
		return false
	}
	var pid int
	var host string
	text, err := os.ReadFile(path)
	if n, _ := fmt.Sscan(string(text), &pid, &host); err != nil || n < 2 || pid < 1 {
		return true // being written
	}
	own, err := os.Hostname()
	return err != nil || host != own || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
