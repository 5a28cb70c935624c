package intent

import (
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// messageView is a message as the grammar interprets it. GrammarMarkers are the grammar's markers
// of the acts, "" for no requirement. Type is the type of the message, and Sure whether it is
// certain; if the best type is fresh, Type is the second best, and Anew is the likelihood of fresh,
// from 0 to 3. Doubts are the readings that the grammar finds. Decided are the final markers of the
// acts so far.
type messageView struct {
	Text           string
	Lang           string
	PlanExists     bool
	Type           belay.RequestType
	Sure           bool
	Anew           int
	Acts           []Act
	GrammarMarkers []belay.Marker
	Doubts         []string
	Decided        []belay.Marker
}

// cueList collects cues. grammar is how the grammar interpreted the act: most cues mean one thing
// in a request, and another elsewhere.
type cueList struct {
	cues    []string
	grammar string
}

// add adds a cue.
func (l *cueList) add(parts ...string) { l.cues = append(l.cues, strings.Join(parts, "")) }

// addWithGrammar adds a cue in combination with the grammar's interpretation of the act.
func (l *cueList) addWithGrammar(parts ...string) { l.add(strings.Join(parts, ""), " / ", l.grammar) }

// addBoth adds a cue alone and in combination with the grammar's interpretation.
func (l *cueList) addBoth(parts ...string) {
	l.add(parts...)
	l.addWithGrammar(parts...)
}

var kindNames = [...]string{"ground", "request", "complaint", "mend", "keep", "doubt", "anew", "material"}

var (
	blockNames    = [...]string{"paragraph", "item", "heading", "code", "log", "trace", "quotation", "signature"}
	sectionNames  = [...]string{"the text", "the problem", "what is expected", "what is around", "the title", "what is not asked"}
	strengthNames = [...]string{"not", "faintly", "plainly"}
)

// markerName returns the name of a marker in cues.
func markerName(m belay.Marker) string {
	if m == "" {
		return "nothing"
	}
	return string(m)
}

// cappedNumber returns a number as cues write it.
func cappedNumber(n, many int) string {
	if n >= many {
		return "many"
	}
	return strconv.Itoa(n)
}

// actCues returns the cues of the i-th act. If the message probably asks for something new, each
// cue is repeated with a prefix, because many mean something else there.
func (m messageView) actCues(i int) []string {
	a := m.Acts[i]
	l := &cueList{cues: make([]string, 0, 200), grammar: kindNames[a.Kind] + " " + string(m.GrammarMarkers[i])}
	l.add("grammar: ", l.grammar)
	m.addClause(l, a)
	m.addNeighbour(l, i, i-1, "before ")
	m.addNeighbour(l, i, i+1, "behind ")
	m.addDecided(l, i)
	m.addHead(l, i)
	addClauseWords(l, a)
	if m.Anew > 1 {
		for _, c := range l.cues {
			l.add("new: ", c)
		}
	}
	return l.cues
}

// addClause adds what the grammar finds in the clause alone.
func (m messageView) addClause(l *cueList, a Act) {
	l.addBoth("by ", a.Verb)
	l.addBoth(leadName(a))
	l.addBoth("ends with ", a.Clause.EndMark)
	l.addBoth("in ", blockNames[a.Clause.Block.Kind], " of ", sectionNames[a.Clause.Block.Section()])
	l.addBoth("words ", cappedNumber(len(a.Clause.Tokens), 12))
	l.addBoth("type ", string(m.Type))
	l.addBoth("anew ", cappedNumber(m.Anew, 3))
	if m.Sure {
		l.addBoth("surely ", string(m.Type))
	}
	l.add("language ", m.Lang)
	low := a.Clause.Lower()
	if len(low) == 0 {
		return
	}
	strength, by := ComplaintStrength(low)
	l.addBoth("complains ", strengthNames[strength])
	l.add("complains by ", by)
	n, said := ReadPrefix(low)
	for _, f := range []struct {
		on   bool
		name string
	}{{a.Pronoun, "pronoun"}, {a.IsAdditional, "also"}, {a.HasNoObject, "bare"}, {a.IsNew, "made"},
		{a.Clause.IsEnumerated, "one of a row"}, {a.Clause.IsFragment, "no verb"}, {a.Clause.HasAlthough, "although"},
		{a.Clause.IsAfterColon, "behind a colon"},
		{said.HasOpener, "somebody asks"}, {said.WantsThing, "wants a thing"}, {said.IsEnumerated, "nth"}, {said.HasOnly, "only"},
		{said.HasPlease, "please"}, {len(a.Keeps) > 0, "keeps"}, {len(a.Readings) > 0, "readings"},
		{a.Clause.Block.Label != "", "under a label"},
		{HasFiniteVerb(low), "finite"}, {n < len(low) && ImperativeLength(low[n:]) > 0, "imperative"}, {SaysPresent(low), "now"}} {
		if f.on {
			l.addBoth(f.name)
		}
	}
	l.addBoth("as ", clauseShape(low))
	if n < len(low) {
		l.addBoth("sense ", leadingSense(low[n:]))
	}
	if len(low) > n+1 {
		l.addWithGrammar("as ", clauseShape(low), " then ", clauseShape(low[n+1:]))
	}
	m.addAside(l, a)
}

// leadName returns the name of what introduces a clause.
func leadName(a Act) string {
	if a.Clause.Join == "" {
		return "begins a sentence"
	}
	return "joined by " + a.Clause.Join
}

// addAside adds what is in parentheses behind the clause: "(now 9)".
func (m messageView) addAside(l *cueList, a Act) {
	to := a.Clause.Tokens[len(a.Clause.Tokens)-1].End
	behind := strings.TrimLeft(m.Text[to:min(len(m.Text), to+30)], " ")
	if strings.HasPrefix(behind, "(") {
		l.addBoth("aside behind")
		if f := strings.Fields(strings.ToLower(behind[1:])); len(f) > 0 {
			l.add("aside ", cueWord(strings.Trim(f[0], "().,")))
		}
	}
}

// clauseShape returns how a clause begins, without its polite prefix.
func clauseShape(low []string) string {
	n, said := ReadPrefix(low)
	if n >= len(low) {
		return "nothing"
	}
	w := low[n]
	_, end := BaseForm(w, IsAnyVerb)
	switch {
	case said.WantsThing:
		return "wish"
	case ImperativeLength(low[n:]) > 0:
		return "order"
	case IsSubject(w) || IsPronoun(w):
		return "pronoun"
	case IntroducesNew(w):
		return "article"
	case IsDeterminer(w):
		return "determiner"
	case IsConditional(w) || IsSubordinator(w):
		return "condition"
	case IsPreposition(w):
		return "preposition"
	case IsAuxiliary(w):
		return "auxiliary"
	case IsNumeric(w):
		return "number"
	case IsComparative(w):
		return "comparative"
	case end != "":
		return "verb in " + end
	}
	return "noun"
}

var senseNames = [...]string{"none", "add", "modify", "fix", "remove", "make", "put", "give", "use", "keep", "tidy",
	"start", "do", "capable", "show"}

// leadingSense returns the sense of the verb that a clause begins with.
func leadingSense(low []string) string {
	if s, n := ReadPhrasalVerb(low); n > 0 {
		return senseNames[s]
	}
	b, end := BaseForm(low[0], IsAnyVerb)
	s, _ := VerbSense(b)
	return senseNames[s] + end
}

// addNeighbour adds the cues of act j, the one directly before or behind.
func (m messageView) addNeighbour(l *cueList, i, j int, side string) {
	if j < 0 || j >= len(m.Acts) {
		l.addWithGrammar(side, "nothing")
		return
	}
	a, b := m.Acts[i], m.Acts[j]
	where := near(a, b)
	is := kindNames[b.Kind] + " " + string(m.GrammarMarkers[j])
	l.addBoth(side, where)
	l.addWithGrammar(side, where, " ", is)
	l.addWithGrammar(side, is)
	l.addWithGrammar(side, leadName(b))
	low, other := a.Clause.Lower(), b.Clause.Lower()
	if SharesContent(low, other) {
		l.addWithGrammar(side, "of the same")
	}
	if len(low) == 0 || len(other) == 0 {
		return
	}
	n, said := ReadPrefix(other)
	l.addWithGrammar(side, where, " as ", clauseShape(other), " and ", clauseShape(low))
	l.addWithGrammar(side, "begins ", cueWord(other[0]))
	l.add(side, where, " begins ", cueWord(other[min(n, len(other)-1)]), " of ", l.grammar)
	for _, f := range []struct {
		on   bool
		name string
	}{{b.Pronoun, "pronoun"}, {said.HasOpener, "somebody asks"}, {said.HasPlease, "please"}, {HasFiniteVerb(other), "finite"}} {
		if f.on {
			l.addWithGrammar(side, where, " ", f.name)
		}
	}
}

// addDecided adds the decision on the previous clause, and on the last one that asks for something.
func (m messageView) addDecided(l *cueList, i int) {
	if i == 0 {
		return
	}
	a, b, k := m.Acts[i], m.Acts[i-1], string(m.Decided[i-1])
	l.addBoth("after ", near(a, b), " ", k)
	l.addWithGrammar("after ", near(a, b), " ", k, " ", kindNames[b.Kind])
	if low, other := a.Clause.Lower(), b.Clause.Lower(); len(low) > 0 && len(other) > 0 {
		l.addWithGrammar("after ", near(a, b), " ", k, " ", leadName(a), " as ", clauseShape(other), " and ", clauseShape(low))
	}
	for j := i - 1; j >= 0; j-- {
		if m.Decided[j] != "" {
			l.addBoth("last ", near(a, m.Acts[j]), " ", string(m.Decided[j]))
			if SharesContent(a.Clause.Lower(), m.Acts[j].Clause.Lower()) {
				l.addBoth("last of the same")
			}
			return
		}
	}
	l.addBoth("nothing before")
}

// addHead adds the first clause of the sentence, or the one before its last colon.
func (m messageView) addHead(l *cueList, i int) {
	a := m.Acts[i]
	j := i
	for j > 0 && near(a, m.Acts[j-1]) == "here" && !(j < i && m.Acts[j].Clause.IsAfterColon) {
		j--
	}
	if j == i {
		return
	}
	b := m.Acts[j]
	lead := "head "
	if b.Clause.IsAfterColon {
		lead = "head behind a colon "
	}
	l.addBoth(lead, markerName(m.GrammarMarkers[j]), " decided ", string(m.Decided[j]))
	l.addBoth(lead, "by ", b.Verb)
	if low, other := a.Clause.Lower(), b.Clause.Lower(); len(low) > 0 && len(other) > 0 {
		l.addWithGrammar(lead, string(m.Decided[j]), " ", leadName(a), " as ", clauseShape(other), " and ", clauseShape(low))
	}
}

func near(a, b Act) string {
	switch {
	case a.Clause.Line != b.Clause.Line:
		return "far"
	case a.Clause.Sentence != b.Clause.Sentence:
		return "near"
	}
	return "here"
}

// telltaleWords are function words that mean different things in different kinds of clauses.
var telltaleWords = lazyregexp.Of("not don't doesn't no never too only still always when if should must can please just " +
	"instead but i we it they you is are was again now currently")

// maxCueWords is how many words of a clause are cues.
const maxCueWords = 60

// addClauseWords adds the words of a clause: the first and last, all of them with their stems, and
// pairs.
func addClauseWords(l *cueList, a Act) {
	low := a.Clause.Lower()
	if len(low) == 0 {
		return
	}
	n, _ := ReadPrefix(low)
	l.add("word 1 ", cueWord(low[0]))
	if n < len(low) {
		l.addBoth("begins ", cueWord(low[n]))
	}
	if n+1 < len(low) {
		l.add("then ", cueWord(low[n+1]))
	}
	l.add("ends in ", cueWord(low[len(low)-1]))
	eachWord(low[:min(len(low), maxCueWords)], l, func(w string) {
		if telltaleWords.Has(w) {
			l.addWithGrammar("has ", w)
		}
	})
}

// eachWord adds every word once, its stem, and the pair it begins.
func eachWord(low []string, l *cueList, more func(string)) {
	for k, w := range low {
		if slices.Contains(low[:k], w) {
			continue
		}
		if l.add("has ", cueWord(w)); Stem(w) != w {
			l.add("has ", Stem(w), "~")
		}
		if k+1 < len(low) {
			l.add("has ", cueWord(w), " ", cueWord(low[k+1]))
		}
		if more != nil {
			more(w)
		}
	}
}

// cueWord returns a word as cues write it: all numbers are 0.
func cueWord(w string) string {
	if w != "" && w[0] >= '0' && w[0] <= '9' {
		return "0"
	}
	return w
}

// tokenCue returns a token as cues write it.
func tokenCue(t Token) string {
	if t.Form == WordForm || t.Form == Mark {
		return t.Lower
	}
	return `"`
}
