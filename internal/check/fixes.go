package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// TestRun is a run of the tests: the check's result, and the names of the tests.
type TestRun struct {
	Result belay.CheckResult
	Names  TestNames
}

// TestNames are tests by their names in the report.
type TestNames struct {
	Failing      []string // they fail after the change, including known failures
	FailedBefore []string // they failed before it
	Passed       []string // they pass after the change, if the report names them
	Skipped      []string // they are skipped after the change
	Complete     bool     // tests in none of these lists did not run
}

var (
	testsPattern = lazyregexp.New(`(?i)\b(?:failing|broken|red|flaky|the|all|unit|integration|` +
		`e2e)\s+(?:(?:unit|integration|e2e|failing|broken|red)\s+)*(?:tests?|specs?|test suite|suite)\b|` +
		`\btests?\s+(?:fail|are failing|is failing|are red|are broken)|` +
		`\b(?:its|our|my|your|their|these|those|every|each)\s+(?:\w+\s+)?(?:tests?|specs?)\s+` +
		`(?:all\s+|should\s+|must\s+)?(?:pass|passes|succeed)\b`)
	lintPattern     = lazyregexp.New(`(?i)\b(?:lint|linter|linting|linters|eslint|golangci-lint|ruff|flake8|clippy|rubocop)\b`)
	asidePattern    = lazyregexp.New(`(?i)\s*(?:,|\bwithout\b|\bbut\b|\bdo(?:n['’]t| not)\b)`)
	testWord        = lazyregexp.New(`\b(?i:tests?|specs?)(?:\b|[_A-Z0-9])|(?:Test|_test|Spec|_spec)s?\b`)
	testNamePattern = lazyregexp.New(`[A-Za-z_][\w./:#-]*`)
	oneTestPattern  = lazyregexp.New("(?i)\\btest(?:\\s+case)?\\s+(?:called\\s+|named\\s+)?[`'\"]?([A-Za-z_][\\w./:#-]*)")
)

// JudgeFixes compares each FIX that names a test, the tests, or the linter with their current
// results. The named check must pass: known failures, which the tests accept, are not accepted
// here, and neither is a test that is skipped or missing. What could not be run gives a warning.
// words is the text that the request was parsed from. Verdicts are stored in met; settled has the
// details of the findings that these results replace.
func JudgeFixes(req belay.Request, words string, tests TestRun, lint belay.CheckResult,
	met []belay.Met) (out []belay.Finding, settled []string) {
	for _, r := range req.Requirements {
		if r.Marker != belay.MarkFix {
			continue
		}
		title, severity := judgeFix(asidePattern.Split(fullClause(r.Text, words), 2)[0], tests, lint)
		if title == "" {
			continue
		}
		settled = append(settled, askedForText(r))
		if severity != "" {
			out = append(out, belay.Finding{
				Check: "contract", Severity: severity, Category: belay.CategoryContract, Title: title, Detail: askedForText(r),
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

// judgeFix judges one requirement. Without a title it names no check; without a severity, the check
// that it names passes now.
func judgeFix(text string, tests TestRun, lint belay.CheckResult) (title string, severity belay.Severity) {
	ran := func(r belay.CheckResult) bool {
		return r.Check != "" && !r.Skipped && r.Verdict != belay.VerdictUnknown
	}
	named := func(list []string) string {
		i := slices.IndexFunc(list, func(name string) bool { return namesTest(text, name) })
		if i < 0 {
			return ""
		}
		return list[i]
	}
	asks := testWord.MatchString(text)
	if name := named(tests.Names.Failing); name != "" {
		return "should be fixed but still fails: " + name, belay.SeverityError
	}
	if before := named(tests.Names.FailedBefore); before != "" || asks {
		if before != "" && !ran(tests.Result) {
			return "should be fixed, but the tests gave no result: " + before, belay.SeverityWarning
		}
		if name := named(tests.Names.Passed); name != "" {
			return name + " passes now", ""
		}
		if name := named(tests.Names.Skipped); name != "" {
			return "should be fixed but is now skipped: " + name, belay.SeverityError
		}
		if before != "" && tests.Names.Complete {
			return "should be fixed but did not run: " + before, belay.SeverityError
		}
		if before != "" {
			return before + " passes now", ""
		}
	}
	switch m := oneTestPattern.FindStringSubmatch(text); {
	case m != nil && (identifierShape.MatchString(m[1]) || strings.ContainsAny(m[1], "./:#")):
		return "not shown: no test of that name ran: " + m[1], belay.SeverityWarning
	case testsPattern.MatchString(text) && ran(tests.Result):
		if n := len(tests.Names.Failing); n > 0 {
			return "the tests should be fixed, but this one still fails: " + tests.Names.Failing[0], belay.SeverityError
		}
		if tests.Result.Verdict == belay.VerdictFail {
			return "the tests should be fixed but still fail", belay.SeverityError
		}
		return "the tests pass", ""
	case testsPattern.MatchString(text):
		return "not shown: the tests should be fixed, but there is no test result", belay.SeverityWarning
	case lintPattern.MatchString(text) && ran(lint):
		if lint.Verdict == belay.VerdictFail {
			return "the linter errors should be fixed, but some are left", belay.SeverityError
		}
		return "the linter passes", ""
	}
	return "", ""
}

// namesTest reports whether a text contains the name of a test: complete, or its last part.
func namesTest(text, test string) bool {
	last := test
	for _, sep := range []string{"::", " > ", "/", "#", "."} {
		if i := strings.LastIndex(last, sep); i >= 0 && i+len(sep) < len(last) {
			last = last[i+len(sep):]
		}
	}
	plain := !strings.ContainsAny(last, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ")
	// beside letters without blanks between words, only an identifier ends where the letters begin
	isIdentifier := func(name string) bool {
		return strings.Contains(text, name) && slices.ContainsFunc(testNamePattern.FindAllString(text, -1),
			func(w string) bool { return strings.Trim(w, "./:#-") == name })
	}
	if (syntax.ContainsWord(text, test) || isIdentifier(test)) && (last != test || !plain || isMarkedAsTest(text, test)) {
		return true
	}
	if len(last) < 5 || plain {
		return false // a plain word is ambiguous
	}
	if strings.Contains(last, " ") {
		return syntax.ContainsWord(strings.ToLower(text), strings.ToLower(last))
	}
	return isIdentifier(last)
}

// isMarkedAsTest reports whether a text quotes a plain word, or has it beside "test".
func isMarkedAsTest(text, word string) bool {
	for _, form := range []string{"`%s`", "'%s'", "\"%s\"", "test %s", "tests %s", "%s test", "%s tests"} {
		if syntax.ContainsWord(strings.ToLower(text), fmt.Sprintf(form, strings.ToLower(word))) {
			return true
		}
	}
	return false
}
