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

// node speaks with lines of sums and, before or after them, the failures; its dot
// reporter with a dot for whatever passed and an X for whatever did not.
type node struct {
	runnerState
	sums    map[string]int
	failing bool // below "failing tests:"
	dots    int
	dotted  bool // nothing but dots so far
	file    string
	at      int
	tree    []string // the suites that are open
}

func (n *node) line(s string) {
	if m := nodeSum.FindStringSubmatch(s); m != nil {
		n.sums[m[1]] += number(strings.SplitN(m[2], ".", 2)[0])
		n.failing, n.about = false, nil
		return
	}
	if m := nodeTest.FindStringSubmatch(s); m != nil && !n.failing {
		n.dotted = false
		n.tested(len(m[1])/2, m[2], m[3], m[4])
		return
	}
	switch {
	case n.dotted && nodeDots.MatchString(s):
		n.dots += strings.Count(s, ".")
	case strings.HasSuffix(s, "failing tests:") && strings.HasPrefix(s, "✖"), s == "Failed tests:":
		n.failing = true
	case n.failing && strings.HasPrefix(s, "test at "):
		if m := nodePlace.FindStringSubmatch(s); m != nil {
			n.file, n.at = m[1], number(m[2])
		}
	case n.failing && strings.HasPrefix(s, "✖ "):
		n.named(strings.TrimPrefix(s, "✖ "))
	case n.about != nil:
		n.about.say(strings.TrimPrefix(s, "  "))
	case s != "":
		n.dotted = false
	}
}

// tested takes in a line of the spec reporter: a suite that begins, or is over, or a test.
func (n *node) tested(depth int, mark, name, more string) {
	if mark == "▶" && len(n.tree) <= depth {
		n.tree = append(n.tree, name)
		return
	}
	if len(n.tree) > depth { // the suite is over, and has its name once more
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

// named takes in one failure; what is to do may fail.
func (n *node) named(s string) {
	n.about = nil
	at := nodeTime.FindAllStringIndex(s, -1)
	name, rest := s, ""
	if len(at) > 0 {
		last := at[len(at)-1]
		name, rest = s[:last[0]], s[last[1]:]
	}
	if file, line := n.file, n.at; !strings.Contains(rest, "# TODO") {
		key := name
		if n.get(key) != nil && file != "" {
			key = name + " (" + file + ")"
		}
		if n.about = n.add(key, false); n.about != nil {
			n.about.File, n.about.Line = file, line
		}
	}
	n.file, n.at = "", 0
}

func (n *node) sum() (Report, bool) {
	_, summed := n.sums["tests"]
	if _, ended := n.sums["pass"]; !summed || !ended {
		return n.dotSum()
	}
	c := counts{
		passed: n.sums["pass"], failed: n.sums["fail"] + n.sums["cancelled"],
		skipped: n.sums["skipped"] + n.sums["todo"],
	}
	r := n.report(Node, c)
	if r.Total != n.sums["tests"] {
		r.Lack("the summary counts %d tests and %d outcomes", n.sums["tests"], r.Total)
	}
	return r, true
}

// dotSum counts what failed by name, since suites have an X as well, and is never whole.
func (n *node) dotSum() (Report, bool) {
	t := failureList{}
	for _, f := range n.list {
		said := f.message.String()
		if strings.Contains(said, "subtest failed'") || strings.Contains(said, "subtests failed'") {
			continue
		}
		t.add(f.Test, false).say(strings.TrimRight(said, "\n"))
	}
	r := t.report(Node, counts{passed: n.dots, failed: len(t.list)})
	r.Lack("there is no summary: dots do not distinguish tests from suites")
	return r, len(t.list) > 0 && n.dots > 0
}
