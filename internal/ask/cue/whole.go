package cue

import (
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Whole is the cues of the message: they tell whether it can be read in two ways.
func (m Message) Whole() []string {
	l := &list{all: make([]string, 0, 200), with: string(m.Type)}
	l.one("type ", string(m.Type))
	l.both("plan ", few(truth(m.PlanExists), 2))
	l.both("acts ", few(len(m.Acts), 5))
	asked := 0
	for _, o := range m.Made {
		asked += truth(o.Marker != "")
	}
	l.both("asked ", few(asked, 4))
	for _, d := range m.Doubts {
		l.both("doubt: ", Reason(d))
	}
	for i, a := range m.Acts {
		l.one("is ", kinds[a.Deed])
		l.one(m.Made[i].name(), " by ", a.Verb)
		l.one("why: ", Reason(m.Made[i].Why))
		if len(m.Acts) == 1 {
			l.one("alone ", m.Made[i].name(), " by ", a.Verb)
		}
	}
	m.text(l)
	return l.all
}

// text are the words of the message. Of a long one only how it begins and ends is told: what
// can be read in two ways is short.
func (m Message) text(l *list) {
	var low []string
	for _, t := range prose.Tokens(m.Text[:min(len(m.Text), 2000)], 0) {
		if t.Form == prose.Word || t.Form == prose.Mark {
			low = append(low, t.Low)
		} else {
			low = append(low, `"`)
		}
	}
	if len(low) == 0 {
		return
	}
	l.both("words ", few(len(low)/5, 9))
	for k := range min(4, len(low)) {
		l.one("word ", few(k+1, 9), " ", Word(low[k]))
	}
	l.one("last word ", Word(low[len(low)-1]))
	if strings.HasSuffix(strings.TrimSpace(m.Text), "?") {
		l.both("ends ?")
	}
	if len(low) > 60 {
		return
	}
	seen := map[string]bool{}
	for k, w := range low {
		if seen[w] {
			continue
		}
		seen[w] = true
		l.one("has ", Word(w))
		l.one("stem ", words.Stem(w))
		if k+1 < len(low) {
			l.one("has ", Word(w), " ", Word(low[k+1]))
		}
	}
}

// Doubtful reports that grammar itself found two readings.
func (m Message) Doubtful() bool {
	for _, a := range m.Acts {
		if a.Deed == deed.Doubt {
			return true
		}
	}
	return len(m.Doubts) > 0
}
