package proc

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/notify"
)

// Environ returns the environment of a program that works in the tree at root: env (nil is this
// process's own) without variables that would make git use another repository (GIT_DIR and
// GIT_INDEX_FILE are set inside a git hook), with PWD, and with more (NAME=value), which takes
// precedence. The secret for notifications is left out.
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
