package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// deed is what a clause does in the conversation.
type deed int

const (
	ground    deed = iota // background: says nothing to do
	request               // asks for something
	complaint             // says that something is wrong
	mend                  // "fix it": asks to repair what was said or shown
	expected              // says how it should be instead: the other side of a complaint
	keep                  // wants something left alone
	doubt                 // can be read in two ways
	anew                  // start over
	material              // a pasted crash or log
)

// act is a clause understood.
type act struct {
	deed     deed
	marker   belay.Marker
	strength int
	verb     string // the words that decided
	core     span   // what the phrase is taken from
	obj      int    // where the object begins
	pronoun  bool   // the object or subject is "it", "them"
	also     bool
	readings []string
	keeps    []span
	c        clause
	made     bool // a verb of making, or a thing asked for, with an indefinite object
}

// read understands one clause.
func read(c clause) act {
	low := c.low()
	n, s := strip(low)
	a := act{c: c, also: s.also, core: span{n, len(low)}, obj: n}
	if n >= len(low) {
		return a
	}
	if sp, whole, ok := keeps(low); ok {
		a.keeps = append(a.keeps, sp)
		if whole {
			a.deed = keep
			return a
		}
		low, c.t = low[:slices.Index(low, "without")], c.t[:slices.Index(low, "without")]
		a.c, a.core.to = c, len(low)
	}
	a = a.understand(low, low[n:], n, s)
	if a.deed != ground && a.core.to > len(a.c.t) {
		a.core.to = len(a.c.t)
	}
	return a
}

func (a act) understand(low, rest []string, n int, s said) act {
	if over(rest) {
		a.deed, a.verb = anew, strings.Join(rest[:min(3, len(rest))], " ")
		return a
	}
	if r := vague(rest); r != nil {
		a.deed, a.readings = doubt, r
		return a
	}
	if a.c.join == "because" || a.c.join == "if" {
		if strength, by := wrong(low); strength == plain && a.c.join == "because" {
			a.deed, a.strength, a.verb = complaint, faint, by
		}
		return a
	}
	if k := imperative(rest); k > 0 && !(a.c.close == "?" && finite(rest) && !s.opener) {
		return a.imperative(rest, n, k)
	}
	if len(rest) > 2 && (rest[0] == "we" && rest[1] == "are" || rest[0] == "i" && rest[1] == "am") {
		if b, end := words.Base(rest[2], anyVerb); end == "ing" && creating[b] {
			a.deed, a.marker, a.made, a.verb, a.obj = request, belay.MarkAdd, true, b, n+3
			return a
		}
	}
	if b, end := words.Base(rest[min(1, len(rest)-1)], anyVerb); (rest[0] == "i'm" || rest[0] == "we're") && end == "ing" && creating[b] {
		a.deed, a.marker, a.made, a.verb, a.obj = request, belay.MarkAdd, true, b, n+2
		return a
	}
	if strength, by := wrong(low); strength > fine && !s.want {
		a.deed, a.marker, a.strength, a.verb = complaint, belay.MarkFix, strength, by
		a.pronoun = words.Pronoun(rest[0])
		return a
	}
	if k := shouldFirst(rest); k && a.c.join != "" {
		a.deed, a.pronoun, a.verb = expected, true, rest[0]
		return a
	}
	if m, ok := inverted(rest); ok && a.c.close == "?" {
		a.deed, a.marker, a.verb = request, m, rest[0]
		return a
	}
	if s.want && !finite(rest) {
		return a.wanted(rest)
	}
	if finite(rest) {
		return a.declarative(rest, s)
	}
	if s.opener && len(rest) > 2 && (rest[0] == "the" || rest[0] == "it" || rest[0] == "there" || rest[0] == "i" || rest[0] == "we") {
		for i := 1; i < min(4, len(rest)); i++ {
			if b, end := words.Base(rest[i], anyVerb); b != "" && end == "" && !nounish[b] { // "that the map remember the zoom"
				return a.imperative(rest[i:], n+i, 1)
			}
		}
	}
	return a.fragment(rest, s)
}

// inverted reads a question with its subject inside: "can the decoder be made to
// stream", "could the list show the date".
func inverted(low []string) (belay.Marker, bool) {
	if len(low) < 4 || low[0] != "can" && low[0] != "could" && low[0] != "would" && low[0] != "should" && low[0] != "may" && low[0] != "shall" {
		return "", false
	}
	for i := 2; i < min(len(low), 8); i++ {
		if low[i] == "be" && i+1 < len(low) {
			return passive(low[i+1:]), true
		}
		if low[i] == "have" || low[i] == "get" {
			return belay.MarkAdd, true
		}
		if b, end := words.Base(low[i], anyVerb); b != "" && end == "" && (!nounish[b] || i+1 < len(low) && words.Determiner(low[i+1])) {
			sense, _ := words.Verb(b)
			return markerOf(sense), true
		}
	}
	return belay.MarkModify, true
}

// markerOf is what a verb's sense asks for where nothing else is known.
func markerOf(s words.Sense) belay.Marker {
	switch s {
	case words.Modify, words.Put, words.Use, words.Tidy:
		return belay.MarkModify
	case words.Fix:
		return belay.MarkFix
	case words.Remove:
		return belay.MarkRemove
	}
	return belay.MarkAdd
}

// shouldFirst reports a clause whose subject was named before: "should be Monday".
func shouldFirst(low []string) bool {
	return len(low) > 1 && (low[0] == "should" || low[0] == "must" || low[0] == "ought") && low[1] != "have"
}

// over reports that everything is to begin anew.
func over(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" start over ", " starting over ", " start again from ", " start from scratch ", " start from zero ", " begin again ", " start again ", " start afresh ", " start anew ",
		" scrap everything ", " scrap it ", " scrap this ", " scrap that ", " scrap the whole ", " scrap all ", " throw this away ", " throw it away ", " throw all of this away ", " throw everything away ", " throw it all away ", " throw away everything ", " bin everything ", " bin it all ", " wipe everything ", " forget everything ", " from a clean slate ", " clean slate ", " delete everything and ", " rebuild everything from scratch ", " rebuild it from scratch "} {
		if strings.Contains(line, p) && !strings.Contains(line, "starts over") {
			return true
		}
	}
	return false
}

// wanted reads a thing that is asked for: "we need backups", "I'd like a legend".
func (a act) wanted(rest []string) act {
	a.deed, a.marker, a.verb = request, belay.MarkAdd, "we want"
	switch {
	case old(rest) || a.c.topic != "" && compared(rest) > 0:
		a.marker = belay.MarkModify
	case compared(rest) > 0 && words.Determiner(rest[0]) && rest[0] != "a" && rest[0] != "an" && rest[0] != "another":
		a.marker = belay.MarkModify
	case toVerb(rest) > 0:
		i := toVerb(rest)
		b := a.imperative(rest[i:], a.obj+i, imperative(rest[i:]))
		if b.deed == request && b.marker != belay.MarkRemove {
			a.marker, a.verb = b.marker, b.verb
		}
	case rest[0] == "the" || rest[0] == "our" || rest[0] == "my":
		a.marker = belay.MarkModify
	}
	a.made = a.marker == belay.MarkAdd && indefinite(rest)
	return a
}

// toVerb finds "X to V": somebody or something is to do something.
func toVerb(low []string) int {
	for i := 1; i+1 < len(low) && i < 6; i++ {
		if low[i] == "to" && imperative(low[i+1:]) > 0 && (low[0] == "the" || low[0] == "it" || words.Subject(low[0])) {
			return i + 1
		}
	}
	return 0
}

// old reports that something takes the place of something else: instead of, rather
// than, "85 not 95", from A to B.
func old(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" instead ", " rather than ", " in place of ", " in favour of ", " in favor of ", " in lieu of ", " not just "} {
		if strings.Contains(line, p) && p != " not just " {
			return true
		}
	}
	if i := slices.Index(low, "from"); i > 0 && i+3 < len(low) && low[i+2] == "to" {
		if _, ok := value(low[i+1]); ok {
			return true
		}
	}
	for i, w := range low {
		if (w == "->" || w == "→" || w == "=>") && i > 0 && i+1 < len(low) {
			return true
		}
		if w == "not" && i > 1 && i+1 < len(low) && (low[i+1] == "the" || low[i+1] == "a") && !words.Auxiliary(low[i-1]) {
			return true
		}
		if w == "not" && i > 0 && i+1 < len(low) {
			if _, ok := value(low[i+1]); ok {
				return true
			}
			if i > 1 && low[i-1] == "," && i+2 >= len(low)-1 {
				return true
			}
		}
	}
	return false
}

// value reports a number, with or without a unit: 5, 30s, 3e-4, 512mi, v2.
func value(w string) (string, bool) {
	if _, ok := words.Number(w); ok {
		return w, true
	}
	return w, w != "" && (w[0] >= '0' && w[0] <= '9' || w[0] == '#' && len(w) > 3)
}

// compared is where a word stands that says how something should look or be.
func compared(low []string) int {
	for i, w := range low {
		if words.Comparative(w) && (i > 0 || len(low) > 1) {
			return i + 1
		}
		if w == "more" && i+1 < len(low) && !words.Determiner(low[i+1]) {
			if i == 0 {
				return 1
			}
			if _, ok := words.Number(low[i-1]); !ok && low[i-1] != "some" && low[i-1] != "any" {
				return i + 1
			}
		}
	}
	return 0
}

// indefinite reports a thing that is not there yet by its article.
func indefinite(low []string) bool {
	if len(low) == 0 {
		return false
	}
	switch low[0] {
	case "a", "an", "another", "new", "some", "one":
		return true
	case "the", "this", "that", "these", "those", "my", "our", "your", "its", "their", "his", "her", "all", "both", "every", "each", "it", "them", "\"":
		return false
	}
	return !words.Auxiliary(low[0])
}

// text is the stretch of the message, for a phrase and for what is kept verbatim.
func (c clause) text(msg string, s span) string {
	t := c.t[s.from:s.to]
	if len(t) == 0 {
		return ""
	}
	return strings.TrimSpace(msg[t[0].At:t[len(t)-1].End])
}
