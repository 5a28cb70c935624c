package testdiff

import (
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
)

// compare says what a test that was there has lost.
func compare(b, a placed) []belay.Finding {
	out := skipped(b, a)
	if a.Group {
		return out
	}
	had := b.Asserts > 0
	switch {
	case a.Empty() && !b.Empty():
		return append(out, finding(a, belay.SeverityError, a.Line, "test emptied: ", "it no longer does anything", "restore what it did"))
	case had && a.Asserts == 0 && len(a.Hollow) > len(b.Hollow):
		return append(out, finding(a, belay.SeverityError, a.Hollow[0].Line, "assertion that always passes: ",
			clip(a.Hollow[0].Text)+" passes whatever the code does; the previous assertions could fail", "restore the assertions"))
	case had && a.Asserts == 0:
		severity, detail := belay.SeverityError, fmt.Sprintf("it had %s and now has none", number(b.Asserts))
		if a.CallsMore(b.Test) {
			severity, detail = belay.SeverityWarning, detail+" that belay can see; it calls something new that may assert"
		}
		return append(out, finding(a, severity, a.Line, "test without assertions: ", detail, "restore the assertions"))
	}
	if len(a.Hollow) > len(b.Hollow) {
		severity := belay.SeverityWarning
		if a.Asserts < b.Asserts {
			severity = belay.SeverityError
		}
		m := a.Hollow[len(a.Hollow)-1]
		out = append(out, finding(a, severity, m.Line, "assertion that always passes: ",
			clip(m.Text)+" passes whatever the code does", "assert what the code returns"))
	} else if a.Asserts < b.Asserts && a.Asserts*max(a.Rows, 1) < b.Asserts*max(b.Rows, 1) {
		out = append(out, finding(a, belay.SeverityWarning, a.Line, "fewer assertions: ",
			fmt.Sprintf("it had %s and now has %s", number(b.Asserts), number(a.Asserts)),
			"restore the assertions, unless another test has them"))
	}
	out = append(out, deaf(b, a)...)
	if len(a.Early) > len(b.Early) {
		out = append(out, finding(a, belay.SeverityError, a.Early[0].Line, "test returns before its assertions: ",
			"an unconditional return keeps the assertions after it from running", "remove the return"))
	}
	return out
}

// deaf says what keeps assertions that are still there from failing the test.
func deaf(b, a placed) []belay.Finding {
	var out []belay.Finding
	if len(a.Never) > len(b.Never) {
		m := a.Never[len(a.Never)-1]
		out = append(out, finding(a, belay.SeverityError, m.Line, "assertion is never reached: ",
			clip(m.Text)+" is never true", "remove the condition"))
	}
	if m, sure := moreCaught(b, a); m.Text != "" {
		severity := belay.SeverityWarning
		if sure {
			severity = belay.SeverityError
		}
		out = append(out, finding(a, severity, m.Line, "failed assertion is caught: ",
			clip(m.Text)+" catches it, and the test continues as if it had passed", "let the assertion fail the test"))
	}
	if a.Panics > 0 && b.Panics == 0 && b.Asserts > 0 {
		severity, detail := belay.SeverityWarning, "it now passes when anything in it panics; before, it had to finish"
		if len(a.Body) == len(b.Body) && b.Shared(a.Test) == len(a.Body) {
			severity, detail = belay.SeverityError, "its code is unchanged, but it now passes when one of its assertions fails"
		}
		out = append(out, finding(a, severity, a.Panics, "test must now panic: ", detail,
			"remove #[should_panic] and make the code pass the test"))
	}
	return out
}

// moreCaught returns a handler that swallows failures and was not there, sure ones first.
func moreCaught(b, a placed) (m Mark, sure bool) {
	count := func(u placed) (all, sure int) {
		for _, m := range u.Caught {
			if all++; !m.Maybe {
				sure++
			}
		}
		return all, sure
	}
	had, hadSure := count(b)
	has, hasSure := count(a)
	for _, m := range a.Caught {
		if hasSure > hadSure && !m.Maybe {
			return m, true
		}
	}
	if has > had {
		return a.Caught[len(a.Caught)-1], false
	}
	return m, false
}

// skipped says what of a test or group is left out that was not before.
func skipped(b, a placed) []belay.Finding {
	if m, more := newMark(b.Only, a.Only); more {
		return []belay.Finding{finding(a, belay.SeverityError, m.Line, "only some tests run: ",
			m.Text+" keeps all other tests from running", "remove "+m.Text)}
	}
	m, more := newMark(b.Skips, a.Skips)
	if !more {
		return nil
	}
	if m.Maybe {
		return []belay.Finding{finding(a, belay.SeverityWarning, m.Line, "test skipped conditionally: ", m.Text,
			"make sure that the test still runs where it should")}
	}
	what := "test skipped: "
	if a.Group {
		what = "tests skipped: "
	}
	return []belay.Finding{finding(a, belay.SeverityError, m.Line, what, m.Text+" keeps it from running",
		"remove "+m.Text+" and make the code pass the test")}
}

// newMark returns the first mark that was not there, sure ones first.
func newMark(before, after []Mark) (Mark, bool) {
	for _, maybe := range []bool{false, true} {
		counts := map[string]int{}
		for _, m := range before {
			if m.Maybe == maybe || maybe {
				counts[m.Text]++
			}
		}
		for _, m := range after {
			if m.Maybe != maybe {
				continue
			}
			if counts[m.Text]--; counts[m.Text] < 0 {
				return m, true
			}
		}
	}
	return Mark{}, false
}

// added says what is wrong with a new test: it takes nothing away, but it may keep
// others from running, or be none.
func added(a placed) []belay.Finding {
	if len(a.Only) > 0 {
		return skipped(placed{}, a)
	}
	for _, m := range a.Skips {
		if !m.Maybe {
			return []belay.Finding{finding(a, belay.SeverityWarning, m.Line, "new test is skipped: ", m.Text,
				"make it run, or remove it")}
		}
	}
	if !a.Group && a.Asserts == 0 && len(a.Hollow) > 0 {
		m := a.Hollow[0]
		return []belay.Finding{finding(a, belay.SeverityWarning, m.Line, "new test asserts nothing: ",
			clip(m.Text)+" passes whatever the code does", "assert what the code returns")}
	}
	if n := len(a.Never) + len(a.Caught); !a.Group && n > 0 && n == a.Asserts {
		m := append(a.Never, a.Caught...)[0]
		return []belay.Finding{finding(a, belay.SeverityWarning, m.Line, "new test cannot fail: ", clip(m.Text),
			"let a failed assertion fail the test")}
	}
	return nil
}

func finding(a placed, s belay.Severity, line int, title, detail, advice string) belay.Finding {
	return belay.Finding{Severity: s, File: a.file.Path, Line: line, Title: title + clip(a.Name), Detail: detail, Recommendation: advice}
}

func number(n int) string {
	if n == 1 {
		return "1 assertion"
	}
	return fmt.Sprintf("%d assertions", n)
}
