package session

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/agent"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/journal"

	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Session is an opened repository: its folders, config, snapshots, records and locks.
type Session struct {
	Repo     *git.Repo
	Config   config.Config
	Snaps    *snapshot.Store
	Restores *restore.Store // on top of Snaps
	Journal  *journal.Store
	ShimArgv []string     // the command that runs an agent's shim; the run's folder is appended
	Plans    Planner      // nil for none
	Gate     *config.Gate // what may run in this repository

	Registry *snapshot.Registry // what records state about snapshots; shared by the stores of Snaps
	Anchors  *AnchorStore       // last entries of records, stored outside the repository
	Memory   *Memory            // what this process knows about the records that it drives

	Ports int // the first of the ten ports of a task's own worktree; 0 elsewhere
}

// Scratch returns a path in belay's own folder of this worktree.
func (s *Session) Scratch(parts ...string) string {
	return filepath.Join(append([]string{s.Repo.Dir, "belay"}, parts...)...)
}

// RunDir returns the folder of one attempt of a task. It is named by the command, so that
// repeating the command finds the same run.
func (s *Session) RunDir(task belay.TaskID, command string) string {
	return s.Scratch("run", task.Key(), command)
}

// now is the only clock of this package.
func now() time.Time { return time.Now() }

// WriteNow writes a file for agents and people into .belay/now.
func (s *Session) WriteNow(name, text string) error {
	return s.withTempFolder(func(tmp string) error { return WriteNowFile(s.Repo.Root, tmp, name, text) })
}

// StartNow prepares .belay/now for a task.
func (s *Session) StartNow(task, history string) error {
	return s.withTempFolder(func(tmp string) error { return StartNowFolder(s.Repo.Root, tmp, task, history) })
}

// withTempFolder calls write with belay's folder of temporary files, while a lock prevents others
// from sweeping it.
func (s *Session) withTempFolder(write func(tmp string) error) error {
	tmp, err := s.Snaps.Worktree.MakeScratchDir("tmp")
	if err != nil {
		return err
	}
	done, err := s.Snaps.LockShared(context.Background()) // waits for ten seconds at most
	if err != nil {
		return err
	}
	defer done()
	return write(tmp)
}

// AttachText stores output of programs as an attachment and returns its hash. It masks
// secrets, except those that the task's config allows.
func (s *Session) AttachText(r io.Reader, t belay.Task) (string, error) {
	allowed := func(m secret.Match) bool { return slices.Contains(t.Checks.SecretsAllow, m.Fingerprint) }
	sha, _, err := s.Journal.Attach(secret.Masked(r, allowed))
	return sha, err
}

// KeepPrompt stores the prompt that was sent to a run's agent, as AttachText does, and returns
// its hash. It reports a failure and returns "".
func (s *Session) KeepPrompt(run *agent.Run, t belay.Task, say func(string)) string {
	text, err := run.Prompt()
	var sha string
	if err == nil {
		sha, err = s.AttachText(bytes.NewReader(text), t)
	}
	if err != nil {
		say("the prompt could not be kept: " + err.Error())
	}
	return sha
}

// KeepOutput stores the output of a run's agent, as AttachText does, and returns its hash. An error
// must not lose the work, so it is reported and the hash is "".
func (s *Session) KeepOutput(run *agent.Run, t belay.Task, say func(string)) string {
	pr, pw := io.Pipe()
	go func() {
		_, err := run.Output(pw)
		pw.CloseWithError(err)
	}()
	sha, err := s.AttachText(pr, t)
	pr.CloseWithError(err)
	if err != nil {
		say("the agent's output could not be kept: " + err.Error())
	}
	return sha
}
