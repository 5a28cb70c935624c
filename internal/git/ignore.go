package git

import (
	"context"
	"io"
	"slices"
)

// Ignorer returns an Ignorer of this repository; the first question starts the process. more are
// additional settings, as "key=value".
func (r *Repo) Ignorer(ctx context.Context, more ...string) *Ignorer {
	return NewIgnorer(func(in GitDirAndTree, said io.Writer) Process {
		cmd := r.checkIgnore(ctx, more)
		if in.Tree != "" {
			cmd.Dir = in.Tree
			cmd.Env = append(cmd.Env, "GIT_DIR="+in.GitDir, "GIT_COMMON_DIR="+in.GitDir, "GIT_WORK_TREE="+in.Tree)
		}
		cmd.Stderr = said
		return cmd
	})
}

func (r *Repo) checkIgnore(ctx context.Context, more []string) *Cmd {
	var args []string
	for _, s := range more {
		args = append(args, "-c", s)
	}
	cmd := r.Command(ctx, append(args, "check-ignore", "-z", "-v", "-n", "--stdin", "--no-index")...)
	// check-ignore refuses literal pathspecs; the "./" before each path does the same.
	cmd.Env = slices.DeleteFunc(cmd.Env, func(kv string) bool { return kv == "GIT_LITERAL_PATHSPECS=1" })
	return cmd
}
