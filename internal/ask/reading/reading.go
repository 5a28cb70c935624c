// Package reading goes through a message block by block and sentence by sentence and says what
// each clause does, in order: what stands under a topic, behind a colon, in a list, in
// parentheses, in another language. What the clauses mean together is for the room above. It
// touches no file, process, clock or network.
package reading

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/clause"
	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Message is what is read. Blocks are those of Text; Lang is its language as words.Language
// names it; Fresh says that it asks for something new as a whole.
type Message struct {
	Text       string
	Blocks     []prose.Block
	Lang       string
	Fresh      bool
	PlanExists bool
}

// Acts are what the clauses of the message do, in order.
func (m Message) Acts() []deed.Act {
	p := &reader{Message: m}
	p.read()
	return p.acts
}

// reader is a message on its way: the acts so far.
type reader struct {
	Message
	decided bool // those sentences say what was decided
	acts    []deed.Act
	several int  // so many sentences are one thing each
	nth     bool // "another thing:" stands in front
}

func (p *reader) read() {
	sent := 0
	for i, b := range p.Blocks {
		switch b.Kind {
		case prose.Log, prose.Trace:
			a := deed.Act{Deed: deed.Material, C: clause.Clause{Block: b, Line: i}, Strength: fault.Faint}
			if b.Kind == prose.Trace && !deprecates(b.Text) {
				a.Strength = fault.Plain
			}
			p.acts = append(p.acts, a)
		case prose.Heading:
			if p.leadsIn(i) {
				b.Label = ""
				from := len(p.acts)
				for _, s := range b.Sentences() {
					sent++
					p.sentence(s, b, i, sent)
				}
				for j := from; j < len(p.acts) && p.Blocks[i+1].Kind >= prose.Fence; j++ {
					if p.acts[j].Verb == "a thing named" {
						p.acts[j].Deed = deed.Ground // "from the console, 212 users:"
					}
				}
			}
		case prose.Para, prose.Item:
			if b.Section() == prose.Outside {
				p.outside(b, i)
				continue
			}
			if i == 0 && p.entitled(b) {
				continue
			}
			for _, s := range b.Sentences() {
				sent++
				p.sentence(s, b, i, sent)
			}
		}
	}
}

// entitled reports a first line that only says what the text below is: "Pentest report,
// extract", "Minutes of the call".
func (p *reader) entitled(b prose.Block) bool {
	low := clause.Lows(prose.Tokens(b.Text, b.At))
	if b.Kind != prose.Para || len(p.Blocks) < 2 || len(low) == 0 || len(low) > 8 || grammar.HasVerb(low) {
		return false
	}
	if len(low) < 4 && (low[0] == "ticket" || low[0] == "issue" || low[0] == "case" || low[0] == "incident") && grammar.Numeric(strings.TrimPrefix(low[len(low)-1], "#")) {
		return true
	}
	return titled(low)
}

// titled reports a word near the start for what a text is.
func titled(low []string) bool {
	return slices.ContainsFunc(low[:min(3, len(low))], func(w string) bool {
		switch w {
		case "report", "extract", "excerpt", "feedback", "minutes", "notes", "summary", "audit", "findings", "decisions", "transcript", "results", "outcome", "agenda", "recap":
			return true
		}
		return false
	})
}

// deprecates reports a warning of what will go away, and of nothing that went wrong.
func deprecates(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return (strings.Contains(first, "DeprecationWarning") || strings.Contains(first, "FutureWarning") || strings.Contains(first, "[DEP0")) && !strings.Contains(text, "Traceback")
}

// decided reports a heading for what is to be from now on.
func decided(label string) bool {
	return strings.HasPrefix(label, "decisions") || strings.HasPrefix(label, "decided") || strings.HasPrefix(label, "what we decided") || strings.HasPrefix(label, "we decided") || strings.HasPrefix(label, "agreed") || strings.HasPrefix(label, "outcome of")
}

// leadsIn reports a line with a colon right above something pasted: it is said, and says
// what the paste is about. Above a list it is a heading.
func (p *reader) leadsIn(i int) bool {
	if i+1 < len(p.Blocks) && p.Blocks[i+1].Kind == prose.Item && !p.PlanExists {
		t := prose.Tokens(strings.TrimRight(p.Blocks[i].Text, ": \n"), 0)
		c := clause.Clause{T: t, Block: p.Blocks[i]}
		a := deed.Read(c)
		return a.Made && deed.Creates(a.Verb) && !Preamble(c.Low())
	}
	said := clause.Clause{T: prose.Tokens(p.Blocks[i].Text, 0)}
	return i+1 < len(p.Blocks) && p.Blocks[i+1].Kind >= prose.Fence && grammar.HasVerb(said.Low()) && strings.HasSuffix(strings.TrimSpace(p.Blocks[i].Text), ":")
}

// outside keeps what stands under "not in scope".
func (p *reader) outside(b prose.Block, line int) {
	t := prose.Tokens(strings.TrimRight(b.Text, ". "), b.At)
	p.acts = append(p.acts, deed.Act{Deed: deed.Keep, C: clause.Clause{T: t, Block: b, Line: line}, Keeps: []grammar.Span{{From: 0, To: len(t)}}})
}

// sentence reads a sentence clause by clause, with what stands before a colon.
func (p *reader) sentence(s prose.Sentence, b prose.Block, line, sent int) {
	s.Tokens = prose.Thanked(s.Tokens)
	if rest := story(s.Tokens); rest != nil && p.Lang == "" {
		s.Tokens = rest
		from := len(p.acts)
		p.sentence(s, b, line, sent)
		for i := from; i < len(p.acts); i++ {
			if low := p.acts[i].C.Low(); i > from && len(low) > 2 && low[0] == "so" && (low[1] == "that" || low[1] == "i") {
				p.acts[i].Deed = deed.Ground
				continue
			}
			if a := &p.acts[i]; a.C.Join != "because" && a.C.Join != "if" && (a.Deed == deed.Request || a.Deed == deed.Ground && i == from) {
				a.Deed, a.Marker, a.Verb = deed.Request, belay.MarkAdd, "as somebody who uses it"
			}
		}
		return
	}
	if p.Lang != "" {
		p.foreign(s, b, line, sent)
		return
	}
	list := clause.Clauses(s)
	if p.Fresh {
		list = clause.Deeds(list)
	}
	topic := ""
	for i := 0; i < len(list); i++ {
		c := list[i]
		c.Block, c.Line, c.Sent, c.Topic = b, line, sent, topic
		if i+1 < len(list) && list[i+1].Colon {
			if left := c.Low(); announcing(left) {
				if list[i+1].Join == ":" {
					list[i+1].Join = ""
				}
				p.nth = left[0] == "another" || left[0] == "second" || left[0] == "third" || left[0] == "last" || slices.Contains(left, "more")
				continue
			} else if p.isTopic(left, countCommas(s.Tokens)) {
				topic = p.under(list, i, left, b.Kind)
				continue
			}
			if left := c.Low(); len(left) > 2 && (strings.HasSuffix(left[len(left)-1], "error") || strings.HasSuffix(left[len(left)-1], "exception")) && len(left[len(left)-1]) > 6 {
				p.acts = append(p.acts, deed.Read(c))
				return // what the error says
			}
			if done := p.colon(c, list[i+1:]); done {
				return
			}
		}
		if i == 0 && len(list) == 1 && len(c.T) > 1 && c.Close == "" && c.T[len(c.T)-1].Low == ":" && line+1 < len(p.Blocks) && p.Blocks[line+1].Kind == prose.Item && Preamble(clause.Lows(c.T[:len(c.T)-1])) {
			continue // "It must have:" above a list
		}
		if i == 0 && len(list) > 1 && list[1].Join == ";" && !grammar.HasVerb(c.Low()) && titled(c.Low()) {
			continue // "Notes from the retro - …"
		}
		if len(c.T) == 0 || i == 0 && len(list) == 1 && p.opensList(c) {
			continue
		}
		if low := c.Low(); i == 0 && len(list) == 1 && c.Frag && b.Kind == prose.Para && words.Several(low[0]) && len(low) > 1 && Preamble(low[:2]) {
			p.several, _ = words.Number(low[0]) // "Three things after the workshop."
			continue
		}
		if n := len(c.T); i == 0 && len(list) == 1 && n > 4 && (slices.Contains(c.Low(), "agreed") || slices.Contains(c.Low(), "decided")) && words.Several(c.T[n-2].Low) && Preamble(c.Low()[n-2:]) {
			p.several, _ = words.Number(c.T[n-2].Low)
			p.decided = true // "we agreed on two points."
			continue
		}
		if c.Block.Kind == prose.Para && (decided(c.Block.Label) || p.decided && p.several > 0) {
			c.Block.Kind = prose.Item // each sentence is one of a list
		}
		a := deed.Read(c)
		if low := c.Low(); low[0] == "https" || low[0] == "http" {
			a = deed.Act{Deed: deed.Ground, C: c, Core: grammar.Span{To: len(low)}}
		}
		if c.Deed && a.Deed == deed.Ground {
			a.Deed, a.Marker, a.Verb, a.Pronoun = deed.Request, belay.MarkAdd, "what it does", false
		}
		a.Nth, p.nth = a.Nth || p.nth || i == 0 && p.several > 0, false
		if i == 0 && p.several > 0 {
			p.several--
		}
		p.acts = append(p.acts, a)
	}
	p.asides(s, b, line, sent)
}

// story takes the frame off a user story: "As a trainer I can duplicate …", "As an editor, I
// want to schedule …". What follows is something somebody will be able to do. It is nil for
// any other sentence.
func story(t []prose.Token) []prose.Token {
	low := clause.Lows(t)
	if len(low) < 6 || low[0] != "as" || low[1] != "a" && low[1] != "an" && low[1] != "the" {
		return nil
	}
	for i := 3; i < min(len(low)-3, 9); i++ {
		if low[i] != "i" && low[i] != "we" && low[i] != "i'd" {
			continue
		}
		line := strings.Join(low[i:min(i+6, len(low))], " ") + " "
		for _, p := range []string{"i can ", "i want to be able to ", "i want to ", "i need to ", "i would like to ", "i'd like to ", "i should be able to ", "i must be able to ", "we can ", "we want to ", "we need to ", "i may "} {
			if strings.HasPrefix(line, p) {
				return t[i+len(strings.Fields(p)):]
			}
		}
		for _, p := range []string{"i want ", "i need ", "i would like ", "i'd like ", "we want ", "we need "} {
			if strings.HasPrefix(line, p) {
				return t[i+len(strings.Fields(p)):]
			}
		}
		return nil
	}
	return nil
}

// asides keeps what is said in parentheses to stay. Nothing else in them is read: what
// stands there tells, and is as often pasted.
func (p *reader) asides(s prose.Sentence, b prose.Block, line, sent int) {
	for _, t := range s.Tokens {
		if t.Form != prose.Aside || t.End-t.At < 5 || t.End > len(p.Text) {
			continue
		}
		inner := clause.Clause{T: prose.Tokens(p.Text[t.At+1:t.End-1], t.At+1), Block: b, Line: line, Sent: sent}
		if len(inner.T) == 0 || len(inner.T) > 12 {
			continue
		}
		if a := deed.Read(inner); a.Deed == deed.Keep && len(a.Keeps) > 0 && a.Keeps[0].To > a.Keeps[0].From {
			p.acts = append(p.acts, a)
		} else if a.Deed == deed.Request && a.Marker == belay.MarkAdd && slices.ContainsFunc(inner.Low(), func(w string) bool { return w == "test" || w == "tests" }) {
			p.acts = append(p.acts, a) // "(needs a test too)"
		}
	}
}

// opensList reports a short line without a verb right above a list: its heading.
func (p *reader) opensList(c clause.Clause) bool {
	return c.Block.Kind == prose.Para && c.Frag && len(c.T) <= 6 && c.Close == "" && c.Line+1 < len(p.Blocks) && p.Blocks[c.Line+1].Kind == prose.Item &&
		!slices.ContainsFunc(c.Low(), words.Wrong)
}

func countCommas(t []prose.Token) (n int) {
	for i := range t {
		if t[i].Low == "," {
			n++
		}
	}
	return n
}
