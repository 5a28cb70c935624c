package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// reader interprets a message: its blocks, its language as DetectLanguage returns it, and the acts
// so far.
type reader struct {
	Text   string
	Blocks []Block
	Lang   string
	acts   []Act
}

func (p *reader) read() {
	sent := 0
	for i, b := range p.Blocks {
		switch b.Kind {
		case Log, Trace:
			a := Act{Kind: Material, Clause: Clause{Block: b, Line: i}, Strength: Faint}
			if b.Kind == Trace && !isDeprecation(b.Text) {
				a.Strength = Plain
			}
			p.acts = append(p.acts, a)
		case Heading, Para, Item:
			if b.Kind == Heading && !p.isLeadIn(i) {
				continue
			}
			if b.Section() == OutOfScope {
				p.keepOutOfScope(b, i)
				continue
			}
			for _, s := range b.Sentences() {
				sent++
				p.readSentence(s, b, i, sent)
			}
		}
	}
}

// isDeprecation reports a warning about a deprecation, and no error.
func isDeprecation(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return (strings.Contains(first, "DeprecationWarning") || strings.Contains(first, "FutureWarning") ||
		strings.Contains(first, "[DEP0")) && !strings.Contains(text, "Traceback")
}

// isLeadIn reports a line with a verb and a colon directly above pasted text: it is a sentence
// about the paste. Above a list it is a heading.
func (p *reader) isLeadIn(i int) bool {
	text := strings.TrimSpace(p.Blocks[i].Text)
	return i+1 < len(p.Blocks) && p.Blocks[i+1].Kind >= Fence && strings.HasSuffix(text, ":") && HasVerb(LowerWords(Tokenize(text, 0)))
}

// keepOutOfScope keeps the text under "not in scope".
func (p *reader) keepOutOfScope(b Block, line int) {
	t := Tokenize(strings.TrimRight(b.Text, ". "), b.At)
	p.acts = append(p.acts, Act{Kind: Keep, Clause: Clause{Tokens: t, Block: b, Line: line}, Keeps: []Span{{From: 0, To: len(t)}}})
}

// readSentence interprets a sentence clause by clause. A few words before a colon, without a verb,
// are the topic of the rest.
func (p *reader) readSentence(s Sentence, b Block, line, sent int) {
	s.Tokens = TrimThanks(s.Tokens)
	if p.Lang != "" {
		p.readForeignSentence(s, b, line, sent)
		return
	}
	list := SplitClauses(s)
	topic, counted := "", false
	for i, c := range list {
		c.Block, c.Line, c.Sentence, c.Topic, c.IsEnumerated = b, line, sent, topic, topic != ""
		if len(c.Tokens) == 0 || i == 0 && len(list) == 1 && p.isListHeading(c) {
			continue
		}
		if low := c.Lower(); i+1 < len(list) && list[i+1].IsAfterColon && isTopical(low) {
			topic = strings.Join(low, " ")
			continue
		}
		a := ReadClause(c)
		if c.IsAfterColon {
			counted = i > 0 && slices.ContainsFunc(list[i-1].Lower(), IsSeveral)
		} else {
			counted = counted && c.Join != ""
		}
		if counted && a.Kind == Request && !HasVerb(c.Lower()) {
			a.Kind, a.Marker = Background, "" // "add two charts: elevation and heart rate" only lists which
		}
		p.acts = append(p.acts, a)
	}
	p.readAsides(s, b, line, sent)
}

// isTopical reports words that only state the topic of the rest.
func isTopical(low []string) bool {
	return len(low) < 5 && !HasVerb(low) && !StartsOver(low) && !IsIndefinite(low) && !slices.ContainsFunc(low, func(w string) bool {
		return IsProduct(w) || IsSeveral(w)
	})
}

// readAsides keeps what parentheses ask to leave unchanged, and requests for tests. Other asides
// are ignored: they explain, or are pasted.
func (p *reader) readAsides(s Sentence, b Block, line, sent int) {
	for _, t := range s.Tokens {
		if t.Form != Aside || t.End-t.At < 5 || t.End > len(p.Text) {
			continue
		}
		inner := Clause{Tokens: Tokenize(p.Text[t.At+1:t.End-1], t.At+1), Block: b, Line: line, Sentence: sent}
		if len(inner.Tokens) == 0 || len(inner.Tokens) > 12 {
			continue
		}
		if a := ReadClause(inner); a.Kind == Keep && len(a.Keeps) > 0 && a.Keeps[0].To > a.Keeps[0].From {
			p.acts = append(p.acts, a)
		} else if a.Kind == Request && a.Marker == belay.MarkAdd &&
			slices.ContainsFunc(inner.Lower(), func(w string) bool { return w == "test" || w == "tests" }) {
			p.acts = append(p.acts, a) // "(needs a test too)"
		}
	}
}

// isListHeading reports the heading of a list: a short line without a verb directly above it.
func (p *reader) isListHeading(c Clause) bool {
	short := c.Block.Kind == Para && c.IsFragment && len(c.Tokens) <= 6 && c.EndMark == ""
	above := c.Line+1 < len(p.Blocks) && p.Blocks[c.Line+1].Kind == Item
	return short && above && !slices.ContainsFunc(c.Lower(), IsWrongWord)
}
