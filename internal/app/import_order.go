package app

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/tasklist"
)

// setDependencies finds for each line the lines that have to come first, and breaks cycles. A task
// that depends on one with parts comes after all of the parts.
func (im *Import) setDependencies(o ImportOptions) {
	byID, wholes := map[string][]int{}, map[string]int{}
	for i, l := range im.Tasks {
		if l.ID == "" {
			continue
		}
		byID[l.Source+"\x00"+l.ID] = append(byID[l.Source+"\x00"+l.ID], i)
		byID[im.nameWithFeature(l)] = append(byID[im.nameWithFeature(l)], i)
	}
	for i := range im.Tasks {
		l := &im.Tasks[i]
		for _, id := range l.Depends {
			found := byID[l.Source+"\x00"+id]
			if len(found) == 0 {
				found = byID[im.nameWithFeature(ImportLine{Task: tasklist.Task{ID: id, Source: l.Source}})]
				if len(found) == 0 && im.isSingleTask(l.Source) {
					im.addNote(*l, fmt.Sprintf("it depends on %s, which is not among these tasks", id))
				}
			}
			for _, j := range found {
				l.predecessors = append(l.predecessors, im.lineOrParts(j)...)
			}
		}
		if j, ok := wholes[l.Source+"\x00"+l.Parent]; ok && l.isPartOf(im.Tasks[j]) {
			l.predecessors = append(l.predecessors, im.Tasks[j].predecessors...) // predecessors of a task are predecessors of its parts
		}
		if l.Parts > 0 {
			wholes[l.Source+"\x00"+cmp.Or(l.ID, l.Title)] = i
		}
		l.dependencies = slices.Clone(l.predecessors)
	}
	if o.InOrder {
		im.chainInOrder()
	}
	im.breakCycles()
}

// nameWithFeature returns the key of a task: feature and ID if its file contains one task, because
// other files of that kind refer to it this way; else file and ID.
func (im *Import) nameWithFeature(l ImportLine) string {
	if !im.isSingleTask(l.Source) {
		return l.Source + "\x00\x00" + l.ID
	}
	return "\x00" + tasklist.FeatureOf(l.Source) + "\x00" + l.ID
}

// isSingleTask reports whether a file contains exactly one task.
func (im *Import) isSingleTask(source string) bool {
	for _, f := range im.Files {
		if f.Path == source {
			return f.Dialect == tasklist.TaskYAML || f.Dialect == tasklist.Backlog || f.Dialect == tasklist.SpecKitty && f.Tasks == 1
		}
	}
	return false
}

// lineOrParts returns a line, or the lines of its parts if those are the tasks.
func (im *Import) lineOrParts(i int) []int {
	if im.Tasks[i].Outcome != ImportParts || im.Tasks[i].Parts == 0 {
		return []int{i}
	}
	var list []int
	for j, l := range im.Tasks {
		if l.isPartOf(im.Tasks[i]) {
			list = append(list, im.lineOrParts(j)...)
		}
	}
	return list
}

// isPartOf reports whether the line is a part of the other task.
func (l ImportLine) isPartOf(whole ImportLine) bool {
	named := l.Parent == whole.ID || whole.ID == "" && l.Parent == whole.Title
	return named && l.PartOf > 0 && l.PartOf == whole.Line && l.Source == whole.Source
}

// chainInOrder puts each open task of a file after the previous open one. Adjacent tasks below one
// heading that are marked as parallel come after the same task, and the next one comes after all of
// them.
func (im *Import) chainInOrder() {
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
		case l.Outcome != ImportOpen && l.Outcome != ImportKnown && l.Outcome != ImportChanged:
		case l.Parallel:
			l.predecessors = append(l.predecessors, last...)
			beside = append(beside, i)
		default:
			if len(beside) > 0 {
				last, beside = beside, nil
			}
			l.predecessors = append(l.predecessors, last...)
			last = []int{i}
		}
	}
}

// breakCycles removes dependencies that make tasks wait for each other, and notes each.
func (im *Import) breakCycles() {
	state := make([]int, len(im.Tasks)) // 1 while it is visited, 2 afterwards
	var look func(i int)
	look = func(i int) {
		l := &im.Tasks[i]
		state[i] = 1
		slices.Sort(l.predecessors)
		l.predecessors = slices.Compact(l.predecessors)
		l.predecessors = slices.DeleteFunc(l.predecessors, func(j int) bool {
			if j != i && state[j] == 1 {
				im.addNote(*l, fmt.Sprintf("it and %s depend on each other: this dependency is dropped", im.Tasks[j].ID))
				return true
			}
			return j == i
		})
		for _, j := range slices.Clone(l.predecessors) {
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

// sortByDependency returns the lines to add, each after the lines that it depends on.
func (im *Import) sortByDependency() []int {
	var list []int
	seen := make([]bool, len(im.Tasks))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, j := range im.Tasks[i].predecessors {
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
