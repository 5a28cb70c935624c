package count

import (
	"path"
	"slices"

	"github.com/belay-dev/belay/internal/count/list"
)

// follow finds what became of a list: the one of the same name at the same place, or the
// one that holds its items now, in this file or in another. Nil when there is none.
func (j *judge) follow(b *list.List, items []list.Item) (*list.List, []list.Item, list.Count) {
	best, bestScore := (*list.List)(nil), 0.0
	var bestItems []list.Item
	var bestCount list.Count
	try := func(l *list.List, same bool) {
		if !comparable(b.Kind, l.Kind) {
			return
		}
		name := l.Name == b.Name
		place := slices.Equal(l.Path, b.Path)
		if !name && !same && len(items) < 2 {
			return
		}
		got, n := j.after.expand(l)
		share := shared(items, got)
		if !name && share < 0.5 || name && !place && !same && share == 0 && len(items) > 0 {
			return
		}
		score := 4*share - 0.3*float64(max(l.Depth-b.Depth, b.Depth-l.Depth))
		for _, bonus := range []struct {
			has bool
			by  float64
		}{{name, 2.5}, {name && place, 1}, {same, 1.5}, {l.Kind == b.Kind, 0.5}, {same && l.Line == b.Line, 0.1}, {name && place && same && (share > 0 || !n.Known()), 3}} {
			if bonus.has {
				score += bonus.by
			}
		}
		if score > bestScore && score >= 2 {
			best, bestScore, bestItems, bestCount = l, score, got, n
		}
	}
	for _, l := range j.after.file(b.File).lists {
		try(l, true)
	}
	// One that is where it was needs no search elsewhere, unless little of it is left.
	if best != nil && best.Name == b.Name && slices.Equal(best.Path, b.Path) && (len(items) == 0 || shared(items, bestItems) > 0) {
		return best, bestItems, bestCount
	}
	for _, p := range j.changed() {
		if p == b.File || Language(p) == "" {
			continue
		}
		for _, l := range j.after.file(p).lists {
			if !j.untouched(l, p) {
				try(l, path.Base(p) == path.Base(b.File) && !j.after.has(b.File))
			}
		}
	}
	return best, bestItems, bestCount
}

// untouched tells whether a list stood in the state before as it stands now.
func (j *judge) untouched(l *list.List, p string) bool {
	for _, b := range j.before.file(p).lists {
		if b.Name == l.Name && b.Kind == l.Kind && slices.Equal(b.Path, l.Path) && len(b.Items) == len(l.Items) {
			gone, came := difference(b.Items, l.Items)
			return len(gone)+len(came) == 0
		}
	}
	return false
}

var families = map[list.Kind]int{
	list.Array: 1, list.Object: 1, list.Elements: 1, list.Rows: 1, list.Enum: 1, list.Bullets: 1, list.Calls: 1,
	list.Functions: 2, list.Methods: 2, list.Tests: 3, list.Cases: 4, list.Fields: 5, list.Rules: 6, list.Declarations: 7,
	list.Properties: 8, list.Headings: 9, list.Columns: 10, list.Types: 11,
}

// comparable tells whether a list of one kind may have become one of another.
func comparable(a, b list.Kind) bool { return a == b || families[a] == families[b] && families[a] > 0 }

// shared gives which part of the items is still there, from 0 to 1.
func shared(before, after []list.Item) float64 {
	if len(before) == 0 {
		return 0
	}
	gone, _ := difference(before, after)
	return 1 - float64(len(gone))/float64(len(before))
}
