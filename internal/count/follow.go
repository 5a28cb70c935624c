package count

import (
	"bytes"
	"path"
	"slices"
)

// follow returns what a list became: the one of the same name at the same place, or the one with
// its items now, in this file or another. Nil if there is none.
func (j *judge) follow(b *List, items []Item) (*List, []Item, Count) {
	if l := j.listInUnchangedFile(b); l != nil {
		got, n := j.after.expand(l)
		return l, got, n
	}
	best, bestScore := (*List)(nil), 0.0
	var bestItems []Item
	var bestCount Count
	try := func(l *List, same bool) {
		if !isComparable(b.Kind, l.Kind) {
			return
		}
		name := l.Name == b.Name
		place := slices.Equal(l.Path, b.Path)
		if !name && !same && len(items) < 2 {
			return
		}
		got, n := j.after.expand(l)
		share := sharedPart(items, got)
		if !name && share < 0.5 {
			return
		}
		if elsewhere := !place && !same; elsewhere && share == 0 && len(items) > 0 {
			return
		}
		stayed := name && place && same && (share > 0 || !n.IsKnown())
		score := 4*share - 0.3*float64(max(l.Depth-b.Depth, b.Depth-l.Depth))
		for _, bonus := range []struct {
			has bool
			by  float64
		}{
			{name, 2.5},
			{name && place, 1},
			{same, 1.5},
			{l.Kind == b.Kind, 0.5},
			{same && l.Line == b.Line, 0.1},
			{stayed, 3},
		} {
			if bonus.has {
				score += bonus.by
			}
		}
		if score > bestScore && score >= 2 {
			best, bestScore, bestItems, bestCount = l, score, got, n
		}
	}
	for _, l := range j.after.scan(b.File).lists {
		try(l, true)
	}
	// A list in its old place needs no further search, unless few of its items are left.
	if best != nil && best.Name == b.Name && slices.Equal(best.Path, b.Path) && (len(items) == 0 || sharedPart(items, bestItems) > 0) {
		return best, bestItems, bestCount
	}
	j.eachChangedList(b.File, try)
	return best, bestItems, bestCount
}

// listInUnchangedFile returns a list of an unchanged file in the after state: the same one, not
// another one of its name. Nil if the file changed.
func (j *judge) listInUnchangedFile(b *List) *List {
	before, after := j.before.scan(b.File), j.after.scan(b.File)
	if !before.exists || !after.exists || !bytes.Equal(before.src, after.src) {
		return nil
	}
	if i := slices.Index(before.lists, b); i >= 0 && i < len(after.lists) {
		return after.lists[i]
	}
	return nil
}

// eachChangedList calls try with each changed list of the changed files other than but, and whether
// the file is but, moved.
func (j *judge) eachChangedList(but string, try func(l *List, same bool)) {
	for _, p := range j.changedPaths() {
		if p == but || LanguageOf(p) == "" {
			continue
		}
		for _, l := range j.after.scan(p).lists {
			if !j.isUntouched(l, p) {
				try(l, path.Base(p) == path.Base(but) && !j.after.has(but))
			}
		}
	}
}

// isUntouched reports whether the before state has an equal list.
func (j *judge) isUntouched(l *List, p string) bool {
	for _, b := range j.before.scan(p).lists {
		if b.Name == l.Name && b.Kind == l.Kind && slices.Equal(b.Path, l.Path) && len(b.Items) == len(l.Items) {
			gone, came := diffLabels(b.Items, l.Items)
			return len(gone)+len(came) == 0
		}
	}
	return false
}

var kindFamilies = map[ListKind]int{
	Array: 1, Object: 1, Elements: 1, Rows: 1, Enum: 1, Bullets: 1, Calls: 1,
	Functions: 2, Methods: 2, Tests: 3, Cases: 4, Fields: 5, Rules: 6, Declarations: 7,
	Properties: 8, Headings: 9, Columns: 10, Types: 11,
}

// isComparable reports whether a list of one kind can become one of another.
func isComparable(a, b ListKind) bool {
	return a == b || kindFamilies[a] == kindFamilies[b] && kindFamilies[a] > 0
}

// sharedPart returns the share of items that still exist, from 0 to 1.
func sharedPart(before, after []Item) float64 {
	if len(before) == 0 {
		return 0
	}
	gone, _ := diffLabels(before, after)
	return 1 - float64(len(gone))/float64(len(before))
}
