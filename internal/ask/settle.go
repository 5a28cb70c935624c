package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/named"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// settle goes through the acts in the order of the message and folds into each other
// what is one concern: a complaint and its cure, a thing and what qualifies it.
func (p *parse) settle() {
	for i := range p.acts {
		a := &p.acts[i]
		if s := a.C.Block.Section(); (s == prose.Around || s == prose.Expected || s == prose.Title) && a.Deed != deed.Keep {
			if s == prose.Title && (a.Deed == deed.Request || a.Deed == deed.Complaint) {
				a.Strength = grammar.Faint
			}
			continue
		}
		p.kept(*a)
		if low := a.C.Low(); a.C.Block.Section() == prose.Problem && a.C.Block.Kind == prose.Para && a.Deed == deed.Ground && len(low) > 2 && !p.reports(i, 0) {
			p.emit(*a, belay.MarkFix, "said where the problem is described")
			continue
		}
		switch {
		case p.fresh:
			p.freshly(*a)
		case a.Deed == deed.Doubt:
			p.doubts = append(p.doubts, belay.Doubt{Words: a.C.Text(p.msg, grammar.Span{From: 0, To: len(a.C.T)}), Readings: a.Readings})
		case a.Deed == deed.Ground && p.oneOfSeveral(i):
			p.emit(*a, belay.MarkFix, "told as one of several concerns")
		case a.Deed == deed.Expected && i > 0:
			p.contrasted(i)
		case a.Deed == deed.Complaint:
			p.complained(i)
		case a.Deed == deed.Mend:
			p.mended(i)
		case a.Deed == deed.Request && i > 0 && isWish(a.Verb) && p.results(i):
			p.emit(p.acts[i-1], belay.MarkFix, "it should be otherwise")
		case a.Deed == deed.Request:
			p.asked(i)
		case a.Deed == deed.Material && a.Strength == grammar.Plain && !p.reports(i, 2):
			p.emit(*a, belay.MarkFix, "a crash is pasted")
		}
	}
	p.lastly()
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
	if a.C.Join != "," || b.Deed != deed.Ground && !(b.Deed == deed.Complaint && b.Strength == grammar.Faint) || b.C.Sent != a.C.Sent || b.C.Join != "" {
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
	return next.Also && next.C.Sent > a.C.Sent && next.Deed == deed.Request
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
		if a.Deed == deed.Keep && strings.HasPrefix(strings.ToLower(what), "no ") && p.said(a, s) {
			p.note(a, what, "how the thing asked for behaves: part of its requirement")
			continue
		}
		p.preserve = append(p.preserve, what)
		p.note(a, a.C.Text(p.msg, grammar.Span{From: 0, To: len(a.C.T)}), "left as it is: "+what)
	}
}

// antecedent is what "it" in "leave it" stands for: the subject of the sentence.
func (p *parse) antecedent(a deed.Act) string {
	for _, b := range p.acts {
		if b.C.Sent != a.C.Sent || b.Deed != deed.Ground {
			continue
		}
		low := b.C.Low()
		if i := slices.IndexFunc(low, words.Auxiliary); i > 0 && !words.Subject(low[0]) {
			return b.C.Text(p.msg, grammar.Span{From: 0, To: i})
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
	noun := named.Stem(a.C.T[s.From+1].Low)
	for _, w := range p.out[len(p.out)-1].a.C.Low() {
		if named.Stem(w) == noun {
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
		if p.acts[j].Deed == deed.Complaint && p.acts[j].Strength >= grammar.Faint {
			return false
		}
	}
	return false
}

// complained emits a complaint, unless it goes on with the one before or is the reason
// of what is asked next.
func (p *parse) complained(i int) {
	a := p.acts[i]
	if a.Strength < grammar.Plain && !(a.C.Block.Section() == prose.Problem || a.C.Block.Kind == prose.Item && !p.hasRequest(a.C.Line)) {
		return
	}
	if next := p.nextIn(i); next != nil && next.Deed == deed.Request && next.Marker != belay.MarkFix && (next.C.Join == "->" || next.C.Join == "→" || next.C.Join == "=>" || next.C.Join == "so" || next.Marker == belay.MarkRemove && next.Pronoun || leads(next.C.Low()) || next.C.Sent == a.C.Sent && wishes(next.C.Low())) {
		p.note(a, "", "the reason of what is asked next")
		return
	}
	if next := p.nextIn(i); next != nil && next.C.Sent == a.C.Sent+1 && cure(next) {
		p.note(a, "", "the reason of what is asked next")
		return
	}
	if bare(a.C.Low()) {
		return // "it doesn't work": what was said besides decides
	}
	if p.goesOn(i) {
		p.note(a, "", "goes on with the problem before")
		return
	}
	p.emit(a, belay.MarkFix, "said to be wrong now by “"+a.Verb+"”")
}

// leads reports words that turn from a reason to what is wanted.
func leads(low []string) bool {
	line := strings.Join(low[:min(4, len(low))], " ")
	for _, p := range []string{"so ", "what we want is", "what i want is", "what we need is", "therefore ", "instead ", "hence ", "that's why "} {
		if strings.HasPrefix(line+" ", p) {
			return true
		}
	}
	return false
}

// wishes reports words that turn from a complaint to what is wanted instead of a repair.
func wishes(low []string) bool {
	line := strings.Join(low[:min(4, len(low))], " ") + " "
	for _, p := range []string{"i'd like ", "i would like ", "we'd like ", "we need ", "i need ", "i want ", "we want ", "can we have ", "could we have ", "can i have ", "could i have "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

// cure reports a short request for something new right behind a complaint, which is what
// is to be done about it: "… is not mentioned. Add a section."
func cure(a *deed.Act) bool {
	low := a.C.Low()
	if a.Deed != deed.Request || a.Marker != belay.MarkAdd || a.Also || a.Obj >= len(low) || len(low)-a.Obj > 3 {
		return false
	}
	return grammar.Articled(low[a.Obj]) && !slices.Contains(low, "test") && !slices.Contains(low, "tests")
}

// hasRequest reports whether a block asks for something besides its complaint.
func (p *parse) hasRequest(line int) bool {
	return slices.ContainsFunc(p.acts, func(a deed.Act) bool { return a.C.Line == line && (a.Deed == deed.Request || a.Deed == deed.Mend) })
}

// nextIn is the next act of the same paragraph.
func (p *parse) nextIn(i int) *deed.Act {
	for j := i + 1; j < len(p.acts); j++ {
		if p.acts[j].C.Line != p.acts[i].C.Line {
			return nil
		}
		if d := p.acts[j].Deed; d != deed.Ground {
			return &p.acts[j]
		}
	}
	return nil
}

// goesOn reports a complaint that tells more of the one before: the next sentence of
// the same paragraph without a word that says it is another, or one about "it".
func (p *parse) goesOn(i int) bool {
	a := p.acts[i]
	var last *deed.Act
	for j := i - 1; j >= 0; j-- {
		if d := p.acts[j].Deed; d == deed.Complaint && p.acts[j].Strength == grammar.Plain || d == deed.Material && p.acts[j].Strength == grammar.Plain {
			last = &p.acts[j]
			break
		}
	}
	if n := len(p.out); last == nil && n > 0 && p.out[n-1].Marker == belay.MarkFix && p.out[n-1].a.C.Line == a.C.Line && p.out[n-1].a.C.Sent < a.C.Sent {
		last = &p.out[n-1].a // "have a look why …. People get thrown out."
	}
	if last == nil || len(p.out) == 0 {
		return false
	}
	if last.Deed == deed.Material {
		return p.reports(i, 0)
	}
	low := a.C.Low()
	additive := a.Also || slices.Contains(low, "too") || slices.Contains(low, "also") || slices.Contains(low, "another") || slices.Contains(low, "besides")
	switch {
	case a.C.Block.Kind == prose.Item && a.C.Line != last.C.Line, additive, a.C.Group || a.C.Topic != "":
		return false
	case a.C.Sent == last.C.Sent:
		return p.lang != "" && a.C.Join == "," || a.Pronoun || a.C.Join == "because" || a.C.Join == "so" || a.C.Join == "if" || a.C.Join == ";" && len(low) < 4
	case last.C.Block.Kind == prose.Item && a.C.Line != last.C.Line:
		return false
	}
	return true
}

// mended answers "fix it": it belongs to the problem that was told or shown; without
// one, nobody knows what is meant.
func (p *parse) mended(i int) {
	a := p.acts[i]
	for j := i - 1; j >= 0; j-- {
		b := p.acts[j]
		if b.Deed == deed.Complaint && (b.Strength == grammar.Faint && !p.emitted(b)) && len(p.out) == 0 {
			p.emit(b, belay.MarkFix, "to be mended: “"+a.Verb+"”")
			return
		}
	}
	if n := len(p.out); n > 0 && p.out[n-1].a.Verb == "a thing named" && p.out[n-1].a.C.Sent == a.C.Sent {
		p.out[n-1].Marker = belay.MarkFix // "dropdown closes too early, please fix"
	}
	for _, f := range p.out {
		if f.Marker == belay.MarkFix {
			p.note(a, "", "goes with the problem before")
			return
		}
	}
	if g := p.story(i); g != nil {
		p.emit(*g, belay.MarkFix, "told, and to be mended: “"+a.Verb+"”")
		return
	}
	for j := range p.acts {
		if b := p.acts[j]; b.Deed == deed.Material || j > i && b.Deed == deed.Complaint {
			if b.Deed == deed.Material {
				p.emit(b, belay.MarkFix, "output is pasted, to be mended: “"+a.Verb+"”")
			}
			return
		}
	}
	p.doubts = append(p.doubts, belay.Doubt{Words: a.C.Text(p.msg, grammar.Span{From: 0, To: len(a.C.T)}), Readings: []string{"what is wrong is not said"}})
}

func (p *parse) emitted(a deed.Act) bool {
	return slices.ContainsFunc(p.out, func(f found) bool { return f.a.C.Sent == a.C.Sent && f.a.Core == a.Core && f.a.C.Line == a.C.Line })
}

// story is the sentence before a "fix it" that tells something: what is told is what
// is wrong.
func (p *parse) story(i int) *deed.Act {
	for j := i - 1; j >= 0; j-- {
		if low := p.acts[j].C.Low(); p.acts[j].Deed == deed.Ground && len(low) > 4 && grammar.Finite(low) {
			return &p.acts[j]
		}
	}
	return nil
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
	if n, _ := grammar.Strip(low); a.C.Block.Section() == prose.Problem && a.C.Block.Kind == prose.Item && grammar.Imperative(low[n:]) == 0 {
		a.Marker = belay.MarkFix // a list of what is wrong
	}
	if n := len(p.out); n > 0 && p.out[n-1].Marker == belay.MarkFix && a.Verb == "a thing named" && (slices.Contains(low, "too") || slices.Contains(low, "also") || strings.HasSuffix(strings.Join(low, " "), "as well")) {
		a.Marker = belay.MarkFix // "… 404. the button too"
	}
	var last *found
	if len(p.out) > 0 {
		last = &p.out[len(p.out)-1]
	}
	if i+1 < len(p.acts) && p.acts[i+1].C.Sent == a.C.Sent && strings.Contains("->=>→", p.acts[i+1].C.Join) && p.acts[i+1].C.Join != "" && p.acts[i+1].Deed == deed.Request {
		p.note(a, "", "the reason of what is asked next")
		return
	}
	if i > 0 && p.acts[i-1].Deed == deed.Complaint && p.acts[i-1].Verb == "why" && isWish(a.Verb) && a.Pronoun {
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

// qualifies reports a request that is part of the one before.
func (p *parse) qualifies(a deed.Act, last found) bool {
	near := a.C.Line == last.a.C.Line && a.C.Sent-last.a.C.Sent <= 1 || a.C.Line == last.a.C.Line+1 && a.C.Block.Kind == prose.Para
	if !near || a.C.Block.Kind == prose.Item && a.C.Line != last.a.C.Line {
		return false
	}
	switch {
	case last.Marker == belay.MarkFix && a.Pronoun && a.Marker != belay.MarkRemove:
		return !a.Also
	case last.Marker == belay.MarkFix && strings.Contains(a.Verb, "not") && a.C.Sent == last.a.C.Sent:
		return true
	case last.Marker == belay.MarkFix && last.a.Deed == deed.Complaint && a.Marker == belay.MarkModify && isWish(a.Verb) && (a.C.Sent == last.a.C.Sent || a.Pronoun):
		return true
	case last.Marker == belay.MarkFix && a.C.Sent == last.a.C.Sent && a.C.Join == "because":
		return true
	case a.Pronoun && a.Marker == belay.MarkModify:
		return true
	case last.Marker == belay.MarkAdd && a.Verb == "a thing named" && a.C.Sent == last.a.C.Sent && a.C.Join == "," && grammar.Old(a.C.Low()) && !slices.ContainsFunc(a.C.Low(), func(w string) bool { _, ok := grammar.Value(w); return ok }):
		return true
	case last.Marker == belay.MarkModify && a.Verb == "a thing named" && a.C.Sent == last.a.C.Sent && a.C.T[len(a.C.T)-1].Low == "instead":
		return true
	case a.Pronoun && isWish(a.Verb) && a.Marker == belay.MarkModify:
		return true
	case a.Verb == "a thing named" && a.C.Frag && a.C.Join == "" && a.C.Block.Kind == prose.Para && (last.a.Verb != "a thing named" || last.a.C.Line != a.C.Line) && words.Tech(a.C.T[min(a.Core.From, len(a.C.T)-1)].Low):
		return true
	case a.Verb == "a thing named" && !a.C.Group && a.C.Block.Kind == prose.Para && a.Marker == belay.MarkAdd && !a.Also && !grammar.Articled(a.C.T[min(a.Core.From, len(a.C.T)-1)].Low) && last.Marker == belay.MarkFix:
		return true
	}
	return false
}

func isWish(verb string) bool {
	w, _, _ := strings.Cut(verb, " ")
	return w == "should" || w == "must" || w == "has" || w == "have" || w == "needs" || w == "need" || w == "shall" || w == "ought" || w == "shouldn't" || w == "mustn't"
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

// lastly decides what a message without a clear request is about: a faint complaint, a
// log, the title of a ticket, or nothing that can be known.
func (p *parse) lastly() {
	if len(p.out) > 0 || len(p.doubts) > 0 {
		return
	}
	for _, a := range p.acts {
		if p.fresh && a.Deed == deed.Anew {
			p.emit(a, belay.MarkAdd, "it is to be made anew")
			return
		}
	}
	for pass := range 5 {
		for _, a := range p.acts {
			section := a.C.Block.Section()
			ok := pass == 0 && a.Deed == deed.Complaint && section != prose.Around && section != prose.Expected && (section != prose.Title || a.Strength == grammar.Faint) ||
				pass == 1 && a.Deed == deed.Material ||
				pass == 2 && (a.Deed == deed.Request || a.Deed == deed.Complaint) && section == prose.Title ||
				pass == 3 && a.Deed == deed.Ground && a.C.Join != "because" && a.C.Join != "if" && section != prose.Around && statesFact(a.C.Low()) ||
				pass == 4 && (a.Deed == deed.Request || a.Deed == deed.Complaint) && section == prose.Expected
			if !ok || a.Deed == deed.Complaint && bare(a.C.Low()) {
				continue
			}
			if a.Deed == deed.Request {
				p.emit(a, a.Marker, "by “"+a.Verb+"”")
				return
			}
			p.emit(a, belay.MarkFix, "nothing else is asked")
			for _, b := range p.acts {
				if pass == 0 && b.Deed == deed.Complaint && b.C.Sent == a.C.Sent && b.Core != a.Core && (b.C.Join == "and" || b.C.Join == ",") && !b.Pronoun {
					p.emit(b, belay.MarkFix, "nothing else is asked")
				}
			}
			return
		}
	}
	for _, a := range p.acts {
		if low := a.C.Low(); a.Deed == deed.Keep && len(a.Keeps) == 1 && grammar.Behaves(low) {
			p.preserve = nil
			p.emit(a, belay.MarkModify, "what is not to happen, and nothing else is asked")
			return
		}
	}
	why := []string{"what is wanted is not said"}
	if p.lang == "?" {
		why = []string{"this language is not read; the words are kept as they are"}
	}
	p.doubts = append(p.doubts, belay.Doubt{Words: strings.TrimSpace(p.msg[:min(len(p.msg), 80)]), Readings: why})
}

// statesFact reports a statement about how something is now, by itself: a message that
// says no more reports what is wrong.
func statesFact(low []string) bool {
	n, _ := grammar.Strip(low)
	if n >= len(low) || len(low)-n < 3 || words.Pronoun(low[n]) || words.Subject(low[n]) || grammar.Idle(low) {
		return false
	}
	i, ok := grammar.Predicate(low[n:])
	return ok && !words.Modal(low[n+i]) && low[n+i] != "was" && low[n+i] != "were" && low[n+i] != "had" && low[n+i] != "will"
}

// bare reports a complaint that names nothing: "it doesn't work anymore".
func bare(low []string) bool {
	for _, w := range low {
		if !words.Pronoun(w) && !words.Auxiliary(w) && !words.Negative(w) && !words.Filler(w) && w != "work" && w != "works" && w != "working" && w != "anymore" && w != "any" && w != "more" && w != "again" && w != "broken" && w != "still" && w != "wrong" && w != "longer" {
			return false
		}
	}
	return true
}
