package belay

import "slices"

// Standing is the progress of a task that others depend on.
type Standing int

// Standings. Absent is for an unknown task, for which no task waits.
const (
	Absent Standing = iota
	Unfinished
	Accepted
	Rejected // it ended without its work being accepted
)

// Ready reports whether a task may begin that comes after others. bad is the first of them that was
// not accepted, "" for none: the task can never begin then. wait is true while one has not ended.
func Ready(after []TaskID, of func(TaskID) Standing) (bad TaskID, wait bool) {
	for _, id := range after {
		switch of(id) {
		case Rejected:
			return id, false
		case Unfinished:
			wait = true
		}
	}
	return "", wait
}

// InOrder sorts tasks so that each comes after those that it depends on, and otherwise keeps their
// order. Tasks in a cycle keep theirs, too.
func InOrder[T any](all []T, of func(T) (id TaskID, after []TaskID)) (sorted []T) {
	left := slices.Clone(all)
	for len(left) > 0 {
		waits := func(t T) bool {
			_, after := of(t)
			return slices.ContainsFunc(after, func(id TaskID) bool {
				return slices.ContainsFunc(left, func(o T) bool { other, _ := of(o); return other.Key() == id.Key() })
			})
		}
		i := max(0, slices.IndexFunc(left, func(t T) bool { return !waits(t) }))
		sorted = append(sorted, left[i])
		left = slices.Delete(left, i, i+1)
	}
	return sorted
}

// Listed is what a task list states about a task besides its text.
type Listed struct {
	Title      string   `json:"title"`
	Origin     *Origin  `json:"origin,omitempty"`
	Limits     bool     `json:"limits,omitempty"` // only Files may change, and the config's files do not count
	Files      []string `json:"files,omitempty"`  // patterns
	Acceptance []string `json:"acceptance,omitempty"`
	Exclude    []string `json:"exclude,omitempty"`
	Priority   string   `json:"priority,omitempty"`
	Area       string   `json:"area,omitempty"`
	QA         []string `json:"qa,omitempty"`
	Standards  []string `json:"standards,omitempty"`
}

// Fill sets in a task what its list states.
func (l Listed) Fill(t *Task) {
	t.Title, t.Origin = l.Title, l.Origin
	t.Acceptance, t.Exclude, t.Priority, t.Area, t.QA, t.Standards = l.Acceptance, l.Exclude, l.Priority, l.Area, l.QA, l.Standards
	if l.Limits {
		t.Scope.Files = slices.Clone(l.Files)
	}
}

// ListedTask is an open task of a task list, before it is recorded.
type ListedTask struct {
	ID     TaskID   `json:"id"`
	Prose  string   `json:"prose"`
	Ask    string   `json:"ask,omitempty"` // the part of the prose that is the request; "" is all of it
	Listed Listed   `json:"listed"`
	After  []TaskID `json:"after,omitempty"` // tasks that must come first
	Needs  []TaskID `json:"needs,omitempty"` // those of them on whose work it depends, not only on their order
}
