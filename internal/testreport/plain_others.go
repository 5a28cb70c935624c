package testreport

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	rspecSum    = lazyregexp.New(`^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$`)
	rspecFailed = lazyregexp.New(`^rspec '?\./(\S+?)(?::(\d+)|\[[\d:]+\])'? # (.+)$`)
)

// rspec reads RSpec's output: a summary line and, below it, a line for each failed example.
type rspec struct{ runnerState }

func (r *rspec) readLine(s string) {
	if m := rspecSum.FindStringSubmatch(s); m != nil {
		r.recognised = true
		r.countFromTotal(parseCount(m[1]), counts{failed: parseCount(m[2]), skipped: parseCount(m[3])})
		if n := parseCount(m[4]); n > 0 {
			r.errors++
			r.add("errors outside of examples", true)
		}
		return
	}
	if m := rspecFailed.FindStringSubmatch(s); m != nil && r.recognised {
		if f := r.add(m[1]+" > "+m[3], false); f != nil {
			f.File, f.Line = m[1], parseCount(m[2])
		}
	}
}

var (
	minitestSum   = lazyregexp.New(`^(\d+) (?:runs|tests), (\d+) assertions, (\d+) failures, (\d+) errors(?:, (\d+) (?:skips|pendings))?`)
	minitestTest  = lazyregexp.New(`^(\S+#test_.+?)(?: \[(\S+?):(\d+)\])?:$`)
	minitestNamed = lazyregexp.New(`^(\S+#test_.+?) = [\d.]+ s = ([.SFE])$`)
)

// minitest reads Minitest's output: a summary line, and for each failure a heading with its name
// below. With -v each test has a line.
type minitest struct {
	runnerState
	heading string
}

func (t *minitest) readLine(s string) {
	if m := minitestSum.FindStringSubmatch(s); m != nil {
		t.recognised, t.current = true, nil
		t.countFromTotal(parseCount(m[1]), counts{failed: parseCount(m[3]), errors: parseCount(m[4]), skipped: parseCount(m[5])})
		return
	}
	if m := minitestNamed.FindStringSubmatch(s); m != nil {
		switch m[2] {
		case ".":
			t.pass(m[1])
		case "S":
			t.skip(m[1])
		}
		return
	}
	switch m := minitestTest.FindStringSubmatch(s); {
	case strings.HasSuffix(s, "Failure:"), strings.HasSuffix(s, "Error:"), strings.HasSuffix(s, "Skipped:"):
		t.heading, t.current = strings.TrimLeft(s, " 0123456789)"), nil
	case m != nil && t.heading != "":
		if t.heading != "Skipped:" {
			if t.current = t.add(m[1], t.heading == "Error:"); t.current != nil {
				t.current.File, t.current.Line = m[2], parseCount(m[3])
			}
		}
		t.heading = ""
	default:
		t.current.addLine(s)
	}
}

var (
	unittestSum   = lazyregexp.New(`^Ran (\d+) tests? in [\d.]+s$`)
	unittestEnd   = lazyregexp.New(`^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$`)
	unittestPart  = lazyregexp.New(`(failures|errors|skipped|expected failures|unexpected successes)=(\d+)`)
	unittestHead  = lazyregexp.New(`^(FAIL|ERROR): (.+)$`)
	unittestNamed = lazyregexp.New(`^(\w+ \(\S+\)) \.\.\. (ok|skipped .*|expected failure)$`)
	unittestID    = lazyregexp.New(`^(\w+) \((\S+)\)(.*)$`)
)

// unittestFixture matches what "Ran 3 tests" does not count when it fails.
var unittestFixture = lazyregexp.New(`^(?:setUp|tearDown)(?:Class|Module) \(`)

// unittest reads the output of Python's unittest: two summary lines, and a heading between rules
// for each failure. With -v each test has a line.
type unittest struct {
	runnerState
	afterRule bool // the previous line is a rule
	total     int
}

func (u *unittest) readLine(s string) {
	ruled := u.afterRule
	u.afterRule = strings.HasPrefix(s, "=====")
	if m := unittestSum.FindStringSubmatch(s); m != nil {
		u.recognised, u.current = true, nil
		u.total += parseCount(m[1])
		return
	}
	if m := unittestEnd.FindStringSubmatch(s); m != nil && u.recognised {
		for _, p := range unittestPart.FindAllStringSubmatch(m[1], -1) {
			u.count(p[1], parseCount(p[2]))
		}
		return
	}
	if m := unittestNamed.FindStringSubmatch(s); m != nil {
		if m[2] == "ok" {
			u.pass(unittestName(m[1]))
		} else {
			u.skip(unittestName(m[1]))
		}
		return
	}
	switch m := unittestHead.FindStringSubmatch(s); {
	case m != nil && ruled:
		name := unittestName(m[2])
		for u.get(name) != nil { // further cases of the same test
			name += "+"
		}
		u.current = u.add(name, m[1] == "ERROR")
		if unittestFixture.MatchString(m[2]) {
			u.total++
		}
	case u.current != nil && !u.afterRule && !strings.HasPrefix(s, "-----"):
		u.current.addLine(s)
	}
}

// unittestName returns a test's id as "module.Class.test", for all versions of Python.
func unittestName(s string) string {
	m := unittestID.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	name := m[2]
	if !strings.HasSuffix(name, "."+m[1]) {
		name += "." + m[1]
	}
	return strings.TrimSpace(name + m[3])
}

func (u *unittest) report() (Report, bool) {
	u.passed = max(0, u.total-u.failed-u.errors-u.skipped)
	return u.runnerState.report()
}

var (
	phpunitOK   = lazyregexp.New(`^OK \((\d+) tests?, \d+ assertions?\)$`)
	phpunitSum  = lazyregexp.New(`^Tests: (\d+), Assertions: \d+(.*)\.$`)
	phpunitPart = lazyregexp.New(`(\w+): (\d+)`)
	phpunitHead = lazyregexp.New(`^There (?:was|were) \d+ (error|failure|\w+(?: \w+)?)s?:$`)
	phpunitTest = lazyregexp.New(`^\d+\) (\S+::\S+.*)$`)
)

// phpunit reads PHPUnit's output: a summary line after lists of errors and failures.
type phpunit struct {
	runnerState
	listKind string
}

func (p *phpunit) readLine(s string) {
	if m := phpunitOK.FindStringSubmatch(s); m != nil {
		p.recognised = true
		p.passed += parseCount(m[1])
		return
	}
	if m := phpunitSum.FindStringSubmatch(s); m != nil {
		p.readSummary(parseCount(m[1]), m[2])
		return
	}
	switch m := phpunitHead.FindStringSubmatch(s); {
	case m != nil:
		p.listKind, p.current = m[1], nil
	case s == "No tests executed!":
		p.recognised = true
	case s == "--":
		p.listKind, p.current = "", nil
	case p.listKind == "error" || p.listKind == "failure":
		if t := phpunitTest.FindStringSubmatch(s); t != nil {
			p.current = p.add(t[1], p.listKind == "error")
			return
		}
		p.current.addLine(s)
	}
}

func (p *phpunit) readSummary(total int, parts string) {
	p.recognised, p.current = true, nil
	rest := total
	for _, part := range phpunitPart.FindAllStringSubmatch(parts, -1) {
		if n := parseCount(part[2]); p.count(part[1], n) { // tests with warnings and deprecations, and risky ones, passed
			rest -= n
		}
	}
	p.passed += max(0, rest)
}

var (
	dotnetSum  = lazyregexp.New(`^(?:Passed|Failed|Skipped)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +(\d+), Total: +\d+`)
	dotnetTest = lazyregexp.New(`^  (Passed|Failed|Skipped) (.+?) \[[^\]]+\]$`)
)

// dotnet reads the output of dotnet test: a summary line for each assembly, a line for each failed
// or skipped test, and with more verbosity for each passed one.
type dotnet struct{ runnerState }

func (d *dotnet) readLine(s string) {
	if m := dotnetSum.FindStringSubmatch(s); m != nil {
		d.recognised, d.current = true, nil
		d.failed += parseCount(m[1])
		d.passed += parseCount(m[2])
		d.skipped += parseCount(m[3])
		return
	}
	m := dotnetTest.FindStringSubmatch(s)
	switch {
	case m == nil && strings.HasPrefix(s, "No test is available in"), m == nil && strings.HasPrefix(s, "No test matches"):
		d.recognised = true
	case m == nil:
		d.current.addLine(strings.TrimSpace(s))
	case m[1] == "Failed":
		d.current = d.add(m[2], false)
	case m[1] == "Passed":
		d.pass(m[2])
		d.current = nil
	default:
		d.skip(m[2])
		d.current = nil
	}
}
