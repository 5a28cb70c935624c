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

// planCheckName is the name of the check that compares work with a plan's markers.
const planCheckName = "plan"

// AttachPlans enables plans for the tasks of a service.
func AttachPlans(s *Service) { s.Session.Plans = planKeeper{} }

// planKeeper implements session.Plans: it marks and checks the plans of running tasks.
type planKeeper struct{}

// Find returns the plan named in the config, if the task's type allows marking it; else the first
// of the usual paths with a plan that has markers of the task. A plan that is neither named nor
// marked is not touched.
func (planKeeper) Find(ctx context.Context, s *session.Session, t belay.Task) (string, error) {
	if named := s.Config.Plan; named != "" {
		got, err := UpdatePlan(ctx, &Service{Session: s}, PlanRequest{Dir: s.Repo.Root, Plan: named, Task: t.ID, DryRun: true})
		if err != nil || got.SkipReason == "" {
			return named, err
		}
	}
	read := session.FileReader(s.Repo.Root, plan.MaxSize)
	for _, at := range usualPlanPaths(t.Feature) {
		text, there := read(at)
		if !there {
			continue
		}
		if p, err := plan.Read(at, text); err == nil && len(p.MarkersFor(t.ID)) > 0 {
			return at, nil
		}
	}
	return "", nil
}

// usualPlanPaths returns the paths where a task's plan may be.
func usualPlanPaths(feature string) []string {
	list := slices.Clone(plan.PlanPaths)
	for _, dir := range featureFolders {
		if feature != "" && filepath.IsLocal(feature) {
			list = append(list, path.Join(dir, feature, "plan.md"), path.Join(dir, feature, "plan.tsx"))
		}
	}
	return list
}

// Mark does what `belay plan update` does. A section that the type of the task does not touch keeps its markers.
func (planKeeper) Mark(ctx context.Context, s *session.Session, t belay.Task, path string) ([]string, error) {
	got, err := UpdatePlan(ctx, &Service{Session: s}, PlanRequest{Dir: s.Repo.Root, Plan: path, Task: t.ID})
	if err != nil {
		return nil, err
	}
	told := got.Warnings
	if got.Written {
		told = append(told, fmt.Sprintf("marked for %s: %s", t.ID, belay.Count(len(got.Added), "marker", "markers")))
	}
	return told, nil
}

// Check runs `belay plan check` as a check: markers that are not met, or missing, fail. Results
// that counting cannot decide are reported and do not fail.
func (planKeeper) Check(ctx context.Context, s *session.Session, t belay.Task, path string) (belay.CheckResult, error) {
	if slices.Contains(t.Checks.Skip, planCheckName) {
		return belay.Skipped(planCheckName, "the config skips it"), nil
	}
	got, err := ComparePlan(ctx, &Service{Session: s}, PlanComparison{Dir: s.Repo.Root, Plan: path, Task: t.ID})
	var refused *belay.Error
	switch {
	case errors.As(err, &refused):
		return belay.Of(planCheckName, "the plan cannot be read", []belay.Finding{unusablePlan(path, refused.What)}), nil
	case err != nil:
		return belay.CheckResult{}, err
	case len(got.Markers) == 0 && got.previousMarkers == markersAbsent: // no section matches the task
		return belay.Skipped(planCheckName, "no section of the plan could be marked"), nil
	case len(got.Markers) == 0:
		gone := unusablePlan(path, fmt.Sprintf("the markers of %s were removed from it", t.ID))
		if got.previousMarkers == markersUnknown { // a plan that git ignores is in no before snapshot
			gone.Severity = belay.SeverityWarning
		}
		return belay.Of(planCheckName, "the plan's markers were removed", []belay.Finding{gone}), nil
	}
	var found []belay.Finding
	n := map[count.Verdict]int{}
	for _, j := range got.Markers {
		n[j.Verdict]++
		found = append(found, planFindings(path, j)...)
	}
	summary := fmt.Sprintf("%s, %d not met", belay.Count(len(got.Markers), "marker", "markers"), n[count.Fail])
	if u := n[plan.Unknown]; u > 0 {
		summary += fmt.Sprintf(", %d not known", u)
	}
	return belay.Of(planCheckName, summary, found), nil
}

// unusablePlan returns the finding for a plan without its markers.
func unusablePlan(path, why string) belay.Finding {
	return belay.Finding{
		Severity: belay.SeverityError, Category: belay.CategoryContract, File: path, Title: "the plan no longer has its markers",
		Detail: why, Recommendation: "restore the markers: belay removes them when the task ends",
	}
}

// planFindings returns the findings of one marker.
func planFindings(path string, j plan.MarkerVerdict) []belay.Finding {
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

// Clear removes a task's markers from its plan and changes nothing else.
func (planKeeper) Clear(ctx context.Context, s *session.Session, t belay.Task, path string) (int, error) {
	f, err := OpenPlanFile(&Service{Session: s}, s.Repo.Root, path)
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
	text := p.StripMarkers(func(m plan.Marker) bool {
		if m.Problem != "" || !m.NamesTask(t.ID) {
			return true
		}
		n++
		return false
	})
	if n == 0 {
		removeLeftover(&Service{Session: s}, p, t.ID)
		return 0, nil
	}
	return n, f.writeByTemp(ctx, &Service{Session: s}, p.Text(), text)
}
