// Package desk is belay opened in one working tree: where its folders are, the record of
// each task, who holds the tree, and judging what a task changed. It reads the clock.
//
// It runs no agent and carries out nothing that the loop asks for (that is drive's), and
// decides nothing (that is loop's).
package desk

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/worktree"
)

// Desk is belay opened in one working tree.
type Desk struct {
	Repo    *git.Repo
	Config  config.Config
	Snaps   *restore.Store
	Journal *journal.Store
	Self    []string // the argument vector that runs an agent's shim; its folder is appended
}

// Scratch is belay's own folder of this working tree.
func (d *Desk) Scratch(parts ...string) string {
	return filepath.Join(append([]string{d.Repo.Dir, "belay"}, parts...)...)
}

// RunDir is where one attempt of a task runs. It is named by the command, so that
// the same command finds the same run again.
func (d *Desk) RunDir(task belay.TaskID, command string) string {
	return d.Scratch("run", task.Key(), command)
}

// now is the only clock of flow.
func now() time.Time { return time.Now() }

// WriteNow writes a file for agents and people into .belay/now, whole or not at all.
// It does so only where .belay/.gitignore keeps that folder out of the user's status,
// and never through a link that an agent may have put there.
func (d *Desk) WriteNow(name, text string) error {
	root, err := worktree.OpenRoot(d.Repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(".belay/.gitignore"); err != nil {
		return nil
	}
	err = root.Mkdir(".belay/now", 0o755)
	if err == nil {
		err = root.WriteFile(".belay/now/"+name, 0o644, "", func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("write .belay/now/%s: %w", name, err)
	}
	return nil
}
