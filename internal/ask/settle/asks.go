package settle

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/concern"
	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// elided reads "I don't like the bar. Please remove.": what the verb is about was said in
// the sentence before.
func (p *Message) elided(i int) bool {
	if i == 0 || p.Acts[i-1].C.Line != p.Acts[i].C.Line {
		return false
	}
	a, b := p.Acts[i], p.Acts[i-1]
	if b.Deed != deed.Ground && b.Deed != deed.Complaint && b.Deed != deed.Request || len(b.C.T) < 3 {
		return false
	}
	if n := len(p.Out); n > 0 && p.Emitted(b) {
		p.Out[n-1].Marker = a.Marker
		p.note(a, "", string(a.Marker)+": what was said before")
		return true
	}
	p.emit(b, a.Marker, "“"+a.Verb+"” is said of it")
	return true
}

// repeats reads "same in resume.ts", "ditto for the list": what was asked before, for
// another thing.
func (p *Message) repeats(i int) bool {
	low := p.Acts[i].C.Low()
	n := len(p.Out)
	if len(low) < 3 || p.Fresh || p.Acts[i].Deed == deed.Keep {
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
		a := p.Acts[i]
		if n == 0 {
			if len(p.Doubts) == 0 && !slices.ContainsFunc(p.Acts[:i], func(b deed.Act) bool { return b.Deed == deed.Complaint || b.Deed == deed.Mend }) {
				p.Doubts = append(p.Doubts, belay.Doubt{Words: a.C.Text(p.Text, grammar.Span{To: len(low)}), Readings: []string{"what was done before is meant, which this message does not name"}})
			}
			return true
		}
		a.Core = grammar.Span{From: 0, To: len(low)}
		p.emit(a, p.Out[n-1].Marker, "the same once more")
		p.Doubts = nil
		return true
	}
	return false
}

// either reads "X or Y" where both are asked for: only one is wanted, and which is not
// said.
func (p *Message) either(i int) bool {
	a := p.Acts[i]
	if i > 0 && len(a.C.T) > 1 && len(p.Acts[i-1].C.T) > 0 && a.C.T[0].Low == "or" && a.C.Close == "?" && len(a.C.T) < 6 && a.C.Line == p.Acts[i-1].C.Line {
		before := p.Acts[i-1].C
		p.Doubts = append(p.Doubts, belay.Doubt{Words: strings.TrimSpace(p.Text[before.T[0].At:a.C.T[len(a.C.T)-1].End]), Readings: []string{before.Text(p.Text, grammar.Span{To: len(before.T)}), a.C.Text(p.Text, grammar.Span{From: 1, To: len(a.C.T)})}})
		if n := len(p.Out); n > 0 && p.Emitted(p.Acts[i-1]) {
			p.Out = p.Out[:n-1]
		}
		return true // "Tabs? Or an accordion?"
	}
	if a.C.Join != "or" || i == 0 || a.Deed != deed.Request && a.Deed != deed.Keep || p.Acts[i-1].Deed != deed.Request && !p.Acts[i-1].Bare || p.Acts[i-1].C.Sent != a.C.Sent {
		return false
	}
	if low := a.C.Low(); low[0] == "at" || low[0] == "rather" || low[0] == "else" || low[0] == "even" {
		return false
	}
	before := p.Acts[i-1].C
	if slices.ContainsFunc(before.Low(), func(w string) bool { return w == "can" || w == "may" || w == "let" || w == "allow" || w == "able" }) {
		p.note(a, "", "whoever can do either gets both")
		return true
	}
	p.Doubts = append(p.Doubts, belay.Doubt{Words: strings.TrimSpace(p.Text[before.T[0].At:a.C.T[len(a.C.T)-1].End]), Readings: []string{before.Text(p.Text, grammar.Span{To: len(before.T)}), a.C.Text(p.Text, grammar.Span{To: len(a.C.T)})}})
	if n := len(p.Out); n > 0 && p.Emitted(p.Acts[i-1]) {
		p.Out = p.Out[:n-1]
	}
	return true
}

// asked emits a request, unless it only says how the one before is meant.
func (p *Message) asked(i int) {
	a := p.Acts[i]
	low := a.C.Low()
	if line := strings.Join(low, " "); len(p.Doubts) > 0 && (strings.Contains(line, "the rest") || strings.Contains(line, "the others") || strings.Contains(line, "the other ones")) {
		return // of what is in doubt
	}
	a.Marker = p.marker(a, low)
	if a.Told && p.reported() {
		p.emit(a, belay.MarkFix, "told in a list of what is wrong")
		return
	}
	var last *Found
	if len(p.Out) > 0 {
		last = &p.Out[len(p.Out)-1]
	}
	if n, ok := words.Number(low[0]); ok && a.Verb == "enough" && last != nil && last.Marker == belay.MarkAdd && last.Count == nil {
		last.Count = &n
		p.note(a, "", "how many of the one before")
		return
	}
	if i+1 < len(p.Acts) && p.Acts[i+1].C.Sent == a.C.Sent && strings.Contains("->=>→", p.Acts[i+1].C.Join) && p.Acts[i+1].C.Join != "" && p.Acts[i+1].Deed == deed.Request {
		p.note(a, "", "the reason of what is asked next")
		return
	}
	if low[0] == "to" && a.C.Join == "and" && i > 0 && p.Acts[i-1].Deed == deed.Request && p.Acts[i-1].Verb == "we want" {
		a.Marker = p.Acts[i-1].Marker // "a way to see who changed it, and to go back"
	}
	if p.otherThan(i, a, last) {
		return
	}
	if why := p.folded(i, a, last); why != "" {
		p.note(a, "", why)
		return
	}
	p.emit(a, a.Marker, "by “"+a.Verb+"”")
}

// marker is what a request is where it stands: in a list of what is wrong it is wrong as well.
func (p *Message) marker(a deed.Act, low []string) belay.Marker {
	if a.C.Block.Label == "fix" && a.C.Block.Kind == prose.Item && (a.Verb == "a thing named" || a.Stated) {
		return belay.MarkFix // "fix(tui): wide emoji shift the border"
	}
	if a.C.Topic == "wrong" {
		return belay.MarkFix
	}
	if n, _ := grammar.Strip(low); a.C.Block.Section() == prose.Problem && !concern.Wished(a.C.Topic) && n < len(low) && grammar.Imperative(low[n:]) == 0 && !deed.IsWish(a.Verb) {
		return belay.MarkFix // a list of what is wrong
	}
	if n := len(p.Out); n > 0 && p.Out[n-1].Marker == belay.MarkFix && a.Verb == "a thing named" && !slices.Contains(low, "please") && (slices.Contains(low, "too") || slices.Contains(low, "also") || strings.HasSuffix(strings.Join(low, " "), "as well")) {
		return belay.MarkFix // "… 404. the button too"
	}
	return a.Marker
}

// otherThan settles a request that is something else by what stands around it: in doubt, what
// somebody does when it goes wrong, taken back, how it should be, or what was missing.
func (p *Message) otherThan(i int, a deed.Act, last *Found) bool {
	if r := p.into(a); r != nil {
		p.Doubts = append(p.Doubts, belay.Doubt{Words: a.C.Text(p.Text, grammar.Span{From: 0, To: len(a.C.T)}), Readings: r})
		return true
	}
	if i+1 < len(p.Acts) && concern.Steps(a, p.Acts[i+1]) {
		p.emit(a, belay.MarkFix, "what somebody does, and what comes of it")
		return true
	}
	if i+1 < len(p.Acts) && concern.TakenBack(a, p.Acts[i+1]) {
		p.note(a, "", "taken back by what follows")
		return true
	}
	if i > 0 && p.Acts[i-1].Deed == deed.Complaint && p.Acts[i-1].Verb == "why" && deed.IsWish(a.Verb) && a.Pronoun {
		p.emit(p.Acts[i-1], belay.MarkFix, "it should be otherwise")
		return true
	}
	if last != nil && last.Marker == belay.MarkFix && a.Marker == belay.MarkAdd && a.Pronoun && !a.Also && last.Act.C.Line == a.C.Line && slices.Contains(last.Act.C.Low(), "no") {
		last.Marker = belay.MarkAdd // "… has no page numbers. Please add them."
		p.note(a, "", "ADD: what was said to be missing")
		return true
	}
	return false
}

// folded is why a request asks for nothing of its own, or "".
func (p *Message) folded(i int, a deed.Act, last *Found) string {
	low := a.C.Low()
	if last != nil && !p.ownSubject(i) && concern.Part(a, last.Act, last.Marker) {
		return "says how the one before is meant"
	}
	if i+1 < len(p.Acts) && a.Verb == "a thing named" && grammar.Definite(low[0]) && p.Acts[i+1].C.Join == "because" && p.Acts[i+1].C.Sent == a.C.Sent && a.C.Topic == "" && a.C.Block.Kind == prose.Para {
		return "of which something is told" // "the colleague who sent it is …"
	}
	if p.mentioned(i) {
		return "named beside what is told: nothing is asked of it"
	}
	if a.Marker == belay.MarkFix && last != nil && last.Marker == belay.MarkFix && concern.Shares(a, last.Act) {
		return "goes with the problem before"
	}
	return ""
}

// into reads "the map should go where the contact form is", "put the map where the list is": the
// clause ends at the "where", so what follows it is looked at in the message.
func (p *Message) into(a deed.Act) []string {
	t := a.C.T
	behind := strings.Fields(strings.ToLower(p.Text[t[len(t)-1].End:min(len(p.Text), t[len(t)-1].End+80)]))
	if len(behind) < 4 || behind[0] != "where" || !grammar.Definite(behind[1]) {
		return nil
	}
	end := behind[min(len(behind)-1, 5)]
	for _, w := range behind[3:min(len(behind), 6)] {
		if w = strings.TrimRight(w, ".,!?;"); w == "is" || w == "are" {
			end = w
		}
	}
	if low := a.C.Low(); (end == "is" || end == "are") && (low[len(low)-1] == "go" || low[len(low)-1] == "be" || a.Verb == "put" || a.Verb == "move" || a.Verb == "place") {
		return []string{"it takes the place of what is there", "the two change places", "it is put beside what is there"}
	}
	return nil
}

// ownSubject reports an order about "it" whose thing was told just before, in the same sentence,
// and is not what was asked for earlier: "the bar takes half my screen, make it one line".
func (p *Message) ownSubject(i int) bool {
	a := p.Acts[i]
	if i == 0 || !a.Pronoun || deed.IsWish(a.Verb) {
		return false
	}
	b := p.Acts[i-1]
	return b.C.Sent == a.C.Sent && b.C.Line == a.C.Line && b.C.Join == "" && (b.Deed == deed.Ground || b.Deed == deed.Complaint) && !p.Emitted(b) && !b.Pronoun && grammar.Finite(b.C.Low()) && !words.Subject(b.C.Low()[0])
}

// reported says that the items of a list report what is wrong: one of them does so plainly, and
// none asks for anything.
func (p *Message) reported() bool {
	wrong := false
	for _, b := range p.Acts {
		if b.C.Block.Kind != prose.Item {
			continue
		}
		if b.Deed == deed.Request && !b.Told {
			return false
		}
		wrong = wrong || b.Deed == deed.Complaint
	}
	return wrong
}
