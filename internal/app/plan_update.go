package app

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/plan"
)

// PlanRequest asks to write or change a plan.
type PlanRequest struct {
	Dir, Plan string // Plan is relative to Dir
	Task      belay.TaskID
	Pins      map[int][]string // sections by the number of the requirement; 0 is for those without one
	DryRun    bool             // write nothing
	Force     bool             // ignore the task's type
}

// PlacedRequirement is a requirement, or a phrase about what to preserve, and its sections of the
// plan.
type PlacedRequirement struct {
	Number   int             `json:"number"`
	Marker   belay.Marker    `json:"marker"`
	Count    *int            `json:"count"`
	Text     string          `json:"text"`
	Sections []SectionReason `json:"sections"`
	Hints    []string        `json:"hints,omitempty"` // similar sections, if none matches
}

// SectionReason is a section and the reasons why it matches.
type SectionReason struct {
	Section string   `json:"section"`
	Why     []string `json:"why"`
}

// PlanChange is the result of UpdatePlan.
type PlanChange struct {
	Plan         string              `json:"plan"`
	Task         belay.TaskID        `json:"task"`
	Type         belay.RequestType   `json:"type"`
	Written      bool                `json:"written"`
	SkipReason   string              `json:"left,omitempty"` // why the plan is unchanged
	Requirements []PlacedRequirement `json:"requirements"`
	Preserved    []PlacedRequirement `json:"preserve"`
	Added        []plan.MarkerLine   `json:"added"`
	Dropped      []plan.MarkerLine   `json:"dropped"`
	Warnings     []string            `json:"warnings"`
}

// UpdatePlan marks a plan for a task that changes the planned things. For a task that makes
// something new, or only fixes, the plan stays unchanged; the result has the reason.
func UpdatePlan(ctx context.Context, s *Service, q PlanRequest) (PlanChange, error) {
	out := PlanChange{Plan: q.Plan, Task: q.Task, Requirements: []PlacedRequirement{}, Preserved: []PlacedRequirement{},
		Added:   []plan.MarkerLine{},
		Dropped: []plan.MarkerLine{}, Warnings: []string{}}
	f, p, err := openPlan(s, q.Dir, q.Plan)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }()
	t, err := recordedTask(s, q.Task)
	if err != nil {
		return out, err
	}
	out.Task = t.ID
	req := requestOf(ctx, s, t)
	out.Type = req.Type
	if err := out.skipByType(req, q); err != nil || out.SkipReason != "" {
		return out, err
	}
	u, err := plan.UpdatePlan(p, plan.Work{Task: t.ID, Request: req, Prose: t.Prose, Pins: q.Pins})
	if err != nil {
		return out, err
	}
	out.describe(p, u)
	switch {
	case q.DryRun:
		return out, nil
	case bytes.Equal(u.Text, p.Text()):
		removeLeftover(s, p, t.ID)
		return out, nil
	}
	if err := f.writeByTemp(ctx, s, p.Text(), u.Text); err != nil {
		return out, err
	}
	out.Written = true
	return out, nil
}

// requestOf returns the task's request, or parses the text if an old record has none.
func requestOf(ctx context.Context, s *Service, t belay.Task) belay.Request {
	if t.Request.Type != "" {
		return t.Request
	}
	req, _ := s.ParseRequest(ctx, t.Prose)
	return req
}

// skipByType sets the reason if tasks of this type leave the plan unchanged. An ambiguous text is
// CodeWaiting.
func (c *PlanChange) skipByType(req belay.Request, q PlanRequest) error {
	name := belay.VisibleLine(q.Plan)
	switch {
	case q.Force:
	case req.Type == belay.Fresh:
		c.SkipReason = fmt.Sprintf("%s is fresh: make its plan with belay plan new --task %s; %s is unchanged", c.Task, c.Task, name)
	case req.Type == belay.Bugfix:
		c.SkipReason = fmt.Sprintf("%s is a bugfix: %s is unchanged", c.Task, name)
	case req.Type == belay.Unclear:
		return belay.Refuse(belay.CodeWaiting,
			"clarify it in a new task, or mark it as read with --anyway",
			"%s is ambiguous, so nothing was marked", c.Task)
	}
	return nil
}

// describe adds the new markers and the warnings to the result.
func (c *PlanChange) describe(p *plan.Plan, u plan.Update) {
	c.Requirements, c.Preserved = placedRequirements(p, u.Asked), placedRequirements(p, u.Kept)
	c.Added, c.Dropped = append(c.Added, u.Added...), append(c.Dropped, u.Dropped...)
	missing := false
	for _, a := range c.Requirements {
		if len(a.Sections) > 0 {
			continue
		}
		missing = true
		near := ""
		if len(a.Hints) > 0 {
			near = ", perhaps in " + strings.Join(a.Hints, " or ")
		}
		c.addWarning("requirement %d fits no section%s: [%s] %s", a.Number, near, a.Marker, a.Text)
	}
	for _, k := range c.Preserved {
		if len(k.Sections) == 0 {
			c.addWarning("the part to preserve fits no section: %s", k.Text)
		}
	}
	switch {
	case len(c.Requirements) == 0:
		c.addWarning("%s has no requirements to mark", c.Task)
	case missing && len(u.Unplaced()) == len(u.Asked):
		c.addWarning("nothing was marked; use --section NAME")
	case missing:
		c.addWarning("use --section NUMBER=NAME; until then sections without a marker say NO CHANGES")
	}
	for _, s := range u.Stale {
		c.addWarning("line %d has a marker that does not belong to %s: %s", s.Line, c.Task, s.Text)
	}
}

func (c *PlanChange) addWarning(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

func placedRequirements(p *plan.Plan, placed []plan.Placed) []PlacedRequirement {
	out := []PlacedRequirement{}
	for _, a := range placed {
		w := PlacedRequirement{Number: a.Number, Marker: a.Requirement.Marker, Count: a.Requirement.Count, Text: a.Requirement.Text,
			Sections: []SectionReason{}, Hints: a.Hints}
		for _, m := range a.Matches {
			w.Sections = append(w.Sections, SectionReason{Section: p.Sections[m.Section].Path, Why: m.Reasons})
		}
		out = append(out, w)
	}
	return out
}
