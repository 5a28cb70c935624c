package testreport

import (
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	goTextTest = lazyregexp.New(`^\s*--- (PASS|FAIL|SKIP): (\S{1,1000}) \([\d.]+s\)$`)
	goPkg      = lazyregexp.New(`^(ok  |FAIL|\?   )\t(\S+)(?:\t| |$)(.*)$`)
)

// goText reads the output of go test without -json: a line for each package, and before it its
// failed tests; with -v, all tests.
type goText struct {
	runnerState
	tests           []goTextOutcome // of the current package
	output          []string        // last lines of its other output
	unnamedPackages int             // number of passed packages that named no tests
}

type goTextOutcome struct {
	word, name string
	output     []string
}

const goTextLines = 40

func (g *goText) readLine(s string) {
	if m := goTextTest.FindStringSubmatch(s); m != nil {
		if len(g.tests) < maxPlainFailures {
			g.tests = append(g.tests, goTextOutcome{word: m[1], name: m[2]})
		}
		return
	}
	if m := goPkg.FindStringSubmatch(s); m != nil {
		g.endPackage(m[1], m[2], m[3])
		return
	}
	if n := len(g.tests); n > 0 && g.tests[n-1].word == "FAIL" && strings.HasPrefix(s, "    ") && len(g.tests[n-1].output) < goTextLines {
		g.tests[n-1].output = append(g.tests[n-1].output, strings.TrimPrefix(s, "    "))
		return
	}
	if g.output = append(g.output, s); len(g.output) > 2*goTextLines {
		g.output = append(g.output[:0], g.output[goTextLines:]...)
	}
}

// endPackage counts the tests of a package. Of a test with subtests only the subtests count.
func (g *goText) endPackage(word, pkg, rest string) {
	g.recognised = true
	parents := map[string]bool{}
	for _, t := range g.tests {
		for i := range len(t.name) {
			if t.name[i] == '/' {
				parents[t.name[:i]] = true
			}
		}
	}
	fails := 0
	for _, t := range g.tests {
		switch {
		case parents[t.name]:
		case t.word == "PASS":
			g.passed++
			g.pass(pkg + "." + t.name)
		case t.word == "SKIP":
			g.skipped++
			g.skip(pkg + "." + t.name)
		default:
			fails++
			g.failed++
			g.countTest(pkg, t)
		}
	}
	switch {
	case word == "FAIL" && fails == 0:
		g.errors++
		if f := g.add(pkg, true); f != nil {
			for _, s := range g.output {
				f.addLine(s)
			}
			f.addLine(strings.TrimSpace(rest))
			f.Package = pkg
		}
	case word == "ok  " && len(g.tests) == 0 && !strings.Contains(rest, "[no tests to run]"):
		g.unnamedPackages++
	}
	g.tests, g.output = nil, nil
}

func (g *goText) countTest(pkg string, t goTextOutcome) {
	f := g.add(pkg+"."+t.name, false)
	if f == nil {
		return
	}
	f.Package = pkg
	for _, s := range t.output {
		f.addLine(s)
	}
}

func (g *goText) report() (Report, bool) {
	open := len(g.tests)
	for _, t := range g.tests {
		if t.word == "FAIL" {
			g.failed++
			g.countTest("", t)
		}
	}
	g.tests = nil
	r, spoke := g.runnerState.report()
	if open > 0 {
		r.WarnIncomplete("the output stops before the end of a package")
	}
	if g.unnamedPackages > 0 {
		r.WarnIncomplete("%s passed without naming their tests (without -v): those are not counted",
			belay.Count(g.unnamedPackages, "package", "packages"))
	}
	return r, spoke
}
