package comment

import (
	"strconv"
	"strings"
)

// block is what was pasted, and the words before and after it.
type block struct {
	u            *unit
	g            *group
	above, after string
}

// pasted reads a block of data, and keeps one of output until all words are read.
func (r *reader) pasted(units []*unit, i int) {
	b := block{u: units[i], g: r.of(units[i].scope)}
	if i > 0 && units[i-1].kind != pasted {
		b.above = units[i-1].text
	}
	if i+1 < len(units) && units[i+1].kind == prose && units[i+1].scope == b.u.scope {
		b.after = units[i+1].text
	}
	if n := len(r.groups); b.g == nil || b.g.scope.level == 1 && n > 0 { // below a paragraph that is a finding of its own
		b.g = r.open(b.g, nil)
		if n > 0 {
			b.g.severity, b.g.taken = r.groups[n-1].severity, r.groups[n-1].taken
		}
	}
	found, ok := decode(b.u.text, b.u.first, r.names.index)
	if !ok {
		r.blocks = append(r.blocks, b)
	}
	for _, f := range found {
		h := r.put(b.u, b.g, mention{path: f.Path, spans: []lines{{f.Start, f.End}}}, f.Severity, "")
		if h.line = f.Line; !f.Taken {
			h.off = f.Why
		}
	}
}

// settle decides on a pasted block when the words around it are known. What tools say
// counts only where these ask to have it fixed; a diff somebody objects to counts by its
// new side; a trace is not a list of places to change.
func (r *reader) settle(b block) {
	off := ""
	switch how := meant(b.above); {
	case r.approved:
		off = "the review approves"
	case b.g.mark == praises || b.g.mark == settles || how == praises || how == settles:
		off = "pasted and approved"
	case b.g.taken > 0:
		off = "pasted in addition to the named places"
	case !says("wants", b.above) && !says("wants", b.after) && meant(b.after) != asks:
		off = "pasted without asking for a fix"
	}
	file, n, trace := "", -1, false
	for line := range strings.Lines(b.u.text) {
		n++
		if len(line) > 2000 {
			continue
		}
		line = strings.TrimRight(line, "\r\n")
		trace = trace || says("traced", line)
		if m := cue("newSide").FindStringSubmatch(line); m != nil {
			file = r.names.resolve(m[1], true)
		} else if spans := ofSection(line); spans != nil && file != "" { // the file is above
			r.put(b.u, b.g, mention{path: file, spans: spans}, "", off).line += n
		} else if file == "" || !says("diffLine", line) {
			file = r.output(b, line, n, file, off, trace)
		}
	}
}

// ofSection reads a line that has only numbers: of a hunk, or below a linter's file name.
func ofSection(line string) []lines {
	if m := cue("hunk").FindStringSubmatch(line); m != nil {
		start, _ := strconv.Atoi(m[1])
		count, _ := strconv.Atoi(m[2])
		return spansOf(m[1], strconv.Itoa(start+max(count, 1)-1), "")
	}
	if m := cue("section").FindStringSubmatch(line); m != nil {
		return spansOf(m[1], "", "")
	}
	return nil
}

// output reads a line of what a tool said; it gives the file that the next lines are of.
func (r *reader) output(b block, line string, n int, file, off string, trace bool) string {
	found := tracked(r.names.scan(line))
	if len(found) == 0 {
		return file
	}
	m := found[0]
	for _, ref := range refs(line, nil) {
		if len(m.spans) == 0 {
			m.spans = ref.spans
		}
	}
	switch {
	case len(m.spans) == 0 && b.g.mark == asks && says("offending", b.above) && strings.TrimSpace(line[:m.from]) == "": // a list of files
	case len(m.spans) == 0 && strings.Trim(line[m.to:], " :") == "":
		return m.path
	case len(m.spans) == 0:
		off = "named in pasted text"
	case trace || says("frame", line):
		off = "a stack frame"
	case strings.Contains(m.path, "test") && strings.Contains(b.u.text, "FAIL"):
		off = "a failing test"
	case !says("diagnostic", b.u.text) && !strings.HasPrefix(line[m.to:], ":"):
		off = "named in pasted text"
	}
	m.from = 0
	r.put(b.u, b.g, m, "", off).line += n
	return file
}
