package plan

import (
	"bytes"
	"slices"
	"sort"

	"github.com/belay-dev/belay/internal/belay"
)

// Update is the result of UpdatePlan. Text is the plan's new text, equal to the old one if nothing
// was added.
type Update struct {
	Text    []byte
	Asked   []Placed // each requirement and where it was marked
	Kept    []Placed // each phrase about what stays
	Added   []MarkerLine
	Dropped []MarkerLine // of this task: NO CHANGES in sections that change now
	Stale   []MarkerLine // of this task: markers that match none of its requirements
}

// Unplaced returns the requirements for which no section was found.
func (u Update) Unplaced() []Placed {
	return slices.DeleteFunc(slices.Clone(u.Asked), func(a Placed) bool { return len(a.Matches) > 0 })
}

// UpdatePlan marks a plan for a task: each requirement in the sections that it is about, NO CHANGES
// in sections that the task does not touch, PRESERVED where something must stay. Existing markers
// are not written again, and every other byte is unchanged. A requirement without a section is not
// marked; if no requirement has one, the plan stays unchanged.
func UpdatePlan(p *Plan, w Work) (Update, error) {
	u := Update{Text: p.Text()}
	var err error
	if u.Asked, u.Kept, err = Find(p, w); err != nil {
		return u, err
	}
	d := &updateDraft{p: p, w: w, existing: map[string]bool{}, openSections: map[int]bool{}, existingOf: make([][]Marker, len(p.Sections)),
		added: make([][]Marker, len(p.Sections))}
	d.readExisting()
	d.markChanges(u.Asked)
	if !d.any {
		return u, nil
	}
	d.markPreserved(u.Kept)
	return d.finish(u)
}

// updateDraft collects the changes of one update.
type updateDraft struct {
	p            *Plan
	w            Work
	existing     map[string]bool // change markers of this task anywhere in the plan
	existingOf   [][]Marker      // by section: existing markers of this task
	added        [][]Marker      // by section: markers to add
	openSections map[int]bool    // sections that an unplaced requirement may be about
	any          bool
	dropped      []Marker
}

func (d *updateDraft) readExisting() {
	for _, m := range d.p.Markers {
		if m.Problem != "" || !m.NamesTask(d.w.Task) {
			continue
		}
		if m.IsChange() {
			d.existing[m.String()] = true
		}
		if m.Section >= 0 {
			d.existingOf[m.Section] = append(d.existingOf[m.Section], m)
		}
	}
}

// addMarker adds a marker to a section, unless the section has it.
func (d *updateDraft) addMarker(section int, m Marker) {
	m.Task = TaskLabel(d.w.Task)
	for _, old := range slices.Concat(d.existingOf[section], d.added[section]) {
		if old.String() == m.String() {
			return
		}
	}
	d.added[section] = append(d.added[section], m)
}

// markChanges marks the requirements. A requirement that this task already has a marker for
// anywhere stays there, and is marked again only in pinned sections.
func (d *updateDraft) markChanges(asked []Placed) {
	for _, a := range asked {
		if len(a.Matches) == 0 {
			for _, hint := range a.Hints {
				if i, err := d.p.Find(hint); err == nil {
					d.openSections[i] = true
				}
			}
			continue
		}
		d.any = true
		m := MarkerOf(d.w.Task, a.Requirement)
		short := m // as written without the text that follows the requirement
		if a.Number <= len(d.w.Request.Requirements) {
			short = MarkerOf(d.w.Task, d.w.Request.Requirements[a.Number-1])
		}
		written := d.existing[m.String()] || d.existing[short.String()]
		for _, match := range a.Matches {
			if !written || match.Pinned && !d.hasMarker(match.Section, m) && !d.hasMarker(match.Section, short) {
				d.addMarker(match.Section, m)
			}
		}
	}
}

// hasMarker reports whether a section already has this marker.
func (d *updateDraft) hasMarker(section int, m Marker) bool {
	return slices.ContainsFunc(d.existingOf[section], func(old Marker) bool { return old.String() == m.String() })
}

// MarkerOf returns the marker for a requirement.
func MarkerOf(task belay.TaskID, r belay.Requirement) Marker {
	text := CommentText(r.Text)
	if text == "" {
		text = "as the task says"
	}
	return Marker{Kind: r.Marker, Task: TaskLabel(task), Count: r.Count, Text: text}
}

// hasMarkerOfKind reports whether a section has or gets a marker of a kind.
func (d *updateDraft) hasMarkerOfKind(i int, kind belay.Marker) bool {
	return slices.ContainsFunc(slices.Concat(d.existingOf[i], d.added[i]), func(m Marker) bool { return m.Kind == kind })
}

func (d *updateDraft) isChanged(i int) bool {
	return slices.ContainsFunc(slices.Concat(d.existingOf[i], d.added[i]), Marker.IsChange)
}

// markPreserved adds PRESERVED for the existing content where something is added and for what the
// request says must stay, and NO CHANGES to every section without a change.
func (d *updateDraft) markPreserved(keep []Placed) {
	busy := make([]bool, len(d.p.Sections)) // the section, or one in it, changes
	for i := range d.p.Sections {
		if d.isChanged(i) {
			for up := i; up >= 0; up = d.p.Sections[up].Parent {
				busy[up] = true
			}
		}
	}
	for _, k := range keep {
		for _, match := range k.Matches {
			d.addMarker(match.Section, Marker{Kind: belay.MarkPreserved, Text: CommentText(k.Requirement.Text)})
		}
	}
	for i, s := range d.p.Sections {
		switch {
		case d.hasMarkerOfKind(i, belay.MarkAdd) && !d.hasMarkerOfKind(i, belay.MarkRemove) && !d.hasMarkerOfKind(i, belay.MarkPreserved):
			d.addMarker(i, Marker{Kind: belay.MarkPreserved, Text: "what is there already"})
		case busy[i] || s.Kind == Block || d.isCovered(i) || d.openSections[i] || len(d.existingOf[i]) > 0:
		default:
			d.added[i] = slices.Insert(d.added[i], 0, Marker{Kind: belay.MarkNoChanges, Task: TaskLabel(d.w.Task)})
		}
		for _, m := range d.existingOf[i] {
			if d.isChanged(i) && m.Kind == belay.MarkNoChanges {
				d.dropped = append(d.dropped, m)
			}
		}
	}
}

// isCovered reports whether a section is inside one that is to be changed, fixed or removed: it may
// change too. ADD leaves nested sections unchanged.
func (d *updateDraft) isCovered(i int) bool {
	for up := d.p.Sections[i].Parent; up >= 0; up = d.p.Sections[up].Parent {
		if d.hasMarkerOfKind(up, belay.MarkModify) || d.hasMarkerOfKind(up, belay.MarkFix) || d.hasMarkerOfKind(up, belay.MarkRemove) {
			return true
		}
	}
	return false
}

// finish writes the text and reads it again. An update that would change anything but markers fails
// (CodeCannot).
func (d *updateDraft) finish(u Update) (Update, error) {
	sort.Slice(d.dropped, func(i, j int) bool { return d.dropped[i].Start < d.dropped[j].Start })
	for _, m := range d.dropped {
		u.Dropped = append(u.Dropped, d.p.LineOf(m))
	}
	u.Stale = d.listStale(u)
	u.Text = d.p.Rewrite(d.added, d.dropped)
	if bytes.Equal(u.Text, d.p.Text()) {
		return u, nil
	}
	again, err := Read(d.p.Name, u.Text)
	if err != nil || !d.isFaithful(again) {
		return u, &belay.Error{Code: belay.CodeCannot,
			What: "the markers cannot be written into " + belay.VisibleLine(d.p.Name) + " without changing what it says",
			Try:  "put each section's tag on a line of its own", Err: err}
	}
	u.Added = d.listAdded(again)
	return u, nil
}

// isFaithful reports whether the new text equals the old one except for this task's markers, and
// every section has each of its new markers once.
func (d *updateDraft) isFaithful(again *Plan) bool {
	others := func(m Marker) bool { return m.Problem != "" || !m.NamesTask(d.w.Task) }
	if !bytes.Equal(d.p.StripMarkers(others), again.StripMarkers(others)) || len(again.Sections) != len(d.p.Sections) {
		return false
	}
	for i, list := range d.added {
		if again.Sections[i].Path != d.p.Sections[i].Path {
			return false
		}
		got := map[string]int{}
		for _, m := range again.MarkersOf(i) {
			got[m.String()]++
		}
		for _, m := range list {
			if got[m.String()] != 1 {
				return false
			}
		}
	}
	return true
}

// listAdded lists the new markers with their positions in the new text.
func (d *updateDraft) listAdded(again *Plan) []MarkerLine {
	fresh := map[int]map[string]bool{}
	for i, list := range d.added {
		fresh[i] = map[string]bool{}
		for _, m := range list {
			fresh[i][m.String()] = true
		}
	}
	var out []MarkerLine
	for _, m := range again.Markers {
		if m.Section >= 0 && fresh[m.Section][m.String()] {
			out = append(out, again.LineOf(m))
		}
	}
	return out
}

// listStale lists the change markers of this task that match none of its requirements.
func (d *updateDraft) listStale(u Update) []MarkerLine {
	asked := map[string]bool{}
	for _, a := range u.Asked {
		asked[MarkerOf(d.w.Task, a.Requirement).String()] = true
	}
	for _, r := range d.w.Request.Requirements {
		asked[MarkerOf(d.w.Task, r).String()] = true
	}
	var out []MarkerLine
	for _, list := range d.existingOf {
		for _, m := range list {
			if m.IsChange() && !asked[m.String()] {
				out = append(out, d.p.LineOf(m))
			}
		}
	}
	return out
}
