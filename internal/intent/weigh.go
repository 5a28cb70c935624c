package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// requestTypes are the types of a message, and actAnswers the markers of an act, in the order of
// their weights.
var (
	requestTypes = []belay.RequestType{belay.Mutation, belay.Bugfix, belay.Unclear, belay.Fresh}
	actAnswers   = []belay.Marker{"", belay.MarkAdd, belay.MarkModify, belay.MarkFix, belay.MarkRemove}
)

// maxWeighedActs is how many acts of a message are weighed. A message with more is pasted, or made
// to be slow; the decisions of the grammar remain.
const maxWeighedActs = 60

// view returns the message as the grammar interprets it.
func (p *parse) view() messageView {
	m := messageView{Text: p.Text, Lang: p.Lang, PlanExists: p.PlanExists, Type: p.decideType(p.Fresh), Acts: p.Acts,
		GrammarMarkers: make([]belay.Marker, len(p.Acts))}
	for _, f := range p.Requirements {
		m.GrammarMarkers[f.Act.Index] = f.Marker
	}
	for _, d := range p.Doubts {
		m.Doubts = append(m.Doubts, strings.Join(d.Readings, ", "))
	}
	return m
}

// readWeighed returns a message as the grammar interprets it, corrected by weights learned from
// labelled messages: first the type of the message, then, as that is a cue, the marker of each act.
func readWeighed(in Input, acts, wholes *Scale) *parse {
	p := readMessage(in)
	if n := len(p.Acts); n == 0 || n > maxWeighedActs || p.Lang == "?" {
		return p
	}
	m := p.view()
	is := p.weighType(&m, wholes, in.PlanExists)
	p.setDoubt(is == belay.Unclear)
	p.decideActs(m, acts, is != belay.Unclear)
	if p.requestType = is; p.markCommitFixes() && is == belay.Fresh {
		p.requestType = belay.Bugfix
	}
	return p
}

// markCommitFixes marks the subject of a commit of type fix as FIX: "fix(ui): allow …" is more
// certain than any verb. Removals, counted additions and further orders in the subject keep their
// marker.
func (p *parse) markCommitFixes() (any bool) {
	for i, f := range p.Requirements {
		if f.Act.Clause.Block.commitType(p.Text) != "fix" {
			continue
		}
		any = true
		leads := i == 0 || p.Requirements[i-1].Act.Clause.Line != f.Act.Clause.Line
		kept := f.Marker == belay.MarkRemove || f.Marker == belay.MarkAdd && p.statedCount(f) != nil
		if !kept && (leads || !f.Act.plainlyAsks()) {
			p.Requirements[i].Marker = belay.MarkFix
		}
	}
	return any
}

// weighType returns the type of a message. As a cue of its acts, the type is computed from the
// words alone: whether a plan exists only affects whether a message is fresh.
func (p *parse) weighType(m *messageView, wholes *Scale, plan bool) belay.RequestType {
	was := m.Type
	m.PlanExists = plan
	cues := m.messageCues()
	sum := wholes.Weigh(cues)
	best, _ := Best(sum)
	m.PlanExists = false
	words := wholes.Weigh(m.messageCues())
	other, lead := Best(words[:len(words)-1])
	m.Type, m.Sure, m.Anew = requestTypes[other], lead > 150, leadLevel(words[len(words)-1]-words[other])
	if was == belay.Fresh && plan {
		was = belay.Mutation
	}
	if requestTypes[best] == belay.Unclear && was != belay.Unclear && p.namesExactly() {
		m.Type, m.Sure = belay.Mutation, false
		return was // the message states what to do, and to what
	}
	if requestTypes[best] != was {
		p.addCueEvidence(wholes.StrongestCues(cues, best, slices.Index(requestTypes, was), 3),
			string(requestTypes[best])+", not "+string(was)+", by weight")
	}
	return requestTypes[best]
}

// leadLevel returns how far ahead a sum is, from 0 to 3.
func leadLevel(lead int) int {
	return slices.IndexFunc([]int{-250, 0, 250, 1 << 30}, func(most int) bool { return lead <= most })
}

// namesExactly reports whether a requirement of the grammar names an identifier or a file: "fix the
// failing test TestAdd", "make test_total pass", "write the plan to plan.md".
func (p *parse) namesExactly() bool {
	return slices.ContainsFunc(p.Requirements, func(f foundRequirement) bool {
		text := f.Act.Clause.Text(p.Text, Span{To: len(f.Act.Clause.Tokens)})
		return codeName.MatchString(text) || fileName.MatchString(text)
	})
}

// fileName matches the name of a file with its extension.
var fileName = lazyregexp.New(`(?:^|[\s\x60"'(])(?:[\w.@-]+/)*[\w-][\w.-]*\.(?:[a-z]{1,4}|html|json|yaml|toml)(?:$|[\s\x60"'),:;])`)

// codeName matches identifiers: camelCase, snake_case, a call, a name in backticks, or one behind
// its kind ("the function Old").
var codeName = lazyregexp.New(
	"\\b[A-Za-z]*[a-z][A-Z]\\w*\\b|\\b[a-zA-Z]\\w*_\\w+\\b|\\b\\w+\\(\\)|`[\\w.:#()/-]+`|\\b(?:function|" +
		"method|class|type|test|flag|option|command|variable|table|endpoint|package|module|column) [A-Z-]\\w+")

func (p *parse) addCueEvidence(cues []string, means string) {
	p.Evidence = append(p.Evidence, Evidence{Text: strings.Join(cues, "; "), Meaning: means})
}

// setDoubt adds a doubt if there is none, or removes all. If the grammar found a requirement, a
// doubt by weight alone does not stop the work.
func (p *parse) setDoubt(unclear bool) {
	switch {
	case !unclear:
		p.Doubts = nil
	case len(p.Doubts) == 0:
		p.Doubts = []belay.Doubt{{Words: messageStart(p.Text), Vague: len(p.Requirements) > 0,
			Readings: []string{"what is to be done, or to which thing, is not said, or can be read in more than one way"}}}
	}
}

// plainlyAsks reports an order, or a plain complaint that names its subject.
func (a Act) plainlyAsks() bool {
	switch a.Kind {
	case Request:
		return ImperativeLength(a.Clause.Lower()[a.Core.From:]) > 0
	case Complaint:
		return a.Strength == Plain && !a.Pronoun
	}
	return false
}

// decideActs decides the marker of each act, in order; earlier decisions are cues of later ones. A
// clear message asks for something (asks), so if no act has enough weight, the one nearest to it is
// chosen.
func (p *parse) decideActs(m messageView, acts *Scale, asks bool) {
	made, cues := make([]int, len(p.Acts)), make([][]string, len(p.Acts))
	near, nearest, lead := 0, 0, -1<<31
	for i := range p.Acts {
		cues[i] = m.actCues(i)
		sum := acts.Weigh(cues[i])
		if p.Acts[i].Kind == Material {
			limitMaterial(sum, p.Acts[i].Strength == Plain)
		}
		if a := p.Acts[i]; a.Clause.Block.Section() == Open && a.plainlyAsks() {
			sum[0] -= minCounterweight
		}
		for k := 1; k < len(sum); k++ {
			if by := sum[k] - sum[0]; by > lead {
				near, nearest, lead = i, k, by
			}
		}
		made[i], _ = Best(sum)
		m.Decided = append(m.Decided, actAnswers[made[i]])
	}
	if lead <= 0 && asks {
		made[near] = nearest
	}
	for i, a := range p.Acts {
		if k, was := actAnswers[made[i]], m.GrammarMarkers[i]; was != k {
			p.addCueEvidence(acts.StrongestCues(cues[i], made[i], slices.Index(actAnswers, was), 3),
				markerName(k)+", not "+markerName(was)+", by weight: "+a.Clause.Text(p.Text, Span{To: len(a.Clause.Tokens)}))
		}
	}
	p.applyDecisions(made)
}

// limitMaterial limits what pasted text can ask for: a crash can only be a FIX, and anything else
// only if the rest of the message asks for nothing.
func limitMaterial(sum []int, crash bool) {
	for k := 1; k < len(sum); k++ {
		switch {
		case actAnswers[k] != belay.MarkFix:
			sum[k] = sum[0] - 1<<30
		case !crash:
			sum[k] = sum[0] - 1<<20
		}
	}
}

// minCounterweight is the weight in hundredths that is needed to ignore an order or a plain
// complaint: a lost requirement is worse than a duplicate.
const minCounterweight = 150

// applyDecisions gives each act the decided marker.
func (p *parse) applyDecisions(made []int) {
	var out []foundRequirement
	for i, a := range p.Acts {
		k := actAnswers[made[i]]
		if k == "" {
			continue
		}
		f := foundRequirement{Act: a}
		if at := slices.IndexFunc(p.Requirements, func(f foundRequirement) bool { return f.Act.Index == i }); at >= 0 {
			f = p.Requirements[at]
		}
		f.Marker = k
		out = append(out, f)
	}
	p.Requirements = out
}
