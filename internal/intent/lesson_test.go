package intent

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
)

// lesson is a labelled message for training: the cues of the message, those of each act, and the
// right answers. trust is its weight.
type lesson struct {
	sample
	trust float64
	whole []string
	acts  [][]string
	right []int // of each act, as an index into actAnswers
}

// prepare parses a labelled message as Parse does, with the type that wholes, learned from other
// messages, gives it, and with the right decisions on the acts.
func (l *lesson) prepare(wholes *Scale) {
	p := readMessage(l.input())
	m := p.view()
	p.weighType(&m, wholes, false)
	if len(p.Acts) > maxWeighedActs {
		return
	}
	for i, j := range p.matched(l.sample) {
		right := 0
		if j >= 0 {
			right = slices.Index(actAnswers, l.Gold.Requirements[j].Marker)
		}
		l.acts, l.right = append(l.acts, m.actCues(i)), append(l.right, right)
		m.Decided = append(m.Decided, actAnswers[right])
	}
}

// input returns the message as Parse passes it on.
func (s sample) input() Input {
	text, _ := shorten(s.Text)
	return Input{text, s.Context.PlanExists, s.Context.Files}
}

// content returns the first six bytes of the stems of content words.
func content(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		if !IsPreposition(w) && !IsDeterminer(w) && w != "and" && w != "or" {
			w = Stem(w)
			out[w[:min(len(w), 6)]] = true
		}
	}
	return out
}

// fit rates how well an act with these words fits a labelled requirement; marker is the grammar's
// decision on it.
func fit(a Act, said map[string]bool, marker belay.Marker, want belay.Marker, gist map[string]bool) float64 {
	shared := 0.0
	for w := range gist {
		if said[w] {
			shared++
		}
	}
	shared /= float64(max(1, len(gist)))
	f := 2 * shared
	if marker != "" {
		f += 0.5
	}
	if marker == want {
		f += 0.5
	}
	if a.Marker == want {
		f += 0.2
	}
	switch a.Kind {
	case Request, Complaint, RepairIt:
		f += 0.3
	case Keep:
		f--
	case Background:
		if shared == 0 && len(gist) > 0 {
			f--
		}
	}
	return f
}

// enough is the least fit at which an act is the source of a requirement.
const enough = 0.6

// matched returns the index of the labelled requirement of each act, or -1. Both keep the order of
// the message, and the sum of fits is greatest.
func (p *parse) matched(s sample) []int {
	acts, wanted := p.Acts, s.Gold.Requirements
	marker := make([]belay.Marker, len(acts))
	for _, f := range p.Requirements {
		marker[f.Act.Index] = f.Marker
	}
	said := make([]map[string]bool, len(acts))
	for i, a := range acts {
		text := CrashLine(a.Clause.Block.Text)
		if len(a.Clause.Tokens) > 0 {
			text = a.Clause.Text(p.Text, Span{To: len(a.Clause.Tokens)})
		}
		said[i] = content(text)
	}
	// best[i][j] is the fit of the acts from i with the requirements from j.
	best := make([][]float64, len(acts)+1)
	for i := range best {
		best[i] = make([]float64, len(wanted)+1)
	}
	fits := func(i, j int) float64 {
		return fit(acts[i], said[i], marker[i], wanted[j].Marker, content(wanted[j].Gist))
	}
	for i := len(acts) - 1; i >= 0; i-- {
		for j := len(wanted) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if f := fits(i, j); f > enough {
				best[i][j] = max(best[i][j], best[i+1][j+1]+f)
			}
		}
	}
	out := make([]int, len(acts))
	j := 0
	for i := range acts {
		out[i] = -1
		for j < len(wanted) && best[i][j] == best[i][j+1] {
			j++
		}
		if j < len(wanted) && best[i][j] > best[i+1][j] {
			out[i] = j
			j++
		}
	}
	return out
}

// learn learns the scales of acts and of messages.
func learn(lessons []lesson) (acts, wholes *Scale) {
	var a []example
	for _, l := range lessons {
		for i, cues := range l.acts {
			a = append(a, example{Cues: cues, Answer: l.right[i], Trust: l.trust})
		}
	}
	return learned(a, settings{Answers: len(actAnswers), Rare: 5, Strength: 0.3, Least: 0.13}), learnWholes(lessons)
}

func learnWholes(lessons []lesson) *Scale {
	var w []example
	for _, l := range lessons {
		w = append(w, example{Cues: l.whole, Answer: slices.Index(requestTypes, l.Gold.Type), Trust: l.trust})
	}
	return learned(w, settings{Answers: len(requestTypes), Rare: 4, Strength: 2, Least: 0.13, Only: func(c string) int {
		if strings.HasPrefix(c, PlanCue) && (c == PlanCue || strings.HasPrefix(c, PlanCue+" / ")) {
			return slices.Index(requestTypes, belay.Fresh)
		}
		return -1
	}})
}

// Weights of the lessons. Several concerns in one sentence, one of them a fault, are rare in the
// other lessons, and the case that belay began with. The short lines are constructions, not
// messages. The labels by the authors of the labelling rules are the most reliable.
const (
	trusted = 1.0
	shared  = 2.0
	several = 4.0
	known   = 1.0
	short   = 0.1
)

// lessons returns all messages that weights are learned from, none of them held out.
func lessons(t testing.TB) []lesson {
	var out []lesson
	add := func(s sample, trust float64) {
		m := readMessage(s.input()).view()
		m.PlanExists = s.Context.PlanExists
		out = append(out, lesson{sample: s, trust: trust, whole: m.messageCues()})
	}
	for _, s := range load(t, "testdata/ask/shared.jsonl") {
		add(s, shared)
	}
	for _, s := range load(t, "testdata/ask/own.jsonl") {
		if !heldOut(s.ID) {
			add(s, trusted)
		}
	}
	for _, s := range load(t, "testdata/ask/lessons.jsonl") {
		trust := trusted
		if s.ID[0] == 'x' {
			trust = several
		}
		add(s, trust)
	}
	for _, s := range shortLines(t) {
		add(s, short)
	}
	// The type of a message is a cue of its acts. Learn it from the other half of the messages, so
	// that it is as uncertain as for an unknown message.
	for half := range 2 {
		var others []lesson
		for i, l := range out {
			if i%2 != half {
				others = append(others, l)
			}
		}
		wholes := learnWholes(others)
		for i := range out {
			if i%2 == half {
				out[i].prepare(wholes)
			}
		}
	}
	return out
}

// shortLines returns the lines of testdata/lines.txt as labelled messages.
func shortLines(t testing.TB) []sample {
	text, err := os.ReadFile("testdata/ask/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for line := range strings.Lines(string(text)) {
		if l, ok := parseLine(strings.TrimSuffix(line, "\n")); ok {
			out = append(out, l.sample())
		}
	}
	return out
}
