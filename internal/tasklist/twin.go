package tasklist

import (
	"cmp"
	"maps"
	"slices"
)

// twins joins a task that is in a list of boxes and again as a heading with its
// details: it is one, and the box says whether it is done.
func (r *reader) twins() {
	boxes, heads := map[string][]int{}, map[string][]int{}
	for i, t := range r.tasks {
		switch {
		case t.ID == "":
		case !t.head:
			boxes[Key(t.ID)] = append(boxes[Key(t.ID)], i)
		case len(t.Marks) == 0:
			heads[Key(t.ID)] = append(heads[Key(t.ID)], i)
		}
	}
	into := map[int]int{}
	for id, h := range heads {
		if b := boxes[id]; len(h) == 1 && len(b) == 1 {
			into[h[0]] = b[0]
		}
	}
	if len(into) > 0 {
		r.join(into)
	}
}

// join gives the lines of tasks to others, and takes the tasks away.
func (r *reader) join(into map[int]int) {
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
		kept[now[b]].detail(r.tasks[h])
	}
	for i := range kept {
		if kept[i].parent >= 0 {
			kept[i].parent = now[kept[i].parent]
		}
	}
	for i, c := range r.class {
		if c.kind == ofTask {
			r.class[i].task = now[c.task]
		}
	}
	r.tasks = kept
}

// detail adds what a heading of the same task says.
func (t *draft) detail(h draft) {
	if t.Title == t.ID {
		t.Title = h.Title
	}
	t.body = append(append(t.body, h.Line-1), h.body...)
	slices.Sort(t.body)
	t.ask = append(t.ask, h.ask...)
	t.Steps = append(t.Steps, h.Steps...)
	if h.Declared && !t.Declared {
		t.Declared, t.Files = true, nil
	}
	if h.Declared == t.Declared {
		t.Files = add(t.Files, h.Files...)
	}
	t.Tests = append(t.Tests, h.Tests...)
	t.Acceptance = append(t.Acceptance, h.Acceptance...)
	t.Requirements = append(t.Requirements, h.Requirements...)
	t.Story, t.Parallel = cmp.Or(t.Story, h.Story), t.Parallel || h.Parallel
}

// wait is a line below the heading of a work package that says which others come first.
type wait struct {
	group string
	line  int
	list  bool // the heading above it says so
}

// groups gives the tasks of a work package the order that its heading is told of: they come
// after those of the work packages that it depends on.
func (r *reader) groups() {
	members := map[string][]string{}
	for _, t := range r.tasks {
		if t.group != "" && t.ID != "" {
			members[t.group] = append(members[t.group], t.ID)
		}
	}
	known := Knows(slices.Collect(maps.Keys(members)))
	for _, w := range r.waits {
		l := r.lines[w.line]
		for _, words := range fields(l.Words) {
			kind, rest := fieldOf(words)
			if kind != "depends" && !w.list {
				continue
			}
			for _, p := range known.Order("depends on: "+rest, w.group) {
				r.behind(w, p, members[p.After])
			}
		}
	}
}

func (r *reader) behind(w wait, p Pair, first []string) {
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
				t.Depends = add(t.Depends, id)
			}
		}
	}
	if c := r.class[w.line]; c.kind == noted {
		r.notes[c.task].Why = "read for the order of tasks"
	}
}
