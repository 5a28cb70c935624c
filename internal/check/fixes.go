package check

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Ran is a run of the tests: the check's answer, and the names in it.
type Ran struct {
	Result belay.CheckResult
	Names  OrderedNames
}

// Names are tests as their report calls them.
type OrderedNames struct {
	Now     []string // they fail after the change, known failures too
	Before  []string // they failed before it
	Passed  []string // they pass after the change, as far as the report names those
	Skipped []string // they are skipped after the change
	Whole   bool     // whatever is in none of these lists did not run
}

var (
	theTests = lazyregexp.New(`(?i)\b(?:failing|broken|red|flaky|the|all|unit|integration|` +
		`e2e)\s+(?:(?:unit|integration|e2e|failing|broken|red)\s+)*(?:tests?|specs?|test suite|suite)\b|` +
		`\btests?\s+(?:fail|are failing|is failing|are red|are broken)|` +
		`\b(?:its|our|my|your|their|these|those|every|each)\s+(?:\w+\s+)?(?:tests?|specs?)\s+` +
		`(?:all\s+|should\s+|must\s+)?(?:pass|passes|succeed)\b`)
	theLint  = lazyregexp.New(`(?i)\b(?:lint|linter|linting|linters|eslint|golangci-lint|ruff|flake8|clippy|rubocop)\b`)
	aside    = lazyregexp.New(`(?i)\s*(?:,|\bwithout\b|\bbut\b|\bdo(?:n['’]t| not)\b)`)
	testName = lazyregexp.New(`[A-Za-z_][\w./:#-]*`)
	oneTest  = lazyregexp.New("(?i)\\btest(?:\\s+case)?\\s+(?:called\\s+|named\\s+)?[`'\"]?([A-Za-z_][\\w./:#-]*)")
)

// Fixes holds each FIX that names a test, the tests, or the linter against what they say
// now. The check that is named has to pass: a failure that was known before is let pass by
// the tests, and not here, and neither is a test that is skipped or gone. What could not be
// run is a warning. words is what the request was read from. Verdicts go into met; settled
// has the details of the findings that these answers replace.
func Fixes(req belay.Request, words string, tests Ran, lint belay.CheckResult, met []belay.Met) (out []belay.Finding, settled []string) {
	for _, r := range req.Requirements {
		if r.Marker != belay.MarkFix {
			continue
		}
		title, severity := fixed(aside.Split(clause(r.Text, words), 2)[0], tests, lint)
		if title == "" {
			continue
		}
		settled = append(settled, asked(r))
		if severity != "" {
			out = append(out, belay.Finding{
				Check: "contract", Severity: severity, Category: belay.CategoryContract, Title: title, Detail: asked(r),
				Recommendation: "make it pass; do not change, skip or delete the test or rule",
			})
		}
		if i := slices.IndexFunc(met, func(m belay.Met) bool { return m.Marker == r.Marker && m.Text == r.Text }); i >= 0 {
			met[i].Verdict = map[belay.Severity]string{"": belay.MetYes, belay.SeverityError: belay.MetNot,
				belay.SeverityWarning: belay.MetUnknown}[severity]
			if met[i].Evidence = nil; severity == "" {
				met[i].Evidence = []string{title}
			}
		}
	}
	return out, settled
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
	asks := strings.Contains(strings.ToLower(text), "test")
	if name := named(tests.Names.Now); name != "" {
		return "should be fixed but still fails: " + name, belay.SeverityError
	}
	if before := named(tests.Names.Before); before != "" || asks {
		if before != "" && !ran(tests.Result) {
			return "should be fixed, but the tests gave no result: " + before, belay.SeverityWarning
		}
		if name := named(tests.Names.Passed); name != "" {
			return name + " passes now", ""
		}
		if name := named(tests.Names.Skipped); name != "" {
			return "should be fixed but is now skipped: " + name, belay.SeverityError
		}
		if before != "" && tests.Names.Whole {
			return "should be fixed but did not run: " + before, belay.SeverityError
		}
		if before != "" {
			return before + " passes now", ""
		}
	}
	switch m := oneTest.FindStringSubmatch(text); {
	case m != nil && (camel.MatchString(m[1]) || strings.ContainsAny(m[1], "./:#")):
		return "not shown: no test of that name ran: " + m[1], belay.SeverityWarning
	case theTests.MatchString(text) && ran(tests.Result):
		if n := len(tests.Names.Now); n > 0 {
			return "the tests should be fixed, but this one still fails: " + tests.Names.Now[0], belay.SeverityError
		}
		if tests.Result.Verdict == belay.VerdictFail {
			return "the tests should be fixed but still fail", belay.SeverityError
		}
		return "the tests pass", ""
	case theTests.MatchString(text):
		return "not shown: the tests should be fixed, but there is no test result", belay.SeverityWarning
	case theLint.MatchString(text) && ran(lint):
		if lint.Verdict == belay.VerdictFail {
			return "the linter errors should be fixed, but some are left", belay.SeverityError
		}
		return "the linter passes", ""
	}
	return "", ""
}

// names reports whether a text names a test as its report does: whole, or by its last part.
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
