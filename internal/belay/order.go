package belay

import "slices"

// Standing is how far a task is that others come after.
type Standing int

// The standings. Absent is of a task that is none of those asked about: nobody waits for it.
const (
	Absent Standing = iota
	Unfinished
	Accepted
	Rejected // it ended, and its work was not accepted
)

// Ready says whether a task may begin that comes after others. bad is the first of them that was not accepted, "" for
// none: the task can never begin. wait is true while one has still to end.
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

// InOrder sorts tasks so that each comes after those that it depends on, and otherwise keeps their order. Tasks that
// depend on each other keep it as well.
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

// Listed is what a task list says of one of its tasks beside its text.
type Listed struct {
	Title      string   `json:"title"`
	Origin     *Origin  `json:"origin,omitempty"`
	Limits     bool     `json:"limits,omitempty"` // it may change Files, and what the config says of that does not count
	Files      []string `json:"files,omitempty"`  // patterns
	Acceptance []string `json:"acceptance,omitempty"`
	Exclude    []string `json:"exclude,omitempty"`
	Priority   string   `json:"priority,omitempty"`
	Area       string   `json:"area,omitempty"`
	QA         []string `json:"qa,omitempty"`
	Standards  []string `json:"standards,omitempty"`
}

// Fill sets in a task what its list says of it.
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
	Ask    string   `json:"ask,omitempty"` // of the prose, what says what is to be done; "" is all of it
	Listed Listed   `json:"listed"`
	After  []TaskID `json:"after,omitempty"` // the tasks that come first
	Needs  []TaskID `json:"needs,omitempty"` // those of them whose work it depends on, and not only on their order
}
