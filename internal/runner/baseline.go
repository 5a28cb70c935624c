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

// CannotTest is why a task stops before its agent is started: its test command cannot run
// on the state before, and so would judge nothing after it.
type CannotTest struct{ testrun.Obstacle }

func (c *CannotTest) Error() string { return c.Message }

// baseline runs the tests on the state before, once for each state and command. What they
// could not tell is recorded with its reason and stops nothing; a command that cannot run
// at all stops the task before its agent is paid for, as a CannotTest in a CodeCannot,
// unless the request may be to make what is missing or --known-failures lets it stay.
func (d *Driver) baseline(_ context.Context, c loop.Command) (loop.Event, error) {
	return d.tests(loop.EvBaseline, c.Target)
}

// retest runs a test command that the task was given since its baseline was taken on the
// state before, so that it is compared with what it said itself.
func (d *Driver) retest(ctx context.Context) error {
	t, s := d.Rec.Task, d.Rec.State
	if !d.Rec.Open() || !t.Policy.Baseline || s.Before == "" || s.Phase == loop.PhaseBaseline || s.Ending != loop.OutcomeNone {
		return nil
	}
	if b, err := d.Session.Baseline(d.Rec); err != nil || b.IsOf(t.Checks.Tests) {
		return err
	}
	ev, err := d.tests(loop.EvRetested, s.Before)
	if err != nil {
		return err
	}
	if err := d.Session.Apply(ctx, d.Rec, ev); err != nil {
		return err
	}
	d.Watch.Happened(d.Rec, ev)
	return nil
}

// tests makes the event of what the tests said of the state before.
func (d *Driver) tests(kind loop.EventKind, before belay.SnapshotID) (loop.Event, error) {
	b, err := d.tested(before)
	if err != nil {
		return loop.Event{}, err
	}
	if d.installed(b.Obstacle) {
		if b, err = d.tested(before); err != nil {
			return loop.Event{}, err
		}
	}
	if o := b.Obstacle; o != nil && !d.Rec.Task.Checks.Tests.KnownFailures && !o.IsAskedFor(d.Rec.Task.Words()) {
		return loop.Event{}, d.cannotTest(*o)
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

// installed installs what the tests need into the task's own working tree, where that is safe:
// exactly as the lockfile says, from this machine's caches, and without scripts of packages.
// In the user's tree it is the user's to do. It reports whether it did.
func (d *Driver) installed(o *testrun.Obstacle) bool {
	t := d.Rec.Task
	if o == nil || o.Install == nil || t.Worktree == "" || len(o.Install.Offline) == 0 {
		return false
	}
	if o.Install.Folder == "" || testrun.HasFile(d.Session.Repo.Root, o.Install.Folder) {
		return false
	}
	may, err := d.Session.May.Install(o.Install.Offline, t.Checks.Tests)
	if err != nil || !may.Set() {
		return false
	}
	ctx, cancel := context.WithTimeout(d.Soft, installTime)
	defer cancel()
	var said proc.HeadTail
	end := proc.Program{Command: may, Dir: d.Session.Repo.Root, Env: proc.Environ(d.Session.TestEnv(t), d.Session.Repo.Root),
		Stdout: &said, Grace: time.Second}.Run(ctx)
	if end.Code != 0 || end.Failed != nil {
		d.Watch.Note(belay.VisibleLine(secret.Mask(fmt.Sprintf("%s %s (without network access and package scripts)", may, end))))
		return false
	}
	d.Watch.Note(fmt.Sprintf("%s: installed with %s", t.ID, may))
	return true
}

// installTime is how long an installation from caches may take.
const installTime = 5 * time.Minute

// NoteCannotTest is the kind of note that says why the agent was not started.
const NoteCannotTest = "cannot-test"

// cannotTest makes the error, and a note of it for whoever looks at the task later.
func (d *Driver) cannotTest(o testrun.Obstacle) error {
	id, again := d.Rec.Task.ID, fmt.Sprintf("belay run --resume %s", d.Rec.Task.ID)
	o.Message = secret.Mask(o.Message)
	what := fmt.Sprintf("the agent was not started: the test command of %s (%s) cannot run", id, d.Rec.Task.Checks.Tests)
	try := again + " with --test COMMAND, --skip tests, or --known-failures (starts the agent anyway)"
	if o.Fix != "" {
		try = o.Fix + ", then " + again + "; or " + try
	}
	note := session.Note{Kind: NoteCannotTest, Text: what + ": " + o.Message}
	if n := len(d.Rec.Notes); n == 0 || d.Rec.Notes[n-1].Text != note.Text {
		if err := d.Session.AddNote(d.Soft, d.Rec, note); err != nil {
			return err
		}
	}
	return &belay.Error{Code: belay.CodeCannot, What: what, Try: try, Err: &CannotTest{o}}
}

// tested gives what the tests say of a snapshot.
func (d *Driver) tested(id belay.SnapshotID) (testrun.Baseline, error) {
	t := d.Rec.Task
	if t.Checks.Timeout == 0 {
		t.Checks.Timeout = session.RunTimeout
	}
	b, err := d.Session.Keeper(t).Take(d.Soft, id, t.Checks)
	if d.Soft.Err() != nil {
		return b, ErrParked
	}
	return b, err
}
