package plan

import (
	"bytes"
	"strings"
)

// spot is where the markers of one section go, and how they are written there.
type spot struct {
	at     int
	form   form
	indent string // in front of each line
	eol    string // "" when markers share the line of something else
	lead   bool   // the line before has no end yet
}

type form int

const (
	formChild    form = iota // {/* … */}
	formCode                 // // …
	formTag                  // /* … */
	formMarkdown             // <!-- … -->
)

// write returns the bytes of markers at a spot.
func (s spot) write(markers []Marker) string {
	var b strings.Builder
	for _, m := range markers {
		if s.lead {
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
		case !s.lead:
			b.WriteString(s.eol)
		}
	}
	return b.String()
}

// spot returns where the markers of a section go: on lines of their own wherever the section
// leaves room for one.
func (p *Plan) spot(i int) spot {
	if p.Format == Markdown {
		return p.underHeading(i)
	}
	e := &p.doc.Elements[p.Sections[i].element]
	if p.narrow(i) {
		return p.narrowSpot(i)
	}
	if next := p.starting(p.skipMarkers(e.Open)); next < 0 || !p.narrow(next) || !p.x.First(p.Sections[next].Start) {
		return spot{at: p.x.Next(e.Open), form: formChild, indent: p.childIndent(i), eol: p.x.EOL(e.Open)}
	}
	// What starts on the next line has no room of its own: markers in front of it are its.
	if p.x.First(e.Close) {
		at := p.x.Start(e.Close)
		return spot{at: at, form: formChild, indent: p.childIndent(i), eol: p.x.EOL(at - 1)}
	}
	return spot{at: e.Open - 1, form: formTag}
}

// narrowSpot is where markers go of a section that has no line of its own after its tag:
// in front of it, in its tag, or in it.
func (p *Plan) narrowSpot(i int) spot {
	e := &p.doc.Elements[p.Sections[i].element]
	if start := p.x.Start(e.Start); p.x.First(e.Start) {
		s := spot{at: start, form: formChild, indent: string(p.text[start:e.Start]), eol: p.eolNear(e.Start)}
		if e.InCode {
			s.form = formCode
		}
		return s
	}
	if !e.Self {
		return spot{at: e.Open, form: formChild}
	}
	end := e.Open - 2 // />
	if start := p.x.Start(end); p.x.First(end) {
		return spot{at: start, form: formTag, indent: string(p.text[start:end]) + p.unit(), eol: p.eolNear(end)}
	}
	return spot{at: end, form: formTag}
}

// eolNear returns what ends the line with an offset, or the text's lines.
func (p *Plan) eolNear(at int) string {
	if e := p.x.EOL(at); e != "" {
		return e
	}
	return p.x.Usual()
}

func (p *Plan) underHeading(i int) spot {
	after := p.Sections[i].after
	if after == len(p.text) && p.x.EOL(after-1) == "" {
		return spot{at: after, form: formMarkdown, eol: p.x.Usual(), lead: true}
	}
	return spot{at: after, form: formMarkdown, eol: p.x.EOL(after - 1)}
}

// childIndent is how the first thing in an element is indented: as what is there, else one
// unit more than the element's line.
func (p *Plan) childIndent(i int) string {
	e := &p.doc.Elements[p.Sections[i].element]
	own := leadOf(p.text[p.x.Start(e.Start):e.Start])
	for at := p.x.Next(e.Open); at < e.Close; at = p.x.Next(at) {
		line := p.text[at:p.x.End(at)]
		if in := leadOf(line); len(in) < len(line) {
			if at+len(in) < e.Close && strings.HasPrefix(in, own) {
				return in
			}
			break
		}
		if p.x.Next(at) == at {
			break
		}
	}
	return own + p.unit()
}

// unit is one step of the text's indentation: a tab where lines start with tabs, else the
// fewest spaces that a line starts with.
func (p *Plan) unit() string {
	if p.step == "" {
		p.step = p.findStep()
	}
	return p.step
}

func (p *Plan) findStep() string {
	least := 0
	for n := 1; n <= min(p.x.Count(), 2000); n++ {
		at := p.x.At(n)
		in := leadOf(p.text[at:p.x.End(at)])
		switch {
		case in == "" || at+len(in) == p.x.End(at):
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

// leadOf returns the spaces and tabs a line starts with.
func leadOf(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// cut is bytes to be taken away.
type cut struct{ from, to int }

// cuts returns the bytes that some markers take up, with the lines they are alone on, in
// their order. What is left when they are gone is what was there before they came.
func (p *Plan) cuts(markers []Marker) []cut {
	out := make([]cut, len(markers))
	end := len(p.text)
	for i := len(markers) - 1; i >= 0; i-- {
		m := markers[i]
		c := cut{m.Start, m.End}
		switch alone := p.x.First(m.Start) && p.x.Last(m.End); {
		case alone && p.x.End(m.End) >= end: // the last line has no end: the one before loses its own
			c = cut{max(0, p.x.Start(m.Start)-len(p.x.EOL(max(0, p.x.Start(m.Start)-1)))), end}
			end = c.from
		case alone:
			c = cut{p.x.Start(m.Start), p.x.Next(m.End)}
		case p.inTag(m) && m.End < len(p.text) && p.text[m.End] == ' ':
			c.to++
		}
		out[i] = c
	}
	return out
}

func (p *Plan) inTag(m Marker) bool { return p.Format == TSX && p.text[m.Start] == '/' }
