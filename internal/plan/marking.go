package plan

import (
	"bytes"
	"slices"
	"sort"

	"github.com/belay-dev/belay/internal/belay"
)

// Update is what an update comes to. Text is the plan's new text: the old one when there
// was nothing to add.
type Update struct {
	Text    []byte
	Asked   []Placed // each requirement and where it was marked
	Kept    []Placed // each phrase about what stays
	Added   []MarkerLine
	Dropped []MarkerLine // of this task: NO CHANGES where something changes after all
	Stale   []MarkerLine // of this task: markers of what it does not ask for
}

// Unplaced returns the requirements that no section was found for.
func (u Update) Unplaced() []Placed {
	return slices.DeleteFunc(slices.Clone(u.Asked), func(a Placed) bool { return len(a.Matches) > 0 })
}

// UpdatePlan marks a plan for a task: each requirement in the sections it is about, NO CHANGES
// in the sections that it leaves alone, PRESERVED where something has to stay. Markers that
// are there already are not written again, and nothing else of the plan changes by a byte.
// A requirement that no section is found for is not marked; when that is all of them, the
// plan stays unchanged.
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

// updateDraft is an update in the making.
type updateDraft struct {
	p            *Plan
	w            Work
	existing     map[string]bool // what is written already, wherever
	existingOf   [][]Marker      // what each section has of this task
	added        [][]Marker      // what each section gets
	openSections map[int]bool    // it may be what a requirement in no section is about
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

// addMarker wants a marker in a section, unless it is there.
func (d *updateDraft) addMarker(section int, m Marker) {
	m.Task = TaskLabel(d.w.Task)
	for _, old := range slices.Concat(d.existingOf[section], d.added[section]) {
		if old.String() == m.String() {
			return
		}
	}
	d.added[section] = append(d.added[section], m)
}

// markChanges marks what is asked for. A requirement that stands somewhere for this task is left
// there, whoever wrote it, and marked again only where a person says so.
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
		short := m // as it is written where nothing that was said with it counts
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

// hasMarker reports whether a section has a marker of this task already.
func (d *updateDraft) hasMarker(section int, m Marker) bool {
	return slices.ContainsFunc(d.existingOf[section], func(old Marker) bool { return old.String() == m.String() })
}

// MarkerOf is how a requirement is written into a plan.
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

// markPreserved marks what has to stay: what is there where something is added, what the person
// named, and every section that nothing is asked of.
func (d *updateDraft) markPreserved(keep []Placed) {
	busy := make([]bool, len(d.p.Sections)) // it, or something in it, changes
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

// isCovered reports whether a section is in one that is to be changed, fixed or removed as
// a whole: then nobody can say that it stays. What is added to a section leaves what lies
// in it alone.
func (d *updateDraft) isCovered(i int) bool {
	for up := d.p.Sections[i].Parent; up >= 0; up = d.p.Sections[up].Parent {
		if d.hasMarkerOfKind(up, belay.MarkModify) || d.hasMarkerOfKind(up, belay.MarkFix) || d.hasMarkerOfKind(up, belay.MarkRemove) {
			return true
		}
	}
	return false
}

// finish writes the text and reads it again: an update that would change anything but
// markers is refused.
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

// isFaithful reports whether the new text is the old one but for this task's markers, and
// every section has those it was to get.
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

// listAdded lists the new markers as they are in the new text.
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

// listStale lists the change markers of this task that none of its requirements stands for.
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
