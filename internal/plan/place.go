package plan

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/intent"
)

// Work is a task for which a plan is marked. Pins are the sections that a person chose, by the
// number of the requirement from 1; those under 0 are for all requirements without a section.
type Work struct {
	Task    belay.TaskID
	Request belay.Request
	Prose   string
	Pins    map[int][]string
}

// Match is a section that a phrase refers to, with the reasons.
type Match struct {
	Section         int
	Reasons         []string
	Pinned          bool // chosen by a person
	rank            matchRank
	score           float64
	onlyAfterPhrase bool // its name is only in the text that follows the phrase
}

// matchRank rates the kind of evidence for a match. Only matches of the best rank found count.
type matchRank int

const (
	rankContent    matchRank = iota + 1 // words of the phrase are in its text
	rankPartOfName                      // some words of its name are in the phrase
	rankFile                            // an affected file belongs to it
	rankName                            // the phrase has its name, its file's name or a symbol in it
	rankPinned
)

// Placed is a requirement, or a phrase about what must stay, with its sections.
type Placed struct {
	Number      int // of the requirement or the phrase, from 1
	Requirement belay.Requirement
	Matches     []Match
	Hints       []string // paths of possible sections, if Matches is empty
}

// phrase is a text to match with sections.
type phrase struct {
	text      string
	following string // the rest of its sentence: only names in it count
	files     []string

	stems, textStems map[string]bool // stems of text and following, and of text alone
	keyStems         []string
	symbols          []string
	noun             string // the head noun of text
	words            string // text and following, see SpacedWords
}

func newPhrase(text, more string, files []string) phrase {
	whole := text + " " + more
	return phrase{text: text, following: more, files: files, stems: Stems(whole), textStems: Stems(text), keyStems: KeyStems(text),
		symbols: CodeNames(text), noun: HeadNoun(text), words: SpacedWords(whole)}
}

// Find returns each requirement and each phrase about what must stay with its sections. A pin to a
// missing section is an error.
func Find(p *Plan, w Work) (wanted, kept []Placed, err error) {
	m := newMatcher(p, w.Task)
	rest := textsAfter(w)
	for i, r := range w.Request.Requirements {
		one := Placed{Number: i + 1, Requirement: r}
		if one.Matches, err = pinnedMatches(p, w.Pins[i+1]); err != nil {
			return nil, nil, err
		}
		if one.Matches == nil {
			m.placeRequirement(&one, newPhrase(r.Text, rest[i], filesOf(w, i, rest[i])), wanted)
		}
		if one.Matches == nil {
			if one.Matches, err = pinnedMatches(p, w.Pins[0]); err != nil {
				return nil, nil, err
			}
		}
		wanted = append(wanted, one)
	}
	for i, s := range w.Request.Preserve {
		one := Placed{Number: i + 1, Requirement: belay.Requirement{Marker: belay.MarkPreserved, Text: s}}
		one.Matches, one.Hints = m.findSections(newPhrase(s, "", nil))
		kept = append(kept, one)
	}
	return wanted, kept, nil
}

// placeRequirement finds the sections of a requirement. One like "less generic" has no subject, so
// it takes the sections of the previous requirement.
func (m *matcher) placeRequirement(one *Placed, ph phrase, before []Placed) {
	one.Matches, one.Hints = m.findSections(ph)
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(ph.text)), " ")
	if goesOn := first == "less" || first == "more" || intent.IsComparative(first) || intent.IsPronoun(first); goesOn &&
		len(before) > 0 && (len(one.Matches) == 0 || one.Matches[0].rank < rankName) {
		one.Matches, one.Hints = nil, before[len(before)-1].Hints
		for _, match := range before[len(before)-1].Matches {
			match.onlyAfterPhrase = false
			match.Reasons = []string{fmt.Sprintf("it continues requirement %d", one.Number-1)}
			one.Matches = append(one.Matches, match)
		}
	}
	for _, match := range one.Matches {
		if match.onlyAfterPhrase {
			one.Requirement.Text = strings.TrimSpace(ph.text + ph.following)
		}
	}
}

func pinnedMatches(p *Plan, names []string) ([]Match, error) {
	var out []Match
	for _, n := range names {
		i, err := p.Find(n)
		if err != nil {
			return nil, err
		}
		out = append(out, Match{Section: i, rank: rankPinned, Pinned: true, Reasons: []string{"you said so"}})
	}
	return out, nil
}

// sentenceEnds reports whether a text begins with the end of a sentence.
func sentenceEnds(text string) bool {
	if strings.IndexByte(".!?;", text[0]) < 0 {
		return false
	}
	return len(text) == 1 || text[1] == ' ' || text[1] == '\n'
}

// textsAfter returns for each requirement the rest of its sentence, up to the next requirement or
// phrase about what must stay: "the hero" is often followed by "and the footer".
func textsAfter(w Work) []string {
	low := strings.ToLower(w.Prose)
	var stops []int
	at := make([]int, len(w.Request.Requirements))
	from := 0
	for i, r := range w.Request.Requirements {
		at[i] = indexOfWords(low, strings.ToLower(r.Text), from)
		if at[i] >= 0 {
			stops, from = append(stops, at[i]), at[i]
		}
	}
	for _, s := range w.Request.Preserve {
		if k := indexOfWords(low, strings.ToLower(s), 0); k >= 0 {
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
		for end < len(low) && low[end] != '\n' && !sentenceEnds(low[end:]) {
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

// indexOfWords returns the first offset of a phrase as complete words, searching from an offset on
// and then from the start; -1 for none.
func indexOfWords(text, phrase string, from int) int {
	if phrase == "" {
		return -1
	}
	for _, start := range []int{from, 0} {
		for at := start; ; {
			k := strings.Index(text[at:], phrase)
			if k < 0 {
				break
			}
			if k += at; !isInWord(text, k) && !isInWord(text, k+len(phrase)) {
				return k
			}
			at = k + 1
		}
	}
	return -1
}

// isInWord reports whether an offset is inside a word.
func isInWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return part(before) && part(after)
}

// filesOf returns the affected files that requirement i is about: those with a name that shares a
// word with it, or all if it is the only requirement.
func filesOf(w Work, i int, more string) []string {
	var out []string
	words := map[string]bool{}
	for _, s := range KeyStems(w.Request.Requirements[i].Text + " " + more) {
		words[s] = true
	}
	for _, f := range w.Request.Affected {
		about := len(w.Request.Requirements) == 1 || strings.Contains(w.Request.Requirements[i].Text+more, path.Base(f))
		stems, _ := NameStems(FileStem(f))
		for _, s := range stems {
			about = about || words[s]
		}
		if about {
			out = append(out, f)
		}
	}
	return out
}
