package testreport

import (
	"encoding/xml"
	"hash/maphash"
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Bounds on one JUnit report.
const (
	maxCases = 500_000 // cases among which duplicates are found
)

// ReadJUnit reads one report file: testsuites, testsuite (nested or not), testcase, and in a
// case any number of failure, error and skipped. A case with several failures is one
// failure with all messages; a case that broke right after it failed (a fixture taken
// down) is one, too. A retried case that passed in the end (flakyFailure, flakyError)
// passed and is flaky. An error outside any case counts as a test under its suite's
// name. Two cases of one name are two tests, which is warned of.
//
// Bytes that are no text are replaced, UTF-8, UTF-16, Latin-1 and Windows-1252 are
// understood, common faults in the markup are fixed. A report that is cut off,
// broken, over testreport.MaxFile, or that counts more failures than it lists is
// Incomplete. What is not a JUnit report, or declares entities, is a *belay.Error with
// CodeCannot; an error of r's own is given back as it is, with what was read before.
func ReadJUnit(r io.Reader) (Report, error) {
	x := NewXML(r)
	j := junitReader{report: Report{Format: JUnit}, outcomes: map[uint64]byte{}, seed: maphash.MakeSeed()}
	err := j.read(x)
	x.warn(&j.report)
	j.closeOpen()
	j.report.warnFlaky()
	j.warnDuplicates()
	return j.report, err
}

// junitElement is one open element.
type junitElement struct {
	name     string
	id       string // of a suite: its name; of a case: its id
	file     string // of a suite: where its cases are
	declared int    // failures and errors a suite counts
	listed   int    // those it lists, its inner suites included
	tests    int    // tests a suite counts
	cases    int    // those it lists
	testCase *testCase
	text     *strings.Builder // of failure, error: their message
}

type junitReader struct {
	report        Report
	open          []*junitElement
	rootSeen      bool
	closingBroken bool // closing what a broken report left open

	seed          maphash.Seed
	outcomes      map[uint64]byte // outcomes of the cases so far, by their ids
	duplicates    int             // cases listed again
	mixedOutcomes bool            // one of them with another outcome
	last          lastCase
}

func (j *junitReader) read(x *XML) error {
	broken, err := x.Each(func(tok xml.Token) error {
		switch t := tok.(type) {
		case xml.StartElement:
			if err := j.startElement(t); err != nil {
				return err
			}
			if len(j.open) > maxElements {
				return errDeep
			}
		case xml.EndElement:
			j.endElement(t.Name.Local)
		case xml.CharData:
			if n := len(j.open); n > 0 && j.open[n-1].text != nil {
				keepMessage(j.open[n-1].text, string(t))
			}
		}
		return nil
	})
	if broken, err = ended(broken, err, len(j.open)); err != nil {
		return err
	}
	return j.readError(broken)
}

// readError ends the reading: what came before counts, unless nothing of a report did.
func (j *junitReader) readError(why string) error {
	switch {
	case !j.rootSeen:
		return belay.Refuse(belay.CodeCannot, "have the test command write JUnit XML", "the file is not a JUnit report")
	case why != "":
		j.report.WarnIncomplete("%s", why)
	}
	return nil
}

func keepMessage(b *strings.Builder, s string) {
	if b.Len() < maxText {
		b.WriteString(s[:min(len(s), maxText-b.Len())])
	}
}

// isJUnitRoot reports whether a report may begin with the element.
func isJUnitRoot(name string) bool {
	return name == "testsuites" || name == "testsuite" || name == "testcase" || name == "testrun"
}

func (j *junitReader) startElement(t xml.StartElement) error {
	name := t.Name.Local
	if !j.rootSeen && !isJUnitRoot(name) {
		return belay.Refuse(belay.CodeCannot, "have the test command write JUnit XML",
			"the file is not a JUnit report: it starts with <%s>", Clip(PlainText(name), 60))
	}
	j.rootSeen = true
	e := &junitElement{name: name}
	c := j.openCase()
	switch name {
	case "testsuites", "testsuite":
		attrs := Attrs(t)
		e.id, e.file, e.tests = attrs["name"], attrs["file"], parseCount(attrs["tests"])
		e.declared = parseCount(attrs["failures"]) + parseCount(attrs["errors"])
	case "testcase":
		e.testCase, e.id = newCase(Attrs(t), j.suiteElement())
	case "skipped", "disabled":
		if c != nil {
			c.skipped = true
			c.todo = c.todo || Attrs(t)["type"] == "todo"
		}
	case "flakyFailure", "flakyError":
		if c != nil {
			c.flaky = true
		}
	case "rerunFailure", "rerunError":
		if c != nil {
			c.rerunFailed = true
		}
	case "failure", "error":
		attrs := Attrs(t)
		e.text = &strings.Builder{}
		if e.id = attrs["message"]; e.id == "" {
			e.id = attrs["type"]
		}
		if s := j.suiteElement(); s != nil {
			s.listed++
		}
	}
	j.open = append(j.open, e)
	return nil
}

// endElement closes the innermost element of that name and all within it. An end tag that
// nothing opened is passed over.
func (j *junitReader) endElement(name string) {
	at := len(j.open) - 1
	for at >= 0 && j.open[at].name != name {
		at--
	}
	if at < 0 {
		j.report.Warn("an end tag without its start: %s", Clip(PlainText(name), 60))
		return
	}
	if at < len(j.open)-1 {
		j.report.WarnIncomplete("an element is not closed: %s", Clip(PlainText(j.open[len(j.open)-1].name), 60))
	}
	for len(j.open) > at {
		j.pop()
	}
}

// closeOpen counts what was still open when the report stopped. A case without its end
// may have failed further down: it counts only if it had failed already.
func (j *junitReader) closeOpen() {
	j.closingBroken = true
	for len(j.open) > 0 {
		j.pop()
	}
}

func (j *junitReader) pop() {
	e := j.open[len(j.open)-1]
	j.open = j.open[:len(j.open)-1]
	switch {
	case e.text != nil:
		j.addFailure(e)
	case e.testCase != nil && j.closingBroken && !e.testCase.failed && !e.testCase.hasError:
	case e.testCase != nil:
		j.countCase(e)
	case e.name == "testsuite" || e.name == "testsuites":
		if e.declared > e.listed && !j.closingBroken {
			j.report.WarnIncomplete("%s counts %d failures and lists %d", suiteName(e.id), e.declared, e.listed)
		}
		if e.tests > e.cases && !j.closingBroken {
			j.report.Warn("%s counts %d tests and lists %d", suiteName(e.id), e.tests, e.cases)
		}
		if outer := j.suiteElement(); outer != nil {
			outer.listed += e.listed
			outer.cases += e.cases
		}
	}
}

// addFailure takes in one failure or error element.
func (j *junitReader) addFailure(e *junitElement) {
	message := joinMessage(e.id, e.text.String())
	c := j.openCase()
	if c == nil {
		if s := j.suiteElement(); s != nil {
			s.cases++
		}
		id := suiteName(j.suitePath())
		f := Failure{Test: PlainText(id), Message: firstAndLast(message)}
		f.File, f.Line = firstPlace(f.Message)
		j.report.Fail(f, true)
		return
	}
	if e.name == "failure" {
		c.failed = true
	} else {
		c.hasError = true
	}
	if c.messageBytes < maxText {
		c.messages = append(c.messages, message)
		c.messageBytes += len(message)
	}
}

// openCase returns the test case that is open, nil when none is.
func (j *junitReader) openCase() *testCase {
	for i := len(j.open) - 1; i >= 0; i-- {
		if j.open[i].testCase != nil {
			return j.open[i].testCase
		}
	}
	return nil
}

func (j *junitReader) suiteElement() *junitElement {
	for i := len(j.open) - 1; i >= 0; i-- {
		if n := j.open[i].name; n == "testsuite" || n == "testsuites" {
			return j.open[i]
		}
	}
	return nil
}

func (j *junitReader) suitePath() string {
	if e := j.suiteElement(); e != nil {
		return e.id
	}
	return ""
}

func suiteName(name string) string {
	if name == "" {
		return "a suite without a name"
	}
	return Clip(PlainText(name), 200)
}

// parseCount reads a count; what is not a count of tests is 0.
func parseCount(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 || n > 1<<30 {
		return 0
	}
	return n
}
