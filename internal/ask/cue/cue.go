// Package cue says in words what can be told of a clause without deciding anything: what
// grammar made of it, how it begins, what stands before and behind it. A cue is a short string
// that a person can read; what each is worth is weighed elsewhere. It touches no file, process,
// clock or network.
package cue

import (
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Message is a message as grammar reads it. Made is what it made of each act, in their order;
// Type what it takes the whole for; Doubts why it is in doubt.
type Message struct {
	Text       string
	Lang       string
	PlanExists bool
	Type       belay.RequestType
	Acts       []deed.Act
	Made       []Made
	Doubts     []string
	Decided    []belay.Marker // what was decided of the acts so far, in their order
}

// Made is what grammar makes of an act: a requirement with this marker, or none, and why.
type Made struct {
	Marker belay.Marker
	Why    string
}

// none is the name of an act that asks for nothing.
const none = "nothing"

func (m Made) name() string {
	if m.Marker == "" {
		return none
	}
	return string(m.Marker)
}

// list is cues on their way. with is what grammar made of the act: most cues mean one thing
// where it asks, and another where it does not.
type list struct {
	all  []string
	with string
}

func (l *list) one(parts ...string) { l.all = append(l.all, strings.Join(parts, "")) }

// both adds a cue by itself and beside what grammar made of the act.
func (l *list) both(parts ...string) {
	c := strings.Join(parts, "")
	l.all = append(l.all, c, c+" / "+l.with)
}

// made adds a cue only beside what grammar made of the act.
func (l *list) made(parts ...string) {
	l.all = append(l.all, strings.Join(parts, "")+" / "+l.with)
}

var kinds = [...]string{"ground", "request", "complaint", "mend", "expected", "keep", "doubt", "anew", "material"}

func few(n, most int) string {
	if n >= most {
		return "many"
	}
	return strconv.Itoa(n)
}

// Act is the cues of the i-th act.
func (m Message) Act(i int) []string {
	a := m.Acts[i]
	l := &list{all: make([]string, 0, 160), with: m.Made[i].name()}
	l.one("grammar: ", l.with)
	l.both("why: ", Reason(m.Made[i].Why))
	m.clause(l, a)
	m.flags(l, a)
	if len(a.C.T) > 0 {
		from, to := a.C.T[0].At, a.C.T[len(a.C.T)-1].End
		end := min(len(m.Text), to+30)
		behind := strings.TrimLeft(m.Text[to:end], " ")
		if behind != "" && behind[0] == '(' {
			l.both("aside"); f := strings.Fields(strings.ToLower(behind[1:])); if len(f) > 0 { l.one("aside ", Word(strings.Trim(f[0], "().,"))) }
		} else if strings.Contains(m.Text[from:to], "(") { l.both("aside within") }
	}
	m.place(l, i)
	for _, d := range []int{-1, 1} {
		m.neighbour(l, i, d)
	}
	m.last(l, i)
	m.company(l, i)
	m.decided(l, i)
	m.words(l, a)
	if m.Type == belay.Fresh {
		for _, c := range l.all[:len(l.all):len(l.all)] {
			l.all = append(l.all, "whole: "+c)
		}
	}
	return l.all
}

// Reason is why an act was read as it was, without the words of the message.
func Reason(why string) string {
	for {
		i := strings.Index(why, "“")
		if i < 0 {
			return why
		}
		j := strings.Index(why[i:], "”")
		if j < 0 {
			return why[:i]
		}
		why = why[:i] + why[i+j+len("”"):]
	}
}

func (m Message) clause(l *list, a deed.Act) {
	l.both("is ", kinds[a.Deed])
	l.one("is ", kinds[a.Deed], " ", string(a.Marker), " ", few(a.Strength+1, 9))
	l.both("by ", a.Verb)
	l.both("joined by ", a.C.Join)
	l.both("ends ", a.C.Close)
	l.both("block ", few(int(a.C.Block.Kind), 9), " ", few(int(a.C.Block.Section()), 9))
	l.both("words ", few(len(a.C.T)/2, 9))
	l.made("type ", string(m.Type))
	l.one("type ", string(m.Type), " is ", kinds[a.Deed])
	l.made("plan ", few(truth(m.PlanExists), 2))
	l.one("language ", m.Lang)
	low := a.C.Low()
	if len(low) == 0 {
		return
	}
	strength, by := fault.Wrong(low)
	l.both("wrong ", few(strength+1, 9))
	l.one("wrong by ", by)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m Message) flags(l *list, a deed.Act) {
	low := a.C.Low()
	n, s := 0, grammar.Said{}
	if len(low) > 0 {
		n, s = grammar.Strip(low)
	}
	for _, f := range []struct {
		on   bool
		name string
	}{{a.Pronoun, "pronoun"}, {a.Also, "also"}, {a.Nth, "nth"}, {a.Only, "only"}, {a.Bare, "bare"}, {a.Told, "told"}, {a.Stated, "stated"}, {a.Made, "made"},
		{a.C.Group, "one of a row"}, {a.C.Frag, "no verb"}, {a.C.Yet, "although"}, {a.C.Colon, "behind a colon"}, {a.C.Gap, "verb of the one before"}, {a.C.Topic != "", "under a topic"},
		{s.Opener, "somebody asks"}, {s.Want, "wants a thing"}, {s.Please, "please"}, {len(a.Keeps) > 0, "keeps"}, {len(a.Readings) > 0, "readings"}, {a.C.Block.Label != "", "under a label"},
		{len(low) > 0 && grammar.Finite(low), "finite"}, {n < len(low) && grammar.Imperative(low[n:]) > 0, "imperative"}, {len(low) > 0 && grammar.Now(low), "now"}} {
		if f.on {
			l.both(f.name)
		}
	}
}

// place is where in the message the act stands, and what else is asked.
func (m Message) place(l *list, i int) {
	where := "in the middle"
	switch n := len(m.Acts); {
	case n == 1:
		where = "alone"
	case i == 0:
		where = "first"
	case i == n-1:
		where = "last"
	}
	l.both(where)
	l.one("of ", few(len(m.Acts), 6))
	before, after := 0, 0
	var others []string
	for j, o := range m.Made {
		if o.Marker == "" || j == i {
			continue
		}
		if !slices.Contains(others, string(o.Marker)) {
			others = append(others, string(o.Marker))
		}
		if j < i {
			before++
		} else {
			after++
		}
	}
	slices.Sort(others)
	l.made("asked before ", few(before, 3))
	l.made("asked behind ", few(after, 3))
	l.made("asked beside ", strings.Join(others, " "))
}

// neighbour is the act before or behind.
func (m Message) neighbour(l *list, i, d int) {
	name := "before "
	if d > 0 {
		name = "behind "
	}
	j := i + d
	if j < 0 || j >= len(m.Acts) {
		l.made(name, none)
		return
	}
	a, b := m.Acts[i], m.Acts[j]
	where := near(a, b)
	l.made(name, where, " ", kinds[b.Deed], " ", m.Made[j].name())
	l.made(name, m.Made[j].name())
	l.made(name, "joined by ", b.C.Join)
	l.made(name, where)
	l.one(name, where, " ", kinds[b.Deed], " of ", kinds[a.Deed])
	if low := b.C.Low(); len(low) > 0 {
		l.made(name, "begins ", Word(low[0]))
		n, s := grammar.Strip(low)
		k := min(n, len(low)-1)
		l.one(name, "is ", kinds[b.Deed], " ", string(b.Marker), " of ", kinds[a.Deed])
		l.one(name, where, " begins ", Word(low[k]), " of ", kinds[a.Deed])
		for _, f := range []struct {
			on   bool
			name string
		}{{b.Pronoun, "pronoun"}, {s.Opener, "somebody asks"}, {s.Please, "please"}, {n < len(low) && grammar.Imperative(low[n:]) > 0, "imperative"}, {grammar.Finite(low), "finite"}} {
			if f.on {
				l.one(name, where, " ", f.name, " of ", kinds[a.Deed])
				l.made(name, where, " ", f.name)
			}
		}
	}
	if shares(a, b) {
		l.made(name, "of the same")
	}
}

// company is what the other acts are.
func (m Message) company(l *list, i int) {
	var seen [len(kinds)]bool
	for j, b := range m.Acts {
		if j != i && b.Deed != deed.Ground {
			seen[b.Deed] = true
		}
	}
	for k, on := range seen {
		if on {
			l.one("beside ", kinds[k], " is ", kinds[m.Acts[i].Deed])
			l.made("beside ", kinds[k])
		}
	}
}

// last is the requirement before.
func (m Message) last(l *list, i int) {
	for j := i - 1; j >= 0; j-- {
		if m.Made[j].Marker == "" {
			continue
		}
		l.made("asked last ", near(m.Acts[i], m.Acts[j]), " ", m.Made[j].name())
		if shares(m.Acts[i], m.Acts[j]) {
			l.made("asked last of the same")
		}
		return
	}
}

// decided is what was decided so far.
func (m Message) decided(l *list, i int) {
	n := 0
	for j := i - 1; j >= 0; j-- {
		k := m.Decided[j]
		if j == i-1 {
			l.both("decided before ", near(m.Acts[i], m.Acts[j]), " ", string(k))
			l.one("decided before ", near(m.Acts[i], m.Acts[j]), " ", string(k), " ", kinds[m.Acts[j].Deed], " is ", kinds[m.Acts[i].Deed])
			if m.Acts[i].C.Group && m.Acts[j].C.Group {
				l.one("decided in a row ", string(k))
			}
		}
		if k == "" {
			continue
		}
		if n++; n == 1 {
			l.both("decided last ", near(m.Acts[i], m.Acts[j]), " ", string(k))
			if shares(m.Acts[i], m.Acts[j]) {
				l.both("decided last of the same")
			}
		}
	}
	l.both("decided ", few(n, 3))
	l.one("decided ", few(n, 3), " ", string(m.Type))
}

func near(a, b deed.Act) string {
	switch {
	case a.C.Line != b.C.Line:
		return "elsewhere"
	case a.C.Sent != b.C.Sent:
		return "same paragraph"
	}
	return "same sentence"
}

// shares reports a word of content that both clauses have.
func shares(a, b deed.Act) bool {
	other := b.C.Low()
	for _, w := range a.C.Low() {
		if len(w) > 3 && slices.Contains(other, w) && !words.Preposition(w) && !words.Auxiliary(w) && !words.Determiner(w) {
			return true
		}
	}
	return false
}

// telling are the small words whose meaning depends on what is made of the clause.
var telling = map[string]bool{"not": true, "don't": true, "doesn't": true, "no": true, "never": true, "too": true, "only": true, "still": true, "always": true, "when": true, "if": true, "should": true, "must": true, "can": true, "please": true,
	"just": true, "instead": true, "but": true, "i": true, "we": true, "it": true, "they": true, "you": true, "is": true, "are": true, "was": true, "again": true, "now": true, "currently": true}

// words are the words themselves, alone and in pairs.
func (m Message) words(l *list, a deed.Act) {
	low := a.C.Low()
	if len(low) == 0 {
		return
	}
	n, _ := grammar.Strip(low)
	for k := range min(3, len(low)) {
		l.one("word ", few(k+1, 9), " ", Word(low[k]))
	}
	if n < len(low) {
		l.both("begins ", Word(low[n]))
	}
	if n+1 < len(low) {
		l.one("then ", Word(low[n+1]))
		l.one("begins ", Word(low[n]), " ", Word(low[n+1]))
	}
	l.one("last word ", Word(low[len(low)-1]))
	if n < len(low) {
		sense, _ := words.Verb(low[n])
		l.both("sense ", few(int(sense), 30))
	}
	for k, w := range low[n:min(len(low), n+6)] {
		l.one("ends ", few(k, 9), " ", ending(w))
	}
	for k, w := range low[:min(len(low), 60)] {
		if slices.Contains(low[:k], w) {
			continue
		}
		l.one("has ", Word(w))
		l.one("stem ", words.Stem(w))
		if telling[w] {
			l.made("has ", w)
			l.one("has ", w, " is ", kinds[a.Deed])
		}
		if k+1 < len(low) {
			l.one("has ", Word(w), " ", Word(low[k+1]))
		}
	}
}

// ending is the end of a word, or the whole of a small one.
func ending(w string) string {
	switch {
	case len(w) < 4:
		return w
	case strings.HasSuffix(w, "ing"), strings.HasSuffix(w, "n't"):
		return w[len(w)-3:]
	case strings.HasSuffix(w, "ed"), strings.HasSuffix(w, "ly"), strings.HasSuffix(w, "er"), strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "es"):
		return w[len(w)-2:]
	case strings.HasSuffix(w, "s"):
		return "s"
	}
	return "-"
}

// Word is a word as cues have it: a number is any number.
func Word(w string) string {
	if w != "" && w[0] >= '0' && w[0] <= '9' {
		return "0"
	}
	return w
}
