package app

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/plan"
	"github.com/belay-dev/belay/internal/session"
)

// PlanComparison asks to compare a plan with Against: a folder, a task, a snapshot or a revision;
// "" is the state before the task.
type PlanComparison struct {
	Dir, Plan string
	Against   string
	Task      belay.TaskID // "": the latest task with markers in the plan
}

// PlanCompared is a plan compared with another version of it and with its implementation.
type PlanCompared struct {
	Plan     string               `json:"plan"`
	Task     belay.TaskID         `json:"task,omitempty"`
	Against  string               `json:"against"`
	Verdict  count.Verdict        `json:"verdict"`
	Changes  []plan.Change        `json:"changes"` // of the plan; empty when the other state has no plan
	Markers  []plan.MarkerVerdict `json:"markers"` // of the task
	Warnings []string             `json:"warnings"`

	previousMarkers markerState // whether the other state's plan has markers of the task
}

// markerState is whether a plan had markers of a task.
type markerState int

const (
	markersUnknown markerState = iota // the plan is missing or cannot be read
	markersAbsent
	markersPresent
)

// ComparePlan compares a plan with another state of the project: the changes of its sections, and the counts for each
// marker of the task. svc is nil outside of a repository.
func ComparePlan(ctx context.Context, svc *Service, q PlanComparison) (PlanCompared, error) {
	out := PlanCompared{Plan: q.Plan, Verdict: count.Pass, Changes: []plan.Change{}, Markers: []plan.MarkerVerdict{}, Warnings: []string{}}
	f, p, err := openPlan(svc, q.Dir, q.Plan)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }()
	if out.Task, err = taskOfPlan(svc, p, q.Task); err != nil {
		return out, err
	}
	svc = f.serviceFor(svc)
	before, after, rel, err := q.openStates(ctx, svc, f, out.Task)
	if err != nil {
		return out, err
	}
	out.Against = before.name
	old, err := before.readPlan(ctx, svc, rel)
	if err != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the plan of %s cannot be read: %v", before.name, err))
	}
	if old != nil {
		out.Changes = plan.Compare(old, p)
		out.previousMarkers = markersAbsent
		if len(old.MarkersFor(out.Task)) > 0 {
			out.previousMarkers = markersPresent
		}
	}
	if out.Task == "" {
		out.Verdict = plan.Unknown
		out.Warnings = append(out.Warnings, "the plan has no markers of a task")
		return out, nil
	}
	s, err := planSides(ctx, svc, before, after, p, out.Task, rel)
	if err != nil {
		return out, err
	}
	judged, err := plan.CheckTask(p, out.Task, s)
	if err != nil {
		return out, err
	}
	out.Markers = append(out.Markers, judged...)
	out.Verdict = plan.OverallVerdict(judged)
	if len(judged) == 0 {
		out.Verdict = plan.Unknown
		out.Warnings = append(out.Warnings, fmt.Sprintf("the plan has no markers of %s", out.Task))
	}
	return out, nil
}

// openStates returns the two states to compare, and the path of the plan in both.
func (q PlanComparison) openStates(ctx context.Context, s *Service, f *PlanFile,
	task belay.TaskID) (before, after *projectState, rel string, err error) {
	rel = f.rel
	switch {
	case q.Against != "":
		before, err = findState(ctx, s, q.Dir, q.Against)
	case s == nil:
		err = belay.Refuse(belay.CodeUsage, "use --against DIR, a folder with the old version",
			"no repository to take the old version from")
	default:
		before, err = stateBefore(ctx, s, task)
	}
	if err != nil {
		return nil, nil, "", err
	}
	if before.dir == "" {
		after, err = workingTreeState(ctx, s)
		return before, after, rel, err
	}
	// If the folder has the plan at the same path as the project, it is compared with the project's
	// top folder, else with the folder that contains the plan.
	after = &projectState{name: "the folder of the plan", dir: f.top}
	if p, perr := before.readPlan(ctx, s, rel); perr == nil && p == nil {
		after.dir, rel = filepath.Dir(filepath.Join(f.top, filepath.FromSlash(rel))), path.Base(rel)
	}
	return before, after, rel, nil
}

// stateBefore returns the state before a task: its before snapshot, else the last commit.
func stateBefore(ctx context.Context, svc *Service, task belay.TaskID) (*projectState, error) {
	if task != "" {
		if r, err := svc.Session.Load(task); err == nil && r.State.Before != "" {
			return snapshotState(ctx, svc, r.State.Before, "the state before "+string(r.Task.ID))
		}
	}
	s, err := commitState(ctx, svc, "HEAD")
	if err != nil {
		return nil, belay.Refuse(belay.CodeNotFound, "--against DIR, a snapshot or a revision",
			"no snapshot or commit to compare with")
	}
	return s, nil
}

// taskOfPlan returns the task to compare a plan with: asked, else of the tasks with markers in the
// plan the one recorded last, else the one with the highest number.
func taskOfPlan(s *Service, p *plan.Plan, asked belay.TaskID) (belay.TaskID, error) {
	if asked != "" {
		if s == nil || len(p.MarkersFor(asked)) > 0 {
			return asked, nil
		}
		r, err := s.Session.Load(asked)
		if err != nil {
			return "", err
		}
		return r.Task.ID, nil
	}
	if s != nil {
		records, err := s.Session.Records(nil)
		if err != nil {
			return "", err
		}
		slices.SortStableFunc(records, func(a, b *session.Record) int { return b.Created.Compare(a.Created) })
		for _, r := range records {
			if len(p.MarkersFor(r.Task.ID)) > 0 {
				return r.Task.ID, nil
			}
		}
	}
	best, top := belay.TaskID(""), -1
	for _, m := range p.Markers {
		if m.Problem != "" || m.Task == "" || m.Section < 0 {
			continue
		}
		n, id := 0, belay.TaskID(m.Task)
		if v, err := strconv.Atoi(m.Task); err == nil {
			n, id = v, belay.TaskID("T"+m.Task)
		}
		if n > top {
			best, top = id, n
		}
	}
	return best, nil
}

// Refusal returns the error of a plan with markers that are not met, nil if none failed.
func (c PlanCompared) Refusal() error {
	failed := 0
	var first plan.MarkerVerdict
	for _, j := range c.Markers {
		if j.Verdict == count.Fail {
			if failed == 0 {
				first = j
			}
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	what := fmt.Sprintf("[%s] is not met", first.Marker)
	for _, f := range first.Findings {
		if f.Severity == "error" {
			what = f.String()
			break
		}
	}
	if failed > 1 {
		what += fmt.Sprintf(" (and %d more)", failed-1)
	}
	return belay.Refuse(belay.CodeRefused,
		"do what the markers of "+string(c.Task)+" ask for and keep what they preserve", "%s: %s", first.Section, what)
}
