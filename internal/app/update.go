package app

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/plan"
)

// Change is what somebody wants of a plan.
type Change struct {
	Dir, Plan string // the plan, named from the folder Dir
	Task      belay.TaskID
	Pins      map[int][]string // sections by the number of the requirement; 0 is for those in none
	Dry       bool             // write nothing
	Anyway    bool             // whatever the task's type is
}

// Where is a requirement, or a phrase about what stays, and its sections.
type Where struct {
	Number   int          `json:"number"`
	Marker   belay.Marker `json:"marker"`
	Count    *int         `json:"count"`
	Text     string       `json:"text"`
	Sections []Because    `json:"sections"`
	Hints    []string     `json:"hints,omitempty"` // sections that come near, when none is sure
}

// Because is a section and why it is meant.
type Because struct {
	Section string   `json:"section"`
	Why     []string `json:"why"`
}

// Changed is what became of a plan.
type PlanChange struct {
	Plan     string            `json:"plan"`
	Task     belay.TaskID      `json:"task"`
	Type     belay.RequestType `json:"type"`
	Written  bool              `json:"written"`
	Left     string            `json:"left,omitempty"` // why the plan is left as it is
	Asked    []Where           `json:"requirements"`
	Kept     []Where           `json:"preserve"`
	Added    []plan.MarkerLine `json:"added"`
	Dropped  []plan.MarkerLine `json:"dropped"`
	Warnings []string          `json:"warnings"`
}

// Update marks a plan for a task that changes what is planned. A task that makes something
// new, or only fixes, leaves it, and says so.
func UpdatePlan(ctx context.Context, s *Service, q Change) (PlanChange, error) {
	out := PlanChange{Plan: q.Plan, Task: q.Task, Asked: []Where{}, Kept: []Where{}, Added: []plan.MarkerLine{},
		Dropped: []plan.MarkerLine{}, Warnings: []string{}}
	f, p, err := opened(s, q.Dir, q.Plan)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }()
	t, err := recordedTask(s, q.Task)
	if err != nil {
		return out, err
	}
	out.Task = t.ID
	req := understood(ctx, s, t)
	out.Type = req.Type
	if err := out.leave(req, q); err != nil || out.Left != "" {
		return out, err
	}
	u, err := plan.UpdatePlan(p, plan.Work{Task: t.ID, Request: req, Prose: t.Prose, Pins: q.Pins})
	if err != nil {
		return out, err
	}
	out.tell(p, u)
	switch {
	case q.Dry:
		return out, nil
	case bytes.Equal(u.Text, p.Text()):
		forget(s, p, t.ID)
		return out, nil
	}
	if err := f.put(ctx, s, p.Text(), u.Text); err != nil {
		return out, err
	}
	out.Written = true
	return out, nil
}

// understood gives what is read from a task's words; older records do not hold it.
func understood(ctx context.Context, s *Service, t belay.Task) belay.Request {
	if t.Request.Type != "" {
		return t.Request
	}
	req, _ := s.Understand(ctx, t.Prose)
	return req
}

// leave says why a task of some type leaves the plan as it is. Words that can be read in
// two ways wait for a person (CodeWaiting).
func (c *PlanChange) leave(req belay.Request, q Change) error {
	name := belay.VisibleLine(q.Plan)
	switch {
	case q.Anyway:
	case req.Type == belay.Fresh:
		c.Left = fmt.Sprintf("%s is fresh: make its plan with belay plan new --task %s; %s is unchanged", c.Task, c.Task, name)
	case req.Type == belay.Bugfix:
		c.Left = fmt.Sprintf("%s is a bugfix: %s is unchanged", c.Task, name)
	case req.Type == belay.Unclear:
		return belay.Refuse(belay.CodeWaiting,
			"clarify it in a new task, or mark it as read with --anyway",
			"%s is ambiguous, so nothing was marked", c.Task)
	}
	return nil
}

// tell turns what was marked into words for whoever asked.
func (c *PlanChange) tell(p *plan.Plan, u plan.Update) {
	c.Asked, c.Kept = where(p, u.Asked), where(p, u.Kept)
	c.Added, c.Dropped = append(c.Added, u.Added...), append(c.Dropped, u.Dropped...)
	missing := false
	for _, a := range c.Asked {
		if len(a.Sections) > 0 {
			continue
		}
		missing = true
		near := ""
		if len(a.Hints) > 0 {
			near = ", perhaps in " + strings.Join(a.Hints, " or ")
		}
		c.warn("requirement %d fits no section%s: [%s] %s", a.Number, near, a.Marker, a.Text)
	}
	for _, k := range c.Kept {
		if len(k.Sections) == 0 {
			c.warn("the part to preserve fits no section: %s", k.Text)
		}
	}
	switch {
	case len(c.Asked) == 0:
		c.warn("%s has no requirements to mark", c.Task)
	case missing && len(u.Unplaced()) == len(u.Asked):
		c.warn("nothing was marked; use --section NAME")
	case missing:
		c.warn("use --section NUMBER=NAME; until then sections without a marker say NO CHANGES")
	}
	for _, s := range u.Stale {
		c.warn("line %d has a marker that does not belong to %s: %s", s.Line, c.Task, s.Text)
	}
}

func (c *PlanChange) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

func where(p *plan.Plan, placed []plan.Placed) []Where {
	out := []Where{}
	for _, a := range placed {
		w := Where{Number: a.Number, Marker: a.Requirement.Marker, Count: a.Requirement.Count, Text: a.Requirement.Text,
			Sections: []Because{}, Hints: a.Hints}
		for _, m := range a.Matches {
			w.Sections = append(w.Sections, Because{Section: p.Sections[m.Section].Path, Why: m.Reasons})
		}
		out = append(out, w)
	}
	return out
}
