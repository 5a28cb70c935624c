package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.temporal.io/sdk/testsuite"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/loop"
)

// The model of people, who answer gates after hours, of remotes that are unreachable for minutes,
// and of a merge queue for each repository.

const visitTime = 90 * time.Minute // average time until a person visits a waiting task

// attributesChanged is called when a task's search attributes change.
func (w *simulation) attributesChanged(id, phase string) {
	j := w.jobs[id]
	began := j.phase != phase
	j.phase = phase
	if waits(phase) && began {
		w.scheduleVisit(j)
	}
	if phase == string(loop.PhaseAttempt) && began && !w.calm && !j.cancelled && w.randFor("cancel", j.number).Float64() < 0.01 {
		j.cancelled = true
		w.runAfter(every(w.randFor("cancelled", j.number), 3*time.Minute), func() {
			w.update(j, task.UpdateCancel, string(j.in.ID)+"-cancel")
		})
	}
}

func waits(phase string) bool {
	return phase == string(loop.PhaseGate) || phase == task.PhaseQuarantined
}

// scheduleVisit makes a person visit a waiting task some hours later.
func (w *simulation) scheduleVisit(j *job) {
	j.looks++
	n := j.looks
	w.runAfter(every(w.randFor("look", j.number, n), visitTime), func() {
		if n == j.looks && !j.closed && waits(j.phase) {
			w.visit(j, w.randFor("visit", j.number, n))
		}
	})
}

// visit makes a person decide, from the status that belay-fleet show prints.
func (w *simulation) visit(j *job, rnd *rand.Rand) {
	var st task.Status
	v, err := w.env.QueryWorkflowByID(task.WorkflowID(j.in.Remote, j.in.ID), task.QueryStatus)
	if err == nil {
		err = v.Get(&st)
	}
	if err != nil {
		w.addViolation("%s: %v", j.in.ID, err)
		return
	}
	id := fmt.Sprintf("%s-%d", j.in.ID, j.looks)
	d := task.Decision{Decision: task.Resume, By: "ann"}
	if st.Phase == task.PhaseQuarantined {
		w.report.Quarantined++
		j.poisoned = j.poisoned && rnd.Float64() < 0.3
	} else if st.Gate != nil && st.Gate.Kind != loop.GateCancelled {
		w.report.Gates++
		d.Gate, d.Decision, d.Note = st.Gate.Number, choose(rnd, st.Gate.Options, j.looks), "use the clock"
	}
	w.update(j, task.UpdateDecide, id, d)
	if !w.calm && rnd.Float64() < 0.05 { // another person decides at the same time
		d.Decision, d.By = loop.DecideSkip, "bob"
		w.update(j, task.UpdateDecide, id+"-too", d)
	}
}

// choose is a person's decision: mostly guidance, and finally to give up.
func choose(rnd *rand.Rand, options []loop.Decision, looks int) loop.Decision {
	for _, c := range []struct {
		d loop.Decision
		p float64
	}{{loop.DecideGuide, 0.6}, {loop.DecideRetry, 0.5}, {loop.DecideRecheck, 0.4}, {loop.DecideAbort, 0.3}} {
		if looks < 8 && slices.Contains(options, c.d) && rnd.Float64() < c.p {
			return c.d
		}
	}
	return loop.DecideSkip
}

func (w *simulation) update(j *job, name, id string, args ...any) {
	if j.closed {
		return
	}
	err := w.env.UpdateWorkflowByID(task.WorkflowID(j.in.Remote, j.in.ID), name, id, &testsuite.TestUpdateCallback{
		OnAccept: func() {},
		OnReject: func(error) { w.report.Rejected++ },
		OnComplete: func(any, error) {
			if waits(j.phase) {
				w.scheduleVisit(j)
			}
		},
	}, args...)
	if err != nil {
		w.addViolation("%s: %v", j.in.ID, err)
	}
}

// repository is a repository with its remote and its merge queue.
type repository struct {
	number  int
	down    bool // refuses pushes and fetches
	queue   []accepted
	merging bool
}

type accepted struct {
	job *job
	at  time.Time
}

// scheduleRefusal makes a remote unreachable repeatedly.
func (w *simulation) scheduleRefusal(r *repository, n int) {
	rnd := w.randFor("outage", r.number, n)
	w.runAfter(every(rnd, w.faults), func() {
		r.down = true
		w.report.Outages++
		w.runAfter(around(rnd, 2*time.Minute, 1), func() {
			r.down = false
			w.scheduleRefusal(r, n+1)
		})
	})
}

// accept adds pushed work to the merge queue.
func (w *simulation) accept(j *job, commit string) {
	j.branch = commit
	j.merged++
	j.repo.queue = append(j.repo.queue, accepted{j, w.now()})
	w.merge(j.repo)
}

// merge merges one task at a time, with a combined test run each. One in thirty fails, and is
// merged at the end of the queue, as if repaired.
func (w *simulation) merge(r *repository) {
	if r.merging || len(r.queue) == 0 {
		return
	}
	r.merging = true
	a := r.queue[0]
	r.queue = r.queue[1:]
	rnd := w.randFor("merge", a.job.number, int(w.now().Sub(a.at)))
	w.runAfter(around(rnd, mergeTime, 0.4), func() {
		r.merging = false
		if rnd.Float64() < 1.0/30 {
			w.report.MergesFailed++
			r.queue = append(r.queue, a)
		} else {
			w.report.Merged++
			w.report.latencies = append(w.report.latencies, w.now().Sub(a.at))
		}
		w.merge(r)
		w.check()
	})
}
