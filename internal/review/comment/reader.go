package comment

import (
	"cmp"
	"slices"
	"strings"
)

// hit is a place that the text names, on its way to a decision.
type hit struct {
	path     string
	span     lines
	severity Severity
	line     int
	off      string // why it is left; "" when it is taken
	carrier  bool   // it says where, and the words around it say what
	group    *group
}

func (h *hit) leave(why string) { h.off = cmp.Or(h.off, why) }

// group is a finding: what is said together about one thing.
type group struct {
	parent     *group
	scope      *scope
	severity   Severity
	mark       mark // of what it stands under
	hits       []*hit
	asks, said int // sentences that ask, and that say something
	offs       int
	off        mark // of the last of these
	taken      int
	children   int    // findings below that speak of its carriers
	closed     bool   // its state says so
	row, bare  bool   // of a table; it is nothing but a path: what is below are findings
	last       []*hit // of the sentence before
	lastMark   mark
}

func (g *group) carriers() []*hit {
	return slices.DeleteFunc(slices.Clone(g.hits), func(h *hit) bool { return !h.carrier })
}

// gives tells that a finding has taken a path; exactly, that a carrier gives its lines.
func (g *group) gives(path string, exactly bool) bool {
	return slices.ContainsFunc(g.hits, func(h *hit) bool {
		if exactly {
			return h.path == path && h.carrier && h.span != (lines{})
		}
		return h.path == path && h.off == ""
	})
}

// focus is the path that the words of a finding are about, and the finding that names it.
func (g *group) focus() (*group, string) {
	for at, n := g, 0; at != nil && n < 12; at, n = at.parent, n+1 {
		for _, h := range slices.Backward(at.hits) {
			if h.carrier || at == g {
				return at, h.path
			}
		}
	}
	return g, ""
}

// count notes how a sentence means what its finding, or the one above, says it is about.
func (g *group) count(how mark, silent bool) {
	for n := 0; g != nil && n < 12; g, n = g.parent, n+1 {
		switch {
		case how == settles || how == praises:
			g.offs, g.off = g.offs+1, how
		case how == asks && !silent:
			g.asks++
		case how == plain && !silent:
			g.said++
		}
		if len(g.carriers()) > 0 {
			return
		}
	}
}

// reader is one reading of one review.
type reader struct {
	names    *names
	approved bool
	formal   bool // headings say what asks
	groups   []*group
	hits     []*hit
	blocks   []block
}

// sections finds out how headings and introductions mean what is below them.
func (r *reader) sections(d *document) {
	latest := 0
	for _, u := range d.units {
		latest = max(latest, round(u))
	}
	for i, u := range d.units {
		alone := (i == 0 || i == len(d.units)-1 || u.kind == heading) && says("lgtm", u.text)
		top := u.scope == nil || u.scope.level == 1
		if m := cue("verdict").FindStringSubmatch(u.text); u.kind <= heading && (m != nil && !says("limited", m[1]) || alone && top) {
			r.approved = true
		}
		s := u.leads
		if s == nil {
			continue
		}
		s.mark, s.label = r.introduced(u), labelOver(u.text)
		s.names = u.kind == prose && len(tracked(r.names.scan(u.text))) > 0
		if n := round(u); n > 0 && n < latest {
			s.mark = settles
		}
		r.formal = r.formal || s.mark == asks && s.level > 1
		if s.parent != nil { // it takes what is above, unless it says otherwise
			above := s.parent.mark
			s.label = cmp.Or(s.label, s.parent.label)
			if s.mark == plain || (above == praises || above == settles) && !(s.mark == asks && says("strongest", u.text)) {
				s.mark = above
			}
		}
	}
}

// round is the number that a heading below the title gives a round of review.
func round(u *unit) int {
	if m := cue("rounds").FindStringSubmatch(u.text); m != nil && u.kind == heading && u.leads.level > 1 {
		return spansOf("1"+m[1], "", "")[0].start
	}
	return 0
}

// introduced is how a heading, the words before a list, or the first of an item, mean what
// follows.
func (r *reader) introduced(u *unit) mark {
	how := over(u.text)
	switch {
	case u.kind == columns && says("remarks", u.text):
		return asks
	case u.kind == columns:
		return aside
	case u.kind == heading && u.leads.level == 1 && u.scope == nil && how == aside: // the title
		return plain
	case u.kind == heading || len(strings.Fields(u.text)) <= 7:
		return how
	}
	all := r.names.scan(u.text)
	for _, s := range sentences(u.text, all) { // the last counts
		how = meant(spoken(u.text, s, of(all, s)))
	}
	if how == praises || how == settles {
		return how
	}
	return plain
}

// groupOf is the finding that a unit belongs to.
func (r *reader) groupOf(u *unit) *group {
	s := cmp.Or(u.leads, u.scope)
	switch {
	case s == nil || s.level == 1 && u.leads == nil && s.parent == nil: // paragraphs without headings are findings of their own
		return r.open(nil, s)
	case u.kind == row:
		g := r.open(r.of(s), nil)
		g.row = true
		return g
	case u.kind == prose && u.leads == nil && s.group != nil && says("begins", u.text):
		s.first = cmp.Or(s.first, s.group)
		s.group = r.open(s.first, s)
	}
	return r.of(s)
}

// of is the finding that a scope is.
func (r *reader) of(s *scope) *group {
	if s == nil {
		return nil
	}
	if s.group == nil {
		s.group = r.of(s.parent)
		if s.group == nil || s.level > 0 || s.lead == nil || r.separate(s) {
			s.group = r.open(s.group, s)
		}
	}
	return s.group
}

// separate reports whether an item is a finding of its own: not one that is a field of the
// finding above, nor a point below a point that says something itself.
func (r *reader) separate(s *scope) bool {
	if says("label", s.lead.text) {
		return false
	}
	if p := s.parent; p.level == 0 && p.lead != nil && p.lead.kind == prose {
		return introduces(p.lead.text)
	}
	g := s.parent.group
	return g == nil || g.bare || len(g.carriers()) == 0 || len(tracked(r.names.scan(s.lead.text))) > 0 || len(refs(s.lead.text, nil)) > 0
}

func (r *reader) open(up *group, s *scope) *group {
	g := &group{parent: up, scope: s}
	if up != nil {
		g.mark, g.severity = up.mark, up.severity
	}
	if s != nil {
		g.mark, g.severity = s.mark, cmp.Or(s.label, g.severity)
	}
	r.groups = append(r.groups, g)
	return g
}

// unit reads a block.
func (r *reader) unit(u *unit) {
	all := r.names.scan(u.text)
	if u.kind == quoted {
		for _, m := range tracked(all) {
			r.put(u, r.open(nil, u.scope), m, "", "quoted")
		}
		return
	}
	g := r.groupOf(u)
	up, numbers := g.parent, refs(u.text, all)
	for _, s := range sentences(u.text, all) {
		text, own := u.text[s[0]:s[1]], of(all, s)
		begins := u.kind == prose && s[0] > 0 && u.text[s[0]-1] == '\n' // a line of its own
		fresh := begins && len(own) > 0 && g.taken > 0 && says("starts", text)
		if fresh && (says("opens", u.text[s[0]:own[0].from]) || labelIn(text) != "") {
			g = r.open(up, nil)
		}
		r.sentence(u, g, s, own, numbers)
	}
	if len(g.hits) > mostHits && g.scope != nil { // a finding of so many places is several
		g.scope.group = nil
	}
}

// sentence decides on what one sentence names.
func (r *reader) sentence(u *unit, g *group, s [2]int, own []mention, numbers []mention) {
	text := u.text[s[0]:s[1]]
	at, _ := g.focus()
	led := at != g && at.bare
	var loose []lines
	for _, n := range numbers {
		if n.from >= s[0] && n.from < s[1] && !attach(u.text, own, n, led) {
			loose = append(loose, n.spans...)
		}
	}
	how := meant(spoken(u.text, s, own))
	if u.kind == heading {
		how = u.leads.mark
	}
	sev := labelIn(text)
	if sev != "" && (len(own) == 0 || s[0] == 0) {
		if g.severity == "" || len(g.hits) == 0 || len(strings.Fields(text)) < 5 {
			g.severity = sev
		}
	}
	lone, title, place := bare(u.text, s, own), u.kind == heading, says("field", text)
	g.closed = g.closed || says("closed", text)
	g.bare = g.bare || lone && u.leads != nil && !says("label", text)
	carries := len(tracked(own)) > 0 && (title || lone || place)
	g.count(how, carries || place || title || says("nothing", text))
	if len(own) == 0 || led && len(loose) > 0 {
		r.continued(u, g, s[0], sev, how, loose)
	}
	if len(own) > 0 {
		g.last = nil
		r.named(u, g, s, own, how, sev, carries)
	}
	g.lastMark = how
}

// named decides on the paths of a sentence, one after the other.
func (r *reader) named(u *unit, g *group, s [2]int, own []mention, how mark, sev Severity, carries bool) {
	prior, end := false, s[0]
	hows := parts(u.text, s, own, how)
	for i, m := range own {
		how := hows[i]
		lead, rest := u.text[end:m.from], u.text[m.to:s[1]]
		joined := i > 0 && !carries && own[i-1].path != "" && says("joins", lead)
		end = m.to
		if m.path == "" {
			if prior = false; len(g.hits) == 0 && (how == asks || how == plain) {
				g.taken++ // what the finding is about
			}
			continue
		}
		further := len(m.spans) > 0 && how == plain && !g.gives(m.path, true) && g.gives(m.path, false)
		off := r.left(g, how, lead, rest, i == 0, prior && joined || further, carries)
		switch {
		case off != "":
		case joined && !prior, carries && u.leads != nil && u.scope != nil && u.scope.names:
			off = "next to a file that is only mentioned, or listed under a named one"
		case m.command && !carries:
			off = "an argument of a command"
		case m.test && !carries && how != asks:
			off = "the name of a test"
		case within(u.text[s[0]:s[1]], m.from-s[0]):
			off = "quoted"
		}
		h := r.put(u, g, m, sev, off)
		h.carrier = carries
		g.last = append(g.last, h)
		prior = off == ""
	}
}

// left tells why a mention is not asked to change, "" when it is.
func (r *reader) left(g *group, how mark, lead, rest string, first, joined, carries bool) string {
	compared := says("before", lead) && !(says("sees", lead) && says("colon", rest)) // or referred to
	switch {
	case r.approved:
		return "the review approves"
	case g.mark == praises || g.mark == settles:
		return reasons[g.mark]
	case how == praises || how == settles || how == wonders && !(g.mark == asks && first):
		return reasons[how]
	case joined:
		return ""
	case !carries && compared || says("after", rest):
		return "only compared or referred to"
	case carries:
		return ""
	case how != asks && (how == aside || g.mark == aside || g.mark == plain && r.formal):
		return reasons[aside]
	case how == asks || first && len(g.carriers()) == 0 && says("opens", lead) || says("headed", lead):
		return ""
	case g.taken > 0 || !first:
		return "not the subject of the finding"
	}
	return ""
}

// put notes a place, once for each range of lines; it gives the last.
func (r *reader) put(u *unit, g *group, m mention, sev Severity, off string) *hit {
	var last *hit
	for _, s := range orWhole(m.spans) {
		last = &hit{path: m.path, span: s, severity: sev, line: u.line(m.from), off: off, group: g}
		if s == (lines{}) && g.gives(m.path, false) {
			last.leave("named above")
		}
		if last.off == "" {
			g.taken++
		}
		g.hits, r.hits = append(g.hits, last), append(r.hits, last)
	}
	return last
}

func orWhole(spans []lines) []lines {
	if len(spans) == 0 {
		return []lines{{}}
	}
	return spans
}

// continued reads a sentence that names no path: it speaks of the one that is named above.
func (r *reader) continued(u *unit, g *group, from int, sev Severity, how mark, loose []lines) {
	at, path := g.focus()
	here := len(loose) > 0
	switch {
	case !here && (u.kind == heading || strings.TrimSpace(u.text) == "" || g.spokenOf(u.text[from:], from, how)),
		path == "" || at == g && (!here || g.gives(path, true)),
		at != g && !here && (!at.bare || g.taken > 0):
		return
	}
	off := r.left(g, how, "", "", true, false, true)
	if how == aside {
		off = cmp.Or(off, reasons[aside])
	}
	h := r.put(u, g, mention{path: path, from: from, spans: loose}, sev, off)
	if h.carrier = at == g && h.off == ""; at != g {
		at.children++
	}
}

// spokenOf applies a sentence that names no path to the one before it: "Revert that
// file." asks for what was only mentioned, "Harmless." waives what was taken.
func (g *group) spokenOf(text string, from int, how mark) bool {
	last := g.last
	g.last = nil
	waives := (how == settles || how == praises && says("pronoun", text)) && g.lastMark != asks
	done := false
	for _, h := range last {
		if from == 0 { // it begins something new
			break
		}
		switch {
		case how == asks && !done && says("pointing", text) && (h.off == reasons[wonders] || h.off == reasons[aside]):
			h.off, done = "", true
			g.taken++
		case waives && h.off == "":
			h.off, done = reasons[settles], true
			g.taken--
		}
	}
	return done
}

// finish decides on the paths that say only where, and gives all places in order.
func (r *reader) finish() []Reason {
	for _, g := range r.groups {
		g.finish(r.formal)
	}
	slices.SortStableFunc(r.hits, func(a, b *hit) int { return a.line - b.line })
	out := make([]Reason, 0, len(r.hits))
	for _, h := range r.hits {
		p := Place{h.path, h.span.start, h.span.end, cmp.Or(h.severity, h.group.severity, Unlabelled)}
		out = append(out, Reason{p, h.line, h.off == "", cmp.Or(h.off, "asked to change")})
	}
	return out
}

func (g *group) finish(formal bool) {
	exact := map[string]bool{}
	for _, h := range g.hits {
		switch {
		case g.closed:
			h.leave(reasons[settles])
		case h.carrier && g.children > 0 && h.span == (lines{}):
			h.leave("the items below it count")
		case (h.carrier || g.row) && g.offs > 0 && g.asks+g.said == 0:
			h.leave(reasons[g.off])
		case h.carrier && g.asks == 0 && (g.mark == aside || g.mark == plain && formal):
			h.leave(reasons[aside])
		}
		exact[h.path] = exact[h.path] || h.off == "" && h.span != (lines{})
	}
	for _, h := range g.hits {
		if h.span == (lines{}) && exact[h.path] {
			h.leave("specific lines of it are named")
		}
	}
}
