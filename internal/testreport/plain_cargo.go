package testreport

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	cargoTarget = lazyregexp.New(`^\s+Running .*\((?:.*/)?([^/()]+?)(?:-[0-9a-f]{16})?\)$`)
	cargoDocs   = lazyregexp.New(`^\s+Doc-tests (\S+)$`)
	cargoTest   = lazyregexp.New(`^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b`)
	cargoSum    = lazyregexp.New(`^test result: (?:ok|` +
		`FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out`)
	cargoOutput = lazyregexp.New(`^---- (.+?) (?:stdout|stderr) ----$`)
	cargoBuild  = lazyregexp.New("^error: could not compile `([^`]+)`(?: \\((.+?)\\))?")
	cargoPanic  = lazyregexp.New(`panicked at (?:'.*', )?([^:\s]+\.rs):(\d+):\d+`)
)

// cargo runs one program for each target; each speaks with a line of sums.
type cargo struct {
	runnerState
	crate   string
	running bool // a target began and has not summed up
	details bool // below its heading "failures:"
	stopped bool // at the first target that failed
	all     bool // all targets ran, whatever failed
}

func (c *cargo) line(s string) {
	switch {
	case strings.HasPrefix(s, "test result: "):
		c.sums(s)
	case strings.HasPrefix(s, "running ") && (strings.HasSuffix(s, " tests") || strings.HasSuffix(s, " test")) && !c.running:
		c.running, c.details, c.about = true, false, nil
	case s == "failures:" && c.running:
		c.details, c.about = true, nil
	case c.details && c.running:
		c.detail(s)
	case strings.HasPrefix(s, "test ") && c.running:
		switch m := cargoTest.FindStringSubmatch(s); {
		case m == nil:
		case m[2] == "FAILED":
			c.add(c.name(m[1]), false)
		case m[2] == "ok":
			c.pass(c.name(m[1]))
		default:
			c.skip(c.name(m[1]))
		}
	case strings.HasPrefix(s, "error: "):
		c.trouble(s)
	default:
		c.target(s)
	}
}

func (c *cargo) name(test string) string {
	if c.crate == "" {
		return test
	}
	return c.crate + "::" + test
}

// detail reads what failed tests printed, and the list of their names at the end.
func (c *cargo) detail(s string) {
	if m := cargoOutput.FindStringSubmatch(s); m != nil {
		c.about = c.add(c.name(m[1]), false)
		return
	}
	if name, listed := strings.CutPrefix(s, "    "); listed && c.about == nil && name != "" && name[0] != ' ' {
		c.add(c.name(name), false)
		return
	}
	if c.about == nil {
		return
	}
	if m := cargoPanic.FindStringSubmatch(s); m != nil && c.about.File == "" {
		c.about.File, c.about.Line = m[1], number(m[2])
	}
	c.about.say(s)
}

func (c *cargo) sums(s string) {
	m := cargoSum.FindStringSubmatch(s)
	if m == nil {
		return
	}
	c.recognised, c.running, c.details, c.about = true, false, false, nil
	c.passed += number(m[1]) + number(m[4])
	c.failed += number(m[2])
	c.skipped += number(m[3])
}

// target notes which program speaks next. One that began and has not summed up died.
func (c *cargo) target(s string) {
	m := cargoTarget.FindStringSubmatch(s)
	if m == nil {
		if m = cargoDocs.FindStringSubmatch(s); m == nil {
			return
		}
	}
	c.died()
	c.crate = m[1]
}

func (c *cargo) died() {
	if !c.running {
		return
	}
	c.running, c.details, c.about = false, false, nil
	if f := c.add(c.name("the test program"), true); f != nil {
		c.errors++
		f.say("it ended before printing its summary")
	}
}

func (c *cargo) trouble(s string) {
	if m := cargoBuild.FindStringSubmatch(s); m != nil {
		name := strings.TrimSpace(m[1] + " " + m[2])
		if c.get(name) == nil {
			c.recognised = true
			c.errors++
			c.add(name, true).say(s)
		}
		return
	}
	switch {
	case strings.Contains(s, "to rerun pass"):
		c.stopped = true
		if c.running {
			c.died()
		}
	case strings.HasSuffix(s, " failed:") && strings.Contains(s, " target"):
		c.all = true
	}
}

func (c *cargo) sum() (Report, bool) {
	c.died()
	r, spoke := c.runnerState.sum()
	if c.stopped && !c.all {
		r.Lack("cargo stopped at the first target with a failure (without --no-fail-fast)")
	}
	for i := range r.Failures {
		if crate, _, ok := strings.Cut(r.Failures[i].Test, "::"); ok {
			r.Failures[i].Package = Clip(crate, 200)
		}
	}
	return r, spoke
}
