package plan

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Finding is a problem in a plan.
type Finding struct {
	Severity belay.Severity `json:"severity"`
	Rule     string         `json:"rule"` // sections, id, tag, marker, task, removed
	Message  string         `json:"message"`
	Section  string         `json:"section,omitempty"` // the section's path
	Line     int            `json:"line,omitempty"`    // line of the plan; 0 for a removed section
}

// Context is what a plan is compared with; nil fields are unknown.
type Context struct {
	Task            func(label string) bool // reports whether a task with this label is recorded
	NoTasksRecorded bool                    // no task was ever recorded here, as in a fresh clone
	Before          *Plan                   // an earlier version of the plan
	BeforeName      string                  // names that version: HEAD, a snapshot
}

// Validate returns the problems of a plan: ambiguous sections, unknown tags, markers that are
// unreadable, contradictory or without a task, and sections removed without REMOVE. A finding of
// severity error makes the plan invalid.
func Validate(p *Plan, k Context) []Finding {
	v := &validator{p: p}
	v.checkStructure()
	v.checkDuplicates()
	if p.Format == TSX {
		v.checkTags()
	}
	v.checkMarkers(k)
	v.checkContradictions()
	if k.Before != nil {
		v.checkRemoved(k)
	}
	sort.SliceStable(v.out, func(i, j int) bool { return v.out[i].Line < v.out[j].Line })
	return v.out
}

type validator struct {
	p   *Plan
	out []Finding
}

func (v *validator) report(severity belay.Severity, rule string, section, line int, format string, args ...any) {
	f := Finding{Severity: severity, Rule: rule, Line: line, Message: fmt.Sprintf(format, args...)}
	if section >= 0 {
		f.Section = v.p.Sections[section].Path
	}
	v.out = append(v.out, f)
}

func (v *validator) checkStructure() {
	real := 0
	for i, s := range v.p.Sections {
		if s.Kind != Block {
			real++
		}
		if s.Kind == Screen && s.Parent >= 0 && v.p.Sections[s.Parent].Kind != Block {
			v.report(belay.SeverityWarning, "sections", i, s.Line, "the screen %s is inside %s", s.Name, v.p.Sections[s.Parent].Name)
		}
		if s.Kind == Heading && len(s.Names) == 0 {
			v.report(belay.SeverityWarning, "sections", i, s.Line, "empty heading")
		}
	}
	if real == 0 {
		what := "it has no <Screen> and no <Section>"
		if v.p.Format == Markdown {
			what = "it has no heading"
		}
		v.report(belay.SeverityError, "sections", -1, 1, "%s", what)
	}
}

// checkDuplicates reports sections with the id or the name of an earlier one.
func (v *validator) checkDuplicates() {
	ids, siblings := map[string]int{}, map[string]int{}
	for i, s := range v.p.Sections {
		if s.Kind == Block {
			continue
		}
		if s.HasID {
			if first, there := ids[s.ID]; there {
				v.report(belay.SeverityError, "id", i, s.Line, "the id %q is also used in line %d", s.ID, v.p.Sections[first].Line)
				continue
			}
			ids[s.ID] = i
		}
		if len(s.Names) == 0 {
			continue
		}
		key := fmt.Sprint(s.Parent, " ", Slug(s.Name))
		first, there := siblings[key]
		if !there {
			siblings[key] = i
			continue
		}
		severity := belay.SeverityWarning
		if s.NameAttribute == "name" || s.Kind == Screen {
			severity = belay.SeverityError
		}
		if !s.HasID || severity == belay.SeverityWarning {
			v.report(severity, "id", i, s.Line, "%q has the same name as line %d; markers and belay use the path %s", s.Name,
				v.p.Sections[first].Line, s.Path)
		}
	}
}

// planTags are the tags that a plan may use without importing them.
var planTags = map[string]bool{
	"App": true, "Plan": true, "Screen": true, "Section": true, "Theme": true, "Content": true, "Typography": true,
	"Animation": true, "Rule": true,
	"Fragment": true, "React.Fragment": true,
}

var (
	importPattern      = lazyregexp.New(`\bimport\s+(?:type\s+)?([^'";]+?)\s+from\b`)
	declarationPattern = lazyregexp.New(`\b(?:const|let|var|function|class)\s+([A-Z]\w*)`)
	identifierPattern  = lazyregexp.New(`[\w$]+`)
)

// checkTags reports tags that are neither plan tags nor imported nor declared in the file.
func (v *validator) checkTags() {
	known, seen, text := map[string]bool{}, map[string]bool{}, string(v.p.Text())
	for _, m := range importPattern.FindAllStringSubmatch(text, -1) {
		for _, n := range identifierPattern.FindAllString(m[1], -1) {
			known[n] = true
		}
	}
	for _, m := range declarationPattern.FindAllStringSubmatch(text, -1) {
		known[m[1]] = true
	}
	for _, e := range v.p.doc.Elements {
		tag := e.Name
		first, _, _ := strings.Cut(tag, ".")
		html := tag == "" || tag[0] >= 'a' && tag[0] <= 'z' && first == tag
		if html || seen[tag] || planTags[tag] || known[tag] || known[first] || kindOf(tag) != "" {
			continue
		}
		seen[tag] = true
		line, section := v.p.index.Line(e.Start), v.p.sectionContaining(e.Start)
		for _, like := range []string{"Screen", "Section"} {
			if isMisspelling(strings.ToLower(tag), strings.ToLower(like)) {
				v.report(belay.SeverityError, "tag", section, line, "<%s> is not a section; did you mean <%s>?", tag, like)
				line = 0
				break
			}
		}
		if line > 0 {
			v.report(belay.SeverityWarning, "tag", section, line, "<%s> is neither a plan tag nor imported", tag)
		}
	}
}

// isMisspelling reports whether the edit distance of two words is at most 2.
func isMisspelling(a, b string) bool {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)] <= 2
}

func (v *validator) checkMarkers(k Context) {
	for _, m := range v.p.Markers {
		switch {
		case m.Problem != "":
			v.report(belay.SeverityError, "marker", m.Section, m.Line, "the marker cannot be read: %s", m.Problem)
			continue
		case m.Section < 0:
			v.report(belay.SeverityWarning, "marker", -1, m.Line, "%s is in no section", m.Kind)
		case m.Count != nil && *m.Count == 0:
			v.report(belay.SeverityWarning, "marker", m.Section, m.Line, "%s asks for 0 items", m.Kind)
		}
		switch {
		case m.Task == "" && m.Kind != belay.MarkPreserved:
			v.report(belay.SeverityWarning, "marker", m.Section, m.Line, "%s names no task", m.Kind)
		case m.Task != "" && k.Task != nil && k.NoTasksRecorded:
			v.report(belay.SeverityWarning, "task", m.Section, m.Line, "no task for task-%s: no task was ever recorded here", m.Task)
		case m.Task != "" && k.Task != nil && !k.Task(m.Task):
			v.report(belay.SeverityError, "task", m.Section, m.Line, "no task for task-%s", m.Task)
		}
	}
}

// checkContradictions reports change markers in sections that have NO CHANGES for the same task, or
// are inside such a section.
func (v *validator) checkContradictions() {
	still := map[string]map[int]Marker{} // by task and section: the NO CHANGES markers
	for _, m := range v.p.Markers {
		if m.Problem == "" && m.Kind == belay.MarkNoChanges && m.Section >= 0 && m.Task != "" {
			key := strings.ToLower(m.Task)
			if still[key] == nil {
				still[key] = map[int]Marker{}
			}
			still[key][m.Section] = m
		}
	}
	for _, m := range v.p.Markers {
		if m.Problem != "" || !m.IsChange() || m.Section < 0 {
			continue
		}
		for up := m.Section; up >= 0; up = v.p.Sections[up].Parent {
			if no, there := still[strings.ToLower(m.Task)][up]; there {
				v.report(belay.SeverityError, "marker", m.Section, m.Line, "%s contradicts NO CHANGES of line %d", m.Kind, no.Line)
				break
			}
		}
	}
}

// checkRemoved reports sections of the earlier version that were removed without a REMOVE marker.
func (v *validator) checkRemoved(k Context) {
	for _, c := range Compare(k.Before, v.p) {
		if c.Change == Removed && !c.Allowed && c.Kind != Block {
			v.report(belay.SeverityError, "removed", -1, 0, "%s was removed since %s without a [REMOVE] marker", c.Path, k.BeforeName)
		}
	}
}

// Valid reports whether none of the findings is an error.
func Valid(all []Finding) bool {
	return !slices.ContainsFunc(all, func(f Finding) bool { return f.Severity == belay.SeverityError })
}
