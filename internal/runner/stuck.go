package runner

import (
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/plan"
)

// FindStuck returns the requirement that an agent got stuck on, and the section of the plan marked
// with it: the one that shares most words with the repeated calls. It returns nil and "" if none
// shares any. read returns a file of the worktree.
func FindStuck(t belay.Task, what string, read func(path string) ([]byte, bool)) (on *belay.Requirement, section string) {
	most := 0
	for i, r := range t.Request.Requirements {
		if n := check.CountSharedWords(r.Text, what); n > most || len(t.Request.Requirements) == 1 {
			most, on = n, &t.Request.Requirements[i]
		}
	}
	for _, path := range plan.PlanPaths {
		text, ok := read(path)
		if !ok {
			continue
		}
		p, err := plan.Read(path, text)
		if err != nil {
			continue
		}
		if at := markedSection(p, t.ID, on, what); at >= 0 {
			return on, p.Sections[at].Path + " of " + path
		}
	}
	return on, ""
}

// markedSection finds the section of a plan with the task's marker for a requirement. Of several,
// or without a requirement, it returns the one that shares most words with what the agent did.
func markedSection(p *plan.Plan, task belay.TaskID, on *belay.Requirement, what string) int {
	best, most := -1, -1
	for _, m := range p.Markers {
		if m.Section < 0 || !m.NamesTask(task) || !m.IsChange() || on != nil && m.Kind != on.Marker {
			continue
		}
		n := check.CountSharedWords(p.Sections[m.Section].Name+" "+p.Sections[m.Section].ID+" "+m.Text, what)
		if on != nil {
			n += 10 * check.CountSharedWords(m.Text, on.Text)
		}
		if n > most {
			best, most = m.Section, n
		}
	}
	if most <= 0 && on == nil {
		return -1
	}
	return best
}
