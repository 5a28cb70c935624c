package intent

import (
	"slices"
	"strings"
)

// whole is the cues of the message: they tell whether it asks for something new as a whole,
// reports what is wrong, or can be read in two ways.
func (m view) whole() []string {
	l := &list{all: make([]string, 0, 300), with: string(m.Type)}
	l.one("type ", string(m.Type))
	if m.PlanExists {
		l.one(Plan)
		l.one(Plan, " / ", string(m.Type))
	}
	alone := ""
	if len(m.Acts) == 1 {
		alone = "alone "
	}
	var markers []string
	for i, a := range m.Acts {
		k := Name(m.Made[i])
		l.one("is ", kinds[a.Deed])
		l.one(k, " by ", a.Verb)
		if l.one(alone, kinds[a.Deed], " ", k); alone != "" {
			l.one(alone, k, " by ", a.Verb)
		}
		if k != "nothing" && !slices.Contains(markers, k) {
			markers = append(markers, k)
		}
	}
	slices.Sort(markers)
	l.both("asks ", strings.Join(markers, " "))
	for _, d := range m.Doubts {
		l.both("doubt: ", d)
	}
	m.text(l)
	return l.all
}

// Plan is the cue that a plan of the project exists. It decides about what is fresh, and nothing
// else.
const Plan = "plan"

// Of a long message only how it begins and ends is told: what can be read in two ways is short.
const (
	readBytes = 2000
	readWords = 60
)

// text are the words of the message.
func (m view) text(l *list) {
	var low []string
	for _, t := range Tokens(m.Text[:min(len(m.Text), readBytes)], 0) {
		low = append(low, mark(t))
	}
	if len(low) == 0 {
		return
	}
	l.both("fives of words ", few(len(low)/5, 9))
	for k := range min(4, len(low)) {
		l.one("word ", few(k+1, 9), " ", Word(low[k]))
	}
	l.one("ends in ", Word(low[len(low)-1]))
	if strings.HasSuffix(strings.TrimSpace(m.Text), "?") {
		l.both("ends with ?")
	}
	if len(low) <= readWords {
		each(low, l, nil)
	}
}
