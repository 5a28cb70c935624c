// Package place tells which sections of a plan a person's words are about, and why. What
// fits nothing, or two sections as well, is left to a person: no section is guessed. It
// changes no plan.
package place

import (
	"fmt"
	"math"
	"path"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	asked "github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/plan"
	"github.com/belay-dev/belay/internal/plan/terms"
)

// Work is a task as a plan is marked for it. Pins are sections that a person said: by the
// number of the requirement, from 1; 0 is for all that stand in no section otherwise.
type Work struct {
	Task    belay.TaskID
	Request belay.Request
	Prose   string
	Pins    map[int][]string
}

// Match is a section that a phrase means, and why.
type Match struct {
	Section int
	Why     []string
	Said    bool // a person said so
	rank    rank
	score   float64
	beyond  bool // only what was said after the phrase names it
}

// rank is how sure a match is. Only matches of the best rank that there is count.
type rank int

const (
	byContent rank = iota + 1 // its text has words of the phrase
	byName                    // some words of its name are in the phrase
	bySign                    // its name, a file or a symbol is in the phrase
	byPerson
)

// Placed is a requirement, or a phrase about what stays, with the sections it means.
type Placed struct {
	Number      int // of the requirement or the phrase, from 1
	Requirement belay.Requirement
	Matches     []Match
	Hints       []string // when there are none: what comes near, or is in doubt
}

// phrase is words that are looked for in sections.
type phrase struct {
	text  string
	more  string // what was said with it: names in it count, nothing else
	files []string

	said, alone map[string]bool // stems of all of it, and of the text alone
	signs       []string
	symbols     []string
	about       string // what the text speaks of
	plain       string // the words with spaces around them
}

func newPhrase(text, more string, files []string) phrase {
	whole := text + " " + more
	return phrase{text: text, more: more, files: files, said: terms.Stems(whole), alone: terms.Stems(text), signs: terms.Signs(text),
		symbols: terms.Symbols(text), about: terms.Noun(text), plain: terms.Plain(whole)}
}

// Find finds the sections that each requirement means, and those that each phrase about
// what stays means. It refuses pins to sections that are not there.
func Find(p *plan.Plan, w Work) (wanted, kept []Placed, err error) {
	m := newMatcher(p, w.Task)
	rest := beyond(w)
	for i, r := range w.Request.Requirements {
		one := Placed{Number: i + 1, Requirement: r}
		if one.Matches, err = pinned(p, w.Pins[i+1]); err != nil {
			return nil, nil, err
		}
		if one.Matches == nil {
			m.place(&one, newPhrase(r.Text, rest[i], filesOf(w, i, rest[i])), wanted)
		}
		if one.Matches == nil {
			if one.Matches, err = pinned(p, w.Pins[0]); err != nil {
				return nil, nil, err
			}
		}
		wanted = append(wanted, one)
	}
	for i, s := range w.Request.Preserve {
		one := Placed{Number: i + 1, Requirement: belay.Requirement{Marker: belay.MarkPreserved, Text: s}}
		one.Matches, one.Hints = m.find(newPhrase(s, "", nil))
		kept = append(kept, one)
	}
	return wanted, kept, nil
}

// place finds the sections of a requirement. "Less generic" says nothing by itself: it goes
// on with what was asked for before.
func (m *matcher) place(one *Placed, ph phrase, before []Placed) {
	one.Matches, one.Hints = m.find(ph)
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(ph.text)), " ")
	if goesOn := first == "less" || first == "more" || asked.Comparative(first) || asked.Pronoun(first); goesOn && len(before) > 0 && (len(one.Matches) == 0 || one.Matches[0].rank < bySign) {
		one.Matches, one.Hints = nil, before[len(before)-1].Hints
		for _, match := range before[len(before)-1].Matches {
			match.beyond = false
			match.Why = []string{fmt.Sprintf("it goes on with requirement %d", one.Number-1)}
			one.Matches = append(one.Matches, match)
		}
	}
	for _, match := range one.Matches {
		if match.beyond {
			one.Requirement.Text = strings.TrimSpace(ph.text + ph.more)
		}
	}
}

func pinned(p *plan.Plan, names []string) ([]Match, error) {
	var out []Match
	for _, n := range names {
		i, err := p.Find(n)
		if err != nil {
			return nil, err
		}
		out = append(out, Match{Section: i, rank: byPerson, Said: true, Why: []string{"you said so"}})
	}
	return out, nil
}

// beyond gives for each requirement what its sentence says after its words, up to the next
// requirement and up to what is to stay: "the hero" is often followed by "and the footer".
func beyond(w Work) []string {
	low := strings.ToLower(w.Prose)
	var stops []int
	at := make([]int, len(w.Request.Requirements))
	from := 0
	for i, r := range w.Request.Requirements {
		at[i] = index(low, strings.ToLower(r.Text), from)
		if at[i] >= 0 {
			stops, from = append(stops, at[i]), at[i]
		}
	}
	for _, s := range w.Request.Preserve {
		if k := index(low, strings.ToLower(s), 0); k >= 0 {
			stops = append(stops, k)
		}
	}
	out := make([]string, len(at))
	for i, r := range w.Request.Requirements {
		if at[i] < 0 || len(low) != len(w.Prose) {
			continue
		}
		begin := at[i] + len(r.Text)
		end := begin
		for end < len(low) && low[end] != '\n' && !(strings.IndexByte(".!?;", low[end]) >= 0 && (end+1 == len(low) || low[end+1] == ' ' || low[end+1] == '\n')) {
			end++
		}
		for _, s := range stops {
			if s >= begin && s < end {
				end = s
			}
		}
		out[i] = w.Prose[begin:end]
	}
	return out
}

// index gives where a phrase stands as whole words, first from an offset on; -1 for nowhere.
func index(text, phrase string, from int) int {
	if phrase == "" {
		return -1
	}
	for _, start := range []int{from, 0} {
		for at := start; ; {
			k := strings.Index(text[at:], phrase)
			if k < 0 {
				break
			}
			if k += at; !inWord(text, k) && !inWord(text, k+len(phrase)) {
				return k
			}
			at = k + 1
		}
	}
	return -1
}

// inWord reports whether an offset is inside of a word.
func inWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return part(before) && part(after)
}

// filesOf gives the affected files that requirement i is about: those whose name it has
// words of, or all of them when it is the only one.
func filesOf(w Work, i int, more string) []string {
	var out []string
	words := map[string]bool{}
	for _, s := range terms.Signs(w.Request.Requirements[i].Text + " " + more) {
		words[s] = true
	}
	for _, f := range w.Request.Affected {
		about := len(w.Request.Requirements) == 1 || strings.Contains(w.Request.Requirements[i].Text+more, path.Base(f))
		stems, _ := terms.Proper(terms.FileStem(f))
		for _, s := range stems {
			about = about || words[s]
		}
		if about {
			out = append(out, f)
		}
	}
	return out
}

// called is a name of a section.
type called struct {
	name  string
	stems []string
	own   bool // it has words of its own, and not only those for any part
}

// matcher knows what the sections say.
type matcher struct {
	p     *plan.Plan
	own   []string          // each section's own text, without this task's markers and the sections in it
	words []map[string]bool // the stems of that
	names [][]called        // what each section is called
	df    map[string]int    // in how many sections a stem is
}

func newMatcher(p *plan.Plan, task belay.TaskID) *matcher {
	m := &matcher{p: p, own: p.OwnTexts(), df: map[string]int{}}
	for _, old := range p.Markers { // what other tasks did there tells what it is about
		if old.Bad == "" && old.Section >= 0 && !old.Of(task) {
			m.own[old.Section] += " " + old.Text
		}
	}
	for _, text := range m.own {
		words := map[string]bool{}
		for _, s := range terms.Signs(text) {
			words[s] = true
			m.df[s]++
		}
		m.words = append(m.words, words)
	}
	for _, s := range p.Sections {
		var names []called
		for _, n := range s.Names {
			stems, own := terms.Proper(n)
			names = append(names, called{n, stems, own})
		}
		m.names = append(m.names, names)
	}
	return m
}

// find gives the sections that a phrase means, or what comes near when none is sure.
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
	case bySign:
		return m.deepest(m.told(matches, ph))
	}
	return m.clearest(matches)
}

// judge tells how sure a section is meant by a phrase.
func (m *matcher) judge(i int, ph phrase) (Match, bool) {
	out := Match{Section: i}
	m.byName(&out, ph)
	m.bySymbol(&out, ph)
	if out.rank < bySign {
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
		name, stems, own := c.name, c.stems, c.own
		if !own && terms.Numbered(name, ph.plain) {
			out.because(bySign, 10, "its name %q is in the words", name)
			return
		}
		hit, short := 0, 0
		for _, s := range stems {
			if ph.said[s] {
				hit++
			}
			if ph.said[s] && !ph.alone[s] {
				short++
			}
		}
		switch share := float64(hit) / float64(max(1, len(stems))); {
		case hit > 0 && share == 1 && own:
			out.because(bySign, 10+float64(hit), "its name %q is in the words", name)
			out.beyond = short > 0
			return
		case share >= 0.5 && share > partly:
			partly, partName = share, name
		}
	}
	if partly > 0 {
		out.because(byName, 5*partly, "words of its name %q are in the words", partName)
	}
}

// bySymbol looks for affected files and for names of code.
func (m *matcher) bySymbol(out *Match, ph phrase) {
	s := &m.p.Sections[out.Section]
	for _, f := range ph.files {
		stem := terms.FileStem(f)
		file := terms.Spelled(stem)
		for _, name := range s.Names {
			if file != "" && terms.Spelled(name) == file {
				out.because(bySign, 8, "the file %s is called as it is", f)
				break
			}
		}
		if terms.Coded(stem) && terms.HasWord(m.own[out.Section], stem) || strings.Contains(m.own[out.Section], path.Base(f)) {
			out.because(bySign, 8, "it names the file %s", f)
		}
	}
	for _, sym := range ph.symbols {
		if terms.HasWord(m.own[out.Section], sym) {
			out.because(bySign, 6, "it has the name %s", sym)
		}
	}
}

// byContent holds the section's text against the phrase: what it is about, or two words.
func (m *matcher) byContent(out *Match, ph phrase) {
	have, n := m.words[out.Section], float64(len(m.p.Sections))
	all := ph.signs
	var hit []string
	score := 0.0
	for _, s := range all {
		if have[s] && !terms.Generic(s) {
			hit = append(hit, s)
			score += math.Log(1 + n/float64(m.df[s]))
		}
	}
	about := ph.about
	switch {
	case len(hit) >= 2 && 2*len(hit) >= len(all):
		out.because(byContent, score, "it says %s", strings.Join(hit, ", "))
	case about != "" && have[about] && !terms.Generic(about):
		out.because(byContent, score, "it speaks of %q", about)
	}
}

// told leaves of several sections of one name those that the phrase tells apart by what
// they lie in; without that nobody knows which is meant.
func (m *matcher) told(matches []Match, ph phrase) ([]Match, []string) {
	said := ph.said
	if said["both"] || said["all"] || said[terms.Stem("every")] || said["each"] {
		return matches, nil
	}
	count, apart := map[string]int{}, map[string]bool{} // by name
	named := make([]bool, len(matches))
	for k, one := range matches {
		key := plan.Slug(m.p.Sections[one.Section].Name)
		count[key]++
		named[k] = m.around(one.Section, said)
		apart[key] = apart[key] || named[k]
	}
	var out []Match
	var hints []string
	for k, one := range matches {
		switch key := plan.Slug(m.p.Sections[one.Section].Name); {
		case count[key] == 1 || named[k]:
			out = append(out, one)
		case !apart[key]:
			hints = append(hints, m.p.Sections[one.Section].Path)
		}
	}
	return out, hints
}

// around reports whether the words name what a section lies in.
func (m *matcher) around(i int, said map[string]bool) bool {
	for up := m.p.Sections[i].Parent; up >= 0; up = m.p.Sections[up].Parent {
		for _, c := range m.names[up] {
			hit := len(c.stems) > 0
			for _, s := range c.stems {
				hit = hit && said[s]
			}
			if hit {
				return true
			}
		}
	}
	return false
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

// clearest gives the one section that fits clearly better than all others; else they are
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
