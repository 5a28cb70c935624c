package git

import (
	"context"
	"os/exec"
	"slices"

	"github.com/belay-dev/belay/internal/gitignore"
)

// Ignorer asks git which paths are ignored; see gitignore.
type Ignorer = gitignore.Ignorer

// Ignorer prepares to ask; the process starts with the first question. more are
// settings for it, as "key=value".
func (r *Repo) Ignorer(ctx context.Context, more ...string) *Ignorer {
	return gitignore.New(func() *exec.Cmd { return r.checkIgnore(ctx, more) })
}

func (r *Repo) checkIgnore(ctx context.Context, more []string) *exec.Cmd {
	var args []string
	for _, s := range more {
		args = append(args, "-c", s)
	}
	cmd := r.Command(ctx, append(args, "check-ignore", "-z", "-v", "-n", "--stdin", "--no-index")...)
	// check-ignore refuses literal pathspecs; the "./" before each path does the same.
	cmd.Env = slices.DeleteFunc(cmd.Env, func(kv string) bool { return kv == "GIT_LITERAL_PATHSPECS=1" })
	return cmd
}
