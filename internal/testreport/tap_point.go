package testreport

import (
	"strconv"
	"strings"
)

// tapPoint is a parsed line about a test.
type tapPoint struct {
	name           string
	ok, skip, todo bool
}

func newTAPPoint(ok bool, rest string) tapPoint {
	p := tapPoint{ok: ok}
	p.name, p.skip, p.todo = splitDirective(rest)
	return p
}

// addPoint counts a test point, or, if a subtest in braces follows, keeps it until the end of that.
func (t *tapReader) addPoint(l *tapLevel, p tapPoint, number string) {
	l.hasContent = true
	l.ran++
	t.checkNumber(l, number)
	if name, braced := strings.CutSuffix(p.name, "{"); braced && t.endedSubtest == nil {
		p.name = strings.TrimSpace(name)
		l.bracedPoint = &p
		return
	}
	t.countPoint(l, p)
}

// endBraced ends a subtest in braces.
func (t *tapReader) endBraced(indent int) {
	t.flush()
	for len(t.levels) > 1 && indent < t.innermost().indent {
		t.endSubtest()
	}
	if len(t.levels) > 0 && t.innermost().bracedPoint != nil {
		l := t.innermost()
		p := *l.bracedPoint
		l.bracedPoint = nil
		t.countPoint(l, p)
	}
}

func (t *tapReader) countPoint(l *tapLevel, p tapPoint) {
	sub := t.endedSubtest
	t.endedSubtest = nil
	if sub != nil && t.addSubtest(l, sub, p.name, p.ok, p.skip || p.todo) {
		return
	}
	name := p.name
	if name == "" {
		name = "test " + strconv.Itoa(l.lastNumber)
	}
	switch {
	case p.skip, p.todo && !p.ok:
		l.report.skipNamed(Clip(name, 2000))
	case p.ok:
		l.report.passNamed(Clip(name, 2000), false)
	default:
		t.startFailure(l, p.name)
	}
}

// checkNumber warns of points out of order.
func (t *tapReader) checkNumber(l *tapLevel, number string) {
	n, err := strconv.Atoi(number)
	if err != nil {
		n = l.lastNumber + 1
	}
	if n != l.lastNumber+1 {
		t.total.Warn("test %d came after test %d", n, l.lastNumber)
	}
	l.lastNumber = n
}

// splitDirective splits a description into name and directive.
func splitDirective(rest string) (name string, skip, todo bool) {
	name = strings.TrimSpace(rest)
	if at := directive.FindStringSubmatchIndex(name); at != nil {
		word := strings.ToLower(name[at[2]:at[3]])
		skip, todo = word == "skip", word == "todo"
		cut := strings.LastIndexByte(name[:at[2]], '#')
		name = strings.TrimSpace(name[:cut])
	}
	return strings.NewReplacer(`\#`, "#", `\\`, `\`).Replace(name), skip, todo
}

// addSubtest adds a subtest to its parent level under the name of its point. It returns false if
// the point must count too: a parent that failed although none of its subtests did is a separate
// failure.
func (t *tapReader) addSubtest(l, sub *tapLevel, name string, ok, excused bool) bool {
	r := sub.report
	if excused { // failures in a TODO do not count
		r.Skipped, r.Failed, r.Errors, r.Failures = r.Skipped+r.Failed+r.Errors, 0, 0, nil
	}
	for i := range r.Failures {
		r.Failures[i].Test = name + " > " + r.Failures[i].Test
	}
	r.prefixNames(name + " > ")
	l.report.Add(r)
	if ok && !excused {
		l.report.passedNames.addName(Clip(name, 2000))
	}
	if r.Total == 0 {
		return false
	}
	return ok || excused || r.Failed+r.Errors > 0
}

// startFailure starts a failure; a YAML block or comments after it explain it.
func (t *tapReader) startFailure(l *tapLevel, name string) {
	if name == "" {
		name = "test " + strconv.Itoa(l.lastNumber)
	}
	said := &strings.Builder{}
	t.details = said
	t.reportPending = func() {
		f := Failure{Test: Clip(name, 2000)}
		if l.report.roomForMessage() {
			f.Message = firstAndLast(said.String())
		}
		f.File, f.Line = yamlPlace(said.String())
		l.report.Fail(f, false)
	}
}

// yamlPlace returns the place that the details state, or else the first one in a stack.
func yamlPlace(said string) (string, int) {
	if file := nodeFile.FindStringSubmatch(said); file != nil {
		if line := nodeLine.FindStringSubmatch(said); line != nil {
			n, _ := strconv.Atoi(line[1])
			return file[1], n
		}
	}
	if m := perlPlace.FindStringSubmatch(said); m != nil {
		n, _ := strconv.Atoi(m[2])
		return m[1], n
	}
	return firstPlace(said)
}

// flush reports the failure to which details were added.
func (t *tapReader) flush() {
	fail := t.reportPending
	t.details, t.reportPending, t.yamlIndent = nil, nil, -1
	if fail != nil {
		fail()
	}
}

// readYAML reads a line of a YAML block; a line with less indentation ends it too.
func (t *tapReader) readYAML(text, line string, indent int) {
	switch {
	case text == "..." && indent <= t.yamlIndent:
		t.yamlIndent = -1
	case text != "" && indent < t.yamlIndent:
		t.yamlIndent = -1
		t.total.Warn("a YAML block has no end")
		t.readLine(line)
	default:
		t.addDetail(line[min(indent, t.yamlIndent):])
	}
}

func (t *tapReader) readComment(text string) {
	if strings.HasPrefix(text, "Subtest:") {
		t.flush()
		return
	}
	t.addDetail(text)
}

func (t *tapReader) addDetail(line string) {
	if t.details != nil && t.details.Len() < maxYAML {
		t.details.WriteString(line + "\n")
	}
}

// endDocument ends the document and adds it to the total.
func (t *tapReader) endDocument() {
	t.flush()
	if len(t.levels) == 0 {
		return
	}
	cut := false
	for len(t.levels) > 1 {
		cut = true
		t.endSubtest()
	}
	if t.endedSubtest != nil {
		cut = true
		t.innermost().report.Add(t.endedSubtest.report)
		t.endedSubtest = nil
	}
	if cut {
		t.total.WarnIncomplete("the stream stops within a subtest")
	}
	l := t.innermost()
	if l.bracedPoint != nil {
		t.total.WarnIncomplete("the stream stops within a subtest")
		t.countPoint(l, *l.bracedPoint)
		t.flush()
	}
	if t.bailOut == "" {
		t.checkPlan(l, "the stream")
	}
	t.started = t.started || l.hasContent
	t.total.Add(l.report)
	t.levels = nil
}

func (t *tapReader) finish() Report {
	t.endDocument()
	if t.bailOut != "" {
		t.total.WarnIncomplete("the tests bailed out: %s", Clip(t.bailOut, 300))
	}
	if !t.started {
		t.total.WarnIncomplete("the stream has neither a test nor a plan; is it TAP?")
	}
	return t.total
}
