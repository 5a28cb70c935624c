package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/proc"
)

// ReadOnlyCommand is the hidden command that runs an agent with write protection on the working tree.
const ReadOnlyCommand = "_closed"

// treeAccess lists the folders that are read-only for an agent, and the folders within them that
// stay writable.
type treeAccess struct {
	ReadOnly []string `json:"closed"`
	Writable []string `json:"open"`
}

// readOnlyAccess returns the access of a role that only reads. Writable are the git folders (for
// the record and git's own index), .belay/now, and existing ignored folders, which tests and builds
// write to.
func (r *pipelineRun) readOnlyAccess(ctx context.Context) (treeAccess, error) {
	root, err := filepath.EvalSymlinks(r.session.Repo.Root)
	if err != nil {
		return treeAccess{}, fmt.Errorf("close the tree: %w", err)
	}
	ignored, err := r.session.Repo.Run(ctx, nil, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return treeAccess{}, fmt.Errorf("close the tree: %w", err)
	}
	within := treeAccess{ReadOnly: []string{root}, Writable: []string{}}
	open := []string{r.session.Repo.Dir, r.session.Repo.Common, filepath.Join(root, ".belay", "now")}
	for name := range bytes.SplitSeq(ignored, []byte{0}) {
		if dir, is := strings.CutSuffix(string(name), "/"); is && dir != "" {
			open = append(open, filepath.Join(root, dir))
		}
	}
	for _, dir := range open {
		// A link would make its target writable.
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || real != dir && dir != r.session.Repo.Dir && dir != r.session.Repo.Common {
			continue
		}
		if strings.HasPrefix(real, root+"/") && isFolder(dir) {
			within.Writable = append(within.Writable, real)
		}
	}
	return within, nil
}

// readOnlyCommand returns a command line that runs the agent with the tree mounted read-only, for
// use without a fence.
func (r *pipelineRun) readOnlyCommand(within treeAccess, command config.Command) (config.Command, error) {
	text, err := json.Marshal(within)
	if err != nil {
		return config.Command{}, fmt.Errorf("close the tree: %w", err)
	}
	return command.Under(r.session.ShimArgv[0], ReadOnlyCommand, string(text)), nil
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// ReadOnlyMain runs the agent until it ends and returns its exit status. If the kernel cannot
// protect the tree, it prints a warning and runs the agent anyway: changes are detected afterwards.
func ReadOnlyMain(args []string) int {
	var within treeAccess
	if len(args) < 2 || json.Unmarshal([]byte(args[0]), &within) != nil {
		fmt.Fprintln(os.Stderr, "belay: this command is for internal use only")
		return 2
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 126
	}
	end := proc.Program{
		Command: config.TypedCommand(args[1:]), Dir: dir, Env: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Grace: 5 * time.Second, ReadOnly: within.ReadOnly, Open: within.Writable,
	}.Run(context.Background())
	if end.Writable {
		fmt.Fprintln(os.Stderr, "belay: write protection is not available here; changes are detected at the handover")
	}
	switch {
	case end.Failed != nil:
		fmt.Fprintln(os.Stderr, "belay: "+end.String())
		return 126
	case end.Signal != 0:
		return 128 + int(end.Signal)
	}
	return end.Code
}
