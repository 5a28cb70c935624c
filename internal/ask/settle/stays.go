package settle

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/stay"
)

// kept notes what a clause wants left alone, in the message's own words.
func (p *Message) kept(a deed.Act) {
	clause := a.C.Text(p.Text, grammar.Span{From: 0, To: len(a.C.T)})
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
		p.note(a, clause, "left as it is: "+what)
	}
}

// keepsNothing reports that what sounds like leaving a thing alone asks for nothing: it closes a list,
// or says more about what is wrong.
func (p *Message) keepsNothing(a deed.Act, what string) bool {
	what = strings.ToLower(what)
	low := a.C.Low()
	return p.lastWrong() && (praises(low)) // "no error no nothing", "the older ones are ok"
}

// praises reports "the older ones are fine".
func praises(low []string) bool {
	last := low[len(low)-1]
	return low[0] == "the" && (last == "good")
}

// lastWrong reports that the message tells what is wrong, and asks for nothing in so many words.
func (p *Message) lastWrong() bool {
	if p.Fresh {
		return false
	}
	wrong := false
	for _, b := range p.Acts {
		switch b.Deed {
		case deed.Request, deed.Mend:
			return false
		case deed.Complaint, deed.Material:
			wrong = true
		}
	}
	return wrong
}

// keptBefore reports that the same sentence says of a named thing that it is to stay.
func (p *Message) keptBefore(a deed.Act) bool {
	return slices.ContainsFunc(p.Acts, func(b deed.Act) bool {
		return b.Deed == deed.Keep && b.C.Sent == a.C.Sent && b.C.Line == a.C.Line && b.Core != a.Core
	})
}

// antecedent is what "it" in "leave it" stands for: the subject of the sentence, or the last
// thing named before.
func (p *Message) antecedent(a deed.Act) string {
	if p.keptBefore(a) {
		return "" // it was named there
	}
	for _, b := range p.Acts {
		if b.C.Sent != a.C.Sent || b.Deed != deed.Ground && (b.Deed != deed.Complaint || b.Strength == fault.Plain) {
			continue
		}
	}
	for _, b := range slices.Backward(p.Acts) {
		if b.C.Sent > a.C.Sent || b.C.Sent < a.C.Sent-1 || b.C.Line != a.C.Line || b.Core == a.Core {
			continue
		}
		if s, ok := stay.LastThing(b.C.Low()); ok {
			return b.C.Text(p.Text, s)
		}
	}
	return ""
}
