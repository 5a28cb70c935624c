package proc

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/notify"
)

// Environ makes the environment of a program that looks at the work tree at root: the
// given one (nil is this process's own) without what would aim git at another repository
// (inside a git hook GIT_DIR and GIT_INDEX_FILE are set), with PWD, and with more, which
// has NAME=value and wins. The secret of notifications stays belay's own.
func Environ(env []string, root string, more ...string) []string {
	if env == nil {
		env = os.Environ()
	}
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	more = append(more, "PWD="+root)
	ours := map[string]bool{}
	for _, e := range more {
		name, _, _ := strings.Cut(e, "=")
		ours[name] = true
	}
	var out []string
	for _, e := range env {
		if name, _, _ := strings.Cut(e, "="); !ours[name] && !strings.HasPrefix(name, "GIT_") && name != notify.SecretEnv {
			out = append(out, e)
		}
	}
	return append(out, more...)
}
