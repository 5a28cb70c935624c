package plan

import (
	"bytes"
	"slices"
	"sort"

	"github.com/belay-dev/belay/internal/belay"
)

// MarkerLine is a marker with its position in a plan.
type MarkerLine struct {
	Section string       `json:"section"` // the section's path, "" for none
	Name    string       `json:"name"`
	Line    int          `json:"line"`
	Marker  belay.Marker `json:"marker"`
	Text    string       `json:"text"` // the marker without comment delimiters
}

// LineOf returns a marker with its position.
func (p *Plan) LineOf(m Marker) MarkerLine {
	l := MarkerLine{Line: m.Line, Marker: m.Kind, Text: m.String()}
	if m.Section >= 0 {
		l.Section, l.Name = p.Sections[m.Section].Path, p.Sections[m.Section].Name
	}
	return l
}

// Rewrite returns the plan's text with the markers add[i] inserted into section i and the markers
// drop removed. Every other byte is unchanged.
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
		return edits[i].to < edits[j].to // insertions before deletions
	})
	return applyEdits(p.text, edits)
}

// StripMarkers returns the plan's text with only the markers for which keep returns true.
func (p *Plan) StripMarkers(keep func(Marker) bool) []byte {
	return p.Rewrite(nil, slices.DeleteFunc(slices.Clone(p.Markers), keep))
}

// edit replaces a range of bytes with a text.
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
