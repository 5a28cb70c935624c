package testreport

import (
	"encoding/xml"
	"hash/maphash"
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Limits of a JUnit report.
const (
	maxCases = 500_000 // cases that are checked for duplicates
)

// ReadJUnit reads a report: testsuites, testsuite (nested or not), testcase, and in a case any
// number of failure, error and skipped. A case with several failures is one failure with all
// messages; so is a case that is listed again because it broke right after it failed (in a
// fixture's teardown). A retried case that passed in the end (flakyFailure, flakyError) is passed
// and flaky. An error outside of any case counts as a test under its suite's name. Two cases of the
// same name are two tests, with a warning.
//
// Bytes that are not text are replaced; UTF-8, UTF-16, Latin-1 and Windows-1252 are read; common
// errors in the markup are fixed. A report that is truncated, broken, larger than maxFile, or that
// counts more failures than it lists is Incomplete. If it is not a JUnit report, or declares
// entities, the error is a *belay.Error with CodeCannot; other errors are from r, with what was
// read before.
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

// junitElement is an open element.
type junitElement struct {
	name     string
	id       string // name of a suite, id of a case, or message of a failure
	file     string // of a suite: the file of its cases
	declared int    // failures and errors according to the suite's attributes
	listed   int    // failures and errors in the suite and its inner suites
	tests    int    // tests according to the suite's attributes
	cases    int    // cases in the suite and its inner suites
	testCase *testCase
	text     *strings.Builder // text of a failure or an error
}

type junitReader struct {
	report        Report
	open          []*junitElement
	rootSeen      bool
	closingBroken bool // closing elements that a broken report left open

	seed          maphash.Seed
	outcomes      map[uint64]byte // outcomes of the cases so far, by hash of the id
	duplicates    int             // cases with an id that came before
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

// readError returns an error if nothing of a report was read; otherwise what was read counts.
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

// isJUnitRoot reports whether the element can be the root of a report.
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

// endElement closes the innermost element of that name and all inside it. An end tag without a
// start tag is skipped with a warning.
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

// closeOpen counts what was open at the end of the report. A case without its end tag counts only
// if it already failed, because it may have failed in the missing part.
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

// addFailure adds a failure or error element to its case, or as a failure of the suite.
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

// openCase returns the open test case, nil for none.
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

// parseCount parses a count of tests; 0 if it is not one.
func parseCount(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 || n > 1<<30 {
		return 0
	}
	return n
}
