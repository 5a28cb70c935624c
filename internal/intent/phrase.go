package intent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// maxPhraseBytes is the greatest length of a requirement's text. A longer clause is pasted, or has
// no punctuation.
const maxPhraseBytes = 600

// leadInWords are words that introduce a condition, a time or a reason before the main clause.
var leadInWords = lazyregexp.Of(`if when whenever once after before while until unless since because as although though
	wenn falls sobald bevor nachdem weil si quand lorsque cuando`)

// closingThanks matches polite words at the end of a request.
var closingThanks = lazyregexp.New(`(?i)[\s,]+(?:please|pls|plz|thanks|thank you|thx|ty|cheers|danke|merci|bitte)[.! ]*$`)

// phrase returns a requirement in the message's own words: its complete clause from the verb, with
// those parts of the sentence that belong to it and ask for nothing else: "that does not switch",
// "when it is empty", "so that it can be undone".
func (p *parse) phrase(f foundRequirement) string {
	a := f.Act
	if a.Kind == Material {
		return CrashLine(a.Clause.Block.Text)
	}
	if len(a.Clause.Tokens) == 0 {
		return strings.ToLower(string(f.Marker))
	}
	first := min(a.Core.From, len(a.Clause.Tokens)-1)
	from, to := a.Clause.Tokens[first].At, a.Clause.Tokens[len(a.Clause.Tokens)-1].End
	for i := a.Index - 1; p.belongsBefore(i, a); i-- {
		from = p.Acts[i].Clause.Tokens[0].At
	}
	if at := a.Index - 1; a.Pronoun && len(a.Clause.Tokens)-first < 5 && from == a.Clause.Tokens[first].At && p.isAntecedent(at, a) {
		from = p.Acts[at].Clause.Tokens[0].At // "Checkout is unreadable. Restructure it."
	}
	to = p.asideEnd(to)
	for i := a.Index + 1; p.belongsBehind(i, a, to); i++ {
		t := p.Acts[i].Clause.Tokens
		end := p.asideEnd(t[len(t)-1].End)
		to = max(to, end)
	}
	to = max(to, p.sentenceEnd(a, to))
	to = p.extendToPronoun(f, to)
	text := strings.Join(strings.Fields(p.Text[from:to]), " ")
	if topic := a.Clause.Topic; topic != "" && len(a.Clause.Tokens)-first < 6 && from == a.Clause.Tokens[first].At {
		text = topic + ": " + text
	}
	text = strings.TrimRight(strings.Trim(closingThanks.ReplaceAllString(text, ""), "*_ "), " ,;:-–—")
	if strings.Count(text, "**") == 1 && !strings.Contains(text, "/**") { // half of a pair; the other half was trimmed
		text = strings.Replace(text, "**", "", 1)
	}
	if text = belay.Clip(text, maxPhraseBytes); text == "" {
		return strings.ToLower(string(f.Marker))
	}
	return text
}

// isRequirement reports whether an act became a requirement.
func (p *parse) isRequirement(nr int) bool {
	return slices.ContainsFunc(p.Requirements, func(f foundRequirement) bool { return f.Act.Index == nr })
}

// isSilent reports whether act i is in the sentence of a and asks for nothing itself: it is no
// requirement, nothing to keep, and no doubt.
func (p *parse) isSilent(i int, a Act) bool {
	if i < 0 || i >= len(p.Acts) {
		return false
	}
	b := p.Acts[i]
	if len(b.Clause.Tokens) == 0 || b.Clause.Line != a.Clause.Line || b.Clause.Sentence != a.Clause.Sentence {
		return false
	}
	return b.Kind != Keep && b.Kind != Doubt && b.Kind != Material && !p.isRequirement(i)
}

// belongsBefore reports whether act i precedes a and belongs to it: a condition, or what "it" means
// in a.
func (p *parse) belongsBefore(i int, a Act) bool {
	if !p.isSilent(i, a) || p.Acts[i].Clause.Tokens[0].At >= a.Clause.Tokens[0].At {
		return false
	}
	if i > 0 && p.isSilent(i-1, a) && !p.isLeadIn(i) {
		return false
	}
	first := i == 0 || p.Acts[i-1].Clause.Sentence != a.Clause.Sentence || p.Acts[i-1].Clause.Line != a.Clause.Line
	return p.isLeadIn(i) || first && (a.Pronoun || a.Kind == Complaint)
}

// isAntecedent reports whether act i, in the previous sentence, is what "it" means in a.
func (p *parse) isAntecedent(i int, a Act) bool {
	if i < 0 || p.isRequirement(i) || len(p.Acts[i].Clause.Tokens) == 0 {
		return false
	}
	b := p.Acts[i]
	before := b.Clause.Line == a.Clause.Line && b.Clause.Sentence+1 == a.Clause.Sentence
	first := i == 0 || p.Acts[i-1].Clause.Sentence < b.Clause.Sentence
	return before && first && (b.Kind == Background || b.Kind == Complaint)
}

// isLeadIn reports whether an act only introduces the next one.
func (p *parse) isLeadIn(i int) bool {
	c := p.Acts[i].Clause
	if i > 0 && c.Join == "because" && p.Acts[i-1].Clause.Sentence == c.Sentence && p.Acts[i-1].Clause.Line == c.Line {
		return false // "add a hint when it is empty, and …"
	}
	return c.Join == "if" || leadInWords.Has(c.Tokens[0].Lower) || leadInWords.Has(wordBefore(p.Text, c.Tokens[0].At))
}

// wordBefore returns the word of a message that ends right before an offset.
func wordBefore(text string, at int) string {
	before := strings.TrimRightFunc(text[:at], unicode.IsSpace)
	return strings.ToLower(before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })+1:])
}

// belongsBehind reports whether act i, which begins behind to, continues the request of a.
func (p *parse) belongsBehind(i int, a Act, to int) bool {
	if !p.isSilent(i, a) || p.Acts[i].Clause.Tokens[0].At < to {
		return false
	}
	between := p.Text[to:p.Acts[i].Clause.Tokens[0].At]
	if len(between) > 40 || strings.Contains(between, "\n\n") {
		return false
	}
	return !(p.isLeadIn(i) && i+1 < len(p.Acts) && p.isRequirement(i+1) && p.Acts[i+1].Clause.Sentence == a.Clause.Sentence &&
		p.Acts[i+1].Clause.Line == a.Clause.Line)
}

// sentenceEnd returns the end of the sentence that contains to, unless an act behind to asks for
// something else. Words behind a colon that only explain are not an act.
func (p *parse) sentenceEnd(a Act, to int) int {
	for _, b := range p.Acts {
		if b.Clause.Line != a.Clause.Line || b.Index == a.Index || len(b.Clause.Tokens) == 0 {
			continue
		}
		if at := b.Clause.Tokens[0].At; at >= to && b.Clause.Sentence == a.Clause.Sentence && !p.isSilent(b.Index, a) {
			return to
		}
	}
	for _, s := range a.Clause.Block.Sentences() {
		first, last := s.Tokens[0], s.Tokens[len(s.Tokens)-1]
		if first.At < to && to <= last.End {
			return last.End
		}
	}
	return to
}

// extendToPronoun extends the text to a request about "it" in the next sentence: "Why does it ask
// for a birthday? Remove it."
func (p *parse) extendToPronoun(f foundRequirement, to int) int {
	a := f.Act
	i := a.Index + 1
	if i >= len(p.Acts) || a.Kind == Request && a.Verb != "" && !a.HasNoObject || f.Marker == belay.MarkFix {
		return to
	}
	b := p.Acts[i]
	next := b.Clause.Line == a.Clause.Line && b.Clause.Sentence == a.Clause.Sentence+1
	if !next || b.Kind != Request || !b.Pronoun || len(b.Clause.Tokens) > 6 {
		return to
	}
	if p.isRequirement(i) || b.Clause.Tokens[0].At < to {
		return to
	}
	return b.Clause.Tokens[len(b.Clause.Tokens)-1].End
}

// asideEnd returns the end of a text with the parentheses that follow it: they are not tokens of a
// clause.
func (p *parse) asideEnd(to int) int {
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
