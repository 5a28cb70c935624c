package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

const mostAttempts = 20

func policy() belay.Policy {
	p := belay.DefaultPolicy()
	p.Retries, p.MaxAttempts = mostAttempts-1, mostAttempts
	return p
}

// answer returns the result of the pending command, with agents and tests that take no time: the
// last of attempts passes.
func answer(s loop.State, attempts int) loop.Event {
	c := s.Pending
	if c == nil {
		return loop.Event{Kind: loop.EvStarted}
	}
	e := loop.Event{Command: c.ID}
	id := belay.SnapshotID(fmt.Sprintf("s%d", s.Seq))
	switch c.Kind {
	case loop.CmdSnapshot:
		e.Kind, e.Snapshot = loop.EvSnapshot, id
	case loop.CmdAttempt:
		e.Kind, e.Ended, e.Elapsed = loop.EvAttempted, loop.EndedExit, time.Minute
	case loop.CmdCapture:
		e.Kind, e.Snapshot = loop.EvCaptured, id
	case loop.CmdCheck:
		e.Kind, e.Verdict = loop.EvChecked, belay.VerdictPass
		if c.Attempt < attempts {
			e.Verdict = belay.VerdictFail
			e.Findings = []belay.Finding{belay.Finding{Check: "tests", Severity: belay.SeverityError, Category: belay.CategoryTests,
				Title: fmt.Sprintf("TestAdd fails for the value %d", c.Attempt)}.Sign()}
		}
	case loop.CmdRestore:
		e.Kind, e.Snapshot = loop.EvRestored, id
	default:
		e.Kind = loop.EvClosed
	}
	return e
}

// local measures a step of the loop and its journal entry on disk, as belay run records it.
func local(ctx context.Context, dir string) error {
	store := journal.Open(filepath.Join(dir, "journal"))
	var steps, appends []time.Duration
	for n := range 40 {
		id := belay.TaskID(fmt.Sprintf("T%d", n))
		head, err := store.Create(ctx, id, "task", task.Input{ID: id, Prose: "Add a line"})
		if err != nil {
			return err
		}
		var s loop.State
		for s.Phase != loop.PhaseClosed {
			e := answer(s, 3)
			began := time.Now()
			next, _, err := loop.Step(policy(), s, e)
			if err != nil {
				return err
			}
			stepped := time.Now()
			if head, err = store.Append(ctx, id, head, session.EntryEvent, session.EventEntry{Event: e, State: next}); err != nil {
				return err
			}
			steps, appends = append(steps, stepped.Sub(began)), append(appends, time.Since(stepped))
			s = next
		}
	}
	rule, rule95 := spread(steps)
	disk, disk95 := spread(appends)
	fmt.Printf("### A step on one machine, %d steps\n\n| what | median | 95 %% |\n|---|---|---|\n", len(steps))
	fmt.Printf("| the rules: `loop.Step` | %s | %s |\n", ms(rule), ms(rule95))
	fmt.Printf("| the record: an entry written and synced | %s | %s |\n\n", ms(disk), ms(disk95))
	return nil
}

// records are the records of tasks on workers with commands that take no time.
type records struct {
	mu  sync.Mutex
	all map[belay.TaskID]*record
}

type record struct {
	state    loop.State
	steps    []task.Step
	attempts int
}

// do does a command, unless it is recorded already, and returns the recorded steps.
func (r *records) do(worker string) func(context.Context, task.Ask) (task.ActivityResult, error) {
	return func(_ context.Context, q task.Ask) (task.ActivityResult, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		t := r.all[q.Task.ID]
		if t == nil {
			t = &record{}
			if _, err := fmt.Sscan(q.Task.Prose, &t.attempts); err != nil {
				return task.ActivityResult{}, temporal.NewNonRetryableApplicationError(err.Error(), task.ErrRefused, err)
			}
			r.all[q.Task.ID] = t
		}
		if p := t.state.Pending; t.state.Phase == "" || p != nil && p.ID == q.Command.ID {
			e := answer(t.state, t.attempts)
			next, _, err := loop.Step(policy(), t.state, e)
			if err != nil {
				return task.ActivityResult{}, err
			}
			sum, err := task.StateHash(next)
			if err != nil {
				return task.ActivityResult{}, err
			}
			t.state = next
			t.steps = append(t.steps, task.Step{Event: task.SlimEvent(e), Sum: sum, Time: time.Now().UTC()})
		}
		return task.ActivityResult{Worker: worker, Policy: policy(), Steps: t.steps[q.Head.Seq:], Pushed: true,
			Head: task.Head{Seq: len(t.steps), Hash: fmt.Sprintf("%064d", len(t.steps))}}, nil
	}
}

func adopt(context.Context, task.Ask) (task.ActivityResult, error) {
	return task.ActivityResult{}, errors.New("no worker is lost here")
}
