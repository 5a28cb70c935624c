package testreport

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	nodeSum   = lazyregexp.New(`^(?:ℹ|#) (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$`)
	nodePlace = lazyregexp.New(`^test at (.+?):(\d+):\d+$`)
	nodeTime  = lazyregexp.New(` \([\d.]+m?s\)`)
	nodeTest  = lazyregexp.New(`^((?:  )*)([▶✔✓﹣]) (.+?)(?: \([\d.]+ms\))?( # (?:SKIP|TODO).*)?$`)
	nodeDots  = lazyregexp.New(`^[.X]{1,20}$`)
)

// node reads the output of node:test: summary lines and, before or after them, the failures; or,
// from its dot reporter, a dot for everything that passed and an X for everything that did not.
type node struct {
	runnerState
	totals     map[string]int
	inFailures bool // below "failing tests:"
	dots       int
	onlyDots   bool // only dots so far
	file       string
	lineNumber int
	tree       []string // the open suites
}

func (n *node) readLine(s string) {
	if m := nodeSum.FindStringSubmatch(s); m != nil {
		n.totals[m[1]] += parseCount(strings.SplitN(m[2], ".", 2)[0])
		n.inFailures, n.current = false, nil
		return
	}
	if m := nodeTest.FindStringSubmatch(s); m != nil && !n.inFailures {
		n.onlyDots = false
		n.readSpecLine(len(m[1])/2, m[2], m[3], m[4])
		return
	}
	switch {
	case n.onlyDots && nodeDots.MatchString(s):
		n.dots += strings.Count(s, ".")
	case strings.HasSuffix(s, "failing tests:") && strings.HasPrefix(s, "✖"), s == "Failed tests:":
		n.inFailures = true
	case n.inFailures && strings.HasPrefix(s, "test at "):
		if m := nodePlace.FindStringSubmatch(s); m != nil {
			n.file, n.lineNumber = m[1], parseCount(m[2])
		}
	case n.inFailures && strings.HasPrefix(s, "✖ "):
		n.readFailure(strings.TrimPrefix(s, "✖ "))
	case n.current != nil:
		n.current.addLine(strings.TrimPrefix(s, "  "))
	case s != "":
		n.onlyDots = false
	}
}

// readSpecLine reads a line of the spec reporter: the start or the end of a suite, or a test.
func (n *node) readSpecLine(depth int, mark, name, more string) {
	if mark == "▶" && len(n.tree) <= depth {
		n.tree = append(n.tree, name)
		return
	}
	if len(n.tree) > depth { // the end of a suite, with its name again
		n.tree = n.tree[:depth]
		return
	}
	name = strings.Join(append(slices.Clone(n.tree), name), " > ")
	if mark == "﹣" || more != "" {
		n.skip(name)
	} else {
		n.pass(name)
	}
}

// readFailure adds a failure, unless the test is marked TODO.
func (n *node) readFailure(s string) {
	n.current = nil
	at := nodeTime.FindAllStringIndex(s, -1)
	name, rest := s, ""
	if len(at) > 0 {
		last := at[len(at)-1]
		name, rest = s[:last[0]], s[last[1]:]
	}
	if file, line := n.file, n.lineNumber; !strings.Contains(rest, "# TODO") {
		key := name
		if n.get(key) != nil && file != "" {
			key = name + " (" + file + ")"
		}
		if n.current = n.add(key, false); n.current != nil {
			n.current.File, n.current.Line = file, line
		}
	}
	n.file, n.lineNumber = "", 0
}

func (n *node) report() (Report, bool) {
	_, summed := n.totals["tests"]
	if _, ended := n.totals["pass"]; !summed || !ended {
		return n.dotReport()
	}
	c := counts{
		passed: n.totals["pass"], failed: n.totals["fail"] + n.totals["cancelled"],
		skipped: n.totals["skipped"] + n.totals["todo"],
	}
	r := n.makeReport(Node, c)
	if r.Total != n.totals["tests"] {
		r.WarnIncomplete("the summary counts %d tests and %d outcomes", n.totals["tests"], r.Total)
	}
	return r, true
}

// dotReport counts failures by name, because suites have an X too. It is always Incomplete.
func (n *node) dotReport() (Report, bool) {
	t := failureList{}
	for _, f := range n.list {
		said := f.message.String()
		if strings.Contains(said, "subtest failed'") || strings.Contains(said, "subtests failed'") {
			continue
		}
		t.add(f.Test, false).addLine(strings.TrimRight(said, "\n"))
	}
	r := t.makeReport(Node, counts{passed: n.dots, failed: len(t.list)})
	r.WarnIncomplete("there is no summary: dots do not distinguish tests from suites")
	return r, len(t.list) > 0 && n.dots > 0
}
