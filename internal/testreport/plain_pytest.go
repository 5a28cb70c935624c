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

// pytest speaks with a last line of sums and, before it, one line for each failure.
type pytest struct {
	runnerState
	stopped string
	part    string         // the traceback that is open
	lines   map[string]int // where a traceback ends, by its heading
}

func (p *pytest) line(s string) {
	if m := pytestSum.FindStringSubmatch(s); m != nil {
		outcome := func(word string) bool { return strings.Contains(m[1], word) }
		if m[1] == "no tests ran" || slices.ContainsFunc([]string{"passed", "failed", "skipped", "error", "deselected"}, outcome) {
			p.sums(m[1])
			return
		}
	}
	switch {
	case strings.HasPrefix(s, "FAILED "), strings.HasPrefix(s, "ERROR "):
		p.named(s)
	case strings.HasPrefix(s, "___"):
		if m := pytestPart.FindStringSubmatch(s); m != nil {
			p.part = m[1]
		}
	case strings.HasPrefix(s, "!!!"):
		if m := pytestStop.FindStringSubmatch(s); m != nil {
			p.stopped = m[1]
		}
	case p.part != "" && len(p.lines) < mostPlainNames:
		if m := pytestPlace.FindStringSubmatch(s); m != nil {
			p.lines[p.part] = number(m[2])
		}
	}
}

func (p *pytest) named(s string) {
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
		if n, ok := p.lines[part]; ok && part != "" {
			f.Line = n
			return
		}
	}
}

func (p *pytest) sums(text string) {
	p.recognised = true
	for _, m := range pytestCount.FindAllStringSubmatch(text, -1) {
		p.count(m[2], number(m[1]))
	}
}

func (p *pytest) sum() (Report, bool) {
	r, spoke := p.runnerState.sum()
	if p.stopped != "" {
		r.Lack("pytest did not run all tests: %s", p.stopped)
	}
	return r, spoke
}
