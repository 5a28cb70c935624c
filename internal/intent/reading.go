package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// reader is a message on its way: its blocks, its language as Language names it, and what its clauses do, as far as
// they are read.
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
			a := Act{Deed: Material, C: Clause{Block: b, Line: i}, Strength: Faint}
			if b.Kind == Trace && !deprecates(b.Text) {
				a.Strength = Plain
			}
			p.acts = append(p.acts, a)
		case Heading, Para, Item:
			if b.Kind == Heading && !p.leadsIn(i) {
				continue
			}
			if b.Section() == Outside {
				p.outside(b, i)
				continue
			}
			for _, s := range b.Sentences() {
				sent++
				p.sentence(s, b, i, sent)
			}
		}
	}
}

// deprecates reports a warning of what will go away, and of nothing that went wrong.
func deprecates(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return (strings.Contains(first, "DeprecationWarning") || strings.Contains(first, "FutureWarning") ||
		strings.Contains(first, "[DEP0")) && !strings.Contains(text, "Traceback")
}

// leadsIn reports a line with a colon and a verb right above something pasted: it is said, and says
// what the paste is about. Above a list it is a heading.
func (p *reader) leadsIn(i int) bool {
	text := strings.TrimSpace(p.Blocks[i].Text)
	return i+1 < len(p.Blocks) && p.Blocks[i+1].Kind >= Fence && strings.HasSuffix(text, ":") && HasVerb(Lows(Tokens(text, 0)))
}

// outside keeps what stands under "not in scope".
func (p *reader) outside(b Block, line int) {
	t := Tokens(strings.TrimRight(b.Text, ". "), b.At)
	p.acts = append(p.acts, Act{Deed: Keep, C: Clause{T: t, Block: b, Line: line}, Keeps: []Span{{From: 0, To: len(t)}}})
}

// sentence reads a sentence clause by clause. A few words without a verb in front of a colon say
// what the rest is about.
func (p *reader) sentence(s Sentence, b Block, line, sent int) {
	s.Tokens = Thanked(s.Tokens)
	if p.Lang != "" {
		p.foreign(s, b, line, sent)
		return
	}
	list := Clauses(s)
	topic, counted := "", false
	for i, c := range list {
		c.Block, c.Line, c.Sent, c.Topic, c.Group = b, line, sent, topic, topic != ""
		if len(c.T) == 0 || i == 0 && len(list) == 1 && p.opensList(c) {
			continue
		}
		if low := c.Low(); i+1 < len(list) && list[i+1].Colon && topical(low) {
			topic = strings.Join(low, " ")
			continue
		}
		a := Read(c)
		if c.Colon {
			counted = i > 0 && slices.ContainsFunc(list[i-1].Low(), Several)
		} else {
			counted = counted && c.Join != ""
		}
		if counted && a.Deed == Request && !HasVerb(c.Low()) {
			a.Deed, a.Marker = Ground, "" // "add two charts: elevation and heart rate": says which
		}
		p.acts = append(p.acts, a)
	}
	p.asides(s, b, line, sent)
}

// topical reports words that only say what the rest is about.
func topical(low []string) bool {
	return len(low) < 5 && !HasVerb(low) && !Over(low) && !Indefinite(low) && !slices.ContainsFunc(low, func(w string) bool {
		return Product(w) || Several(w)
	})
}

// asides keeps what is said in parentheses to stay. Nothing else in them is read: what
// is there tells, and is as often pasted.
func (p *reader) asides(s Sentence, b Block, line, sent int) {
	for _, t := range s.Tokens {
		if t.Form != Aside || t.End-t.At < 5 || t.End > len(p.Text) {
			continue
		}
		inner := Clause{T: Tokens(p.Text[t.At+1:t.End-1], t.At+1), Block: b, Line: line, Sent: sent}
		if len(inner.T) == 0 || len(inner.T) > 12 {
			continue
		}
		if a := Read(inner); a.Deed == Keep && len(a.Keeps) > 0 && a.Keeps[0].To > a.Keeps[0].From {
			p.acts = append(p.acts, a)
		} else if a.Deed == Request && a.Marker == belay.MarkAdd &&
			slices.ContainsFunc(inner.Low(), func(w string) bool { return w == "test" || w == "tests" }) {
			p.acts = append(p.acts, a) // "(needs a test too)"
		}
	}
}

// opensList reports a short line without a verb right above a list: its heading.
func (p *reader) opensList(c Clause) bool {
	short := c.Block.Kind == Para && c.Frag && len(c.T) <= 6 && c.Close == ""
	above := c.Line+1 < len(p.Blocks) && p.Blocks[c.Line+1].Kind == Item
	return short && above && !slices.ContainsFunc(c.Low(), WrongSenses)
}
