package testrun

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/testdiff"
	"github.com/belay-dev/belay/internal/testreport"
)

// regressions are the tests that passed before the task and do not pass now, except failing ones.
type regressions struct {
	skipped []string // skipped now
	missing []string // did not run, and no other test replaces them
	merged  []string // deleted by the change, but other tests do what they did
	removed []string // deleted by the change for a reason
	renamed []string // did not run, but a new test passes in the same place: "old → new"
	cases   []string // cases of a test that still passes

	// if the report has no names, only their number
	moreSkipped, fewerTests int

	format string            // of the report
	reason map[string]string // of each removed one
	absent map[string]bool   // of skipped and missing, those that are also absent on the before snapshot now
}

// findRegressions compares each test that passed before. A skipped or missing test is not a pass.
func (r *testRun) findRegressions(ctx context.Context, failing map[string]bool) {
	base := r.in.Baseline
	if !r.onlyReportedFailed() || !r.namesTests() || base.Format == testreport.Exit || base.Passed == 0 || base.Incomplete {
		return
	}
	if base.Names == nil || base.Names.Incomplete || !r.report.HasAllPassNames() {
		r.compareCounts()
		return
	}
	gone, isReported := map[string]bool{}, r.reportedWithFailures()
	var missing []string
	for _, test := range base.PassedNames() {
		switch {
		case failing[test] || r.report.HasPassed(test) || isReported(test):
		case r.report.HasSkipped(test):
			r.regressed.skipped = append(r.regressed.skipped, test)
			gone[test] = true
		case r.again.HasPassed(test): // a flaky fixture was before it
		default:
			missing = append(missing, test)
			gone[test] = true
		}
	}
	r.sortMissing(missing, func(whole string) bool {
		return gone[whole] || failing[whole] || r.report.HasSkipped(whole)
	})
	r.pairMoved()
	if len(r.regressed.skipped)+len(r.regressed.missing) > 0 {
		r.rerunBefore(ctx)
	}
}

// compareCounts compares only numbers: tests that are skipped or no longer pass.
func (r *testRun) compareCounts() {
	base := r.in.Baseline
	drop := base.Passed - r.report.Passed - len(r.newFailures) - len(r.flakyFailures)
	r.regressed.moreSkipped = max(0, min(drop, r.report.Skipped-base.Skipped))
	r.regressed.fewerTests, r.regressed.format = max(0, drop-r.regressed.moreSkipped), r.report.Format
}

// sortMissing separates missing tests from missing cases of tests that still pass. A test that is missing with several
// cases is listed once. isReported reports whether another finding is about a test.
func (r *testRun) sortMissing(missing []string, isReported func(test string) bool) {
	cases, passing := map[string]int{}, wholeTests(&r.report)
	for _, test := range missing {
		cases[testOfCase(test)]++
	}
	for _, f := range slices.Concat(r.newFailures, r.flakyFailures) { // reported already
		passing[testOfCase(f.Test)] = true
	}
	for _, test := range missing {
		switch whole := testOfCase(test); {
		case whole == test:
			r.regressed.missing = append(r.regressed.missing, test)
		case isReported(whole):
		case passing[whole]:
			r.regressed.cases = append(r.regressed.cases, test)
		case cases[whole] == 1:
			r.regressed.missing = append(r.regressed.missing, test)
		case !slices.Contains(r.regressed.missing, whole):
			r.regressed.missing = append(r.regressed.missing, whole)
		}
	}
}

// wholeTests returns the passed tests, cases as the test that they belong to.
func wholeTests(report *testreport.Report) map[string]bool {
	set := map[string]bool{}
	for _, test := range report.PassedNames() {
		set[testOfCase(test)] = true
	}
	return set
}

// reportedWithFailures returns whether a lost test is reported with a new failure: a case of it fails, or its package or
// file fails as a whole.
func (r *testRun) reportedWithFailures() func(test string) bool {
	failing, hasFailingCase := map[string]bool{}, map[string]bool{}
	for _, f := range r.newFailures {
		failing[f.Test] = true
	}
	for _, f := range slices.Concat(r.newFailures, r.flakyFailures) {
		for i := range len(f.Test) {
			if strings.IndexByte("/[(.:", f.Test[i]) >= 0 {
				whole := f.Test[:i]
				hasFailingCase[whole], hasFailingCase[strings.TrimSuffix(whole, " ")] = true, true
			}
		}
	}
	return func(test string) bool {
		for i := range len(test) {
			if (test[i] == '.' || strings.HasPrefix(test[i:], "::")) && failing[test[:i]] {
				return true
			}
		}
		return hasFailingCase[test]
	}
}

// testOfCase returns the test that a case belongs to: TestX of Go's TestX/case, test_x of pytest's
// test_x[case], m of m(1, "a"). Names of cases are often made from data and change with it.
func testOfCase(test string) string {
	name := test
	if i := strings.LastIndex(test, ".Test"); i >= 0 && strings.Contains(test[i:], "/") {
		return test[:i+strings.IndexByte(test[i:], '/')]
	}
	bare, _ := strings.CutSuffix(name, "()") // JUnit 5 writes a method this way; it is not a case
	if i := strings.IndexAny(bare, "[("); i > 0 {
		return strings.TrimRight(name[:i], " ")
	}
	return test
}

// pairMoved finds new tests that replace missing ones: what the sources show, the same name elsewhere (moved), or as many
// new ones in the same package, class or file (renamed or rewritten).
func (r *testRun) pairMoved() {
	if len(r.regressed.missing) == 0 {
		return
	}
	used := map[string]bool{}
	fresh, byLeaf, byPlace, cased := r.newlyPassed()
	hadCases := func(test string) bool {
		_, alone := slices.BinarySearch(r.in.Baseline.PassedNames(), test)
		return !alone || testOfCase(test) != test
	}
	take := func(from []string) string {
		for _, test := range from {
			if !used[test] {
				used[test] = true
				return test
			}
		}
		return ""
	}
	var successors map[string]testdiff.Successor
	if r.in.Successors != nil {
		successors = maps.Clone(r.in.Successors())
	}
	var rest []string
	reason := map[string]string{}
	for _, test := range r.regressed.missing {
		short, now := successorOf(test, successors)
		if short == "" {
			short, now = successorOf(testOfCase(test), successors)
		}
		known, name := now.Tests > 0, now.Name
		if known {
			now.Tests--
			successors[short] = now
		}
		_, leaf := splitTestName(testOfCase(test))
		from := byLeaf[leaf]
		if hadCases(test) {
			from = slices.Concat(from, cased[leaf])
		}
		if known && name != "" {
			passed := slices.IndexFunc(fresh, func(t string) bool { return !used[t] && endsInName(t, name) })
			if passed >= 0 && pairTest(&r.regressed.renamed, test, take(fresh[passed:])) {
				continue
			}
			if slices.ContainsFunc(r.report.PassedNames(), func(t string) bool { return isCaseOf(t, name) }) {
				r.regressed.merged = append(r.regressed.merged, test)
				continue
			}
		} else if pairTest(&r.regressed.renamed, test, take(from)) {
			continue
		} else if known && now.Reason != "" {
			r.regressed.removed = append(r.regressed.removed, test)
			reason[test] = now.Reason
			continue
		} else if known {
			r.regressed.merged = append(r.regressed.merged, test)
			continue
		}
		rest = append(rest, test)
	}
	r.regressed.missing, r.regressed.reason = nil, reason
	for _, test := range rest {
		place, _ := splitTestName(testOfCase(test))
		from := byPlace[place]
		if hadCases(test) {
			from = slices.Concat(from, cased[place])
		}
		if !pairTest(&r.regressed.renamed, test, take(from)) {
			r.regressed.missing = append(r.regressed.missing, test)
		}
	}
}

// newlyPassed returns the new tests that pass: in order, by their own names, and by their places. cased are those, by both,
// of which only cases have results: only a test with cases becomes one.
func (r *testRun) newlyPassed() (fresh []string, byLeaf, byPlace, cased map[string][]string) {
	base, seen, old := r.in.Baseline, map[string]bool{}, wholeTests(r.in.Baseline)
	byLeaf, byPlace, cased = map[string][]string{}, map[string][]string{}, map[string][]string{}
	for _, test := range r.report.PassedNames() {
		whole := testOfCase(test)
		place, leaf := splitTestName(whole)
		switch {
		case whole != test:
			if !old[whole] && !base.HasSkipped(whole) && !seen[whole] {
				cased[place], cased[leaf] = append(cased[place], whole), append(cased[leaf], whole)
			}
		case !base.HasPassed(test) && !base.HasSkipped(test):
			fresh = append(fresh, test)
			byLeaf[leaf] = append(byLeaf[leaf], test)
			byPlace[place] = append(byPlace[place], test)
		}
		seen[whole] = true
	}
	return fresh, byLeaf, byPlace, cased
}

// successorOf looks a test up by the longest short name that its full name ends in.
func successorOf(test string, successors map[string]testdiff.Successor) (longest string, now testdiff.Successor) {
	for short, to := range successors {
		if len(short) > len(longest) && endsInName(test, short) {
			longest, now = short, to
		}
	}
	return longest, now
}

// endsInName reports whether a test's full name ends in a short one, after a separator.
func endsInName(test, short string) bool {
	place, ok := strings.CutSuffix(strings.TrimSuffix(test, "()"), short)
	return ok && (place == "" || strings.HasSuffix(place, " ") || strings.ContainsAny(place[len(place)-1:], ".:/>#"))
}

// isCaseOf reports whether a test's full name is that of a case of the named test of a table: the name and more, or a
// name made by a format like "adds %d".
func isCaseOf(test, name string) bool {
	if endsInName(testOfCase(test), name) {
		return true
	}
	start := strings.IndexAny(name, "%$#")
	return start > 0 && strings.Contains(test, " "+name[:start])
}

func pairTest(renamed *[]string, from, to string) bool {
	if to == "" {
		return false
	}
	*renamed = append(*renamed, from+" → "+to)
	return true
}

// splitTestName splits a test's name into its package, class or file, and the rest.
func splitTestName(test string) (place, name string) {
	at := -1
	for _, sep := range []string{".", "::", " > ", "/"} {
		if i := strings.LastIndex(test, sep); i >= 0 && i+len(sep) > at {
			at = i + len(sep)
		}
	}
	if at < 0 {
		return "", test
	}
	return test[:at], test[at:]
}

// rerunBefore runs the command once more on the before snapshot: a test that is also skipped or
// missing there now shows something about this machine, not about the work.
func (r *testRun) rerunBefore(ctx context.Context) {
	excuses := func(there testreport.Report, result belay.CheckResult) bool {
		if result.Verdict == belay.VerdictUnknown || there.Incomplete || there.Total == 0 || !there.HasAllPassNames() {
			return false
		}
		absent, passing := map[string]bool{}, wholeTests(&there)
		for _, test := range slices.Concat(r.regressed.skipped, r.regressed.missing) {
			if !there.HasPassed(test) && !passing[test] && (r.regressed.absent == nil || r.regressed.absent[test]) {
				absent[test] = true
			}
		}
		r.regressed.absent = absent
		return len(absent) > 0
	}
	excuses(r.runBefore(ctx, excuses))
}

// countStillPassing counts the tests of a list that still pass on the before snapshot.
func (l *regressions) countStillPassing(list []string) (n int) {
	for _, test := range list {
		if !l.absent[test] {
			n++
		}
	}
	return n
}

// findings reports the regressions. A skipped or missing test rejects the work, unless the request asks for that.
func (l *regressions) findings(in Input, at func(string) (string, int)) []belay.Finding {
	skips := testdiff.ReadSkipRequest(in.Request)
	deletions := testdiff.ReadDeletionRequest(belay.Request{Requirements: in.Request}, in.Words)
	var out []belay.Finding
	add := func(list []string, title, detail, advice string, severity func(test, leaf, file string) belay.Severity) {
		like := belay.Finding{Category: belay.CategoryTests, Title: title, Detail: detail, Recommendation: advice}
		out = append(out, l.lostFindings(list, like, severity, at)...)
	}
	add(l.skipped, "test passed before and is skipped now: ", "a skipped test shows nothing", "make it run and pass again; do not skip it",
		func(test, leaf, file string) belay.Severity {
			if s := skips.Severity(test, leaf, file); s == belay.SeverityNote {
				return s
			}
			return belay.SeverityError
		})
	add(l.missing, "test passed before and did not run now: ", "it was deleted, renamed or no longer collected",
		"restore it; if its name had to change, keep what it checks", deletions.Severity)
	warn := func(list []string, title string) {
		for i, test := range list {
			if i == 10 {
				out = append(out, belay.Finding{Severity: belay.SeverityWarning, Category: belay.CategoryTests,
					Title:  title + "more of them",
					Detail: fmt.Sprintf("%d more", len(list)-i)})
				return
			}
			out = append(out, belay.Finding{Severity: belay.SeverityWarning, Category: belay.CategoryTests,
				Title: title + testreport.Clip(test, 300), Detail: l.reason[test]})
		}
	}
	warn(l.renamed, "test renamed or replaced: ")
	warn(l.merged, "test removed, and other tests do what it did: ")
	warn(l.removed, "test removed: ")
	warn(l.cases, "test case did not run now: ")
	if n := l.moreSkipped; n > 0 {
		severity := belay.SeverityError
		if skips.MentionsTests() {
			severity = belay.SeverityNote
		}
		out = append(out, belay.Finding{Severity: severity, Category: belay.CategoryTests,
			Title:          belay.Count(n, "test", "tests") + " passed before and " + verb(n, "is", "are") + " skipped now",
			Detail:         "the test command prints no names, so it is not known which ones" + l.namingAdvice(),
			Recommendation: "make them run and pass again; do not skip them"})
	}
	if n := l.fewerTests; n > 0 {
		out = append(out, belay.Finding{Severity: belay.SeverityWarning, Category: belay.CategoryTests,
			Title: belay.Count(n, "test", "tests") + " fewer passed than before",
			Detail: "the test command prints no names, so it is not known whether tests were deleted, renamed or merged" +
				l.namingAdvice()})
	}
	return out
}

// lostFindings makes findings of skipped or missing tests from one with the start of their titles. severity is that by
// the request.
func (l *regressions) lostFindings(list []string, like belay.Finding, severity func(test, leaf, file string) belay.Severity,
	at func(string) (string, int)) []belay.Finding {
	var found []belay.Finding
	for _, test := range list {
		f := like
		f.Title += testreport.Clip(test, 200)
		f.File, f.Line = at(test)
		_, leaf := splitTestName(testOfCase(test))
		if l.absent[test] {
			f.Severity, f.Detail = belay.SeverityNote, "it does not pass on the code before the task either: it depends on this machine"
		} else if f.Severity = severity(test, leaf, f.File); f.Severity == belay.SeverityWarning {
			f.Detail = "the request may require it"
		} else if f.Severity == belay.SeverityNote {
			f.Detail = "the request asks for it"
		}
		if f.Severity != belay.SeverityError {
			f.Recommendation = ""
		}
		found = append(found, f)
	}
	return firstFindings(found, like.Title+"more of them")
}

// firstFindings keeps the most severe findings and adds one for the rest, as severe as the most severe of them.
func firstFindings(found []belay.Finding, title string) []belay.Finding {
	if len(found) <= maxTestFindings {
		return found
	}
	order := []belay.Severity{belay.SeverityError, belay.SeverityWarning, belay.SeverityNote}
	slices.SortStableFunc(found, func(a, b belay.Finding) int {
		return slices.Index(order, a.Severity) - slices.Index(order, b.Severity)
	})
	rest := found[maxTestFindings]
	rest.Title, rest.Detail, rest.File, rest.Line = title, fmt.Sprintf("%d more", len(found)-maxTestFindings), "", 0
	return append(found[:maxTestFindings:maxTestFindings], rest)
}

// namingOptions are the options with which a runner names its tests.
var namingOptions = map[string]string{
	testreport.Pytest: `--junitxml="$BELAY_REPORTS/r.xml" and checks.tests.format: junit`, testreport.Unittest: "-v",
	testreport.Minitest: "-v", testreport.Jest: "--verbose", testreport.Vitest: "--reporter=verbose",
	testreport.PHPUnit: `--log-junit "$BELAY_REPORTS/r.xml" and checks.tests.format: junit`,
	testreport.RSpec:   `rspec_junit_formatter and checks.tests.format: junit`,
	testreport.Dotnet:  "--logger trx and checks.tests.format: trx",
}

// namingAdvice returns how to make the runner name its tests.
func (l *regressions) namingAdvice() string {
	if how := namingOptions[l.format]; how != "" {
		return "; it prints them with " + how
	}
	return ""
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// countSummary returns the summary if the baseline is known: how many passed before and pass now,
// and the reasons for the difference.
func (r *testRun) countSummary(known int) string {
	var parts []string
	for _, p := range []struct {
		n    int
		noun string
	}{
		{len(r.newFailures), "newly failing"}, {r.regressed.countStillPassing(r.regressed.skipped) +
			r.regressed.moreSkipped, "newly skipped"},
		{r.regressed.countStillPassing(r.regressed.missing), "missing"},
		{r.regressed.fewerTests, "fewer"}, {len(r.regressed.renamed), "renamed"},
		{len(r.regressed.merged), "merged"}, {known, "known before"}, {len(r.flakyFailures), "flaky"},
		{len(r.fixed), "fixed"}, {len(r.notRun), "failed before and did not run"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.noun))
		}
	}
	s := fmt.Sprintf("%d passed before; now %d passed", r.in.Baseline.Passed, r.report.Passed)
	if len(parts) > 0 {
		s += ", " + strings.Join(parts, ", ")
	}
	return s
}
