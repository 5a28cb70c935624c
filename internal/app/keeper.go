package app

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/plan"
	"github.com/belay-dev/belay/internal/session"
)

// checkName is the name of the check that holds work to a plan's markers.
const checkName = "plan"

// Attach lets the tasks of a session have plans.
func AttachPlans(s *Service) { s.Session.Plans = keeper{} }

// keeper keeps the plans of tasks that are run.
type keeper struct{}

// Find gives the plan that the config names, where marking it for the task would write
// something or has already; else the first of the usual places whose plan has markers of
// the task. A plan that nobody named and nobody marked is not touched.
func (keeper) Find(ctx context.Context, s *session.Session, t belay.Task) (string, error) {
	if named := s.Config.Plan; named != "" {
		got, err := UpdatePlan(ctx, &Service{Session: s}, Change{Dir: s.Repo.Root, Plan: named, Task: t.ID, Dry: true})
		if err != nil || got.Left == "" {
			return named, err
		}
	}
	read := session.Reader(s.Repo.Root, plan.MaxSize)
	for _, at := range places(t.Feature) {
		text, there := read(at)
		if !there {
			continue
		}
		if p, err := plan.Read(at, text); err == nil && len(p.For(t.ID)) > 0 {
			return at, nil
		}
	}
	return "", nil
}

// places are where a task's plan may lie.
func places(feature string) []string {
	list := slices.Clone(plan.Places)
	for _, dir := range folders {
		if feature != "" && filepath.IsLocal(feature) {
			list = append(list, path.Join(dir, feature, "plan.md"), path.Join(dir, feature, "plan.tsx"))
		}
	}
	return list
}

// Mark does what `belay plan update` does. What a task of another type leaves alone stays
// as somebody marked it.
func (keeper) Mark(ctx context.Context, s *session.Session, t belay.Task, path string) ([]string, error) {
	got, err := UpdatePlan(ctx, &Service{Session: s}, Change{Dir: s.Repo.Root, Plan: path, Task: t.ID})
	if err != nil {
		return nil, err
	}
	told := got.Warnings
	if got.Written {
		told = append(told, fmt.Sprintf("marked for %s: %s", t.ID, belay.Count(len(got.Added), "marker", "markers")))
	}
	return told, nil
}

// Check is `belay plan check` as a check: a marker that is not met refuses the work, as do
// markers that are gone. What counting cannot tell is said and refuses nothing.
func (keeper) Check(ctx context.Context, s *session.Session, t belay.Task, path string) (belay.CheckResult, error) {
	if slices.Contains(t.Checks.Skip, checkName) {
		return belay.Skipped(checkName, "the config skips it"), nil
	}
	got, err := Compare(ctx, &Service{Session: s}, Question{Dir: s.Repo.Root, Plan: path, Task: t.ID})
	var refused *belay.Error
	switch {
	case errors.As(err, &refused):
		return belay.Of(checkName, "the plan cannot be read", []belay.Finding{broken(path, refused.What)}), nil
	case err != nil:
		return belay.CheckResult{}, err
	case len(got.Markers) == 0 && got.marked == bare: // no section was found for what is asked
		return belay.Skipped(checkName, "no section of the plan could be marked"), nil
	case len(got.Markers) == 0:
		gone := broken(path, fmt.Sprintf("the markers of %s were removed from it", t.ID))
		if got.marked == untold { // a plan that git ignores is in no state before
			gone.Severity = belay.SeverityWarning
		}
		return belay.Of(checkName, "the plan's markers were removed", []belay.Finding{gone}), nil
	}
	var found []belay.Finding
	n := map[count.Verdict]int{}
	for _, j := range got.Markers {
		n[j.Verdict]++
		found = append(found, findings(path, j)...)
	}
	summary := fmt.Sprintf("%s, %d not met", belay.Count(len(got.Markers), "marker", "markers"), n[count.Fail])
	if u := n[plan.Unknown]; u > 0 {
		summary += fmt.Sprintf(", %d not known", u)
	}
	return belay.Of(checkName, summary, found), nil
}

// broken is a plan that says nothing any more of what it was marked with.
func broken(path, why string) belay.Finding {
	return belay.Finding{
		Severity: belay.SeverityError, Category: belay.CategoryContract, File: path, Title: "the plan no longer has its markers",
		Detail: why, Recommendation: "restore the markers: belay removes them when the task ends",
	}
}

// findings are what was found of one marker.
func findings(path string, j plan.Judged) []belay.Finding {
	var out []belay.Finding
	for _, f := range j.Findings {
		one := belay.Finding{
			Severity: belay.Severity(f.Severity), Category: belay.CategoryContract, File: f.File, Line: f.Line,
			Title:          fmt.Sprintf("%s: %s", j.Section, f.Message),
			Detail:         fmt.Sprintf("%s:%d says [%s]: %s", belay.VisibleLine(path), j.Line, j.Marker, j.Text),
			Recommendation: "implement what the plan's marker asks for",
		}
		out = append(out, one)
	}
	return out
}

// Clear takes a task's markers out of its plan; every other byte stays.
func (keeper) Clear(ctx context.Context, s *session.Session, t belay.Task, path string) (int, error) {
	f, err := PlanAt(&Service{Session: s}, s.Repo.Root, path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	p, err := f.Read()
	if belay.CodeOf(err) == belay.CodeNotFound {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n := 0
	text := p.Strip(func(m plan.Marker) bool {
		if m.Bad != "" || !m.Of(t.ID) {
			return true
		}
		n++
		return false
	})
	if n == 0 {
		forget(&Service{Session: s}, p, t.ID)
		return 0, nil
	}
	return n, f.put(ctx, &Service{Session: s}, p.Text(), text)
}
