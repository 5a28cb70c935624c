// Package ask turns what a person wrote into requirements: what is to be added,
// changed, fixed or removed, how many, what must stay, which files are meant, and what
// can be read in two ways. It is grammar and word lists, no model: the same words
// always give the same answer, and every part of the answer names the words it comes
// from. What is pasted, quoted or in a log is material and never asks for anything.
// It touches no file, process, clock or network.
package ask

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Input is a message and what it is about. Files are paths of the repository with
// slashes; PlanExists says that a plan of the project was made before.
type Input struct {
	Text       string
	PlanExists bool
	Files      []string
}

// Evidence is why the answer is as it is: the words, and what was concluded from them.
type Evidence struct {
	Words string
	Means string
}

// head and tail are how much of a long message is read, in bytes: what is asked stands
// before or after what is pasted, hardly ever in the middle.
const (
	head = 24 << 10
	tail = 16 << 10
)

// Parse reads a message. Every message has an answer; one that asks for nothing gets a
// doubt that says so.
func Parse(in Input) (belay.Request, []Evidence) {
	msg, cut := shorten(in.Text)
	p := &parse{msg: msg, in: in}
	if lang := words.Language(msg); lang != "" {
		p.lang = lang
	}
	n := prose.Greeting(msg)
	p.blocks = prose.Blocks(strings.Repeat(" ", n) + msg[n:])
	p.read()
	if p.fresh = p.isFresh(); p.fresh {
		p.read()
	}
	p.settle()
	req := p.answer()
	if cut > 0 {
		req.Doubts = append(req.Doubts, belay.Doubt{Words: "", Readings: []string{"the message is long: its middle was taken as pasted material and not read"}})
	}
	return req, p.why
}

// shorten leaves the middle out of a message that is longer than anybody writes.
func shorten(msg string) (string, int) {
	msg = strings.ToValidUTF8(msg, "\uFFFD")
	if len(msg) <= head+tail {
		return msg, 0
	}
	a, b := head, len(msg)-tail
	for a > 0 && !utf8.RuneStart(msg[a]) {
		a--
	}
	for b < len(msg) && !utf8.RuneStart(msg[b]) {
		b++
	}
	return msg[:a] + "\n\n" + msg[b:], b - a
}

// parse is one message on its way.
type parse struct {
	msg    string
	in     Input
	lang   string
	blocks []prose.Block
	acts   []deed.Act
	fresh  bool

	out      []found
	preserve []string
	doubts   []belay.Doubt
	why      []Evidence
}

// found is a requirement with what it came from.
type found struct {
	Marker belay.Marker
	a      deed.Act
	count  *int
}

func (p *parse) read() {
	p.acts = nil
	sent := 0
	for i, b := range p.blocks {
		switch b.Kind {
		case prose.Log, prose.Trace:
			a := deed.Act{Deed: deed.Material, C: grammar.Clause{Block: b, Line: i}, Strength: grammar.Faint}
			if b.Kind == prose.Trace {
				a.Strength = grammar.Plain
			}
			p.acts = append(p.acts, a)
		case prose.Heading:
			if p.leadsIn(i) {
				b.Label = ""
				for _, s := range b.Sentences() {
					sent++
					p.sentence(s, b, i, sent)
				}
			}
		case prose.Para, prose.Item:
			if b.Section() == prose.Outside {
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

// leadsIn reports a line with a colon right above something pasted: it is said, and says
// what the paste is about. Above a list it is a heading.
func (p *parse) leadsIn(i int) bool {
	if i+1 < len(p.blocks) && p.blocks[i+1].Kind == prose.Item && !p.in.PlanExists {
		t := prose.Tokens(strings.TrimRight(p.blocks[i].Text, ": \n"), 0)
		c := grammar.Clause{T: t, Block: p.blocks[i]}
		a := deed.Read(c)
		return a.Made && deed.Creates(a.Verb) && !preamble(c.Low())
	}
	said := grammar.Clause{T: prose.Tokens(p.blocks[i].Text, 0)}
	return i+1 < len(p.blocks) && p.blocks[i+1].Kind >= prose.Fence && grammar.HasVerb(said.Low()) && strings.HasSuffix(strings.TrimSpace(p.blocks[i].Text), ":")
}

// outside keeps what stands under "not in scope".
func (p *parse) outside(b prose.Block, line int) {
	t := prose.Tokens(strings.TrimRight(b.Text, ". "), b.At)
	p.acts = append(p.acts, deed.Act{Deed: deed.Keep, C: grammar.Clause{T: t, Block: b, Line: line}, Keeps: []grammar.Span{{From: 0, To: len(t)}}})
}

// sentence reads a sentence clause by clause, with what stands before a colon.
func (p *parse) sentence(s prose.Sentence, b prose.Block, line, sent int) {
	s.Tokens = prose.Thanked(s.Tokens)
	if p.lang != "" {
		p.foreign(s, b, line, sent)
		return
	}
	list := grammar.Clauses(s)
	topic := ""
	for i := 0; i < len(list); i++ {
		c := list[i]
		c.Block, c.Line, c.Sent, c.Topic = b, line, sent, topic
		if i+1 < len(list) && list[i+1].Colon {
			if left := c.Low(); announcing(left) {
				if list[i+1].Join == ":" {
					list[i+1].Join = ""
				}
				continue
			} else if p.isTopic(left, countCommas(s.Tokens)) {
				topic = p.under(list, i, left, b.Kind)
				continue
			}
			if done := p.colon(c, list[i+1:]); done {
				return
			}
		}
		if len(c.T) == 0 || i == 0 && len(list) == 1 && p.opensList(c) {
			continue
		}
		p.acts = append(p.acts, deed.Read(c))
	}
	p.asides(s, b, line, sent)
}

// asides keeps what is said in parentheses to stay. Nothing else in them is read: what
// stands there tells, and is as often pasted.
func (p *parse) asides(s prose.Sentence, b prose.Block, line, sent int) {
	for _, t := range s.Tokens {
		if t.Form != prose.Aside || t.End-t.At < 5 || t.End > len(p.msg) {
			continue
		}
		inner := grammar.Clause{T: prose.Tokens(p.msg[t.At+1:t.End-1], t.At+1), Block: b, Line: line, Sent: sent}
		if len(inner.T) == 0 || len(inner.T) > 12 {
			continue
		}
		if a := deed.Read(inner); a.Deed == deed.Keep && len(a.Keeps) > 0 && a.Keeps[0].To > a.Keeps[0].From {
			p.acts = append(p.acts, a)
		}
	}
}

// announcing reports words that only say that something is coming: "quick one:", "small
// request:", "new idea:".
func announcing(left []string) bool {
	n := len(left)
	if n == 0 || n > 4 {
		return false
	}
	switch left[n-1] {
	case "one", "question", "request", "idea", "suggestion", "wish", "favour", "favor", "task", "proposal", "thing", "ask", "reminder", "update", "follow-up", "followup", "note", "story":
		return n > 1 && !words.Product(left[0]) && !slices.ContainsFunc(left[:n-1], words.Wrong)
	}
	return false
}

// opensList reports a short line without a verb right above a list: its heading.
func (p *parse) opensList(c grammar.Clause) bool {
	return c.Block.Kind == prose.Para && c.Frag && len(c.T) <= 6 && c.Close == "" && c.Line+1 < len(p.blocks) && p.blocks[c.Line+1].Kind == prose.Item &&
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

// isTopic reports a word or two that only say what the rest is about.
func (p *parse) isTopic(left []string, pieces int) bool {
	if len(left) == 1 && (left[0] == "new" || left[0] == "feature" || left[0] == "features") && !p.fresh {
		return true
	}
	if p.fresh && pieces > 1 && len(left) == 1 {
		return words.Tech(left[0]) || words.Filler(left[0])
	}
	if grammar.Over(left) || len(left) > 0 && words.Preposition(left[len(left)-1]) {
		return false
	}
	named := len(left) > 0 && len(left) < 4 && grammar.Nounish[left[0]] && !slices.ContainsFunc(left, words.Determiner) // "exchange rates: …"
	if pieces == 0 && len(left) > 2 && len(left) < 8 && (left[0] == "the" || left[0] == "our") && !grammar.HasVerb(left) {
		return true // "the colour of the links: blue"
	}
	if len(left) > 4 || grammar.HasVerb(left) && !named || len(left) > 0 && grammar.Indefinite(left) && (left[0] == "a" || left[0] == "an" || left[0] == "new") {
		return false
	}
	if !p.in.PlanExists && len(left) > 1 && words.Product(left[len(left)-1]) {
		return false // "small python script: …" names what is to be made
	}
	if !p.in.PlanExists && len(left) > 2 && slices.ContainsFunc(left, words.Product) && slices.ContainsFunc(left, words.Tool) {
		return false
	}
	for i, w := range left {
		if _, ok := words.Number(w); ok && i > 0 && i == len(left)-1 {
			continue // "finding 7"
		}
		if _, ok := words.Number(w); ok || w == "more" || words.Product(w) && p.fresh {
			return false
		}
	}
	return true
}

// under gives the topic that the pieces behind it stand under: "typos: …" makes each a
// complaint, "so: …" makes what was said before the reason.
func (p *parse) under(list []grammar.Clause, i int, left []string, kind prose.Kind) string {
	topic := strings.Join(left, " ")
	switch topic {
	case "so", "therefore", "hence", "thus", "then":
		list[i+1].Join = "so"
		return ""
	case "new idea", "idea", "request", "wish", "question", "plan", "my idea", "task", "please", "ps", "p.s", "edit", "update", "tl", "tldr", "hi", "hello":
		return ""
	}
	bare := true
	for j := i + 1; j < len(list); j++ {
		list[j].Group = true
		low := list[j].Low()
		bare = bare && !grammar.HasVerb(low) && grammar.Compared(low) == 0 && !grammar.Valued(low) && len(low) > 0 && !grammar.Articled(low[0])
		for _, w := range left {
			if j == i+1 && (left[0] == "found" || left[0] == "noticed" || left[0] == "spotted" || left[0] == "observed" || left[0] == "seen") {
				return "wrong"
			}
			if words.Wrong(w) || w == "spelling" || w == "error" || w == "errors" {
				return "wrong"
			}
		}
	}
	if bare && len(left) < 3 && details[left[len(left)-1]] && len(list)-i > 2 && len(p.acts) > 0 && kind == prose.Para {
		for j := i + 1; j < len(list); j++ {
			list[j].T = nil // "columns: time, patient": says which
		}
	}
	return topic
}

// details are headings of lists that only say what something consists of.
var details = map[string]bool{"columns": true, "fields": true, "values": true, "options": true, "attributes": true, "types": true, "colors": true, "colours": true, "languages": true, "sizes": true, "keys": true,
	"headers": true, "parameters": true, "labels": true, "names": true, "stages": true, "steps": true, "formats": true, "environments": true, "stack": true, "tech": true, "contents": true, "properties": true, "categories": true, "roles": true, "sections": true, "tables": true}

// colon reads what announces a list. It answers whether the list has been read too.
func (p *parse) colon(c grammar.Clause, rest []grammar.Clause) bool {
	a := deed.Read(c)
	wordsLeft := c.Low()
	if _, said := grammar.Strip(rest[0].Low()); p.fresh && !said.Opener && (a.Deed == deed.Anew || a.Deed == deed.Request || a.Deed == deed.Ground) {
		first := rest[0].Low()
		if a.Deed == deed.Anew {
			p.acts = append(p.acts, a)
		}
		if a.Deed == deed.Request && !preamble(wordsLeft) && !(len(p.acts) > 0 && a.Verb == "a thing named" && !p.whole(a)) {
			p.acts = append(p.acts, a)
		}
		if len(first) > 0 && first[0] != "\"" && !describes(rest, wordsLeft) {
			p.pieces(c, rest)
		}
		return true
	}
	if _, said := grammar.Strip(rest[0].Low()); preamble(wordsLeft) || said.Opener {
		p.acts = append(p.acts, deed.Act{Deed: deed.Ground, C: c, Core: grammar.Span{From: 0, To: len(c.T)}})
		for _, r := range rest {
			r.Block, r.Line, r.Sent, r.Group = c.Block, c.Line, c.Sent, true
			b := deed.Read(r)
			if slices.ContainsFunc(wordsLeft, troubles) && b.Deed == deed.Request && (b.Verb == "a thing named" || grammar.Finite(r.Low())) {
				b.Marker = belay.MarkFix
			}
			if low := r.Low(); b.Deed == deed.Keep && len(low) > 0 && low[0] == "no" && slices.ContainsFunc(wordsLeft, troubles) {
				b = deed.Act{Deed: deed.Complaint, Marker: belay.MarkFix, Strength: grammar.Plain, Verb: "no", C: r, Core: grammar.Span{To: len(low)}}
			}
			p.acts = append(p.acts, b)
		}
		return true
	}
	if n := len(rest) + countCommas(rest[0].T); n > 1 && !p.fresh && vagueWhole(a) {
		p.acts = append(p.acts, deed.Act{Deed: deed.Ground, C: c, Core: grammar.Span{From: 0, To: len(c.T)}})
		p.listed(c, rest)
		return true
	}
	if deed.Quotes(rest[0]) && a.Deed == deed.Request && a.Verb == "a thing named" {
		a.Deed, a.Marker, a.Strength, a.Verb = deed.Complaint, belay.MarkFix, grammar.Plain, "an error in quotes"
	}
	if wordsLeft[len(wordsLeft)-1] == "order" && a.Deed == deed.Request {
		a.Marker = belay.MarkModify // "the items in this order: …"
	}
	p.acts = append(p.acts, a)
	if first := rest[0].Low(); a.Deed == deed.Complaint && a.Strength == grammar.Plain && len(first) > 0 && grammar.Imperative(first) == 0 {
		return true // "typos in the post: …"
	}
	if a.Deed == deed.Request && (len(rest) == 0 || grammar.Imperative(rest[0].Low()) == 0) {
		return true // the list says which: it is folded into what it lists
	}
	for _, r := range rest {
		r.Block, r.Line, r.Sent = c.Block, c.Line, c.Sent
		p.acts = append(p.acts, deed.Read(r))
	}
	return true
}

// vagueWhole reports an order that says of itself nothing that could be done: "tidy up the
// toolbar: …", "make it safer: …". What follows the colon is what is asked.
func vagueWhole(a deed.Act) bool {
	if a.Deed == deed.Doubt {
		return true
	}
	low := a.C.Low()
	switch a.Verb {
	case "make":
		return a.Marker == belay.MarkModify && a.Obj+1 < len(low) && grammar.Compared(low[a.Obj:]) > 0 && len(low)-a.Obj < 4
	case "save", "reduce", "improve", "tidy up", "clean up", "polish", "redesign", "rework", "overhaul", "simplify", "modernise", "modernize", "rebalance":
		return true
	}
	return false
}

// listed reads each piece between commas behind a colon by itself.
func (p *parse) listed(c grammar.Clause, rest []grammar.Clause) {
	for _, r := range rest {
		start := 0
		low := r.Low()
		for i := 0; i <= len(low); i++ {
			if i < len(low) && low[i] != "," {
				continue
			}
			from := start
			if from < i && low[from] == "and" {
				from++
			}
			if i > from {
				piece := r
				piece.T, piece.Group, piece.Block, piece.Line, piece.Sent = r.T[from:i], true, c.Block, c.Line, c.Sent
				piece.Frag = !grammar.HasVerb(piece.Low())
				p.acts = append(p.acts, deed.Read(piece))
			}
			start = i + 1
		}
	}
}

// troubles are words that announce a list of what is wrong.
func troubles(w string) bool {
	return w == "problems" || w == "issues" || w == "bugs" || w == "errors" || w == "defects" || w == "problem" || w == "issue" || w == "bug"
}

// preamble reports words that only announce a list: "do three small things", "please",
// "it must have".
func preamble(low []string) bool {
	for i, w := range low {
		if i > 0 && !words.Several(low[i-1]) && !words.Determiner(low[i-1]) && low[i-1] != "few" && low[i-1] != "following" && low[i-1] != "small" && low[i-1] != "of" && low[i-1] != "more" && low[i-1] != "other" && low[i-1] != "quick" {
			continue
		}
		switch w {
		case "things", "changes", "tweaks", "points", "items", "requests", "wishes", "following", "issues", "bugs", "problems", "adjustments", "requirements", "features", "stuff":
			return true
		}
	}
	n, _ := grammar.Strip(low)
	return n >= len(low) || low[len(low)-1] == "have" || low[len(low)-1] == "must" || low[len(low)-1] == "should" || low[len(low)-1] == "to" || low[len(low)-1] == "can"
}

// describes reports a list that says what the announced thing is: "new service: takes
// webhooks, verifies them", not what it must have.
func describes(rest []grammar.Clause, left []string) bool {
	pieces := 0
	for _, r := range rest {
		pieces += 1 + countCommas(r.T)
	}
	if first := rest[0].Low(); pieces > 2 && len(left) > 2 && len(first) > 1 && grammar.Continues(first) {
		return false // so many deeds are features
	}
	starts := true
	for _, r := range rest {
		low := r.Low()
		if len(rest) == 1 && len(low) == 1 && len(left) > 8 {
			return true
		}
		for i, w := range low {
			if _, end := words.Base(w, grammar.AnyVerb); starts && len(left) < 8 && i+1 < len(low) && (end == "s" || doing[w]) {
				return true
			}
			starts = w == "," || w == "and"
		}
		starts = true
	}
	return false
}

var doing = map[string]bool{"takes": true, "gets": true, "receives": true, "listens": true, "fetches": true, "does": true, "looks": true, "scrapes": true, "parses": true, "crawls": true, "runs": true, "reads": true}

// pieces makes a request of each piece of a list behind a colon.
func (p *parse) pieces(c grammar.Clause, rest []grammar.Clause) {
	var t []prose.Token
	for _, r := range rest {
		if len(t) > 0 {
			t = append(t, prose.Token{Form: prose.Mark, Low: ","})
		}
		t = append(t, r.T...)
	}
	start := 0
	for i := 0; i <= len(t); i++ {
		if i < len(t) && t[i].Low != "," && !(t[i].Low == "and" && i > start && (i < 2 || i+2 < len(t)) && listAnd(t, i)) {
			continue
		}
		if i > start {
			piece := c
			piece.T, piece.Group, piece.Join, piece.Frag = t[start:i], true, ":", true
			if n, _ := grammar.Strip(piece.Low()); n < i-start && !allTech(piece.Low()) {
				a := deed.Act{Deed: deed.Request, Marker: belay.MarkAdd, Verb: "one of a list", C: piece, Core: grammar.Span{From: n, To: i - start}, Obj: n}
				if sp, _, ok := grammar.Keeps(piece.Low()); ok {
					a = deed.Act{Deed: deed.Keep, Keeps: []grammar.Span{sp}, C: piece}
				}
				p.acts = append(p.acts, a)
			}
		}
		start = i + 1
	}
}

func allTech(low []string) bool {
	return slices.ContainsFunc(low, words.Tool) && !slices.ContainsFunc(low, func(w string) bool { return !words.Tech(w) })
}

// listAnd reports an "and" between the last two of a list of three or more.
func listAnd(t []prose.Token, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if t[j].Low == "," {
			return true
		}
	}
	return false
}
