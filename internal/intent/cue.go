package intent

import (
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// view is a message as grammar reads it. Made is what it made of each act, in their order: the
// marker of a requirement, or "". Type is what the message is as a whole, and Sure
// whether that is sure; it is the second best where the best is fresh, of which Anew says from 0 to 3 how
// likely it is; Doubts are the readings
// that grammar finds. Decided is what was decided of the acts so far, in their order.
type view struct {
	Text       string
	Lang       string
	PlanExists bool
	Type       belay.RequestType
	Sure       bool
	Anew       int
	Acts       []Act
	Made       []belay.Marker
	Doubts     []string
	Decided    []belay.Marker
}

// list is cues on their way. with is what grammar made of the act: most cues mean one thing
// where it asks, and another where it does not.
type list struct {
	all  []string
	with string
}

// one adds a cue by itself.
func (l *list) one(parts ...string) { l.all = append(l.all, strings.Join(parts, "")) }

// made adds a cue only beside what grammar made of the act.
func (l *list) made(parts ...string) { l.one(strings.Join(parts, ""), " / ", l.with) }

// both adds a cue by itself and beside what grammar made of the act.
func (l *list) both(parts ...string) {
	l.one(parts...)
	l.made(parts...)
}

var kinds = [...]string{"ground", "request", "complaint", "mend", "keep", "doubt", "anew", "material"}

var (
	blocks    = [...]string{"paragraph", "item", "heading", "code", "log", "trace", "quotation", "signature"}
	sections  = [...]string{"the text", "the problem", "what is expected", "what is around", "the title", "what is not asked"}
	strengths = [...]string{"not", "faintly", "plainly"}
)

// Name is a marker in a cue.
func Name(m belay.Marker) string {
	if m == "" {
		return "nothing"
	}
	return string(m)
}

// few is a number in a cue.
func few(n, many int) string {
	if n >= many {
		return "many"
	}
	return strconv.Itoa(n)
}

// act is the cues of the i-th act. Of something that is new as a whole each is said once more,
// for much means something else there.
func (m view) act(i int) []string {
	a := m.Acts[i]
	l := &list{all: make([]string, 0, 200), with: kinds[a.Deed] + " " + string(m.Made[i])}
	l.one("grammar: ", l.with)
	m.clause(l, a)
	m.neighbour(l, i, i-1, "before ")
	m.neighbour(l, i, i+1, "behind ")
	m.decided(l, i)
	m.head(l, i)
	clauseWords(l, a)
	if m.Anew > 1 {
		for _, c := range l.all {
			l.one("new: ", c)
		}
	}
	return l.all
}

// clause is what grammar says of the clause by itself.
func (m view) clause(l *list, a Act) {
	l.both("by ", a.Verb)
	l.both(joined(a))
	l.both("ends with ", a.C.Close)
	l.both("in ", blocks[a.C.Block.Kind], " of ", sections[a.C.Block.Section()])
	l.both("words ", few(len(a.C.T), 12))
	l.both("type ", string(m.Type))
	l.both("anew ", few(m.Anew, 3))
	if m.Sure {
		l.both("surely ", string(m.Type))
	}
	l.one("language ", m.Lang)
	low := a.C.Low()
	if len(low) == 0 {
		return
	}
	strength, by := Wrong(low)
	l.both("complains ", strengths[strength])
	l.one("complains by ", by)
	n, said := Strip(low)
	for _, f := range []struct {
		on   bool
		name string
	}{{a.Pronoun, "pronoun"}, {a.Also, "also"}, {a.Bare, "bare"}, {a.Made, "made"},
		{a.C.Group, "one of a row"}, {a.C.Frag, "no verb"}, {a.C.Yet, "although"}, {a.C.Colon, "behind a colon"},
		{said.Opener, "somebody asks"}, {said.Want, "wants a thing"}, {said.Nth, "nth"}, {said.Only, "only"},
		{said.Please, "please"}, {len(a.Keeps) > 0, "keeps"}, {len(a.Readings) > 0, "readings"}, {a.C.Block.Label != "", "under a label"},
		{Finite(low), "finite"}, {n < len(low) && Imperative(low[n:]) > 0, "imperative"}, {Now(low), "now"}} {
		if f.on {
			l.both(f.name)
		}
	}
	l.both("as ", shape(low))
	if n < len(low) {
		l.both("sense ", sense(low[n:]))
	}
	if len(low) > n+1 {
		l.made("as ", shape(low), " then ", shape(low[n+1:]))
	}
	m.aside(l, a)
}

// joined is what leads to a clause.
func joined(a Act) string {
	if a.C.Join == "" {
		return "begins a sentence"
	}
	return "joined by " + a.C.Join
}

// aside is what is in parentheses behind the clause: "(now 9)".
func (m view) aside(l *list, a Act) {
	to := a.C.T[len(a.C.T)-1].End
	behind := strings.TrimLeft(m.Text[to:min(len(m.Text), to+30)], " ")
	if strings.HasPrefix(behind, "(") {
		l.both("aside behind")
		if f := strings.Fields(strings.ToLower(behind[1:])); len(f) > 0 {
			l.one("aside ", Word(strings.Trim(f[0], "().,")))
		}
	}
}

// shape is how a clause begins, behind what is polite.
func shape(low []string) string {
	n, said := Strip(low)
	if n >= len(low) {
		return "nothing"
	}
	w := low[n]
	_, end := Base(w, AnyVerb)
	switch {
	case said.Want:
		return "wish"
	case Imperative(low[n:]) > 0:
		return "order"
	case Subject(w) || Pronoun(w):
		return "pronoun"
	case Articled(w):
		return "article"
	case Determiner(w):
		return "determiner"
	case Conditional(w) || Subordinator(w):
		return "condition"
	case Preposition(w):
		return "preposition"
	case Auxiliary(w):
		return "auxiliary"
	case Numeric(w):
		return "number"
	case Comparative(w):
		return "comparative"
	case end != "":
		return "verb in " + end
	}
	return "noun"
}

var senses = [...]string{"none", "add", "modify", "fix", "remove", "make", "put", "give", "use", "keep", "tidy",
	"start", "do", "capable", "show"}

// sense is what the verb means that a clause begins with.
func sense(low []string) string {
	if s, n := Phrase(low); n > 0 {
		return senses[s]
	}
	b, end := Base(low[0], AnyVerb)
	s, _ := Verb(b)
	return senses[s] + end
}

// neighbour is the act right before or behind, the j-th.
func (m view) neighbour(l *list, i, j int, side string) {
	if j < 0 || j >= len(m.Acts) {
		l.made(side, "nothing")
		return
	}
	a, b := m.Acts[i], m.Acts[j]
	where := near(a, b)
	is := kinds[b.Deed] + " " + string(m.Made[j])
	l.both(side, where)
	l.made(side, where, " ", is)
	l.made(side, is)
	l.made(side, joined(b))
	low, other := a.C.Low(), b.C.Low()
	if Shares(low, other) {
		l.made(side, "of the same")
	}
	if len(low) == 0 || len(other) == 0 {
		return
	}
	n, said := Strip(other)
	l.made(side, where, " as ", shape(other), " and ", shape(low))
	l.made(side, "begins ", Word(other[0]))
	l.one(side, where, " begins ", Word(other[min(n, len(other)-1)]), " of ", l.with)
	for _, f := range []struct {
		on   bool
		name string
	}{{b.Pronoun, "pronoun"}, {said.Opener, "somebody asks"}, {said.Please, "please"}, {Finite(other), "finite"}} {
		if f.on {
			l.made(side, where, " ", f.name)
		}
	}
}

// decided is what was decided of the clause before, and of the last one that asks for something.
func (m view) decided(l *list, i int) {
	if i == 0 {
		return
	}
	a, b, k := m.Acts[i], m.Acts[i-1], string(m.Decided[i-1])
	l.both("after ", near(a, b), " ", k)
	l.made("after ", near(a, b), " ", k, " ", kinds[b.Deed])
	if low, other := a.C.Low(), b.C.Low(); len(low) > 0 && len(other) > 0 {
		l.made("after ", near(a, b), " ", k, " ", joined(a), " as ", shape(other), " and ", shape(low))
	}
	for j := i - 1; j >= 0; j-- {
		if m.Decided[j] != "" {
			l.both("last ", near(a, m.Acts[j]), " ", string(m.Decided[j]))
			if Shares(a.C.Low(), m.Acts[j].C.Low()) {
				l.both("last of the same")
			}
			return
		}
	}
	l.both("nothing before")
}

// head is what the sentence began with, or what is in front of its last colon.
func (m view) head(l *list, i int) {
	a := m.Acts[i]
	j := i
	for j > 0 && near(a, m.Acts[j-1]) == "here" && !(j < i && m.Acts[j].C.Colon) {
		j--
	}
	if j == i {
		return
	}
	b := m.Acts[j]
	lead := "head "
	if b.C.Colon {
		lead = "head behind a colon "
	}
	l.both(lead, Name(m.Made[j]), " decided ", string(m.Decided[j]))
	l.both(lead, "by ", b.Verb)
	if low, other := a.C.Low(), b.C.Low(); len(low) > 0 && len(other) > 0 {
		l.made(lead, string(m.Decided[j]), " ", joined(a), " as ", shape(other), " and ", shape(low))
	}
}

func near(a, b Act) string {
	switch {
	case a.C.Line != b.C.Line:
		return "far"
	case a.C.Sent != b.C.Sent:
		return "near"
	}
	return "here"
}

// telling are the small words whose meaning depends on what the clause is.
var telling = lazyregexp.Of("not don't doesn't no never too only still always when if should must can please just " +
	"instead but i we it they you is are was again now currently")

// mostWords is how many words of a clause are cues.
const mostWords = 60

// clauseWords are the words of a clause: how it begins and ends, all of them with their stems, and
// pairs.
func clauseWords(l *list, a Act) {
	low := a.C.Low()
	if len(low) == 0 {
		return
	}
	n, _ := Strip(low)
	l.one("word 1 ", Word(low[0]))
	if n < len(low) {
		l.both("begins ", Word(low[n]))
	}
	if n+1 < len(low) {
		l.one("then ", Word(low[n+1]))
	}
	l.one("ends in ", Word(low[len(low)-1]))
	each(low[:min(len(low), mostWords)], l, func(w string) {
		if telling.Has(w) {
			l.made("has ", w)
		}
	})
}

// each adds every word once, its stem, and the pair that it begins.
func each(low []string, l *list, more func(string)) {
	for k, w := range low {
		if slices.Contains(low[:k], w) {
			continue
		}
		if l.one("has ", Word(w)); Stem(w) != w {
			l.one("has ", Stem(w), "~")
		}
		if k+1 < len(low) {
			l.one("has ", Word(w), " ", Word(low[k+1]))
		}
		if more != nil {
			more(w)
		}
	}
}

// Word is a word as cues have it: a number is any number.
func Word(w string) string {
	if w != "" && w[0] >= '0' && w[0] <= '9' {
		return "0"
	}
	return w
}

// mark is a token as cues have it.
func mark(t Token) string {
	if t.Form == WordForm || t.Form == Mark {
		return t.Low
	}
	return `"`
}
