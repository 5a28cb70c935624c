package testreport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Limits of what is in memory at a time.
const (
	maxLiveTests = 100_000
	maxBuffered  = 64 << 20 // bytes of names and output of running tests, packages and builds
	entryCost    = 256      // bytes of each of them besides name and output
)

// goEvent is a line of go test -json; see go doc test2json and, for build output, go help
// buildjson.
type goEvent struct {
	Action      string
	Package     string
	Test        string
	Output      string
	ImportPath  string
	FailedBuild string
}

// goTest is a running test.
type goTest struct {
	output      outputLines
	hasSubtests bool
	subFailed   bool // a subtest failed
}

type goPackage struct {
	output        outputLines
	running       map[string]*goTest
	failed        bool            // a failed test was reported
	lastBare      int             // index plus one of the last failure without a message; 0 for none
	newTestRan    bool            // a test ran that had not failed before
	passedOnRerun map[uint64]bool // tests that failed in an earlier run and passed now
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
	otherLines outputLines             // lines that are not events
	events     int
	running    int // number of running tests
	buffered   int // bytes of running tests, packages and builds
}

// ReadGoTest reads the output of go test -json to its end. It does not report a parent that failed
// only because of its subtests. A package that failed without a failed test (build failure, crash,
// TestMain) is one error under its import path. Lines that are not events are skipped. A stream
// that ends before a package does, or without any event, is Incomplete. A test counts once, see
// goCounts. The error is from r.
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

// reserve adds n to the buffered bytes, and reports whether they fit.
func (g *goReader) reserve(n int) bool {
	if g.buffered+n > maxBuffered {
		return false
	}
	g.buffered += n
	return true
}

// addOutput adds output while there is space; otherwise a failure has a shorter explanation.
func (g *goReader) addOutput(out *outputLines, output string) {
	if g.buffered < maxBuffered {
		before := out.size
		out.add(output)
		g.buffered += out.size - before
	}
}

// addBuildOutput adds the output of a build. It is kept to the end, because several packages may
// fail with it.
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

// testEvent handles an event of a test. Output of a test that already ended (from a goroutine)
// belongs to its package.
func (g *goReader) testEvent(p *goPackage, e goEvent) {
	t := p.running[e.Test]
	switch e.Action {
	case "run":
		if !strings.Contains(e.Test, "/") && !g.startsAgain(e.Package, e.Test) {
			p.newTestRan = true
		}
		// A benchmark that passes has no end event.
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
		if t.subFailed { // its subtests explain it, unless one crashed
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

// parentTest returns TestX/a for TestX/a/b. Whether a slash separates a subtest or is in its name,
// only a running test of the parent's name shows.
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

// packageFailed reports a failed package without a failed test, with the output of the build that
// failed, of the test that was running, or of the package.
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

// explainCrash adds the crash that ended the package to a failure without a message: Go prints it
// as output of the test that printed last.
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

// crashedTest returns the running test that crashed: the one with a panic in its output, or else
// the only one without subtests, or else "".
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

// listNames lists up to five names and the number of others.
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

// addFailure reports a failure, and returns its index plus one if it is new and kept.
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

// goPlace returns the first place in a test file, or else the first place: a panic's stack begins
// with files of Go.
func goPlace(message string) (string, int) {
	for _, p := range Places(message, 60) {
		if strings.HasSuffix(p.File, "_test.go") {
			return p.File, p.Line
		}
	}
	return firstPlace(message)
}

// withoutFrames removes the lines that go test adds around a test's output.
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

// finish reports packages that did not end.
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
