package plan

import (
	"fmt"
	"math"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/intent"
)

// called is a name of a section.
type sectionName struct {
	name  string
	stems []string
	own   bool // it has words of its own, and not only those for any part
}

// matcher knows what the sections say.
type matcher struct {
	p     *Plan
	own   []string          // each section's own text, without this task's markers and the sections in it
	words []map[string]bool // the stems of that
	names [][]sectionName   // what each section is called
	df    map[string]int    // in how many sections a stem is
}

func newMatcher(p *Plan, task belay.TaskID) *matcher {
	m := &matcher{p: p, own: p.OwnTexts(), df: map[string]int{}}
	for _, old := range p.Markers { // what other tasks did there tells what it is about
		if old.Bad == "" && old.Section >= 0 && !old.Of(task) {
			m.own[old.Section] += " " + old.Text
		}
	}
	for _, text := range m.own {
		words := map[string]bool{}
		for _, s := range Signs(text) {
			words[s] = true
			m.df[s]++
		}
		m.words = append(m.words, words)
	}
	for _, s := range p.Sections {
		var names []sectionName
		for _, n := range s.Names {
			stems, own := Proper(n)
			names = append(names, sectionName{n, stems, own})
		}
		m.names = append(m.names, names)
	}
	return m
}

// find returns the sections that a phrase means, or what comes near when none is sure.
func (m *matcher) find(ph phrase) (matches []Match, hints []string) {
	var all []Match
	for i := range m.p.Sections {
		if one, ok := m.judge(i, ph); ok {
			all = append(all, one)
		}
	}
	best := rank(0)
	for _, one := range all {
		best = max(best, one.rank)
	}
	for _, one := range all {
		if one.rank == best {
			matches = append(matches, one)
		}
	}
	switch best {
	case 0:
		return nil, nil
	case bySign, byFile:
		return m.deepest(m.told(matches, ph))
	}
	return m.clearest(matches)
}

// judge tells how sure a section is meant by a phrase.
func (m *matcher) judge(i int, ph phrase) (Match, bool) {
	out := Match{Section: i}
	m.byName(&out, ph)
	m.bySymbol(&out, ph)
	if out.rank < byFile {
		m.byContent(&out, ph)
	}
	return out, out.rank > 0
}

func (out *Match) because(r rank, score float64, format string, args ...any) {
	out.rank = max(out.rank, r)
	out.score += score
	out.Why = append(out.Why, fmt.Sprintf(format, args...))
}

// byName holds the section's names against the words of the phrase.
func (m *matcher) byName(out *Match, ph phrase) {
	partly, partName := 0.0, ""
	for _, c := range m.names[out.Section] {
		if !c.own && Numbered(c.name, ph.plain) {
			out.because(bySign, 10, "the request has its name %q", c.name)
			return
		}
		hit, short := 0, 0
		for _, s := range c.stems {
			if ph.said[s] {
				hit++
			}
			if ph.said[s] && !ph.alone[s] {
				short++
			}
		}
		switch share := float64(hit) / float64(max(1, len(c.stems))); {
		case hit > 0 && share == 1 && c.own:
			out.because(bySign, 10+float64(hit), "the request has its name %q", c.name)
			out.beyond = short > 0
			return
		case share >= 0.5 && share > partly:
			partly, partName = share, c.name
		}
	}
	if partly > 0 {
		out.because(byName, 5*partly, "the request has words of its name %q", partName)
	}
}

// bySymbol looks for affected files and for names of code.
func (m *matcher) bySymbol(out *Match, ph phrase) {
	s := &m.p.Sections[out.Section]
	for _, f := range ph.files {
		sure := byFile
		if strings.Contains(ph.text+ph.more, path.Base(f)) {
			sure = bySign
		}
		stem := FileStem(f)
		file := Spelled(stem)
		for _, name := range s.Names {
			if file != "" && Spelled(name) == file {
				out.because(sure, 8, "the file %s has its name", f)
				break
			}
		}
		if Coded(stem) && HasWord(m.own[out.Section], stem) || strings.Contains(m.own[out.Section], path.Base(f)) {
			out.because(sure, 8, "it names the file %s", f)
		}
	}
	for _, sym := range ph.symbols {
		if HasWord(m.own[out.Section], sym) {
			out.because(bySign, 6, "it has the name %s", sym)
		}
	}
}

// byContent holds the section's text against the phrase: what it is about, or two words.
func (m *matcher) byContent(out *Match, ph phrase) {
	have, n := m.words[out.Section], float64(len(m.p.Sections))
	var hit []string
	score := 0.0
	for _, s := range ph.signs {
		if have[s] && !generic.Has(s) {
			hit = append(hit, s)
			score += math.Log(1 + n/float64(m.df[s]))
		}
	}
	switch about := ph.about; {
	case len(hit) >= 2 && 2*len(hit) >= len(ph.signs):
		out.because(byContent, score, "it mentions %s", strings.Join(hit, ", "))
	case about != "" && have[about] && !generic.Has(about):
		out.because(byContent, score, "it is about %q", about)
	}
}

// told leaves of several sections of one name those that the phrase distinguishes by what
// they are in; without that nobody knows which is meant.
func (m *matcher) told(matches []Match, ph phrase) ([]Match, []string) {
	said := ph.said
	if said["both"] || said["all"] || said[intent.Stem("every")] || said["each"] {
		return matches, nil
	}
	count, apart := map[string]int{}, map[string]bool{} // by name
	named := make([]bool, len(matches))
	for k, one := range matches {
		key := Slug(m.p.Sections[one.Section].Name)
		count[key]++
		named[k] = m.around(one.Section, said)
		apart[key] = apart[key] || named[k]
	}
	var out []Match
	var hints []string
	for k, one := range matches {
		switch key := Slug(m.p.Sections[one.Section].Name); {
		case count[key] == 1 || named[k]:
			out = append(out, one)
		case !apart[key]:
			hints = append(hints, m.p.Sections[one.Section].Path)
		}
	}
	return out, hints
}

// around reports whether the words name what a section is in.
func (m *matcher) around(i int, said map[string]bool) bool {
	for up := m.p.Sections[i].Parent; up >= 0; up = m.p.Sections[up].Parent {
		for _, c := range m.names[up] {
			if len(c.stems) > 0 && allSaid(c.stems, said) {
				return true
			}
		}
	}
	return false
}

// allSaid reports whether words have all of these stems.
func allSaid(stems []string, said map[string]bool) bool {
	return !slices.ContainsFunc(stems, func(s string) bool { return !said[s] })
}

// deepest leaves out sections that hold another one that is meant: they only say where it
// lies.
func (m *matcher) deepest(matches []Match, hints []string) ([]Match, []string) {
	holds := map[int]bool{}
	for _, one := range matches {
		for up := m.p.Sections[one.Section].Parent; up >= 0 && !holds[up]; up = m.p.Sections[up].Parent {
			holds[up] = true
		}
	}
	var out []Match
	for _, one := range matches {
		if !holds[one.Section] {
			out = append(out, one)
		}
	}
	return out, hints
}

// clearest returns the one section that fits clearly better than all others; else they are
// hints.
func (m *matcher) clearest(matches []Match) ([]Match, []string) {
	sort.SliceStable(matches, func(i, j int) bool { return matches[i].score > matches[j].score })
	if len(matches) == 1 || matches[0].score >= 1.5*matches[1].score {
		return matches[:1], nil
	}
	var hints []string
	for _, one := range matches[:min(3, len(matches))] {
		hints = append(hints, m.p.Sections[one.Section].Path)
	}
	return nil, hints
}
