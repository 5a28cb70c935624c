package mine

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/ledger"
	"github.com/belay-dev/belay/internal/review/output"
	"github.com/belay-dev/belay/internal/review/pasted"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// scope is what a unit hands down to what stands under it.
type scope struct {
	finding int
	topic   *topic
	dir     string
	sev     talk.Severity
	neg     string // why nothing below is asked for
	soft    bool   // neg unless it asks in so many words
	summary bool
}

// topic is the file that a heading, a list item or a "Location:" is about.
type topic struct {
	paths []string
	spans []spot.Span
	unit  int
	used  bool
	own   bool // its unit begins with its name alone: "a.go. It leaks."
	drop  bool // it was said that nothing is asked there
}

// unit reads one unit in its place.
func (mn *miner) unit(i int) {
	u := mn.Units[i]
	s := mn.inherit(i)
	if s.finding != mn.spoke {
		mn.enter(s.finding, u)
	}
	if u.Box == prose.Done || u.Struck {
		s.neg, s.soft = "checked or struck out", false
	}
	if toks := mn.toks[i]; len(toks) > 0 && len(toks) <= 2 && toks[0].Kind == 'w' && (u.Kind == prose.Heading || u.Kind == prose.Item) { // "server", above its files
		if d, ok := mn.X.Dir(toks[0].Lower); ok && (len(toks) == 1 || toks[1].Kind == 'p') {
			s.dir = d
		}
	}
	mn.scopes[i] = s
	switch u.Kind {
	case prose.Heading:
		mn.headingUnit(i)
	case prose.Code, prose.Quote:
		mn.blockUnit(i)
	case prose.Row:
		mn.row(i)
	default:
		mn.proseUnit(i)
	}
}

// enter forgets what only holds within a finding.
func (mn *miner) enter(finding int, u prose.Unit) {
	mn.spoke = finding
	mn.prior = nil
	if u.Kind != prose.Para {
		mn.focus, mn.two = "", [2]string{}
	}
	if u.Kind == prose.Heading || u.Kind == prose.Item {
		mn.settle()
	}
}

// inherit puts together what stands above a unit: its parent, and the paragraph that
// introduces its list.
func (mn *miner) inherit(i int) scope {
	u := mn.Units[i]
	s := scope{finding: mn.scopes[i].finding}
	if u.Parent != prose.None {
		p := mn.scopes[u.Parent]
		if before, ok := mn.formless[u.Parent]; ok && u.Form {
			p = before
		}
		p.finding = s.finding
		s = p
	}
	if u.Intro != prose.None && u.Kind != prose.Code && mn.Units[u.Intro].Kind == prose.Para {
		in := mn.intro(u.Intro)
		if in.sev != "" {
			s.sev = in.sev
		}
		if in.neg != "" && s.neg == "" {
			s.neg, s.soft = in.neg, in.soft
		}
		if in.topic != nil {
			s.topic = in.topic
		}
		if in.dir != "" {
			s.dir = in.dir
		}
	}
	return s
}

// quotedLines gives the lines that a quotation names to the file the section is about.
func (mn *miner) quotedLines(i int) {
	t := mn.scopes[i].topic
	if t == nil || len(t.paths) != 1 {
		return
	}
	for _, tok := range token.Scan(mn.Reader, mn.Units[i].Text) {
		for _, s := range tok.Spans {
			mn.places[i] = append(mn.places[i], complaint(t.paths[0], s))
			t.used = true
		}
	}
}

// intro reads a paragraph as the introduction of a list.
func (mn *miner) intro(i int) scope {
	toks := mn.toks[i]
	var s scope
	if len(toks) == 0 {
		return s
	}
	parts := talk.Sentences(toks)
	last := parts[len(parts)-1]
	colon := strings.Contains(":：", toks[len(toks)-1].Text) && toks[len(toks)-1].Kind == 'p'
	named := mn.named(toks)
	if found := talk.SeverityOf(toks, last[0], last[1]); len(found) == 1 && (colon || len(named) == 0) {
		s.sev = found[0].Sev
	}
	if clue.BareName(toks) { // a line with a path, then its list
		mn.take(i, &s, named)
		return s
	}
	if len(named) == 1 && named[0].Dir != "" { // "Everything below is about pkg/a."
		s.dir = named[0].Dir
	}
	if !colon && len(named) > 0 {
		return s
	}
	for _, c := range talk.Clauses(toks, last[0], last[1]) {
		if talk.Weigh(toks, &c, clue.Question(toks, last)); c.Neg == "only looked at" && clue.Measured(toks) {
			continue
		}
		if c.Neg != "" && c.Neg != "a question" && (colon || len(parts) == 1 && !c.Soft) && !c.Firm {
			s.neg, s.soft = c.Neg, c.Soft
		}
	}
	if colon && !clue.Measured(toks) {
		mn.take(i, &s, named)
	}
	return s
}

// take makes the only file named the topic, the only folder the folder.
func (mn *miner) take(i int, s *scope, named []*spot.Mention) {
	var t topic
	for _, m := range named {
		if m.Dir != "" {
			s.dir = mn.inside(s.dir, m)
			continue
		}
		if p := mn.resolve(m, i); p != "" && !m.Soft {
			t.paths, t.spans = append(t.paths, p), append(t.spans, m.Spans...)
		}
	}
	if len(t.paths) == 1 {
		t.unit = i
		s.topic = &t
	}
}

// inside is a folder within the one spoken of, when it is there.
func (mn *miner) inside(dir string, m *spot.Mention) string {
	if dir != "" {
		if d, ok := mn.X.Dir(dir + "/" + m.Spelled); ok {
			return d
		}
	}
	return m.Dir
}

func (mn *miner) named(toks []token.Token) []*spot.Mention {
	var out []*spot.Mention
	for _, t := range toks {
		if t.M != nil {
			out = append(out, t.M)
		}
	}
	return out
}

// headingUnit sets what a heading says for all below it.
func (mn *miner) headingUnit(i int) {
	mn.mood = clue.Mood{}
	s := &mn.scopes[i]
	toks := mn.toks[i]
	if sev := talk.Headed(toks); sev != "" {
		s.sev = sev
	}
	if len(toks) == 0 {
		return // a heading of signs alone
	}
	s.summary = s.summary || talk.Sums(toks)
	c := talk.Clause{A: 0, B: len(toks)}
	talk.Weigh(toks, &c, clue.Question(toks, [2]int{0, len(toks)}))
	if c.Neg == "only looked at" && clue.Measured(toks) {
		c.Neg = ""
	}
	if c.Neg == "" && c.Has&token.Seen != 0 && !clue.Measured(toks) {
		c.Neg = "only looked at"
	}
	if c.Neg != "" {
		s.neg, s.soft = c.Neg, c.Neg == "found good" || c.Neg == "a question"
	} else if s.sev != "" && s.soft {
		s.neg = ""
	}
	if toks[0].Class&token.Query != 0 && toks[0].Kind == 'w' || strings.HasPrefix(toks[0].Lower, "question") {
		s.neg, s.soft = "a question", true
	}
	clue.Attach(toks)
	mn.take(i, s, mn.named(toks))
}

// blockUnit reads a pasted block or a quotation, under what introduces it.
func (mn *miner) blockUnit(i int) {
	u := mn.Units[i]
	if u.Kind == prose.Code && (u.Lang == "json" || u.Lang == "yaml" || u.Lang == "yml" || u.Lang == "") && mn.structuredBlock(i) {
		return
	}
	if u.Kind == prose.Quote && len(mn.places[i]) == 0 {
		mn.quotedLines(i)
	}
	places := mn.places[i]
	if len(places) == 0 {
		return
	}
	if u.Kind == prose.Quote { // an earlier one was answered before this one came
		mn.blocks = slices.DeleteFunc(mn.blocks, func(b *pasted.Block) bool { return mn.Units[b.Unit].Kind == prose.Quote })
	}
	b := pasted.New(i, places)
	mn.blocks = append(mn.blocks, b)
	if u.Intro == prose.None || len(mn.toks[u.Intro]) == 0 {
		return
	}
	toks := mn.toks[u.Intro]
	parts := talk.Sentences(toks)
	last := parts[len(parts)-1]
	if end := toks[len(toks)-1]; end.Kind != 'p' || !strings.Contains(":：", end.Text) {
		return
	}
	found := talk.SeverityOf(toks, last[0], last[1])
	for _, c := range talk.Clauses(toks, last[0], last[1]) {
		talk.Weigh(toks, &c, false)
		if c.Neg != "" {
			b.Leave(c.Neg)
		} else if (c.Firm || c.Has&token.Fixup != 0) && b.Has(output.Diagnostic) {
			sev := mn.scopes[i].sev
			if len(found) == 1 {
				sev = found[0].Sev
			}
			mn.takeAll(b, sev, "output it asks to mend")
		}
	}
	if len(found) == 1 {
		b.Severity = found[0].Sev
	}
}

// takeAll takes every complaint of a block that is not settled yet.
func (mn *miner) takeAll(b *pasted.Block, sev talk.Severity, why string) int {
	all := b.Complaints()
	for _, k := range all {
		mn.takeOne(b, k, sev, why)
	}
	return len(all)
}

func (mn *miner) takeOne(b *pasted.Block, k int, sev talk.Severity, why string) {
	p := b.Places[k]
	b.Settle(k, "")
	if sev == "" {
		sev = mn.scopes[b.Unit].sev
	}
	mn.Hits = append(mn.Hits, ledger.Entry{Path: p.Tracked, Span: p.Span(), Severity: sev, Unit: b.Unit, Line: mn.Units[b.Unit].Line + p.Line, Why: why})
	mn.prior = append(mn.prior, len(mn.Hits)-1)
	mn.focus = p.Tracked
}

// settle ends a finding: what was pasted and never spoken of says nothing, except a hunk
// that somebody objected to.
func (mn *miner) settle() { mn.blocks = nil }
