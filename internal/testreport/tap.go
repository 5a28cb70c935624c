package testreport

import (
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

const (
	maxSubtests = 64       // subtests within each other
	maxYAML     = 64 << 10 // bytes kept of what is said of one failure
)

var (
	pointLine = lazyregexp.New(`^(not )?ok\b(?:[ \t]+(\d{1,9})\b)?[ \t]*(?:- )?(.*)$`)
	planLine  = lazyregexp.New(`^1\.\.(\d{1,9})[ \t]*(?:#[ \t]*(.*))?$`)
	directive = lazyregexp.New(`(?i)(?:^|[^\\])#[ \t]*(skip|todo)\S*(?:[ \t]+(.*))?$`)
	perlPlace = lazyregexp.New(`\bat (\S+\.\w+) line (\d{1,7})`)
	nodeFile  = lazyregexp.New(`(?m)^\s*fileName: ['"]?([^'"\n]+)['"]?$`)
	nodeLine  = lazyregexp.New(`(?m)^\s*lineNumber: (\d{1,7})$`)
)

// tapLevel is one document, or one subtest of it.
type tapLevel struct {
	indent  int
	report  Report
	planned int // -1 when there is no plan
	ran     int
	last    int       // number of the last point
	open    bool      // it has something
	braced  *tapPoint // a point whose subtest follows in braces
}

type tapReader struct {
	levels  []*tapLevel
	done    *tapLevel // a subtest that waits for its own point
	yaml    int       // indent of the YAML block that is open, -1 outside
	sink    *strings.Builder
	fail    func() // reports the failure that collects words
	total   Report
	bailed  string
	strict  bool // pragma +strict
	started bool
}

// readTAP reads a stream to its end; prose between its lines is passed over. A test with
// subtests counts by its subtests. What is to do (# TODO) and fails counts as skipped,
// as does what is skipped. A stream without a plan, with another number of tests than
// planned, with a bail out, or that ends within a subtest is Incomplete, and so is one
// without any test point. The error is r's own.
func readTAP(r io.Reader) (Report, error) {
	t := tapReader{total: Report{Format: TAP}, yaml: -1}
	err := EachLine(r, func(line []byte) {
		if t.bailed == "" {
			t.line(strings.TrimRight(Plain(string(line)), "\r\n\t "))
		}
	}, func(error) { t.total.Lack("a line of over 1 MiB was not read") })
	return t.finish(), err
}

func (t *tapReader) line(line string) {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch {
	case t.yaml >= 0:
		t.inYAML(text, line, indent)
	case text == "":
	case text == "---" && t.sink != nil:
		t.yaml = indent
	case strings.HasPrefix(text, "#"):
		t.comment(strings.TrimSpace(text[1:]))
	case strings.HasPrefix(text, "Bail out!"):
		t.flush()
		t.bailed = strings.TrimSpace(strings.TrimPrefix(text, "Bail out!"))
		if t.bailed == "" {
			t.bailed = "no reason given"
		}
	case strings.HasPrefix(text, "TAP version "):
		t.flush()
		if indent == 0 {
			t.document()
		}
	case strings.HasPrefix(text, "pragma "):
		t.pragma(text)
	case text == "}":
		t.unbrace(indent)
	default:
		t.other(text, indent)
	}
}

// other reads points and plans, and passes over everything else.
func (t *tapReader) other(text string, indent int) {
	if m := match(planLine, text, "1.."); m != nil {
		if l := t.at(indent, true, "1"); l != nil {
			t.plan(l, m[1], m[2])
		}
		return
	}
	m := match(pointLine, text, "ok", "not ok")
	if m == nil || !isTestPoint(text) {
		if indent > 0 { // mocha tells the reason so
			t.say(text)
		}
		if t.strict && indent == 0 {
			t.total.Lack("a line is not TAP although the stream is declared strict: %s", Clip(text, 80))
		}
		return
	}
	l := t.at(indent, false, m[2])
	if l == nil || text == "ok" && l.last > 0 && l.fulfilled() { // prove says so of the file
		return
	}
	t.point(l, newTAPPoint(m[1] == "", m[3]), m[2])
}

// match spares most lines the regular expression.
func match(re *lazyregexp.Regexp, text string, begins ...string) []string {
	for _, b := range begins {
		if strings.HasPrefix(text, b) {
			return re.FindStringSubmatch(text)
		}
	}
	return nil
}

// isTestPoint keeps prose like "ok, done" from being a test.
func isTestPoint(text string) bool {
	rest := strings.TrimPrefix(strings.TrimPrefix(text, "not "), "ok")
	return rest == "" || rest[0] == ' ' || rest[0] == '\t'
}

// at returns the level that a line with this indent belongs to: a deeper one begins a
// subtest, a less deep one ends those within. A second plan, or a first test, after all
// that were planned begins another document.
func (t *tapReader) at(indent int, plan bool, number string) *tapLevel {
	t.flush()
	if len(t.levels) == 0 {
		t.document()
	}
	for len(t.levels) > 1 && indent < t.top().indent {
		t.end()
	}
	l := t.top()
	switch {
	case indent >= l.indent+2:
		if len(t.levels) >= maxSubtests {
			t.total.Lack("subtests nested more than %d deep", maxSubtests)
			return nil
		}
		l = &tapLevel{indent: indent, planned: -1, report: Report{Format: TAP}}
		t.levels = append(t.levels, l)
	case len(t.levels) == 1 && l.fulfilled() && (plan || number == "1" && l.last > 0):
		t.document()
		l = t.top()
	}
	return l
}

func (l *tapLevel) fulfilled() bool { return l.planned >= 0 && l.ran >= l.planned }

func (t *tapReader) top() *tapLevel { return t.levels[len(t.levels)-1] }

// document ends the present document, if there is one, and begins another: harnesses
// write the streams of several files one after the other.
func (t *tapReader) document() {
	t.close()
	t.levels = []*tapLevel{{planned: -1, report: Report{Format: TAP}}}
}

// end closes a subtest; its own point, which follows, takes it in.
func (t *tapReader) end() {
	l := t.top()
	t.levels = t.levels[:len(t.levels)-1]
	t.settle(l, "a subtest")
	t.orphan()
	t.done = l
}

// orphan takes in a subtest that no point followed.
func (t *tapReader) orphan() {
	if t.done == nil {
		return
	}
	t.total.Lack("a subtest has no result of its own")
	t.top().report.Add(t.done.report)
	t.done = nil
}

// settle compares what ran with the plan.
func (t *tapReader) settle(l *tapLevel, what string) {
	switch {
	case l.planned < 0 && l.open && what != "a subtest":
		t.total.Lack("there is no plan: the stream may be truncated")
	case l.planned >= 0 && l.ran != l.planned:
		t.total.Lack("%s planned %d tests, and %d ran", what, l.planned, l.ran)
	}
}

func (t *tapReader) plan(l *tapLevel, number, rest string) {
	if l.planned >= 0 {
		t.total.Lack("there are two plans")
		return
	}
	l.planned, _ = strconv.Atoi(number)
	l.open = true
	if l.planned == 0 && rest != "" && len(t.levels) == 1 {
		t.total.Warn("all tests are skipped: %s", Clip(rest, 200))
	}
}

func (t *tapReader) pragma(text string) {
	for word := range strings.FieldsSeq(strings.TrimPrefix(text, "pragma ")) {
		switch strings.Trim(word, ",") {
		case "+strict":
			t.strict = true
		case "-strict":
			t.strict = false
		}
	}
}
