package contract

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Ran is a run of the tests: the check's answer, and the names in it.
type Ran struct {
	Result belay.CheckResult
	Names  Names
}

// Names are failing tests as their report calls them.
type Names struct {
	Now    []string // they fail after the change, known failures too
	Before []string // they failed before it
}

var (
	theTests = lazyregexp.New(`(?i)\b(?:failing|broken|red|flaky|the|all|unit|integration|e2e)\s+(?:(?:unit|integration|e2e|failing|broken|red)\s+)*(?:tests?|specs?|test suite|suite)\b|\btests?\s+(?:fail|are failing|is failing|are red|are broken)`)
	theLint  = lazyregexp.New(`(?i)\b(?:lint|linter|linting|linters|eslint|golangci-lint|ruff|flake8|clippy|rubocop)\b`)
	testName = lazyregexp.New(`[A-Za-z_][\w./:#-]*`)
)

// Fixes holds each FIX that names a test, the tests, or the linter against what they say
// now. The check that is named has to pass: a failure that was known before is let pass by
// the tests, and not here. What could not be run is a warning. Verdicts go into met.
func Fixes(req belay.Request, tests Ran, lint belay.CheckResult, met []belay.Met) []belay.Finding {
	var out []belay.Finding
	for _, r := range req.Requirements {
		if r.Marker != belay.MarkFix {
			continue
		}
		title, severity := fixed(r.Text, tests, lint)
		if title == "" {
			continue
		}
		if severity != "" {
			out = append(out, belay.Finding{
				Check: "contract", Severity: severity, Category: belay.CategoryContract, Title: title, Detail: asked(r),
				Recommendation: "make it pass; do not change, skip or delete what checks it",
			})
		}
		if i := slices.IndexFunc(met, func(m belay.Met) bool { return m.Marker == r.Marker && m.Text == r.Text }); i >= 0 {
			met[i].Verdict = map[belay.Severity]string{"": belay.MetYes, belay.SeverityError: belay.MetNot, belay.SeverityWarning: belay.MetUnknown}[severity]
		}
	}
	return out
}

// fixed judges one requirement. No title: it names no check. No severity: what it names
// passes now.
func fixed(text string, tests Ran, lint belay.CheckResult) (title string, severity belay.Severity) {
	ran := func(r belay.CheckResult) bool {
		return r.Check != "" && !r.Skipped && r.Verdict != belay.VerdictUnknown
	}
	named := func(list []string) string {
		i := slices.IndexFunc(list, func(name string) bool { return names(text, name) })
		if i < 0 {
			return ""
		}
		return list[i]
	}
	if name := named(tests.Names.Now); name != "" {
		return "to be fixed and still fails: " + name, belay.SeverityError
	}
	if name := named(tests.Names.Before); name != "" {
		if !ran(tests.Result) {
			return "to be fixed, and the tests could not tell: " + name, belay.SeverityWarning
		}
		return name + " passes now", ""
	}
	switch {
	case theTests.MatchString(text) && ran(tests.Result):
		if n := len(tests.Names.Now); n > 0 {
			return "the tests were to be fixed, and this one still fails: " + tests.Names.Now[0], belay.SeverityError
		}
		return "the tests pass", ""
	case theTests.MatchString(text) && tests.Result.Check != "":
		return "the tests were to be fixed, and could not tell whether they are", belay.SeverityWarning
	case theLint.MatchString(text) && ran(lint):
		if lint.Verdict == belay.VerdictFail {
			return "the linter's errors were to be fixed, and it still has some", belay.SeverityError
		}
		return "the linter passes", ""
	}
	return "", ""
}

// names tells whether a text names a test as its report does: whole, or by its last part.
func names(text, test string) bool {
	last := test
	for _, sep := range []string{"::", " > ", "/", "#", "."} {
		if i := strings.LastIndex(last, sep); i >= 0 && i+len(sep) < len(last) {
			last = last[i+len(sep):]
		}
	}
	if strings.Contains(text, test) {
		return true
	}
	if len(last) < 5 || !strings.ContainsAny(last, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") && !strings.Contains(last, " ") {
		return false // a plain word may mean anything
	}
	if strings.Contains(last, " ") {
		return strings.Contains(strings.ToLower(text), strings.ToLower(last))
	}
	return slices.ContainsFunc(testName.FindAllString(text, -1), func(w string) bool { return strings.Trim(w, "./:#-") == last })
}
