package runner

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/worktree"
)

// Preparation of a task's own worktree, in addition to the files of a snapshot.

// copyInstalled copies installed packages from the user's tree into a task's own, if they are
// ignored there, because tests need them. What cannot be copied is reported.
func copyInstalled(ctx context.Context, home string, tree *git.Repo, w Observer) {
	var wanted []string
	for _, name := range agent.InstalledPackages(home) {
		if _, err := fsroot.Lstat(filepath.Join(tree.Root, filepath.FromSlash(name))); errors.Is(err, fs.ErrNotExist) {
			wanted = append(wanted, name)
		}
	}
	if len(wanted) == 0 {
		return
	}
	ask := tree.Ignorer(ctx)
	defer ask.Close()
	var inside []string
	for _, name := range wanted {
		inside = append(inside, name+"/x") // git cannot tell that a missing path is a folder, so ask for a file in it
	}
	ignored, err := ask.Ask(ctx, inside)
	for i, name := range wanted {
		if err != nil || !ignored[i] {
			continue // it would be captured as the task's work
		}
		switch made, err := agent.CopyFolder(ctx, home, tree.Root, name); {
		case err != nil:
			w.Note(fmt.Sprintf("%s is not in %s: %v", name, tree.Root, err))
		case made:
			w.Note(fmt.Sprintf("copied %s from your tree", name))
		}
	}
}

// IncludeFile names the file that lists, in patterns as in .gitignore, the ignored files to
// copy into every new worktree. Several coding agents read it for the worktrees that they
// create.
const IncludeFile = ".worktreeinclude"

// maxIncluded limits how many files are copied because of it.
const maxIncluded = 10_000

// copyIncluded copies the user's ignored files that match IncludeFile; all other files are in the
// snapshot. What cannot be copied is reported.
func copyIncluded(ctx context.Context, home *session.Session, tree *git.Repo, w Observer) error {
	patterns, err := fsroot.ReadFile(filepath.Join(home.Repo.Root, IncludeFile), 64<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		w.Note(fmt.Sprintf("%s was not read: %v", IncludeFile, err))
		return nil
	}
	args := []string{"ls-files", "-z", "--others", "--ignored"}
	for line := range strings.Lines(string(patterns)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && !strings.HasPrefix(line, "#") {
			args = append(args, "--exclude="+line)
		}
	}
	if len(args) == 4 {
		return nil
	}
	out, err := home.Repo.Run(ctx, nil, args...)
	if err != nil {
		return fmt.Errorf("find the files that %s names: %w", IncludeFile, err)
	}
	var names []string
	if text := strings.TrimSuffix(string(out), "\x00"); text != "" {
		names = strings.Split(text, "\x00")
	}
	ask := home.Repo.Ignorer(ctx)
	defer ask.Close()
	ignored, err := ask.Ask(ctx, names)
	if err != nil {
		return fmt.Errorf("find the files that %s names: %w", IncludeFile, err)
	}
	c := copier{tmp: filepath.Join(tree.Dir, "belay", "tmp"), maxBytes: home.Config.Snapshot.MaxFile}
	if c.from, err = fsroot.OpenRoot(home.Repo.Root); err != nil {
		return err
	}
	defer c.from.Close()
	if c.to, err = fsroot.OpenRoot(tree.Root); err != nil {
		return err
	}
	defer c.to.Close()
	copied := 0
	for i, name := range names {
		if !ignored[i] {
			continue
		}
		if copied == maxIncluded {
			w.Note(fmt.Sprintf("%s names more than %d files: the others were not copied", IncludeFile, maxIncluded))
			break
		}
		if err := c.copyFile(name); err != nil {
			w.Note(fmt.Sprintf("%s was not copied: %v", belay.VisibleLine(name), err))
			continue
		}
		copied++
	}
	if copied > 0 {
		w.Note(fmt.Sprintf("copied %s that %s names", belay.Count(copied, "ignored file", "ignored files"), IncludeFile))
	}
	return nil
}

// copier copies files from one tree to another, following no links.
type copier struct {
	from, to *fsroot.Root
	tmp      string
	maxBytes int64 // maximum size of one file
}

// copyFile copies one file, unless the target exists.
func (c *copier) copyFile(name string) error {
	if _, err := c.to.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	info, err := c.from.Lstat(name)
	if err != nil {
		return err
	}
	if info.Size > c.maxBytes {
		return fmt.Errorf("it is larger than snapshot.max_file, %s", belay.Size(c.maxBytes))
	}
	f, err := c.from.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for i, r := range name {
		if r != '/' {
			continue
		}
		if _, err := c.to.Lstat(name[:i]); errors.Is(err, fs.ErrNotExist) {
			if err := c.to.Mkdir(name[:i], 0o755); err != nil {
				return err
			}
		}
	}
	return c.to.WriteFile(name, info.Perm, c.tmp, func(w io.Writer) error {
		_, err := io.Copy(w, io.LimitReader(f, c.maxBytes))
		return err
	})
}

// setUpTimeout limits the command that sets up a worktree.
const setUpTimeout = 20 * time.Minute

// runSetUp runs the command from the config for new worktrees. If it fails, the task does not
// start.
func runSetUp(ctx context.Context, s *session.Session, r *session.Record, w Observer) error {
	if len(s.Config.Worktree.SetUp) == 0 {
		return nil
	}
	command, err := s.Gate.Program(s.Config.Worktree.SetUp)
	if err != nil {
		return err
	}
	w.Note(fmt.Sprintf("%s: setting up the worktree with %s", r.Task.ID, command))
	limited, cancel := context.WithTimeout(ctx, setUpTimeout)
	defer cancel()
	var said proc.HeadTail
	end := proc.Program{Command: command, Dir: s.Repo.Root, Env: proc.Environ(s.TestEnv(r.Task), s.Repo.Root),
		Stdout: &said, Grace: time.Second}.Run(limited)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if end.Code == 0 && end.Failed == nil && !end.Cut {
		return nil
	}
	return belay.Refuse(belay.CodeCannot, fmt.Sprintf("fix worktree.setup in .belay/config.yaml, then belay run --resume %s", r.Task.ID),
		"the worktree of %s could not be set up: %s %s: %s", r.Task.ID, command, end, belay.VisibleLine(strings.TrimSpace(said.Last(400))))
}

// Each worktree of a task gets its own ports, below the ephemeral ports of usual systems.
const (
	portsPerTree = 10
	firstPorts   = 20_000
	lastPorts    = 32_000
)

// freePorts returns the first port of a block for a new worktree: free now, and not assigned to
// another worktree of the repository with this git folder. It returns 0 if there is none. The
// search starts at a position that depends on the repository, so that two repositories seldom
// collide.
func freePorts(common string) int {
	taken := worktree.Ports(common)
	h := fnv.New32a()
	io.WriteString(h, common)
	const blocks = (lastPorts - firstPorts) / portsPerTree
	for i := range blocks {
		first := firstPorts + (int(h.Sum32()%blocks)+i)%blocks*portsPerTree
		if !taken[first] && arePortsFree(first) {
			return first
		}
	}
	return 0
}

func arePortsFree(first int) bool {
	for port := first; port < first+portsPerTree; port++ {
		l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
		if err != nil {
			return false
		}
		l.Close()
	}
	return true
}
