package plan

import (
	"bytes"
	"slices"
	"sort"

	"github.com/belay-dev/belay/internal/belay"
)

// MarkerLine is a marker as it is in a plan.
type MarkerLine struct {
	Section string       `json:"section"` // the section's path, "" for none
	Name    string       `json:"name"`
	Line    int          `json:"line"`
	Marker  belay.Marker `json:"marker"`
	Text    string       `json:"text"` // all of it, without the signs of a comment
}

// LineOf tells where a marker stands.
func (p *Plan) LineOf(m Marker) MarkerLine {
	l := MarkerLine{Line: m.Line, Marker: m.Kind, Text: m.String()}
	if m.Section >= 0 {
		l.Section, l.Name = p.Sections[m.Section].Path, p.Sections[m.Section].Name
	}
	return l
}

// Rewrite returns the plan's text with markers put into sections, by the section's number,
// and markers of the plan taken away. Every other byte stays.
func (p *Plan) Rewrite(add [][]Marker, drop []Marker) []byte {
	var edits []edit
	for i, list := range add {
		if len(list) > 0 {
			s := p.spotOf(i)
			edits = append(edits, edit{byteRange: byteRange{s.at, s.at}, text: s.write(list)})
		}
	}
	drop = slices.Clone(drop)
	sort.Slice(drop, func(i, j int) bool { return drop[i].Start < drop[j].Start })
	for _, c := range p.cuts(drop) {
		edits = append(edits, edit{byteRange: c})
	}
	sort.SliceStable(edits, func(i, j int) bool {
		if edits[i].from != edits[j].from {
			return edits[i].from < edits[j].from
		}
		return edits[i].to < edits[j].to // what is put in comes before what is taken away
	})
	return applyEdits(p.text, edits)
}

// StripMarkers returns the plan's text without the markers that keep tells not to keep.
func (p *Plan) StripMarkers(keep func(Marker) bool) []byte {
	return p.Rewrite(nil, slices.DeleteFunc(slices.Clone(p.Markers), keep))
}

// edit is a change of the text: bytes taken away and put in at one place.
type edit struct {
	byteRange
	text string
}

func applyEdits(text []byte, edits []edit) []byte {
	var b bytes.Buffer
	b.Grow(len(text) + 100*len(edits))
	at := 0
	for _, e := range edits {
		b.Write(text[at:max(at, e.from)])
		b.WriteString(e.text)
		at = max(at, e.to)
	}
	b.Write(text[at:])
	return b.Bytes()
}
