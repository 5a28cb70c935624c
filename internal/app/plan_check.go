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

// Question is a plan to be held against something: Against is a folder, a task, a snapshot
// or a revision; "" is the state before the task.
type Question struct {
	Dir, Plan string
	Against   string
	Task      belay.TaskID // "": the latest that the plan has markers of
}

// Compared is a plan beside another version of it and beside its implementation.
type Compared struct {
	Plan     string               `json:"plan"`
	Task     belay.TaskID         `json:"task,omitempty"`
	Against  string               `json:"against"`
	Verdict  count.Verdict        `json:"verdict"`
	Changes  []plan.Change        `json:"changes"` // of the plan; empty when the other state has none
	Markers  []plan.MarkerVerdict `json:"markers"` // of the task
	Warnings []string             `json:"warnings"`

	marked was // what the other state's plan has of the task
}

// was is whether a plan had markers of a task.
type was int

const (
	untold was = iota // it was not held, or cannot be read
	bare
	marked
)

// Compare holds a plan against another state of the project: what became of its sections,
// and for each marker of the task what the counts are. d is nil outside of a repository.
func Compare(ctx context.Context, svc *Service, q Question) (Compared, error) {
	out := Compared{Plan: q.Plan, Verdict: count.Pass, Changes: []plan.Change{}, Markers: []plan.MarkerVerdict{}, Warnings: []string{}}
	f, p, err := opened(svc, q.Dir, q.Plan)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }()
	if out.Task, err = latest(svc, p, q.Task); err != nil {
		return out, err
	}
	svc = f.home(svc)
	before, after, rel, err := q.states(ctx, svc, f, out.Task)
	if err != nil {
		return out, err
	}
	out.Against = before.name
	old, err := before.plan(ctx, svc, rel)
	if err != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the plan of %s cannot be read: %v", before.name, err))
	}
	if old != nil {
		out.Changes = plan.Compare(old, p)
		out.marked = bare
		if len(old.MarkersFor(out.Task)) > 0 {
			out.marked = marked
		}
	}
	if out.Task == "" {
		out.Verdict = plan.Unknown
		out.Warnings = append(out.Warnings, "the plan has no markers of a task")
		return out, nil
	}
	s, err := sides(ctx, svc, before, after, p, out.Task, rel)
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

// states gives the two states that are compared, and where the plan lies in both.
func (q Question) states(ctx context.Context, s *Service, f *PlanFile, task belay.TaskID) (before, after *state, rel string, err error) {
	rel = f.rel
	switch {
	case q.Against != "":
		before, err = find(ctx, s, q.Dir, q.Against)
	case s == nil:
		err = belay.Refuse(belay.CodeUsage, "use --against DIR, a folder with the old version",
			"no repository to take the old version from")
	default:
		before, err = earlier(ctx, s, task)
	}
	if err != nil {
		return nil, nil, "", err
	}
	if before.dir == "" {
		after, err = present(ctx, s)
		return before, after, rel, err
	}
	// The folder stands beside the top of the project when it has the plan where the project
	// has it, else beside the folder that the plan is in.
	after = &state{name: "the folder of the plan", dir: f.top}
	if p, perr := before.plan(ctx, s, rel); perr == nil && p == nil {
		after.dir, rel = filepath.Dir(filepath.Join(f.top, filepath.FromSlash(rel))), path.Base(rel)
	}
	return before, after, rel, nil
}

// earlier is the state before a task: as it was held, else the last commit.
func earlier(ctx context.Context, svc *Service, task belay.TaskID) (*state, error) {
	if task != "" {
		if r, err := svc.Session.Load(task); err == nil && r.State.Before != "" {
			return held(ctx, svc, r.State.Before, "the state before "+string(r.Task.ID))
		}
	}
	s, err := revision(ctx, svc, "HEAD")
	if err != nil {
		return nil, belay.Refuse(belay.CodeNotFound, "--against DIR, a snapshot or a revision",
			"no snapshot or commit to compare with")
	}
	return s, nil
}

// latest gives the task that a plan is held to: the one that was asked for, else of those
// it has markers of the one recorded last, else the highest number.
func latest(s *Service, p *plan.Plan, asked belay.TaskID) (belay.TaskID, error) {
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

// Refusal is the error of a plan whose markers are not met; nil when none failed.
func (c Compared) Refusal() error {
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
