package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/task"
)

// The model of a Temporal server: task queues, timeouts and retries of activities, as documented.
// An attempt that no worker begins in time fails the activity; one that ends in an error, or with a
// silent worker, is retried by its retry policy.

// call is an activity that a workflow waits for.
type call struct {
	job     *job
	flow    string
	name    string
	ask     task.Ask
	options workflow.ActivityOptions

	attempt int      // counts from 1
	waiting bool     // in a queue
	silence int      // counts how often its worker fell silent
	run     *running // its attempt; nil while it waits

	done   bool
	answer task.ActivityResult
	err    error
}

// running is one attempt of an activity on a worker.
type running struct {
	*call
	attempt int
	on      *machine
	process int  // of the worker, at the start
	ended   bool // on the worker
	slot    bool
	stopped func() // stops its agent; nil if it has none
}

const (
	latency    = 30 * time.Millisecond // from a queue to a worker, and back
	heartbeat  = 2 * time.Second       // until a worker hears of a cancellation
	orphanTime = time.Minute           // until a worker looks for agents that no activity waits for
)

func (w *simulation) schedule(id, name string, ask task.Ask, options workflow.ActivityOptions) *call {
	j := w.jobs[id]
	c := &call{job: j, flow: id, name: name, ask: ask, options: options}
	j.call = c
	w.report.Activities++
	w.offer(c)
	return c
}

// offer puts an activity on its queue.
func (w *simulation) offer(c *call) {
	c.attempt++
	c.waiting, c.run = true, nil
	attempt := c.attempt
	if limit := c.options.ScheduleToStartTimeout; limit > 0 {
		w.runAfter(limit, func() {
			if c.waiting && c.attempt == attempt && !c.done {
				c.waiting = false
				w.complete(c, task.ActivityResult{}, temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil))
			}
		})
	}
	if c.options.TaskQueue == task.BeginQueue {
		at := len(w.begins)
		if c.options.Priority.PriorityKey == 1 {
			at = slices.IndexFunc(w.begins, func(o *call) bool { return o.options.Priority.PriorityKey != 1 })
			if at < 0 {
				at = len(w.begins)
			}
		}
		w.begins = slices.Insert(w.begins, at, c)
		free := slices.DeleteFunc(slices.Clone(w.machines), func(m *machine) bool { return !w.free(m) })
		if len(free) > 0 {
			w.deliverWaiting(free[w.randFor("place", c.job.number, c.ask.Head.Seq, c.attempt, int(w.count)).IntN(len(free))])
		}
		return
	}
	if c.options.TaskQueue != task.Queue {
		m := w.machineOf(c.options.TaskQueue)
		m.waiting = append(m.waiting, c)
		w.poll(m)
		return
	}
	free := slices.DeleteFunc(slices.Clone(w.machines), func(m *machine) bool { return !m.up || !m.linked })
	if len(free) == 0 {
		w.shared = append(w.shared, c)
		return
	}
	w.deliver(c, free[w.randFor("queue", c.job.number, c.ask.Head.Seq, c.attempt, int(w.count)).IntN(len(free))])
}

// poll delivers to a worker what waits for it.
func (w *simulation) poll(m *machine) {
	if !m.up || !m.linked {
		return
	}
	for _, c := range m.waiting {
		w.deliver(c, m)
	}
	for _, c := range w.shared {
		w.deliver(c, m)
	}
	m.waiting, w.shared = nil, nil
	w.deliverWaiting(m)
}

// free reports whether a worker asks for tasks: fewer are at work than it has slots.
func (w *simulation) free(m *machine) bool {
	if !m.up || !m.linked {
		return false
	}
	n := 0
	for _, r := range m.runs {
		if r.options.TaskQueue == task.BeginQueue {
			n++
		}
	}
	for _, c := range m.clones {
		if len(c.locks) > 0 || c.record.state.Pending != nil && !c.moved && w.now().Before(c.until) {
			n++
		}
	}
	return n < w.slots
}

// deliverWaiting delivers to a worker what waits for a free slot.
func (w *simulation) deliverWaiting(m *machine) {
	for len(w.begins) > 0 && w.free(m) {
		c := w.begins[0]
		w.begins = w.begins[1:]
		w.deliver(c, m)
	}
}

func (w *simulation) deliver(c *call, m *machine) {
	if c.done || !c.waiting {
		return
	}
	c.waiting = false
	r := &running{call: c, attempt: c.attempt, on: m, process: m.process}
	c.run = r
	m.runs = append(m.runs, r)
	if limit := c.options.StartToCloseTimeout; limit < 24*time.Hour { // longer ones are never reached
		w.runAfter(limit, func() {
			if c.run == r && !c.done {
				w.retryActivity(c, temporal.NewTimeoutError(enums.TIMEOUT_TYPE_START_TO_CLOSE, nil))
			}
		})
	}
	w.runAfter(latency, func() {
		if r.isAlive() {
			w.beginActivity(r)
		} else if c.run == r {
			w.noteSilence(r)
		}
	})
}

// isAlive reports whether the worker's process of an attempt still runs.
func (r *running) isAlive() bool { return r.on.up && r.on.process == r.process && !r.ended }

// noteSilence makes the server notice a lost worker after its heartbeat timeout.
func (w *simulation) noteSilence(r *running) {
	c := r.call
	if c.run != r || c.done {
		return
	}
	c.silence++
	n, beat := c.silence, c.ask.Beat
	since := time.Duration(float64(beat) * w.randFor("beat", c.job.number, c.ask.Head.Seq, n).Float64())
	w.runAfter(c.options.HeartbeatTimeout-since, func() {
		if c.run == r && !c.done && c.silence == n {
			w.retryActivity(c, temporal.NewHeartbeatTimeoutError())
		}
	})
}

// heartbeat delivers a heartbeat to the server again. If the server gave the activity up meanwhile,
// the worker ends it, and leaves its agent running.
func (w *simulation) heartbeat(r *running) {
	if r.call.run == r && !r.call.done {
		r.call.silence++
		return
	}
	w.runAfter(heartbeat, func() {
		if r.isAlive() && r.on.linked {
			w.report.GivenUpByServer++
			w.endAttempt(r)
			w.runAfter(orphanTime, func() { w.stopOrphan(r.on, r.job) })
		}
	})
}

// cancel cancels an activity for its workflow. Its worker hears of it with its next heartbeat.
func (w *simulation) cancel(c *call) {
	r := c.run
	if c.waiting && c.options.TaskQueue == task.BeginQueue && !c.done {
		c.waiting = false
		w.complete(c, task.ActivityResult{}, temporal.NewCanceledError())
	}
	if r == nil {
		return
	}
	w.runAfter(heartbeat, func() {
		if r.isAlive() && r.on.linked && r.stopped != nil {
			r.stopped()
		}
	})
}

// retryActivity retries an activity by its retry policy, or fails it.
func (w *simulation) retryActivity(c *call, err error) {
	p := c.options.RetryPolicy
	var app *temporal.ApplicationError
	final := errors.As(err, &app) && (app.NonRetryable() || slices.Contains(p.NonRetryableErrorTypes, app.Type()))
	if final || p.MaximumAttempts > 0 && c.attempt >= int(p.MaximumAttempts) {
		w.complete(c, task.ActivityResult{}, err)
		return
	}
	// The defaults are a coefficient of 2, and at most 100 times the first wait.
	wait := time.Duration(float64(p.InitialInterval) * math.Pow(cmp.Or(p.BackoffCoefficient, 2), float64(min(c.attempt-1, 30))))
	wait = min(wait, cmp.Or(p.MaximumInterval, 100*p.InitialInterval))
	c.run = nil
	w.report.Repeated++
	w.runAfter(wait, func() {
		if !c.done {
			w.offer(c)
		}
	})
}

// finish sends a worker's answer until the server receives it. The server ignores the answer to an
// attempt that it gave up.
func (w *simulation) finish(r *running, st task.ActivityResult, err error) {
	w.endAttempt(r)
	w.answer(r, st, err)
}

// endAttempt ends an attempt of an activity on its worker.
func (w *simulation) endAttempt(r *running) {
	r.ended = true
	w.release(r)
	r.on.runs = slices.DeleteFunc(r.on.runs, func(o *running) bool { return o == r })
	const nextSoon = time.Minute // nextCommandTime of package machine
	if c := r.on.clones[r.job]; c != nil {
		c.until = w.now().Add(nextSoon)
	}
	if len(w.begins) > 0 {
		w.deliverWaiting(r.on)
		w.runAfter(nextSoon, func() { w.deliverWaiting(r.on) })
	}
}

func (w *simulation) answer(r *running, st task.ActivityResult, err error) {
	if !r.on.linked {
		r.on.answers = append(r.on.answers, func() { w.answer(r, st, err) })
		return
	}
	w.runAfter(latency, func() {
		c := r.call
		switch {
		case c.run != r || c.done:
			w.report.Late++
		case err != nil:
			w.retryActivity(c, err)
		default:
			w.complete(c, st, nil)
		}
	})
}

// complete passes the result of an activity to its workflow.
func (w *simulation) complete(c *call, st task.ActivityResult, err error) {
	c.done, c.err, c.run = true, err, nil
	if err == nil {
		text, err := json.Marshal(st) // a copy, because a workflow shares no memory with a worker
		if err == nil {
			err = json.Unmarshal(text, &c.answer)
		}
		c.err = err
	}
	if err := w.env.SignalWorkflowByID(c.flow, doneSignal, nil); err != nil {
		w.addViolation("%s: %v", c.job.in.ID, err)
	}
}
