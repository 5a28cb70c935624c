package settle

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/concern"
	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// atOdds reports how it is now, behind how it should be: "-i should ignore case for the whole
// pattern, right now it only works for the first letter".
func (p *Message) atOdds(i int) bool {
	a, n := p.Acts[i], len(p.Out)
	if i == 0 || n == 0 || !p.Emitted(p.Acts[i-1]) || !deed.IsWish(p.Acts[i-1].Verb) || p.Acts[i-1].C.Sent != a.C.Sent || p.Acts[i-1].Marker != belay.MarkModify {
		return false
	}
	return grammar.Now(a.C.Low()) && slices.ContainsFunc(a.C.Low(), words.Pronoun)
}

// otherwise reports how it is now, in a few words behind how it should be: "The icon should be
// yellow. It's grey."
func (p *Message) otherwise(i int) bool {
	a, n := p.Acts[i], len(p.Out)
	if i == 0 || n == 0 || !p.Emitted(p.Acts[i-1]) || p.Acts[i-1].Pronoun || p.Out[n-1].Marker != belay.MarkModify || p.Acts[i-1].C.Sent != a.C.Sent-1 || !strings.HasPrefix(p.Acts[i-1].Verb, "should") {
		return false
	}
	low := a.C.Low()
	return len(low) < 5 && len(low) > 1 && (low[0] == "it's" || low[0] == "it" && low[1] == "is" || low[0] == "they're" || low[0] == "mine") && !slices.Contains(low, "now")
}

// remedied reports what is wrong where what is to be done about it follows, or stands right
// before it.
func (p *Message) remedied(i int) bool {
	a := p.Acts[i]
	if i+1 < len(p.Acts) && (concern.Remedied(a, p.Acts[i+1]) || slices.ContainsFunc(p.Acts[i+1:], func(b deed.Act) bool { return concern.Relayed(a, b) })) {
		return true
	}
	if first := p.firstIn(i); first < i && (concern.GoesOn(a, p.Acts[first]) || concern.GoesOn(a, p.Acts[i-1])) {
		return true
	}
	if p.besideStatement(i) {
		return true
	}
	if strings.HasPrefix(a.Verb, "asked me") || strings.HasPrefix(a.Verb, "asked us") {
		if slices.ContainsFunc(p.Acts[i+1:], func(b deed.Act) bool {
			return b.Deed == deed.Request && !b.Stated && b.C.Sent > a.C.Sent && b.Verb != "a thing named" || b.Deed == deed.Keep
		}) {
			return true // what somebody was told to do, before what is asked here
		}
	}
	if a.Deed == deed.Request && i > 0 && strings.HasPrefix(a.Verb, "wants ") && a.C.Join == "," && p.Acts[i-1].Deed == deed.Request && p.Acts[i-1].C.Sent == a.C.Sent && p.Acts[i-1].C.Join == "" && !deed.IsWish(p.Acts[i-1].Verb) {
		return true // "switch to openstreetmap, google wants money now"
	}
	last := i+1 >= len(p.Acts) || p.Acts[i+1].C.Sent != a.C.Sent
	return !p.Fresh && i > 0 && last && a.C.Block.Kind == prose.Para && concern.Because(a, p.Acts[i-1])
}

// mentioned reports a thing named in a sentence of its own, in a message that tells of something
// wrong in whole sentences: what nothing marks as wanted is part of what is told.
func (p *Message) mentioned(i int) bool {
	a := p.Acts[i]
	if p.Lang != "" || p.Fresh || a.Verb != "a thing named" || a.C.Block.Kind != prose.Para || a.Also || a.Nth || a.C.Topic != "" || a.C.Group || a.C.Join != "" && a.C.Join != "," {
		return false
	}
	low := a.C.Low()
	from := min(a.Core.From, len(low)-1)
	_, said := grammar.Strip(low)
	_, valued := grammar.Value(low[from])
	if valued && a.C.Close == "!" && i > 0 && len(low) < 4 && p.Acts[i-1].C.Sent < a.C.Sent && p.Acts[i-1].Deed == deed.Ground {
		return true // "Five screens!"
	}
	if said.Opener || said.Please || valued || slices.Contains(low, "please") || grammar.Articled(low[from]) && !concern.Sigh(low) || grammar.Old(low) || slices.Contains(low, "too") || grammar.MoreThings(low) {
		return false
	}
	if a.C.Join == "" && slices.ContainsFunc(p.Out, func(f Found) bool { return f.Act.Verb != "a thing named" && f.Act.C.Line == a.C.Line }) && grammar.Compared(low) == 0 && !grammar.Valued(low) {
		return true // behind what is asked in whole sentences
	}
	asked := false
	for _, b := range p.Acts {
		strong := b.Deed == deed.Request && b.Verb != "a thing named"
		if asked = asked || strong; strong && b.C.Sent == a.C.Sent {
			return false // one of a row
		}
	}
	return slices.ContainsFunc(p.Acts, func(b deed.Act) bool {
		if b.Deed == deed.Material && !asked {
			return true
		}
		near := b.C.Sent-a.C.Sent < 3 && a.C.Sent-b.C.Sent < 3
		return b.Deed == deed.Complaint && b.C.Sent != a.C.Sent && grammar.Finite(b.C.Low()) && (near && b.Strength == fault.Plain || !asked && b.C.Sent < a.C.Sent)
	})
}

// firstIn is the first act of the same sentence.
func (p *Message) firstIn(i int) int {
	for i > 0 && p.Acts[i-1].C.Sent == p.Acts[i].C.Sent && p.Acts[i-1].C.Line == p.Acts[i].C.Line {
		i--
	}
	return i
}

// besideStatement reports a thing named behind a comma in a sentence that only tells: "guests
// arrive until midnight, sometimes later".
func (p *Message) besideStatement(i int) bool {
	a := p.Acts[i]
	if a.Deed != deed.Doubt && (a.Deed != deed.Request || a.Verb != "a thing named") || a.C.Join != "," || a.C.Topic != "" || a.C.Group || a.C.Block.Kind != prose.Para || p.Fresh || p.Lang != "" {
		return false
	}
	low := a.C.Low()
	_, s := grammar.Strip(low)
	if s.Opener || s.Please || a.Also || slices.Contains(low, "please") || grammar.Articled(low[min(a.Core.From, len(low)-1)]) && !slices.ContainsFunc(p.Acts[p.firstIn(i)].C.Low(), func(w string) bool { return w == "a" || w == "an" }) || slices.ContainsFunc(low, grammar.Numeric) && a.Deed != deed.Doubt || grammar.Old(low) {
		return false
	}
	first := p.Acts[p.firstIn(i)]
	if grammar.Fleeting(low) && first.Deed == deed.Ground {
		return true
	}
	if first.Deed != deed.Ground && first.Deed != deed.Complaint || !grammar.Finite(first.C.Low()) || first.C.Join != "" {
		return false
	}
	for j := p.firstIn(i); j < len(p.Acts) && p.Acts[j].C.Sent == a.C.Sent; j++ {
		if b := p.Acts[j]; b.Deed == deed.Request && b.Verb != "a thing named" {
			return false
		}
	}
	return true
}

// tells reports a statement under a topic that is no wish: it is the only thing said there,
// or says how something is ("the date is american").
func (p *Message) tells(i int) bool {
	a := p.Acts[i]
	if i+1 < len(p.Acts) && strings.Contains("->=>→", p.Acts[i+1].C.Join) && p.Acts[i+1].C.Join != "" {
		return false
	}
	if a.Verb == "is" || a.Verb == "are" {
		return a.Marker == belay.MarkModify && !grammar.Old(a.C.Low()) && grammar.Compared(a.C.Low()) == 0
	}
	return !slices.ContainsFunc(p.Acts, func(b deed.Act) bool {
		return b.Deed == deed.Request && !b.Stated && b.C.Sent == a.C.Sent
	})
}

// contrasted reads "shows Sunday first, should be Monday": what is said before is wrong.
func (p *Message) contrasted(i int) {
	b := p.Acts[i-1]
	low := b.C.Low()
	if k, _ := grammar.Strip(low); grammar.Imperative(low[min(k, len(low)):]) > 0 {
		return
	}
	if b.C.Sent != p.Acts[i].C.Sent || b.Deed != deed.Ground && b.Deed != deed.Request {
		return
	}
	if n := len(p.Out); n > 0 && p.Emitted(b) {
		p.Out[n-1].Marker = belay.MarkFix
		p.note(b, "", "FIX: it should be otherwise")
		return
	}
	p.emit(b, belay.MarkFix, "it should be otherwise")
}

// results reports a wish that follows in the same sentence on what comes out now:
// "searching for a.b finds axb, dots should be literal".
func (p *Message) results(i int) bool {
	a, b := p.Acts[i], p.Acts[i-1]
	if a.C.Join == "and" && a.Pronoun && b.Deed == deed.Ground && b.C.Sent == a.C.Sent && slices.Contains(b.C.Low(), "\"") && strings.HasSuffix(a.Verb, "must") {
		return true // "the cart says "5 produkt" and it must be "5 produktów""
	}
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
func (p *Message) aside(i int) bool {
	a := p.Acts[i]
	n := len(p.Out)
	if n == 0 || a.C.Join != "and" || p.Out[n-1].Act.C.Sent != a.C.Sent || p.Out[n-1].Marker == belay.MarkFix || p.Out[n-1].Act.C.Line != a.C.Line || a.Pronoun {
		return false
	}
	low := a.C.Low()
	return len(low) > 3 && grammar.Definite(low[0]) && concern.StatesFact(low)
}

// curedLater reports that something is asked for later about the same thing: what is told here
// is why.
func (p *Message) curedLater(i int) bool {
	for _, b := range p.Acts[i+1:] {
		if b.Deed == deed.Request && !b.Stated && b.C.Sent > p.Acts[i].C.Sent && b.Marker != belay.MarkFix && b.C.Block.Kind == prose.Para && concern.Shares(p.Acts[i], b) {
			return true
		}
	}
	return false
}

// addsTo reports a statement in a message of nothing but complaints that begins with "and", or
// has a line of its own beside one that complains: "And the list shows the version as 1.0".
func (p *Message) addsTo(i int) bool {
	a := p.Acts[i]
	if a.C.Join != "" || a.C.Block.Kind != prose.Para || len(a.C.T) > 16 || p.Fresh || slices.ContainsFunc(p.Acts, func(b deed.Act) bool {
		return b.Deed == deed.Request || b.Deed == deed.Material || b.Deed == deed.Mend || b.Deed == deed.Doubt
	}) {
		return false
	}
	low := a.C.Low()
	at, ok := grammar.Predicate(low)
	if !ok || words.Auxiliary(low[at]) || slices.ContainsFunc(low, func(w string) bool { return w == "i" || w == "we" || w == "my" || w == "our" }) {
		return false
	}
	if n := len(p.Out); low[0] == "and" && n > 0 && p.Out[n-1].Marker == belay.MarkFix && p.Out[n-1].Act.C.Line == a.C.Line {
		return true
	}
	return slices.ContainsFunc(p.Acts, func(b deed.Act) bool {
		return b.Deed == deed.Complaint && b.Strength == fault.Plain && !b.Pronoun && b.C.Join == "" && b.C.Block.Kind == prose.Para && (b.C.Line == a.C.Line+1 || b.C.Line == a.C.Line-1) && len(b.C.T) < 16
	})
}

// oneOfSeveral reports a statement of how something is that stands beside a request as
// its equal: "also" leads from the one to the other.
func (p *Message) oneOfSeveral(i int) bool {
	a := p.Acts[i]
	if a.C.Block.Section() != prose.Open || a.C.Join == "because" || a.C.Join == "if" || !concern.StatesFact(a.C.Low()) {
		return false
	}
	if (a.Also || a.Nth) && !p.curedLater(i) || p.addsTo(i) {
		return true
	}
	if i+1 >= len(p.Acts) {
		return false
	}
	next := p.Acts[i+1]
	for j := i + 2; j < len(p.Acts) && next.C.Join == "because"; j++ {
		next = p.Acts[j]
	}
	if next.Nth && next.C.Sent > a.C.Sent && (next.Deed == deed.Request || next.Deed == deed.Complaint) {
		return true // "First, the sync stops after 100 contacts. Second, …"
	}
	if p.curedLater(i) {
		return false
	}
	if next.C.Sent == a.C.Sent && next.Deed == deed.Complaint && !next.Pronoun && (next.C.Join == "," || next.C.Join == "and" || next.C.Join == ";") && !slices.ContainsFunc(p.Acts, func(b deed.Act) bool { return b.Deed == deed.Request || b.Deed == deed.Material }) {
		low := next.C.Low()
		return a.C.Join == "" && len(low) > 2 && !words.Subject(low[0]) && !slices.Contains(low[:2], "one") && (next.C.Join != "," || (grammar.Definite(low[0]) || low[0] == "\"") && (grammar.Definite(a.C.Low()[0]) || a.C.Low()[0] == "\"")) // "the legend covers the bar, and the tooltip says NaN"
	}
	if next.Also && next.C.Sent == a.C.Sent+1 && next.Deed == deed.Complaint && next.Strength == fault.Plain && len(p.Out) == 0 {
		return true // "The widget is showing yesterday's plants. Also the badge never goes away."
	}
	return next.Also && (next.C.Sent > a.C.Sent || next.C.Join == ";") && next.Deed == deed.Request
}
