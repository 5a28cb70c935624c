package tasklist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// finish sets what depends on the entire file: states, parts, and the order of tasks.
func (r *checklistReader) finish() Reading {
	r.joinDuplicates()
	for i := range r.tasks {
		r.finishTask(&r.tasks[i])
	}
	r.linkParts()
	r.readOrders()
	out := Reading{Dialect: r.dialect, Tasks: make([]Task, 0, len(r.tasks)), Notes: r.notes, Lines: r.countLines()}
	for i := range r.tasks {
		out.Tasks = append(out.Tasks, r.tasks[i].Task)
	}
	if out.Notes == nil {
		out.Notes = []Note{}
	}
	slices.SortStableFunc(out.Notes, func(a, b Note) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

func (r *checklistReader) countLines() Lines {
	n := Lines{Total: len(r.lines)}
	for i, c := range r.classes {
		switch {
		case r.lines[i].Kind == Heading && c.kind != lineOfTask, c.kind == lineStructure:
			n.Structure++
		case c.kind == lineNoted:
			n.Notes++
		default:
			n.Tasks++
		}
	}
	return n
}

// isInFolder reports whether a name without a folder ends another path: they are the same file.
func isInFolder(name string, paths []string) bool {
	return !strings.Contains(name, "/") && slices.ContainsFunc(paths, func(p string) bool { return strings.HasSuffix(p, "/"+name) })
}

// finishTask sets a task's text, its files, and the boxes that show whether it is done.
func (r *checklistReader) finishTask(t *taskDraft) {
	first := Files(t.Title)
	if !t.FilesDeclared {
		first = appendNew(first, t.Files...)
		paths := slices.Clone(first)
		t.Files = slices.DeleteFunc(first, func(f string) bool { return isInFolder(f, paths) })
	}
	if t.Files = appendNew(t.Files, t.Tests...); t.Files == nil {
		t.Files = []string{}
	}
	t.Depends = []string{}
	if t.isHeading && t.Title == t.ID && len(t.ask) > 0 { // "### T001": its first line is the title
		t.Title = strings.TrimSpace(namedPattern.ReplaceAllString(strings.TrimPrefix(t.ask[0], "- "), ""))
		if t.Title == "" {
			t.Title = t.ID
		}
	}
	if t.isHeading && len(t.BoxLines) == 0 {
		t.setDoneByBoxes()
	}
	t.Done = t.State == Done
	words := []string{t.Title}
	for _, i := range t.body {
		words = append(words, r.lines[i].Raw(r.data))
	}
	t.Text = strings.Join(words, "\n")
	t.Request = strings.Join(append([]string{t.Title}, t.ask...), "\n")
}

// setDoneByBoxes sets the state of a task that is a heading: by the step that marks it as done, or
// else by all its boxes except criteria, or else by its status field.
func (t *taskDraft) setDoneByBoxes() {
	var own, end []Step
	for _, s := range t.Steps {
		if closedPattern.MatchString(s.Text) {
			end = append(end, s)
		}
		if !slices.Contains(t.criteriaLines, s.Line) {
			own = append(own, s)
		}
	}
	marks := t.Steps
	if len(own) > 0 {
		marks = own
	}
	if len(end) > 0 {
		marks = end[len(end)-1:]
	}
	done := 0
	for _, s := range marks {
		t.BoxLines = append(t.BoxLines, s.Line)
		if s.Done {
			done++
		}
	}
	switch {
	case len(marks) == 0 && endedPattern.MatchString(t.status), len(marks) > 0 && done == len(marks):
		t.State = Done
	case done > 0:
		t.State = Doing
	}
}

// linkParts links tasks to the tasks that contain them: by indentation, and by numbers such as 1.2.
func (r *checklistReader) linkParts() {
	byID := map[string]int{} // the last one above: in a file with several lists, numbers repeat
	for i := range r.tasks {
		t := &r.tasks[i]
		if cut := strings.LastIndexByte(t.ID, '.'); cut > 0 && t.parent < 0 {
			if p, ok := byID[t.ID[:cut]]; ok {
				t.parent = p
			}
		}
		if t.ID != "" {
			byID[t.ID] = i
		}
		if t.parent < 0 {
			continue
		}
		whole := &r.tasks[t.parent]
		whole.Parts++
		whole.hasRequiredParts = whole.hasRequiredParts || !t.Optional
		t.PartOf = whole.Line
		if t.Parent = whole.ID; t.Parent == "" {
			t.Parent = whole.Title
		}
	}
	r.separateOptional()
}

// separateOptional makes the optional subtasks of a task with its own text follow that task instead
// of being parts of it.
func (r *checklistReader) separateOptional() {
	for i := range r.tasks {
		t := &r.tasks[i]
		if t.parent < 0 || r.tasks[t.parent].hasRequiredParts || len(r.tasks[t.parent].ask) == 0 {
			continue
		}
		whole := &r.tasks[t.parent]
		whole.Parts, t.PartOf = 0, 0
		if whole.ID != "" {
			t.Depends = append(t.Depends, whole.ID)
		}
	}
}

// readOrders reads which tasks come first: from each task's text, and from the sections that state
// the order. It adds notes for duplicate and unknown ids.
func (r *checklistReader) readOrders() {
	ids := make([]string, len(r.tasks))
	first := map[string]int{}
	at := map[string][]int{}
	for i := range r.tasks {
		id := r.tasks[i].ID
		if ids[i] = id; id == "" {
			continue
		}
		if line, twice := first[id]; twice {
			r.addNote(r.lines[r.tasks[i].Line-1], fmt.Sprintf("the id %s is already used in line %d", id, line))
		} else {
			first[id] = r.tasks[i].Line
		}
		at[id] = append(at[id], i)
	}
	known := NewKnownIDs(ids)
	for i := range r.tasks {
		r.readOwnOrder(known, i, at)
	}
	if len(at) > 0 {
		r.readOrder(known, at)
		r.orderGroups()
	}
}

// readOwnOrder reads the order that a task's text states, paragraph by paragraph.
func (r *checklistReader) readOwnOrder(known KnownIDs, i int, at map[string][]int) {
	t := &r.tasks[i]
	self := fmt.Sprintf("\x00%d", i)
	label, words, first, last := "", t.Title, t.Line-1, t.Line-1
	if t.isHeading {
		last = -1
	}
	say := func() {
		for _, one := range splitFields(words) {
			if one, label = orderingText(one, label, r.lines[first].Kind); one != "" {
				r.addOrder(r.lines[first], known.FindOrder(one, self), i, self, at)
			}
		}
	}
	for _, b := range t.body {
		l := r.lines[b]
		switch kind, _ := parseField(l.Text); {
		case l.Kind == Fence || l.Kind == Comment:
		case l.Kind == Text && b == last+1 && kind == "":
			words, last = words+" "+l.Text, b
		default:
			say()
			words, first, last = l.Text, b, b
		}
	}
	say()
}

// orderingText returns the text of a field that may state an order, "" if it cannot, and the label
// for the next line. The label "depends" means that a list of tasks follows.
func orderingText(words, label string, line Kind) (string, string) {
	switch kind, rest := parseField(words); {
	case kind == "requirements":
		return "", ""
	case kind == "depends" && rest == "":
		return "", kind
	case kind == "depends":
		return "depends on: " + rest, ""
	case kind != "":
		return words, ""
	case label == "depends" && line == Item:
		return "depends on: " + words, label
	}
	return words, label
}

// readOrder reads the sections that state the order.
func (r *checklistReader) readOrder(known KnownIDs, at map[string][]int) {
	order := false
	for i, l := range r.lines {
		if l.Kind == Heading {
			order = orderly.MatchString(l.Text) || order && l.Level > 2
			continue
		}
		if !order || r.classes[i].kind != lineNoted || l.Kind != Item && l.Kind != Text {
			continue
		}
		pairs := known.FindOrder(l.Text, "")
		if len(pairs) > 0 {
			r.notes[r.classes[i].task].Why = "read for the order of tasks"
		}
		r.addOrder(l, pairs, -1, "", at)
	}
}

// addOrder adds the pairs of a line as dependencies. i is the task that the line belongs to, self
// its name in the pairs.
func (r *checklistReader) addOrder(l Line, pairs []Pair, i int, self string, at map[string][]int) {
	for _, p := range pairs {
		after := p.After
		if after == self && self != "" {
			if after = r.tasks[i].ID; after == "" {
				continue
			}
		}
		tasks := at[p.Task]
		if p.Task == self && self != "" {
			tasks = []int{i}
		}
		if len(tasks) == 0 {
			r.addNote(l, "it names "+p.Task+", which is not a task of this file")
		}
		if at[after] == nil {
			r.addNote(l, "it names "+after+", which is not a task of this file")
		}
		for _, j := range tasks {
			t := &r.tasks[j]
			if after != t.ID {
				t.Depends = appendNew(t.Depends, after)
			}
		}
	}
}
