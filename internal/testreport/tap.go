package testreport

import (
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

const (
	maxSubtests = 64       // nested subtests
	maxYAML     = 64 << 10 // bytes of the details of a failure
)

var (
	pointLine = lazyregexp.New(`^(not )?ok\b(?:[ \t]+(\d{1,9})\b)?[ \t]*(?:- )?(.*)$`)
	planLine  = lazyregexp.New(`^1\.\.(\d{1,9})[ \t]*(?:#[ \t]*(.*))?$`)
	directive = lazyregexp.New(`(?i)(?:^|[^\\])#[ \t]*(skip|todo)\S*(?:[ \t]+(.*))?$`)
	perlPlace = lazyregexp.New(`\bat (\S+\.\w+) line (\d{1,7})`)
	nodeFile  = lazyregexp.New(`(?m)^\s*fileName: ['"]?([^'"\n]+)['"]?$`)
	nodeLine  = lazyregexp.New(`(?m)^\s*lineNumber: (\d{1,7})$`)
)

// tapLevel is a document, or a subtest in it.
type tapLevel struct {
	indent      int
	report      Report
	planned     int // -1 without a plan
	ran         int
	lastNumber  int       // number of the last point
	hasContent  bool      // it has a point or a plan
	bracedPoint *tapPoint // a point with a subtest in braces after it
}

type tapReader struct {
	levels        []*tapLevel
	endedSubtest  *tapLevel // a subtest that ended before its point
	yamlIndent    int       // indentation of the open YAML block, -1 for none
	details       *strings.Builder
	reportPending func() // reports the failure to which details are added
	total         Report
	bailOut       string
	strict        bool // pragma +strict
	started       bool
}

// readTAP reads a stream to its end; other lines are skipped. Of a test with subtests only the
// subtests count. A failed test marked # TODO counts as skipped. A stream without a plan or without
// a test, with another number of tests than planned, with a bail out, or that ends inside a subtest
// is Incomplete. The error is from r.
func readTAP(r io.Reader) (Report, error) {
	t := tapReader{total: Report{Format: TAP}, yamlIndent: -1}
	err := EachLine(r, func(line []byte) {
		if t.bailOut == "" {
			t.readLine(strings.TrimRight(PlainText(string(line)), "\r\n\t "))
		}
	}, func(error) { t.total.WarnIncomplete("a line of over 1 MiB was not read") })
	return t.finish(), err
}

func (t *tapReader) readLine(line string) {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch {
	case t.yamlIndent >= 0:
		t.readYAML(text, line, indent)
	case text == "":
	case text == "---" && t.details != nil:
		t.yamlIndent = indent
	case strings.HasPrefix(text, "#"):
		t.readComment(strings.TrimSpace(text[1:]))
	case strings.HasPrefix(text, "Bail out!"):
		t.flush()
		t.bailOut = strings.TrimSpace(strings.TrimPrefix(text, "Bail out!"))
		if t.bailOut == "" {
			t.bailOut = "no reason given"
		}
	case strings.HasPrefix(text, "TAP version "):
		t.flush()
		if indent == 0 {
			t.startDocument()
		}
	case strings.HasPrefix(text, "pragma "):
		t.readPragma(text)
	case text == "}":
		t.endBraced(indent)
	default:
		t.readPointOrPlan(text, indent)
	}
}

// readPointOrPlan reads points and plans, and skips other lines.
func (t *tapReader) readPointOrPlan(text string, indent int) {
	if m := matchPrefixed(planLine, text, "1.."); m != nil {
		if l := t.levelAt(indent, true, "1"); l != nil {
			t.readPlan(l, m[1], m[2])
		}
		return
	}
	m := matchPrefixed(pointLine, text, "ok", "not ok")
	if m == nil || !isTestPoint(text) {
		if indent > 0 { // mocha indents the reason of a failure
			t.addDetail(text)
		}
		if t.strict && indent == 0 {
			t.total.WarnIncomplete("a line is not TAP although the stream is declared strict: %s", Clip(text, 80))
		}
		return
	}
	l := t.levelAt(indent, false, m[2])
	if l == nil || text == "ok" && l.lastNumber > 0 && l.isComplete() { // prove prints it after a file
		return
	}
	t.addPoint(l, newTAPPoint(m[1] == "", m[3]), m[2])
}

// matchPrefixed matches only lines with one of the prefixes, to avoid the regular expression for
// most lines.
func matchPrefixed(re *lazyregexp.Regexp, text string, begins ...string) []string {
	for _, b := range begins {
		if strings.HasPrefix(text, b) {
			return re.FindStringSubmatch(text)
		}
	}
	return nil
}

// isTestPoint rejects prose like "ok, done".
func isTestPoint(text string) bool {
	rest := strings.TrimPrefix(strings.TrimPrefix(text, "not "), "ok")
	return rest == "" || rest[0] == ' ' || rest[0] == '\t'
}

// levelAt returns the level for a line with this indentation: a larger one starts a subtest, a
// smaller one ends subtests. After all planned tests, a second plan or another first test starts a
// new document.
func (t *tapReader) levelAt(indent int, plan bool, number string) *tapLevel {
	t.flush()
	if len(t.levels) == 0 {
		t.startDocument()
	}
	for len(t.levels) > 1 && indent < t.innermost().indent {
		t.endSubtest()
	}
	l := t.innermost()
	switch {
	case indent >= l.indent+2:
		if len(t.levels) >= maxSubtests {
			t.total.WarnIncomplete("subtests nested more than %d deep", maxSubtests)
			return nil
		}
		l = &tapLevel{indent: indent, planned: -1, report: Report{Format: TAP}}
		t.levels = append(t.levels, l)
	case len(t.levels) == 1 && l.isComplete() && (plan || number == "1" && l.lastNumber > 0):
		t.startDocument()
		l = t.innermost()
	}
	return l
}

func (l *tapLevel) isComplete() bool { return l.planned >= 0 && l.ran >= l.planned }

func (t *tapReader) innermost() *tapLevel { return t.levels[len(t.levels)-1] }

// startDocument ends the current document, if any, and starts another: harnesses concatenate the
// streams of several files.
func (t *tapReader) startDocument() {
	t.endDocument()
	t.levels = []*tapLevel{{planned: -1, report: Report{Format: TAP}}}
}

// endSubtest ends a subtest, which the point after it includes.
func (t *tapReader) endSubtest() {
	l := t.innermost()
	t.levels = t.levels[:len(t.levels)-1]
	t.checkPlan(l, "a subtest")
	t.addOrphan()
	t.endedSubtest = l
}

// addOrphan adds a subtest without a point after it.
func (t *tapReader) addOrphan() {
	if t.endedSubtest == nil {
		return
	}
	t.total.WarnIncomplete("a subtest has no result of its own")
	t.innermost().report.Add(t.endedSubtest.report)
	t.endedSubtest = nil
}

// checkPlan compares the number of tests with the plan.
func (t *tapReader) checkPlan(l *tapLevel, what string) {
	switch {
	case l.planned < 0 && l.hasContent && what != "a subtest":
		t.total.WarnIncomplete("there is no plan: the stream may be truncated")
	case l.planned >= 0 && l.ran != l.planned:
		t.total.WarnIncomplete("%s planned %d tests, and %d ran", what, l.planned, l.ran)
	}
}

func (t *tapReader) readPlan(l *tapLevel, number, rest string) {
	if l.planned >= 0 {
		t.total.WarnIncomplete("there are two plans")
		return
	}
	l.planned, _ = strconv.Atoi(number)
	l.hasContent = true
	if l.planned == 0 && rest != "" && len(t.levels) == 1 {
		t.total.Warn("all tests are skipped: %s", Clip(rest, 200))
	}
}

func (t *tapReader) readPragma(text string) {
	for word := range strings.FieldsSeq(strings.TrimPrefix(text, "pragma ")) {
		switch strings.Trim(word, ",") {
		case "+strict":
			t.strict = true
		case "-strict":
			t.strict = false
		}
	}
}
