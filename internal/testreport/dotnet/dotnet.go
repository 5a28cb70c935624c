// Package dotnet parses the XML reports of .NET test runners: Visual Studio's TRX, NUnit 2
// and 3, and xunit.net version 2. It reads from the caller's reader and touches no file.
package dotnet

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// dialect is what one format calls a test and its parts.
type dialect struct {
	format  string
	tests   map[string]bool // elements that are one test
	name    []string        // attributes with its id, the first that is set
	outcome []string
	message map[string]bool // elements with the words of a failure
}

// dialects by the root element.
var dialects = map[string]dialect{
	"TestRun": {
		format: testreport.TRX, tests: set("UnitTestResult", "TestResult"),
		name: []string{"testName", "testId"}, outcome: []string{"outcome"}, message: set("Message", "StackTrace"),
	},
	"test-run":     nunit,
	"test-results": nunit,
	"assemblies":   xunit,
	"assembly":     xunit,
}

var (
	nunit = dialect{
		format: testreport.NUnit, tests: set("test-case"),
		name: []string{"fullname", "name"}, outcome: []string{"result", "success", "executed"}, message: set("message", "stack-trace"),
	}
	xunit = dialect{
		format: testreport.XUnit, tests: set("test"),
		name: []string{"name"}, outcome: []string{"result"}, message: set("message", "stack-trace"),
	}
	// netPlace is how .NET names a place in a stack, on both kinds of systems.
	netPlace = lazyregexp.New(` in ((?:[A-Za-z]:)?[^:\n]+):line (\d{1,7})`)
)

func set(words ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		m[w] = true
	}
	return m
}

// Root reports whether a document that begins with this element is read here.
func Root(element string) bool { _, known := dialects[element]; return known }

// Format returns the format that begins with this element, "" for none.
func Format(element string) string { return dialects[element].format }

const maxDepth = 256

type reader struct {
	dialect
	report testreport.Report
	known  bool
	open   []string
	test   *test
	at     int // how deep the open test is
	words  *strings.Builder

	info    *strings.Builder // what the runner says of itself, while an error of it is open
	infoAt  int
	logged  []string // tests that lines of its log say failed
	counted int      // failures that the report's own counters have
}

type test struct {
	name, outcome, label string
	said                 strings.Builder
}

// Read reads one report. Outcomes count so: what passed, with whatever warning, as
// passed; what was not run, ignored, or could not be decided as skipped; errors,
// timeouts and aborted tests as errors; everything else as failed. A report that is cut
// off or broken is Incomplete; what is none of the known formats, or declares entities,
// is a *belay.Error with CodeCannot. Another error is r's own.
func Read(r io.Reader) (testreport.Report, error) {
	x := testreport.NewXML(r)
	d := reader{}
	err := d.read(x)
	d.whole()
	if x.Cut() {
		d.report.Lack("the report is over %d MiB; the rest was not read", testreport.MaxFile>>20)
	}
	if x.Replaced() {
		d.report.Warn("bytes that are not text were replaced")
	}
	return d.report, err
}

func (d *reader) read(x *testreport.XML) error {
	for {
		tok, err := x.Token()
		var bad *testreport.Broken
		switch {
		case err == io.EOF && len(d.open) > 0:
			return d.broken("the report stops in the middle")
		case err == io.EOF:
			return d.broken("")
		case errors.As(err, &bad):
			return d.broken(bad.Why)
		case err != nil:
			return err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if err := d.start(t); err != nil {
				return err
			}
		case xml.EndElement:
			d.end(t.Name.Local)
		case xml.CharData:
			if d.info != nil && d.info.Len() < testreport.MaxText {
				d.info.Write(t[:min(len(t), testreport.MaxText-d.info.Len())])
			}
			if d.words != nil && d.words.Len() < testreport.MaxText {
				d.words.Write(t[:min(len(t), testreport.MaxText-d.words.Len())])
			}
		}
		if len(d.open) > maxDepth {
			return d.broken("elements are nested too deep")
		}
	}
}

func (d *reader) broken(why string) error {
	switch {
	case !d.known:
		return belay.Refuse(belay.CodeCannot, "have the test command write TRX, NUnit or xunit XML",
			"the file is not a report of a .NET test runner")
	case why != "":
		d.report.Lack("%s", why)
	}
	return nil
}

func (d *reader) start(t xml.StartElement) error {
	name := t.Name.Local
	if !d.known {
		if d.dialect, d.known = dialects[name]; !d.known {
			return d.broken("")
		}
		d.report.Format = d.format
	}
	d.open = append(d.open, name)
	d.counters(t)
	switch {
	case d.test == nil && d.tests[name]:
		attrs := testreport.Attrs(t)
		d.test, d.at = &test{label: strings.ToLower(attrs["label"])}, len(d.open)
		for _, key := range d.name {
			if d.test.name == "" {
				d.test.name = testreport.Plain(attrs[key])
			}
		}
		for _, key := range d.outcome {
			if d.test.outcome == "" {
				d.test.outcome = strings.ToLower(attrs[key])
			}
		}
		if strings.EqualFold(attrs["executed"], "false") && attrs["result"] == "" { // NUnit 2.4 says no more of what is ignored
			d.test.outcome = "notrun"
		}
	case d.message[name] && d.test != nil:
		d.words = &d.test.said
	case name == "RunInfo" && strings.EqualFold(testreport.Attrs(t)["outcome"], "error"):
		d.info, d.infoAt = &strings.Builder{}, len(d.open)
	case name == "error" && d.format == testreport.XUnit && d.test == nil:
		d.outside("")
	}
	return nil
}

// outside counts an error of the run itself.
func (d *reader) outside(said string) {
	f := testreport.Failure{Test: "the test run", Message: "the runner reports an error of its own"}
	if said = strings.TrimSpace(said); said != "" && d.report.Room() {
		f.Message += "\n" + testreport.Ends(testreport.Plain(said))
		f.Message = testreport.Ends(f.Message)
	}
	d.report.Fail(f, true)
}

// counters reads how many failures a report says it has.
func (d *reader) counters(t xml.StartElement) {
	var keys []string
	switch name := t.Name.Local; {
	case name == "Counters" && d.format == testreport.TRX:
		keys = []string{"failed", "error", "timeout", "aborted"}
	case name == "test-run":
		keys = []string{"failed"}
	case name == "test-results":
		keys = []string{"failures", "errors"}
	}
	attrs := testreport.Attrs(t)
	for _, k := range keys {
		if n, err := strconv.Atoi(attrs[k]); err == nil && n > 0 && n < 1<<30 {
			d.counted += n
		}
	}
}

// logFail is a line of xunit's log, which Visual Studio stores as an error of the run: the
// test that it names is in the report itself.
var logFail = lazyregexp.New(`^\s*(?:\[xUnit\.net [\d:.]+\]\s+)?(.+?) \[FAIL\]\s*$`)

// informed takes in what the runner said of an error of its own.
func (d *reader) informed(said string) {
	if m := logFail.FindStringSubmatch(strings.TrimSpace(said)); m != nil && !strings.Contains(m[1], "\n") {
		d.logged = append(d.logged, testreport.Plain(m[1]))
		return
	}
	d.outside(said)
}

// whole compares the tests of a report with what it says of itself.
func (d *reader) whole() {
	named := d.report.Failed + d.report.Errors
	switch {
	case d.counted > 0 && named == 0:
		d.report.Lack("the report counts %d failures and names none", d.counted)
	case len(d.logged) > 0 && named == 0:
		d.report.Lack("the runner's log says that %s failed, but the report has no such failure", testreport.Clip(d.logged[0], 200))
	}
}

func (d *reader) end(name string) {
	for i := len(d.open) - 1; i >= 0; i-- {
		if d.open[i] == name {
			d.open = d.open[:i]
			break
		}
	}
	if d.info != nil && len(d.open) < d.infoAt {
		d.informed(d.info.String())
		d.info = nil
	}
	if d.words != nil && d.message[name] {
		d.words.WriteByte('\n')
		d.words = nil
	}
	if d.test != nil && len(d.open) < d.at {
		d.count()
	}
}

func (d *reader) count() {
	t := d.test
	d.test, d.words = nil, nil
	switch t.outcome {
	case "passed", "pass", "passedbutrunaborted", "success", "true", "warning", "completed":
		d.report.PassAs(testreport.Clip(t.name, 2000), false)
		return
	case "notexecuted", "notrunnable", "skipped", "skip", "ignored", "inconclusive", "notrun", "pending", "disconnected", "inprogress":
		d.report.SkipAs(testreport.Clip(t.name, 2000))
		return
	}
	name := testreport.Clip(t.name, 2000)
	if name == "" {
		name = "test " + strconv.Itoa(d.report.Total+1)
	}
	f := testreport.Failure{Test: name}
	said := testreport.Plain(t.said.String())
	if d.report.Room() {
		f.Message = testreport.Ends(said)
	}
	if m := netPlace.FindStringSubmatch(said); m != nil {
		f.File = strings.ReplaceAll(m[1], `\`, "/")
		f.Line, _ = strconv.Atoi(m[2])
	} else {
		f.File, f.Line = testreport.FirstPlace(said)
	}
	broke := t.outcome == "error" || t.outcome == "timeout" || t.outcome == "aborted" || t.label == "error"
	d.report.Fail(f, broke)
}
