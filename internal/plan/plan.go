package plan

import (
	"errors"
	"path"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// Format is what a plan is written in.
type Format string

// The formats of plans.
const (
	TSX      Format = "tsx"
	Markdown Format = "md"
)

// FormatOf tells a plan's format by its name. It refuses (CodeUsage) other names.
func FormatOf(name string) (Format, error) {
	switch strings.ToLower(path.Ext(name)) {
	case ".tsx", ".jsx":
		return TSX, nil
	case ".md", ".markdown":
		return Markdown, nil
	}
	return "", belay.Refuse(belay.CodeUsage, "name a plan.tsx or a plan.md",
		"%s is not a plan: its name ends in neither .tsx nor .md", belay.VisibleLine(name))
}

// MaxSize is the largest plan that is read, in bytes.
const MaxSize = 8 << 20

// Kind is what a section is.
type Kind string

// The kinds. A block is an element of a plan.writeTSX that is no section, and is in none and
// holds none: a theme, a rule. It can be marked, but is not told that it stays.
const (
	Screen  Kind = "screen"
	Part    Kind = "section"
	Heading Kind = "heading"
	Block   Kind = "block"
)

// Section is one section of a plan. Start and End are bytes; lines count from 1.
type Section struct {
	Path          string // unique in the plan: landing/hero
	ID            string // as the plan gives it; Name when it gives none
	Name          string
	Kind          Kind
	Tag           string // of a plan.writeTSX
	Level         int    // how many sections it is in, plus one
	Parent        int    // the section it is in; -1 for none
	Line          int
	EndLine       int
	Start         int
	End           int
	Names         []string // everything it is called
	HasID         bool     // it has an id of its own
	NameAttribute string   // the attribute that it has its name from

	element int // of a plan.writeTSX
	after   int // of a Markdown plan: where the line after the heading starts

}

// Marker is what a comment of a plan says of the section it is in.
type Marker struct {
	Kind    belay.Marker
	Task    string // the task's label, see Label; "" when the marker names none
	Count   *int
	Text    string
	Section int // -1 when it is in none
	Line    int
	Start   int
	End     int
	Problem string // why it cannot be read, if it looks like a marker and is none
}

// Plan is a plan that was read.
type Plan struct {
	Name     string
	Format   Format
	Sections []Section // in the order they start in
	Markers  []Marker  // in their order

	text  []byte
	index *LineIndex

	doc          *Doc   // of a plan.writeTSX
	isMarker     []bool // which of its comments are markers
	afterMarkers []int  // where what follows a comment and markers behind it starts
	indentStep   string // of the indentation, once it is asked for

	markersBySection map[int][]Marker // filled when it is first asked for
}

// Text returns the bytes it was read from; they must not be changed.
func (p *Plan) Text() []byte { return p.text }

// Read reads a plan. A plan that is too large, is not text, or has wrong syntax is refused
// with its line (CodeUsage).
func Read(name string, text []byte) (*Plan, error) {
	format, err := FormatOf(name)
	if err != nil {
		return nil, err
	}
	shown := belay.VisibleLine(name)
	if len(text) > MaxSize {
		return nil, belay.Refuse(belay.CodeUsage, "split it", "%s is larger than %d MB", shown, MaxSize>>20)
	}
	p := &Plan{Name: name, Format: format, text: text, index: NewIndex(text)}
	if at := invalidUTF8At(text); at >= 0 {
		return nil, belay.Refuse(belay.CodeUsage, "save it as UTF-8", "%s:%d is not UTF-8 text", shown, p.index.Line(at))
	}
	if format == TSX {
		err = p.readTSX()
	} else {
		err = p.readMarkdown()
	}
	if err != nil {
		return nil, syntaxError(shown, err)
	}
	p.assignNames()
	return p, nil
}

// invalidUTF8At returns where a text stops being UTF-8, or -1.
func invalidUTF8At(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func syntaxError(name string, err error) error {
	line, what := 1, err.Error()
	var e *Error
	if errors.As(err, &e) {
		line, what = e.Line, e.Message
	}
	return belay.Refuse(belay.CodeUsage, "fix that line; nothing was written", "%s:%d: %s", name, line, belay.VisibleLine(what))
}

// addSection makes a section of the bytes from start to end. Sections come in the order they
// start in.
func (p *Plan) addSection(s Section) {
	s.Line, s.EndLine = p.index.Line(s.Start), p.index.Line(max(s.Start, s.End-1))
	s.Parent, s.Level = -1, 1
	for up := len(p.Sections) - 1; up >= 0; up = p.Sections[up].Parent {
		if p.Sections[up].End >= s.End {
			s.Parent, s.Level = up, p.Sections[up].Level+1
			break
		}
	}
	p.Sections = append(p.Sections, s)
}

// sectionContaining returns the innermost section that an offset is in, or -1.
func (p *Plan) sectionContaining(off int) int {
	i := sort.Search(len(p.Sections), func(i int) bool { return p.Sections[i].Start > off }) - 1
	for i >= 0 && p.Sections[i].End <= off {
		i = p.Sections[i].Parent
	}
	return i
}

// addMarker reads a comment and keeps it if it is a marker, or meant to be one.
func (p *Plan) addMarker(text string, start, end, section int) {
	m, ok := ParseMarker(text)
	if !ok {
		return
	}
	m.Start, m.End, m.Section, m.Line = start, end, section, p.index.Line(start)
	p.Markers = append(p.Markers, m)
}

// MarkersOf returns the markers of a section, in their order. -1 is for those in none.
func (p *Plan) MarkersOf(section int) []Marker {
	if p.markersBySection == nil {
		p.markersBySection = map[int][]Marker{}
		for _, m := range p.Markers {
			p.markersBySection[m.Section] = append(p.markersBySection[m.Section], m)
		}
	}
	return p.markersBySection[section]
}

// TaskMarker is a marker of a task and the section that it says something of.
type TaskMarker struct {
	Section Section
	Marker  Marker
}

// PlanPaths are where a task's plan is looked for, the agent's own first.
var PlanPaths = []string{".belay/now/plan.tsx", ".belay/now/plan.md", "plan.tsx", "plan.md", "docs/plan.md", "src/plan.tsx"}

// MarkersFor returns the markers of a task with their sections: what a gate holds the task to.
// Markers that cannot be read, and those outside all sections, are not among them.
func (p *Plan) MarkersFor(task belay.TaskID) []TaskMarker {
	var out []TaskMarker
	for _, m := range p.Markers {
		if m.Problem == "" && m.Section >= 0 && m.NamesTask(task) {
			out = append(out, TaskMarker{p.Sections[m.Section], m})
		}
	}
	return out
}

// IsInside reports whether section i is section up or is in it.
func (p *Plan) IsInside(i, up int) bool {
	for ; i >= 0; i = p.Sections[i].Parent {
		if i == up {
			return true
		}
	}
	return false
}

// SectionAt returns the innermost section at a line and a column, both from 1, or -1.
func (p *Plan) SectionAt(line, col int) int {
	return p.sectionContaining(min(p.index.At(line)+max(0, col-1), len(p.text)))
}

// StartsAt reports whether a section starts at a line and a column, both from 1.
func (p *Plan) StartsAt(line, col int) bool {
	return p.sectionStartingAt(p.index.At(line)+max(0, col-1)) >= 0
}
