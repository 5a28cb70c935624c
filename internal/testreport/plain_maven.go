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

// maven's Surefire and Failsafe speak with a line of sums for each module, after lists
// of failures and errors; a class has a line of sums with its time.
type maven struct {
	tally
	counts
	spoke   bool
	section string // Failures, Errors, Flakes
	classes counts // since the last sums of a module
	any     bool
	compile *failure
}

func newMaven() voice { return &maven{} }

func (m *maven) line(s string) {
	at := mavenLevel.FindStringIndex(s)
	if at != nil {
		s = s[at[1]:]
	}
	if sum := mavenSum.FindStringSubmatch(s); sum != nil {
		m.sums(sum)
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
				m.compile.File, m.compile.Line = p[1], number(p[2])
			}
			m.compile.say(strings.TrimSpace(s))
		} else if strings.HasPrefix(s, "BUILD FAILURE") {
			m.spoke = true
		}
	case m.section == "Failures" || m.section == "Errors":
		m.named(s)
	}
}

func (m *maven) named(s string) {
	if strings.HasPrefix(strings.TrimSpace(s), "Run ") {
		return // the runs of a test that was run again
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
		f.File, f.Line = class+".java", number(one[2])
	}
	f.say(one[3])
}

func (m *maven) sums(sum []string) {
	var c counts
	total := number(sum[1])
	c.failed, c.errors, c.skipped, c.flaky = number(sum[2]), number(sum[3]), number(sum[4]), number(sum[5])
	c.passed = max(0, total-c.failed-c.errors-c.skipped)
	m.section = ""
	if sum[6] != "" {
		m.any = true
		m.classes = m.classes.plus(c)
		return
	}
	m.spoke, m.any = true, false
	m.counts, m.classes = m.counts.plus(c), counts{}
}

func (c counts) plus(o counts) counts {
	return counts{c.passed + o.passed, c.failed + o.failed, c.errors + o.errors, c.skipped + o.skipped, c.flaky + o.flaky}
}

func (m *maven) sum() (Report, bool) {
	r := m.report(Maven, m.counts.plus(m.classes))
	if m.any {
		r.Lack("the output stops before the results of a module")
	}
	return r, m.spoke || m.any
}
