package setting

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/ledger"
	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// intro reads a paragraph as the introduction of a list.
func (se *Setting) intro(i int) Scope {
	toks := se.Toks[i]
	var s Scope
	if len(toks) == 0 {
		return s
	}
	parts := talk.Sentences(toks)
	last := parts[len(parts)-1]
	colon := strings.Contains(":：", toks[len(toks)-1].Text) && toks[len(toks)-1].Kind == 'p'
	named := Named(toks)
	if found := talk.SeverityOf(toks, last[0], last[1]); len(found) == 1 && (colon || len(named) == 0) {
		s.Sev = found[0].Sev
	}
	if clue.BareName(toks) { // a line with a path, then its list
		se.Take(i, &s, named)
		return s
	}
	if len(named) == 1 && named[0].Dir != "" { // "Everything below is about pkg/a."
		s.Dir = named[0].Dir
	}
	if !colon && len(named) > 0 {
		return s
	}
	for _, c := range talk.Clauses(toks, last[0], last[1]) {
		if talk.Weigh(toks, &c, clue.Question(toks, last)); c.Neg == "only looked at" && clue.Measured(toks) {
			continue
		}
		if c.Neg != "" && c.Neg != "a question" && (colon || len(parts) == 1 && !c.Soft) && !c.Firm {
			s.Neg, s.Soft = c.Neg, c.Soft
		}
	}
	if colon && !clue.Measured(toks) {
		se.Take(i, &s, named)
	}
	return s
}

// Take makes the only file named the topic, the only folder the folder.
func (se *Setting) Take(i int, s *Scope, named []*spot.Mention) {
	var t Topic
	for _, m := range named {
		if m.Dir != "" {
			s.Dir = se.inside(s.Dir, m)
			continue
		}
		if p := se.Resolve(m, i); p != "" && !m.Soft {
			t.Paths, t.Spans = append(t.Paths, p), append(t.Spans, m.Spans...)
		}
	}
	if len(t.Paths) == 1 {
		t.Unit = i
		s.Topic = &t
	}
}

// inside is a folder within the one spoken of, when it is there.
func (se *Setting) inside(dir string, m *spot.Mention) string {
	if dir != "" {
		if d, ok := se.X.Dir(dir + "/" + m.Spelled); ok {
			return d
		}
	}
	return m.Dir
}

// Named are the names among some tokens.
func Named(toks []token.Token) []*spot.Mention {
	var out []*spot.Mention
	for _, t := range toks {
		if t.M != nil {
			out = append(out, t.M)
		}
	}
	return out
}

// Begins makes the name that stands alone at the start of a paragraph what it is about.
func (se *Setting) Begins(i int, s *Scope) {
	toks := se.Toks[i]
	part := talk.Sentences(toks)[0]
	if s.Topic != nil || part[1] >= len(toks) || part[1] > 3 || toks[0].M == nil || part[1] > 1 && toks[1].Kind != 'p' {
		return
	}
	if p := se.Resolve(toks[0].M, i); p != "" && !toks[0].M.Soft {
		s.Topic = &Topic{Paths: []string{p}, Spans: toks[0].M.Spans, Unit: i, Used: true, Own: true}
	}
}

// Introduces tells a paragraph with a list of its own below.
func (se *Setting) Introduces(i int) bool {
	return i+1 < len(se.Units) && se.Units[i].Kind == prose.Para && se.Units[i+1].Kind == prose.Item && se.Units[i+1].Intro == i
}

// Hand passes an item's file and severity on to what stands under it.
func (se *Setting) Hand(i int, s *Scope, hits []ledger.Entry, carry talk.Severity) {
	if carry != "" {
		s.Sev = carry
	}
	paths := map[string]bool{}
	t := Topic{Unit: i, Used: true}
	for _, h := range hits {
		if h.Off == "" || h.Off == "a question" {
			if !paths[h.Path] {
				t.Paths = append(t.Paths, h.Path)
			}
			paths[h.Path] = true
			if h.Span.Start > 0 {
				t.Spans = append(t.Spans, h.Span)
			}
			if h.Severity != "" && talk.Rank[h.Severity] > talk.Rank[s.Sev] {
				s.Sev = h.Severity
			}
		}
	}
	if len(t.Paths) == 1 {
		s.Topic = &t
	} else if len(t.Paths) == 0 && len(hits) > 0 && s.Neg == "" {
		s.Neg, s.Soft = hits[0].Off, true
	}
}

// Heading sets what a heading says for all below it.
func (se *Setting) Heading(i int) {
	s := &se.Scopes[i]
	toks := se.Toks[i]
	if sev := talk.Headed(toks); sev != "" {
		s.Sev = sev
	}
	if len(toks) == 0 {
		return // a heading of signs alone
	}
	s.Summary = s.Summary || talk.Sums(toks)
	c := talk.Clause{A: 0, B: len(toks)}
	talk.Weigh(toks, &c, clue.Question(toks, [2]int{0, len(toks)}))
	if c.Neg == "only looked at" && clue.Measured(toks) {
		c.Neg = ""
	}
	if c.Neg == "" && c.Has&token.Seen != 0 && !clue.Measured(toks) {
		c.Neg = "only looked at"
	}
	if c.Neg != "" {
		s.Neg, s.Soft = c.Neg, c.Neg == "found good" || c.Neg == "a question"
	} else if s.Sev != "" && s.Soft {
		s.Neg = ""
	}
	if toks[0].Class&token.Query != 0 && toks[0].Kind == 'w' || strings.HasPrefix(toks[0].Lower, "question") {
		s.Neg, s.Soft = "a question", true
	}
	clue.Attach(toks)
	se.Take(i, s, Named(toks))
}

// Other tells a mention of another file under a heading or an item for one file.
func (se *Setting) Other(unit int, m *spot.Mention) bool {
	t := se.Scopes[unit].Topic
	if t == nil || len(t.Paths) != 1 || t.Unit == unit && !t.Own || len(m.Set) > 0 {
		return false
	}
	p := se.Resolve(m, unit)
	return p != "" && p != t.Paths[0]
}

// IsTest tells whether a mention means a test.
func (se *Setting) IsTest(m *spot.Mention, i int) bool { return names.IsTest(se.Resolve(m, i)) }

// HandForm passes what a form says on to what stands below it under the same heading: the
// text of the finding often follows.
func (se *Setting) HandForm(i int) {
	p := se.Units[i].Parent
	if p == prose.None {
		return
	}
	if se.formless == nil {
		se.formless = map[int]Scope{}
	}
	if _, ok := se.formless[p]; !ok {
		se.formless[p] = se.Scopes[p]
	}
	s := se.Scopes[i]
	t := Topic{Unit: i, Used: true}
	for _, h := range se.Hits {
		if h.Unit == i && (h.Off == "" || s.Neg != "") {
			t.Paths = append(t.Paths, h.Path)
		}
	}
	se.Scopes[p] = se.formless[p]
	se.Scopes[p].Sev, se.Scopes[p].Neg, se.Scopes[p].Soft = s.Sev, s.Neg, s.Soft
	if len(t.Paths) == 1 {
		se.Scopes[p].Topic = &t
	}
}
