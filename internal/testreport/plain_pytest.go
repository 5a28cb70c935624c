package testreport

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	pytestSum   = lazyregexp.New(`^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.]+ ?s(?:econds)?(?: \([\d:]+\))?(?: =+)?$`)
	pytestCount = lazyregexp.New(`(\d+) ([a-z]+)`)
	pytestName  = lazyregexp.New(`^(FAILED|ERROR) (\S+?\.py(?:::.+?)?)(?: - (.*))?$`)
	pytestPart  = lazyregexp.New(`^_{3,} (?:ERROR (?:at (?:setup|teardown) of|collecting) )?(.+?) _{3,}$`)
	pytestPlace = lazyregexp.New(`^(\S+\.py):(\d+): `)
	pytestStop  = lazyregexp.New(`^!{3,} (.+?) !{3,}$`)
)

// pytest reads pytest's output: a summary line at the end and, before it, a line for each failure.
type pytest struct {
	runnerState
	stopReason    string
	traceback     string         // heading of the open traceback
	tracebackEnds map[string]int // last line number of each traceback, by heading
}

func (p *pytest) readLine(s string) {
	if m := pytestSum.FindStringSubmatch(s); m != nil {
		outcome := func(word string) bool { return strings.Contains(m[1], word) }
		if m[1] == "no tests ran" || slices.ContainsFunc([]string{"passed", "failed", "skipped", "error", "deselected"}, outcome) {
			p.readSummary(m[1])
			return
		}
	}
	switch {
	case strings.HasPrefix(s, "FAILED "), strings.HasPrefix(s, "ERROR "):
		p.readNamed(s)
	case strings.HasPrefix(s, "___"):
		if m := pytestPart.FindStringSubmatch(s); m != nil {
			p.traceback = m[1]
		}
	case strings.HasPrefix(s, "!!!"):
		if m := pytestStop.FindStringSubmatch(s); m != nil {
			p.stopReason = m[1]
		}
	case p.traceback != "" && len(p.tracebackEnds) < maxPlainFailures:
		if m := pytestPlace.FindStringSubmatch(s); m != nil {
			p.tracebackEnds[p.traceback] = parseCount(m[2])
		}
	}
}

func (p *pytest) readNamed(s string) {
	m := pytestName.FindStringSubmatch(s)
	if m == nil {
		return
	}
	f := p.add(m[2], m[1] == "ERROR")
	if f == nil {
		return
	}
	file, test, _ := strings.Cut(m[2], "::")
	f.File, f.Message = file, m[3]
	for _, part := range []string{strings.ReplaceAll(test, "::", "."), file} {
		if n, ok := p.tracebackEnds[part]; ok && part != "" {
			f.Line = n
			return
		}
	}
}

func (p *pytest) readSummary(text string) {
	p.recognised = true
	for _, m := range pytestCount.FindAllStringSubmatch(text, -1) {
		p.count(m[2], parseCount(m[1]))
	}
}

func (p *pytest) report() (Report, bool) {
	r, spoke := p.runnerState.report()
	if p.stopReason != "" {
		r.WarnIncomplete("pytest did not run all tests: %s", p.stopReason)
	}
	return r, spoke
}
