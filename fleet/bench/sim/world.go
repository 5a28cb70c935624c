package main

import (
	"container/heap"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
)

// config describes a fleet and its faults.
type config struct {
	tasks, workers, slots, repositories int

	seed      uint64
	faults    time.Duration // average time between two faults of a worker, and of a remote
	submitted time.Duration // from the first task to the last
	horizon   time.Duration // a task that is open after this time is lost
	calm      bool          // no faults
	without   rule          // the rule that is broken, to test the checks
}

// rule is a rule of the fleet that a test breaks, to see whether the checks notice.
type rule string

const (
	ruleLease  rule = "lease"  // a push replaces only the record that its worker knows
	ruleOnce   rule = "once"   // a recorded command is not done again
	rulePushed rule = "pushed" // a failed push is not reported as done
	ruleTaken  rule = "taken"  // a task's ID is submitted once
	ruleEnd    rule = "end"    // a task does not end before the remote has its end
)

var standard = config{tasks: 10_000, workers: 500, slots: 2, repositories: 200, faults: 6 * time.Hour,
	submitted: 3 * time.Hour, horizon: 30 * 24 * time.Hour}

// simulation is a run: the clock, and everything that acts on it. All events happen in the test
// environment's main loop, one at a time, in an order that depends only on the seed.
type simulation struct {
	config
	env    *testsuite.TestWorkflowEnvironment
	events events
	count  uint64      // of events, to order those of the same time
	armed  []time.Time // the environment's timers, the next one last
	began  time.Time

	jobs     map[string]*job // by workflow
	order    []*job
	machines []*machine
	repos    []*repository
	shared   []*call // in the shared queue, while no worker is connected
	begins   []*call // for a worker with a free slot, in order of arrival
	open     int

	report report
}

// job is a task with everything that the model knows of it.
type job struct {
	number    int
	in        task.Input
	repo      *repository
	phase     string
	closed    bool
	result    task.Result
	err       error
	call      *call
	poisoned  bool
	cancelled bool
	looks     int // how often a visit was scheduled
	at        time.Time

	remote *record // the remote's record
	pushes int     // of its record
	branch string  // the commit on its branch on the remote
	merged int     // how often accepted work was pushed to its branch

	attempts int           // started agents
	worked   time.Duration // agents' time
}

// randFor returns a separate random source for each question, so that one more event does not
// change all others.
func (w *simulation) randFor(what string, ids ...int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, what, ids)
	return rand.New(rand.NewPCG(w.seed, h.Sum64()))
}

// around returns a random time near the median, and sometimes several times as long.
func around(r *rand.Rand, median time.Duration, spread float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(spread*r.NormFloat64()))
}

// every returns a random time until an event with this mean interval.
func every(r *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(float64(mean) * r.ExpFloat64())
}

type event struct {
	at time.Time
	n  uint64
	do func()
}

type events []event

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	if q[i].at.Equal(q[j].at) {
		return q[i].n < q[j].n
	}
	return q[i].at.Before(q[j].at)
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(x any)   { *q = append(*q, x.(event)) }
func (q *events) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

func (w *simulation) now() time.Time { return w.env.Now() }

// runAfter schedules an event. The environment has only one timer at a time, because it scans all
// of its timers when one fires.
func (w *simulation) runAfter(d time.Duration, do func()) {
	w.count++
	heap.Push(&w.events, event{at: w.now().Add(max(d, 0)), n: w.count, do: do})
	w.armTimer()
}

func (w *simulation) armTimer() {
	if len(w.events) == 0 {
		return
	}
	next, n := w.events[0].at, len(w.armed)
	if n > 0 && !next.Before(w.armed[n-1]) {
		return
	}
	w.armed = append(w.armed, next)
	w.env.RegisterDelayedCallback(w.wake, max(next.Sub(w.now()), time.Nanosecond))
}

func (w *simulation) wake() {
	const most = 100 // callbacks go through a bounded channel that only this loop drains
	w.armed = w.armed[:len(w.armed)-1]
	for n := 0; n < most && len(w.events) > 0 && !w.events[0].at.After(w.now()); n++ {
		e := heap.Pop(&w.events).(event)
		e.do()
	}
	w.armTimer()
}

// run runs a fleet until every task has ended.
func run(c config) report {
	w := &simulation{config: c, jobs: map[string]*job{}, report: newReport(c)}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silentLogger{})
	w.env = suite.NewTestWorkflowEnvironment()
	w.env.SetTestTimeout(10 * time.Minute) // real time in which nothing happens
	w.env.SetDetachedChildWait(false)
	w.began = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	w.env.SetStartTime(w.began)
	w.env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{&modelInterceptor{w: w}},
		DeadlockDetectionTimeout: time.Hour})
	w.env.RegisterWorkflowWithOptions(task.Workflow, workflow.RegisterOptions{Name: task.WorkflowName})
	w.env.RegisterWorkflowWithOptions(w.submitAll, workflow.RegisterOptions{Name: submitName})
	w.env.SetOnChildWorkflowCompletedListener(func(info *workflow.Info, result converter.EncodedValue, err error) {
		w.jobEnded(info.WorkflowExecution.ID, result, err)
	})
	w.build()
	w.env.ExecuteWorkflow(submitName)
	w.checkAll()
	return w.report
}

const (
	submitName  = "sim.submit"
	beginSignal = "sim.begin" // to a task's workflow: it is submitted now
	doneSignal  = "sim.done"  // to a task's workflow: the pending activity has ended; to submitAll: all tasks have ended
)

// submitAll starts the workflows of all tasks, like belay-fleet submit, some of them twice. They
// all start before anything else happens, and wait for beginSignal: while a workflow starts, the
// environment's clock follows the real one, so the order of events would depend on how busy the
// machine is.
func (w *simulation) submitAll(ctx workflow.Context) error {
	for _, j := range w.order {
		if err := w.submit(ctx, j); err != nil {
			return fmt.Errorf("submit %s: %w", j.in.ID, err)
		}
		if !w.calm && w.randFor("twice", j.number).Float64() < 0.02 {
			err := w.submit(ctx, j)
			if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
				w.report.Refused++
			} else {
				w.addViolation("%s was started twice", j.in.ID)
			}
		}
	}
	w.start()
	ended := workflow.GetSignalChannel(ctx, doneSignal)
	timeout, stop := workflow.WithCancel(ctx)
	defer stop()
	workflow.NewSelector(ctx).
		AddReceive(ended, func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, nil) }).
		AddFuture(workflow.NewTimer(timeout, w.horizon), func(workflow.Future) {}).
		Select(ctx)
	return nil
}

// start schedules the begin of each task, and the faults.
func (w *simulation) start() {
	if !w.calm {
		w.fail()
	}
	for _, j := range w.order {
		id := task.WorkflowID(j.in.Remote, j.in.ID)
		heap.Push(&w.events, event{at: j.at, n: 0, do: func() {
			if err := w.env.SignalWorkflowByID(id, beginSignal, nil); err != nil {
				w.addViolation("%s: %v", j.in.ID, err)
			}
		}})
	}
	w.armTimer()
}

func (w *simulation) submit(ctx workflow.Context, j *job) error {
	id := task.WorkflowID(j.in.Remote, j.in.ID)
	if w.without == ruleTaken && w.jobs[id] != nil {
		return nil
	}
	if w.jobs[id] == nil {
		w.jobs[id] = j
		w.open++
	}
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: id, TaskQueue: task.Queue, WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
	}), task.WorkflowName, j.in)
	return child.GetChildWorkflowExecution().Get(ctx, nil)
}

func (w *simulation) jobEnded(id string, result converter.EncodedValue, err error) {
	j := w.jobs[id]
	if j == nil || j.closed {
		w.addViolation("%s ended twice", id)
		return
	}
	j.closed, j.err = true, err
	if err == nil {
		j.err = result.Get(&j.result)
	}
	w.report.last = w.now()
	w.open--
	w.check()
}

// check ends the run when nothing is left to wait for.
func (w *simulation) check() {
	if w.open > 0 || len(w.jobs) < w.tasks {
		return
	}
	for _, r := range w.repos {
		if r.merging {
			return
		}
	}
	w.env.SignalWorkflow(doneSignal, nil)
}

// modelInterceptor connects the workflow with the model: activities go to the model of the server
// instead of the environment, with the workflow's options.
type modelInterceptor struct {
	interceptor.WorkerInterceptorBase
	w *simulation
}

// InterceptWorkflow is called for each workflow.
func (s *modelInterceptor) InterceptWorkflow(_ workflow.Context,
	next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &inbound{WorkflowInboundInterceptorBase: interceptor.WorkflowInboundInterceptorBase{Next: next}, w: s.w}
}

type inbound struct {
	interceptor.WorkflowInboundInterceptorBase
	w *simulation
}

// ExecuteWorkflow makes a task's workflow wait until it is submitted.
func (i *inbound) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	if i.w.jobs[workflow.GetInfo(ctx).WorkflowExecution.ID] != nil {
		workflow.GetSignalChannel(ctx, beginSignal).Receive(ctx, nil)
	}
	return i.Next.ExecuteWorkflow(ctx, in)
}

// Init inserts the outbound interceptor.
func (i *inbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	return i.Next.Init(&outbound{WorkflowOutboundInterceptorBase: interceptor.WorkflowOutboundInterceptorBase{Next: next}, w: i.w})
}

type outbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	w *simulation
}

// ExecuteActivity schedules an activity in the model.
func (o *outbound) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	id := workflow.GetInfo(ctx).WorkflowExecution.ID
	c := o.w.schedule(id, name, args[0].(task.Ask), workflow.GetActivityOptions(ctx))
	future, settle := workflow.NewFuture(ctx)
	workflow.Go(ctx, func(ctx workflow.Context) {
		done, cancelled := workflow.GetSignalChannel(ctx, doneSignal), false
		for !c.done {
			s := workflow.NewSelector(ctx).AddReceive(done, func(ch workflow.ReceiveChannel, _ bool) { ch.Receive(ctx, nil) })
			if !cancelled {
				s.AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { cancelled = true; o.w.cancel(c) })
			}
			s.Select(ctx)
		}
		if c.err != nil {
			settle.SetError(c.err)
			return
		}
		settle.Set(converter.GetDefaultDataConverter().ToPayloads(c.answer))
	})
	return future
}

// UpsertTypedSearchAttributes shows people that a task waits for them.
func (o *outbound) UpsertTypedSearchAttributes(ctx workflow.Context, attributes ...temporal.SearchAttributeUpdate) error {
	set := temporal.NewSearchAttributes(attributes...)
	phase, _ := set.GetKeyword(temporal.NewSearchAttributeKeyKeyword(task.AttrPhase))
	o.w.attributesChanged(workflow.GetInfo(ctx).WorkflowExecution.ID, phase)
	return nil
}

// silentLogger prints nothing.
type silentLogger struct{}

// Debug, Info, Warn and Error implement log.Logger.
func (silentLogger) Debug(string, ...any) {}

// Info prints nothing.
func (silentLogger) Info(string, ...any) {}

// Warn prints nothing.
func (silentLogger) Warn(string, ...any) {}

// Error prints nothing.
func (silentLogger) Error(string, ...any) {}

// build creates tasks, repositories and workers.
func (w *simulation) build() {
	for i := range w.repositories {
		w.repos = append(w.repos, &repository{number: i})
	}
	for i := range w.workers {
		w.machines = append(w.machines, &machine{number: i, name: fmt.Sprintf("w%d", i), up: true, linked: true, clones: map[*job]*clone{}})
	}
	for i := range w.tasks {
		r := w.randFor("task", i)
		repo := w.repos[r.IntN(len(w.repos))]
		j := &job{number: i, repo: repo, at: w.began.Add(time.Duration(float64(w.submitted) * float64(i) / float64(w.tasks))),
			in: task.Input{ID: belay.TaskID(fmt.Sprintf("T-%d", i)), Remote: fmt.Sprintf("/srv/git/app-%d.git", repo.number),
				Branch: "main", Base: "4f1c", Prose: "Add a line", Agent: []string{"agent"}}}
		j.poisoned = !w.calm && r.Float64() < 0.002
		w.order = append(w.order, j)
	}
}
