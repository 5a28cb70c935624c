package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testrun"

	"github.com/belay-dev/belay/internal/proc"

	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
)

// CannotTest is the error of a task that stops before its agent is started because its test command
// cannot run on the before snapshot, and so could not check the result either.
type CannotTest struct{ testrun.Obstacle }

func (c *CannotTest) Error() string { return c.Message }

// runBaseline runs the tests on the before snapshot; a result without failures serves later tasks. If the
// tests give no result, the reason is recorded and the task continues. A command that cannot run at
// all stops the task before its agent costs anything, as a CannotTest with CodeCannot, unless the
// task may ask for what is missing, or --known-failures is given.
func (d *Driver) runBaseline(_ context.Context, c loop.Command) (loop.Event, error) {
	return d.testsEvent(loop.EvBaseline, c.Target)
}

// retest runs a test command that the task got after its baseline was taken, so that its results
// are compared with a baseline of the same command.
func (d *Driver) retest(ctx context.Context) error {
	t, s := d.Record.Task, d.Record.State
	if !d.Record.Open() || !t.Policy.Baseline || s.Before == "" || s.Phase == loop.PhaseBaseline || s.Ending != loop.OutcomeNone {
		return nil
	}
	if b, err := d.Session.Baseline(d.Record); err != nil || b.IsOf(t.Checks.Tests) {
		return err
	}
	ev, err := d.testsEvent(loop.EvRetested, s.Before)
	if err != nil {
		return err
	}
	if err := d.Session.Apply(ctx, d.Record, ev); err != nil {
		return err
	}
	d.Observer.Happened(d.Record, ev)
	return nil
}

// testsEvent makes the event with the test results of the before snapshot.
func (d *Driver) testsEvent(kind loop.EventKind, before belay.SnapshotID) (loop.Event, error) {
	b, err := d.testSnapshot(before)
	if err != nil {
		return loop.Event{}, err
	}
	if d.installDependencies(b.Obstacle) {
		if b, err = d.testSnapshot(before); err != nil {
			return loop.Event{}, err
		}
	}
	if o := b.Obstacle; o != nil && !d.Record.Task.Checks.Tests.KnownFailures && !o.IsAskedFor(d.Record.Task.Words()) {
		return loop.Event{}, d.cannotTestError(*o)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return loop.Event{}, err
	}
	sha, _, err := d.Session.Journal.Attach(bytes.NewReader(text))
	if err != nil {
		return loop.Event{}, err
	}
	return loop.Event{Kind: kind, Note: b.Summary(), Report: sha}, nil
}

// installDependencies installs what the tests need into the task's own worktree, where that is
// safe: exactly as the lockfile says, from this machine's caches, and without package scripts.
// It installs nothing in the user's tree. It reports whether it installed anything.
func (d *Driver) installDependencies(o *testrun.Obstacle) bool {
	t := d.Record.Task
	if o == nil || o.Install == nil || t.Worktree == "" || len(o.Install.Offline) == 0 {
		return false
	}
	if o.Install.Folder == "" || testrun.HasFile(d.Session.Repo.Root, o.Install.Folder) {
		return false
	}
	may, err := d.Session.Gate.Install(o.Install.Offline, t.Checks.Tests)
	if err != nil || !may.Set() {
		return false
	}
	ctx, cancel := context.WithTimeout(d.Soft, installTimeout)
	defer cancel()
	var said proc.HeadTail
	end := proc.Program{Command: may, Dir: d.Session.Repo.Root, Env: proc.Environ(d.Session.TestEnv(t), d.Session.Repo.Root),
		Stdout: &said, Grace: time.Second}.Run(ctx)
	if end.Code != 0 || end.Failed != nil {
		d.Observer.Note(belay.VisibleLine(secret.Mask(fmt.Sprintf("%s %s (without network access and package scripts)", may, end))))
		return false
	}
	d.Observer.Note(fmt.Sprintf("%s: installed with %s", t.ID, may))
	return true
}

// installTimeout limits an installation from caches.
const installTimeout = 5 * time.Minute

// NoteCannotTest is the kind of note with the reason why the agent was not started.
const NoteCannotTest = "cannot-test"

// cannotTestError makes the error and records a note of it.
func (d *Driver) cannotTestError(o testrun.Obstacle) error {
	id, again := d.Record.Task.ID, fmt.Sprintf("belay run --resume %s", d.Record.Task.ID)
	o.Message = secret.Mask(o.Message)
	what := fmt.Sprintf("the agent was not started: the test command of %s (%s) cannot run", id, d.Record.Task.Checks.Tests)
	try := again + " with --test COMMAND, --skip tests, or --known-failures (starts the agent anyway)"
	if o.Fix != "" {
		try = o.Fix + ", then " + again + "; or " + try
	}
	note := session.Note{Kind: NoteCannotTest, Text: what + ": " + o.Message}
	if n := len(d.Record.Notes); n == 0 || d.Record.Notes[n-1].Text != note.Text {
		if err := d.Session.AddNote(d.Soft, d.Record, note); err != nil {
			return err
		}
	}
	return &belay.Error{Code: belay.CodeCannot, What: what, Try: try, Err: &CannotTest{o}}
}

// testSnapshot returns the test results of a snapshot.
func (d *Driver) testSnapshot(id belay.SnapshotID) (testrun.Baseline, error) {
	t := d.Record.Task
	if t.Checks.Timeout == 0 {
		t.Checks.Timeout = session.RunTimeout
	}
	b, err := d.Session.TestKeeper(t).Take(d.Soft, id, t.Checks)
	if d.Soft.Err() != nil {
		return b, ErrParked
	}
	return b, err
}
