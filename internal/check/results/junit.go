package results

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Bounds on one JUnit report.
const (
	maxReport = 64 << 20 // bytes
	maxDepth  = 256      // elements within each other
)

// ReadJUnit reads one report file in the XML that JUnit, and with it every other test
// runner, writes: testsuites, testsuite (nested or not), testcase, and in a case any
// number of failure, error and skipped. A case with several failures is one failure
// with all messages; a retried case that passed in the end (flakyFailure) passed. An
// error outside any case counts under its suite's name.
//
// Bytes that are no text are replaced, UTF-8, UTF-16, Latin-1 and Windows-1252 are
// understood, common faults in the markup are mended. A report that is cut off,
// broken, over 64 MiB, or that counts more failures than it lists is Incomplete.
// What is no JUnit report, or declares entities, is a *belay.Error with CodeCannot;
// an error of r's own is given back as it is, with what was read before.
func ReadJUnit(r io.Reader) (Report, error) {
	limited := &io.LimitedReader{R: r, N: maxReport + 1}
	text := newUTF8Reader(limited)
	mend := newMender(text)
	dec := xml.NewDecoder(mend)
	dec.Strict = false
	j := junitReader{report: Report{Format: JUnit}}
	err := j.read(dec)
	if limited.N <= 0 {
		j.report.Lack("the report is over 64 MiB, the rest was not read")
	}
	if text.replaced {
		j.report.Warn("bytes that are no text were replaced")
	}
	j.close()
	return j.report, err
}

// element is one open element.
type element struct {
	name     string
	id       string // of a suite: its name; of a case: its id
	declared int    // failures and errors a suite counts
	listed   int    // those it lists, its inner suites included
	c        *junitCase
	text     *strings.Builder // of failure, error: their message
}

type junitCase struct {
	class, file  string
	line         int
	failed       bool
	broke        bool
	skipped      bool
	status       string // what the case's own attributes claim
	messages     []string
	messageBytes int
}

type junitReader struct {
	report Report
	open   []*element
	rooted bool
	cut    bool // closing what a broken report left open
}

func (j *junitReader) read(dec *xml.Decoder) error {
	for {
		tok, err := dec.RawToken()
		var bad *xml.SyntaxError
		switch {
		case err == io.EOF:
			return j.atEnd()
		case errors.As(err, &bad):
			return j.broken("the report is broken at line %d: %s", bad.Line, bad.Msg)
		case errors.Is(err, errTag):
			return j.broken("the report is broken: %s", err)
		case err != nil:
			return err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if err := j.start(t); err != nil {
				return err
			}
			if len(j.open) > maxDepth {
				return j.broken("more than %d elements within each other", maxDepth)
			}
		case xml.EndElement:
			j.end(t.Name.Local)
		case xml.CharData:
			if n := len(j.open); n > 0 && j.open[n-1].text != nil {
				keep(j.open[n-1].text, string(t))
			}
		}
	}
}

// broken ends the reading: what came before counts, unless nothing of a report did.
func (j *junitReader) broken(format string, args ...any) error {
	if !j.rooted {
		return belay.Refuse(belay.CodeCannot, "have the test command write JUnit XML", "the file is no JUnit report")
	}
	j.report.Lack(format, args...)
	return nil
}

func (j *junitReader) atEnd() error {
	switch {
	case !j.rooted:
		return j.broken("")
	case len(j.open) > 0:
		return j.broken("the report stops in the middle")
	}
	return nil
}

func keep(b *strings.Builder, s string) {
	if b.Len() < maxText {
		b.WriteString(s[:min(len(s), maxText-b.Len())])
	}
}

func (j *junitReader) start(t xml.StartElement) error {
	name := t.Name.Local
	if !j.rooted {
		if name != "testsuites" && name != "testsuite" && name != "testcase" {
			return belay.Refuse(belay.CodeCannot, "have the test command write JUnit XML",
				"the file is no JUnit report: it begins with <%s>", Clip(plain(name), 60))
		}
		j.rooted = true
	}
	e := &element{name: name}
	attrs := map[string]string{}
	for _, a := range t.Attr {
		if _, twice := attrs[a.Name.Local]; !twice {
			attrs[a.Name.Local] = a.Value
		}
	}
	switch c := j.inCase(); {
	case name == "testsuites" || name == "testsuite":
		e.id = attrs["name"]
		e.declared = number(attrs["failures"]) + number(attrs["errors"])
	case name == "testcase":
		e.c, e.id = newCase(attrs, j.suite())
	case name == "skipped" || name == "disabled":
		if c != nil {
			c.skipped = true
		}
	case name == "failure" || name == "error":
		e.text = &strings.Builder{}
		e.id = attrs["message"]
		if e.id == "" {
			e.id = attrs["type"]
		}
		if s := j.suiteElement(); s != nil {
			s.listed++
		}
	}
	j.open = append(j.open, e)
	return nil
}

func newCase(attrs map[string]string, suite string) (*junitCase, string) {
	c := &junitCase{class: attrs["classname"], file: attrs["file"], line: number(attrs["line"])}
	for _, key := range []string{"status", "result"} {
		c.status += " " + strings.ToLower(attrs[key])
	}
	name := attrs["name"]
	owner := c.class
	if owner == "" {
		owner = suite
	}
	switch {
	case name == "":
		return c, owner
	case owner == "" || name == owner || strings.HasPrefix(name, owner+" "):
		return c, name
	}
	return c, owner + "." + name
}

// end closes the innermost element of that name and all within it. An end tag that
// nothing opened is passed over.
func (j *junitReader) end(name string) {
	at := len(j.open) - 1
	for at >= 0 && j.open[at].name != name {
		at--
	}
	if at < 0 {
		j.report.Warn("an end tag without its start: %s", Clip(plain(name), 60))
		return
	}
	if at < len(j.open)-1 {
		j.report.Lack("an element is not closed: %s", Clip(plain(j.open[len(j.open)-1].name), 60))
	}
	for len(j.open) > at {
		j.pop()
	}
}

// close counts what was still open when the report stopped. A case without its end
// may have failed further down: it counts only if it had failed already.
func (j *junitReader) close() {
	j.cut = true
	for len(j.open) > 0 {
		j.pop()
	}
}

func (j *junitReader) pop() {
	e := j.open[len(j.open)-1]
	j.open = j.open[:len(j.open)-1]
	switch {
	case e.text != nil:
		j.failed(e)
	case e.c != nil && j.cut && !e.c.failed && !e.c.broke:
	case e.c != nil:
		j.count(e)
	case e.name == "testsuite" || e.name == "testsuites":
		if e.declared > e.listed && !j.cut {
			j.report.Lack("%s counts %d failures and lists %d", suiteName(e.id), e.declared, e.listed)
		}
		if outer := j.suiteElement(); outer != nil {
			outer.listed += e.listed
		}
	}
}

// failed takes in one failure or error element.
func (j *junitReader) failed(e *element) {
	message := joinMessage(e.id, e.text.String())
	c := j.inCase()
	if c == nil {
		id := suiteName(j.suite())
		f := Failure{Test: plain(id), Message: ends(message)}
		f.File, f.Line = firstPlace(f.Message)
		j.report.Fail(f, true)
		return
	}
	if e.name == "failure" {
		c.failed = true
	} else {
		c.broke = true
	}
	if c.messageBytes < maxText {
		c.messages = append(c.messages, message)
		c.messageBytes += len(message)
	}
}

// count closes a test case.
func (j *junitReader) count(e *element) {
	c := e.c
	claims := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(c.status, " "+w) {
				return true
			}
		}
		return false
	}
	switch {
	case c.failed || c.broke:
	case c.skipped || claims("notrun", "skipped", "disabled", "suppressed", "ignored", "pending"):
		j.report.Total++
		j.report.Skipped++
		return
	case claims("fail", "error", "broken"):
		c.failed = true
		c.messages = []string{"the report calls it failed and gives no reason"}
	default:
		j.report.Total++
		j.report.Passed++
		return
	}
	f := Failure{Test: plain(e.id), Package: plain(c.class), File: plain(c.file), Line: c.line}
	if f.Test == "" {
		f.Test = "a test without a name"
	}
	if len(j.report.Failures) < maxMessages {
		f.Message = ends(strings.Join(c.messages, "\n\n"))
	}
	if f.File == "" {
		f.File, f.Line = firstPlace(f.Message)
	}
	j.report.Fail(f, !c.failed)
}

// joinMessage puts the short message before the long text unless it begins with it.
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

// inCase gives the test case that is open, nil when none is.
func (j *junitReader) inCase() *junitCase {
	for i := len(j.open) - 1; i >= 0; i-- {
		if j.open[i].c != nil {
			return j.open[i].c
		}
	}
	return nil
}

func (j *junitReader) suiteElement() *element {
	for i := len(j.open) - 1; i >= 0; i-- {
		if n := j.open[i].name; n == "testsuite" || n == "testsuites" {
			return j.open[i]
		}
	}
	return nil
}

func (j *junitReader) suite() string {
	if e := j.suiteElement(); e != nil {
		return e.id
	}
	return ""
}

func suiteName(name string) string {
	if name == "" {
		return "a suite without a name"
	}
	return Clip(plain(name), 200)
}

func number(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 || n > 1<<30 {
		return 0
	}
	return n
}

// Clip cuts s after at most most bytes, between characters, and shows that it did.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
