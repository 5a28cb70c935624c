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
	Pytest   = "pytest" // printed output, like the following
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
	Exit     = "exit"   // no report, only an exit code
)

// Limits of a report, for runs with a million failures.
const (
	maxFailures = 50_000 // failures with a name
	maxMessages = 200    // failures with a message
	maxWarnings = 20
)

// Report is the result of a test command. Total is the sum of Passed, Failed, Skipped and Errors,
// and counts each test once; of a test with subtests only the subtests count. docs/reports.md has
// the rules.
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
	// Incomplete is set if something is missing or could not be read: the report then proves
	// failures, but not that there are no others. Warnings say what is missing.
	Incomplete bool `json:"incomplete,omitempty"`

	// Names is set by EncodeNames in a stored report.
	Names *Names `json:"names,omitempty"`

	// NeedsIgnored is set if the tests only gave this report with ignored files of the tree.
	NeedsIgnored bool `json:"-"`

	passedNames, skippedNames nameList // set while reading
}

// Failure is one test that failed or broke.
type Failure struct {
	Test    string `json:"test"`              // id, equal in each run: package.Test/sub, class.case, or the command
	Package string `json:"package,omitempty"` // Go package or JUnit class, if any
	File    string `json:"file,omitempty"`    // as in the report
	Line    int    `json:"line,omitempty"`    // from 1; 0 if unknown
	Message string `json:"message,omitempty"` // at most 40 lines
}

// pass counts a passed test; flaky if it passed only in a rerun.
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

// roomForMessage reports whether the message of another failure would be kept.
func (r *Report) roomForMessage() bool { return len(r.Failures) < maxMessages }

// Fail counts a failure, or an error if it broke, and adds it within the limits.
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

// Warn adds a warning, once.
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

// WarnIncomplete is Warn, and marks the report as Incomplete.
func (r *Report) WarnIncomplete(format string, args ...any) {
	r.Incomplete = true
	r.Warn(format, args...)
}

// warnFlaky adds a warning about flaky tests; call it at the end.
func (r *Report) warnFlaky() {
	switch {
	case r.Flaky == 1:
		r.Warn("1 test failed at first and passed when run again: it counts as passed")
	case r.Flaky > 1:
		r.Warn("%d tests failed at first and passed when run again: they count as passed", r.Flaky)
	}
}

// Add adds another report of the same run.
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

// Sound returns an error if the report cannot be right, for any format: a reader that miscounts
// must not cause a pass.
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

// String returns the counts on one line: 12 tests: 10 passed, 2 failed.
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
