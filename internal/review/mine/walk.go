package mine

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/ledger"
	"github.com/belay-dev/belay/internal/review/output"
	"github.com/belay-dev/belay/internal/review/pasted"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// unit reads one unit in its place.
func (mn *miner) unit(i int) {
	u := mn.Units[i]
	s := mn.Inherit(i)
	if s.Finding != mn.spoke {
		mn.enter(s.Finding, u)
	}
	if u.Box == prose.Done || u.Struck {
		s.Neg, s.Soft = "checked or struck out", false
	}
	if toks := mn.Toks[i]; len(toks) > 0 && len(toks) <= 2 && toks[0].Kind == 'w' && (u.Kind == prose.Heading || u.Kind == prose.Item) { // "server", above its files
		if d, ok := mn.X.Dir(toks[0].Lower); ok && (len(toks) == 1 || toks[1].Kind == 'p') {
			s.Dir = d
		}
	}
	mn.Scopes[i] = s
	switch u.Kind {
	case prose.Heading:
		mn.mood = clue.Mood{}
		mn.Heading(i)
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

// quotedLines gives the lines that a quotation names to the file the section is about.
func (mn *miner) quotedLines(i int) {
	t := mn.Scopes[i].Topic
	if t == nil || len(t.Paths) != 1 {
		return
	}
	for _, tok := range token.Scan(mn.Reader, mn.Units[i].Text) {
		for _, s := range tok.Spans {
			mn.places[i] = append(mn.places[i], complaint(t.Paths[0], s))
			t.Used = true
		}
	}
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
	if u.Intro == prose.None || len(mn.Toks[u.Intro]) == 0 {
		return
	}
	toks := mn.Toks[u.Intro]
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
			sev := mn.Scopes[i].Sev
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
		sev = mn.Scopes[b.Unit].Sev
	}
	mn.Hits = append(mn.Hits, ledger.Entry{Path: p.Tracked, Span: p.Span(), Severity: sev, Unit: b.Unit, Line: mn.Units[b.Unit].Line + p.Line, Why: why})
	mn.prior = append(mn.prior, len(mn.Hits)-1)
	mn.focus = p.Tracked
}

// settle ends a finding: what was pasted and never spoken of says nothing, except a hunk
// that somebody objected to.
func (mn *miner) settle() { mn.blocks = nil }
