package intent

import (
	"slices"
	"strings"
)

// messageCues returns the cues of the message. They decide whether it asks for something new and
// complete, reports a fault, or is ambiguous.
func (m messageView) messageCues() []string {
	l := &cueList{cues: make([]string, 0, 300), grammar: string(m.Type)}
	l.add("type ", string(m.Type))
	if m.PlanExists {
		l.add(PlanCue)
		l.add(PlanCue, " / ", string(m.Type))
	}
	alone := ""
	if len(m.Acts) == 1 {
		alone = "alone "
	}
	var markers []string
	for i, a := range m.Acts {
		k := markerName(m.GrammarMarkers[i])
		l.add("is ", kindNames[a.Kind])
		l.add(k, " by ", a.Verb)
		if l.add(alone, kindNames[a.Kind], " ", k); alone != "" {
			l.add(alone, k, " by ", a.Verb)
		}
		if k != "nothing" && !slices.Contains(markers, k) {
			markers = append(markers, k)
		}
	}
	slices.Sort(markers)
	l.addBoth("asks ", strings.Join(markers, " "))
	for _, d := range m.Doubts {
		l.addBoth("doubt: ", d)
	}
	m.addText(l)
	return l.cues
}

// PlanCue is the cue that the project has a plan. It only affects whether a message is fresh.
const PlanCue = "plan"

// Of a long message only the beginning and end are cues: ambiguous messages are short.
const (
	maxTextBytes = 2000
	maxTextWords = 60
)

// addText adds the first words and the last one, and all words of a short message.
func (m messageView) addText(l *cueList) {
	var low []string
	for _, t := range Tokenize(m.Text[:min(len(m.Text), maxTextBytes)], 0) {
		low = append(low, tokenCue(t))
	}
	if len(low) == 0 {
		return
	}
	l.addBoth("fives of words ", cappedNumber(len(low)/5, 9))
	for k := range min(4, len(low)) {
		l.add("word ", cappedNumber(k+1, 9), " ", cueWord(low[k]))
	}
	l.add("ends in ", cueWord(low[len(low)-1]))
	if strings.HasSuffix(strings.TrimSpace(m.Text), "?") {
		l.addBoth("ends with ?")
	}
	if len(low) <= maxTextWords {
		eachWord(low, l, nil)
	}
}
