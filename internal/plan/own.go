package plan

import (
	"sort"
	"strings"
)

// OwnTexts returns the text of each section without markers and nested sections.
func (p *Plan) OwnTexts() []string {
	texts := make([]strings.Builder, len(p.Sections))
	mi, at := 0, 0
	var bounds []int
	for _, s := range p.Sections {
		bounds = append(bounds, s.Start, s.End)
	}
	sort.Ints(bounds)
	copyTo := func(to int) {
		for at < to {
			if mi < len(p.Markers) && p.Markers[mi].Start < to {
				m := p.Markers[mi]
				mi++
				if o := p.sectionContaining(at); o >= 0 && m.Start > at {
					texts[o].Write(p.text[at:m.Start])
				}
				at = max(at, m.End)
				continue
			}
			if o := p.sectionContaining(at); o >= 0 {
				texts[o].Write(p.text[at:to])
				texts[o].WriteByte(' ')
			}
			at = to
		}
	}
	for _, b := range bounds {
		copyTo(b)
	}
	out := make([]string, len(texts))
	for i := range texts {
		out[i] = texts[i].String()
	}
	return out
}
