package testreport

import (
	"hash/maphash"
	"strconv"
	"strings"
)

type testCase struct {
	class, file  string
	line         int
	failed       bool
	hasError     bool
	skipped      bool
	todo         bool   // node:test also lists failures of tests that are marked todo
	flaky        bool   // failed, and passed in a rerun
	rerunFailed  bool   // failed in a rerun
	status       string // status and result attributes in lower case
	messages     []string
	messageBytes int
}

// lastCase is the previous case: one that breaks after it failed is listed twice in a row.
type lastCase struct {
	id           string
	failed       bool
	failureIndex int // index plus one of its failure; 0 if that has no message
}

// newCase returns a case and its id: the class, or else the suite, and the name.
func newCase(attrs map[string]string, suite *junitElement) (*testCase, string) {
	c := &testCase{class: attrs["classname"], file: attrs["file"], line: parseCount(attrs["line"])}
	for _, key := range []string{"status", "result"} {
		c.status += " " + strings.ToLower(attrs[key])
	}
	name, owner := attrs["name"], c.class
	if suite != nil {
		if owner == "" {
			owner = suite.id
		}
		if c.file == "" {
			c.file = suite.file
		}
	}
	switch {
	case name == "":
		return c, owner
	case owner == "" || name == owner || strings.HasPrefix(name, owner+" "):
		return c, name
	}
	return c, owner + "." + name
}

func (c *testCase) hasStatus(words ...string) bool {
	for _, w := range words {
		if strings.Contains(c.status, " "+w) {
			return true
		}
	}
	return false
}

// The outcomes of a case, as bits.
const (
	casePassed byte = 1 << iota
	caseSkipped
	caseFailed
)

// countCase counts a complete test case.
func (j *junitReader) countCase(e *junitElement) {
	c := e.testCase
	if s := j.suiteElement(); s != nil {
		s.cases++
	}
	if j.mergeDuplicate(e) {
		return
	}
	j.last = lastCase{id: e.id}
	switch {
	case c.todo:
		j.report.skipNamed(PlainText(e.id))
		j.noteOutcome(e.id, caseSkipped)
		return
	case c.failed || c.hasError:
	case c.rerunFailed:
		c.failed = true
		c.messages = []string{"it failed when run again"}
	case c.skipped || c.hasStatus("notrun", "skipped", "disabled", "suppressed", "ignored", "pending"):
		j.report.skipNamed(PlainText(e.id))
		j.noteOutcome(e.id, caseSkipped)
		return
	case c.hasStatus("fail", "error", "broken"):
		c.failed = true
		c.messages = []string{"the report marks it as failed without a reason"}
	default:
		j.report.passNamed(PlainText(e.id), c.flaky)
		j.noteOutcome(e.id, casePassed)
		return
	}
	j.noteOutcome(e.id, caseFailed)
	j.reportFailure(e)
}

func (j *junitReader) reportFailure(e *junitElement) {
	c := e.testCase
	f := Failure{Test: PlainText(e.id), Package: PlainText(c.class), File: PlainText(c.file), Line: c.line}
	if f.Test == "" {
		f.Test = "a test without a name"
	}
	if j.report.roomForMessage() {
		f.Message = firstAndLast(strings.Join(c.messages, "\n\n"))
		j.last.failureIndex = len(j.report.Failures) + 1
	}
	if f.File == "" {
		f.File, f.Line = firstPlace(f.Message)
	}
	j.last.failed = true
	j.report.Fail(f, !c.failed)
}

// mergeDuplicate merges a case that broke into the directly preceding failure of the same case:
// pytest lists a case twice if the teardown of a fixture fails.
func (j *junitReader) mergeDuplicate(e *junitElement) bool {
	if e.id == "" || e.id != j.last.id || !j.last.failed || !e.testCase.hasError || e.testCase.failed {
		return false
	}
	if at := j.last.failureIndex; at > 0 {
		f := &j.report.Failures[at-1]
		f.Message = firstAndLast(f.Message + "\n\n" + strings.Join(e.testCase.messages, "\n\n"))
	}
	j.last = lastCase{}
	return true
}

// noteOutcome records the outcome of a case, to detect duplicates.
func (j *junitReader) noteOutcome(id string, outcome byte) {
	if id == "" {
		return
	}
	key := maphash.String(j.seed, id)
	before, twice := j.outcomes[key]
	if twice {
		j.duplicates++
		j.mixedOutcomes = j.mixedOutcomes || before|outcome != before && (before|outcome)&caseFailed != 0
	}
	if twice || len(j.outcomes) < maxCases {
		j.outcomes[key] = before | outcome
	}
}

func (j *junitReader) warnDuplicates() {
	switch {
	case j.mixedOutcomes:
		j.report.Warn("%s listed under a name that came before, some with another outcome: each counts", junitCases(j.duplicates))
	case j.duplicates > 0:
		j.report.Warn("%s listed under a name that came before: each counts", junitCases(j.duplicates))
	}
}

func junitCases(n int) string {
	if n == 1 {
		return "1 test is"
	}
	return strconv.Itoa(n) + " tests are"
}

// joinMessage puts the short message before the long text, unless that begins with it.
func joinMessage(short, long string) string {
	short, long = strings.TrimSpace(short), strings.Trim(long, "\r\n")
	switch {
	case short == "" || strings.HasPrefix(strings.TrimSpace(long), short):
		return long
	case strings.TrimSpace(long) == "":
		return short
	}
	return short + "\n" + long
}
