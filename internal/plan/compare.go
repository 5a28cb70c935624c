package plan

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Difference is how a section differs between two versions of a plan.
type Difference string

// The differences. Marked: only markers differ.
const (
	Same    Difference = "same"
	Added   Difference = "added"
	Removed Difference = "removed"
	Moved   Difference = "moved"
	Edited  Difference = "changed"
	Marked  Difference = "marked"
)

// Change is the difference of one section between two versions of a plan. Line is 0 for a removed
// one.
type Change struct {
	Path           string       `json:"path"`
	Name           string       `json:"name"`
	Kind           Kind         `json:"kind"`
	Line           int          `json:"line"`
	Change         Difference   `json:"change"`
	From           string       `json:"from,omitempty"`    // the previous path of a moved section
	Allowed        bool         `json:"allowed,omitempty"` // a [REMOVE] marker asked for the removal
	MarkersAdded   []MarkerLine `json:"markers_added,omitempty"`
	MarkersRemoved []MarkerLine `json:"markers_removed,omitempty"`

	laterIndex int // index in the later version; -1 if removed
}

// Compare returns the difference of each section: the sections of the later version in their order,
// then the removed ones.
func Compare(before, after *Plan) []Change {
	was, is := before.OwnTexts(), after.OwnTexts()
	old := map[string]int{}
	for i, s := range before.Sections {
		old[s.Path] = i
	}
	now := map[string]bool{}
	for _, s := range after.Sections {
		now[s.Path] = true
	}
	lost := map[string][]int{} // by kind and name: sections with a path that no longer exists
	for i, s := range before.Sections {
		if !now[s.Path] {
			key := string(s.Kind) + Slug(s.Name)
			lost[key] = append(lost[key], i)
		}
	}
	moved := map[int]bool{}
	var out []Change
	for i, s := range after.Sections {
		c := Change{Path: s.Path, Name: s.Name, Kind: s.Kind, Line: s.Line, Change: Same, laterIndex: i}
		from, there := old[s.Path]
		if key := string(s.Kind) + Slug(s.Name); !there && len(lost[key]) > 0 {
			from, there = lost[key][0], true
			lost[key] = lost[key][1:]
			moved[from] = true
			c.Change, c.From = Moved, before.Sections[from].Path
		}
		if !there {
			c.Change = Added
		} else {
			c.MarkersAdded, c.MarkersRemoved = markersBetween(before, from, after, i)
			switch same := foldSpace(was[from]) == foldSpace(is[i]); {
			case c.Change == Moved:
			case !same:
				c.Change = Edited
			case len(c.MarkersAdded)+len(c.MarkersRemoved) > 0:
				c.Change = Marked
			}
		}
		out = append(out, c)
	}
	for i, s := range before.Sections {
		if !now[s.Path] && !moved[i] {
			out = append(out, Change{Path: s.Path, Name: s.Name, Kind: s.Kind, Change: Removed,
				Allowed: mayRemove(before, i) || asksToRemove(after, s), laterIndex: -1})
		}
	}
	return out
}

func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

func markersBetween(before *Plan, i int, after *Plan, k int) (came, went []MarkerLine) {
	was, is := map[string]bool{}, map[string]bool{}
	for _, m := range before.MarkersOf(i) {
		was[m.String()] = true
	}
	for _, m := range after.MarkersOf(k) {
		is[m.String()] = true
		if !was[m.String()] {
			came = append(came, after.LineOf(m))
		}
	}
	for _, m := range before.MarkersOf(i) {
		if !is[m.String()] {
			went = append(went, before.LineOf(m))
		}
	}
	return came, went
}

// mayRemove reports whether a REMOVE marker is on the section or on one that contains it.
func mayRemove(p *Plan, i int) bool {
	return slices.ContainsFunc(p.Markers, func(m Marker) bool {
		return m.Problem == "" && m.Kind == belay.MarkRemove && m.Section >= 0 && p.IsInside(i, m.Section)
	})
}

// asksToRemove reports whether a REMOVE marker of p names the removed section s.
func asksToRemove(p *Plan, s Section) bool {
	for _, m := range p.Markers {
		if m.Problem != "" || m.Kind != belay.MarkRemove {
			continue
		}
		said := Stems(m.Text)
		for _, n := range s.Names {
			if stems, _ := NameStems(n); len(stems) > 0 && containsAllStems(stems, said) {
				return true
			}
		}
	}
	return false
}
