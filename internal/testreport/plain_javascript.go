package testreport

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// counted finds "12 failed" and its like in a line of sums.
var counted = lazyregexp.New(`(\d+) ([a-z]+)`)

// sums takes in a line of sums: "1 failed | 2 skipped | 3 passed".
func (c *counts) sums(line string) {
	for _, m := range counted.FindAllStringSubmatch(line, -1) {
		c.count(m[2], number(m[1]))
	}
}

// took is the time that a runner prints behind a test's name.
var took = lazyregexp.New(` \(?[\d.]+ ?m?s\)?$`)

var (
	jestSum    = lazyregexp.New(`^Tests: +(.*?)(\d+) total$`)
	jestFile   = lazyregexp.New(`^(?:PASS|FAIL) +(?:\S+ )?(\S+\.\w+)(?: \([\d.]+ m?s\))?$`)
	jestFailed = lazyregexp.New(`^  ● (.+)$`)
	jestTest   = lazyregexp.New(`^(  +)([✓√○✎]) (?:skipped |todo )?(.+)$`)
	treeSuite  = lazyregexp.New(`^(  +)(\S.*)$`)
)

// tree are the suites that are open in a tree of tests, by their indentation of two.
type tree []string

// above returns the suites above an indentation.
func (t tree) above(indent int) tree {
	depth := min(max(0, indent/2-1), len(t))
	return t[:depth:depth]
}

// jest speaks with a line of sums and, above it, a block for each failure below its file.
type jest struct {
	runnerState
	file string
	tree tree // with --verbose, or a single file
}

func (j *jest) line(s string) {
	if m := jestFile.FindStringSubmatch(s); m != nil {
		j.file, j.about, j.tree = strings.TrimPrefix(m[1], "./"), nil, nil
		return
	}
	if m := jestTest.FindStringSubmatch(s); m != nil && j.file != "" && j.about == nil {
		name := j.file + " > " + strings.Join(append(j.tree.above(len(m[1])), took.ReplaceAllString(m[3], "")), " › ")
		if m[2] == "○" || m[2] == "✎" {
			j.skip(name)
		} else {
			j.pass(name)
		}
		return
	}
	if m := jestSum.FindStringSubmatch(s); m != nil {
		j.recognised, j.about = true, nil
		j.sums(m[1])
		return
	}
	switch m := jestFailed.FindStringSubmatch(s); {
	case strings.HasPrefix(s, "Test Suites:"), strings.HasPrefix(s, "Summary of all failing tests"):
		j.about = nil
	case strings.HasPrefix(s, "No tests found, exiting with code 0"):
		j.recognised = true
	case m == nil && j.about == nil:
		if t := treeSuite.FindStringSubmatch(s); t != nil && len(t[1])%2 == 0 {
			j.tree = append(j.tree.above(len(t[1])), t[2])
		}
	case m == nil:
		j.about.say(strings.TrimPrefix(s, "    "))
	case m[1] == "Test suite failed to run":
		if j.get(j.file) == nil {
			j.errors++
		}
		j.about = j.add(j.file, true)
	case j.get(j.file+" > "+m[1]) != nil: // once more, in the summary
		j.about = nil
	case strings.Contains(m[1], " › ") || !strings.HasPrefix(m[1], "Console"):
		j.about = j.add(j.file+" > "+m[1], false)
		if j.about != nil {
			j.about.File = j.file
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

// vitest speaks likewise; a file that cannot be read is named twice in its line.
type vitest struct{ runnerState }

func (v *vitest) line(s string) {
	if m := vitestSum.FindStringSubmatch(s); m != nil && (m[2] != "" || m[1] == "no tests") {
		v.recognised, v.about = true, nil
		v.sums(m[1])
		return
	}
	if m := vitestErrors.FindStringSubmatch(s); m != nil && number(m[1]) > 0 {
		v.errors++
		v.add("errors outside of tests", true)
		return
	}
	if m := vitestTest.FindStringSubmatch(s); m != nil { // with --reporter=verbose
		if m[1] == "↓" || m[1] == "□" {
			v.skip(m[2])
		} else {
			v.pass(took.ReplaceAllString(m[2], ""))
		}
		return
	}
	switch m := vitestFailed.FindStringSubmatch(s); {
	case strings.HasPrefix(s, "No test files found, exiting with code 0"):
		v.recognised = true
	case strings.HasPrefix(s, "⎯⎯"), strings.HasPrefix(s, " Test Files"):
		v.about = nil
	case m == nil:
		v.about.say(s)
	case vitestSuite.MatchString(m[1]):
		name := vitestSuite.FindStringSubmatch(m[1])[1]
		if v.get(name) == nil {
			v.errors++
		}
		v.about = v.add(name, true)
	default:
		v.about = v.add(m[1], false)
	}
}

var (
	mochaSum    = lazyregexp.New(`^  (\d+) (passing|pending|failing)(?: \(.*\))?$`)
	mochaTest   = lazyregexp.New(`^(  +)([✔✓√-]|\d+\)) (.+)$`)
	mochaFailed = lazyregexp.New(`^  \d+\) (.+)$`)
)

// mocha speaks with a tree of its tests, lines of sums, and a block for each failure, whose
// first lines are the parts of its name.
type mocha struct {
	runnerState
	tree  tree
	parts []string // of the failure of which the name is being read
}

func (m *mocha) line(s string) {
	if sum := mochaSum.FindStringSubmatch(s); sum != nil {
		m.recognised, m.tree = true, nil
		m.count(sum[2], number(sum[1]))
		return
	}
	if m.recognised {
		m.detail(s)
		return
	}
	if t := mochaTest.FindStringSubmatch(s); t != nil {
		name := strings.Join(append(m.tree.above(len(t[1])), took.ReplaceAllString(t[3], "")), " > ")
		switch t[2] {
		case "-":
			m.skip(strings.Join(append(m.tree.above(len(t[1])), t[3]), " > "))
		case "✔", "✓", "√":
			m.pass(name)
		}
		return
	}
	if t := treeSuite.FindStringSubmatch(s); t != nil && len(t[1])%2 == 0 {
		m.tree = append(m.tree.above(len(t[1])), t[2])
	}
}

func (m *mocha) detail(s string) {
	if f := mochaFailed.FindStringSubmatch(s); f != nil {
		m.parts, m.about = nil, nil
		s = f[1]
	} else if m.parts == nil {
		m.about.say(strings.TrimPrefix(s, "      "))
		return
	}
	part, last := strings.CutSuffix(strings.TrimSpace(s), ":")
	if part != "" {
		m.parts = append(m.parts, part)
	}
	if last || len(m.parts) > 20 {
		m.about = m.add(strings.Join(m.parts, " > "), false)
		m.parts = nil
	}
}

var (
	avaSum = lazyregexp.New(`^  (\d+) (tests? passed|tests? failed|known failures?|tests? skipped|tests? todo|` +
		`uncaught exceptions?|unhandled rejections?)$`)
	avaTest = lazyregexp.New(`^  ([✔✘-]) (?:(\[fail\]:|\[skip\]|\[todo\]|\[expected fail\]) )?(.+)$`)
	avaWhy  = lazyregexp.New(` (?:Error thrown in test|Rejected promise returned by test|` +
		`Test finished without running any assertions|Assertion failed.*|Promise returned by test never resolved)$`)
)

// ava speaks with a line for each test, and lines of sums.
type ava struct{ runnerState }

func (a *ava) line(s string) {
	if m := avaSum.FindStringSubmatch(s); m != nil {
		a.recognised = true
		n := number(m[1])
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
	name := strings.ReplaceAll(took.ReplaceAllString(m[3], ""), " › ", " > ")
	switch {
	case m[2] == "[fail]:":
		a.add(avaWhy.ReplaceAllString(name, ""), false)
	case m[2] != "":
		a.skip(strings.ReplaceAll(m[3], " › ", " > "))
	case m[1] == "✔":
		a.pass(name)
	}
}

func (a *ava) sum() (Report, bool) {
	if a.passed == 0 { // it is not counted where another failed
		a.passed = len(a.passes)
	}
	return a.runnerState.sum()
}

var (
	jasmineSum    = lazyregexp.New(`^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?$`)
	jasmineFailed = lazyregexp.New(`^\d+\) (.+)$`)
)

// jasmine speaks with a line of sums; failures have numbers below their heading.
type jasmine struct {
	runnerState
	failing bool
}

func (j *jasmine) line(s string) {
	if m := jasmineSum.FindStringSubmatch(s); m != nil {
		j.recognised, j.failing, j.about = true, false, nil
		j.of(number(m[1]), counts{failed: number(m[2]), skipped: number(m[3])})
		return
	}
	switch m := jasmineFailed.FindStringSubmatch(s); {
	case s == "Failures:":
		j.failing = true
	case s == "Pending:":
		j.failing = false
	case s == "No specs found":
		j.recognised = true
	case m != nil && j.failing:
		j.about = j.add(m[1], false)
	case j.failing:
		j.about.say(s)
	}
}
