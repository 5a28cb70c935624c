package app

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/tasklist"
)

// order finds for each line the lines that come first, and puts aside what would make a
// circle. What depends on a task with parts comes after all of them.
func (im *Import) order(o Options) {
	byID, wholes := map[string][]int{}, map[string]int{}
	for i, l := range im.Tasks {
		if l.ID == "" {
			continue
		}
		byID[l.Source+"\x00"+l.ID] = append(byID[l.Source+"\x00"+l.ID], i)
		byID[im.wide(l)] = append(byID[im.wide(l)], i)
	}
	for i := range im.Tasks {
		l := &im.Tasks[i]
		for _, id := range l.Depends {
			found := byID[l.Source+"\x00"+id]
			if len(found) == 0 {
				found = byID[im.wide(ImportLine{Task: tasklist.Task{ID: id, Source: l.Source}})]
				if len(found) == 0 && im.alone(l.Source) {
					im.note(*l, fmt.Sprintf("it depends on %s, which is not among these tasks", id))
				}
			}
			for _, j := range found {
				l.after = append(l.after, im.parts(j)...)
			}
		}
		if j, ok := wholes[l.Source+"\x00"+l.Parent]; ok && l.partOf(im.Tasks[j]) {
			l.after = append(l.after, im.Tasks[j].after...) // what comes before the whole comes before its parts
		}
		if l.Parts > 0 {
			wholes[l.Source+"\x00"+cmp.Or(l.ID, l.Title)] = i
		}
		l.needs = slices.Clone(l.after)
	}
	if o.InOrder {
		im.inOrder()
	}
	im.uncircled()
}

// wide names a task of a file that holds one task: others of its kind and feature know it
// by its id.
func (im *Import) wide(l ImportLine) string {
	if !im.alone(l.Source) {
		return l.Source + "\x00\x00" + l.ID
	}
	return "\x00" + tasklist.FeatureOf(l.Source) + "\x00" + l.ID
}

// alone reports a file that is one task.
func (im *Import) alone(source string) bool {
	for _, f := range im.Files {
		if f.Path == source {
			return f.Dialect == tasklist.TaskYAML || f.Dialect == tasklist.Backlog || f.Dialect == tasklist.SpecKitty && f.Tasks == 1
		}
	}
	return false
}

// parts gives a line, or the lines of its parts when these are the tasks.
func (im *Import) parts(i int) []int {
	if im.Tasks[i].Outcome != Parts || im.Tasks[i].Parts == 0 {
		return []int{i}
	}
	var list []int
	for j, l := range im.Tasks {
		if l.partOf(im.Tasks[i]) {
			list = append(list, im.parts(j)...)
		}
	}
	return list
}

// partOf reports a part of a task.
func (l ImportLine) partOf(whole ImportLine) bool {
	named := l.Parent == whole.ID || whole.ID == "" && l.Parent == whole.Title
	return named && l.PartOf > 0 && l.PartOf == whole.Line && l.Source == whole.Source
}

// inOrder puts each task of a file after the one before it that is left to do. Neighbours below one heading that say
// that they can run side by side come after the same one, and what follows comes after all of them.
func (im *Import) inOrder() {
	var last, beside []int
	source, section := "", ""
	for i := range im.Tasks {
		l := &im.Tasks[i]
		if l.Source != source {
			source, last, beside = l.Source, nil, nil
		}
		if l.Section != section && len(beside) > 0 {
			last, beside = beside, nil
		}
		section = l.Section
		switch {
		case l.Outcome != ImportOpen && l.Outcome != Known && l.Outcome != Changed:
		case l.Parallel:
			l.after = append(l.after, last...)
			beside = append(beside, i)
		default:
			if len(beside) > 0 {
				last, beside = beside, nil
			}
			l.after = append(l.after, last...)
			last = []int{i}
		}
	}
}

// uncircled takes away what makes tasks wait for each other, and says so.
func (im *Import) uncircled() {
	state := make([]int, len(im.Tasks)) // 1 while it is looked at, 2 afterwards
	var look func(i int)
	look = func(i int) {
		l := &im.Tasks[i]
		state[i] = 1
		slices.Sort(l.after)
		l.after = slices.Compact(l.after)
		l.after = slices.DeleteFunc(l.after, func(j int) bool {
			if j != i && state[j] == 1 {
				im.note(*l, fmt.Sprintf("it and %s depend on each other: this dependency is dropped", im.Tasks[j].ID))
				return true
			}
			return j == i
		})
		for _, j := range slices.Clone(l.after) {
			if state[j] == 0 {
				look(j)
			}
		}
		state[i] = 2
	}
	for i := range im.Tasks {
		if state[i] == 0 {
			look(i)
		}
	}
}

// sequence gives the lines that are to be added, in an order in which what comes first is
// there already.
func (im *Import) sequence() []int {
	var list []int
	seen := make([]bool, len(im.Tasks))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, j := range im.Tasks[i].after {
			visit(j)
		}
		if im.Tasks[i].Outcome == ImportOpen {
			list = append(list, i)
		}
	}
	for i := range im.Tasks {
		visit(i)
	}
	return list
}
