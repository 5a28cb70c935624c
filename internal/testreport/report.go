package testreport

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The formats of a Report.
const (
	GoTest   = "gotest" // go test -json
	JUnit    = "junit"
	TRX      = "trx"   // dotnet test, Visual Studio
	NUnit    = "nunit" // version 2 and 3
	XUnit    = "xunit" // xunit.net, version 2
	TAP      = "tap"
	Pytest   = "pytest" // what it prints, as are the following
	Cargo    = "cargo"
	Node     = "node" // node:test, spec and dot
	Maven    = "maven"
	Go       = "go" // go test without -json
	Jest     = "jest"
	Vitest   = "vitest"
	Mocha    = "mocha" // spec, the default
	AVA      = "ava"
	Jasmine  = "jasmine"
	RSpec    = "rspec"
	Minitest = "minitest"
	Unittest = "unittest" // Python's
	PHPUnit  = "phpunit"
	Dotnet   = "dotnet" // dotnet test
	Exit     = "exit"   // no report: the exit code alone
)

// Bounds on what a report keeps, so that a million failures stay a report.
const (
	maxFailures = 50_000 // named
	maxMessages = 200    // with their message
	maxWarnings = 20
)

// Report is what a test command said about its tests. Total is the sum of Passed,
// Failed, Skipped and Errors, and counts each test once; a test with subtests counts by
// its subtests. docs/reports.md has the rules.
type Report struct {
	Format   string    `json:"format"` // one of the constants
	Total    int       `json:"total"`
	Passed   int       `json:"passed"`
	Failed   int       `json:"failed"`
	Skipped  int       `json:"skipped"`
	Errors   int       `json:"errors"`          // broke before or outside a test: build failures, crashes, set-up
	Flaky    int       `json:"flaky,omitempty"` // of Passed: failed at first, passed when run again
	Failures []Failure `json:"failures,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	// Incomplete is set when something of the report is missing or could not be
	// read: it then proves failures, never their absence. Warnings says what.
	Incomplete bool `json:"incomplete,omitempty"`

	// Names is set by EncodeNames in a report that is kept.
	Names *Names `json:"names,omitempty"`

	passedNames, skippedNames nameList // what was read a moment ago tells them
}

// Failure is one test that failed or broke.
type Failure struct {
	Test    string `json:"test"`              // id, equal from run to run: package.Test/sub, class.case, or the command
	Package string `json:"package,omitempty"` // Go package or JUnit class, when there is one
	File    string `json:"file,omitempty"`    // as the report has it
	Line    int    `json:"line,omitempty"`    // from 1, 0 when not known
	Message string `json:"message,omitempty"` // at most 40 lines
}

// pass counts a test that passed, flaky one that did so only when run again.
func (r *Report) pass(flaky bool) {
	r.Total++
	r.Passed++
	if flaky {
		r.Flaky++
	}
}

// Skip counts a test that did not run.
func (r *Report) Skip() {
	r.Total++
	r.Skipped++
}

// roomForMessage reports whether the message of one more failure would be kept.
func (r *Report) roomForMessage() bool { return len(r.Failures) < maxMessages }

// Fail counts a failure (or an error) and keeps what the bounds allow.
func (r *Report) Fail(f Failure, broke bool) {
	r.Total++
	if broke {
		r.Errors++
	} else {
		r.Failed++
	}
	r.addFailure(f)
}

func (r *Report) addFailure(f Failure) {
	switch {
	case len(r.Failures) >= maxFailures:
		r.WarnIncomplete("more than %d tests failed, the others are counted only", maxFailures)
		return
	case len(r.Failures) >= maxMessages:
		f.Message = ""
	}
	r.Failures = append(r.Failures, f)
}

// Warn keeps a sentence once.
func (r *Report) Warn(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	for _, w := range r.Warnings {
		if w == s {
			return
		}
	}
	if len(r.Warnings) < maxWarnings {
		r.Warnings = append(r.Warnings, s)
	}
}

// WarnIncomplete is Warn for something that is missing.
func (r *Report) WarnIncomplete(format string, args ...any) {
	r.Incomplete = true
	r.Warn(format, args...)
}

// warnFlaky warns of flaky tests, once all are counted.
func (r *Report) warnFlaky() {
	switch {
	case r.Flaky == 1:
		r.Warn("1 test failed at first and passed when run again: it counts as passed")
	case r.Flaky > 1:
		r.Warn("%d tests failed at first and passed when run again: they count as passed", r.Flaky)
	}
}

// Add takes in another report of the same run.
func (r *Report) Add(o Report) {
	r.Total, r.Passed, r.Failed = r.Total+o.Total, r.Passed+o.Passed, r.Failed+o.Failed
	r.Skipped, r.Errors, r.Flaky = r.Skipped+o.Skipped, r.Errors+o.Errors, r.Flaky+o.Flaky
	for _, f := range o.Failures {
		r.addFailure(f)
	}
	r.passedNames.addAll(o.passedNames)
	r.skippedNames.addAll(o.skippedNames)
	r.Incomplete = r.Incomplete || o.Incomplete
	for _, w := range o.Warnings {
		r.Warn("%s", w)
	}
}

// Sound returns an error when the report cannot be right, whatever it was read from: a
// reader that miscounts must not make a pass.
func (r Report) Sound() error {
	switch named := r.Failed + r.Errors; {
	case min(r.Passed, r.Failed, r.Skipped, r.Errors, r.Flaky) < 0 || r.Flaky > r.Passed:
		return fmt.Errorf("a count is impossible: %s", r)
	case r.Total != r.Passed+r.Failed+r.Skipped+r.Errors:
		return fmt.Errorf("the counts do not add up: %s", r)
	case len(r.Failures) > named || len(r.Failures) < min(named, maxFailures) && !r.Incomplete:
		return fmt.Errorf("%d failures are named, of %d", len(r.Failures), named)
	case r.Incomplete && len(r.Warnings) == 0:
		return errors.New("the report is incomplete and no warning says why")
	}
	for _, f := range r.Failures {
		if f.Test == "" || f.Line < 0 || strings.Count(f.Message, "\n") >= messageLines {
			return fmt.Errorf("the failure %q is invalid", f.Test)
		}
		for _, s := range []string{f.Test, f.Package, f.File, f.Message} {
			if !utf8.ValidString(s) || strings.ContainsAny(s, "\x1b\x00\r") {
				return fmt.Errorf("the failure %q is not plain text", f.Test)
			}
		}
	}
	return nil
}

// String counts on one line: 12 tests: 10 passed, 2 failed.
func (r Report) String() string {
	noun := "tests"
	if r.Total == 1 {
		noun = "test"
	}
	s := fmt.Sprintf("%d %s: %d passed", r.Total, noun, r.Passed)
	for _, p := range []struct {
		n    int
		noun string
	}{{r.Failed, "failed"}, {r.Errors, "broke"}, {r.Skipped, "skipped"}, {r.Flaky, "flaky"}} {
		if p.n > 0 {
			s += fmt.Sprintf(", %d %s", p.n, p.noun)
		}
	}
	return s
}
