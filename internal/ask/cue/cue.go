// Package cue says in words what can be told of a clause without deciding anything: what
// grammar made of it, how it begins, what stands before and behind it. A cue is a short string
// that a person can read; what each is worth is weighed elsewhere. It touches no file, process,
// clock or network.
package cue

import (
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/belay"
)

// Message is a message as grammar reads it. Made is what it made of each act, in their order: the
// marker of a requirement, or "". Type is what the message is as a whole; Doubts are the readings
// that grammar finds. Decided is what was decided of the acts so far, in their order.
type Message struct {
	Text       string
	Lang       string
	PlanExists bool
	Type       belay.RequestType
	Acts       []deed.Act
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

var kinds = [...]string{"ground", "request", "complaint", "mend", "expected", "keep", "doubt", "anew", "material"}

var (
	blocks    = [...]string{"paragraph", "item", "heading", "code", "log", "trace", "quotation", "signature"}
	sections  = [...]string{"the text", "the problem", "what is expected", "what is around", "the title", "what is not asked"}
	strengths = [...]string{"not", "faintly", "plainly"}
)

// joined is what leads to a clause.
func joined(a deed.Act) string {
	if a.C.Join == "" {
		return "begins a sentence"
	}
	return "joined by " + a.C.Join
}

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

// Act is the cues of the i-th act. Of something that is new as a whole each is said once more,
// for much means something else there.
func (m Message) Act(i int) []string {
	a := m.Acts[i]
	l := &list{all: make([]string, 0, 200), with: Name(m.Made[i])}
	l.one("grammar: ", l.with)
	m.clause(l, a)
	m.flags(l, a)
	m.place(l, i)
	m.neighbour(l, i, i-1, "before ")
	m.neighbour(l, i, i+1, "behind ")
	m.asked(l, i)
	m.company(l, i)
	m.decided(l, i)
	clauseWords(l, a)
	if m.Type == belay.Fresh {
		for _, c := range l.all {
			l.one("whole: ", c)
		}
	}
	return l.all
}

// clause is what grammar says of the clause by itself.
func (m Message) clause(l *list, a deed.Act) {
	l.both("is ", kinds[a.Deed])
	l.one("is ", kinds[a.Deed], " ", string(a.Marker), " ", strengths[a.Strength])
	l.both("by ", a.Verb)
	l.both(joined(a))
	l.both("ends with ", a.C.Close)
	l.both("in ", blocks[a.C.Block.Kind], " of ", sections[a.C.Block.Section()])
	l.both("pairs of words ", few(len(a.C.T)/2, 9))
	l.made("type ", string(m.Type))
	l.one("type ", string(m.Type), " is ", kinds[a.Deed])
	if m.PlanExists {
		l.made("plan")
	}
	l.one("language ", m.Lang)
	if low := a.C.Low(); len(low) > 0 {
		strength, by := fault.Wrong(low)
		l.both("complains ", strengths[strength])
		l.one("complains by ", by)
		m.aside(l, a)
	}
}

// aside is what stands in parentheses in or behind the clause: "(now 9)".
func (m Message) aside(l *list, a deed.Act) {
	from, to := a.C.T[0].At, a.C.T[len(a.C.T)-1].End
	behind := strings.TrimLeft(m.Text[to:min(len(m.Text), to+30)], " ")
	switch {
	case strings.HasPrefix(behind, "("):
		l.both("aside behind")
		if f := strings.Fields(strings.ToLower(behind[1:])); len(f) > 0 {
			l.one("aside ", Word(strings.Trim(f[0], "().,")))
		}
	case strings.Contains(m.Text[from:to], "("):
		l.both("aside within")
	}
}

// flags is what grammar found in the clause, or not.
func (m Message) flags(l *list, a deed.Act) {
	low := a.C.Low()
	said, imperative := front(low)
	for _, f := range []struct {
		on   bool
		name string
	}{{a.Pronoun, "pronoun"}, {a.Also, "also"}, {a.Nth, "nth"}, {a.Only, "only"}, {a.Bare, "bare"}, {a.Told, "told"}, {a.Stated, "stated"}, {a.Made, "made"},
		{a.C.Group, "one of a row"}, {a.C.Frag, "no verb"}, {a.C.Yet, "although"}, {a.C.Colon, "behind a colon"}, {a.C.Gap, "verb of the one before"}, {a.C.Topic != "", "under a topic"},
		{said.Opener, "somebody asks"}, {said.Want, "wants a thing"}, {said.Please, "please"}, {len(a.Keeps) > 0, "keeps"}, {len(a.Readings) > 0, "readings"}, {a.C.Block.Label != "", "under a label"},
		{len(low) > 0 && grammar.Finite(low), "finite"}, {imperative, "imperative"}, {len(low) > 0 && grammar.Now(low), "now"}} {
		if f.on {
			l.both(f.name)
		}
	}
}

// front is how a clause begins.
func front(low []string) (s grammar.Said, imperative bool) {
	if len(low) == 0 {
		return s, false
	}
	n, s := grammar.Strip(low)
	return s, n < len(low) && grammar.Imperative(low[n:]) > 0
}

// Word is a word as cues have it: a number is any number.
func Word(w string) string {
	if w != "" && w[0] >= '0' && w[0] <= '9' {
		return "0"
	}
	return w
}

// mark is a token as cues have it.
func mark(t prose.Token) string {
	if t.Form == prose.Word || t.Form == prose.Mark {
		return t.Low
	}
	return `"`
}
