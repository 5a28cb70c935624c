package desk

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
)

// PlanNote is the kind of the note that names the plan which holds a task's markers.
const PlanNote = "plan"

// Planner keeps the plan of a task that is run. A desk where none is set has no plans.
type Planner interface {
	// Find gives the path of the plan that is the task's, "" for none.
	Find(ctx context.Context, d *Desk, t belay.Task) (path string, err error)
	// Mark writes the task's markers into its plan and gives what a person should know of
	// it. It can be done again.
	Mark(ctx context.Context, d *Desk, t belay.Task, path string) (told []string, err error)
	// Check holds the implementation to the task's markers.
	Check(ctx context.Context, d *Desk, t belay.Task, path string) (belay.CheckResult, error)
	// Clear takes the task's markers out of the plan and gives how many there were.
	Clear(ctx context.Context, d *Desk, t belay.Task, path string) (int, error)
}

// planOf gives the plan that was noted for a task, "" for none.
func (d *Desk) planOf(r *Record) string {
	path := ""
	for _, n := range r.Notes {
		if n.Kind == PlanNote {
			path = n.Plan
		}
	}
	if d.Plans == nil {
		return ""
	}
	return path
}

// MarkPlan marks a task's plan. It comes before its state is held, so that the marks are
// never taken for the agent's work, and is noted first, so that they go again however the
// run ends. A task in a tree of its own has no plan: the merge would bring the marks. What
// keeps a plan from being marked is named, and is no reason to refuse anything.
func (d *Desk) MarkPlan(ctx context.Context, r *Record, tell func(string)) error {
	if d.Plans == nil || r.Task.Worktree != "" {
		return nil
	}
	path := d.planOf(r)
	if path == "" {
		var err error
		if path, err = d.Plans.Find(ctx, d, r.Task); err != nil {
			tell("the plan was not marked: " + Sentence(err))
			return nil
		}
		if path == "" {
			return nil
		}
		if err := d.AddNote(ctx, r, Note{Kind: PlanNote, Plan: path, Text: "its plan is " + belay.VisibleLine(path)}); err != nil {
			return err
		}
	}
	told, err := d.Plans.Mark(ctx, d, r.Task, path)
	if err != nil {
		told = append(told, Sentence(err))
	}
	for _, line := range told {
		tell(belay.VisibleLine(path) + ": " + line)
	}
	return nil
}

// JudgePlan holds the work to the markers of the task's plan, and adds its answer to those
// of the other checks. A task without a plan leaves them as they are.
func (d *Desk) JudgePlan(ctx context.Context, r *Record, checks []belay.CheckResult) ([]belay.CheckResult, error) {
	path := d.planOf(r)
	if path == "" {
		return checks, nil
	}
	planned, err := d.Plans.Check(ctx, d, r.Task, path)
	if err != nil {
		return checks, err
	}
	return toldOnce(checks, planned), nil
}

// ClearPlan takes the markers of a task that ends out of its plan. It can be done again.
func (d *Desk) ClearPlan(ctx context.Context, r *Record, tell func(string)) {
	path := d.planOf(r)
	if path == "" {
		return
	}
	switch n, err := d.Plans.Clear(ctx, d, r.Task, path); {
	case err != nil:
		tell(fmt.Sprintf("the markers of %s stay in %s: %s", r.Task.ID, belay.VisibleLine(path), Sentence(err)))
	case n > 0:
		tell(fmt.Sprintf("%s: the markers of %s were taken out", belay.VisibleLine(path), r.Task.ID))
	}
}
