package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// settle goes through the acts in the order of the message and folds into each other
// what is one concern: a complaint and its cure, a thing and what qualifies it.
func (p *parse) settle() {
	for i := range p.acts {
		a := &p.acts[i]
		if s := a.c.block.Section(); (s == prose.Around || s == prose.Expected || s == prose.Title) && a.deed != keep {
			if s == prose.Title && (a.deed == request || a.deed == complaint) {
				a.strength = faint
			}
			continue
		}
		p.kept(*a)
		switch {
		case p.fresh:
			p.freshly(*a)
		case a.deed == doubt:
			p.doubts = append(p.doubts, belay.Doubt{Words: a.c.text(p.msg, span{0, len(a.c.t)}), Readings: a.readings})
		case a.deed == expected && i > 0:
			p.contrasted(i)
		case a.deed == complaint:
			p.complained(i)
		case a.deed == mend:
			p.mended(i)
		case a.deed == request && i > 0 && isWish(a.verb) && p.results(i):
			p.emit(p.acts[i-1], belay.MarkFix, "it should be otherwise")
		case a.deed == request:
			p.asked(i)
		case a.deed == material && a.strength == plain && !p.reports(i, 2):
			p.emit(*a, belay.MarkFix, "a crash is pasted")
		}
	}
	p.lastly()
}

// contrasted reads "shows Sunday first, should be Monday": what is said before is wrong.
func (p *parse) contrasted(i int) {
	b := p.acts[i-1]
	if b.c.sent != p.acts[i].c.sent || b.deed != ground && b.deed != request {
		return
	}
	if n := len(p.out); n > 0 && p.emitted(b) {
		p.out[n-1].marker = belay.MarkFix
		p.note(b, "", "FIX: it should be otherwise")
		return
	}
	p.emit(b, belay.MarkFix, "it should be otherwise")
}

// results reports a wish that follows in the same sentence on what comes out now:
// "searching for a.b finds axb, dots should be literal".
func (p *parse) results(i int) bool {
	a, b := p.acts[i], p.acts[i-1]
	if a.c.join != "," || b.deed != ground || b.c.sent != a.c.sent || b.c.join != "" {
		return false
	}
	low := b.c.low()
	at, ok := predicate(low)
	switch {
	case !ok:
		return false
	case a.pronoun && !words.Subject(low[0]) && strings.HasSuffix(low[at], "s"):
		return true
	case low[at] == "finds", low[at] == "returns", low[at] == "gives", low[at] == "shows", low[at] == "prints", low[at] == "matches", low[at] == "renders", low[at] == "counts", low[at] == "points", low[at] == "says":
		return true
	}
	return false
}

// kept notes what a clause wants left alone, in the message's own words.
func (p *parse) kept(a act) {
	for _, s := range a.keeps {
		what := strings.Trim(a.c.text(p.msg, s), "*_ ")
		if what == "" {
			what = p.antecedent(a)
		}
		if what == "" || slices.Contains(p.preserve, what) {
			continue
		}
		if a.deed == keep && strings.HasPrefix(strings.ToLower(what), "no ") && p.said(a, s) {
			p.note(a, what, "how the thing asked for behaves: part of its requirement")
			continue
		}
		p.preserve = append(p.preserve, what)
		p.note(a, a.c.text(p.msg, span{0, len(a.c.t)}), "left as it is: "+what)
	}
}

// antecedent is what "it" in "leave it" stands for: the subject of the sentence.
func (p *parse) antecedent(a act) string {
	for _, b := range p.acts {
		if b.c.sent != a.c.sent || b.deed != ground {
			continue
		}
		low := b.c.low()
		if i := slices.IndexFunc(low, words.Auxiliary); i > 0 && !words.Subject(low[0]) {
			return b.c.text(p.msg, span{0, i})
		}
	}
	return ""
}

// said reports that what a "no" is about was asked for just before: then it says how
// the new thing behaves.
func (p *parse) said(a act, s span) bool {
	if len(p.out) == 0 || s.to-s.from < 2 {
		return false
	}
	noun := stem(a.c.t[s.from+1].Low)
	for _, w := range p.out[len(p.out)-1].a.c.low() {
		if stem(w) == noun {
			return true
		}
	}
	return false
}

func (p *parse) emit(a act, m belay.Marker, why string) {
	p.out = append(p.out, found{marker: m, a: a, count: count(a, m)})
	by := a.verb
	if len(a.c.t) > 0 {
		by = a.c.text(p.msg, span{0, len(a.c.t)})
	}
	p.why = append(p.why, Evidence{by, string(m) + ": " + why})
}

// reports says whether a problem has been reported already, of at least that strength,
// within the last acts.
func (p *parse) reports(i, within int) bool {
	for _, f := range p.out {
		if f.marker == belay.MarkFix {
			return true
		}
	}
	for j := i - 1; j >= 0 && j >= i-within; j-- {
		if p.acts[j].deed == complaint && p.acts[j].strength >= faint {
			return false
		}
	}
	return false
}

// complained emits a complaint, unless it goes on with the one before or is the reason
// of what is asked next.
func (p *parse) complained(i int) {
	a := p.acts[i]
	if a.strength < plain && !(a.c.block.Section() == prose.Problem || a.c.block.Kind == prose.Item && !p.hasRequest(a.c.line)) {
		return
	}
	if next := p.nextIn(i); next != nil && next.deed == request && next.marker != belay.MarkFix && (next.c.join == "->" || next.c.join == "→" || next.c.join == "=>" || next.c.join == "so" || next.marker == belay.MarkRemove && next.pronoun || leads(next.c.low())) {
		p.note(a, "", "the reason of what is asked next")
		return
	}
	if p.goesOn(i) {
		p.note(a, "", "goes on with the problem before")
		return
	}
	p.emit(a, belay.MarkFix, "said to be wrong now by “"+a.verb+"”")
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

// hasRequest reports whether a block asks for something besides its complaint.
func (p *parse) hasRequest(line int) bool {
	return slices.ContainsFunc(p.acts, func(a act) bool { return a.c.line == line && (a.deed == request || a.deed == mend) })
}

// nextIn is the next act of the same paragraph.
func (p *parse) nextIn(i int) *act {
	for j := i + 1; j < len(p.acts); j++ {
		if p.acts[j].c.line != p.acts[i].c.line {
			return nil
		}
		if d := p.acts[j].deed; d != ground {
			return &p.acts[j]
		}
	}
	return nil
}

// goesOn reports a complaint that tells more of the one before: the next sentence of
// the same paragraph without a word that says it is another, or one about "it".
func (p *parse) goesOn(i int) bool {
	a := p.acts[i]
	var last *act
	for j := i - 1; j >= 0; j-- {
		if d := p.acts[j].deed; d == complaint && p.acts[j].strength == plain || d == material && p.acts[j].strength == plain {
			last = &p.acts[j]
			break
		}
	}
	if last == nil || len(p.out) == 0 {
		return false
	}
	if last.deed == material {
		return p.reports(i, 0)
	}
	low := a.c.low()
	additive := a.also || slices.Contains(low, "too") || slices.Contains(low, "also") || slices.Contains(low, "another") || slices.Contains(low, "besides")
	switch {
	case a.c.block.Kind == prose.Item && a.c.line != last.c.line, additive, a.c.group || a.c.topic != "":
		return false
	case a.c.sent == last.c.sent:
		return a.pronoun || a.c.join == "because" || a.c.join == "so" || a.c.join == "if" || a.c.join == ";" && len(low) < 4
	case last.c.block.Kind == prose.Item && a.c.line != last.c.line:
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
		if b.deed == complaint && (b.strength == faint && !p.emitted(b)) && len(p.out) == 0 {
			p.emit(b, belay.MarkFix, "to be mended: “"+a.verb+"”")
			return
		}
	}
	for _, f := range p.out {
		if f.marker == belay.MarkFix {
			p.note(a, "", "goes with the problem before")
			return
		}
	}
	if g := p.story(i); g != nil {
		p.emit(*g, belay.MarkFix, "told, and to be mended: “"+a.verb+"”")
		return
	}
	for j := range p.acts {
		if b := p.acts[j]; b.deed == material || j > i && b.deed == complaint {
			if b.deed == material {
				p.emit(b, belay.MarkFix, "output is pasted, to be mended: “"+a.verb+"”")
			}
			return
		}
	}
	p.doubts = append(p.doubts, belay.Doubt{Words: a.c.text(p.msg, span{0, len(a.c.t)}), Readings: []string{"what is wrong is not said"}})
}

func (p *parse) emitted(a act) bool {
	return slices.ContainsFunc(p.out, func(f found) bool { return f.a.c.sent == a.c.sent && f.a.core == a.core && f.a.c.line == a.c.line })
}

// story is the sentence before a "fix it" that tells something: what is told is what
// is wrong.
func (p *parse) story(i int) *act {
	for j := i - 1; j >= 0; j-- {
		if low := p.acts[j].c.low(); p.acts[j].deed == ground && len(low) > 4 && finite(low) {
			return &p.acts[j]
		}
	}
	return nil
}

// asked emits a request, unless it only says how the one before is meant.
func (p *parse) asked(i int) {
	a := p.acts[i]
	low := a.c.low()
	if line := strings.Join(low, " "); len(p.doubts) > 0 && (strings.Contains(line, "the rest") || strings.Contains(line, "the others") || strings.Contains(line, "the other ones")) {
		return // of what is in doubt
	}
	if a.c.topic == "wrong" {
		a.marker = belay.MarkFix
	}
	if n, _ := strip(low); a.c.block.Section() == prose.Problem && a.c.block.Kind == prose.Item && imperative(low[n:]) == 0 {
		a.marker = belay.MarkFix // a list of what is wrong
	}
	if n := len(p.out); n > 0 && p.out[n-1].marker == belay.MarkFix && a.verb == "a thing named" && (slices.Contains(low, "too") || slices.Contains(low, "also") || strings.HasSuffix(strings.Join(low, " "), "as well")) {
		a.marker = belay.MarkFix // "… 404. the button too"
	}
	var last *found
	if len(p.out) > 0 {
		last = &p.out[len(p.out)-1]
	}
	if i+1 < len(p.acts) && p.acts[i+1].c.sent == a.c.sent && strings.Contains("->=>→", p.acts[i+1].c.join) && p.acts[i+1].c.join != "" && p.acts[i+1].deed == request {
		p.note(a, "", "the reason of what is asked next")
		return
	}
	if last != nil && p.qualifies(a, *last) {
		p.note(a, "", "says how the one before is meant")
		return
	}
	if a.marker == belay.MarkFix && last != nil && last.marker == belay.MarkFix && p.shares(a, *last) {
		p.note(a, "", "goes with the problem before")
		return
	}
	p.emit(a, a.marker, "by “"+a.verb+"”")
}

// qualifies reports a request that is part of the one before.
func (p *parse) qualifies(a act, last found) bool {
	near := a.c.line == last.a.c.line && a.c.sent-last.a.c.sent <= 1 || a.c.line == last.a.c.line+1 && a.c.block.Kind == prose.Para
	if !near || a.c.block.Kind == prose.Item && a.c.line != last.a.c.line {
		return false
	}
	switch {
	case last.marker == belay.MarkFix && a.pronoun && a.marker != belay.MarkRemove:
		return !a.also
	case last.marker == belay.MarkFix && strings.Contains(a.verb, "not") && a.c.sent == last.a.c.sent:
		return true
	case last.marker == belay.MarkFix && last.a.deed == complaint && a.marker == belay.MarkModify && isWish(a.verb) && (a.c.sent == last.a.c.sent || a.pronoun):
		return true
	case last.marker == belay.MarkFix && a.c.sent == last.a.c.sent && a.c.join == "because":
		return true
	case a.pronoun && a.marker == belay.MarkModify:
		return true
	case a.pronoun && isWish(a.verb) && a.marker == belay.MarkModify:
		return true
	case a.verb == "a thing named" && a.c.frag && a.c.join == "" && a.c.block.Kind == prose.Para && (last.a.verb != "a thing named" || last.a.c.line != a.c.line) && words.Tech(a.c.t[min(a.core.from, len(a.c.t)-1)].Low):
		return true
	case a.verb == "a thing named" && !a.c.group && a.c.block.Kind == prose.Para && a.marker == belay.MarkAdd && !a.made && last.marker == belay.MarkFix:
		return true
	}
	return false
}

func isWish(verb string) bool {
	w, _, _ := strings.Cut(verb, " ")
	return w == "should" || w == "must" || w == "has" || w == "have" || w == "needs" || w == "need" || w == "shall" || w == "ought" || w == "shouldn't" || w == "mustn't"
}

// shares reports that two clauses speak of the same thing.
func (p *parse) shares(a act, b found) bool {
	if a.c.block.Kind == prose.Item && a.c.line != b.a.c.line {
		return false
	}
	for _, w := range a.c.low() {
		if len(w) > 3 && !words.Preposition(w) && slices.Contains(b.a.c.low(), w) && !words.Auxiliary(w) && !words.Determiner(w) {
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
	for pass := range 5 {
		for _, a := range p.acts {
			section := a.c.block.Section()
			ok := pass == 0 && a.deed == complaint && section != prose.Around && section != prose.Expected && (section != prose.Title || a.strength == faint) ||
				pass == 1 && a.deed == material ||
				pass == 2 && (a.deed == request || a.deed == complaint) && section == prose.Title ||
				pass == 4 && a.deed == ground && a.c.join != "because" && a.c.join != "if" && section != prose.Around && statesFact(a.c.low()) ||
				pass == 3 && (a.deed == request || a.deed == complaint) && section == prose.Expected
			if !ok || a.deed == complaint && bare(a.c.low()) {
				continue
			}
			if a.deed == request {
				p.emit(a, a.marker, "by “"+a.verb+"”")
			} else {
				p.emit(a, belay.MarkFix, "nothing else is asked")
			}
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
	n, _ := strip(low)
	if n >= len(low) || len(low)-n < 4 || words.Pronoun(low[n]) || words.Subject(low[n]) || idle(low) {
		return false
	}
	i, ok := predicate(low[n:])
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
