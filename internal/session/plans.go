package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"

	"github.com/belay-dev/belay/internal/plan"
)

// PlanNote is the kind of note that names the plan with a task's markers.
const PlanNote = "plan"

// Planner maintains the plan of a running task. A session without one has no plans.
type Planner interface {
	// Find returns the path of the task's plan, "" for none.
	Find(ctx context.Context, s *Session, t belay.Task) (path string, err error)
	// Mark writes the task's markers into its plan and returns messages for the person. It is safe
	// to repeat.
	Mark(ctx context.Context, s *Session, t belay.Task, path string) (told []string, err error)
	// Check compares the implementation with the task's markers.
	Check(ctx context.Context, s *Session, t belay.Task, path string) (belay.CheckResult, error)
	// Clear removes the task's markers from the plan and returns their number.
	Clear(ctx context.Context, s *Session, t belay.Task, path string) (int, error)
}

// planOf returns the plan that was recorded for a task, "" for none.
func (s *Session) planOf(r *Record) string {
	path := ""
	for _, n := range r.Notes {
		if n.Kind == PlanNote {
			path = n.Plan
		}
	}
	if s.Plans == nil {
		return ""
	}
	return path
}

// MarkPlan writes a task's markers into its plan. It runs before the before snapshot is taken, so
// that the markers never count as the agent's work, and records the plan first, so that the markers
// are removed however the run ends. A task in its own worktree has no plan, because the merge would
// bring the markers. If a plan cannot be marked, the reason is reported, and the task runs anyway.
func (s *Session) MarkPlan(ctx context.Context, r *Record, tell func(string)) error {
	if s.Plans == nil || r.Task.Worktree != "" {
		return nil
	}
	path := s.planOf(r)
	if path == "" {
		var err error
		if path, err = s.Plans.Find(ctx, s, r.Task); err != nil {
			tell("the plan was not marked: " + ErrorLine(err))
			return nil
		}
		if path == "" {
			return nil
		}
		if err := s.AddNote(ctx, r, Note{Kind: PlanNote, Plan: path, Text: "its plan is " + belay.VisibleLine(path)}); err != nil {
			return err
		}
	}
	told, err := s.Plans.Mark(ctx, s, r.Task, path)
	if err != nil {
		told = append(told, ErrorLine(err))
	}
	for _, line := range told {
		tell(belay.VisibleLine(path) + ": " + line)
	}
	return nil
}

// PlanMarks returns the path of a plan and one line for each of the task's markers in it: of the
// plan recorded for the task, else of the first usual plan file that has any. No plan is recorded
// for a task in its own worktree, but a person may have marked one.
func (s *Session) PlanMarks(r *Record) (path string, lines []string) {
	read := FileReader(s.Repo.Root, plan.MaxSize)
	places := plan.PlanPaths
	for _, named := range []string{s.Config.Plan, s.planOf(r)} {
		if named != "" {
			places = append([]string{named}, places...)
		}
	}
	for _, at := range places {
		text, there := read(at)
		if !there {
			continue
		}
		p, err := plan.Read(at, text)
		if err != nil {
			continue // the agent reads it itself, and the plan's check reports what is wrong with it
		}
		for _, m := range p.Markers {
			if m.Problem != "" || !m.NamesTask(r.Task.ID) {
				continue
			}
			l := p.LineOf(m)
			lines = append(lines, strings.ReplaceAll(fmt.Sprintf("%d: %s: %s", l.Line, l.Section, l.Text), ": : ", ": "))
		}
		if len(lines) > 0 {
			return at, lines
		}
	}
	return "", nil
}

// NowFiles reports which of the files for agents exist.
func (s *Session) NowFiles() prompt.NowFiles {
	there := func(name string, least int) bool {
		text, ok := FileReader(s.Repo.Root, 1)(".belay/now/" + name)
		return ok && len(text) >= least
	}
	return prompt.NowFiles{
		Task: there("task.md", 1), Feedback: there("feedback.md", 0), History: there("history.md", 0), Summary: there("summary.md", 0),
		Diff: there("last.diff", 1), Findings: there("findings.md", 1),
	}
}

// JudgePlan checks the work against the markers of the task's plan and appends its result to
// those of the other checks. Without a plan it returns checks unchanged.
func (s *Session) JudgePlan(ctx context.Context, r *Record, checks []belay.CheckResult) ([]belay.CheckResult, error) {
	path := s.planOf(r)
	if path == "" {
		return checks, nil
	}
	planned, err := s.Plans.Check(ctx, s, r.Task, path)
	if err != nil {
		return checks, err
	}
	return addPlanResult(checks, planned), nil
}

// ClearPlan removes the markers of an ending task from its plan. It is safe to repeat.
func (s *Session) ClearPlan(ctx context.Context, r *Record, tell func(string)) {
	path := s.planOf(r)
	if path == "" {
		return
	}
	switch n, err := s.Plans.Clear(ctx, s, r.Task, path); {
	case err != nil:
		tell(fmt.Sprintf("the markers of %s remain in %s: %s", r.Task.ID, belay.VisibleLine(path), ErrorLine(err)))
	case n > 0:
		tell(fmt.Sprintf("%s: removed the markers of %s", belay.VisibleLine(path), r.Task.ID))
	}
}
