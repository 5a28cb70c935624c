package plan

import (
	"sort"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
)

// List is a list in a section. Count is nil if it is unknown.
type List struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Line  int    `json:"line"`
	Count *int   `json:"count"`
}

// ListsBySection returns the lists of each section, without those of nested sections.
func ListsBySection(p *Plan) ([][]List, error) {
	out := make([][]List, len(p.Sections))
	name := "plan." + string(p.Format)
	all, err := count.CountLists(count.SingleFile(name, p.Text()), name)
	if err != nil {
		if belay.CodeOf(err) == belay.CodeCannot {
			return out, nil
		}
		return nil, err
	}
	for _, c := range all {
		i := p.SectionAt(c.List.Line, c.List.Col)
		if i < 0 || itemsAreSections(p, c) || c.List.Kind == count.Elements && len(c.Items) < 2 { // one element is not a list
			continue
		}
		l := List{Name: c.List.Name, Kind: string(c.List.Kind), Line: c.List.Line}
		if c.Count.IsKnown() {
			l.Count = &c.Count.N
		}
		out[i] = append(out[i], l)
	}
	for _, ls := range out {
		sort.SliceStable(ls, func(a, b int) bool { return ls[a].Line < ls[b].Line })
	}
	return out, nil
}

// itemsAreSections reports whether all items of a list are sections.
func itemsAreSections(p *Plan, c count.CountedList) bool {
	for _, it := range c.Items {
		if it.Line > 0 && !p.StartsAt(it.Line, it.Col) {
			return false
		}
	}
	return len(c.Items) > 0
}
