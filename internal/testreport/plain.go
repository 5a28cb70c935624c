package testreport

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// runnerReader reads the output of one test runner, line by line.
type runnerReader interface {
	readLine(string)
	// report returns the report, and whether the output has the runner's summary.
	report() (Report, bool)
}

// runnerReaders are the constructors of the readers, in the order of the documentation.
var runnerReaders = []struct {
	format string
	listen func(runnerState) runnerReader
}{
	{Pytest, func(s runnerState) runnerReader { return &pytest{runnerState: s, tracebackEnds: map[string]int{}} }},
	{Cargo, func(s runnerState) runnerReader { return &cargo{runnerState: s} }},
	{Node, func(s runnerState) runnerReader {
		return &node{runnerState: s, totals: map[string]int{}, onlyDots: true}
	}},
	{Maven, func(s runnerState) runnerReader { return &maven{runnerState: s} }},
	{Go, func(s runnerState) runnerReader { return &goText{runnerState: s} }},
	{Jest, func(s runnerState) runnerReader { return &jest{runnerState: s} }},
	{Vitest, func(s runnerState) runnerReader { return &vitest{s} }},
	{Mocha, func(s runnerState) runnerReader { return &mocha{runnerState: s} }},
	{AVA, func(s runnerState) runnerReader { return &ava{s} }},
	{Jasmine, func(s runnerState) runnerReader { return &jasmine{runnerState: s} }},
	{RSpec, func(s runnerState) runnerReader { return &rspec{s} }},
	{Minitest, func(s runnerState) runnerReader { return &minitest{runnerState: s} }},
	{Unittest, func(s runnerState) runnerReader { return &unittest{runnerState: s} }},
	{PHPUnit, func(s runnerState) runnerReader { return &phpunit{runnerState: s} }},
	{Dotnet, func(s runnerState) runnerReader { return &dotnet{s} }},
}

// runnerState is common to the readers of all runners.
type runnerState struct {
	failureList
	counts
	format     string
	recognised bool
	current    *failure // the failure that the next lines belong to
}

func (s *runnerState) report() (Report, bool) { return s.makeReport(s.format, s.counts), s.recognised }

// readPlain reads a stream as the output of the runner with this format. Without the runner's
// summary the report is Incomplete. The error is from r.
func readPlain(format string, r io.Reader) (Report, error) {
	var v runnerReader
	for _, one := range runnerReaders {
		if one.format == format {
			v = one.listen(runnerState{format: format})
		}
	}
	if v == nil {
		return Report{}, errors.New(format + " is not a plain output format")
	}
	err := readLines(r, v)
	report, spoke := v.report()
	if !spoke {
		report.WarnIncomplete("the output has no summary of %s: it may have been cut short", format)
	}
	report.warnFlaky()
	return report, err
}

// ReadAnyPlain reads the output of a program that may be one of the known runners. ok is false
// unless exactly one of them is recognised: a runner's tests may print what another runner prints.
func ReadAnyPlain(r io.Reader) (report Report, ok bool, err error) {
	var all []runnerReader
	for _, v := range runnerReaders {
		all = append(all, v.listen(runnerState{format: v.format}))
	}
	err = readLines(r, all...)
	for _, v := range all {
		one, spoke := v.report()
		if !spoke {
			continue
		}
		if ok {
			return Report{}, false, err
		}
		report, ok = one, true
	}
	report.warnFlaky()
	return report, ok, err
}

func readLines(r io.Reader, voices ...runnerReader) error {
	return EachLine(r, func(line []byte) {
		for text := range strings.SplitSeq(strings.TrimRight(PlainText(string(line)), "\n"), "\n") {
			for _, v := range voices {
				v.readLine(strings.TrimRight(Clip(text, maxPlainLine), " \t"))
			}
		}
	}, func(error) {}) // no summary is that long
}

const (
	maxPlainFailures = 50_000 // failures in memory
	maxPlainPasses   = 100_000
	maxPlainLine     = 8 << 10 // bytes of a line that are read
	maxMessage       = 16 << 10
)

// failureList has each failure once, by its name, with its message.
type failureList struct {
	indexByName map[string]int
	list        []*failure

	passedNames, skippedNames []string // as far as the output names them
}

// pass adds the name of a passed test, skip that of a skipped one. They are used only if their
// number equals the runner's total.
func (t *failureList) pass(name string) { noteName(&t.passedNames, name) }
func (t *failureList) skip(name string) { noteName(&t.skippedNames, name) }

func noteName(list *[]string, name string) {
	if len(*list) < maxPlainPasses {
		*list = append(*list, Clip(name, 2000))
	}
}

type failure struct {
	Failure
	isError bool
	message strings.Builder
}

// add returns the failure of that name, new or existing; nil if there are too many.
func (t *failureList) add(name string, broke bool) *failure {
	if t.indexByName == nil {
		t.indexByName = map[string]int{}
	}
	if strings.TrimSpace(name) == "" {
		name = "a test without a name"
	}
	i, known := t.indexByName[name]
	if !known {
		if len(t.list) >= maxPlainFailures {
			return nil
		}
		i = len(t.list)
		t.indexByName[name] = i
		t.list = append(t.list, &failure{Failure: Failure{Test: Clip(name, 2000)}, isError: broke})
	}
	return t.list[i]
}

func (t *failureList) get(name string) *failure {
	if i, ok := t.indexByName[name]; ok {
		return t.list[i]
	}
	return nil
}

func (f *failure) addLine(line string) {
	if f != nil && f.message.Len() < maxMessage {
		f.message.WriteString(line + "\n")
	}
}

// counts are a runner's own totals.
type counts struct{ passed, failed, errors, skipped, flaky int }

// count adds n tests under a runner's word for their outcome; false for an unknown word.
func (c *counts) count(word string, n int) bool {
	switch word {
	case "passed", "passing", "xpassed":
		c.passed += n
	case "failed", "failing", "failures", "Failures", "unexpected successes":
		c.failed += n
	case "error", "errors", "Errors":
		c.errors += n
	case "skipped", "todo", "pending", "xfailed", "expected failures", "Skipped", "Incomplete":
		c.skipped += n
	default:
		return false
	}
	return true
}

// countFromTotal adds the totals of a runner that only prints the number of all tests and of those
// that did not pass.
func (c *counts) countFromTotal(total int, others counts) {
	others.passed = max(0, total-others.failed-others.errors-others.skipped)
	*c = c.plus(others)
}

func (c counts) plus(o counts) counts {
	return counts{c.passed + o.passed, c.failed + o.failed, c.errors + o.errors, c.skipped + o.skipped, c.flaky + o.flaky}
}

// makeReport combines totals and named failures. If their numbers differ, the report is Incomplete
// and has the larger number.
func (t *failureList) makeReport(format string, c counts) Report {
	r := Report{Format: format}
	var failed, broke int
	for _, f := range t.list {
		if r.roomForMessage() && f.Message == "" {
			f.Message = firstAndLast(f.message.String())
		}
		if f.File == "" {
			f.File, f.Line = firstPlace(f.Message)
		}
		r.Fail(f.Failure, f.isError)
		if f.isError {
			broke++
		} else {
			failed++
		}
	}
	if failed != c.failed || broke != c.errors {
		r.WarnIncomplete("the summary counts %s, and %d are named", countFailures(c.failed+c.errors), failed+broke)
	}
	r.Failed, r.Errors = max(failed, c.failed), max(broke, c.errors)
	r.Passed, r.Skipped, r.Flaky = c.passed, c.skipped, min(c.flaky, c.passed)
	r.Total = r.Passed + r.Failed + r.Errors + r.Skipped
	if len(t.passedNames) == r.Passed {
		for _, name := range t.passedNames {
			r.passedNames.addName(name)
		}
		if len(t.skippedNames) == r.Skipped {
			for _, name := range t.skippedNames {
				r.skippedNames.addName(name)
			}
		}
	}
	return r
}

func countFailures(n int) string {
	if n == 1 {
		return "1 failure"
	}
	return strconv.Itoa(n) + " failures"
}
