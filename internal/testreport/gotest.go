package testreport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Bounds on what Read holds at once.
const (
	maxLiveTests = 100_000
	maxBuffered  = 64 << 20 // bytes of names and output of tests, packages and builds under way
	entryCost    = 256      // bytes of each of them beside its name and output
)

// goEvent is one line of go test -json, as `go doc test2json` and, for build
// output, `go help buildjson` describe it.
type goEvent struct {
	Action      string
	Package     string
	Test        string
	Output      string
	ImportPath  string
	FailedBuild string
}

// goTest is a test whose end has not been seen.
type goTest struct {
	output      outputLines
	hasSubtests bool // has subtests
	subFailed   bool // one of them failed
}

type goPackage struct {
	output        outputLines
	running       map[string]*goTest
	failed        bool            // a failure of it was reported
	lastBare      int             // the last failure without output of its own: its index and one, or 0
	newTestRan    bool            // a test runs that had not failed before
	passedOnRerun map[uint64]bool // tests that had failed in an earlier run and passed now
}

func (p *goPackage) dropFailure(key uint64) {
	if p.passedOnRerun == nil {
		p.passedOnRerun = map[uint64]bool{}
	}
	p.passedOnRerun[key] = true
}

type goReader struct {
	goCounts
	packages   map[string]*goPackage
	builds     map[string]*outputLines // output of go build by import path
	otherLines outputLines             // lines that are no events
	events     int
	running    int // tests under way
	buffered   int // bytes of what is under way, and of builds
}

// ReadGoTest reads the output of go test -json to its end. Failed tests are reported
// without the parents that failed only with them; a package that failed without a
// failed test (build failure, crash, TestMain) is one error under its import path.
// Lines that are no events are passed over. A stream that stops before a package
// ended, or without any event, is Incomplete. A test counts once, as tally says. The
// error is r's own.
func ReadGoTest(r io.Reader) (Report, error) {
	g := goReader{
		goCounts: newGoCounts(),
		packages: map[string]*goPackage{}, builds: map[string]*outputLines{},
	}
	err := EachLine(r, func(line []byte) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			g.readLine(line)
		}
	}, func(error) { g.report.WarnIncomplete("a line of over 1 MiB was not read") })
	return g.finish(), err
}

func (g *goReader) readLine(line []byte) {
	var e goEvent
	if line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
		g.otherLines.add(string(line))
		return
	}
	g.events++
	switch e.Action {
	case "build-output":
		g.addBuildOutput(e.ImportPath, e.Output)
		return
	case "build-fail":
		g.addBuildOutput(e.ImportPath, "")
		return
	}
	if e.Package == "" {
		return
	}
	p := g.packages[e.Package]
	if p == nil {
		if len(g.packages) >= maxLiveTests || !g.reserve(entryCost+len(e.Package)) {
			g.report.WarnIncomplete("too many packages ran at once to separate them")
			return
		}
		p = &goPackage{running: map[string]*goTest{}}
		g.packages[e.Package] = p
	}
	if e.Test == "" {
		g.packageEvent(p, e)
	} else {
		g.testEvent(p, e)
	}
}

// reserve counts n more buffered bytes, and reports whether they fit.
func (g *goReader) reserve(n int) bool {
	if g.buffered+n > maxBuffered {
		return false
	}
	g.buffered += n
	return true
}

// addOutput adds output as long as there is room: without it a failure is explained less well.
func (g *goReader) addOutput(out *outputLines, output string) {
	if g.buffered < maxBuffered {
		before := out.size
		out.add(output)
		g.buffered += out.size - before
	}
}

// addBuildOutput takes in what a build says. It is kept to the end: several packages may have
// failed by it.
func (g *goReader) addBuildOutput(path, output string) {
	b := g.builds[path]
	if b == nil {
		if !g.reserve(entryCost + len(path)) {
			return
		}
		b = &outputLines{}
		g.builds[path] = b
	}
	g.addOutput(b, output)
}

// testEvent follows one test from run to its end. Output of a test that is not under
// way (a goroutine that prints on) is its package's.
func (g *goReader) testEvent(p *goPackage, e goEvent) {
	t := p.running[e.Test]
	switch e.Action {
	case "run":
		if !strings.Contains(e.Test, "/") && !g.startsAgain(e.Package, e.Test) {
			p.newTestRan = true
		}
		// A benchmark that passes has no end of its own.
		if !strings.HasPrefix(e.Test, "Benchmark") {
			g.startTest(p, e.Test)
		}
	case "output":
		if t == nil {
			g.addOutput(&p.output, e.Output)
		} else {
			g.addOutput(&t.output, e.Output)
		}
	case "pass", "fail", "skip", "bench":
		if t == nil {
			t = &goTest{}
		} else {
			g.removeTest(p, e.Test)
		}
		g.endTest(p, p.running[parentTest(e.Test)], t, e)
	}
}

func (g *goReader) startTest(p *goPackage, test string) {
	if p.running[test] == nil {
		if g.running >= maxLiveTests || !g.reserve(entryCost+len(test)) {
			g.report.WarnIncomplete("too many tests ran at once to separate them")
			return
		}
		p.running[test] = &goTest{}
		g.running++
	}
	if parent := p.running[parentTest(test)]; parent != nil {
		parent.hasSubtests = true
	}
}

func (g *goReader) removeTest(p *goPackage, test string) {
	g.buffered -= p.running[test].output.size + entryCost + len(test)
	g.running--
	delete(p.running, test)
}

// endTest counts a test that passed, failed or was skipped.
func (g *goReader) endTest(p *goPackage, parent, t *goTest, e goEvent) {
	switch {
	case e.Action == "fail":
		p.failed = true
		if parent != nil {
			parent.subFailed = true
		}
		if t.subFailed { // its subtests say why, but for a crash of one of them
			g.noteFailedBySubtests(e.Package, e.Test)
			if t.output.crash != nil {
				g.addCause(p, t.output.String())
			}
			return
		}
		if at := g.addFailure(p, e.Package, e.Test, t.output.String(), goFailed); at > 0 && g.report.Failures[at-1].Message == "" {
			p.lastBare = at
		}
	case e.Action == "skip":
		g.countOutcome(p, e.Package, e.Test, goSkipped, t.hasSubtests)
	default:
		g.countOutcome(p, e.Package, e.Test, goPassed, t.hasSubtests)
	}
}

// parentTest returns TestX/a of TestX/a/b. A slash inside a subtest's own name is told
// from a nested one only by whether such a test runs.
func parentTest(test string) string {
	i := strings.LastIndexByte(test, '/')
	return test[:max(i, 0)]
}

func (g *goReader) packageEvent(p *goPackage, e goEvent) {
	switch e.Action {
	case "output":
		g.addOutput(&p.output, e.Output)
		return
	case "fail", "pass", "skip":
	default:
		return
	}
	delete(g.packages, e.Package)
	g.buffered -= p.output.size + entryCost + len(e.Package)
	defer g.packageEnded(p, e.Package)
	if e.Action == "fail" {
		g.packageFailed(p, e)
	} else if len(p.running) > 0 {
		g.report.WarnIncomplete("%s ended before %s", PlainText(e.Package), listNames(p.running))
	}
	for name := range p.running {
		g.removeTest(p, name)
	}
}

// packageFailed explains a failed package that has no failed test of its own: by the
// build that failed, by the test that was running, or by what it printed last.
func (g *goReader) packageFailed(p *goPackage, e goEvent) {
	if p.failed {
		g.explainCrash(p)
		if len(p.running) > 0 {
			g.report.Warn("%s ended before %s", PlainText(e.Package), listNames(p.running))
		}
		return
	}
	test, said := p.crashedTest(), p.output
	switch b := g.builds[e.FailedBuild]; {
	case e.FailedBuild != "" && b != nil:
		test, said = "", *b
	case test != "":
		said = p.running[test].output
	}
	g.addFailure(p, e.Package, test, said.String(), goBroke)
}

// explainCrash looks for a crash that ended the package while a failure lacks an
// explanation: Go prints it under whichever test printed last.
func (g *goReader) explainCrash(p *goPackage) {
	said := p.output
	if test := p.crashedTest(); test != "" && p.running[test].output.crash != nil {
		said = p.running[test].output
	}
	if said.crash != nil {
		g.addCause(p, said.String())
	}
}

func (g *goReader) addCause(p *goPackage, output string) {
	if p.lastBare == 0 {
		return
	}
	f := &g.report.Failures[p.lastBare-1]
	f.Message = LastLines(withoutFrames(output))
	f.File, f.Line = goPlace(f.Message)
	p.lastBare = 0
}

// crashedTest returns the test under way that a crash belongs to: the one whose output has
// the panic, else the only one without subtests under way, else "".
func (p *goPackage) crashedTest() string {
	var panicked, leaves []string
	for name, t := range p.running {
		if t.output.crash != nil {
			panicked = append(panicked, name)
		}
		if !t.hasSubtests {
			leaves = append(leaves, name)
		}
	}
	switch {
	case len(panicked) == 1:
		return panicked[0]
	case len(leaves) == 1:
		return leaves[0]
	}
	return ""
}

// listNames lists five names, and how many more there are.
func listNames[V any](named map[string]V) string {
	var names []string
	for name := range named {
		names = append(names, PlainText(name))
	}
	slices.Sort(names)
	if len(names) > 5 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), len(names)-5)
	}
	return strings.Join(names, ", ")
}

// addFailure reports one, and gives its index and one when it is kept and new.
func (g *goReader) addFailure(p *goPackage, pkg, test, output string, o goOutcome) int {
	f := Failure{Test: PlainText(pkg), Package: PlainText(pkg)}
	if test != "" {
		f.Test += "." + PlainText(test)
	}
	if g.report.roomForMessage() {
		f.Message = LastLines(withoutFrames(output))
		f.File, f.Line = goPlace(f.Message)
	}
	return g.countFailure(p, pkg, test, f, o)
}

// goPlace prefers a line of a test: the stack of a panic begins with Go's own files.
func goPlace(message string) (string, int) {
	for _, p := range Places(message, 60) {
		if strings.HasSuffix(p.File, "_test.go") {
			return p.File, p.Line
		}
	}
	return firstPlace(message)
}

// withoutFrames drops the lines with which go test frames a test's own output.
func withoutFrames(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		t := strings.TrimSpace(line)
		framed := strings.HasPrefix(t, "=== ") || strings.HasPrefix(t, "--- FAIL: ") ||
			t == "FAIL" || strings.HasPrefix(t, "FAIL\t")
		if !framed || strings.Contains(t, "[") { // [build failed], [setup failed]
			b.WriteString(line)
		}
	}
	return b.String()
}

// finish reports what the stream left open.
func (g *goReader) finish() Report {
	if len(g.packages) > 0 {
		g.report.WarnIncomplete("the output stops before the end of %s", listNames(g.packages))
	}
	if g.events == 0 {
		g.report.WarnIncomplete("the output has no test events; is it go test -json?")
	}
	if said := LastLines(g.otherLines.String()); g.events == 0 && said != "" {
		g.report.Warn("it says: %s", said)
	}
	return g.toReport()
}
