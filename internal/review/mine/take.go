package mine

import (
	"path"
	"strings"

	"github.com/belay-dev/belay/internal/review/bystander"
	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/ledger"
	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/pasted"
	"github.com/belay-dev/belay/internal/review/result"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// clause takes or leaves what one clause names.
func (mn *miner) clause(st *sentence, c *talk.Clause) {
	s := &mn.Scopes[st.unit]
	why := c.Neg
	if why == "a question" && mn.Scopes[st.unit].Neg == "" && c.Firm {
		why = ""
	}
	if s.Neg != "" && !(s.Soft && (c.Firm || c.Has&token.Bad != 0)) && why == "" {
		why = s.Neg
	}
	if c.Has&token.Recall != 0 {
		mn.withdraw(st, c)
	}
	if clue.SamePlace(st.Toks, c) && mn.last != "" && path.Dir(mn.last) != "." {
		mn.Said.Turn(s.Finding, path.Dir(mn.last))
	}
	mn.folders(st, c, why)
	if c.Firm && clue.Arrow(st.Toks, c) {
		c.Has |= token.Moved
	}
	known := bystander.Review{
		Asked:  st.asked,
		Other:  func(m *spot.Mention) bool { return mn.Other(st.unit, m) },
		IsTest: func(m *spot.Mention) bool { return mn.IsTest(m, st.unit) },
	}
	known.Rename, known.Ends = mn.pair(st, c)
	for i := c.A; i < c.B; i++ {
		m := st.Toks[i].M
		if m == nil || m.Dir != "" || st.out[m.Spelled] {
			continue
		}
		off := why
		if off == "" {
			off = bystander.Why(&st.Sentence, c, i, known)
		}
		mn.single(st, c, i, off)
	}
	if len(c.Hits) == 0 || len(mn.Taken(c.Hits)) == 0 {
		mn.unnamed(st, c, why)
	}
	st.took = append(st.took, mn.Taken(c.Hits)...)
	st.asked = st.asked || c.Firm && len(mn.Taken(c.Hits)) > 0
}

// single takes or leaves what the mention at i means.
func (mn *miner) single(st *sentence, c *talk.Clause, i int, off string) {
	m := st.Toks[i].M
	if m.Bare && c.Has&token.Moved == 0 {
		return
	}
	paths := m.Set
	if len(paths) == 0 {
		p := mn.Resolve(m, st.unit)
		if p == "" && m.Fresh {
			p = mn.Said.Spell(m, mn.Around(st.unit))
			if off == "" && c.Has&(token.Create|token.Moved|token.Undo) == 0 {
				off = "not tracked, and not asked to be made"
			}
		}
		if p == "" {
			return
		}
		paths = []string{p}
		if (!m.Soft || off == "") && !strings.HasPrefix(off, "in passing") && !(off == "only referred to" && i > c.A+2 && mn.focus != "" && mn.spoke == mn.Scopes[st.unit].Finding) {
			mn.focus, mn.last, mn.spoke = p, p, mn.Scopes[st.unit].Finding
			if p != mn.two[1] {
				mn.two = [2]string{mn.two[1], p}
			}
		}
	}
	spans := st.Spans(i)
	if off != "" && off != "only referred to" && len(spans) == 0 && c.Neg == off {
		mn.Acquit(st.unit, paths)
	}
	if len(spans) == 0 && len(m.Set) == 0 && off == "" && !clue.Whole(st.Toks, c, i) {
		spans = pasted.Lines(mn.blocks, paths[0])
	}
	for _, p := range paths {
		if st.out[p] || st.noTests && len(m.Set) > 1 && names.IsTest(p) {
			mn.add(st, c, ledger.Entry{Path: p, Off: "an exception"}, i)
			continue
		}
		if len(spans) == 0 {
			mn.add(st, c, ledger.Entry{Path: p, Off: off, Weak: len(m.Set) == 0 && c.Has&token.Moved == 0 && !clue.Also(st.Toks, c) && !st.Listed(i)}, i)
		}
		for _, s := range spans {
			mn.add(st, c, ledger.Entry{Path: p, Span: s, Off: off}, i)
		}
	}
}

func (mn *miner) add(st *sentence, c *talk.Clause, h ledger.Entry, at int) {
	if here := [2]int{st.unit, at}; mn.seen != here || mn.line == 0 { // a set names many files at one place
		text := mn.Units[st.unit].Text
		mn.seen, mn.line = here, mn.Units[st.unit].Line+strings.Count(text[:min(st.Toks[at].Lo, len(text))], "\n")
	}
	h.Unit, h.Line = st.unit, mn.line
	h.At, h.Severity = at, mn.severity(st, at)
	h.Firm = c.Firm
	if h.Why = "named as what is wrong"; c.Firm {
		h.Why = "asked to change"
	}
	if n, ok := mn.Enter(h); ok {
		c.Hits = append(c.Hits, n)
	}
}

// pair tells why the two ends of a rename that is only reported are left, and keeps them.
func (mn *miner) pair(st *sentence, c *talk.Clause) (string, []int) {
	if c.Has&token.Moved == 0 {
		return "", nil
	}
	var ends []int
	for i := c.A; i < c.B; i++ {
		if m := st.Toks[i].M; m != nil && m.Dir == "" && len(m.Set) == 0 {
			ends = append(ends, i)
		}
	}
	if len(ends) < 2 || c.Has&token.Need != 0 || !clue.Reported(st.Toks, c) {
		return "", nil
	}
	spell := func(i int) string {
		m := st.Toks[i].M
		if p := mn.Resolve(m, st.unit); p != "" {
			return p
		}
		return mn.Said.Spell(m, mn.Around(st.unit))
	}
	mn.rename = [2]string{spell(ends[0]), spell(ends[1])}
	return "a rename that is only reported", ends[:2]
}

// withdraw takes back what was said of the files a clause names, or of the last ones.
func (mn *miner) withdraw(st *sentence, c *talk.Clause) {
	if mn.numbersOff(st, c, "withdrawn later") {
		return
	}
	named := false
	for i := c.A; i < c.B; i++ {
		m := st.Toks[i].M
		if m == nil {
			continue
		}
		named = true
		mn.Withdraw(mn.Resolve(m, st.unit), st.Spans(i))
	}
	if !named {
		for _, h := range mn.prior {
			mn.Hits[h].Off = "withdrawn later"
		}
	}
}

// folders reads the folders of a clause: as what is meant as a whole, or as where the
// rest is.
func (mn *miner) folders(st *sentence, c *talk.Clause, why string) {
	for i := c.A; i < c.B; i++ {
		m := st.Toks[i].M
		if m == nil || m.Dir == "" {
			continue
		}
		_, count := clue.Count(st.Toks, max(c.A, i-4), i)
		whole := c.Has&token.Every != 0 || count > 1 || c.Firm && token.Takes(st.Toks[c.A:i]) || c.Firm && c.Has&token.Undo != 0
		if whole && !clue.Patterned(st.Toks, c) && (c.Firm || c.Has&token.Bad != 0) && why == "" && !bystander.Refers(st.Toks, c, i) {
			for _, p := range mn.members(st, c, i, m.Dir) {
				mn.add(st, c, ledger.Entry{Path: p}, i)
			}
			continue
		}
		if p, ok := mn.X.Package(m.Dir); ok && why == "" && (c.Firm || c.Has&token.Bad != 0) && clue.Alone(st.Toks, c, i) {
			mn.add(st, c, ledger.Entry{Path: p, Weak: true}, i)
			mn.focus, mn.last, mn.spoke = p, p, mn.Scopes[st.unit].Finding
		}
		mn.Said.Turn(mn.Scopes[st.unit].Finding, m.Dir)
	}
}

// members are the files of a folder that "all", "the three other handlers" mean there.
func (mn *miner) members(st *sentence, c *talk.Clause, at int, dir string) []string {
	var out []string
	others, count := clue.Count(st.Toks, c.A, at)
	for _, p := range mn.X.Under(dir) {
		if st.out[p] || st.noTests && names.IsTest(p) || others && mn.Said.Named(mn.Scopes[st.unit].Finding, p) {
			continue
		}
		out = append(out, p)
		if len(out) > 2000 {
			return nil
		}
	}
	if count > 0 && len(out) != count {
		return names.Sources(out, count)
	}
	return out
}

// exceptions finds what a sentence takes out of a set; "everywhere except en.json" is the
// rest of that folder.
func (mn *miner) exceptions(st *sentence) {
	from, all := -1, false
	for i := st.A; i < st.B; i++ {
		if st.Toks[i].Class&token.Except != 0 {
			from = i
			break
		}
		all = all || st.Toks[i].Class&token.Every != 0 || st.Toks[i].M != nil && (len(st.Toks[i].M.Set) > 0 || st.Toks[i].M.Dir != "")
	}
	st.noTests = all && clue.SparesTests(st.Toks, st.A, st.B)
	if from < 0 || !all {
		return
	}
	st.out = map[string]bool{}
	sample, whole := "", false
	for i := st.A; i < st.B; i++ {
		m := st.Toks[i].M
		if m != nil && i < from {
			whole = true
		}
		if m == nil || i < from {
			continue
		}
		if i > from+8 && sample == "" {
			return
		}
		if p := mn.Resolve(m, st.unit); p != "" {
			st.out[p], sample = true, p
			st.out[m.Spelled] = true
		}
		for _, p := range m.Set {
			st.out[p] = true
		}
	}
	if whole || sample == "" || mn.Scopes[st.unit].Topic != nil && len(mn.Scopes[st.unit].Topic.Paths) > 1 {
		return
	}
	c := talk.Clause{A: st.A, B: st.B}
	talk.Weigh(st.Toks, &c, false)
	if c.Neg != "" {
		return
	}
	for _, p := range mn.X.Under(path.Dir(sample)) {
		if path.Dir(p) == path.Dir(sample) && path.Ext(p) == path.Ext(sample) && !st.out[p] {
			mn.add(st, &c, ledger.Entry{Path: p}, st.A)
		}
	}
	st.took = append(st.took, mn.Taken(c.Hits)...)
}

// row reads a table's row, or a form, as a sentence.
func (mn *miner) row(i int) {
	s := &mn.Scopes[i]
	if mn.Units[i].Form {
		defer mn.HandForm(i)
	}
	r := result.ReadRow(mn.Reader, mn.Units[i].Head, mn.Units[i].Cells)
	if r.Severity != "" {
		s.Sev = r.Severity
	}
	if r.Off != "" {
		s.Neg, s.Soft = r.Off, false
	}
	mn.Units[i].Text = r.Text
	mn.Toks[i] = token.Scan(mn.Reader, r.Text)
	mn.proseUnit(i)
}
