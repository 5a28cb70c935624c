// Package results reads what test runners report: the events of go test -json and the
// XML that JUnit and its many imitators write, however broken, large or hostile.
//
// It reads what it is handed and touches no file, process or clock. What a failure
// leads to is not its business.
package results

import (
	"fmt"
	"regexp"
	"strings"
)

// The formats of a Report.
const (
	GoTest = "gotest"
	JUnit  = "junit"
	Exit   = "exit"
)

// Bounds on what a report keeps, so that a million failures stay a report.
const (
	maxFailures = 50_000 // named
	maxMessages = 200    // with their message
	maxWarnings = 20
)

// Report is what a test command said about its tests. Total is the sum of
// Passed, Failed, Skipped and Errors; a test with subtests counts by its subtests.
type Report struct {
	Format   string    `json:"format"` // gotest, junit or exit
	Total    int       `json:"total"`
	Passed   int       `json:"passed"`
	Failed   int       `json:"failed"`
	Skipped  int       `json:"skipped"`
	Errors   int       `json:"errors"` // broke before or outside a test: build failures, crashes, set-up
	Failures []Failure `json:"failures,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	// Incomplete is set when something of the report is missing or could not be
	// read: it then proves failures, never their absence. Warnings says what.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Failure is one test that failed or broke.
type Failure struct {
	Test    string `json:"test"`              // id, equal from run to run: package.Test/sub, class.case, or the command
	Package string `json:"package,omitempty"` // Go package or JUnit class, when there is one
	File    string `json:"file,omitempty"`    // as the report has it
	Line    int    `json:"line,omitempty"`    // from 1, 0 when not known
	Message string `json:"message,omitempty"` // at most 40 lines
}

// Fail counts a failure (or an error) and keeps what the bounds allow.
func (r *Report) Fail(f Failure, broke bool) {
	r.Total++
	if broke {
		r.Errors++
	} else {
		r.Failed++
	}
	r.keep(f)
}

func (r *Report) keep(f Failure) {
	switch {
	case len(r.Failures) >= maxFailures:
		r.Lack("more than %d tests failed, the others are counted only", maxFailures)
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

// Lack is Warn for something that is missing.
func (r *Report) Lack(format string, args ...any) {
	r.Incomplete = true
	r.Warn(format, args...)
}

// Add takes in another report of the same run.
func (r *Report) Add(o Report) {
	r.Total, r.Passed, r.Failed = r.Total+o.Total, r.Passed+o.Passed, r.Failed+o.Failed
	r.Skipped, r.Errors = r.Skipped+o.Skipped, r.Errors+o.Errors
	for _, f := range o.Failures {
		r.keep(f)
	}
	r.Incomplete = r.Incomplete || o.Incomplete
	for _, w := range o.Warnings {
		r.Warn("%s", w)
	}
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
	}{{r.Failed, "failed"}, {r.Errors, "broke"}, {r.Skipped, "skipped"}} {
		if p.n > 0 {
			s += fmt.Sprintf(", %d %s", p.n, p.noun)
		}
	}
	return s
}

// Bounds on a message.
const (
	messageLines = 40
	lineBytes    = 500
)

// Tail gives the last lines of s, made plain, each cut to a readable length.
func Tail(s string) string {
	lines := splitLines(s)
	return joinLines(lines[max(0, len(lines)-messageLines):])
}

// ends gives the first and the last lines of s, made plain: a traceback says what
// happened at one end and where at the other.
func ends(s string) string {
	lines := splitLines(s)
	if len(lines) > messageLines {
		const head = 14
		cut := append([]string{}, lines[:head]...)
		cut = append(cut, "…")
		lines = append(cut, lines[len(lines)-(messageLines-head-1):]...)
	}
	return joinLines(lines)
}

func splitLines(s string) []string {
	s = strings.Trim(plain(s), "\n")
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func joinLines(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		l = strings.TrimRight(l, " \t")
		if len(l) > lineBytes {
			l = strings.ToValidUTF8(l[:lineBytes], "") + "…"
		}
		b.WriteString(l)
	}
	return b.String()
}

// mangledColour is a terminal colour whose escape character was not allowed in XML: as
// the reader here replaces it, and as pytest writes it.
var mangledColour = regexp.MustCompile(`(\x{fffd}|#x1B)\[[0-9;]*m`)

// plain makes program output readable as text: valid UTF-8, line ends as \n, without
// terminal sequences. What else is odd in it stays for the door that prints it.
func plain(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.Contains(s, "[") {
		s = mangledColour.ReplaceAllString(s, "")
	}
	if !strings.ContainsAny(s, "\x1b\r\x00") {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\r':
			b.WriteByte('\n') // a progress bar painting over itself
		case 0:
		case 0x1b:
			i += escape(s[i:]) - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// escape gives the length of the terminal sequence at the start of s, at least 1.
func escape(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[': // CSI: parameters, then one letter
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 {
				return i
			}
		}
		return len(s)
	case ']': // OSC: up to BEL or ESC \
		for i := 2; i < len(s) && s[i] != '\n'; i++ {
			if s[i] == 7 {
				return i + 1
			}
			if s[i] == 0x1b {
				return min(i+2, len(s))
			}
		}
		return 2
	}
	return 1
}
