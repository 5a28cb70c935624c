package testreport

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// dotnetDialect is the vocabulary of one format.
type dotnetDialect struct {
	format  string
	tests   *lazyregexp.Set // elements of a test
	name    []string        // attributes for its id; the first one that is set counts
	outcome []string
	message *lazyregexp.Set // elements with the text of a failure
}

// dotnetDialects are the dialects by root element.
var dotnetDialects = map[string]dotnetDialect{
	"TestRun": {
		format: TRX, tests: lazyregexp.Of("UnitTestResult TestResult"),
		name: []string{"testName", "testId"}, outcome: []string{"outcome"}, message: lazyregexp.Of("Message StackTrace"),
	},
	"test-run":     nunit,
	"test-results": nunit,
	"assemblies":   xunit,
	"assembly":     xunit,
}

var (
	nunit = dotnetDialect{
		format: NUnit, tests: lazyregexp.Of("test-case"),
		name: []string{"fullname", "name"}, outcome: []string{"result", "success", "executed"},
		message: lazyregexp.Of("message stack-trace"),
	}
	xunit = dotnetDialect{
		format: XUnit, tests: lazyregexp.Of("test"),
		name: []string{"name"}, outcome: []string{"result"}, message: lazyregexp.Of("message stack-trace"),
	}
	// netPlace is a place in .NET's stack traces, on Windows or Unix.
	netPlace = lazyregexp.New(` in ((?:[A-Za-z]:)?[^:\n]+):line (\d{1,7})`)
)

type dotnetReader struct {
	dotnetDialect
	report    Report
	rootSeen  bool
	open      []string
	test      *dotnetCase
	testDepth int // nesting depth of the open test
	text      *strings.Builder

	runInfo         *strings.Builder // text of an error of the runner itself, while its element is open
	runInfoDepth    int
	failedInLog     []string // tests that failed according to lines of the runner's log
	countedFailures int      // failures according to the report's own counters
}

type dotnetCase struct {
	name, outcome, label string
	output               strings.Builder
}

// ReadDotNet reads a report. Passed tests count as passed, with warnings too; tests that did not
// run, were ignored, or are inconclusive count as skipped; errors, timeouts and aborted tests as
// errors; all others as failed. A truncated or broken report is Incomplete. An unknown format, or
// one that declares entities, is a *belay.Error with CodeCannot. Other errors are from r.
func ReadDotNet(r io.Reader) (Report, error) {
	x := NewXML(r)
	d := dotnetReader{}
	err := d.read(x)
	d.checkCounts()
	x.warn(&d.report)
	return d.report, err
}

func (d *dotnetReader) read(x *XML) error {
	broken, err := x.Each(func(tok xml.Token) error {
		switch t := tok.(type) {
		case xml.StartElement:
			if err := d.startElement(t); err != nil {
				return err
			}
		case xml.EndElement:
			d.endElement(t.Name.Local)
		case xml.CharData:
			if d.runInfo != nil && d.runInfo.Len() < maxText {
				d.runInfo.Write(t[:min(len(t), maxText-d.runInfo.Len())])
			}
			if d.text != nil && d.text.Len() < maxText {
				d.text.Write(t[:min(len(t), maxText-d.text.Len())])
			}
		}
		if len(d.open) > maxElements {
			return errDeep
		}
		return nil
	})
	if broken, err = ended(broken, err, len(d.open)); err != nil {
		return err
	}
	return d.readError(broken)
}

func (d *dotnetReader) readError(why string) error {
	switch {
	case !d.rootSeen:
		return belay.Refuse(belay.CodeCannot, "have the test command write TRX, NUnit or xunit XML",
			"the file is not a report of a .NET test runner")
	case why != "":
		d.report.WarnIncomplete("%s", why)
	}
	return nil
}

func (d *dotnetReader) startElement(t xml.StartElement) error {
	name := t.Name.Local
	if !d.rootSeen {
		if d.dotnetDialect, d.rootSeen = dotnetDialects[name]; !d.rootSeen {
			return d.readError("")
		}
		d.report.Format = d.format
	}
	d.open = append(d.open, name)
	d.readCounters(t)
	switch {
	case d.test == nil && d.tests.Has(name):
		attrs := Attrs(t)
		d.test, d.testDepth = &dotnetCase{label: strings.ToLower(attrs["label"])}, len(d.open)
		for _, key := range d.name {
			if d.test.name == "" {
				d.test.name = PlainText(attrs[key])
			}
		}
		for _, key := range d.outcome {
			if d.test.outcome == "" {
				d.test.outcome = strings.ToLower(attrs[key])
			}
		}
		if strings.EqualFold(attrs["executed"], "false") && attrs["result"] == "" { // the only sign of an ignored test in NUnit 2.4
			d.test.outcome = "notrun"
		}
	case d.message.Has(name) && d.test != nil:
		d.text = &d.test.output
	case name == "RunInfo" && strings.EqualFold(Attrs(t)["outcome"], "error"):
		d.runInfo, d.runInfoDepth = &strings.Builder{}, len(d.open)
	case name == "error" && d.format == XUnit && d.test == nil:
		d.countRunError("")
	}
	return nil
}

// countRunError counts an error of the runner itself.
func (d *dotnetReader) countRunError(said string) {
	f := Failure{Test: "the test run", Message: "the runner reports an error of its own"}
	if said = strings.TrimSpace(said); said != "" && d.report.roomForMessage() {
		f.Message += "\n" + firstAndLast(PlainText(said))
		f.Message = firstAndLast(f.Message)
	}
	d.report.Fail(f, true)
}

// readCounters adds up the report's own counters of failures.
func (d *dotnetReader) readCounters(t xml.StartElement) {
	var keys []string
	switch name := t.Name.Local; {
	case name == "Counters" && d.format == TRX:
		keys = []string{"failed", "error", "timeout", "aborted"}
	case name == "test-run":
		keys = []string{"failed"}
	case name == "assembly" && d.format == XUnit:
		keys = []string{"failed", "errors"}
	case name == "test-results":
		keys = []string{"failures", "errors"}
	}
	attrs := Attrs(t)
	for _, k := range keys {
		if n, err := strconv.Atoi(attrs[k]); err == nil && n > 0 && n < 1<<30 {
			d.countedFailures += n
		}
	}
}

// logFail is a line of xunit's log, which Visual Studio stores as an error of the run. The report
// itself has the test that it names.
var logFail = lazyregexp.New(`^\s*(?:\[xUnit\.net [\d:.]+\]\s+)?(.+?) \[FAIL\]\s*$`)

// readRunInfo reads the text of an error of the runner.
func (d *dotnetReader) readRunInfo(said string) {
	if m := logFail.FindStringSubmatch(strings.TrimSpace(said)); m != nil && !strings.Contains(m[1], "\n") {
		d.failedInLog = append(d.failedInLog, PlainText(m[1]))
		return
	}
	d.countRunError(said)
}

// checkCounts compares the failures in a report with its counters and its log.
func (d *dotnetReader) checkCounts() {
	named := d.report.Failed + d.report.Errors
	switch {
	case d.countedFailures > 0 && named == 0:
		d.report.WarnIncomplete("the report counts %d failures and names none", d.countedFailures)
	case len(d.failedInLog) > 0 && named == 0:
		d.report.WarnIncomplete("the runner's log says that %s failed, but the report has no such failure", Clip(d.failedInLog[0], 200))
	}
}

func (d *dotnetReader) endElement(name string) {
	for i := len(d.open) - 1; i >= 0; i-- {
		if d.open[i] == name {
			d.open = d.open[:i]
			break
		}
	}
	if d.runInfo != nil && len(d.open) < d.runInfoDepth {
		d.readRunInfo(d.runInfo.String())
		d.runInfo = nil
	}
	if d.text != nil && d.message.Has(name) {
		d.text.WriteByte('\n')
		d.text = nil
	}
	if d.test != nil && len(d.open) < d.testDepth {
		d.countTest()
	}
}

func (d *dotnetReader) countTest() {
	t := d.test
	d.test, d.text = nil, nil
	switch t.outcome {
	case "passed", "pass", "passedbutrunaborted", "success", "true", "warning", "completed":
		d.report.passNamed(Clip(t.name, 2000), false)
		return
	case "notexecuted", "notrunnable", "skipped", "skip", "ignored", "inconclusive", "notrun", "pending", "disconnected", "inprogress":
		d.report.skipNamed(Clip(t.name, 2000))
		return
	}
	name := Clip(t.name, 2000)
	if name == "" {
		name = "test " + strconv.Itoa(d.report.Total+1)
	}
	f := Failure{Test: name}
	said := PlainText(t.output.String())
	if d.report.roomForMessage() {
		f.Message = firstAndLast(said)
	}
	if m := netPlace.FindStringSubmatch(said); m != nil {
		f.File = strings.ReplaceAll(m[1], `\`, "/")
		f.Line, _ = strconv.Atoi(m[2])
	} else {
		f.File, f.Line = firstPlace(said)
	}
	broke := t.outcome == "error" || t.outcome == "timeout" || t.outcome == "aborted" || t.label == "error"
	d.report.Fail(f, broke)
}
