package plan

import (
	"bytes"
	"slices"
	"sort"

	"github.com/belay-dev/belay/internal/belay"
)

// Updated is what an update comes to. Text is the plan's new text: the old one when there
// was nothing to add.
type Updated struct {
	Text    []byte
	Asked   []Placed // each requirement and where it was marked
	Kept    []Placed // each phrase about what stays
	Added   []Line
	Dropped []Line // of this task: NO CHANGES where something changes after all
	Stale   []Line // of this task: markers of what it does not ask for
}

// Unplaced returns the requirements that no section was found for.
func (u Updated) Unplaced() []Placed {
	return slices.DeleteFunc(slices.Clone(u.Asked), func(a Placed) bool { return len(a.Matches) > 0 })
}

// Update marks a plan for a task: each requirement in the sections it is about, NO CHANGES
// in the sections that it leaves alone, PRESERVED where something has to stay. Markers that
// are there already are not written again, and nothing else of the plan changes by a byte.
// A requirement that no section is found for is not marked; when that is all of them, the
// plan stays unchanged.
func Update(p *Plan, w Work) (Updated, error) {
	u := Updated{Text: p.Text()}
	var err error
	if u.Asked, u.Kept, err = Find(p, w); err != nil {
		return u, err
	}
	d := &draft{p: p, w: w, there: map[string]bool{}, open: map[int]bool{}, has: make([][]Marker, len(p.Sections)),
		want: make([][]Marker, len(p.Sections))}
	d.look()
	d.changes(u.Asked)
	if !d.any {
		return u, nil
	}
	d.stays(u.Kept)
	return d.finish(u)
}

// draft is an update in the making.
type draft struct {
	p     *Plan
	w     Work
	there map[string]bool // what is written already, wherever
	has   [][]Marker      // what each section has of this task
	want  [][]Marker      // what each section gets
	open  map[int]bool    // it may be what a requirement in no section is about
	any   bool
	gone  []Marker
}

func (d *draft) look() {
	for _, m := range d.p.Markers {
		if m.Bad != "" || !m.Of(d.w.Task) {
			continue
		}
		if m.Change() {
			d.there[m.String()] = true
		}
		if m.Section >= 0 {
			d.has[m.Section] = append(d.has[m.Section], m)
		}
	}
}

// add wants a marker in a section, unless it is there.
func (d *draft) add(section int, m Marker) {
	m.Task = Label(d.w.Task)
	for _, old := range slices.Concat(d.has[section], d.want[section]) {
		if old.String() == m.String() {
			return
		}
	}
	d.want[section] = append(d.want[section], m)
}

// changes marks what is asked for. A requirement that stands somewhere for this task is left
// there, whoever wrote it, and marked again only where a person says so.
func (d *draft) changes(asked []Placed) {
	for _, a := range asked {
		if len(a.Matches) == 0 {
			for _, hint := range a.Hints {
				if i, err := d.p.Find(hint); err == nil {
					d.open[i] = true
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
		written := d.there[m.String()] || d.there[short.String()]
		for _, match := range a.Matches {
			if !written || match.Said && !d.holds(match.Section, m) && !d.holds(match.Section, short) {
				d.add(match.Section, m)
			}
		}
	}
}

// holds reports whether a section has a marker of this task already.
func (d *draft) holds(section int, m Marker) bool {
	return slices.ContainsFunc(d.has[section], func(old Marker) bool { return old.String() == m.String() })
}

// MarkerOf is how a requirement is written into a plan.
func MarkerOf(task belay.TaskID, r belay.Requirement) Marker {
	text := Words(r.Text)
	if text == "" {
		text = "as the task says"
	}
	return Marker{Kind: r.Marker, Task: Label(task), Count: r.Count, Text: text}
}

// marked reports whether a section has or gets a marker of a kind.
func (d *draft) marked(i int, kind belay.Marker) bool {
	return slices.ContainsFunc(slices.Concat(d.has[i], d.want[i]), func(m Marker) bool { return m.Kind == kind })
}

func (d *draft) changed(i int) bool {
	return slices.ContainsFunc(slices.Concat(d.has[i], d.want[i]), Marker.Change)
}

// stays marks what has to stay: what is there where something is added, what the person
// named, and every section that nothing is asked of.
func (d *draft) stays(keep []Placed) {
	busy := make([]bool, len(d.p.Sections)) // it, or something in it, changes
	for i := range d.p.Sections {
		if d.changed(i) {
			for up := i; up >= 0; up = d.p.Sections[up].Parent {
				busy[up] = true
			}
		}
	}
	for _, k := range keep {
		for _, match := range k.Matches {
			d.add(match.Section, Marker{Kind: belay.MarkPreserved, Text: Words(k.Requirement.Text)})
		}
	}
	for i, s := range d.p.Sections {
		switch {
		case d.marked(i, belay.MarkAdd) && !d.marked(i, belay.MarkRemove) && !d.marked(i, belay.MarkPreserved):
			d.add(i, Marker{Kind: belay.MarkPreserved, Text: "what is there already"})
		case busy[i] || s.Kind == Block || d.covered(i) || d.open[i] || len(d.has[i]) > 0:
		default:
			d.want[i] = slices.Insert(d.want[i], 0, Marker{Kind: belay.MarkNoChanges, Task: Label(d.w.Task)})
		}
		for _, m := range d.has[i] {
			if d.changed(i) && m.Kind == belay.MarkNoChanges {
				d.gone = append(d.gone, m)
			}
		}
	}
}

// covered reports whether a section is in one that is to be changed, fixed or removed as
// a whole: then nobody can say that it stays. What is added to a section leaves what lies
// in it alone.
func (d *draft) covered(i int) bool {
	for up := d.p.Sections[i].Parent; up >= 0; up = d.p.Sections[up].Parent {
		if d.marked(up, belay.MarkModify) || d.marked(up, belay.MarkFix) || d.marked(up, belay.MarkRemove) {
			return true
		}
	}
	return false
}

// finish writes the text and reads it again: an update that would change anything but
// markers is refused.
func (d *draft) finish(u Updated) (Updated, error) {
	sort.Slice(d.gone, func(i, j int) bool { return d.gone[i].Start < d.gone[j].Start })
	for _, m := range d.gone {
		u.Dropped = append(u.Dropped, d.p.Line(m))
	}
	u.Stale = d.stale(u)
	u.Text = d.p.Rewrite(d.want, d.gone)
	if bytes.Equal(u.Text, d.p.Text()) {
		return u, nil
	}
	again, err := Read(d.p.Name, u.Text)
	if err != nil || !d.faithful(again) {
		return u, &belay.Error{Code: belay.CodeCannot,
			What: "the markers cannot be written into " + belay.VisibleLine(d.p.Name) + " without changing what it says",
			Try:  "put each section's tag on a line of its own", Err: err}
	}
	u.Added = d.added(again)
	return u, nil
}

// faithful reports whether the new text is the old one but for this task's markers, and
// every section has those it was to get.
func (d *draft) faithful(again *Plan) bool {
	others := func(m Marker) bool { return m.Bad != "" || !m.Of(d.w.Task) }
	if !bytes.Equal(d.p.Strip(others), again.Strip(others)) || len(again.Sections) != len(d.p.Sections) {
		return false
	}
	for i, list := range d.want {
		if again.Sections[i].Path != d.p.Sections[i].Path {
			return false
		}
		got := map[string]int{}
		for _, m := range again.Of(i) {
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

// added lists the new markers as they are in the new text.
func (d *draft) added(again *Plan) []Line {
	fresh := map[int]map[string]bool{}
	for i, list := range d.want {
		fresh[i] = map[string]bool{}
		for _, m := range list {
			fresh[i][m.String()] = true
		}
	}
	var out []Line
	for _, m := range again.Markers {
		if m.Section >= 0 && fresh[m.Section][m.String()] {
			out = append(out, again.Line(m))
		}
	}
	return out
}

// stale lists the change markers of this task that none of its requirements stands for.
func (d *draft) stale(u Updated) []Line {
	asked := map[string]bool{}
	for _, a := range u.Asked {
		asked[MarkerOf(d.w.Task, a.Requirement).String()] = true
	}
	for _, r := range d.w.Request.Requirements {
		asked[MarkerOf(d.w.Task, r).String()] = true
	}
	var out []Line
	for _, list := range d.has {
		for _, m := range list {
			if m.Change() && !asked[m.String()] {
				out = append(out, d.p.Line(m))
			}
		}
	}
	return out
}
