package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/loop"
)

// Files in the folder of a task, beside its clone:
//
//	task.json   the task.Input
//	pushed      the last known commit of the record on the remote
//	moved       exists if the task continued on another machine
const (
	inputFile  = "task.json"
	pushedFile = "pushed"
	movedFile  = "moved"
)

// noteInput creates the folder of a task with its task.json, for Tidy.
func (m *Machine) noteInput(in task.Input) error {
	text, err := json.Marshal(in)
	if err != nil {
		return err
	}
	dir := filepath.Dir(m.clonePath(in))
	return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, inputFile), text, 0o600))
}

// Tidy stops agents of tasks that continued elsewhere, or that no activity has asked for since the
// worker started at up. It removes the clones, and the refs in the mirror, of tasks that ended or
// moved longer than keep ago; an ended one only if the remote has its complete record. It skips tasks
// that an activity is working on. It also removes working trees of killed merges. It returns a line
// for each thing done.
func (m *Machine) Tidy(ctx context.Context, up time.Time, keep time.Duration) (said []string, err error) {
	all, err := fsroot.Glob(m.Home, "tasks/*/*/"+inputFile)
	if err != nil {
		return nil, err
	}
	problems := []error{remote.RemoveRefLocks(filepath.Join(m.Home, mirrorsFolder))}
	for folder, pattern := range map[string]string{mergesFolder: "*", mirrorsFolder: "new-*"} {
		n, err := remote.SweepScratch(filepath.Join(m.Home, folder), pattern)
		if problems = append(problems, err); n > 0 {
			said = append(said, fmt.Sprintf("removed %s of a worker that was killed", belay.CountOf(n, "working tree")))
		}
	}
	for _, file := range all {
		if ctx.Err() != nil {
			return said, ctx.Err()
		}
		line, err := m.tidyTask(ctx, file, up, keep)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", filepath.Dir(file), err))
		}
		if line != "" {
			said = append(said, line)
		}
	}
	return said, errors.Join(problems...)
}

func (m *Machine) tidyTask(ctx context.Context, file string, up time.Time, keep time.Duration) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var in task.Input
	if err := json.Unmarshal(text, &in); err != nil {
		return "", fmt.Errorf("read %s: %w", inputFile, err)
	}
	if m.checkTrusted(in) != nil {
		return "", nil // its remote is not trusted any more
	}
	done, free := m.tryLockClone(in)
	if !free {
		return "", nil
	}
	defer done()
	dir := filepath.Dir(file)
	tip, perr := os.Stat(filepath.Join(dir, pushedFile))
	t, err := m.openClone(ctx, task.Ask{Task: in})
	if belay.CodeOf(err) == belay.CodeNotFound || err == nil && t.rec == nil { // its worker was killed before it had begun
		noted, err := os.Stat(file)
		if err != nil || perr == nil || time.Since(noted.ModTime()) < keep {
			return "", err
		}
		return fmt.Sprintf("%s: removed its clone", in.ID), os.RemoveAll(dir)
	}
	if err != nil {
		return "", err
	}
	left, merr := os.Stat(filepath.Join(dir, movedFile))
	moved := merr == nil
	if moved {
		t.notePhase("")
	}
	if line, err := t.stopOrphan(ctx, up, moved); line != "" || err != nil {
		return line, err
	}
	if perr != nil || moved && time.Since(left.ModTime()) < keep {
		return "", nil
	}
	if !moved && (t.rec.Open() || time.Since(t.rec.Changed) < keep || !t.isPushed(ctx, tip.ModTime())) {
		return "", nil
	}
	if _, busy := t.svc.Session.TreeLockHolder(); busy {
		return "", nil
	}
	mirror, err := t.machine.openMirror(ctx, in)
	if err == nil {
		err = mirror.DropTask(ctx, in.ID) // before the folder, so that the next Tidy repeats both if this one is killed
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: removed its clone", in.ID), os.RemoveAll(dir)
}

// isPushed reports whether the remote has the complete record, or has forgotten the snapshots of a
// task that was pushed to its end. last is the time of the last push.
func (t *openTask) isPushed(ctx context.Context, last time.Time) bool {
	mirror, err := t.machine.openMirror(ctx, t.ask.Task)
	if err != nil {
		return false
	}
	st, err := mirror.Fetch(ctx, t.ask.Task.ID)
	if err != nil || st.Commit != "" || last.Before(t.rec.Changed) {
		return err == nil && st.Log.Head == t.rec.Log.Head
	}
	has, err := remote.ReadContents(ctx, t.ask.Task.Remote, t.ask.Task.ID)
	return err == nil && has.Forgotten != ""
}

// stopOrphan stops an agent that no activity waits for.
func (t *openTask) stopOrphan(ctx context.Context, up time.Time, moved bool) (string, error) {
	c := t.rec.State.Pending
	if c == nil || c.Kind != loop.CmdAttempt {
		return "", nil
	}
	silence := t.ask.Task.LostAfter
	if silence <= 0 {
		silence = task.LostAfter
	}
	if h, busy := t.svc.Session.TreeLockHolder(); busy && !h.Left || !moved && time.Since(up) < 3*silence {
		return "", nil // an activity may still ask for it
	}
	run, err := agent.Attach(t.svc.Session.RunDir(t.rec.Task.ID, c.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if run.State() != agent.Running {
		return "", nil
	}
	return fmt.Sprintf("%s: stopped an agent that nobody waits for", t.rec.Task.ID), run.Stop(ctx)
}
