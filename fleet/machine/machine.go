// Package machine carries out the commands of tasks on one worker's machine, each task in its own
// clone, with the same code as belay run. Each activity can be repeated: what the record lists as
// done is not done again.
package machine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/belay-dev/belay/fleet/metrics"
	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/session"
)

// Machine is one worker's machine with its tasks.
type Machine struct {
	Name    string   // the worker's, unique in the fleet
	Home    string   // the folder of all its files
	Self    []string // the argument vector of the agents' shim
	Trusted []string // remotes, or prefixes that end with /, of which tasks may run here; * is all
	Version string
	Teams   []Team            // with their limits
	Server  Server            // nil if no team has limits and nothing is forgotten
	Metrics *metrics.Registry // metrics of the tasks on this machine; nil for none

	slots  chan struct{} // one for each agent, test run or review that may run at once
	phases *taskPhases
	places *taskPlaces
}

// taskPhases are the phases of the tasks, by clone.
type taskPhases struct {
	sync.Mutex
	byClone map[string]string
}

// Server is the part of a Temporal client that a Machine uses.
type Server interface {
	Lister
	SignalWorkflow(ctx context.Context, workflowID, runID, signalName string, arg any) error
	SignalWithStartWorkflow(ctx context.Context, workflowID, signalName string, signalArg any, options client.StartWorkflowOptions,
		workflow any, workflowArgs ...any) (client.WorkflowRun, error)
}

// New returns a machine that runs up to slots commands at once.
func New(m Machine, slots int) *Machine {
	slots = max(1, slots)
	m.slots, m.phases, m.places = make(chan struct{}, slots), &taskPhases{byClone: map[string]string{}}, newPlaces(slots)
	if m.Metrics != nil {
		m.Metrics.Gauges(m.setGauges)
	}
	return &m
}

func (m *Machine) clonePath(in task.Input) string {
	return filepath.Join(m.Home, "tasks", task.RepositoryKey(in.Remote), in.ID.Key(), "tree")
}

// mirrorsFolder contains a mirror of each remote.
const mirrorsFolder = "mirrors"

func (m *Machine) openMirror(ctx context.Context, in task.Input) (*remote.Mirror, error) {
	mirror, err := remote.OpenMirror(ctx, filepath.Join(m.Home, mirrorsFolder, task.RepositoryKey(in.Remote)+".git"), in.Remote)
	if err == nil && m.Metrics != nil {
		m.countPacks(mirror.Packs)
		mirror.Report = m.countPacks
	}
	return mirror, err
}

// checkTrusted rejects a task of a remote that this worker's owner did not list: its agent, its
// tests and the repository's config run here.
func (m *Machine) checkTrusted(in task.Input) error {
	if id, err := belay.ParseTaskID(string(in.ID)); err != nil || id != in.ID { // it becomes part of paths and refs
		return belay.Refuse(belay.CodeUsage, "", "%q is no task id", in.ID)
	}
	if containsRemote(m.Trusted, in.Remote) {
		return nil
	}
	return belay.Refuse(belay.CodeRefused, "belay-fleet worker --trust "+remote.WithoutLogin(in.Remote),
		"worker %s does not run tasks of %s", m.Name, remote.WithoutLogin(in.Remote))
}

// containsRemote reports whether a list contains a remote: its address, or a prefix of it that ends
// with /. No prefix contains an address that leaves it with "..".
func containsRemote(list []string, url string) bool {
	return slices.ContainsFunc(list, func(t string) bool {
		rest, ok := strings.CutPrefix(url, t)
		return t == "*" || url == t || ok && strings.HasSuffix(t, "/") && !hasDotSegment(rest)
	})
}

// hasDotSegment reports whether a path has a segment . or .., as git, curl or a server may read it.
func hasDotSegment(path string) bool {
	path = strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", "/", "%5C", "/", `\`, "/").Replace(path)
	return slices.ContainsFunc(strings.Split(path, "/"), func(s string) bool { return s == "." || s == ".." })
}

// findOnRemote fetches the state of a trusted task from the remote.
func (m *Machine) findOnRemote(ctx context.Context, in task.Input) (*remote.Mirror, remote.State, error) {
	if err := m.checkTrusted(in); err != nil {
		return nil, remote.State{}, err
	}
	mirror, err := m.openMirror(ctx, in)
	if err != nil {
		return nil, remote.State{}, err
	}
	state, err := mirror.Fetch(ctx, in.ID)
	return mirror, state, err
}

// makeClone creates a task's folder and clone, in place of existing ones. The shim of
// an agent that still runs there stops it.
func (m *Machine) makeClone(ctx context.Context, mirror *remote.Mirror, in task.Input) error {
	if err := mirror.FetchCommit(ctx, in.Base); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Dir(m.clonePath(in))); err != nil {
		return err
	}
	if err := m.noteInput(in); err != nil { // first, so that Tidy finds the folder if this worker is killed
		return err
	}
	return mirror.Clone(ctx, m.clonePath(in), in.Branch, in.Base, in.Author)
}

// Begin creates a task's clone and record on this machine, and starts its loop.
func (m *Machine) Begin(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	defer heartbeatEvery(ctx, q.Beat)()
	st, err := m.beginTask(ctx, q)
	if belay.CodeOf(err) == belay.CodeNotFound { // the base was not pushed
		err = temporal.NewNonRetryableApplicationError(session.ErrorLine(err), task.ErrRefused, err)
	}
	return st, nonRetryable(err)
}

func (m *Machine) beginTask(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	in := q.Task
	done, err := m.lockClone(ctx, in)
	if err != nil {
		return task.ActivityResult{}, err
	}
	defer done()
	mirror, state, err := m.findOnRemote(ctx, in)
	if err != nil {
		return task.ActivityResult{}, err
	}
	if state.Commit != "" { // another worker began it and was lost
		if old, err := session.Fold(state.Log); err == nil && (!old.Open() || old.Task.Prose != in.Prose) {
			return task.ActivityResult{}, belay.Refuse(belay.CodeRefused, "submit it with another ID",
				"%s was submitted before: the remote has its record", in.ID)
		}
		return m.adoptTask(ctx, q, mirror, state)
	}
	if err := m.makeClone(ctx, mirror, in); err != nil {
		return task.ActivityResult{}, err
	}
	t, err := m.openClone(ctx, q, in.Settings...)
	if err != nil {
		return task.ActivityResult{}, err
	}
	run := app.RunRequest{NewTask: app.NewTask{ID: in.ID, Text: in.Prose, Agent: in.Agent, Role: in.Role, Feature: in.Feature,
		Expect: in.Expect, Trust: true, Instructions: in.Ask}}
	if in.Listed != nil {
		run.Fill, run.Grammar = in.Listed.Fill, true
	}
	if err := t.runTask(ctx, run, func(loop.Command) bool { return true }); err != nil {
		return task.ActivityResult{}, err
	}
	return t.position(ctx)
}

// Do carries out one command of the loop. If the context ends, the agent is stopped and its work
// saved.
func (m *Machine) Do(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	defer heartbeatEvery(ctx, q.Beat)()
	st, err := m.continueTask(ctx, q, func(t *openTask) error {
		p := t.rec.State.Pending
		if p == nil || p.ID != q.Command.ID {
			return nil // done before by an activity of which the answer was lost
		}
		done, err := m.waitForSlot(ctx)
		if err != nil {
			return err
		}
		defer done()
		return t.runTask(ctx, app.RunRequest{Resume: q.Task.ID}, func(c loop.Command) bool { return c.ID != q.Command.ID })
	})
	return st, nonRetryable(err)
}

// Wake continues a task that was stopped, or waits before its first command.
func (m *Machine) Wake(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	defer heartbeatEvery(ctx, q.Beat)()
	st, err := m.continueTask(ctx, q, func(t *openTask) error {
		if t.rec.State.Pending != nil {
			return nil
		}
		return t.runTask(ctx, app.RunRequest{Resume: q.Task.ID}, func(loop.Command) bool { return true })
	})
	return st, nonRetryable(err)
}

// Decide records a person's decision, or review, at a gate.
func (m *Machine) Decide(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	defer heartbeatEvery(ctx, q.Beat)()
	st, err := m.continueTask(ctx, q, func(t *openTask) error {
		d, g := q.Decision, t.rec.State.Gate
		if g == nil || g.Number != max(d.Gate, q.Review.Gate) {
			return nil
		}
		if q.Review.Verdict != "" {
			return t.recordReview(ctx, q.Review)
		}
		if why, ok := review.ParseDecision(d.Note); ok && d.Decision == loop.DecideApprove && g.Overrides() {
			_, err := app.ApproveWork(ctx, t.svc, app.Approval{Task: q.Task.ID, Force: true, By: d.By, Watch: t,
				Decision: func() (review.Decision, error) { return why, nil }})
			return err
		}
		_, err := t.svc.Decide(ctx, q.Task.ID, d.Gate, d.Decision, d.Note, d.By)
		return err
	})
	return st, nonRetryable(err)
}

// recordReview records a person's review. If the files changed since they were checked, it does not
// count, the gate stays open, and a note gives the reason.
func (t *openTask) recordReview(ctx context.Context, d task.Decision) error {
	given, err := app.RecordReview(ctx, t.svc, app.NewReview{Task: t.ask.Task.ID, Verdict: d.Verdict, Text: d.Note,
		Reviewer: d.By, Watch: t})
	if err == nil && !given.Acted {
		t.Note("the review by " + d.By + " has no effect: " + given.NextStep)
	}
	return err
}

// continueTask opens a task of this machine, calls do, and returns what was recorded.
func (m *Machine) continueTask(ctx context.Context, q task.Ask, do func(*openTask) error) (task.ActivityResult, error) {
	defer m.enterTask(q.Task)()
	done, err := m.lockClone(ctx, q.Task)
	if err != nil {
		return task.ActivityResult{}, err
	}
	defer done()
	t, err := m.openClone(ctx, q)
	if err != nil {
		return task.ActivityResult{}, err
	}
	if t.rec == nil {
		return task.ActivityResult{}, belay.Refuse(belay.CodeNotFound, "", "%s is not on this machine", q.Task.ID)
	}
	if err := do(t); err != nil {
		return task.ActivityResult{}, err
	}
	return t.position(context.WithoutCancel(ctx))
}

// Adopt continues a task of another machine, from its last pushed state.
func (m *Machine) Adopt(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	defer heartbeatEvery(ctx, q.Beat)()
	done, err := m.lockClone(ctx, q.Task)
	if err != nil {
		return task.ActivityResult{}, err
	}
	defer done()
	mirror, state, err := m.findOnRemote(ctx, q.Task)
	if err != nil {
		return task.ActivityResult{}, nonRetryable(err)
	}
	st, err := m.adoptTask(ctx, q, mirror, state)
	return st, nonRetryable(err)
}

func (m *Machine) adoptTask(ctx context.Context, q task.Ask, mirror *remote.Mirror, state remote.State) (task.ActivityResult, error) {
	in := q.Task
	if err := checkFollows(state, q); err != nil {
		return task.ActivityResult{}, err
	}
	if t := m.openIfCurrent(ctx, q, state); t != nil {
		return t.position(ctx)
	}
	if err := m.makeClone(ctx, mirror, in); err != nil {
		return task.ActivityResult{}, err
	}
	t, err := m.openClone(ctx, q)
	if err != nil {
		return task.ActivityResult{}, err
	}
	if err := mirror.Adopt(ctx, t.svc, state); err != nil {
		return task.ActivityResult{}, err
	}
	t.remoteCommit = state.Commit
	if err := t.loadRecord(); err != nil {
		return task.ActivityResult{}, err
	}
	t.arrivedWork, t.countedUpTo = committedWork(t.rec), t.rec.Log.Head.Seq
	if err := t.checkoutSnapshot(ctx); err != nil {
		return task.ActivityResult{}, err
	}
	// The note changes the record, so that the previous worker cannot push any more.
	if err := t.svc.Session.AddNote(ctx, t.rec, session.Note{Kind: "worker", Text: "continued on worker " + m.Name}); err != nil {
		return task.ActivityResult{}, err
	}
	return t.position(ctx)
}

// openIfCurrent opens a task that never left this machine: its worker seemed lost, and no other
// worker has pushed since. Its agent may be running. It returns nil if the task was on another
// machine, or the clone must be created again.
func (m *Machine) openIfCurrent(ctx context.Context, q task.Ask, state remote.State) *openTask {
	t, err := m.openClone(ctx, q)
	if err != nil || t.rec == nil || t.remoteCommit != state.Commit {
		return nil
	}
	if _, err := os.Stat(t.filePath(movedFile)); err == nil {
		return nil
	}
	if checkContinues(t.rec, q.Head) != nil {
		return nil
	}
	return t
}

// checkFollows rejects a record on the remote that is not the one that the workflow knows, or is
// shorter.
func checkFollows(state remote.State, q task.Ask) error {
	n := q.Head.Seq
	switch {
	case state.Commit == "":
		return temporal.NewNonRetryableApplicationError(fmt.Sprintf("the remote has no record of %s", q.Task.ID), task.ErrDiverged, nil)
	case n > len(state.Log.Entries):
		return temporal.NewNonRetryableApplicationError(fmt.Sprintf("the record of %s on the remote has %d entries, and %d are known",
			q.Task.ID, len(state.Log.Entries), n), task.ErrDiverged, nil)
	case n > 0 && state.Log.Entries[n-1].Hash != q.Head.Hash:
		return temporal.NewNonRetryableApplicationError(fmt.Sprintf(
			"the record of %s on the remote is another one: it forked before entry %d", q.Task.ID, n), task.ErrDiverged, nil)
	}
	return nil
}

// nonRetryable marks errors that a retry cannot fix as not retryable, and cuts their text to what
// the server takes.
func nonRetryable(err error) error {
	var done *temporal.ApplicationError
	kind, final := "", true
	switch {
	case err == nil:
		return nil
	case errors.As(err, &done):
		kind, final = done.Type(), done.NonRetryable()
	case errors.Is(err, remote.ErrRecordMoved):
		kind = task.ErrMoved
	case belay.CodeOf(err) == belay.CodeUsage, belay.CodeOf(err) == belay.CodeRefused:
		kind = task.ErrRefused
	default:
		final = false
	}
	text := err.Error()
	if done == nil && kind == task.ErrRefused {
		text = session.ErrorLine(err)
	}
	if len(text) > maxError { // without its causes, which contain the text too
		return temporal.NewApplicationErrorWithOptions(strings.ToValidUTF8(text[:maxError], "")+"…", kind,
			temporal.ApplicationErrorOptions{NonRetryable: final})
	}
	if done != nil || !final {
		return err
	}
	return temporal.NewNonRetryableApplicationError(text, kind, err)
}

// maxError limits the text of an error, in bytes: the server replaces a much longer one by its own
// error, which is not retried.
const maxError = 8 << 10

// heartbeatEvery sends heartbeats to the server until stop is called. They continue after the server
// cancelled the activity: an agent may take a while to end, and its worker must not seem lost
// meanwhile.
func heartbeatEvery(ctx context.Context, every time.Duration) (stop func()) {
	if every <= 0 {
		every = 5 * time.Second
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			activity.RecordHeartbeat(ctx)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// openTask is an opened task of this machine.
type openTask struct {
	machine      *Machine
	ask          task.Ask
	svc          *app.Service
	rec          *session.Record // nil if there is none
	remoteCommit string          // the last known commit of the record on the remote
	countedUpTo  int             // the last entry that the metrics count
	messages     []string

	arrivedWork string // the commit of accepted work that the adopted record names: the remote has it
}

// committedWork returns the commit of accepted work that a record names; "" for none.
func committedWork(r *session.Record) (id string) {
	for _, n := range r.Notes {
		if n.Kind == session.CommittedNote && n.Commit != nil {
			id = n.Commit.ID
		}
	}
	return id
}

// openClone opens a task's clone. settings are for a new task; a recorded one has its rules in the
// record.
func (m *Machine) openClone(ctx context.Context, q task.Ask, settings ...task.Setting) (*openTask, error) {
	if err := m.checkTrusted(q.Task); err != nil {
		return nil, err
	}
	dir := m.clonePath(q.Task)
	if _, err := os.Stat(dir); err != nil {
		return nil, belay.Refuse(belay.CodeNotFound, "", "%s is not on this machine", q.Task.ID)
	}
	flags, err := flagsOf(settings)
	if err != nil {
		return nil, err
	}
	svc, err := app.Open(ctx, app.OpenOptions{Dir: dir, Flags: flags, Self: m.Self})
	if err != nil {
		return nil, err
	}
	app.AttachPlans(svc)
	t := &openTask{machine: m, ask: q, svc: svc}
	last, err := os.ReadFile(t.filePath(pushedFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	t.remoteCommit = strings.TrimSpace(string(last))
	if err := t.loadRecord(); belay.CodeOf(err) != belay.CodeNotFound && err != nil {
		return nil, err
	}
	if t.rec != nil {
		t.countedUpTo = t.rec.Log.Head.Seq
	}
	return t, nil
}

// flagsOf converts settings to flags of belay run.
func flagsOf(settings []task.Setting) ([]app.Flag, error) {
	flags := make([]app.Flag, len(settings))
	for i, s := range settings {
		if strings.HasPrefix(s.Key, "fence.") {
			return nil, belay.Refuse(belay.CodeUsage, "BELAY_FENCE=off belay-fleet worker …",
				"a task does not choose its fence: its worker does")
		}
		flags[i] = app.Flag(s)
	}
	return flags, nil
}

func (t *openTask) filePath(name string) string {
	return filepath.Join(filepath.Dir(t.machine.clonePath(t.ask.Task)), name)
}

func (t *openTask) loadRecord() (err error) {
	t.rec, err = t.svc.Session.Load(t.ask.Task.ID)
	return err
}

// runTask drives the task until stop. A person's cancel stops the agent and is recorded. If instead
// the server gave this worker up, for example after a broken connection, the run ends as if this
// process had been killed and the agent continues: whoever does the command next waits for it or,
// on another worker, starts again.
func (t *openTask) runTask(ctx context.Context, q app.RunRequest, stop func(loop.Command) bool) error {
	hard, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	soft, halt := context.WithCancel(hard)
	defer halt()
	defer context.AfterFunc(ctx, func() {
		if !isCancelled(ctx) {
			end()
		}
		halt()
	})()
	q.Watch, q.Soft, q.StopBefore, q.Trust = t, soft, stop, true
	rec, err := t.svc.Run(hard, q)
	if rec != nil {
		t.rec = rec
	}
	if hard.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	if belay.CodeOf(err) == belay.CodeInterrupted {
		return nil // stopped, as recorded
	}
	return err
}

// isCancelled reports whether the workflow cancelled an activity. Its context also ends, with
// another cause, if the server does not know the activity any more.
func isCancelled(ctx context.Context) bool {
	var asked *temporal.CanceledError
	return errors.As(context.Cause(ctx), &asked)
}

// checkoutSnapshot restores the clone's files to the task's last state.
func (t *openTask) checkoutSnapshot(ctx context.Context) error {
	st := t.rec.State
	to := st.Before
	for _, a := range slices.Backward(st.Attempts) {
		if a.Rescue != "" {
			break // it was rolled back
		}
		if a.Snapshot != "" {
			to = a.Snapshot
			break
		}
	}
	if to == "" {
		return nil
	}
	_, err := t.svc.Session.Restores.Restore(ctx, to, restore.Options{})
	return err
}

// position pushes the record and returns the steps after the entry that the workflow knows.
func (t *openTask) position(ctx context.Context) (task.ActivityResult, error) {
	st, err := t.pushRecord(ctx)
	st.Notes = task.ShortLines(st.Notes)
	return st, err
}

// pushRecord pushes the record. A failed push is only a note, except at the end of a task, which
// must reach the remote.
func (t *openTask) pushRecord(ctx context.Context) (task.ActivityResult, error) {
	if err := t.loadRecord(); err != nil {
		return task.ActivityResult{}, err
	}
	t.machine.places.keep(t.machine.clonePath(t.ask.Task), t.rec.State.Pending != nil)
	t.addMetrics()
	work, err := t.commitWork(ctx)
	if err != nil {
		return task.ActivityResult{}, err
	}
	st := task.ActivityResult{Worker: t.machine.Name, Team: t.machine.teamOf(t.ask.Task.Remote),
		Policy: t.rec.Task.Policy, Head: task.Head(t.rec.Log.Head),
		Notes: t.messages, Commit: cmp.Or(t.arrivedWork, work.Commit)}
	if st.Steps, err = t.stepsAfter(); err != nil {
		return st, err
	}
	mirror, err := t.machine.openMirror(ctx, t.ask.Task)
	if err != nil {
		return st, err
	}
	last, err := mirror.Push(ctx, t.svc, t.rec,
		remote.PushTerms{Last: t.remoteCommit, Base: t.ask.Task.Base, Shared: t.ask.Task.Shared, Work: work})
	if errors.Is(err, remote.ErrRecordMoved) {
		t.notePhase("")
		t.machine.places.keep(t.machine.clonePath(t.ask.Task), false)
		return st, errors.Join(err, os.WriteFile(t.filePath(movedFile), nil, 0o600))
	}
	st.Sent = mirror.Packs.Sent
	var stays *remote.IgnoredFilesError
	if errors.As(err, &stays) && work.Commit != "" {
		st.Notes = append(st.Notes, "not pushed: "+session.ErrorLine(err))
		return st, mirror.Deliver(ctx, t.svc, work)
	}
	if err != nil && !t.rec.Open() && stays == nil { // this worker is not asked again: the record's end must reach the remote
		return st, err
	}
	if err != nil {
		st.Notes = append(st.Notes, "not pushed: "+session.ErrorLine(err))
		return st, nil
	}
	st.Pushed, t.remoteCommit = true, last
	return st, os.WriteFile(t.filePath(pushedFile), []byte(last+"\n"), 0o600)
}

// commitWork commits the accepted work of a closed task. The record names the commit.
func (t *openTask) commitWork(ctx context.Context) (remote.Work, error) {
	if t.rec.Open() || t.rec.State.Outcome != loop.OutcomePassed || t.arrivedWork != "" {
		return remote.Work{}, nil
	}
	made, err := t.svc.Commit(ctx, app.CommitRequest{Task: string(t.rec.Task.ID), Version: t.machine.Version, NoVerify: true, Trust: true,
		Output: io.Discard})
	if err != nil {
		return remote.Work{}, err
	}
	return remote.Work{Commit: made.Commit, Branch: task.BranchOf(t.rec.Task.ID)}, t.loadRecord()
}

// checkContinues rejects a record that does not contain the entry after.
func checkContinues(r *session.Record, after task.Head) error {
	if n := after.Seq; n > len(r.Log.Entries) || n > 0 && r.Log.Entries[n-1].Hash != after.Hash {
		return temporal.NewNonRetryableApplicationError(
			fmt.Sprintf("the record of %s here does not continue from entry %d that is known", r.Task.ID, n), task.ErrDiverged, nil)
	}
	return nil
}

// stepsAfter returns the events of the record after the entry that the workflow knows.
func (t *openTask) stepsAfter() ([]task.Step, error) {
	if err := checkContinues(t.rec, t.ask.Head); err != nil {
		return nil, err
	}
	var before session.EventEntry
	var list []task.RecordedEvent
	for _, e := range slices.Backward(t.rec.Log.Entries) {
		if e.Type != session.EntryEvent {
			continue
		}
		var ev session.EventEntry
		if err := json.Unmarshal(e.Data, &ev); err != nil {
			return nil, fmt.Errorf("read entry %d of %s: %w", e.Seq, t.rec.Task.ID, err)
		}
		if e.Seq <= t.ask.Head.Seq {
			before = ev
			break
		}
		list = append(list, task.RecordedEvent{Event: ev.Event, State: ev.State, Time: e.Time})
	}
	slices.Reverse(list)
	return task.MakeSteps(t.rec.Task.Policy, before.State, t.ask.Partial, list)
}

// Begins, and the methods below, are a runner.Observer without a terminal.
func (t *openTask) Begins(*session.Record, loop.Command) {}

// Happened ignores events.
func (t *openTask) Happened(*session.Record, loop.Event) {}

// Checking ignores the progress of checks.
func (t *openTask) Checking(check.Progress) {}

// Output returns nil: the record has the agent's output.
func (t *openTask) Output() io.Writer { return nil }

// Used ignores the use of an attempt.
func (t *openTask) Used(belay.TaskID, belay.Use) {}

// Note adds a line to the activity's notes.
func (t *openTask) Note(text string) { t.messages = append(t.messages, text) }

// Ask never answers: decisions come from the workflow.
func (t *openTask) Ask(context.Context, *session.Record) (loop.Decision, string, bool, error) {
	return "", "", false, nil
}
