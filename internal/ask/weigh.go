package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/cue"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/number"
	"github.com/belay-dev/belay/internal/ask/weigh"
	"github.com/belay-dev/belay/internal/belay"
)

// answers are what an act can ask for, in the order in which they are weighed.
var answers = []belay.Marker{"", belay.MarkAdd, belay.MarkModify, belay.MarkFix, belay.MarkRemove}

// mostActs is how many acts of a message are weighed. One with more is pasted or made to be
// slow; what grammar made of it stands.
const mostActs = 60

// cues is the message as grammar reads it.
func (p *parse) cues() cue.Message {
	m := cue.Message{Text: p.msg, Lang: p.lang, PlanExists: p.in.PlanExists, Type: p.kind(), Acts: p.acts, Made: make([]cue.Made, len(p.acts))}
	for i, why := range p.reasons {
		m.Made[i].Why = why
	}
	for _, f := range p.out {
		m.Made[f.a.Nr].Marker = f.Marker
		if p.fresh {
			m.Made[f.a.Nr].Marker = belay.MarkAdd
		}
	}
	for _, d := range p.doubts {
		m.Doubts = append(m.Doubts, strings.Join(d.Readings, ", "))
	}
	return m
}

// sorts are what a message can be as a whole, in the order in which they are weighed.
const (
	asPlain = iota
	asBugfix
	asUnclear
	asWhole
	sorts
)

// weighed is a message as grammar reads it, looked at once more by what was learned from
// labelled ones: whether it is in doubt or asks for something new as a whole, and what each act
// asks for.
func weighed(msg string, in Input, acts, wholes *weigh.Scale) *parse {
	p := read(msg, in, nil)
	if len(p.acts) == 0 || len(p.acts) > mostActs || p.lang == "?" || acts.Empty() {
		return p
	}
	m := p.cues()
	cues := m.Whole()
	sort, _ := weigh.Best(wholes.Weigh(cues))
	if is := sort == asWhole; is != p.fresh && len(p.doubts) == 0 {
		p = read(msg, in, &is)
		m = p.cues()
	}
	p.doubted(sort, wholes, cues)
	m.Type = p.kind()
	if m.Type == belay.Mutation || m.Type == belay.Bugfix {
		m.Type = belay.Mutation
		if sort == asBugfix {
			m.Type = belay.Bugfix
		}
	}
	p.weigh(m, acts)
	return p
}

// weigh decides what each act asks for.
func (p *parse) weigh(m cue.Message, acts *weigh.Scale) {
	made := make([]int, len(p.acts))
	m.Decided = nil
	best, high := 0, -1<<30
	none := true
	for i := range p.acts {
		sum := acts.Weigh(m.Act(i))
		if m.Type == belay.Bugfix {
			sum[1], sum[2], sum[4] = -1<<30, -1<<30, -1<<30
		}
		made[i], _ = weigh.Best(sum)
		m.Decided = append(m.Decided, answers[made[i]])
		none = none && made[i] == 0
		for k := 1; k < len(sum); k++ {
			if sum[k]-sum[0] > high {
				best, high = i*len(sum)+k, sum[k]-sum[0]
			}
		}
	}
	if none && len(p.doubts) == 0 {
		made[best/len(answers)] = best % len(answers) // something is asked for: what comes nearest to it
	}
	p.remake(m, acts, made)
}

// doubted adds or takes back a doubt.
func (p *parse) doubted(sort int, wholes *weigh.Scale, cues []string) {
	switch {
	case sort == asUnclear && len(p.doubts) == 0:
		p.doubts = append(p.doubts, belay.Doubt{Words: strings.TrimSpace(p.msg[:min(len(p.msg), 80)]), Readings: []string{"what exactly is meant can be read in more than one way"}})
		p.why = append(p.why, Evidence{strings.Join(wholes.Why(cues, asUnclear, asPlain, 3), "; "), "in doubt, by weight"})
	case sort != asUnclear && len(p.doubts) > 0:
		p.doubts = nil
		p.why = append(p.why, Evidence{strings.Join(wholes.Why(cues, sort, asUnclear, 3), "; "), "not in doubt, by weight"})
	}
}

// remake lets each act ask for what it was weighed to ask.
func (p *parse) remake(m cue.Message, acts *weigh.Scale, made []int) {
	var out []found
	for i, a := range p.acts {
		k := answers[made[i]]
		at := slices.IndexFunc(p.out, func(f found) bool { return f.a.Nr == i })
		if m.Made[i].Marker != k {
			was := slices.Index(answers, m.Made[i].Marker)
			p.why = append(p.why, Evidence{a.C.Text(p.msg, grammar.Span{From: 0, To: len(a.C.T)}), called(k) + ", by weight: " + strings.Join(acts.Why(m.Act(i), made[i], was, 3), "; ")})
		}
		switch {
		case k == "":
		case at < 0:
			out = append(out, found{Marker: k, a: a, count: number.Of(a, k, p.lang)})
		default:
			f := p.out[at]
			f.Marker = k
			if f.count == nil {
				f.count = number.Of(f.a, k, p.lang)
			}
			out = append(out, f)
		}
	}
	p.out = out
}

func called(m belay.Marker) string {
	if m == "" {
		return "asks for nothing"
	}
	return string(m)
}
