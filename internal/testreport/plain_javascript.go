package testreport

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// countPattern matches each "12 failed" in a summary line.
var countPattern = lazyregexp.New(`(\d+) ([a-z]+)`)

// addSummary adds a summary line: "1 failed | 2 skipped | 3 passed".
func (c *counts) addSummary(line string) {
	for _, m := range countPattern.FindAllStringSubmatch(line, -1) {
		c.count(m[2], parseCount(m[1]))
	}
}

// durationSuffix is the duration that a runner prints after a test's name.
var durationSuffix = lazyregexp.New(` \(?[\d.]+ ?m?s\)?$`)

var (
	jestSum    = lazyregexp.New(`^Tests: +(.*?)(\d+) total$`)
	jestFile   = lazyregexp.New(`^(?:PASS|FAIL) +(?:\S+ )?(\S+\.\w+)(?: \([\d.]+ m?s\))?$`)
	jestFailed = lazyregexp.New(`^  ● (.+)$`)
	jestTest   = lazyregexp.New(`^(  +)([✓√○✎]) (?:skipped |todo )?(.+)$`)
	treeSuite  = lazyregexp.New(`^(  +)(\S.*)$`)
)

// suiteStack is the open suites in a tree of tests that is indented by two.
type suiteStack []string

// parents returns the suites that contain an entry with this indentation.
func (t suiteStack) parents(indent int) suiteStack {
	depth := min(max(0, indent/2-1), len(t))
	return t[:depth:depth]
}

// jest reads Jest's output: a summary line and, before it, a block for each failure below its file.
type jest struct {
	runnerState
	file string
	tree suiteStack // printed with --verbose, or for a single file
}

func (j *jest) readLine(s string) {
	if m := jestFile.FindStringSubmatch(s); m != nil {
		j.file, j.current, j.tree = strings.TrimPrefix(m[1], "./"), nil, nil
		return
	}
	if m := jestTest.FindStringSubmatch(s); m != nil && j.file != "" && j.current == nil {
		name := j.file + " > " + strings.Join(append(j.tree.parents(len(m[1])), durationSuffix.ReplaceAllString(m[3], "")), " › ")
		if m[2] == "○" || m[2] == "✎" {
			j.skip(name)
		} else {
			j.pass(name)
		}
		return
	}
	if m := jestSum.FindStringSubmatch(s); m != nil {
		j.recognised, j.current = true, nil
		j.addSummary(m[1])
		return
	}
	switch m := jestFailed.FindStringSubmatch(s); {
	case strings.HasPrefix(s, "Test Suites:"), strings.HasPrefix(s, "Summary of all failing tests"):
		j.current = nil
	case strings.HasPrefix(s, "No tests found, exiting with code 0"):
		j.recognised = true
	case m == nil && j.current == nil:
		if t := treeSuite.FindStringSubmatch(s); t != nil && len(t[1])%2 == 0 {
			j.tree = append(j.tree.parents(len(t[1])), t[2])
		}
	case m == nil:
		j.current.addLine(strings.TrimPrefix(s, "    "))
	case m[1] == "Test suite failed to run":
		if j.get(j.file) == nil {
			j.errors++
		}
		j.current = j.add(j.file, true)
	case j.get(j.file+" > "+m[1]) != nil: // repeated in the summary
		j.current = nil
	case strings.Contains(m[1], " › ") || !strings.HasPrefix(m[1], "Console"):
		j.current = j.add(j.file+" > "+m[1], false)
		if j.current != nil {
			j.current.File = j.file
		}
	}
}

var (
	vitestSum    = lazyregexp.New(`^ +Tests {2}(.+?)(?: \((\d+)\))?$`)
	vitestFailed = lazyregexp.New(`^ FAIL {2}(.+)$`)
	vitestSuite  = lazyregexp.New(`^(\S+) \[ \S+ \]$`)
	vitestTest   = lazyregexp.New(`^ ([✓√↓□]) (\S+\.\w+ > .+)$`)
	vitestErrors = lazyregexp.New(`^ +Errors {2}(\d+) errors?$`)
)

// vitest reads Vitest's output, which is similar; the line of a file that cannot be loaded has its
// name twice.
type vitest struct{ runnerState }

func (v *vitest) readLine(s string) {
	if m := vitestSum.FindStringSubmatch(s); m != nil && (m[2] != "" || m[1] == "no tests") {
		v.recognised, v.current = true, nil
		v.addSummary(m[1])
		return
	}
	if m := vitestErrors.FindStringSubmatch(s); m != nil && parseCount(m[1]) > 0 {
		v.errors++
		v.add("errors outside of tests", true)
		return
	}
	if m := vitestTest.FindStringSubmatch(s); m != nil { // printed with --reporter=verbose
		if m[1] == "↓" || m[1] == "□" {
			v.skip(m[2])
		} else {
			v.pass(durationSuffix.ReplaceAllString(m[2], ""))
		}
		return
	}
	switch m := vitestFailed.FindStringSubmatch(s); {
	case strings.HasPrefix(s, "No test files found, exiting with code 0"):
		v.recognised = true
	case strings.HasPrefix(s, "⎯⎯"), strings.HasPrefix(s, " Test Files"):
		v.current = nil
	case m == nil:
		v.current.addLine(s)
	case vitestSuite.MatchString(m[1]):
		name := vitestSuite.FindStringSubmatch(m[1])[1]
		if v.get(name) == nil {
			v.errors++
		}
		v.current = v.add(name, true)
	default:
		v.current = v.add(m[1], false)
	}
}

var (
	mochaSum    = lazyregexp.New(`^  (\d+) (passing|pending|failing)(?: \(.*\))?$`)
	mochaTest   = lazyregexp.New(`^(  +)([✔✓√-]|\d+\)) (.+)$`)
	mochaFailed = lazyregexp.New(`^  \d+\) (.+)$`)
)

// mocha reads Mocha's output: a tree of tests, summary lines, and a block for each failure that
// begins with the parts of its name on separate lines.
type mocha struct {
	runnerState
	tree      suiteStack
	nameParts []string // parts read so far of a failure's name
}

func (m *mocha) readLine(s string) {
	if sum := mochaSum.FindStringSubmatch(s); sum != nil {
		m.recognised, m.tree = true, nil
		m.count(sum[2], parseCount(sum[1]))
		return
	}
	if m.recognised {
		m.readDetail(s)
		return
	}
	if t := mochaTest.FindStringSubmatch(s); t != nil {
		name := strings.Join(append(m.tree.parents(len(t[1])), durationSuffix.ReplaceAllString(t[3], "")), " > ")
		switch t[2] {
		case "-":
			m.skip(strings.Join(append(m.tree.parents(len(t[1])), t[3]), " > "))
		case "✔", "✓", "√":
			m.pass(name)
		}
		return
	}
	if t := treeSuite.FindStringSubmatch(s); t != nil && len(t[1])%2 == 0 {
		m.tree = append(m.tree.parents(len(t[1])), t[2])
	}
}

func (m *mocha) readDetail(s string) {
	if f := mochaFailed.FindStringSubmatch(s); f != nil {
		m.nameParts, m.current = nil, nil
		s = f[1]
	} else if m.nameParts == nil {
		m.current.addLine(strings.TrimPrefix(s, "      "))
		return
	}
	part, last := strings.CutSuffix(strings.TrimSpace(s), ":")
	if part != "" {
		m.nameParts = append(m.nameParts, part)
	}
	if last || len(m.nameParts) > 20 {
		m.current = m.add(strings.Join(m.nameParts, " > "), false)
		m.nameParts = nil
	}
}

var (
	avaSum = lazyregexp.New(`^  (\d+) (tests? passed|tests? failed|known failures?|tests? skipped|tests? todo|` +
		`uncaught exceptions?|unhandled rejections?)$`)
	avaTest = lazyregexp.New(`^  ([✔✘-]) (?:(\[fail\]:|\[skip\]|\[todo\]|\[expected fail\]) )?(.+)$`)
	avaWhy  = lazyregexp.New(` (?:Error thrown in test|Rejected promise returned by test|` +
		`Test finished without running any assertions|Assertion failed.*|Promise returned by test never resolved)$`)
)

// ava reads AVA's output: a line for each test, and summary lines.
type ava struct{ runnerState }

func (a *ava) readLine(s string) {
	if m := avaSum.FindStringSubmatch(s); m != nil {
		a.recognised = true
		n := parseCount(m[1])
		switch word := strings.TrimSuffix(m[2], "s"); {
		case strings.HasSuffix(word, "passed"):
			a.passed += n
		case strings.HasSuffix(word, "failed"):
			a.failed += n
		case strings.HasPrefix(word, "un"):
			a.errors++
			a.add(word, true)
		default:
			a.skipped += n
		}
		return
	}
	m := avaTest.FindStringSubmatch(s)
	if m == nil || a.recognised {
		return
	}
	name := strings.ReplaceAll(durationSuffix.ReplaceAllString(m[3], ""), " › ", " > ")
	switch {
	case m[2] == "[fail]:":
		a.add(avaWhy.ReplaceAllString(name, ""), false)
	case m[2] != "":
		a.skip(strings.ReplaceAll(m[3], " › ", " > "))
	case m[1] == "✔":
		a.pass(name)
	}
}

func (a *ava) report() (Report, bool) {
	if a.passed == 0 { // AVA does not print it if another test failed
		a.passed = len(a.passedNames)
	}
	return a.runnerState.report()
}

var (
	jasmineSum    = lazyregexp.New(`^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?$`)
	jasmineFailed = lazyregexp.New(`^\d+\) (.+)$`)
)

// jasmine reads Jasmine's output: a summary line, and numbered failures below their heading.
type jasmine struct {
	runnerState
	inFailures bool
}

func (j *jasmine) readLine(s string) {
	if m := jasmineSum.FindStringSubmatch(s); m != nil {
		j.recognised, j.inFailures, j.current = true, false, nil
		j.countFromTotal(parseCount(m[1]), counts{failed: parseCount(m[2]), skipped: parseCount(m[3])})
		return
	}
	switch m := jasmineFailed.FindStringSubmatch(s); {
	case s == "Failures:":
		j.inFailures = true
	case s == "Pending:":
		j.inFailures = false
	case s == "No specs found":
		j.recognised = true
	case m != nil && j.inFailures:
		j.current = j.add(m[1], false)
	case j.inFailures:
		j.current.addLine(s)
	}
}
