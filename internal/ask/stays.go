package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/stay"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// stays reports that a thing said to stay somewhere is to stay there: something else was
// asked for before.
func (p *parse) stays(i int) bool {
	a := p.acts[i]
	low := a.C.Low()
	if a.Verb != "stays" && a.Verb != "stay" && a.Verb != "remains" || len(p.out) == 0 || p.out[len(p.out)-1].Marker == belay.MarkFix {
		return false
	}
	at := slices.Index(low, a.Verb)
	n, _ := grammar.Strip(low)
	if at <= n {
		return false
	}
	p.preserve = append(p.preserve, a.C.Text(p.msg, grammar.Span{From: n, To: at}))
	p.note(a, "", "is to stay")
	return true
}

// kept notes what a clause wants left alone, in the message's own words.
func (p *parse) kept(a deed.Act) {
	for _, s := range a.Keeps {
		what := strings.Trim(a.C.Text(p.msg, s), "*_ ")
		if what == "" {
			what = p.antecedent(a)
		}
		if n := len(p.out); n > 0 && p.out[n-1].Marker == belay.MarkFix && strings.HasPrefix(strings.ToLower(what), "same ") {
			continue // "same save, same PC": how it was tried
		}
		if low := a.C.Low(); p.lastWrong() && (strings.HasPrefix(strings.ToLower(what), "no ") && a.C.Join != "" && !slices.Contains(low, "please") || low[0] == "the" && (low[len(low)-1] == "ok" || low[len(low)-1] == "fine" || low[len(low)-1] == "okay" || low[len(low)-1] == "good")) {
			continue // "no error no nothing", "the older ones are ok": more about what is wrong
		}
		if what == "" && forbids(a.C.Low()) && !p.keptBefore(a) {
			what = a.C.Text(p.msg, grammar.Span{From: 0, To: len(a.C.T)}) // "don't remove it yet"
		}
		if what == "" || slices.Contains(p.preserve, what) {
			continue
		}
		if a.Deed == deed.Keep && strings.HasPrefix(strings.ToLower(what), "no ") && p.addedNext(a) {
			p.note(a, what, "there is none, and one is asked for next")
			continue
		}
		if a.Deed == deed.Keep && strings.HasPrefix(strings.ToLower(what), "no ") && p.said(a, s) {
			p.note(a, what, "how the thing asked for behaves: part of its requirement")
			continue
		}
		p.preserve = append(p.preserve, what)
		p.note(a, a.C.Text(p.msg, grammar.Span{From: 0, To: len(a.C.T)}), "left as it is: "+what)
	}
}

// addedNext reports that the sentence behind asks for what this one says is not there: "no
// audit trail. Add one."
func (p *parse) addedNext(a deed.Act) bool {
	for _, b := range p.acts {
		if b.C.Sent == a.C.Sent && b.C.Line == a.C.Line && b.Deed == deed.Request && b.Marker == belay.MarkRemove && b.Pronoun {
			return true
		}
		if b.C.Line != a.C.Line || b.C.Sent != a.C.Sent+1 || b.Deed != deed.Request || b.Marker != belay.MarkAdd {
			continue
		}
		low := b.C.Low()
		return b.Pronoun || low[len(low)-1] == "one" || low[len(low)-1] == "some"
	}
	return false
}

// lastWrong reports that the message tells what is wrong, and asks for nothing in so many words.
func (p *parse) lastWrong() bool {
	wrong := false
	for _, b := range p.acts {
		switch b.Deed {
		case deed.Request, deed.Mend:
			return false
		case deed.Complaint, deed.Material:
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
func (p *parse) keptBefore(a deed.Act) bool {
	return slices.ContainsFunc(p.acts, func(b deed.Act) bool {
		return b.Deed == deed.Keep && b.C.Sent == a.C.Sent && b.C.Line == a.C.Line && b.Core != a.Core
	})
}

// antecedent is what "it" in "leave it" stands for: the subject of the sentence.
func (p *parse) antecedent(a deed.Act) string {
	if p.keptBefore(a) {
		return "" // it was named there
	}
	for _, b := range p.acts {
		if b.C.Sent != a.C.Sent || b.Deed != deed.Ground && (b.Deed != deed.Complaint || b.Strength == fault.Plain) {
			continue
		}
		low := b.C.Low()
		if i := slices.IndexFunc(low, words.Auxiliary); i > 0 && !words.Subject(low[0]) && low[0] != "but" {
			return b.C.Text(p.msg, grammar.Span{From: 0, To: i})
		}
	}
	for i := len(p.acts) - 1; i >= 0; i-- {
		b := p.acts[i]
		if b.C.Sent > a.C.Sent || b.C.Sent < a.C.Sent-1 || b.C.Line != a.C.Line || b.Core == a.Core {
			continue
		}
		if s, ok := stay.LastThing(b.C.Low()); ok {
			return b.C.Text(p.msg, s)
		}
	}
	return ""
}

// said reports that what a "no" is about was asked for just before: then it says how
// the new thing behaves.
func (p *parse) said(a deed.Act, s grammar.Span) bool {
	if len(p.out) == 0 || s.To-s.From < 2 {
		return false
	}
	noun := words.Stem(a.C.T[s.From+1].Low)
	for _, w := range p.out[len(p.out)-1].a.C.Low() {
		if words.Stem(w) == noun {
			return true
		}
	}
	return false
}
