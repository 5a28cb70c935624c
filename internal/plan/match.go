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

// sectionName is a name of a section.
type sectionName struct {
	name     string
	stems    []string
	specific bool // has words other than the generic ones
}

// matcher matches phrases with the names and texts of sections.
type matcher struct {
	p                *Plan
	ownTexts         []string          // each section's text, without this task's markers and nested sections
	ownStems         []map[string]bool // the key stems of ownTexts
	names            [][]sectionName   // the names of each section
	sectionsWithStem map[string]int    // number of sections with a stem in their own text
}

func newMatcher(p *Plan, task belay.TaskID) *matcher {
	m := &matcher{p: p, ownTexts: p.OwnTexts(), sectionsWithStem: map[string]int{}}
	for _, old := range p.Markers { // markers of other tasks are evidence of the section's subject
		if old.Problem == "" && old.Section >= 0 && !old.NamesTask(task) {
			m.ownTexts[old.Section] += " " + old.Text
		}
	}
	for _, text := range m.ownTexts {
		words := map[string]bool{}
		for _, s := range KeyStems(text) {
			words[s] = true
			m.sectionsWithStem[s]++
		}
		m.ownStems = append(m.ownStems, words)
	}
	for _, s := range p.Sections {
		var names []sectionName
		for _, n := range s.Names {
			stems, own := NameStems(n)
			names = append(names, sectionName{n, stems, own})
		}
		m.names = append(m.names, names)
	}
	return m
}

// findSections returns the sections that a phrase refers to. If that is uncertain, hints are the
// paths of possible sections.
func (m *matcher) findSections(ph phrase) (matches []Match, hints []string) {
	var all []Match
	for i := range m.p.Sections {
		if one, ok := m.matchSection(i, ph); ok {
			all = append(all, one)
		}
	}
	best := matchRank(0)
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
	case rankName, rankFile:
		return m.keepInnermost(m.distinguish(matches, ph))
	}
	return m.keepClearest(matches)
}

// matchSection rates how well a section matches a phrase.
func (m *matcher) matchSection(i int, ph phrase) (Match, bool) {
	out := Match{Section: i}
	m.matchName(&out, ph)
	m.matchSymbol(&out, ph)
	if out.rank < rankFile {
		m.matchContent(&out, ph)
	}
	return out, out.rank > 0
}

func (out *Match) addReason(r matchRank, score float64, format string, args ...any) {
	out.rank = max(out.rank, r)
	out.score += score
	out.Reasons = append(out.Reasons, fmt.Sprintf(format, args...))
}

// matchName compares the section's names with the words of the phrase.
func (m *matcher) matchName(out *Match, ph phrase) {
	partly, partName := 0.0, ""
	for _, c := range m.names[out.Section] {
		if !c.specific && HasNumberedName(c.name, ph.words) {
			out.addReason(rankName, 10, "the request has its name %q", c.name)
			return
		}
		hit, short := 0, 0
		for _, s := range c.stems {
			if ph.stems[s] {
				hit++
			}
			if ph.stems[s] && !ph.textStems[s] {
				short++
			}
		}
		switch share := float64(hit) / float64(max(1, len(c.stems))); {
		case hit > 0 && share == 1 && c.specific:
			out.addReason(rankName, 10+float64(hit), "the request has its name %q", c.name)
			out.onlyAfterPhrase = short > 0
			return
		case share >= 0.5 && share > partly:
			partly, partName = share, c.name
		}
	}
	if partly > 0 {
		out.addReason(rankPartOfName, 5*partly, "the request has words of its name %q", partName)
	}
}

// matchSymbol looks for affected files and identifiers in the section.
func (m *matcher) matchSymbol(out *Match, ph phrase) {
	s := &m.p.Sections[out.Section]
	for _, f := range ph.files {
		sure := rankFile
		if strings.Contains(ph.text+ph.following, path.Base(f)) {
			sure = rankName
		}
		stem := FileStem(f)
		file := SpellOut(stem)
		for _, name := range s.Names {
			if file != "" && SpellOut(name) == file {
				out.addReason(sure, 8, "the file %s has its name", f)
				break
			}
		}
		if IsCodeName(stem) && HasWord(m.ownTexts[out.Section], stem) || strings.Contains(m.ownTexts[out.Section], path.Base(f)) {
			out.addReason(sure, 8, "it names the file %s", f)
		}
	}
	for _, sym := range ph.symbols {
		if HasWord(m.ownTexts[out.Section], sym) {
			out.addReason(rankName, 6, "it has the name %s", sym)
		}
	}
}

// matchContent compares the section's text with the phrase: it has the head noun, or at least two
// key words and half of them.
func (m *matcher) matchContent(out *Match, ph phrase) {
	have, n := m.ownStems[out.Section], float64(len(m.p.Sections))
	var hit []string
	score := 0.0
	for _, s := range ph.keyStems {
		if have[s] && !genericWords.Has(s) {
			hit = append(hit, s)
			score += math.Log(1 + n/float64(m.sectionsWithStem[s]))
		}
	}
	switch about := ph.noun; {
	case len(hit) >= 2 && 2*len(hit) >= len(ph.keyStems):
		out.addReason(rankContent, score, "it mentions %s", strings.Join(hit, ", "))
	case about != "" && have[about] && !genericWords.Has(about):
		out.addReason(rankContent, score, "it is about %q", about)
	}
}

// distinguish selects among sections of the same name those with a parent that the phrase names. If
// it names none, they are all hints.
func (m *matcher) distinguish(matches []Match, ph phrase) ([]Match, []string) {
	said := ph.stems
	if said["both"] || said["all"] || said[intent.Stem("every")] || said["each"] {
		return matches, nil
	}
	count, apart := map[string]int{}, map[string]bool{} // by name
	named := make([]bool, len(matches))
	for k, one := range matches {
		key := Slug(m.p.Sections[one.Section].Name)
		count[key]++
		named[k] = m.namesParent(one.Section, said)
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

// namesParent reports whether the stems include a name of an enclosing section.
func (m *matcher) namesParent(i int, said map[string]bool) bool {
	for up := m.p.Sections[i].Parent; up >= 0; up = m.p.Sections[up].Parent {
		for _, c := range m.names[up] {
			if len(c.stems) > 0 && containsAllStems(c.stems, said) {
				return true
			}
		}
	}
	return false
}

// containsAllStems reports whether said includes all of the stems.
func containsAllStems(stems []string, said map[string]bool) bool {
	return !slices.ContainsFunc(stems, func(s string) bool { return !said[s] })
}

// keepInnermost drops matches that contain another match: they only say where that one is.
func (m *matcher) keepInnermost(matches []Match, hints []string) ([]Match, []string) {
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

// keepClearest returns the best match if its score is at least 1.5 times the next one. Otherwise
// the best three become hints.
func (m *matcher) keepClearest(matches []Match) ([]Match, []string) {
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
