package plan

import (
	"errors"
	"path"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// Format is the file format of a plan.
type Format string

// The formats of plans.
const (
	TSX      Format = "tsx"
	Markdown Format = "md"
)

// FormatOf returns the format of a plan by its file name. Other names are an error (CodeUsage).
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

// MaxSize is the maximum size of a plan, in bytes.
const MaxSize = 8 << 20

// Kind is the kind of a section.
type Kind string

// The kinds. A block is an element of a plan.tsx outside of all sections that contains none, such
// as a theme or a rule. It can be marked, but gets no NO CHANGES marker.
const (
	Screen  Kind = "screen"
	Part    Kind = "section"
	Heading Kind = "heading"
	Block   Kind = "block"
)

// Section is one section of a plan. Start and End are byte offsets; lines count from 1.
type Section struct {
	Path          string // unique in the plan: landing/hero
	ID            string // the id in the plan; Name if it has none
	Name          string
	Kind          Kind
	Tag           string // the element's tag; "heading" in Markdown
	Level         int    // nesting depth, from 1
	Parent        int    // index of the enclosing section; -1 for none
	Line          int
	EndLine       int
	Start         int
	End           int
	Names         []string // all its names
	HasID         bool     // the plan gives it an id
	NameAttribute string   // the attribute that Name is from

	element int // plan.tsx: index of its element
	after   int // Markdown: start of the line after the heading

}

// Marker is a comment that says what a task does to a section.
type Marker struct {
	Kind    belay.Marker
	Task    string // see TaskLabel; "" if it names no task
	Count   *int
	Text    string
	Section int // -1 for none
	Line    int
	Start   int
	End     int
	Problem string // why the marker cannot be read; "" if it can
}

// Plan is a parsed plan.
type Plan struct {
	Name     string
	Format   Format
	Sections []Section // sorted by start
	Markers  []Marker  // sorted by start

	text  []byte
	index *LineIndex

	doc          *Doc   // of a plan.tsx
	isMarker     []bool // by comment: whether it is a marker
	afterMarkers []int  // by comment: the offset after it and the markers that follow it
	indentStep   string // see indentUnit

	markersBySection map[int][]Marker // see MarkersOf
}

// Text returns the bytes that the plan was read from; they must not be changed.
func (p *Plan) Text() []byte { return p.text }

// Read parses a plan. Too large a text, invalid UTF-8 and syntax errors are errors with their line
// (CodeUsage).
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

// invalidUTF8At returns the offset of the first NUL or invalid UTF-8, or -1.
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

// addSection adds a section and sets its lines, parent and level. Sections must be added in the
// order of their starts.
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

// sectionContaining returns the innermost section that contains an offset, or -1.
func (p *Plan) sectionContaining(off int) int {
	i := sort.Search(len(p.Sections), func(i int) bool { return p.Sections[i].Start > off }) - 1
	for i >= 0 && p.Sections[i].End <= off {
		i = p.Sections[i].Parent
	}
	return i
}

// addMarker adds a comment as a marker if it is one, well-formed or not.
func (p *Plan) addMarker(text string, start, end, section int) {
	m, ok := ParseMarker(text)
	if !ok {
		return
	}
	m.Start, m.End, m.Section, m.Line = start, end, section, p.index.Line(start)
	p.Markers = append(p.Markers, m)
}

// MarkersOf returns the markers of a section in their order; -1 for those outside all sections.
func (p *Plan) MarkersOf(section int) []Marker {
	if p.markersBySection == nil {
		p.markersBySection = map[int][]Marker{}
		for _, m := range p.Markers {
			p.markersBySection[m.Section] = append(p.markersBySection[m.Section], m)
		}
	}
	return p.markersBySection[section]
}

// TaskMarker is a marker of a task and its section.
type TaskMarker struct {
	Section Section
	Marker  Marker
}

// PlanPaths are the paths where a task's plan may be; the agent's copy comes first.
var PlanPaths = []string{".belay/now/plan.tsx", ".belay/now/plan.md", "plan.tsx", "plan.md", "docs/plan.md", "src/plan.tsx"}

// MarkersFor returns the well-formed markers of a task that are in a section.
func (p *Plan) MarkersFor(task belay.TaskID) []TaskMarker {
	var out []TaskMarker
	for _, m := range p.Markers {
		if m.Problem == "" && m.Section >= 0 && m.NamesTask(task) {
			out = append(out, TaskMarker{p.Sections[m.Section], m})
		}
	}
	return out
}

// IsInside reports whether section i is section up or inside it.
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
