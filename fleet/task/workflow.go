package task

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/review"
)

// Times of the activities. An agent has the task's own time limit, and its worker sends heartbeats
// until then: only the time to notice a dead worker must be short.
const (
	// LostAfter is how long a worker may be silent, unless the task's Input sets another time.
	LostAfter = 20 * time.Second

	heartbeatsPerTimeout = 4 // heartbeats in that time
	maxActivityTime      = 7 * 24 * time.Hour
	shortActivityTime    = 10 * time.Minute // for what runs neither an agent nor tests
)

// Types of activity errors that are not retried.
const (
	ErrRefused  = "refused"  // an invalid task or decision, an untrusted remote
	ErrDiverged = "diverged" // the record is not the one that the workflow knows
	ErrMoved    = "moved"    // the task continues on another machine

	errUnknown = "ActivityNotRegisteredError" // of the SDK: the worker has no such activity
)

const (
	maxLines = 200 // in a status
	maxLine  = 500 // bytes
)

// taskRun is one run of the workflow.
type taskRun struct {
	ctx         workflow.Context
	in          Input
	pos         Position
	answers     workflow.Channel // accepted decisions
	cancel      workflow.CancelFunc
	lostWorkers int // workers lost with the pending command
	quarantined bool

	accepted, handled int // number of decisions that were accepted, and processed

	rejectedReasons map[int]string // why a decision had no effect, by its number among the accepted
	workerNotes     []string       // notes of the last result

	begunAttempt  string    // command ID of the last attempt that a worker was asked for
	cancelled     bool      // its feature is cancelled: no attempt may begin
	aheadDecision *Decision // decision of its feature, for the next gate
	halted        bool      // its feature stopped its agent, and it is not at the gate yet
	aborted       bool      // its feature was stopped before an agent began

	grantedAttempt string // command ID of the attempt that may begin
	waitReason     string // why the next attempt may not begin yet
	stopWaiting    bool   // a person cancelled the wait for the team

	placing  bool // it waits for a worker with a free slot, or for that worker's working tree
	unplaced bool // somebody stopped it while placing
}

// Workflow takes a task through the loop. It ends when the task is closed; a gate may stay open for months.
func Workflow(ctx workflow.Context, in Input) (Result, error) {
	r := &taskRun{ctx: ctx, in: in, answers: workflow.NewBufferedChannel(ctx, 16), rejectedReasons: map[int]string{}}
	if in.From != nil {
		r.pos = *in.From
		r.in.From = nil
		r.cancelled, r.aheadDecision = r.pos.Hold, r.pos.Ahead
	}
	if err := r.setHandlers(); err != nil {
		return Result{}, err
	}
	for r.pos.Worker == "" && !r.aborted {
		if err := r.beginTask(); err != nil {
			return Result{}, err
		}
	}
	for r.pos.State.Phase != loop.PhaseClosed && !r.aborted {
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() && r.accepted == r.handled {
			return Result{}, r.continueAsNew()
		}
		err := r.doStep()
		if temporal.IsCanceledError(err) {
			return Result{}, err
		}
		if err == nil {
			continue
		}
		if err := r.quarantine(Cause(err)); err != nil {
			return Result{}, err
		}
	}
	if r.aborted && workflow.GetVersion(ctx, "shown as closed when its feature was stopped", workflow.DefaultVersion, 1) == 1 {
		if err := r.updateAttributes(); err != nil {
			return Result{}, err
		}
	}
	r.releaseSlot()
	if more := r.pos.State.Use.Cost - r.pos.Counted; r.pos.Team != "" && more > 0 { // reviews
		r.signalLimits(r.ctx, r.pos.Slot, LimitEvent{Kind: LimitSpent, Cost: more, Known: true})
	}
	return r.result(), r.finish()
}

// finish waits until all senders of decisions have an answer, including late ones.
func (r *taskRun) finish() error {
	r.handled = r.accepted
	return workflow.Await(r.ctx, func() bool { return workflow.AllHandlersFinished(r.ctx) })
}

// Cause returns the message of an error without Temporal's wrapping.
func Cause(err error) string {
	var inner *temporal.ApplicationError
	if errors.As(err, &inner) {
		return inner.Message()
	}
	return err.Error()
}

// silenceLimit is how long a worker may be silent before it is treated as lost.
func silenceLimit(in Input) time.Duration {
	if in.LostAfter > 0 {
		return in.LostAfter
	}
	return LostAfter
}

// patience is how long a worker may take to begin something. If nobody else has the task's state,
// nobody else can be asked.
func (r *taskRun) patience() time.Duration {
	if !r.pos.Pushed {
		return maxActivityTime
	}
	return silenceLimit(r.in)
}

// continueAsNew passes the position to a new run with an empty history.
func (r *taskRun) continueAsNew() error {
	if err := r.finish(); err != nil {
		return err
	}
	next, pos := r.in, r.pos
	pos.Hold, pos.Ahead = r.cancelled, r.aheadDecision
	next.From = &pos
	return workflow.NewContinueAsNewError(r.ctx, WorkflowName, next)
}

// doStep does the pending command, or waits for a person.
func (r *taskRun) doStep() error {
	st := r.pos.State
	r.releaseSlot()
	switch {
	case st.Pending != nil:
		if c := *st.Pending; c.Kind != loop.CmdAttempt || c.ID == r.begunAttempt {
			return r.doCommand(c)
		}
		return r.beginAttempt(*st.Pending)
	case st.Gate != nil:
		return r.waitAtGate()
	}
	return r.doShort(WakeName, Ask{}) // the text was ambiguous, and a person has answered
}

// beginTask asks any worker to create a working tree and the record.
func (r *taskRun) beginTask() error {
	o := anyWorkerOptions(r.in)
	o.TaskQueue, o.WaitForCancellation = BeginQueue, true // replays do not compare queues: older histories have the other one
	st, err := r.placeTask(BeginName, o)
	switch {
	case err == nil:
		return r.applyResult(st)
	case !r.unplaced:
		return err
	case r.willAbort():
		r.aborted = true
		return nil
	case !r.cancelled: // it was resumed meanwhile
		return nil
	}
	r.cancelled = false
	return r.quarantine("cancelled before it began")
}

// placeTask asks a worker to create a working tree. unplaced is set if somebody stopped the task
// meanwhile, and reset if the error has another cause: a refusal, or the end of the workflow.
func (r *taskRun) placeTask(name string, o workflow.ActivityOptions) (st ActivityResult, err error) {
	ctx, cancel := workflow.WithCancel(workflow.WithActivityOptions(r.ctx, o))
	defer func() { r.cancel, r.placing = nil, false; cancel() }()
	r.cancel, r.placing, r.unplaced = cancel, true, false
	err = workflow.ExecuteActivity(ctx, name, r.newAsk(Ask{})).Get(ctx, &st)
	if err != nil && (r.ctx.Err() != nil || !temporal.IsCanceledError(err) && lostReason(err) == "") {
		r.unplaced = false // refused, or the server ends the workflow
	}
	return st, err
}

// stopPlacing stops waiting for a worker.
func (r *taskRun) stopPlacing() {
	r.unplaced = true
	r.cancel()
}

// canStopPlacing reports whether the task waits for a worker, and stopping it would lose nothing.
func (r *taskRun) canStopPlacing() bool {
	c := r.pos.State.Pending
	return r.placing && (r.pos.Worker == "" || c != nil && c.Kind == loop.CmdAttempt)
}

// willAbort reports whether the task's feature was stopped.
func (r *taskRun) willAbort() bool {
	return r.aheadDecision != nil && r.aheadDecision.Decision == loop.DecideAbort
}

// outcome is how the task ended; "" while it is open.
func (r *taskRun) outcome() loop.Outcome {
	if r.aborted {
		return loop.OutcomeAborted
	}
	return r.pos.State.Outcome
}

// newAsk fills in the fields that every activity needs.
func (r *taskRun) newAsk(q Ask) Ask {
	q.Task, q.Head, q.Partial, q.Beat = r.in, r.pos.Head, r.pos.Omitted != nil, silenceLimit(r.in)/heartbeatsPerTimeout
	if r.pos.Worker != "" {
		q.Task.Prose, q.Task.Ask, q.Task.Listed = "", "", nil // the record has them, and each step would repeat them in the history
	}
	return q
}

// anyWorkerOptions are the options of an activity that any worker may do, retried without limit.
func anyWorkerOptions(in Input) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue: Queue, StartToCloseTimeout: shortActivityTime, HeartbeatTimeout: silenceLimit(in),
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
			NonRetryableErrorTypes: []string{ErrRefused, ErrDiverged, ErrMoved}},
	}
}

// applyResult applies the recorded events. The same rules in the same order must give the state of
// the record; if not, no retry helps.
func (r *taskRun) applyResult(st ActivityResult) error {
	state, lines := r.pos.State, []Line(nil)
	omitted := r.pos.Omitted
	for _, s := range st.Steps {
		next, err := r.nextState(st.Policy, state, s)
		if err != nil {
			return err
		}
		lines = append(lines, Line{s.Time, describeEvent(state, next, s.Event, s.More)})
		state, omitted = next, s.Omitted
	}
	for _, n := range st.Notes {
		lines = append(lines, Line{workflow.Now(r.ctx), n})
	}
	r.pos.State, r.pos.Policy, r.pos.Head, r.pos.Pushed, r.pos.Omitted = state, st.Policy, st.Head, st.Pushed, omitted
	r.pos.Sent += st.Sent
	r.workerNotes = st.Notes
	if st.Worker != "" {
		r.pos.Worker = st.Worker
		if r.pos.Slot == "" { // a slot is released to the team that granted it
			r.pos.Team = st.Team
		}
	}
	if st.Commit != "" {
		r.pos.Commit = st.Commit
	}
	for _, l := range lines {
		r.addLog(l.Time, l.Text)
	}
	return r.updateAttributes()
}

// nextState returns the state after a step: by the rules, or, if they would need more than the
// server takes, from the worker, which has compared it with the rules.
func (r *taskRun) nextState(p belay.Policy, state loop.State, s Step) (next loop.State, err error) {
	if s.State != nil && workflow.GetVersion(r.ctx, "states in part", workflow.DefaultVersion, 1) == 1 {
		next = *s.State
	} else if next, _, err = loop.Step(p, state, s.Event); err != nil {
		return next, refusedEventError(err)
	}
	sum, err := StateHash(next)
	if err == nil && sum != s.Sum {
		err = otherEventError(s.Event)
	}
	return next, err
}

// refusedEventError is for a record with an event that the loop rejects, otherEventError for one
// with another state than the loop gives.
func refusedEventError(err error) error {
	return temporal.NewNonRetryableApplicationError("the record has an event that the loop refuses: "+err.Error(), ErrDiverged, err)
}

func otherEventError(e loop.Event) error {
	return temporal.NewNonRetryableApplicationError(
		fmt.Sprintf("after %s the record has another state than the loop gives", e.Kind), ErrDiverged, nil)
}

// addLog adds a line to the task's log.
func (r *taskRun) addLog(at time.Time, text string) { r.pos.Log = addLine(r.pos.Log, at, text) }

// addLine adds a line, and drops the oldest ones over maxLines.
func addLine(lines []Line, at time.Time, text string) []Line {
	if text == "" {
		return lines
	}
	lines = append(lines, Line{Time: at, Text: shortLine(text, maxLine)})
	if n := len(lines); n > maxLines {
		lines = slices.Delete(lines, 0, n-maxLines)
	}
	return lines
}

// doCommand has the worker with the working tree carry out a command. If that worker is lost,
// another one continues from the last pushed state; if every worker is lost with this command, a
// person decides.
func (r *taskRun) doCommand(c loop.Command) error {
	ctx, cancel := workflow.WithCancel(r.ctx)
	defer func() { r.cancel = nil; cancel() }()
	r.cancel = cancel
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: QueueOf(r.pos.Worker), WaitForCancellation: true,
		ScheduleToStartTimeout: r.patience(), StartToCloseTimeout: maxActivityTime, HeartbeatTimeout: silenceLimit(r.in),
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: time.Minute, MaximumAttempts: 4,
			NonRetryableErrorTypes: []string{ErrRefused, ErrDiverged, ErrMoved}},
	})
	var st ActivityResult
	err := workflow.ExecuteActivity(ctx, DoName, r.newAsk(Ask{Command: c})).Get(ctx, &st)
	if err == nil {
		r.lostWorkers = 0
		return r.applyResult(st)
	}
	if temporal.IsCanceledError(err) && r.ctx.Err() == nil {
		return nil // stopped by cancel: at the next call the worker returns what was recorded
	}
	why := lostReason(err)
	if why == "" {
		return err
	}
	r.addLog(workflow.Now(r.ctx), fmt.Sprintf("%s: %s", r.pos.Worker, why))
	if c.Kind == loop.CmdAttempt && ctx.Err() != nil && r.ctx.Err() == nil &&
		workflow.GetVersion(r.ctx, "its worker was lost while its agent was stopped", workflow.DefaultVersion, 1) == 1 {
		r.begunAttempt = "" // the next worker must not start an agent that somebody stopped: beginAttempt checks that
		r.cancelled = r.cancelled || !r.willAbort() && !(r.aheadDecision != nil && r.aheadDecision.Decision == Resume)
	}
	if !r.pos.Pushed {
		return nil // nobody else has its state: ask it again
	}
	r.lostWorkers++
	most := r.in.Lost
	if most <= 0 {
		most = 3
	}
	if r.lostWorkers >= most {
		if err := r.quarantine(fmt.Sprintf("%d workers were lost with it: %s", r.lostWorkers, c.Why)); err != nil {
			return err
		}
	}
	return r.adoptTask()
}

// lostReason returns why a worker did not do a command that another one may do; "" for other
// errors.
func lostReason(err error) string {
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) {
		return "the worker is lost (" + timeout.TimeoutType().String() + " timeout)"
	}
	var app *temporal.ApplicationError
	if errors.As(err, &app) && app.Type() != ErrDiverged && app.Type() != ErrRefused {
		return "the worker could not: " + app.Message()
	}
	return ""
}

// adoptTask has another worker fetch the last pushed state and create a working tree of it. A
// decision is recorded at once; work waits for a free slot, before tasks that have not begun.
func (r *taskRun) adoptTask() error {
	o := anyWorkerOptions(r.in)
	if r.pos.State.Pending != nil {
		o.TaskQueue, o.Priority = BeginQueue, temporal.Priority{PriorityKey: 1}
	}
	st, err := r.placeTask(AdoptName, o)
	if r.unplaced {
		if r.begunAttempt = ""; err != nil { // beginAttempt checks why it was stopped
			return nil
		}
	}
	if err != nil {
		return err
	}
	r.pos.Moves++
	r.addLog(workflow.Now(r.ctx), "continues on "+st.Worker)
	return r.applyResult(st)
}

// quarantine waits until a person resumes the task.
func (r *taskRun) quarantine(why string) error {
	r.quarantined = true
	defer func() { r.quarantined = false }()
	r.addLog(workflow.Now(r.ctx), "quarantined: "+why)
	if err := r.updateAttributes(); err != nil {
		return err
	}
	for {
		var d Decision
		r.answers.Receive(r.ctx, &d)
		r.handled++
		if d.Decision == Resume {
			r.lostWorkers = 0
			r.quarantined = false
			return r.updateAttributes()
		}
		if d.Decision == loop.DecideAbort { // takeDecision accepts it only from the feature
			r.aborted = true
			return nil
		}
	}
}

// waitAtGate waits for a person's decision and records it.
func (r *taskRun) waitAtGate() error {
	r.cancelled, r.halted = false, false // it waits
	if d := r.aheadDecision; d != nil && r.checkDecision(*d) == nil {
		r.aheadDecision = nil
		r.accepted++
		r.answers.Send(r.ctx, *d)
	} else if d != nil && d.Decision == Resume { // meant for another gate
		r.aheadDecision = nil
	}
	var d Decision
	r.answers.Receive(r.ctx, &d)
	defer func() { r.handled++ }()
	g := r.pos.State.Gate
	if d.Decision == Resume {
		return r.doShort(WakeName, Ask{})
	}
	if d.Gate != 0 && d.Gate != g.Number {
		return nil // for an earlier gate
	}
	if d.Verdict != "" { // earlier versions took no reviews, and the activity is the same, so all histories still replay
		d.Gate = g.Number
		return r.recordDecision(Ask{Review: d})
	}
	e, err := d.toEvent(*g)
	if err != nil {
		return nil // it was accepted for another gate
	}
	return r.recordDecision(Ask{Decision: e})
}

// recordDecision has the task's worker record a decision or a review. If it cannot, the gate stays
// open, and the sender gets the reason.
func (r *taskRun) recordDecision(q Ask) error {
	head := r.pos.Head
	err := r.doShort(DecideName, q)
	why := ""
	var app *temporal.ApplicationError
	switch {
	case err == nil && r.pos.Head == head && q.Review.Verdict != "" && len(r.workerNotes) == 0: // the worker does not know reviews
		why = r.oldWorkerNote()
	case isUnknownActivity(err):
		why = r.oldWorkerNote()
	case errors.As(err, &app) && app.Type() == ErrRefused:
		if workflow.GetVersion(r.ctx, "its worker refuses a decision: the gate stays open", workflow.DefaultVersion, 1) == 1 {
			why = fmt.Sprintf("worker %s refuses it: %s", r.pos.Worker, app.Message())
		}
	}
	if why == "" {
		return err
	}
	r.rejectedReasons[r.handled+1] = why
	r.addLog(workflow.Now(r.ctx), "not decided: "+why)
	return nil
}

// oldWorkerNote states that the task's worker needs an upgrade.
func (r *taskRun) oldWorkerNote() string {
	return fmt.Sprintf("the version of belay-fleet on worker %s cannot record it: upgrade that worker, then decide again", r.pos.Worker)
}

// isUnknownActivity reports whether the worker has no such activity.
func isUnknownActivity(err error) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.Type() == errUnknown
}

// doShort has the task's worker do something short, or another one if that is lost.
func (r *taskRun) doShort(name string, q Ask) error {
	for {
		ctx := workflow.WithActivityOptions(r.ctx, workflow.ActivityOptions{
			TaskQueue: QueueOf(r.pos.Worker), ScheduleToStartTimeout: r.patience(), StartToCloseTimeout: shortActivityTime,
			HeartbeatTimeout: silenceLimit(r.in),
			RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumAttempts: 4,
				NonRetryableErrorTypes: []string{ErrRefused, ErrDiverged, ErrMoved}},
		})
		var st ActivityResult
		err := workflow.ExecuteActivity(ctx, name, r.newAsk(q)).Get(ctx, &st)
		if err == nil {
			return r.applyResult(st)
		}
		if name == DecideName && isUnknownActivity(err) &&
			workflow.GetVersion(r.ctx, "its worker cannot record a decision", workflow.DefaultVersion, 1) == 1 {
			return err // another worker may be as old
		}
		why := lostReason(err)
		if why == "" {
			return err
		}
		r.addLog(workflow.Now(r.ctx), fmt.Sprintf("%s: %s", r.pos.Worker, why))
		if !r.pos.Pushed {
			continue
		}
		if err := r.adoptTask(); err != nil {
			return err
		}
	}
}

// setHandlers registers the handlers of queries, signals and updates. loop.Step decides which
// decisions are possible.
func (r *taskRun) setHandlers() error {
	if err := workflow.SetQueryHandler(r.ctx, QueryStatus, func() (Status, error) { return r.status(), nil }); err != nil {
		return err
	}
	workflow.Go(r.ctx, func(ctx workflow.Context) {
		for signals := workflow.GetSignalChannel(ctx, SignalDecide); ; {
			var d Decision
			signals.Receive(ctx, &d)
			r.takeDecision(ctx, d)
		}
	})
	workflow.Go(r.ctx, func(ctx workflow.Context) {
		for signals := workflow.GetSignalChannel(ctx, SignalSlot); ; {
			var s Slot
			signals.Receive(ctx, &s)
			r.takeSlot(ctx, s)
		}
	})
	err := workflow.SetUpdateHandlerWithOptions(r.ctx, UpdateDecide, func(ctx workflow.Context, d Decision) (Status, error) {
		r.accepted++
		ticket := r.accepted
		r.answers.Send(ctx, d)
		err := workflow.Await(ctx, func() bool { return r.handled >= ticket })
		if why := r.rejectedReasons[ticket]; err == nil && why != "" {
			err = temporal.NewApplicationError(why, ErrRefused)
		}
		return r.status(), err
	}, workflow.UpdateHandlerOptions{Validator: r.checkDecision})
	if err != nil {
		return err
	}
	return workflow.SetUpdateHandlerWithOptions(r.ctx, UpdateCancel, func(workflow.Context) (Status, error) {
		switch {
		case r.waitReason != "":
			r.stopWaiting = true
		case r.placing:
			r.cancelled = true
			r.stopPlacing()
		default:
			r.cancel()
		}
		return r.status(), nil
	}, workflow.UpdateHandlerOptions{Validator: func() error {
		if r.waitReason != "" || r.canStopPlacing() && !r.unplaced {
			return nil
		}
		if c := r.pos.State.Pending; c == nil || c.Kind != loop.CmdAttempt || r.cancel == nil || r.placing {
			return fmt.Errorf("%s has no agent running (%s)", r.in.ID, r.phase())
		}
		return nil
	}})
}

// beginAttempt begins an attempt, unless the task was cancelled or its feature stopped.
func (r *taskRun) beginAttempt(c loop.Command) error {
	if r.willAbort() {
		r.aborted = true
		return nil
	}
	if r.halted = false; r.cancelled {
		r.cancelled = false
		return r.quarantine("cancelled before its agent began")
	}
	// A task without a team, as in histories of versions before limits, needs no slot.
	if may, err := r.waitForSlot(c); !may || err != nil {
		return err
	}
	r.begunAttempt = c.ID
	return r.doCommand(c)
}

// takeDecision takes a decision of the task's feature. A working agent is stopped first; what is
// not possible yet is done at the next gate.
func (r *taskRun) takeDecision(ctx workflow.Context, d Decision) {
	c := r.pos.State.Pending
	works := c != nil && c.Kind == loop.CmdAttempt && r.cancel != nil && !r.placing
	switch {
	case d.Decision == Cancel:
		r.cancelled, r.halted, r.aheadDecision = r.pos.State.Gate == nil && !r.quarantined, works, nil
	case r.quarantined && d.Decision == loop.DecideAbort, r.checkDecision(d) == nil:
		r.accepted++
		r.answers.Send(ctx, d)
		return
	case d.Decision == Resume:
		if r.cancelled = false; r.halted { // the agent is not stopped yet
			r.aheadDecision = &d
		}
		return
	default:
		r.aheadDecision = &d
	}
	switch {
	case works:
		r.cancel()
	case r.canStopPlacing() && (r.cancelled || r.willAbort()) &&
		workflow.GetVersion(ctx, "stopped while it waits for a worker", workflow.DefaultVersion, 1) == 1:
		r.stopPlacing()
	}
}

// checkDecision rejects a decision that is not possible now.
func (r *taskRun) checkDecision(d Decision) error {
	st := r.pos.State
	if r.quarantined {
		if d.Decision == Resume {
			return nil
		}
		return fmt.Errorf("%s is quarantined: the only decision is %s", r.in.ID, Resume)
	}
	if r.waitReason != "" {
		return fmt.Errorf("%s waits for its team, and not for a decision: %s", r.in.ID, r.waitReason)
	}
	if st.Gate == nil {
		return fmt.Errorf("%s does not wait for a decision (%s)", r.in.ID, r.phase())
	}
	if d.Gate != 0 && d.Gate != st.Gate.Number {
		return fmt.Errorf("%s does not wait at gate %d any more", r.in.ID, d.Gate)
	}
	if d.Decision == Resume {
		_, _, err := loop.Step(r.pos.Policy, st, loop.Event{Kind: loop.EvResumed})
		return err
	}
	if err := d.Fits(0); err != nil {
		return err
	}
	e, err := d.toEvent(*st.Gate)
	if err != nil {
		return err
	}
	if d.Verdict == "" && d.Decision == loop.DecideApprove && d.Category == "" && st.Gate.Overrides() {
		return fmt.Errorf("accepting rejected work needs a reason, and --category with one of %s", review.CategoryNames())
	}
	_, _, err = loop.Step(r.pos.Policy, st, e)
	return err
}

func (r *taskRun) phase() string {
	if r.aborted {
		return string(loop.PhaseClosed)
	}
	if r.quarantined {
		return PhaseQuarantined
	}
	if r.waitReason != "" {
		return PhaseWaiting
	}
	if r.pos.State.Phase == "" {
		return string(loop.PhaseNew)
	}
	return string(r.pos.State.Phase)
}

func (r *taskRun) status() Status {
	st, waits := r.pos.State, r.waitReason
	if waits == "" && r.placing {
		waits = waitsForWorker
	}
	return Status{Task: r.in, Phase: r.phase(), Outcome: string(r.outcome()), Why: st.Why, Worker: r.pos.Worker,
		Attempts: len(st.Attempts), Retries: st.Retries, Moves: r.pos.Moves, Gate: st.Gate, Waits: waits, Use: st.Use, Head: r.pos.Head,
		Unpushed: r.pos.Worker != "" && !r.pos.Pushed, Sent: r.pos.Sent, Lines: r.pos.Log, State: &st, Omitted: r.pos.Omitted}
}

func (r *taskRun) result() Result {
	st := r.pos.State
	out := Result{Outcome: r.outcome(), Why: st.Why, Attempts: len(st.Attempts), Moves: r.pos.Moves, Head: r.pos.Head, Cost: st.Cost}
	if r.aborted {
		out.Why = "its feature was stopped"
	}
	if st.Outcome == loop.OutcomePassed {
		out.Branch, out.Commit = BranchOf(r.in.ID), r.pos.Commit
	}
	return out
}

// BranchOf names the branch that accepted work is pushed to.
func BranchOf(id belay.TaskID) string { return "belay/" + id.Key() }

// SearchAttributes are the initial search attributes of a task. A feature's tasks have its name.
func SearchAttributes(in Input) temporal.SearchAttributes {
	key := temporal.NewSearchAttributeKeyKeyword
	return temporal.NewSearchAttributes(
		key(AttrRepository).ValueSet(RepositoryKey(in.Remote)), key(AttrTask).ValueSet(in.ID.Key()),
		key(AttrFeature).ValueSet(in.Feature), key(AttrAgent).ValueSet(in.Agent[0]), key(AttrPhase).ValueSet(string(loop.PhaseNew)))
}

// updateAttributes updates the search attributes.
func (r *taskRun) updateAttributes() error {
	key := temporal.NewSearchAttributeKeyKeyword
	return workflow.UpsertTypedSearchAttributes(r.ctx,
		key(AttrPhase).ValueSet(r.phase()), key(AttrOutcome).ValueSet(string(r.outcome())),
		key(AttrWorker).ValueSet(r.pos.Worker), temporal.NewSearchAttributeKeyFloat64(AttrCost).ValueSet(r.pos.State.Cost))
}
