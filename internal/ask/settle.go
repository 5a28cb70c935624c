package ask

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/named"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/belay"
)

// lone finds what is too little for a message of one clause: a thing and nothing about
// it, a change without what to, an undo of what is not said.
func (p *parse) lone() {
	asks := slices.DeleteFunc(slices.Clone(p.Acts), func(a deed.Act) bool { return a.Deed == deed.Keep })
	if len(asks) != 1 || asks[0].Deed != deed.Request || asks[0].C.Block.Section() != prose.Open || p.Lang != "" {
		return
	}
	only := &p.Acts[asks[0].Nr]
	low := only.C.Low()
	n, _ := grammar.Strip(low)
	if o := low[min(only.Obj, len(low)):]; only.Marker == belay.MarkRemove && len(o) == 2 && grammar.Definite(o[0]) &&
		named.Called(o[1], p.Files) > 2 {
		only.Deed, only.Readings = deed.Doubt, []string{"which of the files of that name is meant is not said"}
		return
	}
	if r, vague := deed.Alone(low[n:], only.Verb == "a thing named"); r != nil {
		only.Deed, only.Readings, only.Vague = deed.Doubt, r, vague
	}
}

// settle goes through the acts in the order of the message: each asks for what it says. What is
// one concern with another, and what is only told, is weighed by what was learned.
func (p *parse) settle() {
	p.lone()
	for _, a := range p.Acts {
		section := a.C.Block.Section()
		if a.Deed != deed.Keep && (section == prose.Around || section == prose.Expected || section == prose.Title) {
			continue
		}
		p.kept(a)
		switch a.Deed {
		case deed.Doubt:
			p.Doubts = append(p.Doubts, belay.Doubt{Words: a.C.Text(p.Text, grammar.Span{To: len(a.C.T)}), Readings: a.Readings, Vague: a.Vague})
		case deed.Request:
			p.emit(a, a.Marker, "by “"+a.Verb+"”")
		case deed.Complaint:
			if a.Strength == deed.Plain {
				p.emit(a, belay.MarkFix, "said to be wrong now by “"+a.Verb+"”")
			}
		case deed.Material:
			if a.Strength == deed.Plain && !p.Fresh && !p.reports() {
				p.emit(a, belay.MarkFix, "a crash is pasted")
			}
		}
	}
	p.lastly()
}

// reports tells whether a problem was reported already.
func (p *parse) reports() bool {
	return slices.ContainsFunc(p.Out, func(f found) bool { return f.Marker == belay.MarkFix })
}

func (p *parse) emit(a deed.Act, m belay.Marker, why string) {
	if p.Fresh {
		m = belay.MarkAdd
	}
	p.Out = append(p.Out, found{Marker: m, Act: a})
	by := a.Verb
	if len(a.C.T) > 0 {
		by = a.C.Text(p.Text, grammar.Span{From: 0, To: len(a.C.T)})
	}
	p.because(by, string(m)+": "+why)
}

// lastly decides what a message without a clear request is about: a faint complaint, a log, the
// title of a ticket, whatever it tells, or nothing that can be known.
func (p *parse) lastly() {
	if len(p.Out) > 0 || len(p.Doubts) > 0 {
		return
	}
	for _, is := range []func(deed.Act) bool{
		func(a deed.Act) bool { return a.Deed == deed.Complaint },
		func(a deed.Act) bool { return a.Deed == deed.Material },
		func(a deed.Act) bool { return a.Deed == deed.Request },
		func(a deed.Act) bool {
			return a.Deed == deed.Ground && a.C.Close != "?" && len(a.C.T) > 3 && grammar.Finite(a.C.Low())
		},
	} {
		for _, a := range p.Acts {
			if is(a) {
				m := belay.MarkFix
				p.emit(a, m, "nothing else is asked")
				return
			}
		}
	}
	why := []string{"what is wanted is not said"}
	p.Doubts = append(p.Doubts, belay.Doubt{Words: beginning(p.Text), Readings: why})
}
