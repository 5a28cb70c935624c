package comment

import (
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	hunk       = lazyregexp.New(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)
	newSide    = lazyregexp.New(`^\+\+\+ (?:b/)?(\S+)`)
	diagnostic = lazyregexp.New(`(?i)\b(?:errors?|warning|info|note|unused|undefined|missing|fail\w*|broken|cannot|expected|should|must|invalid|too (?:long|many)|SC\d{4}|[A-Z]{1,4}\d{2,4})\b`)
	section    = lazyregexp.New(`^\s+(\d+):(\d+)\s+(?:error|warning|info|✖|⚠)`)
	traced     = lazyregexp.New(`(?i)traceback|stack ?trace|backtrace:|goroutine \d`)
	frame      = lazyregexp.New(`(?i)^\s+at |^\s*File "|^\s*#\d+\s|: in \w+$|^\s*(?:FAILED|PASSED|ERROR|FAIL|ok)\b|^make`)
)

// block is what was pasted, and the words before and after it.
type block struct {
	u            *unit
	g            *group
	above, after string
	trace        bool // what follows are the frames of a trace
}

// pasted reads a block of data, and keeps one of output until all words are read.
func (r *reader) pasted(units []*unit, i int) {
	u := units[i]
	b := block{u: u, g: r.of(u.scope)}
	if i > 0 && units[i-1].kind != pasted {
		b.above = units[i-1].text
	}
	if i+1 < len(units) && units[i+1].kind == prose && units[i+1].scope == u.scope {
		b.after = units[i+1].text
	}
	if n := len(r.groups); b.g == nil || b.g.scope.level == 1 && n > 0 { // below a paragraph that is a finding of its own
		b.g = r.open(b.g, nil)
		if n > 0 {
			b.g.severity, b.g.taken = r.groups[n-1].severity, r.groups[n-1].taken
		}
	}
	if found, ok := decode(u.text, r.index); ok {
		for _, f := range found {
			f.Line += u.line(0)
			r.found(b.g, f)
		}
		return
	}
	r.blocks = append(r.blocks, b)
}

func (r *reader) found(g *group, f Reason) {
	r.order++
	off := ""
	if !f.Taken {
		off = f.Why
	}
	sev := f.Severity
	if sev == Unlabelled {
		sev = ""
	}
	h := &hit{path: f.Path, span: lines{f.Start, f.End}, severity: sev, line: f.Line, order: r.order, off: off, group: g}
	r.hits, g.hits = append(r.hits, h), append(g.hits, h)
}

// settle decides on a pasted block when the words around it are known. What tools say
// counts only where these ask to have it fixed; a diff somebody objects to counts by its
// new side; a trace is no list of places to change.
func (r *reader) settle(b block) {
	off := ""
	switch how := meant(b.above); {
	case r.approved:
		off = "the review approves"
	case b.g.mark == praises || b.g.mark == settles || how == praises || how == settles:
		off = "pasted, and found good"
	case b.g.taken > 0:
		off = "pasted beside what is named"
	case !wants.MatchString(b.above) && !wants.MatchString(b.after) && meant(b.after) != asks:
		off = "pasted, not asked to be fixed"
	}
	file := ""
	b.trace = false
	at := 0
	for line := range strings.Lines(b.u.text) {
		here := at
		at += len(line)
		line = strings.TrimRight(line, "\r\n")
		if len(line) > 2000 {
			continue
		}
		if m := newSide.FindStringSubmatch(line); m != nil {
			file = r.names.resolve(m[1], true, nil)
			continue
		}
		if m := hunk.FindStringSubmatch(line); m != nil && file != "" {
			start, _ := strconv.Atoi(m[1])
			n, err := strconv.Atoi(m[2])
			if err != nil {
				n = 1
			}
			if start > 0 && start < mostLines && n >= 0 && n < mostLines {
				r.put(b.u.from(here), b.g, mention{path: file, spans: []lines{{start, start + max(n, 1) - 1}}}, 0, "", off)
			}
			continue
		}
		b.trace = b.trace || traced.MatchString(line)
		file = r.output(b, line, here, file, off)
	}
}

// lists tells a list of files that the words before it object to.
func (b block) lists() bool {
	return b.g.mark == asks && offending.MatchString(b.above)
}

var offending = lazyregexp.New(`(?i)\b(?:offending|violating|offenders?|violators?|affected (?:files|pages)|files? to (?:change|fix|update|remove)|(?:fix|update|change|remove|delete|revert) (?:these|the following))\b[^.!?]*[:：]\s*$`)

// output reads a line of what a tool said; it gives the file that the next lines are of.
func (r *reader) output(b block, line string, here int, file, off string) string {
	if m := section.FindStringSubmatch(line); m != nil && file != "" {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			r.put(b.u.from(here), b.g, mention{path: file, spans: []lines{{n, n}}}, 0, "", off)
		}
		return file
	}
	for _, m := range tracked(r.names.scan(line, nil)) {
		why := off
		if len(m.spans) == 0 {
			for _, n := range refs(line, nil) {
				m.spans = n.spans
			}
		}
		switch {
		case len(m.spans) == 0:
			if strings.TrimSpace(line[:m.from]) == "" && b.lists() {
				break
			}
			if strings.TrimSpace(strings.TrimSuffix(line[m.to:], ":")) == "" {
				return m.path
			}
			why = "named in what is pasted"
		case b.trace || frame.MatchString(line):
			why = "a frame of a trace"
		case strings.Contains(m.path, "test") && strings.Contains(b.u.text, "FAIL"):
			why = "a failing test"
		case !diagnostic.MatchString(b.u.text) && !strings.HasPrefix(line[m.to:], ":"):
			why = "named in what is pasted"
		}
		h := r.put(b.u.from(here), b.g, mention{path: m.path, spans: m.spans}, 0, "", why)
		h.line = b.u.line(here)
		return file
	}
	return file
}

// from is the unit from an offset on, for the line a place stands at.
func (u *unit) from(offset int) *unit {
	return &unit{kind: u.kind, text: u.text, doc: u.doc, at: []anchor{{0, u.offset(offset)}}}
}
