package comment

import (
	"strconv"
	"strings"
)

// pastedBlock is a pasted block, and the text before and after it.
type pastedBlock struct {
	unit         *unit
	finding      *finding
	above, after string
}

// readPasted reads a pasted block of data; other pasted blocks are decided after all text is read.
func (r *reader) readPasted(units []*unit, i int) {
	b := pastedBlock{unit: units[i], finding: r.scopeFinding(units[i].scope)}
	if i > 0 && units[i-1].kind != pasted {
		b.above = units[i-1].text
	}
	if i+1 < len(units) && units[i+1].kind == prose && units[i+1].scope == b.unit.scope {
		b.after = units[i+1].text
	}
	if b.finding == nil {
		b.finding = r.openFinding(nil, nil)
	}
	found, ok := readJSON(b.unit.text, b.unit.first, r.resolver.index)
	if !ok {
		r.blocks = append(r.blocks, b)
	}
	for _, f := range found {
		h := r.addHits(b.unit, b.finding, mention{path: f.Path, spans: []lineRange{{f.Start, f.End}}}, f.Severity, "")
		if h.line = f.Line; !f.Taken {
			h.skipReason = f.Why
		}
	}
}

// decidePasted decides on a pasted block when the text around it is known. Output of tools counts
// only if that text asks for a fix; a diff counts by its new side; a stack trace is not a list of
// places to change.
func (r *reader) decidePasted(b pastedBlock) {
	off := ""
	switch how := sentenceStance(b.above); {
	case r.approved:
		off = "the review approves"
	case b.finding.stance == stancePraises || b.finding.stance == stanceSettles || how == stancePraises || how == stanceSettles:
		off = "pasted and approved"
	case b.finding.taken > 0:
		off = "pasted in addition to the named places"
	case !hasCue("wants", b.above) && !hasCue("wants", b.after) && sentenceStance(b.after) != stanceAsks:
		off = "pasted without asking for a fix"
	}
	file, n, trace := "", -1, false
	for line := range strings.Lines(b.unit.text) {
		n++
		if len(line) > 2000 {
			continue
		}
		line = strings.TrimRight(line, "\r\n")
		trace = trace || hasCue("traced", line)
		if m := cue("newSide").FindStringSubmatch(line); m != nil {
			file = r.resolver.resolve(m[1], true)
		} else if spans := sectionLines(line); spans != nil && file != "" { // the file was named in a line above
			r.addHits(b.unit, b.finding, mention{path: file, spans: spans}, "", off).line += n
		} else if file == "" || !hasCue("diffLine", line) {
			file = r.readOutputLine(b, line, n, file, off, trace)
		}
	}
}

// sectionLines reads a line with only line numbers: a hunk's, or one below a linter's file name.
func sectionLines(line string) []lineRange {
	if m := cue("hunk").FindStringSubmatch(line); m != nil {
		start, _ := strconv.Atoi(m[1])
		count, _ := strconv.Atoi(m[2])
		return parseSpans(m[1], strconv.Itoa(start+max(count, 1)-1), "")
	}
	if m := cue("section").FindStringSubmatch(line); m != nil {
		return parseSpans(m[1], "", "")
	}
	return nil
}

// readOutputLine reads a line of a tool's output, and returns the file that the next lines belong
// to.
func (r *reader) readOutputLine(b pastedBlock, line string, n int, file, off string, trace bool) string {
	found := trackedMentions(r.resolver.findMentions(line))
	if len(found) == 0 {
		return file
	}
	m := found[0]
	for _, ref := range findLineRefs(line, nil) {
		if len(m.spans) == 0 {
			m.spans = ref.spans
		}
	}
	switch {
	case len(m.spans) == 0 && strings.Trim(line[m.to:], " :") == "":
		return m.path
	case len(m.spans) == 0:
		off = "named in pasted text"
	case trace || hasCue("frame", line):
		off = "a stack frame"
	case !hasCue("diagnostic", b.unit.text) && !strings.HasPrefix(line[m.to:], ":"):
		off = "named in pasted text"
	}
	m.from = 0
	r.addHits(b.unit, b.finding, m, "", off).line += n
	return file
}
