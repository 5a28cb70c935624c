package plan

import (
	"bytes"
	"strings"
)

// markerSpot is where and in which syntax the markers of a section are inserted.
type markerSpot struct {
	at            int
	form          markerForm
	indent        string // before each line
	eol           string // "" for markers on a line with other text
	newlineBefore bool   // the previous line has no line end
}

type markerForm int

const (
	formChild    markerForm = iota // {/* … */}
	formCode                       // // …
	formTag                        // /* … */
	formMarkdown                   // <!-- … -->
)

// write returns the text of markers for this spot.
func (s markerSpot) write(markers []Marker) string {
	var b strings.Builder
	for _, m := range markers {
		if s.newlineBefore {
			b.WriteString(s.eol)
		}
		b.WriteString(s.indent)
		switch s.form {
		case formChild:
			b.WriteString("{/* " + m.String() + " */}")
		case formCode:
			b.WriteString("// " + m.String())
		case formTag:
			b.WriteString("/* " + m.String() + " */")
		case formMarkdown:
			b.WriteString("<!-- " + m.String() + " -->")
		}
		switch {
		case s.eol == "" && s.form == formTag:
			b.WriteString(" ")
		case !s.newlineBefore:
			b.WriteString(s.eol)
		}
	}
	return b.String()
}

// spotOf returns where the markers of a section go: on separate lines if there is space for them.
func (p *Plan) spotOf(i int) markerSpot {
	if p.Format == Markdown {
		return p.spotUnderHeading(i)
	}
	e := &p.doc.Elements[p.Sections[i].element]
	if p.isNarrow(i) {
		return p.narrowSpot(i)
	}
	if next := p.sectionStartingAt(p.skipMarkers(e.Open)); next < 0 || !p.isNarrow(next) || !p.index.IsFirstOnLine(p.Sections[next].Start) {
		return markerSpot{at: p.index.Next(e.Open), form: formChild, indent: p.childIndent(i), eol: p.index.EOL(e.Open)}
	}
	// A marker directly before a narrow section would belong to that one.
	if p.index.IsFirstOnLine(e.Close) {
		at := p.index.Start(e.Close)
		return markerSpot{at: at, form: formChild, indent: p.childIndent(i), eol: p.index.EOL(at - 1)}
	}
	return markerSpot{at: e.Open - 1, form: formTag}
}

// narrowSpot returns where the markers of a narrow section go: before it, in its tag, or after its
// tag.
func (p *Plan) narrowSpot(i int) markerSpot {
	e := &p.doc.Elements[p.Sections[i].element]
	if start := p.index.Start(e.Start); p.index.IsFirstOnLine(e.Start) {
		s := markerSpot{at: start, form: formChild, indent: string(p.text[start:e.Start]), eol: p.eolNear(e.Start)}
		if e.InCode {
			s.form = formCode
		}
		return s
	}
	if !e.SelfClosing {
		return markerSpot{at: e.Open, form: formChild}
	}
	end := e.Open - 2 // />
	if start := p.index.Start(end); p.index.IsFirstOnLine(end) {
		return markerSpot{at: start, form: formTag, indent: string(p.text[start:end]) + p.indentUnit(), eol: p.eolNear(end)}
	}
	return markerSpot{at: end, form: formTag}
}

// eolNear returns the line end of the line that contains an offset, or that of the first line.
func (p *Plan) eolNear(at int) string {
	if e := p.index.EOL(at); e != "" {
		return e
	}
	return p.index.FirstEOL()
}

func (p *Plan) spotUnderHeading(i int) markerSpot {
	after := p.Sections[i].after
	if after == len(p.text) && p.index.EOL(after-1) == "" {
		return markerSpot{at: after, form: formMarkdown, eol: p.index.FirstEOL(), newlineBefore: true}
	}
	return markerSpot{at: after, form: formMarkdown, eol: p.index.EOL(after - 1)}
}

// childIndent returns the indentation for the first child of an element: that of its first line of
// content, or else one unit more than the element's line.
func (p *Plan) childIndent(i int) string {
	e := &p.doc.Elements[p.Sections[i].element]
	own := leadingSpace(p.text[p.index.Start(e.Start):e.Start])
	for at := p.index.Next(e.Open); at < e.Close; at = p.index.Next(at) {
		line := p.text[at:p.index.End(at)]
		if in := leadingSpace(line); len(in) < len(line) {
			if at+len(in) < e.Close && strings.HasPrefix(in, own) {
				return in
			}
			break
		}
		if p.index.Next(at) == at {
			break
		}
	}
	return own + p.indentUnit()
}

// indentUnit returns one step of the text's indentation: a tab if a line starts with one, otherwise
// the fewest spaces (at least 2) that a line starts with.
func (p *Plan) indentUnit() string {
	if p.indentStep == "" {
		p.indentStep = p.findStep()
	}
	return p.indentStep
}

func (p *Plan) findStep() string {
	least := 0
	for n := 1; n <= min(p.index.Count(), 2000); n++ {
		at := p.index.At(n)
		in := leadingSpace(p.text[at:p.index.End(at)])
		switch {
		case in == "" || at+len(in) == p.index.End(at):
		case in[0] == '\t':
			return "\t"
		case len(in) > 1 && (least == 0 || len(in) < least):
			least = len(in)
		}
	}
	if least == 0 || least > 8 {
		least = 2
	}
	return strings.Repeat(" ", least)
}

// leadingSpace returns the spaces and tabs at the start of a line.
func leadingSpace(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// byteRange is a range of bytes to delete.
type byteRange struct{ from, to int }

// cuts returns the byte ranges of markers, with the entire line where a marker is alone on it.
// Deleting the ranges undoes the insertion exactly.
func (p *Plan) cuts(markers []Marker) []byteRange {
	out := make([]byteRange, len(markers))
	end := len(p.text)
	for i := len(markers) - 1; i >= 0; i-- {
		m := markers[i]
		c := byteRange{m.Start, m.End}
		switch alone := p.index.IsFirstOnLine(m.Start) && p.index.IsLastOnLine(m.End); {
		case alone && p.index.End(m.End) >= end: // the last line has no line end: delete the previous one's
			c = byteRange{max(0, p.index.Start(m.Start)-len(p.index.EOL(max(0, p.index.Start(m.Start)-1)))), end}
			end = c.from
		case alone:
			c = byteRange{p.index.Start(m.Start), p.index.Next(m.End)}
		case p.inTag(m) && m.End < len(p.text) && p.text[m.End] == ' ':
			c.to++
		}
		out[i] = c
	}
	return out
}

func (p *Plan) inTag(m Marker) bool { return p.Format == TSX && p.text[m.Start] == '/' }
