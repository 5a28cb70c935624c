package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// ParallelRequest asks to run several recorded tasks in parallel, each in its own worktree.
type ParallelRequest struct {
	Tasks []belay.TaskID // nil: all recorded tasks that have not started
	Limit int            // maximum number of tasks at the same time
	Watch func(belay.TaskID) runner.Observer
	Soft  context.Context // ends when a person stops the run: all tasks are captured and paused
	Trust bool
	Keep  bool
	Agent []string // for tasks recorded without one
}

// newTask returns the settings to run a task of the request with.
func (q ParallelRequest) newTask(r *session.Record) NewTask {
	t := NewTask{OwnTree: true, Trust: q.Trust}
	if len(r.Task.Agent) == 0 {
		t.Agent = q.Agent
	}
	return t
}

// ParallelResult is the result of one task's run. Err is the error that the run would have returned
// on its own, nil if the task was accepted.
type ParallelResult struct {
	Task belay.TaskID
	Err  error
}

// MaxParallel limits how many tasks run at the same time.
const MaxParallel = 64

// RunParallel runs tasks in parallel, in the given order as far as the limit allows, and returns
// when each is closed, paused or waits for a person. It checks everything that it can before the
// first one starts. A task with dependencies starts when those are accepted, from the user's tree
// merged with their work.
func RunParallel(ctx context.Context, s *Service, q ParallelRequest) ([]ParallelResult, error) {
	if q.Limit < 1 || q.Limit > MaxParallel {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("use a number from 1 to %d", MaxParallel),
			"%d tasks cannot run at the same time", q.Limit)
	}
	tasks, err := selectParallel(s, q)
	if err != nil {
		return nil, err
	}
	p := &pool{results: make([]ParallelResult, len(tasks)), begun: make([]bool, len(tasks)), ended: map[string]*ParallelResult{},
		records: tasks}
	for i, r := range tasks {
		p.results[i].Task = r.Task.ID
	}
	ends := make(chan int)
	for running := 0; ; running-- {
		for running < q.Limit {
			i := p.nextReady(q.Soft.Err() != nil)
			if i < 0 {
				break
			}
			running++
			go func() {
				id := tasks[i].Task.ID
				r, err := s.Run(ctx, RunRequest{NewTask: q.newTask(tasks[i]), Resume: id, Keep: q.Keep,
					Watch: q.Watch(id), Soft: q.Soft})
				if err == nil {
					err = RunError(r)
				}
				p.results[i].Err = err
				ends <- i
			}()
		}
		if running == 0 {
			return p.results, nil
		}
		i := <-ends
		p.ended[tasks[i].Task.ID.Key()] = &p.results[i]
	}
}

// pool records which of several tasks have started and ended. A task's own goroutine writes only
// its Err.
type pool struct {
	records []*session.Record
	results []ParallelResult
	begun   []bool
	ended   map[string]*ParallelResult
}

// nextReady returns the first task that may start now, -1 for none. It ends a task that can no
// longer start, because the run was stopped or a dependency was not accepted.
func (p *pool) nextReady(stopped bool) int {
	for again := true; again; {
		again = false
		for i, r := range p.records {
			if p.begun[i] {
				continue
			}
			err := error(nil)
			if stopped {
				err = belay.Refuse(belay.CodeInterrupted, fmt.Sprintf("belay run --parallel 1 %s", r.Task.ID),
					"%s was not started", r.Task.ID)
			} else if first, wait := p.checkDependencies(r); wait {
				continue
			} else if first != nil {
				err = belay.Refuse(belay.CodeOf(first.Err), fmt.Sprintf("belay show %s", first.Task),
					"%s depends on %s, which is not accepted", r.Task.ID, first.Task)
			}
			p.begun[i] = true
			if err == nil {
				return i
			}
			p.results[i].Err = err
			p.ended[r.Task.ID.Key()] = &p.results[i]
			again = true // other tasks may depend on it
		}
	}
	return -1
}

// checkDependencies checks the dependencies of r: bad is one that was not accepted; wait reports
// that one has not ended.
func (p *pool) checkDependencies(r *session.Record) (bad *ParallelResult, wait bool) {
	id, wait := belay.Ready(r.Task.After, func(id belay.TaskID) belay.Standing {
		end, ended := p.ended[id.Key()]
		switch {
		case ended && end.Err != nil:
			return belay.Rejected
		case ended:
			return belay.Accepted
		case slices.ContainsFunc(p.records, func(o *session.Record) bool { return o.Task.ID.Key() == id.Key() }):
			return belay.Unfinished
		}
		return belay.Absent
	})
	if id == "" {
		return nil, wait
	}
	return p.ended[id.Key()], false
}

// selectParallel returns the tasks to run, or an error for one that cannot run.
func selectParallel(s *Service, q ParallelRequest) ([]*session.Record, error) {
	records, err := s.Session.Records(nil)
	if err != nil {
		return nil, err
	}
	tasks := slices.Clone(q.Tasks)
	if len(tasks) == 0 {
		for _, r := range records {
			if r.State.Phase == "" {
				tasks = append(tasks, r.Task.ID)
			}
		}
	}
	if len(tasks) == 0 {
		return nil, belay.Refuse(belay.CodeUsage, `belay task add "…" -- AGENT ARGS… records one`, "no tasks to run")
	}
	var list []*session.Record
	seen := map[string]bool{}
	for _, id := range tasks {
		r, err := s.Session.Load(id)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
		if seen[id.Key()] {
			return nil, belay.Refuse(belay.CodeUsage, "list it once", "%s is listed twice", id)
		}
		seen[id.Key()] = true
		if err := s.MayRunSeparately(r, q.newTask(r)); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	return list, nil
}

// RunError returns the error of a finished run, nil if the task was accepted.
func RunError(r *session.Record) error {
	id := r.Task.ID
	switch {
	case r.State.Outcome == loop.OutcomePassed:
		return nil
	case r.State.Gate != nil:
		return WaitingError(r, "")
	case !r.Open():
		return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", id), "%s was not accepted: %s", id, r.State.Outcome)
	}
	return parkedError(id)
}

// WaitingError returns the error of a task that waits for a person. try is the suggested command,
// "" for the one that shows the question.
func WaitingError(r *session.Record, try string) error {
	id := r.Task.ID
	return belay.Refuse(belay.CodeWaiting, cmp.Or(try, fmt.Sprintf("belay gate show %s", id)), "%s waits for a person: %s", id,
		r.State.Gate.Why)
}

// endedError returns the error for a request about a task that has ended.
func endedError(r *session.Record, try string) error {
	return belay.Refuse(belay.CodeUsage, try, "%s has ended: %s", r.Task.ID, prompt.Outcome(r.State.Outcome))
}

// parkedError returns the error of a run that a person stopped.
func parkedError(id belay.TaskID) error {
	return belay.Refuse(belay.CodeInterrupted, fmt.Sprintf("belay run --resume %s", id), "%s is paused", id)
}

// severity orders the codes that a failed task ends with, the worst last.
var severity = []belay.Code{belay.CodeWaiting, belay.CodeRefused, belay.CodeDrift, belay.CodeNotFound, belay.CodeBusy,
	belay.CodeUsage, belay.CodeCannot, belay.CodeInterrupted}

// WorstError returns nil when all runs were accepted, else one error with the worst code.
func WorstError(ran []ParallelResult) error {
	worst, bad := -1, 0
	for _, r := range ran {
		if r.Err == nil {
			continue
		}
		bad++
		code := belay.CodeOf(r.Err)
		if errors.Is(r.Err, context.Canceled) {
			code = belay.CodeInterrupted
		}
		worst = max(worst, slices.Index(severity, code))
	}
	if bad == 0 {
		return nil
	}
	return belay.Refuse(severity[max(worst, 0)], "see above", "%d of %s not accepted", bad, belay.CountOf(len(ran), "task"))
}
