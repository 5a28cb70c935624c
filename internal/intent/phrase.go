package intent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// mostPhrase is how much of a message one requirement quotes, in bytes. A clause that is
// longer than that is pasted, or nobody ended it.
const mostPhrase = 600

// leadsIn are the words that begin what is said before the clause that it belongs to: a
// condition, a time, a reason.
var leadsIn = lazyregexp.Of(`if when whenever once after before while until unless since because as although though
	wenn falls sobald bevor nachdem weil si quand lorsque cuando`)

// thanks is what a request ends with and does not mean.
var thanks = lazyregexp.New(`(?i)[\s,]+(?:please|pls|plz|thanks|thank you|thx|ty|cheers|danke|merci|bitte)[.! ]*$`)

// phrase is a requirement in the message's own words: its whole clause from the verb on, with
// what else of the sentence belongs to it and asks for nothing by itself: "that does not switch",
// "when it is empty", "so that it can be undone".
func (p *parse) phrase(f found) string {
	a := f.Act
	if a.Deed == Material {
		return CrashLine(a.C.Block.Text)
	}
	if len(a.C.T) == 0 {
		return strings.ToLower(string(f.Marker))
	}
	first := min(a.Core.From, len(a.C.T)-1)
	from, to := a.C.T[first].At, a.C.T[len(a.C.T)-1].End
	for i := a.Nr - 1; p.before(i, a); i-- {
		from = p.Acts[i].C.T[0].At
	}
	if at := a.Nr - 1; a.Pronoun && len(a.C.T)-first < 5 && from == a.C.T[first].At && p.told(at, a) {
		from = p.Acts[at].C.T[0].At // "Checkout is unreadable. Restructure it."
	}
	to = p.aside(to)
	for i := a.Nr + 1; p.behind(i, a, to); i++ {
		t := p.Acts[i].C.T
		end := p.aside(t[len(t)-1].End)
		to = max(to, end)
	}
	to = max(to, p.sentenceEnd(a, to))
	to = p.answered(f, to)
	text := strings.Join(strings.Fields(p.Text[from:to]), " ")
	if topic := a.C.Topic; topic != "" && len(a.C.T)-first < 6 && from == a.C.T[first].At {
		text = topic + ": " + text
	}
	text = strings.TrimRight(strings.Trim(thanks.ReplaceAllString(text, ""), "*_ "), " ,;:-–—")
	if strings.Count(text, "**") == 1 && !strings.Contains(text, "/**") { // half of a pair, whose other half was trimmed
		text = strings.Replace(text, "**", "", 1)
	}
	if text = belay.Clip(text, mostPhrase); text == "" {
		return strings.ToLower(string(f.Marker))
	}
	return text
}

// asks reports whether an act came to a requirement of its own.
func (p *parse) asks(nr int) bool {
	return slices.ContainsFunc(p.Out, func(f found) bool { return f.Act.Nr == nr })
}

// silent reports whether the act i is in the sentence of a and asks for nothing itself: it is
// neither a requirement, nor said to stay, nor in doubt.
func (p *parse) silent(i int, a Act) bool {
	if i < 0 || i >= len(p.Acts) {
		return false
	}
	b := p.Acts[i]
	if len(b.C.T) == 0 || b.C.Line != a.C.Line || b.C.Sent != a.C.Sent {
		return false
	}
	return b.Deed != Keep && b.Deed != Doubt && b.Deed != Material && !p.asks(i)
}

// before reports whether the act i is before a and belongs to it: a condition, or what "it"
// is in a.
func (p *parse) before(i int, a Act) bool {
	if !p.silent(i, a) || p.Acts[i].C.T[0].At >= a.C.T[0].At {
		return false
	}
	if i > 0 && p.silent(i-1, a) && !p.leads(i) {
		return false
	}
	first := i == 0 || p.Acts[i-1].C.Sent != a.C.Sent || p.Acts[i-1].C.Line != a.C.Line
	return p.leads(i) || first && (a.Pronoun || a.Deed == Complaint)
}

// told reports whether the act i is what "it" is in a, in the sentence before.
func (p *parse) told(i int, a Act) bool {
	if i < 0 || p.asks(i) || len(p.Acts[i].C.T) == 0 {
		return false
	}
	b := p.Acts[i]
	before := b.C.Line == a.C.Line && b.C.Sent+1 == a.C.Sent
	first := i == 0 || p.Acts[i-1].C.Sent < b.C.Sent
	return before && first && (b.Deed == Ground || b.Deed == Complaint)
}

// leads reports whether an act is said of the one that follows.
func (p *parse) leads(i int) bool {
	c := p.Acts[i].C
	if i > 0 && c.Join == "because" && p.Acts[i-1].C.Sent == c.Sent && p.Acts[i-1].C.Line == c.Line {
		return false // "add a hint when it is empty, and …"
	}
	return c.Join == "if" || leadsIn.Has(c.T[0].Low) || leadsIn.Has(word(p.Text, c.T[0].At))
}

// word returns the word of a message that ends right before an offset.
func word(text string, at int) string {
	before := strings.TrimRightFunc(text[:at], unicode.IsSpace)
	return strings.ToLower(before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })+1:])
}

// behind reports whether the act i, which begins behind to, continues with what a asks for.
func (p *parse) behind(i int, a Act, to int) bool {
	if !p.silent(i, a) || p.Acts[i].C.T[0].At < to {
		return false
	}
	between := p.Text[to:p.Acts[i].C.T[0].At]
	if len(between) > 40 || strings.Contains(between, "\n\n") {
		return false
	}
	return !(p.leads(i) && i+1 < len(p.Acts) && p.asks(i+1) && p.Acts[i+1].C.Sent == a.C.Sent && p.Acts[i+1].C.Line == a.C.Line)
}

// sentenceEnd returns where the sentence ends that to is in, when nothing behind to asks for
// anything else: what is behind a colon is not an act of its own where it only tells.
func (p *parse) sentenceEnd(a Act, to int) int {
	for _, b := range p.Acts {
		if b.C.Line != a.C.Line || b.Nr == a.Nr || len(b.C.T) == 0 {
			continue
		}
		if at := b.C.T[0].At; at >= to && b.C.Sent == a.C.Sent && !p.silent(b.Nr, a) {
			return to
		}
	}
	for _, s := range a.C.Block.Sentences() {
		first, last := s.Tokens[0], s.Tokens[len(s.Tokens)-1]
		if first.At < to && to <= last.End {
			return last.End
		}
	}
	return to
}

// answered goes on to what is said of "it" in the next sentence: "Why does it ask for a
// birthday? Remove it."
func (p *parse) answered(f found, to int) int {
	a := f.Act
	i := a.Nr + 1
	if i >= len(p.Acts) || a.Deed == Request && a.Verb != "" && !a.Bare || f.Marker == belay.MarkFix {
		return to
	}
	b := p.Acts[i]
	next := b.C.Line == a.C.Line && b.C.Sent == a.C.Sent+1
	if !next || b.Deed != Request || !b.Pronoun || len(b.C.T) > 6 {
		return to
	}
	if p.asks(i) || b.C.T[0].At < to {
		return to
	}
	return b.C.T[len(b.C.T)-1].End
}

// aside returns where a text ends that parentheses follow: they are not tokens of a clause.
func (p *parse) aside(to int) int {
	rest := p.Text[to:]
	trimmed := strings.TrimLeft(rest, " ")
	if !strings.HasPrefix(trimmed, "(") {
		return to
	}
	end := strings.IndexAny(trimmed, ")\n")
	if end < 0 || trimmed[end] != ')' || end > 300 {
		return to
	}
	return to + len(rest) - len(trimmed) + end + 1
}
