package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// kept notes what a clause wants left alone, in the message's own grammar.
func (p *parse) kept(a Act) {
	clause := a.C.Text(p.Text, Span{From: 0, To: len(a.C.T)})
	for _, s := range a.Keeps {
		what := strings.Trim(a.C.Text(p.Text, s), "*_ ")
		if what == "" {
			what = p.antecedent(a)
		}
		if p.keepsNothing(a, what) {
			continue
		}
		if what == "" && forbids(a.C.Low()) && !p.keptBefore(a) {
			what = clause // "don't remove it yet"
		}
		if what == "" || slices.Contains(p.Preserve, what) {
			continue
		}
		if why := p.wantedAfterAll(a, s, what); why != "" {
			p.because(what, why)
			continue
		}
		p.Preserve = append(p.Preserve, what)
		p.because(clause, "left as it is: "+what)
	}
}

// keepsNothing reports that what sounds like leaving a thing alone asks for nothing: it closes a list,
// or says more about what is wrong.
func (p *parse) keepsNothing(a Act, what string) bool {
	what = strings.ToLower(what)
	if p.Fresh && (what == "nothing else" || what == "nothing more") || Missed(strings.Fields(what)) {
		return true // of something new: that is all
	}
	if n := len(p.Out); n > 0 && p.Out[n-1].Marker == belay.MarkFix && strings.HasPrefix(what, "same ") {
		return true // "same save, same PC": how it was tried
	}
	low := a.C.Low()
	none := strings.HasPrefix(what, "no ") && a.C.Join != "" && !slices.Contains(low, "please")
	return p.lastWrong() && (none || praises(low)) // "no error no nothing", "the older ones are ok"
}

// praises reports "the older ones are fine".
func praises(low []string) bool {
	last := low[len(low)-1]
	return low[0] == "the" && (last == "ok" || last == "fine" || last == "okay" || last == "good")
}

// wantedAfterAll is why a "no" leaves nothing alone, empty where it does: what it is about is
// asked for beside it.
func (p *parse) wantedAfterAll(a Act, s Span, what string) string {
	switch {
	case a.Deed != Keep || !strings.HasPrefix(strings.ToLower(what), "no "):
		return ""
	case p.addedNext(a):
		return "there is none, and one is asked for next"
	case p.said(a, s):
		return "how the thing asked for behaves: part of its requirement"
	}
	return ""
}

// addedNext reports that the sentence behind asks for what this one says is not there: "no
// audit trail. Add one."
func (p *parse) addedNext(a Act) bool {
	for _, b := range p.Acts {
		if b.C.Sent == a.C.Sent && b.C.Line == a.C.Line && b.Deed == Request && b.Marker == belay.MarkRemove && b.Pronoun {
			return true
		}
		if b.C.Line != a.C.Line || b.C.Sent != a.C.Sent+1 || b.Deed != Request || b.Marker != belay.MarkAdd {
			continue
		}
		low := b.C.Low()
		return b.Pronoun || low[len(low)-1] == "one" || low[len(low)-1] == "some"
	}
	return false
}

// lastWrong reports that the message tells what is wrong, and asks for nothing in so many grammar.
func (p *parse) lastWrong() bool {
	if p.Fresh {
		return false
	}
	wrong := false
	for _, b := range p.Acts {
		switch b.Deed {
		case Request, Mend:
			return false
		case Complaint, Material:
			wrong = true
		}
	}
	return wrong
}

// forbids reports a prohibition.
func forbids(low []string) bool {
	return len(low) > 2 && (low[0] == "don't" || low[0] == "never" || low[0] == "do" && low[1] == "not")
}

// keptBefore reports that the same sentence says of a named thing that it is to stay.
func (p *parse) keptBefore(a Act) bool {
	return slices.ContainsFunc(p.Acts, func(b Act) bool {
		return b.Deed == Keep && b.C.Sent == a.C.Sent && b.C.Line == a.C.Line && b.Core != a.Core
	})
}

// antecedent is what "it" in "leave it" stands for: the subject of the sentence, or the last
// thing named before.
func (p *parse) antecedent(a Act) string {
	if p.keptBefore(a) {
		return "" // it was named there
	}
	for _, b := range p.Acts {
		if b.C.Sent != a.C.Sent || b.Deed != Ground && (b.Deed != Complaint || b.Strength == Plain) {
			continue
		}
		low := b.C.Low()
		if i := slices.IndexFunc(low, Auxiliary); i > 0 && !Subject(low[0]) && low[0] != "but" {
			return b.C.Text(p.Text, Span{From: 0, To: i})
		}
	}
	for _, b := range slices.Backward(p.Acts) {
		if b.C.Sent > a.C.Sent || b.C.Sent < a.C.Sent-1 || b.C.Line != a.C.Line || b.Core == a.Core {
			continue
		}
		if s, ok := LastThing(b.C.Low()); ok {
			return b.C.Text(p.Text, s)
		}
	}
	return ""
}

// said reports that what a "no" is about was asked for just before: then it says how
// the new thing behaves.
func (p *parse) said(a Act, s Span) bool {
	if len(p.Out) == 0 || s.To-s.From < 2 {
		return false
	}
	noun := Stem(a.C.T[s.From+1].Low)
	return slices.ContainsFunc(p.Out[len(p.Out)-1].Act.C.Low(), func(w string) bool { return Stem(w) == noun })
}
