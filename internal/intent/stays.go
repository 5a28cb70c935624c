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
		if what == "" || slices.Contains(p.Preserve, what) {
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
	none := strings.HasPrefix(what, "no ") && a.C.Join != "" && !slices.Contains(a.C.Low(), "please")
	return none && p.lastWrong() // "no error no nothing"
}

// lastWrong reports that the message tells what is wrong, and asks for nothing in so many grammar.
func (p *parse) lastWrong() bool {
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

// antecedent is what "it" in "leave it" stands for: the subject of the sentence, or the last
// thing named before.
func (p *parse) antecedent(a Act) string {
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
