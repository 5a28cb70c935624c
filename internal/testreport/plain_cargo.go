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

// cargo reads the output of cargo test, which runs a program for each target, each with a summary
// line.
type cargo struct {
	runnerState
	crate      string
	running    bool // a target has started and has no summary yet
	inDetails  bool // below the target's heading "failures:"
	stopped    bool // cargo stopped at the first target that failed
	noFailFast bool // all targets ran despite failures
}

func (c *cargo) readLine(s string) {
	switch {
	case strings.HasPrefix(s, "test result: "):
		c.readSummary(s)
	case strings.HasPrefix(s, "running ") && (strings.HasSuffix(s, " tests") || strings.HasSuffix(s, " test")) && !c.running:
		c.running, c.inDetails, c.current = true, false, nil
	case s == "failures:" && c.running:
		c.inDetails, c.current = true, nil
	case c.inDetails && c.running:
		c.readDetail(s)
	case strings.HasPrefix(s, "test ") && c.running:
		switch m := cargoTest.FindStringSubmatch(s); {
		case m == nil:
		case m[2] == "FAILED":
			c.add(c.testName(m[1]), false)
		case m[2] == "ok":
			c.pass(c.testName(m[1]))
		default:
			c.skip(c.testName(m[1]))
		}
	case strings.HasPrefix(s, "error: "):
		c.readBuildError(s)
	default:
		c.startTarget(s)
	}
}

func (c *cargo) testName(test string) string {
	if c.crate == "" {
		return test
	}
	return c.crate + "::" + test
}

// readDetail reads the output of failed tests, and the list of their names at the end.
func (c *cargo) readDetail(s string) {
	if m := cargoOutput.FindStringSubmatch(s); m != nil {
		c.current = c.add(c.testName(m[1]), false)
		return
	}
	if name, listed := strings.CutPrefix(s, "    "); listed && c.current == nil && name != "" && name[0] != ' ' {
		c.add(c.testName(name), false)
		return
	}
	if c.current == nil {
		return
	}
	if m := cargoPanic.FindStringSubmatch(s); m != nil && c.current.File == "" {
		c.current.File, c.current.Line = m[1], parseCount(m[2])
	}
	c.current.addLine(s)
}

func (c *cargo) readSummary(s string) {
	m := cargoSum.FindStringSubmatch(s)
	if m == nil {
		return
	}
	c.recognised, c.running, c.inDetails, c.current = true, false, false, nil
	c.passed += parseCount(m[1]) + parseCount(m[4])
	c.failed += parseCount(m[2])
	c.skipped += parseCount(m[3])
}

// startTarget starts the next target. A previous one without a summary crashed.
func (c *cargo) startTarget(s string) {
	m := cargoTarget.FindStringSubmatch(s)
	if m == nil {
		if m = cargoDocs.FindStringSubmatch(s); m == nil {
			return
		}
	}
	c.reportCrash()
	c.crate = m[1]
}

func (c *cargo) reportCrash() {
	if !c.running {
		return
	}
	c.running, c.inDetails, c.current = false, false, nil
	if f := c.add(c.testName("the test program"), true); f != nil {
		c.errors++
		f.addLine("it ended before printing its summary")
	}
}

func (c *cargo) readBuildError(s string) {
	if m := cargoBuild.FindStringSubmatch(s); m != nil {
		name := strings.TrimSpace(m[1] + " " + m[2])
		if c.get(name) == nil {
			c.recognised = true
			c.errors++
			c.add(name, true).addLine(s)
		}
		return
	}
	switch {
	case strings.Contains(s, "to rerun pass"):
		c.stopped = true
		if c.running {
			c.reportCrash()
		}
	case strings.HasSuffix(s, " failed:") && strings.Contains(s, " target"):
		c.noFailFast = true
	}
}

func (c *cargo) report() (Report, bool) {
	c.reportCrash()
	r, spoke := c.runnerState.report()
	if c.stopped && !c.noFailFast {
		r.WarnIncomplete("cargo stopped at the first target with a failure (without --no-fail-fast)")
	}
	for i := range r.Failures {
		if crate, _, ok := strings.Cut(r.Failures[i].Test, "::"); ok {
			r.Failures[i].Package = Clip(crate, 200)
		}
	}
	return r, spoke
}
