package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/belay"
)

// readLoneClause finds a request of one clause that is too short: a thing without a verb, a change
// without its goal, an undo without its object.
func (p *parse) readLoneClause() {
	asks := slices.DeleteFunc(slices.Clone(p.Acts), func(a Act) bool { return a.Kind == Keep })
	if len(asks) != 1 || asks[0].Kind != Request || asks[0].Clause.Block.Section() != Open || p.Lang != "" {
		return
	}
	only := &p.Acts[asks[0].Index]
	low := only.Clause.Lower()
	n, _ := ReadPrefix(low)
	if o := low[min(only.ObjectStart, len(low)):]; only.Marker == belay.MarkRemove && len(o) == 2 && IsDefinite(o[0]) &&
		CountFilesNamed(o[1], p.Files) > 2 {
		only.Kind, only.Readings = Doubt, []string{"which of the files of that name is meant is not said"}
		return
	}
	if r := LoneReadings(low[n:], only.Verb == "a thing named"); r != nil {
		only.Kind, only.Readings, only.IsVague = Doubt, r, false
	}
}

// settle turns the acts into requirements, in the order of the message and by grammar alone.
// Whether two belong to one concern, or only explain, is decided later by learned weights.
func (p *parse) settle() {
	p.readLoneClause()
	for _, a := range p.Acts {
		section := a.Clause.Block.Section()
		if a.Kind != Keep && (section == Circumstances || section == Expected || section == Title) {
			continue
		}
		p.addKept(a)
		switch a.Kind {
		case Doubt:
			p.Doubts = append(p.Doubts, belay.Doubt{Words: a.Clause.Text(p.Text, Span{To: len(a.Clause.Tokens)}),
				Readings: a.Readings, Vague: a.IsVague})
		case Request:
			p.addRequirement(a, a.Marker, "by “"+a.Verb+"”")
		case Complaint:
			if a.Strength == Plain {
				p.addRequirement(a, belay.MarkFix, "said to be wrong now by “"+a.Verb+"”")
			}
		case Material:
			if a.Strength == Plain && !p.Fresh && !p.hasReport() {
				p.addRequirement(a, belay.MarkFix, "a crash is pasted")
			}
		}
	}
	p.decideRest()
}

// hasReport reports whether a problem was reported already.
func (p *parse) hasReport() bool {
	return slices.ContainsFunc(p.Requirements, func(f foundRequirement) bool { return f.Marker == belay.MarkFix })
}

func (p *parse) addRequirement(a Act, m belay.Marker, why string) {
	if p.Fresh {
		m = belay.MarkAdd
	}
	p.Requirements = append(p.Requirements, foundRequirement{Marker: m, Act: a})
	by := a.Verb
	if len(a.Clause.Tokens) > 0 {
		by = a.Clause.Text(p.Text, Span{From: 0, To: len(a.Clause.Tokens)})
	}
	p.addEvidence(by, string(m)+": "+why)
}

// decideRest decides about a message without a clear request: a faint complaint, a log, the title
// of a ticket, any statement, or a doubt.
func (p *parse) decideRest() {
	if len(p.Requirements) > 0 || len(p.Doubts) > 0 {
		return
	}
	for _, is := range []func(Act) bool{
		func(a Act) bool { return a.Kind == Complaint },
		func(a Act) bool { return a.Kind == Material },
		func(a Act) bool { return a.Kind == Request },
		func(a Act) bool {
			return a.Kind == Background && a.Clause.EndMark != "?" && len(a.Clause.Tokens) > 3 && HasFiniteVerb(a.Clause.Lower())
		},
	} {
		for _, a := range p.Acts {
			if is(a) {
				m := belay.MarkFix
				p.addRequirement(a, m, "nothing else is asked")
				return
			}
		}
	}
	why := []string{"what is wanted is not said"}
	p.Doubts = append(p.Doubts, belay.Doubt{Words: messageStart(p.Text), Readings: why})
}
