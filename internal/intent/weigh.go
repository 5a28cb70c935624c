package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// types are what a message can be, and answers what an act can ask for, in the order in which
// they are weighed.
var (
	types   = []belay.RequestType{belay.Mutation, belay.Bugfix, belay.Unclear, belay.Fresh}
	answers = []belay.Marker{"", belay.MarkAdd, belay.MarkModify, belay.MarkFix, belay.MarkRemove}
)

// mostActs is how many acts of a message are weighed. One with more is pasted or made to be
// slow; what grammar made of it stands.
const mostActs = 60

// cues is the message as grammar reads it.
func (p *parse) cues() view {
	m := view{Text: p.Text, Lang: p.Lang, PlanExists: p.PlanExists, Type: p.kind(p.Fresh), Acts: p.Acts,
		Made: make([]belay.Marker, len(p.Acts))}
	for _, f := range p.Out {
		m.Made[f.Act.Nr] = f.Marker
	}
	for _, d := range p.Doubts {
		m.Doubts = append(m.Doubts, strings.Join(d.Readings, ", "))
	}
	return m
}

// weighed is a message as grammar reads it, looked at once more by what was learned from
// labelled ones: first what it is as a whole, then, knowing that, what each act asks for.
func weighed(in Input, acts, wholes *Scale) *parse {
	p := read(in)
	if n := len(p.Acts); n == 0 || n > mostActs || p.Lang == "?" {
		return p
	}
	m := p.cues()
	is := p.typed(&m, wholes, in.PlanExists)
	p.doubt(is == belay.Unclear)
	p.decide(m, acts, is != belay.Unclear)
	if p.is = is; p.repairs() && is == belay.Fresh {
		p.is = belay.Bugfix
	}
	return p
}

// repairs lets what the subject of a commit begins with be a repair where its type is fix: "fix(ui): allow …" says so
// more surely than any verb. What is removed, or added by number, stays that, and so does what else the subject orders.
func (p *parse) repairs() (any bool) {
	for i, f := range p.Out {
		if f.Act.C.Block.commitType(p.Text) != "fix" {
			continue
		}
		any = true
		leads := i == 0 || p.Out[i-1].Act.C.Line != f.Act.C.Line
		kept := f.Marker == belay.MarkRemove || f.Marker == belay.MarkAdd && p.counted(f) != nil
		if !kept && (leads || !f.Act.plainlyAsks()) {
			p.Out[i].Marker = belay.MarkFix
		}
	}
	return any
}

// typed is what a message is as a whole. What of that is a cue of its acts goes by its words alone:
// whether there is a plan decides what is fresh, and nothing else.
func (p *parse) typed(m *view, wholes *Scale, plan bool) belay.RequestType {
	was := m.Type
	m.PlanExists = plan
	cues := m.whole()
	sum := wholes.Weigh(cues)
	best, _ := Best(sum)
	m.PlanExists = false
	words := wholes.Weigh(m.whole())
	other, lead := Best(words[:len(words)-1])
	m.Type, m.Sure, m.Anew = types[other], lead > 150, level(words[len(words)-1]-words[other])
	if was == belay.Fresh && plan {
		was = belay.Mutation
	}
	if types[best] == belay.Unclear && was != belay.Unclear && p.exact() {
		m.Type, m.Sure = belay.Mutation, false
		return was // what is to be done, and to which thing, is said
	}
	if types[best] != was {
		p.note(wholes.Why(cues, best, slices.Index(types, was), 3), string(types[best])+", not "+string(was)+", by weight")
	}
	return types[best]
}

// level is how much more something weighs than the rest, from 0 to 3.
func level(lead int) int {
	return slices.IndexFunc([]int{-250, 0, 250, 1 << 30}, func(most int) bool { return lead <= most })
}

// exact reports whether something that grammar found to be asked for names a thing as code has
// it, or a file: "fix the failing test TestAdd", "make test_total pass", "write the plan to plan.md".
func (p *parse) exact() bool {
	return slices.ContainsFunc(p.Out, func(f found) bool {
		text := f.Act.C.Text(p.Text, Span{To: len(f.Act.C.T)})
		return codeName.MatchString(text) || fileName.MatchString(text)
	})
}

// fileName is the name of a file, with its ending.
var fileName = lazyregexp.New(`(?:^|[\s\x60"'(])(?:[\w.@-]+/)*[\w-][\w.-]*\.(?:[a-z]{1,4}|html|json|yaml|toml)(?:$|[\s\x60"'),:;])`)

// codeName is a word that only code is written with: camelCase, snake_case, a call, a name in
// backticks, or behind what it is of ("the function Old").
var codeName = lazyregexp.New(
	"\\b[A-Za-z]*[a-z][A-Z]\\w*\\b|\\b[a-zA-Z]\\w*_\\w+\\b|\\b\\w+\\(\\)|`[\\w.:#()/-]+`|\\b(?:function|" +
		"method|class|type|test|flag|option|command|variable|table|endpoint|package|module|column) [A-Z-]\\w+")

func (p *parse) note(cues []string, means string) {
	p.Why = append(p.Why, Evidence{Words: strings.Join(cues, "; "), Means: means})
}

// doubt adds a doubt where there is none, or takes back all there are. Where grammar found
// something to be done, weight alone holds no work up.
func (p *parse) doubt(unclear bool) {
	switch {
	case !unclear:
		p.Doubts = nil
	case len(p.Doubts) == 0:
		p.Doubts = []belay.Doubt{{Words: beginning(p.Text), Vague: len(p.Out) > 0,
			Readings: []string{"what is to be done, or to which thing, is not said, or can be read in more than one way"}}}
	}
}

// plainlyAsks reports an order, or a plain complaint of a thing that it names.
func (a Act) plainlyAsks() bool {
	switch a.Deed {
	case Request:
		return Imperative(a.C.Low()[a.Core.From:]) > 0
	case Complaint:
		return a.Strength == Plain && !a.Pronoun
	}
	return false
}

// decide says of each act what it asks for, in their order: what was decided of those before is a
// cue for the next. A message that is not in doubt asks for something (asks), so where nothing weighs
// enough it is what comes nearest to it.
func (p *parse) decide(m view, acts *Scale, asks bool) {
	made, cues := make([]int, len(p.Acts)), make([][]string, len(p.Acts))
	near, nearest, lead := 0, 0, -1<<31
	for i := range p.Acts {
		cues[i] = m.act(i)
		sum := acts.Weigh(cues[i])
		if p.Acts[i].Deed == Material {
			material(sum, p.Acts[i].Strength == Plain)
		}
		if a := p.Acts[i]; a.C.Block.Section() == Open && a.plainlyAsks() {
			sum[0] -= benefit
		}
		for k := 1; k < len(sum); k++ {
			if by := sum[k] - sum[0]; by > lead {
				near, nearest, lead = i, k, by
			}
		}
		made[i], _ = Best(sum)
		m.Decided = append(m.Decided, answers[made[i]])
	}
	if lead <= 0 && asks {
		made[near] = nearest
	}
	for i, a := range p.Acts {
		if k, was := answers[made[i]], m.Made[i]; was != k {
			p.note(acts.Why(cues[i], made[i], slices.Index(answers, was), 3),
				Name(k)+", not "+Name(was)+", by weight: "+a.C.Text(p.Text, Span{To: len(a.C.T)}))
		}
	}
	p.remake(made)
}

// material takes from something pasted whatever it could ask for: a crash can only be a problem, and
// anything else only where the whole message asks for nothing else.
func material(sum []int, crash bool) {
	for k := 1; k < len(sum); k++ {
		switch {
		case answers[k] != belay.MarkFix:
			sum[k] = sum[0] - 1<<30
		case !crash:
			sum[k] = sum[0] - 1<<20
		}
	}
}

// benefit is how much more has to speak against an order or a plain complaint than for it, in
// hundredths, before it is taken to ask for nothing: what is lost is missed more than what is told
// twice.
const benefit = 150

// remake lets each act ask for what was decided.
func (p *parse) remake(made []int) {
	var out []found
	for i, a := range p.Acts {
		k := answers[made[i]]
		if k == "" {
			continue
		}
		f := found{Act: a}
		if at := slices.IndexFunc(p.Out, func(f found) bool { return f.Act.Nr == i }); at >= 0 {
			f = p.Out[at]
		}
		f.Marker = k
		out = append(out, f)
	}
	p.Out = out
}
