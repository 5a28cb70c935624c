package cue

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/prose"
)

// Whole is the cues of the message: they tell whether it asks for something new as a whole,
// reports what is wrong, or can be read in two ways.
func (m Message) Whole() []string {
	l := &list{all: make([]string, 0, 300), with: string(m.Type)}
	l.one("type ", string(m.Type))
	l.both("clauses ", few(len(m.Acts), 5))
	if m.PlanExists {
		l.both("plan")
	}
	asked := 0
	var markers []string
	for i, a := range m.Acts {
		l.one("is ", kinds[a.Deed])
		l.one(Name(m.Made[i]), " by ", a.Verb)
		if len(m.Acts) == 1 {
			l.one("alone ", Name(m.Made[i]), " by ", a.Verb)
		}
		if k := string(m.Made[i]); k != "" {
			if asked++; !slices.Contains(markers, k) {
				markers = append(markers, k)
			}
		}
	}
	slices.Sort(markers)
	l.both("asks ", strings.Join(markers, " "))
	l.both("asked ", few(asked, 4))
	for _, d := range m.Doubts {
		l.both("doubt: ", d)
	}
	m.text(l)
	return l.all
}

// Of a long message only how it begins and ends is told: what can be read in two ways is short.
const (
	readBytes = 2000
	readWords = 60
)

// text are the words of the message.
func (m Message) text(l *list) {
	var low []string
	for _, t := range prose.Tokens(m.Text[:min(len(m.Text), readBytes)], 0) {
		low = append(low, mark(t))
	}
	if len(low) == 0 {
		return
	}
	l.both("fives of words ", few(len(low)/5, 9))
	for k := range min(4, len(low)) {
		l.one("word ", few(k+1, 9), " ", Word(low[k]))
	}
	l.one("last word ", Word(low[len(low)-1]))
	if strings.HasSuffix(strings.TrimSpace(m.Text), "?") {
		l.both("ends with ?")
	}
	if len(low) <= readWords {
		each(low, l, nil)
	}
}
