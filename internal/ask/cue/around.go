package cue

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
)

// place is where in the message the act stands, and what else grammar takes for asked.
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
	l.one("clauses ", few(len(m.Acts), 6))
	before, behind := 0, 0
	var others []string
	for j, k := range m.Made {
		if k == "" || j == i {
			continue
		}
		if !slices.Contains(others, string(k)) {
			others = append(others, string(k))
		}
		if j < i {
			before++
		} else {
			behind++
		}
	}
	slices.Sort(others)
	l.made("asked before ", few(before, 3))
	l.made("asked behind ", few(behind, 3))
	l.made("asked beside ", strings.Join(others, " "))
}

// neighbour is the act right before or behind, the j-th.
func (m Message) neighbour(l *list, i, j int, side string) {
	if j < 0 || j >= len(m.Acts) {
		l.made(side, "nothing")
		return
	}
	a, b := m.Acts[i], m.Acts[j]
	where, is := near(a, b), kinds[a.Deed]
	l.made(side, where, " ", kinds[b.Deed], " ", Name(m.Made[j]))
	l.made(side, Name(m.Made[j]))
	l.made(side, joined(b))
	l.made(side, where)
	l.one(side, where, " ", kinds[b.Deed], " of ", is)
	low := b.C.Low()
	if grammar.Shares(a.C.Low(), low) {
		l.made(side, "of the same")
	}
	if len(low) == 0 {
		return
	}
	n, _ := grammar.Strip(low)
	said, imperative := front(low)
	l.made(side, "begins ", Word(low[0]))
	l.one(side, "is ", kinds[b.Deed], " ", string(b.Marker), " of ", is)
	l.one(side, where, " begins ", Word(low[min(n, len(low)-1)]), " of ", is)
	for _, f := range []struct {
		on   bool
		name string
	}{{b.Pronoun, "pronoun"}, {said.Opener, "somebody asks"}, {said.Please, "please"}, {imperative, "imperative"}, {grammar.Finite(low), "finite"}} {
		if f.on {
			l.one(side, where, " ", f.name, " of ", is)
			l.made(side, where, " ", f.name)
		}
	}
}

// asked is the last thing before that grammar takes for asked.
func (m Message) asked(l *list, i int) {
	for j := i - 1; j >= 0; j-- {
		if m.Made[j] == "" {
			continue
		}
		l.made("asked last ", near(m.Acts[i], m.Acts[j]), " ", Name(m.Made[j]))
		if grammar.Shares(m.Acts[i].C.Low(), m.Acts[j].C.Low()) {
			l.made("asked last of the same")
		}
		return
	}
}

// company is what the other acts do.
func (m Message) company(l *list, i int) {
	var seen [len(kinds)]bool
	for j, b := range m.Acts {
		seen[b.Deed] = seen[b.Deed] || j != i && b.Deed != deed.Ground
	}
	for k, on := range seen {
		if on {
			l.one("beside ", kinds[k], " is ", kinds[m.Acts[i].Deed])
			l.made("beside ", kinds[k])
		}
	}
}

// decided is what was decided so far.
func (m Message) decided(l *list, i int) {
	if i > 0 {
		a, b, k := m.Acts[i], m.Acts[i-1], string(m.Decided[i-1])
		l.both("decided before ", near(a, b), " ", k)
		l.one("decided before ", near(a, b), " ", k, " ", kinds[b.Deed], " is ", kinds[a.Deed])
		if a.C.Group && b.C.Group {
			l.one("decided in a row ", k)
		}
	}
	n := 0
	for j := i - 1; j >= 0; j-- {
		if m.Decided[j] == "" {
			continue
		}
		if n++; n == 1 {
			l.both("decided last ", near(m.Acts[i], m.Acts[j]), " ", string(m.Decided[j]))
			if grammar.Shares(m.Acts[i].C.Low(), m.Acts[j].C.Low()) {
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
