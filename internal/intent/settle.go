package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/belay"
)

// lone finds what is too little for a message of one clause: a thing and nothing about
// it, a change without what to, an undo of what is not said.
func (p *parse) lone() {
	asks := slices.DeleteFunc(slices.Clone(p.Acts), func(a Act) bool { return a.Deed == Keep })
	if len(asks) != 1 || asks[0].Deed != Request || asks[0].C.Block.Section() != Open || p.Lang != "" {
		return
	}
	only := &p.Acts[asks[0].Nr]
	low := only.C.Low()
	n, _ := Strip(low)
	if o := low[min(only.Obj, len(low)):]; only.Marker == belay.MarkRemove && len(o) == 2 && Definite(o[0]) && Called(o[1], p.Files) > 2 {
		only.Deed, only.Readings = Doubt, []string{"which of the files of that name is meant is not said"}
		return
	}
	if r := Alone(low[n:], only.Verb == "a thing named"); r != nil {
		only.Deed, only.Readings, only.Vague = Doubt, r, false
	}
}

// settle goes through the acts in the order of the message: each asks for what it says. What is
// one concern with another, and what is only told, is weighed by what was learned.
func (p *parse) settle() {
	p.lone()
	for _, a := range p.Acts {
		section := a.C.Block.Section()
		if a.Deed != Keep && (section == Around || section == Expected || section == Title) {
			continue
		}
		p.kept(a)
		switch a.Deed {
		case Doubt:
			p.Doubts = append(p.Doubts, belay.Doubt{Words: a.C.Text(p.Text, Span{To: len(a.C.T)}), Readings: a.Readings, Vague: a.Vague})
		case Request:
			p.emit(a, a.Marker, "by “"+a.Verb+"”")
		case Complaint:
			if a.Strength == Plain {
				p.emit(a, belay.MarkFix, "said to be wrong now by “"+a.Verb+"”")
			}
		case Material:
			if a.Strength == Plain && !p.Fresh && !p.reports() {
				p.emit(a, belay.MarkFix, "a crash is pasted")
			}
		}
	}
	p.lastly()
}

// reports reports whether a problem was reported already.
func (p *parse) reports() bool {
	return slices.ContainsFunc(p.Out, func(f found) bool { return f.Marker == belay.MarkFix })
}

func (p *parse) emit(a Act, m belay.Marker, why string) {
	if p.Fresh {
		m = belay.MarkAdd
	}
	p.Out = append(p.Out, found{Marker: m, Act: a})
	by := a.Verb
	if len(a.C.T) > 0 {
		by = a.C.Text(p.Text, Span{From: 0, To: len(a.C.T)})
	}
	p.because(by, string(m)+": "+why)
}

// lastly decides what a message without a clear request is about: a faint complaint, a log, the
// title of a ticket, whatever it tells, or nothing that can be known.
func (p *parse) lastly() {
	if len(p.Out) > 0 || len(p.Doubts) > 0 {
		return
	}
	for _, is := range []func(Act) bool{
		func(a Act) bool { return a.Deed == Complaint },
		func(a Act) bool { return a.Deed == Material },
		func(a Act) bool { return a.Deed == Request },
		func(a Act) bool {
			return a.Deed == Ground && a.C.Close != "?" && len(a.C.T) > 3 && Finite(a.C.Low())
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
