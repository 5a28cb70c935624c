// Package machine does the commands of tasks on one worker's machine, each in a clone of its own, with the
// same code that belay run uses. Each activity can be done again: what the record says was done is not done
// a second time.
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

// Machine is where a worker's tasks are.
type Machine struct {
	Name    string   // of the worker, unique in the fleet
	Home    string   // the folder that everything is in
	Self    []string // the argument vector of the agents' shim
	Trusted []string // remotes, or beginnings of them, whose tasks may run here; "*" is all
	Version string
	Teams   []Team            // whose limits count
	Server  Server            // nil where no team has limits, and nothing is forgotten
	Metrics *metrics.Registry // gets what tasks count on this machine; nil for none

	slots  chan struct{} // how many agents, tests and reviews run at once
	phases *taskPhases
	places *taskPlaces
}

// taskPhases are those of the tasks, by clone.
type taskPhases struct {
	sync.Mutex
	byClone map[string]string
}

// Server is what a client of the server does for a Machine.
type Server interface {
	Lister
	SignalWorkflow(ctx context.Context, workflowID, runID, signalName string, arg any) error
	SignalWithStartWorkflow(ctx context.Context, workflowID, signalName string, signalArg any, options client.StartWorkflowOptions,
		workflow any, workflowArgs ...any) (client.WorkflowRun, error)
}

// New is a worker's machine that does so many commands at once.
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

// mirrorsFolder has a copy of each remote.
const mirrorsFolder = "mirrors"

func (m *Machine) openMirror(ctx context.Context, in task.Input) (*remote.Mirror, error) {
	mirror, err := remote.OpenMirror(ctx, filepath.Join(m.Home, mirrorsFolder, task.RepositoryKey(in.Remote)+".git"), in.Remote)
	if err == nil && m.Metrics != nil {
		m.countPacks(mirror.Packs)
		mirror.Report = m.countPacks
	}
	return mirror, err
}

// checkTrusted refuses a task of a remote that this worker's owner did not name: its agent, its tests and its
// repository's config run here.
func (m *Machine) checkTrusted(in task.Input) error {
	if id, err := belay.ParseTaskID(string(in.ID)); err != nil || id != in.ID { // it is part of paths and of refs
		return belay.Refuse(belay.CodeUsage, "", "%q is no task id", in.ID)
	}
	if containsRemote(m.Trusted, in.Remote) {
		return nil
	}
	return belay.Refuse(belay.CodeRefused, "belay-fleet worker --trust "+remote.WithoutLogin(in.Remote),
		"worker %s does not run tasks of %s", m.Name, remote.WithoutLogin(in.Remote))
}

// containsRemote reports whether a list has a remote: its address, or the beginning of it with a / at the end.
func containsRemote(list []string, url string) bool {
	return slices.ContainsFunc(list, func(t string) bool {
		return t == "*" || url == t || strings.HasSuffix(t, "/") && strings.HasPrefix(url, t)
	})
}

// findOnRemote is what the remote has of a task that may run here.
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

// makeClone makes a task's folder and clone anew.
func (m *Machine) makeClone(ctx context.Context, mirror *remote.Mirror, in task.Input) error {
	if err := mirror.FetchCommit(ctx, in.Base); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Dir(m.clonePath(in))); err != nil {
		return err
	}
	if err := mirror.Clone(ctx, m.clonePath(in), in.Branch, in.Base, in.Author); err != nil {
		return err
	}
	return m.noteInput(in)
}

// Begin makes a task's clone and record, here, and starts its loop.
func (m *Machine) Begin(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	ctx, stop := heartbeatEvery(ctx, q.Beat)
	defer stop()
	st, err := m.beginTask(ctx, q)
	if belay.CodeOf(err) == belay.CodeNotFound { // the commit was not pushed
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
	if state.Commit != "" { // a worker was lost that had begun it
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

// Do does one command of the loop. A context that ends stops the agent; its work is saved.
func (m *Machine) Do(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	soft, stop := heartbeatEvery(ctx, q.Beat)
	defer stop()
	st, err := m.continueTask(soft, q, func(t *openTask) error {
		p := t.rec.State.Pending
		if p == nil || p.ID != q.Command.ID {
			return nil // done before, by an activity whose answer was lost
		}
		done, err := m.waitForSlot(soft)
		if err != nil {
			return err
		}
		defer done()
		return t.runTask(soft, app.RunRequest{Resume: q.Task.ID}, func(c loop.Command) bool { return c.ID != q.Command.ID })
	})
	return st, nonRetryable(err)
}

// Wake goes on with a task that stands before its first command, or that was stopped.
func (m *Machine) Wake(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	ctx, stop := heartbeatEvery(ctx, q.Beat)
	defer stop()
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
	ctx, stop := heartbeatEvery(ctx, q.Beat)
	defer stop()
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

// recordReview records a person's review. Where it does not count, because the files are not those that were checked, the gate
// stays open and the task says why.
func (t *openTask) recordReview(ctx context.Context, d task.Decision) error {
	given, err := app.RecordReview(ctx, t.svc, app.NewReview{Task: t.ask.Task.ID, Verdict: d.Verdict, Text: d.Note,
		Reviewer: d.By, Watch: t})
	if err == nil && !given.Acted {
		t.Note("the review by " + d.By + " has no effect: " + given.NextStep)
	}
	return err
}

// continueTask opens a task that is here, does something with it, and says what was recorded.
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

// Adopt goes on here with a task from another machine, from the state that was pushed last.
func (m *Machine) Adopt(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	ctx, stop := heartbeatEvery(ctx, q.Beat)
	defer stop()
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
	// A note takes the task: the worker that had it cannot push any more.
	if err := t.svc.Session.AddNote(ctx, t.rec, session.Note{Kind: "worker", Text: "continued on worker " + m.Name}); err != nil {
		return task.ActivityResult{}, err
	}
	return t.position(ctx)
}

// openIfCurrent opens a task that was on this machine all the time: its worker was thought
// lost, and nobody else has pushed since. Its agent may be running. It returns nil if the
// task was on another machine, or the clone has to be made again.
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

// checkFollows refuses a record on the remote that is not the one that the workflow knows, or ends before it.
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

// nonRetryable makes of an error that trying again does not fix one that is not tried again, with a text that the server takes.
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
	if len(text) > maxError { // without its causes, which have the text as well
		return temporal.NewApplicationErrorWithOptions(strings.ToValidUTF8(text[:maxError], "")+"…", kind,
			temporal.ApplicationErrorOptions{NonRetryable: final})
	}
	if done != nil || !final {
		return err
	}
	return temporal.NewNonRetryableApplicationError(text, kind, err)
}

// maxError is how long the text of an error may be, in bytes: instead of one that is much longer the server has another one, which
// is not tried again.
const maxError = 8 << 10

// heartbeatEvery tells the server that this worker lives, until stop is called. The context ends when the
// server wants the activity to.
func heartbeatEvery(ctx context.Context, every time.Duration) (context.Context, func()) {
	if every <= 0 {
		every = 5 * time.Second
	}
	// Heartbeats continue after the server asked the activity to stop: an agent may take a while to end, and its worker is not
	// lost meanwhile.
	asked := context.WithoutCancel(ctx)
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			activity.RecordHeartbeat(asked)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return ctx, func() { cancel(); done.Wait() }
}

// openTask is a task on this machine.
type openTask struct {
	machine      *Machine
	ask          task.Ask
	svc          *app.Service
	rec          *session.Record // nil when there is none
	remoteCommit string          // the commit of the record on the remote, as this machine knows it
	countedUpTo  int             // the entry up to which the record was counted
	messages     []string

	arrivedWork string // the commit of accepted work that came to the remote with the record that was adopted
}

// committedWork is the commit of accepted work that a record names; "" for none.
func committedWork(r *session.Record) (id string) {
	for _, n := range r.Notes {
		if n.Kind == session.CommittedNote && n.Commit != nil {
			id = n.Commit.ID
		}
	}
	return id
}

// openClone opens a task's clone. Settings are those of a new task: one that has a record has its rules in it.
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

// flagsOf are settings as belay run would get them.
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

// runTask drives the task until stop. A person's cancel stops the agent and is recorded. Where the server gave this worker up,
// after a network that was cut, nobody wants that: the run ends as if this process had been killed, the agent continues, and
// whoever does the command next waits for it or, on another worker, does it again.
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
		return nil // stopped: the record has it
	}
	return err
}

// isCancelled reports whether an activity's context ended because its workflow wants it to. It ends as well, with another
// cause, when the server does not know the activity any more.
func isCancelled(ctx context.Context) bool {
	var asked *temporal.CanceledError
	return errors.As(context.Cause(ctx), &asked)
}

// checkoutSnapshot makes the clone's files those of the task's last state.
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

// position says what was recorded since the entry that was asked from, once it is pushed.
func (t *openTask) position(ctx context.Context) (task.ActivityResult, error) {
	st, err := t.pushRecord(ctx)
	st.Notes = task.ShortLines(st.Notes)
	return st, err
}

// pushRecord pushes. A push that fails keeps nobody from working, but the end of a task has to arrive.
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
	if err != nil && !t.rec.Open() && stays == nil { // nobody asks this worker again: the record's end has to arrive
		return st, err
	}
	if err != nil {
		st.Notes = append(st.Notes, "not pushed: "+session.ErrorLine(err))
		return st, nil
	}
	st.Pushed, t.remoteCommit = true, last
	return st, os.WriteFile(t.filePath(pushedFile), []byte(last+"\n"), 0o600)
}

// commitWork commits accepted work, once the task is closed. The record names the commit.
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

// checkContinues refuses a record that does not continue from an entry.
func checkContinues(r *session.Record, after task.Head) error {
	if n := after.Seq; n > len(r.Log.Entries) || n > 0 && r.Log.Entries[n-1].Hash != after.Hash {
		return temporal.NewNonRetryableApplicationError(
			fmt.Sprintf("the record of %s here does not continue from entry %d that is known", r.Task.ID, n), task.ErrDiverged, nil)
	}
	return nil
}

// stepsAfter are the events of the record after the entry that was asked from.
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

// Begins, Happened, Checking, Output, Used, Note and Ask are a runner.Observer: nobody sits here.
func (t *openTask) Begins(*session.Record, loop.Command) {}

// Happened is told of each event.
func (t *openTask) Happened(*session.Record, loop.Event) {}

// Checking is told of each check.
func (t *openTask) Checking(check.Progress) {}

// Output has no place for an agent's output: the record has it.
func (t *openTask) Output() io.Writer { return nil }

// Used is told of what an attempt uses.
func (t *openTask) Used(belay.TaskID, belay.Use) {}

// Note keeps a line for the task's status.
func (t *openTask) Note(text string) { t.messages = append(t.messages, text) }

// Ask never answers: a decision comes by the workflow.
func (t *openTask) Ask(context.Context, *session.Record) (loop.Decision, string, bool, error) {
	return "", "", false, nil
}
