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

// Request asks for several recorded tasks to be run at once, each in a working
// tree of its own.
type ParallelRequest struct {
	Tasks []belay.TaskID // none: all that were recorded and not begun
	Limit int            // at the same time
	Watch func(belay.TaskID) runner.Watcher
	Soft  context.Context // ends when a person wants to stop: all are captured and parked
	Trust bool
	Keep  bool
	Agent []string // of tasks that were recorded without one
}

// of is what a task of the request runs with.
func (q ParallelRequest) of(r *session.Record) NewTask {
	t := NewTask{Apart: true, Trust: q.Trust}
	if len(r.Task.Agent) == 0 {
		t.Agent = q.Agent
	}
	return t
}

// Ran is how far one task got. Err is what its run would have ended with on its own; nil
// when it was accepted.
type ParallelRun struct {
	Task belay.TaskID
	Err  error
}

// Most bounds how many tasks run at the same time.
const Most = 64

// Run runs tasks side by side, in the order given as far as there is room, and
// returns when each is closed, parked or waits for a person. Everything that can be
// refused is refused before the first begins. A task that comes after others begins when
// those are accepted, from the user's tree together with their work.
func Run(ctx context.Context, s *Service, q ParallelRequest) ([]ParallelRun, error) {
	if q.Limit < 1 || q.Limit > Most {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("use a number from 1 to %d", Most),
			"%d tasks cannot run at the same time", q.Limit)
	}
	tasks, err := chosen(s, q)
	if err != nil {
		return nil, err
	}
	p := &pool{ran: make([]ParallelRun, len(tasks)), begun: make([]bool, len(tasks)), ended: map[string]*ParallelRun{}, records: tasks}
	for i, r := range tasks {
		p.ran[i].Task = r.Task.ID
	}
	ends := make(chan int)
	for running := 0; ; running-- {
		for running < q.Limit {
			i := p.next(q.Soft.Err() != nil)
			if i < 0 {
				break
			}
			running++
			go func() {
				id := tasks[i].Task.ID
				r, err := s.Run(ctx, RunRequest{NewTask: q.of(tasks[i]), Resume: id, Keep: q.Keep,
					Watch: q.Watch(id), Soft: q.Soft})
				if err == nil {
					err = Standing(r)
				}
				p.ran[i].Err = err
				ends <- i
			}()
		}
		if running == 0 {
			return p.ran, nil
		}
		i := <-ends
		p.ended[tasks[i].Task.ID.Key()] = &p.ran[i]
	}
}

// pool is which of several tasks have begun and ended. A task's own goroutine writes only
// its Err.
type pool struct {
	records []*session.Record
	ran     []ParallelRun
	begun   []bool
	ended   map[string]*ParallelRun
}

// next gives the first task that may begin now, -1 when there is none. One that can no
// longer begin ends here: stopped, or after a task that was not accepted.
func (p *pool) next(stopped bool) int {
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
			} else if first, wait := p.first(r); wait {
				continue
			} else if first != nil {
				err = belay.Refuse(belay.CodeOf(first.Err), fmt.Sprintf("belay show %s", first.Task),
					"%s depends on %s, which is not accepted", r.Task.ID, first.Task)
			}
			p.begun[i] = true
			if err == nil {
				return i
			}
			p.ran[i].Err = err
			p.ended[r.Task.ID.Key()] = &p.ran[i]
			again = true // others may come after it
		}
	}
	return -1
}

// first looks at the tasks that one comes after: whether any has still to end, and which
// was not accepted.
func (p *pool) first(r *session.Record) (bad *ParallelRun, wait bool) {
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

// chosen gives the tasks that are to run, or refuses.
func chosen(s *Service, q ParallelRequest) ([]*session.Record, error) {
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
		if err := s.MayRunSeparately(r, q.of(r)); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	return list, nil
}

// Standing is the error that a run of a task ends with: nil when it was accepted.
func Standing(r *session.Record) error {
	id := r.Task.ID
	switch {
	case r.State.Outcome == loop.OutcomePassed:
		return nil
	case r.State.Gate != nil:
		return Waiting(r, "")
	case !r.Open():
		return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", id), "%s was not accepted: %s", id, r.State.Outcome)
	}
	return parked(id)
}

// Waiting is the error of a task that waits for a person; try says what to do, "" to read the question.
func Waiting(r *session.Record, try string) error {
	id := r.Task.ID
	return belay.Refuse(belay.CodeWaiting, cmp.Or(try, fmt.Sprintf("belay gate show %s", id)), "%s waits for a person: %s", id,
		r.State.Gate.Why)
}

// ended refuses what is asked of a task that has ended.
func ended(r *session.Record, try string) error {
	return belay.Refuse(belay.CodeUsage, try, "%s has ended: %s", r.Task.ID, prompt.Outcome(r.State.Outcome))
}

// parked is the error of a run that a person stopped.
func parked(id belay.TaskID) error {
	return belay.Refuse(belay.CodeInterrupted, fmt.Sprintf("belay run --resume %s", id), "%s is paused", id)
}

// severity orders the ways in which tasks end badly, the worst last.
var severity = []belay.Code{belay.CodeWaiting, belay.CodeRefused, belay.CodeDrift, belay.CodeNotFound, belay.CodeBusy,
	belay.CodeUsage, belay.CodeCannot, belay.CodeInterrupted}

// Worst sums runs up: nil when all were accepted, else an error with the worst code.
func Worst(ran []ParallelRun) error {
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
