package app

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/plan"
)

// Section is a section of a plan in its JSON form.
type Section struct {
	Name    string      `json:"name"`
	ID      string      `json:"id"`
	Path    string      `json:"path"`
	Kind    plan.Kind   `json:"kind"`
	Level   int         `json:"level"`
	Parent  string      `json:"parent,omitempty"` // path of the section that contains it
	Line    int         `json:"line"`
	EndLine int         `json:"end_line"`
	Start   int         `json:"start"` // bytes, from 0
	End     int         `json:"end"`
	Markers []Marker    `json:"markers"`
	Lists   []plan.List `json:"lists"`
}

// Marker is a marker of a plan in its JSON form.
type Marker struct {
	Marker belay.Marker `json:"marker"`
	Task   string       `json:"task,omitempty"`
	Count  *int         `json:"count"`
	Text   string       `json:"text"`
	Line   int          `json:"line"`
	Bad    string       `json:"problem,omitempty"`
}

// PlanView is a plan in its JSON form. Blocks are elements outside of all sections that can be marked; Unattached are
// markers outside of all sections.
type PlanView struct {
	Plan       string      `json:"plan"`
	Format     plan.Format `json:"format"`
	Sections   []Section   `json:"sections"`
	Blocks     []Section   `json:"blocks"`
	Unattached []Marker    `json:"loose"`
}

// ShowPlan returns the contents of a plan. It needs no repository.
func ShowPlan(dir, name string) (PlanView, error) {
	p, err := ReadPlan(dir, name)
	if err != nil {
		return PlanView{}, err
	}
	lists, err := plan.ListsBySection(p)
	if err != nil {
		return PlanView{}, err
	}
	out := PlanView{Plan: name, Format: p.Format, Sections: []Section{}, Blocks: []Section{}, Unattached: markerViews(p.MarkersOf(-1))}
	for i, s := range p.Sections {
		one := Section{Name: s.Name, ID: s.ID, Path: s.Path, Kind: s.Kind, Level: s.Level, Line: s.Line,
			EndLine: s.EndLine, Start: s.Start, End: s.End,
			Markers: markerViews(p.MarkersOf(i)), Lists: append([]plan.List{}, lists[i]...)}
		if s.Parent >= 0 {
			one.Parent = p.Sections[s.Parent].Path
		}
		if s.Kind == plan.Block {
			out.Blocks = append(out.Blocks, one)
		} else {
			out.Sections = append(out.Sections, one)
		}
	}
	return out, nil
}

func markerViews(list []plan.Marker) []Marker {
	out := []Marker{}
	for _, m := range list {
		out = append(out, Marker{Marker: m.Kind, Task: m.Task, Count: m.Count, Text: m.Text, Line: m.Line, Bad: m.Problem})
	}
	return out
}

// PlanValidation lists the faults of a plan. Against is the name of the earlier version that it was
// compared with, "" for none.
type PlanValidation struct {
	Plan     string         `json:"plan"`
	Valid    bool           `json:"valid"`
	Against  string         `json:"against,omitempty"`
	Findings []plan.Finding `json:"findings"`
}

// ValidatePlan returns the faults of a plan. In a repository these include markers of tasks that do
// not exist, and sections removed without a REMOVE marker since q.Against or, without it, since the
// last before snapshot or the last commit.
func ValidatePlan(ctx context.Context, s *Service, q PlanComparison) (PlanValidation, error) {
	out := PlanValidation{Plan: q.Plan, Findings: []plan.Finding{}}
	f, p, err := openPlan(s, q.Dir, q.Plan)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }()
	var k plan.Context
	if s != nil {
		if err := addKnownTasks(s, &k); err != nil {
			return out, err
		}
	}
	if k.Before, k.BeforeName, err = q.earlierVersion(ctx, f.serviceFor(s), f.rel); err != nil {
		return out, err
	}
	out.Against = k.BeforeName
	out.Findings = append(out.Findings, plan.Validate(p, k)...)
	out.Valid = plan.Valid(out.Findings)
	return out, nil
}

// Err returns an error for a plan that is not valid, else nil.
func (v PlanValidation) Err() error {
	for _, f := range v.Findings {
		if f.Severity != belay.SeverityError {
			continue
		}
		return belay.Refuse(belay.CodeRefused, "fix the plan", "%s: %s", belay.VisibleLine(belay.At(v.Plan, f.Line)), f.Message)
	}
	return nil
}

// earlierVersion returns the earlier version that a plan is compared with, and its name.
func (q PlanComparison) earlierVersion(ctx context.Context, svc *Service, rel string) (*plan.Plan, string, error) {
	if q.Against != "" {
		s, err := findState(ctx, svc, q.Dir, q.Against)
		if err != nil {
			return nil, "", err
		}
		p, err := s.readPlan(ctx, svc, rel)
		if err == nil && p == nil {
			err = belay.Refuse(belay.CodeNotFound, "name a state that contains it", "%s has no %s", s.name, belay.VisibleLine(rel))
		}
		return p, s.name, err
	}
	if svc == nil {
		return nil, "", nil
	}
	all, err := svc.Session.Snaps.List(ctx)
	if err != nil {
		return nil, "", err
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Kind != belay.KindBefore {
			continue // attempts changed these
		}
		text, _, err := svc.Session.Snaps.ReadFile(ctx, all[i].ID, rel)
		if err != nil {
			break
		}
		if p, err := plan.Read(rel, text); err == nil {
			return p, "snapshot " + all[i].ID.Short(), nil
		}
		break
	}
	s, err := commitState(ctx, svc, "HEAD")
	if err != nil {
		return nil, "", nil // no commit yet: there is no earlier version
	}
	p, err := s.readPlan(ctx, svc, rel)
	if err != nil || p == nil {
		return nil, "", nil // an unreadable version is not compared
	}
	return p, "HEAD", nil
}
