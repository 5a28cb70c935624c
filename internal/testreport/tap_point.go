package testreport

import (
	"strconv"
	"strings"
)

// tapPoint is what one line says of a test.
type tapPoint struct {
	name           string
	ok, skip, todo bool
}

func newTAPPoint(ok bool, rest string) tapPoint {
	p := tapPoint{ok: ok}
	p.name, p.skip, p.todo = directives(rest)
	return p
}

// point counts one test point of a level, or, when a subtest in braces follows, keeps
// it until their end.
func (t *tapReader) point(l *tapLevel, p tapPoint, number string) {
	l.open = true
	l.ran++
	t.number(l, number)
	if name, braced := strings.CutSuffix(p.name, "{"); braced && t.done == nil {
		p.name = strings.TrimSpace(name)
		l.braced = &p
		return
	}
	t.resolve(l, p)
}

// unbrace ends a subtest in braces.
func (t *tapReader) unbrace(indent int) {
	t.flush()
	for len(t.levels) > 1 && indent < t.top().indent {
		t.end()
	}
	if len(t.levels) > 0 && t.top().braced != nil {
		l := t.top()
		p := *l.braced
		l.braced = nil
		t.resolve(l, p)
	}
}

func (t *tapReader) resolve(l *tapLevel, p tapPoint) {
	sub := t.done
	t.done = nil
	if sub != nil && t.takeIn(l, sub, p.name, p.ok, p.skip || p.todo) {
		return
	}
	name := p.name
	if name == "" {
		name = "test " + strconv.Itoa(l.last)
	}
	switch {
	case p.skip, p.todo && !p.ok:
		l.report.skipAs(Clip(name, 2000))
	case p.ok:
		l.report.passAs(Clip(name, 2000), false)
	default:
		t.failing(l, p.name)
	}
}

// number warns of points out of order.
func (t *tapReader) number(l *tapLevel, number string) {
	n, err := strconv.Atoi(number)
	if err != nil {
		n = l.last + 1
	}
	if n != l.last+1 {
		t.total.Warn("test %d came after test %d", n, l.last)
	}
	l.last = n
}

// directives takes a directive off a description.
func directives(rest string) (name string, skip, todo bool) {
	name = strings.TrimSpace(rest)
	if at := directive.FindStringSubmatchIndex(name); at != nil {
		word := strings.ToLower(name[at[2]:at[3]])
		skip, todo = word == "skip", word == "todo"
		cut := strings.LastIndexByte(name[:at[2]], '#')
		name = strings.TrimSpace(name[:cut])
	}
	return strings.NewReplacer(`\#`, "#", `\\`, `\`).Replace(name), skip, todo
}

// takeIn adds a subtest to the level above under the name of its point. It tells
// whether the subtest says all there is to say: a parent that failed although none of
// its subtests did is a failure of its own.
func (t *tapReader) takeIn(l, sub *tapLevel, name string, ok, excused bool) bool {
	r := sub.report
	if excused { // what is to do may fail below, too
		r.Skipped, r.Failed, r.Errors, r.Failures = r.Skipped+r.Failed+r.Errors, 0, 0, nil
	}
	for i := range r.Failures {
		r.Failures[i].Test = name + " > " + r.Failures[i].Test
	}
	r.passesBelow(name + " > ")
	l.report.Add(r)
	if ok && !excused {
		l.report.passes.note(Clip(name, 2000))
	}
	if r.Total == 0 {
		return false
	}
	return ok || excused || r.Failed+r.Errors > 0
}

// failing begins a failure: what follows it, a YAML block or comments, says why.
func (t *tapReader) failing(l *tapLevel, name string) {
	if name == "" {
		name = "test " + strconv.Itoa(l.last)
	}
	said := &strings.Builder{}
	t.sink = said
	t.fail = func() {
		f := Failure{Test: Clip(name, 2000)}
		if l.report.roomForMessage() {
			f.Message = firstAndLast(said.String())
		}
		f.File, f.Line = yamlPlace(said.String())
		l.report.Fail(f, false)
	}
}

// yamlPlace finds what a block says of the place, before any that its stack mentions.
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

// flush reports the failure whose words were collected.
func (t *tapReader) flush() {
	fail := t.fail
	t.sink, t.fail, t.yaml = nil, nil, -1
	if fail != nil {
		fail()
	}
}

// inYAML collects a block; a line to the left of it ends it, too.
func (t *tapReader) inYAML(text, line string, indent int) {
	switch {
	case text == "..." && indent <= t.yaml:
		t.yaml = -1
	case text != "" && indent < t.yaml:
		t.yaml = -1
		t.total.Warn("a YAML block has no end")
		t.line(line)
	default:
		t.say(line[min(indent, t.yaml):])
	}
}

func (t *tapReader) comment(text string) {
	if strings.HasPrefix(text, "Subtest:") {
		t.flush()
		return
	}
	t.say(text)
}

func (t *tapReader) say(line string) {
	if t.sink != nil && t.sink.Len() < maxYAML {
		t.sink.WriteString(line + "\n")
	}
}

// close ends the document and adds it to the whole.
func (t *tapReader) close() {
	t.flush()
	if len(t.levels) == 0 {
		return
	}
	cut := false
	for len(t.levels) > 1 {
		cut = true
		t.end()
	}
	if t.done != nil {
		cut = true
		t.top().report.Add(t.done.report)
		t.done = nil
	}
	if cut {
		t.total.Lack("the stream stops within a subtest")
	}
	l := t.top()
	if l.braced != nil {
		t.total.Lack("the stream stops within a subtest")
		t.resolve(l, *l.braced)
		t.flush()
	}
	if t.bailed == "" {
		t.settle(l, "the stream")
	}
	t.started = t.started || l.open
	t.total.Add(l.report)
	t.levels = nil
}

func (t *tapReader) finish() Report {
	t.close()
	if t.bailed != "" {
		t.total.Lack("the tests bailed out: %s", Clip(t.bailed, 300))
	}
	if !t.started {
		t.total.Lack("the stream has neither a test nor a plan; is it TAP?")
	}
	return t.total
}
