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

// ClosedCommand is the hidden command that runs an agent with the tree closed to it.
const ClosedCommand = "_closed"

// room says what is closed to an agent, and what within that stays open.
type room struct {
	Closed []string `json:"closed"`
	Open   []string `json:"open"`
}

// room gives what of the tree is closed to a role that only reads. Open stay the git folders, for the record and for
// git's own index, .belay/now, and the ignored folders that are there: what tests and builds write.
func (r *pipelineRun) room(ctx context.Context) (room, error) {
	root, err := filepath.EvalSymlinks(r.session.Repo.Root)
	if err != nil {
		return room{}, fmt.Errorf("close the tree: %w", err)
	}
	ignored, err := r.session.Repo.Run(ctx, nil, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return room{}, fmt.Errorf("close the tree: %w", err)
	}
	within := room{Closed: []string{root}, Open: []string{}}
	open := []string{r.session.Repo.Dir, r.session.Repo.Common, filepath.Join(root, ".belay", "now")}
	for name := range bytes.SplitSeq(ignored, []byte{0}) {
		if dir, is := strings.CutSuffix(string(name), "/"); is && dir != "" {
			open = append(open, filepath.Join(root, dir))
		}
	}
	for _, dir := range open {
		// A link would open what it leads to.
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || real != dir && dir != r.session.Repo.Dir && dir != r.session.Repo.Common {
			continue
		}
		if strings.HasPrefix(real, root+"/") && isFolder(dir) {
			within.Open = append(within.Open, real)
		}
	}
	return within, nil
}

// closed gives the command line that runs an agent with the tree closed to it by a mount namespace, for systems
// without a fence.
func (r *pipelineRun) closed(within room, command config.Command) (config.Command, error) {
	text, err := json.Marshal(within)
	if err != nil {
		return config.Command{}, fmt.Errorf("close the tree: %w", err)
	}
	return command.Under(r.session.Self[0], ClosedCommand, string(text)), nil
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// ClosedMain is that command: it runs the agent to its end and gives its exit status. Where
// the kernel cannot close the tree it says so and runs the agent all the same: what it
// changes is found afterwards.
func ClosedMain(args []string) int {
	var within room
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
		Grace: 5 * time.Second, ReadOnly: within.Closed, Open: within.Open,
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
