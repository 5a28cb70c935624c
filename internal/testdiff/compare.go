package testdiff

import (
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
)

// compareTests returns findings for what a test lost.
func compareTests(b, a fileTest) []belay.Finding {
	out := findNewSkips(b, a)
	if a.Group {
		return out
	}
	had := b.Asserts > 0
	switch {
	case a.IsEmpty() && !b.IsEmpty():
		return append(out, newFinding(a, belay.SeverityError, a.Line, "test emptied: ", "it no longer does anything",
			"restore what it did"))
	case had && a.Asserts == 0 && len(a.Vacuous) > len(b.Vacuous):
		return append(out, newFinding(a, belay.SeverityError, a.Vacuous[0].Line, "assertion that always passes: ",
			clip(a.Vacuous[0].Text)+" passes whatever the code does; the previous assertions could fail", "restore the assertions"))
	case had && a.Asserts == 0:
		severity, detail := belay.SeverityError, fmt.Sprintf("it had %s and now has none", number(b.Asserts))
		if a.CallsMore(b.Test) {
			severity, detail = belay.SeverityWarning, detail+" that belay can see; it calls something new that may assert"
		}
		return append(out, newFinding(a, severity, a.Line, "test without assertions: ", detail, "restore the assertions"))
	}
	if len(a.Vacuous) > len(b.Vacuous) {
		severity := belay.SeverityWarning
		if a.Asserts < b.Asserts {
			severity = belay.SeverityError
		}
		m := a.Vacuous[len(a.Vacuous)-1]
		out = append(out, newFinding(a, severity, m.Line, "assertion that always passes: ",
			clip(m.Text)+" passes whatever the code does", "assert what the code returns"))
	} else if a.Asserts < b.Asserts && a.Asserts*max(a.Rows, 1) < b.Asserts*max(b.Rows, 1) {
		out = append(out, newFinding(a, belay.SeverityWarning, a.Line, "fewer assertions: ",
			fmt.Sprintf("it had %s and now has %s", number(b.Asserts), number(a.Asserts)),
			"restore the assertions, unless another test has them"))
	}
	out = append(out, findSuppressedAssertions(b, a)...)
	if len(a.EarlyReturns) > len(b.EarlyReturns) {
		out = append(out, newFinding(a, belay.SeverityError, a.EarlyReturns[0].Line, "test returns before its assertions: ",
			"an unconditional return keeps the assertions after it from running", "remove the return"))
	}
	return out
}

// findSuppressedAssertions returns findings for assertions that still exist but can no longer fail
// the test.
func findSuppressedAssertions(b, a fileTest) []belay.Finding {
	var out []belay.Finding
	if len(a.Unreachable) > len(b.Unreachable) {
		m := a.Unreachable[len(a.Unreachable)-1]
		out = append(out, newFinding(a, belay.SeverityError, m.Line, "assertion is never reached: ",
			clip(m.Text)+" is never true", "remove the condition"))
	}
	if m, sure := newHandler(b, a); m.Text != "" {
		severity := belay.SeverityWarning
		if sure {
			severity = belay.SeverityError
		}
		out = append(out, newFinding(a, severity, m.Line, "failed assertion is caught: ",
			clip(m.Text)+" catches it, and the test continues as if it had passed", "let the assertion fail the test"))
	}
	if a.PanicLine > 0 && b.PanicLine == 0 && b.Asserts > 0 {
		severity, detail := belay.SeverityWarning, "it now passes when anything in it panics; before, it had to finish"
		if len(a.Body) == len(b.Body) && b.CountShared(a.Test) == len(a.Body) {
			severity, detail = belay.SeverityError, "its code is unchanged, but it now passes when one of its assertions fails"
		}
		out = append(out, newFinding(a, severity, a.PanicLine, "test must now panic: ", detail,
			"remove #[should_panic] and make the code pass the test"))
	}
	return out
}

// newHandler returns a new handler that swallows failures, preferring sure ones.
func newHandler(b, a fileTest) (m Mark, sure bool) {
	count := func(u fileTest) (all, sure int) {
		for _, m := range u.Swallowed {
			if all++; !m.Unsure {
				sure++
			}
		}
		return all, sure
	}
	had, hadSure := count(b)
	has, hasSure := count(a)
	for _, m := range a.Swallowed {
		if hasSure > hadSure && !m.Unsure {
			return m, true
		}
	}
	if has > had {
		return a.Swallowed[len(a.Swallowed)-1], false
	}
	return m, false
}

// findNewSkips returns a finding if a test or group is skipped that was not before.
func findNewSkips(b, a fileTest) []belay.Finding {
	if m, more := newMark(b.Focuses, a.Focuses); more {
		return []belay.Finding{newFinding(a, belay.SeverityError, m.Line, "only some tests run: ",
			m.Text+" keeps all other tests from running", "remove "+m.Text)}
	}
	m, more := newMark(b.Skips, a.Skips)
	if !more {
		return nil
	}
	if m.Unsure {
		return []belay.Finding{newFinding(a, belay.SeverityWarning, m.Line, "test skipped conditionally: ", m.Text,
			"make sure that the test still runs where it should")}
	}
	what := "test skipped: "
	if a.Group {
		what = "tests skipped: "
	}
	return []belay.Finding{newFinding(a, belay.SeverityError, m.Line, what, m.Text+" keeps it from running",
		"remove "+m.Text+" and make the code pass the test")}
}

// newMark returns the first new mark, preferring sure ones.
func newMark(before, after []Mark) (Mark, bool) {
	for _, maybe := range []bool{false, true} {
		counts := map[string]int{}
		for _, m := range before {
			if m.Unsure == maybe || maybe {
				counts[m.Text]++
			}
		}
		for _, m := range after {
			if m.Unsure != maybe {
				continue
			}
			if counts[m.Text]--; counts[m.Text] < 0 {
				return m, true
			}
		}
	}
	return Mark{}, false
}

// checkNewTest returns findings for a new test that keeps others from running, is skipped, or
// cannot fail.
func checkNewTest(a fileTest) []belay.Finding {
	if len(a.Focuses) > 0 {
		return findNewSkips(fileTest{}, a)
	}
	for _, m := range a.Skips {
		if !m.Unsure {
			return []belay.Finding{newFinding(a, belay.SeverityWarning, m.Line, "new test is skipped: ", m.Text,
				"make it run, or remove it")}
		}
	}
	if !a.Group && a.Asserts == 0 && len(a.Vacuous) > 0 {
		m := a.Vacuous[0]
		return []belay.Finding{newFinding(a, belay.SeverityWarning, m.Line, "new test asserts nothing: ",
			clip(m.Text)+" passes whatever the code does", "assert what the code returns")}
	}
	if n := len(a.Unreachable) + len(a.Swallowed); !a.Group && n > 0 && n == a.Asserts {
		m := append(a.Unreachable, a.Swallowed...)[0]
		return []belay.Finding{newFinding(a, belay.SeverityWarning, m.Line, "new test cannot fail: ", clip(m.Text),
			"let a failed assertion fail the test")}
	}
	return nil
}

func newFinding(a fileTest, s belay.Severity, line int, title, detail, advice string) belay.Finding {
	return belay.Finding{Severity: s, File: a.file.Path, Line: line, Title: title + clip(a.Name), Detail: detail, Recommendation: advice}
}

func number(n int) string {
	if n == 1 {
		return "1 assertion"
	}
	return fmt.Sprintf("%d assertions", n)
}
