package checklist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/intake"
	"github.com/belay-dev/belay/internal/intake/mention"
	"github.com/belay-dev/belay/internal/intake/page"
)

// finish settles what only the whole file tells: states, parts, and the order of tasks.
func (r *reader) finish() intake.Reading {
	for i := range r.tasks {
		r.settle(&r.tasks[i])
	}
	r.parts()
	r.orders()
	out := intake.Reading{Dialect: r.dialect, Tasks: make([]intake.Task, 0, len(r.tasks)), Notes: r.notes, Lines: r.count()}
	for i := range r.tasks {
		out.Tasks = append(out.Tasks, r.tasks[i].Task)
	}
	if out.Notes == nil {
		out.Notes = []intake.Note{}
	}
	slices.SortStableFunc(out.Notes, func(a, b intake.Note) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

func (r *reader) count() intake.Lines {
	n := intake.Lines{Total: len(r.lines)}
	for i, c := range r.class {
		switch {
		case r.lines[i].Kind == page.Heading && c.kind != ofTask, c.kind == structure:
			n.Structure++
		case c.kind == noted:
			n.Notes++
		default:
			n.Tasks++
		}
	}
	return n
}

// settle gives a task its words, its files, and the boxes that say whether it is done.
func (r *reader) settle(t *draft) {
	first := mention.Files(t.Title)
	if !t.Declared {
		for _, f := range t.Files {
			if !slices.Contains(first, f) {
				first = append(first, f)
			}
		}
		t.Files = first
	}
	for _, f := range t.Tests {
		if !slices.Contains(t.Files, f) {
			t.Files = append(t.Files, f)
		}
	}
	if t.Files == nil {
		t.Files = []string{}
	}
	t.Depends = []string{}
	if t.head && len(t.Marks) == 0 {
		t.byBoxes()
	}
	t.Done = t.State == page.Done
	words := []string{t.Title}
	for _, i := range t.body {
		words = append(words, r.lines[i].Raw(r.data))
	}
	t.Words = strings.Join(words, "\n")
	t.Ask = strings.Join(append([]string{t.Title}, t.ask...), "\n")
}

// byBoxes says whether a task that is a heading is done: by the box that says so, else by
// all of its boxes but those of its criteria, else by what its status is called.
func (t *draft) byBoxes() {
	var all, own, end []intake.Step
	for _, s := range t.Steps {
		all = append(all, s)
		if closed.MatchString(s.Text) {
			end = append(end, s)
		}
		if !slices.Contains(t.accept, s.Line) {
			own = append(own, s)
		}
	}
	marks := all
	if len(own) > 0 {
		marks = own
	}
	if len(end) > 0 {
		marks = end[len(end)-1:]
	}
	done := 0
	for _, s := range marks {
		t.Marks = append(t.Marks, s.Line)
		if s.Done {
			done++
		}
	}
	switch {
	case len(marks) == 0 && ended.MatchString(t.status), len(marks) > 0 && done == len(marks):
		t.State = page.Done
	case done > 0:
		t.State = page.Doing
	}
}

// parts ties tasks to the ones that they are parts of: by where they stand, and, where
// tasks are numbered, by their numbers.
func (r *reader) parts() {
	byID := map[string]int{} // the last one above: files with several lists count anew
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
		r.tasks[t.parent].Parts++
		t.PartOf = r.tasks[t.parent].Line
		if t.Parent = r.tasks[t.parent].ID; t.Parent == "" {
			t.Parent = r.tasks[t.parent].Title
		}
	}
}

// orders reads which tasks come first: from each task's own words, and from the sections
// that tell the order. Ids that stand twice, and that do not stand there, are noted.
func (r *reader) orders() {
	ids := make([]string, len(r.tasks))
	first := map[string]int{}
	at := map[string][]int{}
	for i := range r.tasks {
		id := r.tasks[i].ID
		if ids[i] = id; id == "" {
			continue
		}
		if line, twice := first[id]; twice {
			r.remark(r.lines[r.tasks[i].Line-1], fmt.Sprintf("the id %s stands in line %d already", id, line))
		} else {
			first[id] = r.tasks[i].Line
		}
		at[id] = append(at[id], i)
	}
	known := mention.Knows(ids)
	for i := range r.tasks {
		t := &r.tasks[i]
		self := fmt.Sprintf("\x00%d", i)
		r.after(r.lines[t.Line-1], known.Order(t.Title, self), i, self, at)
		label := ""
		for _, b := range t.body {
			label = r.ownOrder(known, b, i, self, label, at)
		}
	}
	if len(at) > 0 {
		r.told(known, at)
	}
}

// ownOrder reads one line of a task's body. label is "depends" below a line that says that
// what follows is a list of tasks.
func (r *reader) ownOrder(known mention.Known, b, i int, self, label string, at map[string][]int) string {
	l := r.lines[b]
	if l.Kind == page.Fence || l.Kind == page.Comment {
		return label
	}
	words := l.Words
	if m := field.FindStringSubmatch(words); m != nil {
		kind := kindOf(m[1])
		if label = ""; kind == "requirements" {
			return label
		} else if kind == "depends" {
			if strings.Trim(m[2], " *_") == "" {
				label = kind
			}
			words = "depends on: " + m[2]
		}
	} else if label == "depends" && l.Kind == page.Item {
		words = "depends on: " + words
	}
	r.after(l, known.Order(words, self), i, self, at)
	return label
}

// told reads the sections that tell the order.
func (r *reader) told(known mention.Known, at map[string][]int) {
	order := false
	for i, l := range r.lines {
		if l.Kind == page.Heading {
			low := strings.ToLower(l.Words)
			order = strings.Contains(low, "dependenc") || strings.Contains(low, "execution order") || order && l.Level > 2
			continue
		}
		if !order || r.class[i].kind != noted || l.Kind != page.Item && l.Kind != page.Text {
			continue
		}
		pairs := known.Order(l.Words, "")
		if len(pairs) > 0 {
			r.notes[r.class[i].task].Why = "read for the order of tasks"
		}
		r.after(l, pairs, -1, "", at)
	}
}

// after adds what a line says of the order.
func (r *reader) after(l page.Line, pairs []mention.Pair, i int, self string, at map[string][]int) {
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
			r.remark(l, "it names "+p.Task+", which is no task of this file")
		}
		if at[after] == nil {
			r.remark(l, "it names "+after+", which is no task of this file")
		}
		for _, j := range tasks {
			t := &r.tasks[j]
			if after != t.ID && !slices.Contains(t.Depends, after) {
				t.Depends = append(t.Depends, after)
			}
		}
	}
}
