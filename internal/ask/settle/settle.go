package settle

import (
	"slices"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/ask/concern"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/named"
	"github.com/belay-dev/belay/internal/ask/number"
	"github.com/belay-dev/belay/internal/ask/stay"
	"github.com/belay-dev/belay/internal/ask/vague"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/belay"
)

// lone finds what is too little for a message of one clause: a thing and nothing about
// it, a change without what to, an undo of what is not said.
func (p *Message) lone() {
	var only *deed.Act
	grounds := false
	for i := range p.Acts {
		if a := &p.Acts[i]; a.Deed == deed.Keep {
			continue
		} else if a.Deed != deed.Ground {
			if only != nil {
				return
			}
			only = a
		} else if len(a.C.T) > 2 {
			grounds = true
		}
	}
	if only == nil || only.Deed != deed.Request || p.Fresh || only.C.Block.Section() != prose.Open || only.C.Topic != "" || p.Lang != "" {
		return
	}
	low := only.C.Low()
	n, _ := grammar.Strip(low)
	if grounds {
		if r := vague.Instead(low, n); r != nil {
			only.Deed, only.Readings, only.Also = deed.Doubt, r, true // what is told beside it is why
		}
		return
	}
	if only.Verb == "can" && only.Marker == belay.MarkAdd && low[0] != "can" && only.C.Block.Kind == prose.Para && only.C.Close != "?" && n == 0 && len(p.Acts) == 1 {
		only.Deed, only.Marker, only.Strength = deed.Complaint, belay.MarkFix, fault.Faint // "students can see each other's grades"
		return
	}
	if only.C.Close == "?" && n > 1 && low[0] == "should" && (low[1] == "we" || low[1] == "i") {
		only.Deed, only.Readings = deed.Doubt, []string{"it is to be done", "somebody is asked for an opinion"}
		return
	}
	r := vague.Alone(low, n)
	if r == nil && (only.Verb == "a thing named" || only.Verb == "we want") && only.C.T[n].Form == prose.Word {
		r = vague.Serves(low[n:], n > 0 && unicode.IsUpper(rune(p.Text[only.C.T[n].At])))
	}
	if r == nil {
		r = vague.TooLittle(low[n:], only.Verb == "a thing named")
		if (only.Verb == "fix" || only.Verb == "repair" || only.Verb == "correct") && strings.Contains(p.Text, ":") {
			r = nil // what is wrong is said behind the colon
		}
	}
	if r != nil {
		only.Deed, only.Readings, only.Also = deed.Doubt, r, vague.Instead(low, n) != nil
	}
}

// settle goes through the acts in the order of the message and folds into each other
// what is one concern: a complaint and its cure, a thing and what qualifies it.
func (p *Message) settle() {
	if p.Lang == "" {
		concern.Reread(p.Acts)
	}
	p.lone()
	if p.Lang == "" && !p.Fresh {
		concern.Report(p.Acts)
	}
	if slices.ContainsFunc(p.Acts, func(a deed.Act) bool { return a.Deed == deed.Keep }) {
		for i := range p.Acts {
			if a := &p.Acts[i]; a.Deed == deed.Doubt && a.Verb == "change" {
				a.Deed, a.Readings = deed.Request, nil // what is said to stay says what is to become another
			}
		}
	}
	for i := range p.Acts {
		a := &p.Acts[i]
		if s := a.C.Block.Section(); (s == prose.Around || s == prose.Expected || s == prose.Title) && a.Deed != deed.Keep {
			if s == prose.Title && (a.Deed == deed.Request || a.Deed == deed.Complaint) {
				a.Strength = fault.Faint
			}
			continue
		}
		if p.remedied(i) {
			p.note(*a, "", "the reason of what is asked next")
			continue
		}
		if a.Deed == deed.Keep && (concern.Evidence(a.C.Low()) || p.compared(a.C.Low())) {
			continue
		}
		if a.C.Join != "or" || !p.Fresh && a.Deed != deed.Keep {
			p.kept(*a)
		}
		if low := a.C.Low(); a.C.Block.Section() == prose.Problem && a.C.Block.Kind == prose.Para && a.Deed == deed.Ground && len(low) > 2 && !p.reports(i, 0) {
			p.emit(*a, belay.MarkFix, "said where the problem is described")
			continue
		}
		switch {
		case p.Fresh:
			p.freshly(*a)
		case a.Deed == deed.Doubt && a.Marker == belay.MarkRemove && !a.Bare && len(p.Out) > 0 && p.Out[len(p.Out)-1].Marker == belay.MarkModify && p.Out[len(p.Out)-1].Act.C.Line == a.C.Line:
			p.emit(*a, belay.MarkRemove, "the old one, behind what takes its place")
		case a.Deed == deed.Doubt && p.sameTold(i):
		case a.Deed == deed.Doubt && a.Bare && p.elided(i):
		case a.Deed == deed.Doubt:
			p.Doubts = append(p.Doubts, belay.Doubt{Words: a.C.Text(p.Text, grammar.Span{From: 0, To: len(a.C.T)}), Readings: a.Readings, Vague: a.Vague})
		case i > 0 && strings.Contains("->=>→", a.C.Join) && a.C.Join != "" && (len(a.C.T) < 3 && fault.Status(a.C.Low()) || fault.Outcome(a.C.Low())):
			for n := len(p.Out); n > 0 && p.Out[n-1].Act.C.Sent == a.C.Sent && p.Out[n-1].Act.C.Line == a.C.Line; n-- {
				p.Out = p.Out[:n-1] // the steps
			}
			p.emit(p.Acts[i-1], belay.MarkFix, "an error comes of it")
		case a.Deed == deed.Ground && p.otherwise(i):
			p.Out[len(p.Out)-1].Marker = belay.MarkFix
			p.note(*a, "", "FIX: it is otherwise now")
		case a.Deed == deed.Ground && p.oneOfSeveral(i):
			p.emit(*a, belay.MarkFix, "told as one of several concerns")
		case a.Deed == deed.Ground && p.beside(i):
			p.emit(*a, belay.MarkFix, "told in one breath with what is wrong")
		case a.Deed == deed.Ground && p.aside(i):
			p.emit(*a, belay.MarkFix, "told beside a request, about something of its own")
		case a.Deed == deed.Expected && i > 0:
			p.contrasted(i)
		case a.Deed == deed.Complaint && p.atOdds(i):
			p.Out[len(p.Out)-1].Marker = belay.MarkFix
			p.note(*a, "", "FIX: at present it does otherwise")
		case a.Deed == deed.Complaint && a.Strength == fault.Faint && p.stays(i):
		case a.Deed == deed.Complaint:
			p.complained(i)
		case a.Deed == deed.Mend:
			p.mended(i)
		case a.Deed == deed.Request && a.Stated && !p.Fresh && p.tells(i):
			p.emit(*a, belay.MarkFix, "how it is, and nothing like it is asked")
		case p.repeats(i):
		case p.either(i):
		case a.Deed == deed.Request && i > 0 && deed.IsWish(a.Verb) && p.results(i):
			p.emit(p.Acts[i-1], belay.MarkFix, "it should be otherwise")
		case a.Deed == deed.Request:
			p.asked(i)
		case a.Deed == deed.Material && a.Strength == fault.Plain && !p.reports(i, 2):
			p.emit(*a, belay.MarkFix, "a crash is pasted")
		}
	}
	p.lastly()
	p.several()
}

// several takes back the only thing asked for where it is to delete "the index", and the
// repository has three files of that name that are nothing alike.
func (p *Message) several() {
	if len(p.Out) != 1 || p.Out[0].Marker != belay.MarkRemove || len(p.Doubts) > 0 {
		return
	}
	a := p.Out[0].Act
	noun := ""
	switch o := a.C.Low()[min(a.Obj, len(a.C.T)):]; {
	case len(o) == 2 && grammar.Definite(o[0]):
		noun = o[1]
	case a.Pronoun && len(o) == 1:
		for _, b := range p.Acts {
			if s, ok := stay.LastThing(b.C.Low()); ok && b.C.Sent == a.C.Sent && s.To == s.From+2 {
				noun = b.C.T[s.From+1].Low
			}
		}
	}
	if noun != "" && named.Called(noun, p.Files) > 2 {
		p.Doubts = append(p.Doubts, belay.Doubt{Words: a.C.Text(p.Text, grammar.Span{From: 0, To: len(a.C.T)}), Readings: []string{"which of the files of that name is meant is not said"}})
		p.Out = nil
	}
}

// sameTold reports "same thing" behind what was told to go wrong.
func (p *Message) sameTold(i int) bool {
	low := p.Acts[i].C.Low()
	return len(low) < 4 && low[0] == "same" && slices.ContainsFunc(p.Acts[:i], func(b deed.Act) bool { return b.Deed == deed.Complaint })
}

// compared reports, where nothing is asked for, what is as it should be elsewhere: "the others
// are fine", "same model".
func (p *Message) compared(low []string) bool {
	last := low[len(low)-1]
	if low[0] != "same" && last != "fine" && last != "ok" && last != "okay" {
		return false
	}
	return !slices.ContainsFunc(p.Acts, func(b deed.Act) bool { return b.Deed == deed.Request || b.Deed == deed.Mend })
}

func (p *Message) emit(a deed.Act, m belay.Marker, why string) {
	p.Out = append(p.Out, Found{Marker: m, Act: a, Count: number.Of(a, m, p.Lang)})
	by := a.Verb
	if len(a.C.T) > 0 {
		by = a.C.Text(p.Text, grammar.Span{From: 0, To: len(a.C.T)})
	}
	p.Why = append(p.Why, Evidence{by, string(m) + ": " + why})
}

// reports says whether a problem has been reported already, of at least that strength,
// within the last acts.
func (p *Message) reports(i, within int) bool {
	for _, f := range p.Out {
		if f.Marker == belay.MarkFix {
			return true
		}
	}
	for j := i - 1; j >= 0 && j >= i-within; j-- {
		if p.Acts[j].Deed == deed.Complaint && p.Acts[j].Strength >= fault.Faint {
			return false
		}
	}
	return false
}
