package testreport

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	mavenLevel  = lazyregexp.New(`^\[(?:INFO|WARNING|ERROR)\] ?`)
	mavenSum    = lazyregexp.New(`^Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: (\d+))?(, Time elapsed)?`)
	mavenOne    = lazyregexp.New(`^\s*([\w$.>]+\.[\w$]+(?:\([^)]*\))?(?:\[[^\]]*\])?)(?::(?:[\w$]+->)*?(\d+)|:\S+)?(?: (.*)|$)`)
	mavenBroken = lazyregexp.New(`^COMPILATION ERROR ?:`)
	mavenPlace  = lazyregexp.New(`^\s*(\S+\.(?:java|kt|groovy|scala)):\[(\d+),\d+\] (.*)$`)
)

// maven reads the output of Surefire and Failsafe: a summary line for each module, after lists of
// failures and errors. A class has a summary line with a time.
type maven struct {
	runnerState
	section    string // Failures, Errors, Flakes
	classes    counts // since the last summary of a module
	hasSummary bool
	compile    *failure
}

func (m *maven) readLine(s string) {
	at := mavenLevel.FindStringIndex(s)
	if at != nil {
		s = s[at[1]:]
	}
	if sum := mavenSum.FindStringSubmatch(s); sum != nil {
		m.readSummary(sum)
		return
	}
	switch strings.TrimSpace(s) {
	case "Failures:", "Failed tests:":
		m.section = "Failures"
		return
	case "Errors:", "Tests in error:":
		m.section = "Errors"
		return
	case "Flakes:", "Flaked tests:":
		m.section = "Flakes"
		return
	case "":
		return
	}
	switch {
	case mavenBroken.MatchString(s):
		m.compile = m.add("compilation", true)
		m.errors++
	case m.compile != nil:
		if p := mavenPlace.FindStringSubmatch(s); p != nil {
			if m.compile.File == "" {
				m.compile.File, m.compile.Line = p[1], parseCount(p[2])
			}
			m.compile.addLine(strings.TrimSpace(s))
		} else if strings.HasPrefix(s, "BUILD FAILURE") {
			m.recognised = true
		}
	case m.section == "Failures" || m.section == "Errors":
		m.readNamed(s)
	}
}

func (m *maven) readNamed(s string) {
	if strings.HasPrefix(strings.TrimSpace(s), "Run ") {
		return // a run of a retried test
	}
	one := mavenOne.FindStringSubmatch(s)
	if one == nil {
		return
	}
	f := m.add(one[1], m.section == "Errors")
	if f == nil {
		return
	}
	parts := strings.Split(one[1], ".")
	if len(parts) > 1 && one[2] != "" {
		class, _, _ := strings.Cut(parts[len(parts)-2], ">")
		class, _, _ = strings.Cut(class, "$")
		f.File, f.Line = class+".java", parseCount(one[2])
	}
	f.addLine(one[3])
}

func (m *maven) readSummary(sum []string) {
	total, others := parseCount(sum[1]), counts{failed: parseCount(sum[2]), errors: parseCount(sum[3]),
		skipped: parseCount(sum[4]), flaky: parseCount(sum[5])}
	m.section = ""
	if sum[6] != "" {
		m.hasSummary = true
		m.classes.countFromTotal(total, others)
		return
	}
	m.recognised, m.hasSummary, m.classes = true, false, counts{}
	m.countFromTotal(total, others)
}

func (m *maven) report() (Report, bool) {
	r := m.makeReport(Maven, m.counts.plus(m.classes))
	if m.hasSummary {
		r.WarnIncomplete("the output stops before the results of a module")
	}
	return r, m.recognised || m.hasSummary
}
