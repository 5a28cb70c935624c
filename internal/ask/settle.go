package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/stay"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// lone finds what is too little for a message of one clause: a thing and nothing about
// it, a change without what to, an undo of what is not said.
func (p *parse) lone() {
	var only *deed.Act
	for i := range p.acts {
		if a := &p.acts[i]; a.Deed != deed.Ground {
			if only != nil {
				return
			}
			only = a
		} else if len(a.C.T) > 2 {
			return
		}
	}
	if only == nil || only.Deed != deed.Request || p.fresh || only.C.Block.Section() != prose.Open || only.C.Topic != "" || p.lang != "" {
		return
	}
	low := only.C.Low()
	n, _ := grammar.Strip(low)
	if only.Verb == "can" && only.Marker == belay.MarkAdd && low[0] != "can" && only.C.Block.Kind == prose.Para && only.C.Close != "?" && n == 0 && len(p.acts) == 1 {
		only.Deed, only.Marker, only.Strength = deed.Complaint, belay.MarkFix, fault.Faint // "students can see each other's grades"
		return
	}
	if only.C.Close == "?" && n > 1 && low[0] == "should" && (low[1] == "we" || low[1] == "i") {
		only.Deed, only.Readings = deed.Doubt, []string{"it is to be done", "somebody is asked for an opinion"}
		return
	}
	if r := grammar.TooLittle(low[n:], only.Verb == "a thing named"); r != nil {
		only.Deed, only.Readings = deed.Doubt, r
	}
}

// settle goes through the acts in the order of the message and folds into each other
// what is one concern: a complaint and its cure, a thing and what qualifies it.
func (p *parse) settle() {
	p.lone()
	for i := range p.acts {
		a := &p.acts[i]
		if s := a.C.Block.Section(); (s == prose.Around || s == prose.Expected || s == prose.Title) && a.Deed != deed.Keep {
			if s == prose.Title && (a.Deed == deed.Request || a.Deed == deed.Complaint) {
				a.Strength = fault.Faint
			}
			continue
		}
		if a.C.Join != "or" || !p.fresh && a.Deed != deed.Keep {
			p.kept(*a)
		}
		if low := a.C.Low(); a.C.Block.Section() == prose.Problem && a.C.Block.Kind == prose.Para && a.Deed == deed.Ground && len(low) > 2 && !p.reports(i, 0) {
			p.emit(*a, belay.MarkFix, "said where the problem is described")
			continue
		}
		switch {
		case p.fresh:
			p.freshly(*a)
		case a.Deed == deed.Doubt && a.Marker == belay.MarkRemove && !a.Bare && len(p.out) > 0 && p.out[len(p.out)-1].Marker == belay.MarkModify && p.out[len(p.out)-1].a.C.Line == a.C.Line:
			p.emit(*a, belay.MarkRemove, "the old one, behind what takes its place")
		case a.Deed == deed.Doubt && a.Bare && p.elided(i):
		case a.Deed == deed.Doubt:
			p.doubts = append(p.doubts, belay.Doubt{Words: a.C.Text(p.msg, grammar.Span{From: 0, To: len(a.C.T)}), Readings: a.Readings})
		case i > 0 && strings.Contains("->=>→", a.C.Join) && a.C.Join != "" && (len(a.C.T) < 3 && fault.Status(a.C.Low()) || fault.Outcome(a.C.Low())):
			for n := len(p.out); n > 0 && p.out[n-1].a.C.Sent == a.C.Sent && p.out[n-1].a.C.Line == a.C.Line; n-- {
				p.out = p.out[:n-1] // the steps
			}
			p.emit(p.acts[i-1], belay.MarkFix, "an error comes of it")
		case a.Deed == deed.Ground && p.oneOfSeveral(i):
			p.emit(*a, belay.MarkFix, "told as one of several concerns")
		case a.Deed == deed.Ground && p.beside(i):
			p.emit(*a, belay.MarkFix, "told in one breath with what is wrong")
		case a.Deed == deed.Ground && p.aside(i):
			p.emit(*a, belay.MarkFix, "told beside a request, about something of its own")
		case a.Deed == deed.Expected && i > 0:
			p.contrasted(i)
		case a.Deed == deed.Complaint && p.atOdds(i):
			p.out[len(p.out)-1].Marker = belay.MarkFix
			p.note(*a, "", "FIX: at present it does otherwise")
		case a.Deed == deed.Complaint && a.Strength == fault.Faint && p.stays(i):
		case a.Deed == deed.Complaint:
			p.complained(i)
		case a.Deed == deed.Mend:
			p.mended(i)
		case a.Deed == deed.Request && a.Stated && !p.fresh && p.tells(i):
			p.emit(*a, belay.MarkFix, "how it is, and nothing like it is asked")
		case p.repeats(i):
		case p.either(i):
		case a.Deed == deed.Request && i > 0 && deed.IsWish(a.Verb) && p.results(i):
			p.emit(p.acts[i-1], belay.MarkFix, "it should be otherwise")
		case a.Deed == deed.Request:
			p.asked(i)
		case a.Deed == deed.Material && a.Strength == fault.Plain && !p.reports(i, 2):
			p.emit(*a, belay.MarkFix, "a crash is pasted")
		}
	}
	p.lastly()
}

// atOdds reports how it is now, behind how it should be: "-i should ignore case for the whole
// pattern, right now it only works for the first letter".
func (p *parse) atOdds(i int) bool {
	a, n := p.acts[i], len(p.out)
	if i == 0 || n == 0 || !p.emitted(p.acts[i-1]) || !deed.IsWish(p.acts[i-1].Verb) || p.acts[i-1].C.Sent != a.C.Sent || p.acts[i-1].Marker != belay.MarkModify {
		return false
	}
	return grammar.Now(a.C.Low()) && slices.ContainsFunc(a.C.Low(), words.Pronoun)
}

// tells reports a statement under a topic that is no wish: it is the only thing said there,
// or says how something is ("the date is american").
func (p *parse) tells(i int) bool {
	a := p.acts[i]
	if i+1 < len(p.acts) && strings.Contains("->=>→", p.acts[i+1].C.Join) && p.acts[i+1].C.Join != "" {
		return false
	}
	if a.Verb == "is" || a.Verb == "are" {
		return a.Marker == belay.MarkModify && !grammar.Old(a.C.Low()) && grammar.Compared(a.C.Low()) == 0
	}
	return !slices.ContainsFunc(p.acts, func(b deed.Act) bool {
		return b.Deed == deed.Request && !b.Stated && b.C.Sent == a.C.Sent
	})
}

// elided reads "I don't like the bar. Please remove.": what the verb is about was said in
// the sentence before.
func (p *parse) elided(i int) bool {
	if i == 0 || p.acts[i-1].C.Line != p.acts[i].C.Line {
		return false
	}
	a, b := p.acts[i], p.acts[i-1]
	if b.Deed != deed.Ground && b.Deed != deed.Complaint && b.Deed != deed.Request || len(b.C.T) < 3 {
		return false
	}
	if n := len(p.out); n > 0 && p.emitted(b) {
		p.out[n-1].Marker = a.Marker
		p.note(a, "", string(a.Marker)+": what was said before")
		return true
	}
	p.emit(b, a.Marker, "“"+a.Verb+"” is said of it")
	return true
}

// repeats reads "same in resume.ts", "ditto for the list": what was asked before, for
// another thing.
func (p *parse) repeats(i int) bool {
	low := p.acts[i].C.Low()
	n := len(p.out)
	if len(low) < 3 || p.fresh || p.acts[i].Deed == deed.Keep {
		return false
	}
	if !(low[0] == "same" || low[0] == "ditto" || low[0] == "likewise" || low[0] == "the" && low[1] == "same") {
		return false
	}
	at := 1
	for at < 4 && at < len(low)-1 && (low[at] == "same" || low[at] == "thing" || low[at] == "goes" || low[at] == "problem" || low[at] == "issue" || low[at] == "bug" || low[at] == "error") {
		at++
	}
	switch low[at] {
	case "in", "for", "on", "with", "at", "when":
		a := p.acts[i]
		if n == 0 {
			if len(p.doubts) == 0 {
				p.doubts = append(p.doubts, belay.Doubt{Words: a.C.Text(p.msg, grammar.Span{To: len(low)}), Readings: []string{"what was done before is meant, which this message does not name"}})
			}
			return true
		}
		a.Core = grammar.Span{From: 0, To: len(low)}
		p.emit(a, p.out[n-1].Marker, "the same once more")
		p.doubts = nil
		return true
	}
	return false
}

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

// either reads "X or Y" where both are asked for: only one is wanted, and which is not
// said.
func (p *parse) either(i int) bool {
	a := p.acts[i]
	if i > 0 && len(a.C.T) > 1 && len(p.acts[i-1].C.T) > 0 && a.C.T[0].Low == "or" && a.C.Close == "?" && len(a.C.T) < 6 && a.C.Line == p.acts[i-1].C.Line {
		before := p.acts[i-1].C
		p.doubts = append(p.doubts, belay.Doubt{Words: strings.TrimSpace(p.msg[before.T[0].At:a.C.T[len(a.C.T)-1].End]), Readings: []string{before.Text(p.msg, grammar.Span{To: len(before.T)}), a.C.Text(p.msg, grammar.Span{From: 1, To: len(a.C.T)})}})
		if n := len(p.out); n > 0 && p.emitted(p.acts[i-1]) {
			p.out = p.out[:n-1]
		}
		return true // "Tabs? Or an accordion?"
	}
	if a.C.Join != "or" || i == 0 || a.Deed != deed.Request && a.Deed != deed.Keep || p.acts[i-1].Deed != deed.Request || p.acts[i-1].C.Sent != a.C.Sent {
		return false
	}
	if low := a.C.Low(); low[0] == "at" || low[0] == "rather" || low[0] == "else" || low[0] == "even" {
		return false
	}
	before := p.acts[i-1].C
	p.doubts = append(p.doubts, belay.Doubt{Words: strings.TrimSpace(p.msg[before.T[0].At:a.C.T[len(a.C.T)-1].End]), Readings: []string{before.Text(p.msg, grammar.Span{To: len(before.T)}), a.C.Text(p.msg, grammar.Span{To: len(a.C.T)})}})
	if n := len(p.out); n > 0 && p.emitted(p.acts[i-1]) {
		p.out = p.out[:n-1]
	}
	return true
}

// contrasted reads "shows Sunday first, should be Monday": what is said before is wrong.
func (p *parse) contrasted(i int) {
	b := p.acts[i-1]
	low := b.C.Low()
	if k, _ := grammar.Strip(low); grammar.Imperative(low[min(k, len(low)):]) > 0 {
		return
	}
	if b.C.Sent != p.acts[i].C.Sent || b.Deed != deed.Ground && b.Deed != deed.Request {
		return
	}
	if n := len(p.out); n > 0 && p.emitted(b) {
		p.out[n-1].Marker = belay.MarkFix
		p.note(b, "", "FIX: it should be otherwise")
		return
	}
	p.emit(b, belay.MarkFix, "it should be otherwise")
}

// results reports a wish that follows in the same sentence on what comes out now:
// "searching for a.b finds axb, dots should be literal".
func (p *parse) results(i int) bool {
	a, b := p.acts[i], p.acts[i-1]
	if a.C.Join != "," || b.Deed != deed.Ground && !(b.Deed == deed.Complaint && b.Strength == fault.Faint) || b.C.Sent != a.C.Sent || b.C.Join != "" {
		return false
	}
	low := b.C.Low()
	at, ok := grammar.Predicate(low)
	switch {
	case !ok:
		return false
	case a.Pronoun && !words.Subject(low[0]) && strings.HasSuffix(low[at], "s"):
		return true
	case low[at] == "finds", low[at] == "returns", low[at] == "gives", low[at] == "shows", low[at] == "prints", low[at] == "matches", low[at] == "renders", low[at] == "counts", low[at] == "points", low[at] == "says":
		return true
	}
	return false
}

// aside reports a statement about a thing of its own that follows a request in the same
// sentence, by "and": "bump astro, and the image on the landing page is stretched".
func (p *parse) aside(i int) bool {
	a := p.acts[i]
	n := len(p.out)
	if n == 0 || a.C.Join != "and" || p.out[n-1].a.C.Sent != a.C.Sent || p.out[n-1].Marker == belay.MarkFix || p.out[n-1].a.C.Line != a.C.Line || a.Pronoun {
		return false
	}
	low := a.C.Low()
	return len(low) > 3 && grammar.Definite(low[0]) && statesFact(low)
}

// oneOfSeveral reports a statement of how something is that stands beside a request as
// its equal: "also" leads from the one to the other.
func (p *parse) oneOfSeveral(i int) bool {
	a := p.acts[i]
	if a.C.Block.Section() != prose.Open || a.C.Join == "because" || a.C.Join == "if" || !statesFact(a.C.Low()) {
		return false
	}
	if a.Also {
		return true
	}
	if i+1 >= len(p.acts) {
		return false
	}
	next := p.acts[i+1]
	return next.Also && (next.C.Sent > a.C.Sent || next.C.Join == ";") && next.Deed == deed.Request
}

// kept notes what a clause wants left alone, in the message's own words.
func (p *parse) kept(a deed.Act) {
	for _, s := range a.Keeps {
		what := strings.Trim(a.C.Text(p.msg, s), "*_ ")
		if what == "" {
			what = p.antecedent(a)
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

// antecedent is what "it" in "leave it" stands for: the subject of the sentence.
func (p *parse) antecedent(a deed.Act) string {
	if slices.ContainsFunc(p.acts, func(b deed.Act) bool {
		return b.Deed == deed.Keep && b.C.Sent == a.C.Sent && b.C.Line == a.C.Line && b.Core != a.Core
	}) {
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

func (p *parse) emit(a deed.Act, m belay.Marker, why string) {
	p.out = append(p.out, found{Marker: m, a: a, count: count(a, m)})
	by := a.Verb
	if len(a.C.T) > 0 {
		by = a.C.Text(p.msg, grammar.Span{From: 0, To: len(a.C.T)})
	}
	p.why = append(p.why, Evidence{by, string(m) + ": " + why})
}

// reports says whether a problem has been reported already, of at least that strength,
// within the last acts.
func (p *parse) reports(i, within int) bool {
	for _, f := range p.out {
		if f.Marker == belay.MarkFix {
			return true
		}
	}
	for j := i - 1; j >= 0 && j >= i-within; j-- {
		if p.acts[j].Deed == deed.Complaint && p.acts[j].Strength >= fault.Faint {
			return false
		}
	}
	return false
}

// asked emits a request, unless it only says how the one before is meant.
func (p *parse) asked(i int) {
	a := p.acts[i]
	low := a.C.Low()
	if line := strings.Join(low, " "); len(p.doubts) > 0 && (strings.Contains(line, "the rest") || strings.Contains(line, "the others") || strings.Contains(line, "the other ones")) {
		return // of what is in doubt
	}
	if a.C.Topic == "wrong" {
		a.Marker = belay.MarkFix
	}
	if n, _ := grammar.Strip(low); a.C.Block.Section() == prose.Problem && n < len(low) && grammar.Imperative(low[n:]) == 0 && !deed.IsWish(a.Verb) {
		a.Marker = belay.MarkFix // a list of what is wrong
	}
	if n := len(p.out); n > 0 && p.out[n-1].Marker == belay.MarkFix && a.Verb == "a thing named" && (slices.Contains(low, "too") || slices.Contains(low, "also") || strings.HasSuffix(strings.Join(low, " "), "as well")) {
		a.Marker = belay.MarkFix // "… 404. the button too"
	}
	var last *found
	if len(p.out) > 0 {
		last = &p.out[len(p.out)-1]
	}
	if n, ok := words.Number(low[0]); ok && a.Verb == "enough" && last != nil && last.Marker == belay.MarkAdd && last.count == nil {
		last.count = &n
		p.note(a, "", "how many of the one before")
		return
	}
	if i+1 < len(p.acts) && p.acts[i+1].C.Sent == a.C.Sent && strings.Contains("->=>→", p.acts[i+1].C.Join) && p.acts[i+1].C.Join != "" && p.acts[i+1].Deed == deed.Request {
		p.note(a, "", "the reason of what is asked next")
		return
	}
	if low[0] == "to" && a.C.Join == "and" && i > 0 && p.acts[i-1].Deed == deed.Request && p.acts[i-1].Verb == "we want" {
		a.Marker = p.acts[i-1].Marker // "a way to see who changed it, and to go back"
	}
	if p.takenBack(i) {
		p.note(a, "", "taken back by what follows")
		return
	}
	if i > 0 && p.acts[i-1].Deed == deed.Complaint && p.acts[i-1].Verb == "why" && deed.IsWish(a.Verb) && a.Pronoun {
		p.emit(p.acts[i-1], belay.MarkFix, "it should be otherwise")
		return
	}
	if last != nil && last.Marker == belay.MarkFix && a.Marker == belay.MarkAdd && a.Pronoun && !a.Also && last.a.C.Line == a.C.Line && slices.Contains(last.a.C.Low(), "no") {
		last.Marker = belay.MarkAdd // "… has no page numbers. Please add them."
		p.note(a, "", "ADD: what was said to be missing")
		return
	}
	if last != nil && p.qualifies(a, *last) {
		p.note(a, "", "says how the one before is meant")
		return
	}
	if a.Marker == belay.MarkFix && last != nil && last.Marker == belay.MarkFix && p.shares(a, *last) {
		p.note(a, "", "goes with the problem before")
		return
	}
	p.emit(a, a.Marker, "by “"+a.Verb+"”")
}

// takenBack reports a proposal that the next sentence says no to ("Add an index? no, just
// …"), and a wish whose second half says what stands in its way ("… should be possible
// but it throws").
func (p *parse) takenBack(i int) bool {
	if i+1 >= len(p.acts) {
		return false
	}
	a, b := p.acts[i], p.acts[i+1]
	low := b.C.Low()
	if a.C.Close == "?" && b.C.Sent == a.C.Sent+1 && len(low) > 0 && (low[0] == "no" || low[0] == "nope" || low[0] == "nah") && (len(low) == 1 || low[1] == "wait" || low[1] == ",") {
		return true
	}
	return deed.IsWish(a.Verb) && b.C.Join == "but" && b.Deed == deed.Complaint && b.Pronoun
}

// qualifies reports a request that is part of the one before.
func (p *parse) qualifies(a deed.Act, last found) bool {
	near := a.C.Line == last.a.C.Line && a.C.Sent-last.a.C.Sent <= 1 || a.C.Line == last.a.C.Line+1 && a.C.Block.Kind == prose.Para
	if !near || a.C.Block.Kind == prose.Item && a.C.Line != last.a.C.Line {
		return false
	}
	switch {
	case last.Marker == belay.MarkRemove && a.Marker == belay.MarkRemove && a.Pronoun && !a.Also:
		return true // "the label can go, delete it"
	case a.Pronoun && a.Marker == belay.MarkModify && last.Marker == belay.MarkModify && a.C.Join == "and" && a.C.Sent == last.a.C.Sent && deeper(a.Verb) && deeper(last.a.Verb) && a.Verb != last.a.Verb:
		return false // "rename the module and move it": two deeds
	case last.Marker == belay.MarkFix && a.Pronoun && a.Marker != belay.MarkRemove:
		return !a.Also && !(a.C.Join == "and" && deed.IsWish(a.Verb) && !slices.Contains(a.C.Low(), "not")) && !(a.C.Sent > last.a.C.Sent && a.C.T[0].Low == "and" && grammar.Old(a.C.Low()))
	case last.Marker == belay.MarkFix && strings.Contains(a.Verb, "not") && a.C.Sent == last.a.C.Sent:
		return true
	case last.Marker == belay.MarkFix && last.a.Deed == deed.Complaint && a.Marker == belay.MarkModify && deed.IsWish(a.Verb) && (a.C.Sent == last.a.C.Sent || a.Pronoun):
		return true
	case last.Marker == belay.MarkModify && last.a.Verb != "a thing named" && a.Verb == "a thing named" && a.C.Sent == last.a.C.Sent && a.C.Join == "," && (a.C.Low()[0] == "less" || a.C.Low()[0] == "more") && !slices.ContainsFunc(a.C.Low(), words.Preposition):
		return true // "refine the copy, less generic more adult"
	case last.Marker == belay.MarkAdd && a.Pronoun && !a.Also && (a.Verb == "store" || a.Verb == "save" || a.Verb == "put" || a.Verb == "place" || a.Verb == "keep" || a.Verb == "persist" || a.Verb == "write"):
		return true // where the new thing is put
	case last.Marker == belay.MarkFix && a.C.Sent == last.a.C.Sent && a.Verb == "a thing named" && slices.Contains(a.C.Low(), "one"):
		return true
	case last.Marker == belay.MarkFix && a.C.Sent == last.a.C.Sent && a.C.Join == "because":
		return true
	case a.Pronoun && a.Marker == belay.MarkModify && !(a.Also && !deed.IsWish(a.Verb)):
		return true
	case last.Marker == belay.MarkAdd && a.Verb == "a thing named" && a.C.Sent == last.a.C.Sent && a.C.Join == "," && grammar.Old(a.C.Low()) && !slices.ContainsFunc(a.C.Low(), func(w string) bool { _, ok := grammar.Value(w); return ok }):
		return true
	case last.Marker == belay.MarkModify && a.Verb == "a thing named" && a.C.Sent == last.a.C.Sent && a.C.T[len(a.C.T)-1].Low == "instead":
		return true
	case a.Pronoun && deed.IsWish(a.Verb) && a.Marker == belay.MarkModify:
		return true
	case a.Verb == "a thing named" && a.C.Frag && a.C.Join == "" && a.C.Block.Kind == prose.Para && (last.a.Verb != "a thing named" || last.a.C.Line != a.C.Line) && words.Tool(a.C.T[min(a.Core.From, len(a.C.T)-1)].Low):
		return true
	case a.Verb == "a thing named" && !a.C.Group && a.C.Block.Kind == prose.Para && a.Marker == belay.MarkAdd && !a.Also && !grammar.Articled(a.C.T[min(a.Core.From, len(a.C.T)-1)].Low) && last.Marker == belay.MarkFix:
		return true
	}
	return false
}

// deeper reports a deed that is one by itself, whatever else is done to the thing.
func deeper(verb string) bool {
	switch verb {
	case "rename", "move", "split", "convert", "migrate", "rewrite", "port", "upgrade", "translate", "extract", "merge", "refactor":
		return true
	}
	return false
}

// shares reports that two clauses speak of the same thing.
func (p *parse) shares(a deed.Act, b found) bool {
	if a.C.Block.Kind == prose.Item && a.C.Line != b.a.C.Line {
		return false
	}
	for _, w := range a.C.Low() {
		if len(w) > 3 && !words.Preposition(w) && slices.Contains(b.a.C.Low(), w) && !words.Auxiliary(w) && !words.Determiner(w) {
			return true
		}
	}
	return false
}
