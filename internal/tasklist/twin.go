package tasklist

import (
	"cmp"
	"maps"
	"slices"
)

// joinDuplicates joins a task's box in a list with a heading of the same task that has its details.
// The box shows whether it is done.
func (r *checklistReader) joinDuplicates() {
	boxes, heads := map[string][]int{}, map[string][]int{}
	for i, t := range r.tasks {
		switch {
		case t.ID == "":
		case !t.isHeading:
			boxes[IDKey(t.ID)] = append(boxes[IDKey(t.ID)], i)
		case len(t.BoxLines) == 0:
			heads[IDKey(t.ID)] = append(heads[IDKey(t.ID)], i)
		}
	}
	into := map[int]int{}
	for id, h := range heads {
		if b := boxes[id]; len(h) == 1 && len(b) == 1 {
			into[h[0]] = b[0]
		}
	}
	if len(into) > 0 {
		r.joinTasks(into)
	}
}

// joinTasks moves the lines of each key of into to the task that it maps to, and removes the key.
func (r *checklistReader) joinTasks(into map[int]int) {
	now := make([]int, len(r.tasks))
	kept := r.tasks[:0:0]
	for i, t := range r.tasks {
		if _, ok := into[i]; !ok {
			now[i] = len(kept)
			kept = append(kept, t)
		}
	}
	for h, b := range into {
		now[h] = now[b]
		kept[now[b]].addDetails(r.tasks[h])
	}
	for i := range kept {
		if kept[i].parent >= 0 {
			kept[i].parent = now[kept[i].parent]
		}
	}
	for i, c := range r.classes {
		if c.kind == lineOfTask {
			r.classes[i].task = now[c.task]
		}
	}
	r.tasks = kept
}

// addDetails adds the details of a heading for the same task.
func (t *taskDraft) addDetails(h taskDraft) {
	if t.Title == t.ID {
		t.Title = h.Title
	}
	t.body = append(append(t.body, h.Line-1), h.body...)
	slices.Sort(t.body)
	t.ask = append(t.ask, h.ask...)
	t.Steps = append(t.Steps, h.Steps...)
	if h.FilesDeclared && !t.FilesDeclared {
		t.FilesDeclared, t.Files = true, nil
	}
	if h.FilesDeclared == t.FilesDeclared {
		t.Files = appendNew(t.Files, h.Files...)
	}
	t.Tests = append(t.Tests, h.Tests...)
	t.Acceptance = append(t.Acceptance, h.Acceptance...)
	t.Requirements = append(t.Requirements, h.Requirements...)
	t.Story, t.Parallel = cmp.Or(t.Story, h.Story), t.Parallel || h.Parallel
}

// groupOrder is a line below the heading of a work package that may state which others come first.
type groupOrder struct {
	group       string
	line        int
	inOrderList bool // the section states the order of tasks
}

// orderGroups makes the tasks of a work package depend on the tasks of the work packages that it
// depends on.
func (r *checklistReader) orderGroups() {
	members := map[string][]string{}
	for _, t := range r.tasks {
		if t.group != "" && t.ID != "" {
			members[t.group] = append(members[t.group], t.ID)
		}
	}
	known := NewKnownIDs(slices.Collect(maps.Keys(members)))
	for _, w := range r.groupOrders {
		l := r.lines[w.line]
		for _, words := range splitFields(l.Text) {
			kind, rest := parseField(words)
			if kind != "depends" && !w.inOrderList {
				continue
			}
			for _, p := range known.FindOrder("depends on: "+rest, w.group) {
				r.addGroupOrder(w, p, members[p.After])
			}
		}
	}
}

func (r *checklistReader) addGroupOrder(w groupOrder, p Pair, first []string) {
	if p.Task != w.group || len(first) == 0 {
		return
	}
	for i := range r.tasks {
		t := &r.tasks[i]
		if t.group != w.group {
			continue
		}
		for _, id := range first {
			if id != t.ID {
				t.Depends = appendNew(t.Depends, id)
			}
		}
	}
	if c := r.classes[w.line]; c.kind == lineNoted {
		r.notes[c.task].Why = "read for the order of tasks"
	}
}
