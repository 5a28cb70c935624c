package settle

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/concern"
	"github.com/belay-dev/belay/internal/ask/fault"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// complained emits a complaint, unless it goes on with the one before or is the reason
// of what is asked next.
func (p *Message) complained(i int) {
	a := p.Acts[i]
	if a.C.Join == "so" && i > 0 && p.Acts[i-1].Deed == deed.Request && p.Acts[i-1].C.Sent == a.C.Sent {
		p.note(a, "", "what it is for")
		return
	}
	if low := a.C.Low(); len(p.Out) > 0 && p.Out[len(p.Out)-1].Act.Deed == deed.Request && (low[0] == "last" || low[0] == "yesterday") && (slices.Contains(low, "we") || slices.Contains(low, "i") || slices.Contains(low, "us") || slices.Contains(low, "me")) {
		p.note(a, "", "what happened, and why it is asked")
		return
	}
	if n := len(p.Out); n > 0 && p.Out[n-1].Marker != belay.MarkFix && concern.Explains(a, p.Out[n-1].Act) {
		p.note(a, "", "why it is asked")
		return
	}
	if p.judged(i) {
		return
	}
	if slices.Contains(a.C.Low(), "deprecated") && slices.ContainsFunc(p.Acts, func(b deed.Act) bool { return b.Deed == deed.Request && b.Marker == belay.MarkModify }) {
		p.note(a, "", "why it is to be changed")
		return
	}
	if n := len(p.Out); n > 0 && !a.Also && a.C.Join == "" && p.Out[n-1].Marker != belay.MarkFix && p.Out[n-1].Marker != belay.MarkRemove && p.Out[n-1].Act.C.Line == a.C.Line && p.Out[n-1].Act.C.Sent == a.C.Sent-1 && a.C.Low()[0] == "it" {
		p.note(a, "", "why it is asked")
		return
	}
	if i > 0 && a.Pronoun && p.Acts[i-1].Deed == deed.Doubt && p.Acts[i-1].C.Sent == a.C.Sent && p.Acts[i-1].C.Line == a.C.Line {
		p.note(a, "", "why it is asked")
		return
	}
	if a.Strength < fault.Plain && (p.equal(i) || p.oneOfSeveral(i) || p.firstOf(i)) {
		p.emit(a, belay.MarkFix, "said to be wrong now by “"+a.Verb+"”, as one of several")
		return
	}
	if a.Strength < fault.Plain && !(a.C.Block.Section() == prose.Problem || a.C.Block.Kind == prose.Item && !p.hasRequest(a.C.Line)) {
		return
	}
	if next := p.nextIn(i); next != nil && next.Deed == deed.Request && next.Marker != belay.MarkFix && (next.C.Join == "->" || next.C.Join == "→" || next.C.Join == "=>" || next.C.Join == "so" || next.Marker == belay.MarkRemove && next.Pronoun || concern.Leads(next.C.Low()) || next.C.Sent == a.C.Sent && (next.C.Join != "and" && concern.Wishes(next.C.Low()) || p.cures(i, next))) {
		p.note(a, "", "the reason of what is asked next")
		return
	}
	if next := p.nextIn(i); next != nil && next.C.Sent == a.C.Sent+1 && concern.Cure(next) {
		p.note(a, "", "the reason of what is asked next")
		return
	}
	if p.leadsUp(i) {
		p.note(a, "", "told on the way to what is asked")
		return
	}
	if t := a.C.Topic; len(p.Out) > 0 && (t == "log" || t == "error" || t == "output" || t == "stack" || t == "trace" || t == "logs" || t == "message") {
		p.note(a, "", "what the program said")
		return
	}
	if concern.Bare(a.C.Low()) {
		return // "it doesn't work": what was said besides decides
	}
	if p.goesOn(i) {
		p.note(a, "", "goes on with the problem before")
		return
	}
	if low := a.C.Low(); i > 0 && (low[len(low)-1] == "too" || a.C.Join == "" && low[0] == "and" && !a.Pronoun) && p.Acts[i-1].C.Line == a.C.Line && !p.Emitted(p.Acts[i-1]) && len(p.Out) == 0 {
		for j := i - 1; j >= 0; j-- { // "the readme talks about yarn. The install section is wrong too"
			if b := p.Acts[j]; b.C.Join == "" && (b.Deed == deed.Complaint || b.Deed == deed.Ground && concern.StatesFact(b.C.Low())) {
				p.emit(b, belay.MarkFix, "what comes next is wrong too")
				break
			}
		}
	}
	p.emit(a, belay.MarkFix, "said to be wrong now by “"+a.Verb+"”")
}

// leadsUp reports a complaint on the way to an explicit request of the same paragraph that
// nothing adds to it: about people or "it", or inside a long story.
func (p *Message) leadsUp(i int) bool {
	a := p.Acts[i]
	if a.C.Block.Kind != prose.Para || a.C.Block.Section() != prose.Open || len(p.Out) > 0 {
		return false
	}
	told := 0
	for j, b := range p.Acts {
		if b.C.Line != a.C.Line {
			continue
		}
		if j <= i || b.Deed != deed.Request || b.Verb == "a thing named" || b.Stated {
			if j > i && (b.Also || b.Nth || b.Deed == deed.Mend) {
				return false
			}
			told += len(b.C.T)
			continue
		}
		low := b.C.Low()
		if b.C.Sent == a.C.Sent || b.Marker == belay.MarkFix || b.Pronoun && (b.Marker != belay.MarkAdd || b.C.Close != "?") || b.Also || b.Nth || low[0] == "and" || low[len(low)-1] == "too" || slices.Contains(low, "also") {
			return false
		}
		_, s := grammar.Strip(low)
		if b.C.Sent == a.C.Sent+1 && b.C.Join == "" && (s.Please || s.Opener) && b.Marker == belay.MarkModify && !deed.IsWish(b.Verb) {
			return true // "hosts are tried far too early. Please raise the delay"
		}
		return concern.Personal(a) || told > 28 || s.Please && concern.Shares(a, b)
	}
	return false
}

// judged reads "guests may export, that's wrong": what stands before is what is wrong.
func (p *Message) judged(i int) bool {
	low := p.Acts[i].C.Low()
	if i == 0 || len(low) > 5 || low[0] != "that's" && low[0] != "this" && low[0] != "that" && low[0] != "which" {
		return false
	}
	b := p.Acts[i-1]
	if b.Deed == deed.Complaint || b.Deed == deed.Keep || b.C.Line != p.Acts[i].C.Line || len(b.C.T) < 3 {
		return false
	}
	if n := len(p.Out); n > 0 && p.Emitted(b) {
		p.Out[n-1].Marker = belay.MarkFix
		p.note(b, "", "FIX: it is said to be wrong")
		return true
	}
	p.emit(b, belay.MarkFix, "it is said to be wrong")
	return true
}

// equal reports a faint complaint about something of its own, in one sentence with a plain
// one.
func (p *Message) equal(i int) bool {
	a := p.Acts[i]
	n := len(p.Out)
	low := a.C.Low()
	if n == 0 || a.C.Block.Label == "fix" || p.Out[n-1].Marker != belay.MarkFix || p.Out[n-1].Act.C.Sent != a.C.Sent || a.C.Join != "and" && a.C.Join != "," && a.C.Join != ";" || a.Pronoun || slices.Contains(low, "one") || slices.Contains(low, "it") || slices.Contains(low, "them") {
		return false
	}
	_, ok := grammar.Predicate(low)
	return ok && words.Determiner(low[0]) || ok && a.C.Join != "and"
}

// firstOf reports a faint complaint that a plain one of something else follows in the same
// sentence: "the map is empty, the list loads forever".
func (p *Message) firstOf(i int) bool {
	if i+1 >= len(p.Acts) {
		return false
	}
	a, b := p.Acts[i], p.Acts[i+1]
	low := b.C.Low()
	return a.C.Sent == b.C.Sent && a.C.Line == b.C.Line && b.C.Join == "," && b.Deed == deed.Complaint && b.Strength == fault.Plain && !b.Pronoun && !a.Pronoun && len(low) > 2 && grammar.Definite(low[0]) && grammar.Definite(a.C.Low()[0])
}

// cures reports a question in the same sentence that asks for a change, behind a single
// complaint: "the test is slow, can you use fake timers there?".
func (p *Message) cures(i int, next *deed.Act) bool {
	low := next.C.Low()
	_, s := grammar.Strip(low)
	return s.Opener && !next.Also && next.Marker == belay.MarkModify && next.C.Join == "," && (slices.Contains(low, "there") || slices.Contains(low, "instead") || next.Pronoun)
}

// beside reports a statement that stands in one sentence with what is reported as wrong,
// as its equal and about something else: "the seed lists Kosovo twice, churn.sql divides
// by zero", or "… and also writes …".
func (p *Message) beside(i int) bool {
	a := p.Acts[i]
	n := len(p.Out)
	if n == 0 || p.Out[n-1].Marker != belay.MarkFix || p.Out[n-1].Act.C.Sent != a.C.Sent || a.C.Join != "," && a.C.Join != "and" && a.C.Join != ";" {
		return false
	}
	low := a.C.Low()
	if a.Also {
		return low[0] != "i" && low[0] != "we"
	}
	at, ok := grammar.Predicate(low)
	if ok && concern.Witness(low, at) {
		return false // "…, nginx says 413"
	}
	if !ok || words.Auxiliary(low[at]) || slices.Contains(low[:at], "one") || slices.Contains(low[:at], "ones") {
		return false // "is called …", "the first one …": more about the same
	}
	return concern.StatesFact(low) && !a.Pronoun && (a.C.Join != "and" || p.Out[n-1].Act.Deed != deed.Request)
}

// hasRequest reports whether a block asks for something besides its complaint.
func (p *Message) hasRequest(line int) bool {
	return slices.ContainsFunc(p.Acts, func(a deed.Act) bool { return a.C.Line == line && (a.Deed == deed.Request || a.Deed == deed.Mend) })
}

// nextIn is the next act of the same paragraph.
func (p *Message) nextIn(i int) *deed.Act {
	for j := i + 1; j < len(p.Acts); j++ {
		if p.Acts[j].C.Line != p.Acts[i].C.Line {
			return nil
		}
		if d := p.Acts[j].Deed; d != deed.Ground {
			return &p.Acts[j]
		}
	}
	return nil
}

// goesOn reports a complaint that tells more of the one before: the next sentence of
// the same paragraph without a word that says it is another, or one about "it".
func (p *Message) goesOn(i int) bool {
	a := p.Acts[i]
	var last *deed.Act
	for j := i - 1; j >= 0; j-- {
		if d := p.Acts[j].Deed; d == deed.Complaint && p.Acts[j].Strength == fault.Plain || d == deed.Material && p.Acts[j].Strength == fault.Plain {
			last = &p.Acts[j]
			break
		}
	}
	if n := len(p.Out); last == nil && n > 0 && p.Out[n-1].Marker == belay.MarkFix && p.Out[n-1].Act.C.Line == a.C.Line && p.Out[n-1].Act.C.Sent < a.C.Sent {
		last = &p.Out[n-1].Act // "have a look why …. People get thrown out."
	}
	if last == nil || len(p.Out) == 0 {
		return false
	}
	if last.Deed == deed.Material {
		return p.reports(i, 0)
	}
	low := a.C.Low()
	additive := a.Also || a.Nth || low[0] == "and" && a.C.Join == "" && len(low) > 3 && !a.Pronoun && (words.Determiner(low[1]) || low[1] == "both") || slices.Contains(low, "too") || slices.Contains(low, "also") || slices.Contains(low, "another") || slices.Contains(low, "besides")
	switch {
	case a.C.Block.Label == "fix" && a.C.Block.Kind == prose.Item && a.C.Line == last.C.Line && a.C.Join == ",":
		return true // "fix: off-by-one in the pager, the last page is empty"
	case concern.Umbrella(last.C.Low()) && a.C.Line == last.C.Line && a.C.Sent-last.C.Sent < 2 && !additive && a.C.Join != "and":
		return true
	case a.C.Block.Kind == prose.Item && a.C.Line != last.C.Line, additive, a.C.Group || a.C.Topic != "":
		return false
	case a.C.Sent == last.C.Sent:
		return p.Lang != "" && a.C.Join == "," || a.Pronoun && p.refers(a, last) || a.C.Join == "because" || a.C.Join == "so" || a.C.Join == "if" || a.C.Join == ";" && len(low) < 4
	case last.C.Block.Kind == prose.Item && a.C.Line != last.C.Line:
		return false
	}
	return !concern.Apart(a, *last)
}

// refers reports whether the pronoun that a clause begins with can stand for the subject
// of the one before: "they" for several things, anything else for one.
func (p *Message) refers(a deed.Act, last *deed.Act) bool {
	low, before := a.C.Low(), last.C.Low()
	n, _ := grammar.Strip(low)
	if n >= len(low) || low[n] != "they" && low[n] != "he" && low[n] != "she" {
		return true
	}
	at, ok := grammar.Predicate(before)
	return !ok || at == 0 || low[n] == "they" && strings.HasSuffix(before[at-1], "s")
}

// mended answers "fix it": it belongs to the problem that was told or shown; without
// one, nobody knows what is meant.
func (p *Message) mended(i int) {
	a := p.Acts[i]
	if a.Verb == "do" && len(p.Doubts) > 0 {
		return // "can you do it this week": what is in doubt
	}
	if a.Verb == "make" && a.Obj < len(a.C.T) && !a.Pronoun && len(p.Out) == 0 {
		p.emit(a, belay.MarkFix, "to be as it was")
		return
	}
	for j := i - 1; j >= 0; j-- {
		b := p.Acts[j]
		if b.Deed == deed.Complaint && (b.Strength == fault.Faint && !p.Emitted(b)) && len(p.Out) == 0 {
			p.emit(b, belay.MarkFix, "to be mended: “"+a.Verb+"”")
			return
		}
	}
	if n := len(p.Out); n > 0 && p.Out[n-1].Act.Verb == "a thing named" && p.Out[n-1].Act.C.Sent == a.C.Sent {
		p.Out[n-1].Marker = belay.MarkFix // "dropdown closes too early, please fix"
	}
	if n := len(p.Out); n > 0 && a.Verb == "do" {
		if last := &p.Out[n-1]; last.Marker == belay.MarkFix && slices.Contains(last.Act.C.Low(), "missing") {
			last.Marker = belay.MarkAdd // "the translation is missing, can you do that as well"
		}
		p.note(a, "", "goes with the one before")
		return
	}
	for _, f := range p.Out {
		if f.Marker == belay.MarkFix {
			p.note(a, "", "goes with the problem before")
			return
		}
	}
	if g := p.story(i); g != nil {
		p.emit(*g, belay.MarkFix, "told, and to be mended: “"+a.Verb+"”")
		return
	}
	for j := range p.Acts {
		if b := p.Acts[j]; b.Deed == deed.Material || j > i && b.Deed == deed.Complaint && !concern.Bare(b.C.Low()) {
			if b.Deed == deed.Material {
				p.emit(b, belay.MarkFix, "output is pasted, to be mended: “"+a.Verb+"”")
			}
			return
		}
	}
	p.Doubts = append(p.Doubts, belay.Doubt{Words: a.C.Text(p.Text, grammar.Span{From: 0, To: len(a.C.T)}), Readings: []string{"what is wrong is not said"}})
}

// Emitted reports an act that asks for something itself.
func (p *Message) Emitted(a deed.Act) bool {
	return slices.ContainsFunc(p.Out, func(f Found) bool { return f.Act.Nr == a.Nr })
}

// story is the sentence before a "fix it" that tells something: what is told is what
// is wrong.
func (p *Message) story(i int) *deed.Act {
	for j := i - 1; j >= 0; j-- {
		if low := p.Acts[j].C.Low(); p.Acts[j].Deed == deed.Ground && len(low) > 4 && grammar.Finite(low) {
			return &p.Acts[j]
		}
	}
	return nil
}
