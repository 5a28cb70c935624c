package plan

import (
	"bytes"
	"strings"
)

// markerSpot is where the markers of one section go, and how they are written there.
type markerSpot struct {
	at            int
	form          markerForm
	indent        string // in front of each line
	eol           string // "" when markers share the line of something else
	newlineBefore bool   // the line before has no end yet
}

type markerForm int

const (
	formChild    markerForm = iota // {/* … */}
	formCode                       // // …
	formTag                        // /* … */
	formMarkdown                   // <!-- … -->
)

// write returns the bytes of markers at a spot.
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

// spotOf returns where the markers of a section go: on lines of their own wherever the section
// leaves room for one.
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
	// What starts on the next line has no room of its own: markers in front of it are its.
	if p.index.IsFirstOnLine(e.Close) {
		at := p.index.Start(e.Close)
		return markerSpot{at: at, form: formChild, indent: p.childIndent(i), eol: p.index.EOL(at - 1)}
	}
	return markerSpot{at: e.Open - 1, form: formTag}
}

// narrowSpot is where markers go of a section that has no line of its own after its tag:
// in front of it, in its tag, or in it.
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

// eolNear returns what ends the line with an offset, or the text's lines.
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

// childIndent is how the first thing in an element is indented: as what is there, else one
// unit more than the element's line.
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

// indentUnit is one step of the text's indentation: a tab where lines start with tabs, else the
// fewest spaces that a line starts with.
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

// leadingSpace returns the spaces and tabs a line starts with.
func leadingSpace(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// byteRange is bytes to be taken away.
type byteRange struct{ from, to int }

// cuts returns the bytes that some markers take up, with the lines they are alone on, in
// their order. What is left when they are gone is what was there before they came.
func (p *Plan) cuts(markers []Marker) []byteRange {
	out := make([]byteRange, len(markers))
	end := len(p.text)
	for i := len(markers) - 1; i >= 0; i-- {
		m := markers[i]
		c := byteRange{m.Start, m.End}
		switch alone := p.index.IsFirstOnLine(m.Start) && p.index.IsLastOnLine(m.End); {
		case alone && p.index.End(m.End) >= end: // the last line has no end: the one before loses its own
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
