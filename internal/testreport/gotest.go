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
	out       outputLines
	subs      bool // has subtests
	subFailed bool // one of them failed
}

type goPackage struct {
	out    outputLines
	live   map[string]*goTest
	failed bool            // a failure of it was reported
	bare   int             // the last failure without output of its own: its index and one, or 0
	others bool            // a test runs that had not failed before
	back   map[uint64]bool // tests that had failed in an earlier run and passed now
}

func (p *goPackage) takeBack(key uint64) {
	if p.back == nil {
		p.back = map[uint64]bool{}
	}
	p.back[key] = true
}

type goReader struct {
	goCounts
	packages map[string]*goPackage
	builds   map[string]*outputLines // output of go build by import path
	noise    outputLines             // lines that are no events
	events   int
	live     int // tests under way
	buffered int // bytes of what is under way, and of builds
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
			g.line(line)
		}
	}, func(error) { g.report.Lack("a line of over 1 MiB was not read") })
	return g.finish(), err
}

func (g *goReader) line(line []byte) {
	var e goEvent
	if line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
		g.noise.add(string(line))
		return
	}
	g.events++
	switch e.Action {
	case "build-output":
		g.build(e.ImportPath, e.Output)
		return
	case "build-fail":
		g.build(e.ImportPath, "")
		return
	}
	if e.Package == "" {
		return
	}
	p := g.packages[e.Package]
	if p == nil {
		if len(g.packages) >= maxLiveTests || !g.reserve(entryCost+len(e.Package)) {
			g.report.Lack("too many packages ran at once to separate them")
			return
		}
		p = &goPackage{live: map[string]*goTest{}}
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

// say adds output as long as there is room: without it a failure is explained less well.
func (g *goReader) say(out *outputLines, output string) {
	if g.buffered < maxBuffered {
		before := out.size
		out.add(output)
		g.buffered += out.size - before
	}
}

// build takes in what a build says. It is kept to the end: several packages may have
// failed by it.
func (g *goReader) build(path, output string) {
	b := g.builds[path]
	if b == nil {
		if !g.reserve(entryCost + len(path)) {
			return
		}
		b = &outputLines{}
		g.builds[path] = b
	}
	g.say(b, output)
}

// testEvent follows one test from run to its end. Output of a test that is not under
// way (a goroutine that prints on) is its package's.
func (g *goReader) testEvent(p *goPackage, e goEvent) {
	t := p.live[e.Test]
	switch e.Action {
	case "run":
		if !strings.Contains(e.Test, "/") && !g.second(e.Package, e.Test) {
			p.others = true
		}
		// A benchmark that passes has no end of its own.
		if !strings.HasPrefix(e.Test, "Benchmark") {
			g.start(p, e.Test)
		}
	case "output":
		if t == nil {
			g.say(&p.out, e.Output)
		} else {
			g.say(&t.out, e.Output)
		}
	case "pass", "fail", "skip", "bench":
		if t == nil {
			t = &goTest{}
		} else {
			g.forget(p, e.Test)
		}
		g.ended(p, p.live[parentTest(e.Test)], t, e)
	}
}

func (g *goReader) start(p *goPackage, test string) {
	if p.live[test] == nil {
		if g.live >= maxLiveTests || !g.reserve(entryCost+len(test)) {
			g.report.Lack("too many tests ran at once to separate them")
			return
		}
		p.live[test] = &goTest{}
		g.live++
	}
	if parent := p.live[parentTest(test)]; parent != nil {
		parent.subs = true
	}
}

func (g *goReader) forget(p *goPackage, test string) {
	g.buffered -= p.live[test].out.size + entryCost + len(test)
	g.live--
	delete(p.live, test)
}

// ended counts a test that passed, failed or was skipped.
func (g *goReader) ended(p *goPackage, parent, t *goTest, e goEvent) {
	switch {
	case e.Action == "fail":
		p.failed = true
		if parent != nil {
			parent.subFailed = true
		}
		if t.subFailed { // its subtests say why, but for a crash of one of them
			g.fell(e.Package, e.Test)
			if t.out.crash != nil {
				g.explain(p, t.out.String())
			}
			return
		}
		if at := g.failure(p, e.Package, e.Test, t.out.String(), goFailed); at > 0 && g.report.Failures[at-1].Message == "" {
			p.bare = at
		}
	case e.Action == "skip":
		g.end(p, e.Package, e.Test, goSkipped, t.subs)
	default:
		g.end(p, e.Package, e.Test, goPassed, t.subs)
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
		g.say(&p.out, e.Output)
		return
	case "fail", "pass", "skip":
	default:
		return
	}
	delete(g.packages, e.Package)
	g.buffered -= p.out.size + entryCost + len(e.Package)
	defer g.packageEnded(p, e.Package)
	if e.Action == "fail" {
		g.packageFailed(p, e)
	} else if len(p.live) > 0 {
		g.report.Lack("%s ended before %s", Plain(e.Package), some(p.live))
	}
	for name := range p.live {
		g.forget(p, name)
	}
}

// packageFailed explains a failed package that has no failed test of its own: by the
// build that failed, by the test that was running, or by what it printed last.
func (g *goReader) packageFailed(p *goPackage, e goEvent) {
	if p.failed {
		g.explainCrash(p)
		if len(p.live) > 0 {
			g.report.Warn("%s ended before %s", Plain(e.Package), some(p.live))
		}
		return
	}
	test, said := p.running(), p.out
	switch b := g.builds[e.FailedBuild]; {
	case e.FailedBuild != "" && b != nil:
		test, said = "", *b
	case test != "":
		said = p.live[test].out
	}
	g.failure(p, e.Package, test, said.String(), broke)
}

// explainCrash looks for a crash that ended the package while a failure lacks an
// explanation: Go prints it under whichever test printed last.
func (g *goReader) explainCrash(p *goPackage) {
	said := p.out
	if test := p.running(); test != "" && p.live[test].out.crash != nil {
		said = p.live[test].out
	}
	if said.crash != nil {
		g.explain(p, said.String())
	}
}

func (g *goReader) explain(p *goPackage, output string) {
	if p.bare == 0 {
		return
	}
	f := &g.report.Failures[p.bare-1]
	f.Message = Tail(withoutFrames(output))
	f.File, f.Line = goPlace(f.Message)
	p.bare = 0
}

// running returns the test under way that a crash belongs to: the one whose output has
// the panic, else the only one without subtests under way, else "".
func (p *goPackage) running() string {
	var panicked, leaves []string
	for name, t := range p.live {
		if t.out.crash != nil {
			panicked = append(panicked, name)
		}
		if !t.subs {
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

// some lists five names, and how many more there are.
func some[V any](named map[string]V) string {
	var names []string
	for name := range named {
		names = append(names, Plain(name))
	}
	slices.Sort(names)
	if len(names) > 5 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), len(names)-5)
	}
	return strings.Join(names, ", ")
}

// failure reports one, and gives its index and one when it is kept and new.
func (g *goReader) failure(p *goPackage, pkg, test, output string, o goOutcome) int {
	f := Failure{Test: Plain(pkg), Package: Plain(pkg)}
	if test != "" {
		f.Test += "." + Plain(test)
	}
	if g.report.roomForMessage() {
		f.Message = Tail(withoutFrames(output))
		f.File, f.Line = goPlace(f.Message)
	}
	return g.fail(p, pkg, test, f, o)
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
		g.report.Lack("the output stops before the end of %s", some(g.packages))
	}
	if g.events == 0 {
		g.report.Lack("the output has no test events; is it go test -json?")
	}
	if said := Tail(g.noise.String()); g.events == 0 && said != "" {
		g.report.Warn("it says: %s", said)
	}
	return g.sum()
}
