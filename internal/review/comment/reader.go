package comment

import (
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// hit is a place that the text names, on its way to a decision.
type hit struct {
	path     string
	span     lines
	severity Severity
	line     int
	order    int
	off      string // why it is left; "" when it is taken
	why      string
	carrier  bool // it says where, and the words around it say what
	question bool // it was asked about, not yet asked for
	group    *group
}

// group is a finding: what is said together about one thing.
type group struct {
	parent   *group
	scope    *scope
	severity Severity
	mark     mark // of what it stands under
	hits     []*hit
	carriers []*hit
	asks     int // sentences that ask, and that say something
	says     int
	offs     int
	off      mark
	taken    int
	children int // findings below that speak of its carriers
	settled  bool
}

// reader is one reading of one review.
type reader struct {
	index    *Index
	names    *names
	approved bool
	formal   bool // headings say what asks
	groups   []*group
	hits     []*hit
	severity Severity // "only nits from me"
	scopes   map[*scope]bool
	order    int
	blocks   []block
}

// sections finds out how headings and introductions mean what stands below them.
func (r *reader) sections(d *document) {
	r.scopes = map[*scope]bool{}
	latest := r.latest(d)
	quotes := 0
	for _, u := range d.units {
		if u.kind == quoted {
			quotes++
		}
		if u.kind != heading || u.leads == nil {
			if u.kind == prose && (verdictOf(u.text)) {
				r.approved = true
			}
			continue
		}
		s := u.leads
		s.mark = over(u.text)
		if m := rounds.FindStringSubmatch(u.text); m != nil && latest[s.level] != "" && m[1] != latest[s.level] {
			s.mark = settles
		}
		if s.level > 0 && verdictOf(u.text) {
			r.approved = true
		}
		if s.level == 1 && s.parent == nil && s.mark == aside {
			s.mark = plain
		}
		r.formal = r.formal || s.mark == asks && s.level > 1
		inherit(s, u.text)
	}
	if quotes*2 > len(d.units) { // a review that is sent as a quotation
		for _, u := range d.units {
			if u.kind == quoted {
				u.kind = prose
			}
		}
	}
}

// inherit lets a heading take what stands above it, unless it says otherwise.
func inherit(s *scope, text string) {
	if s.parent == nil {
		return
	}
	above := s.parent.mark
	switch {
	case (above == praises || above == settles) && !(s.mark == asks && strongest.MatchString(text)):
		s.mark = above
	case s.mark == plain:
		s.mark = above
	}
}

// latest is the number of the last round at each level of headings that counts rounds.
func (r *reader) latest(d *document) map[int]string {
	out, seen := map[int]string{}, map[int]int{}
	for _, u := range d.units {
		if u.kind != heading || u.leads == nil || u.leads.level < 2 {
			continue
		}
		if m := rounds.FindStringSubmatch(u.text); m != nil {
			seen[u.leads.level]++
			if n, old := m[1], out[u.leads.level]; len(n) > len(old) || len(n) == len(old) && n > old {
				out[u.leads.level] = n
			}
		}
	}
	for level, n := range seen {
		if n < 2 {
			delete(out, level)
		}
	}
	return out
}

// verdictOf tells that a line approves the work as a whole, with no condition.
func verdictOf(s string) bool {
	if m := verdict.FindStringSubmatch(s); m != nil {
		return !limited.MatchString(m[1])
	}
	return lgtm.MatchString(s)
}

// groupOf is the finding that a unit belongs to.
func (r *reader) groupOf(u *unit) *group {
	s := u.scope
	if u.leads != nil {
		s = u.leads
	}
	if s == nil || s.level == 1 && u.leads == nil && s.parent == nil { // paragraphs without headings are findings of their own
		return r.open(nil, s)
	}
	if u.kind == row {
		return r.open(r.of(u.scope), nil)
	}
	if u.kind == prose && u.leads == nil && s.group != nil && begins.MatchString(u.text) {
		s.group = r.open(r.of(s.parent), s)
	}
	return r.of(s)
}

var begins = lazyregexp.New(`^\s*(?:\*\*[^*:\n]+\*\*|\*\*[^*\n]+\*\*\s*[—–-]|\d{1,3}[.)]\s|\[?[A-Z]{1,4}-?\d{1,3}[\])]?[ .:])`)

// of is the finding that a scope is.
func (r *reader) of(s *scope) *group {
	if s == nil {
		return nil
	}
	if s.group == nil {
		up := r.of(s.parent)
		if s.level == 0 && s.lead != nil && s.parent != nil && !r.separate(s) {
			s.group = up
		}
		if s.group == nil {
			s.group = r.open(up, s)
		}
	}
	return s.group
}

// separate tells whether an item is a finding of its own: not one that is a field of the
// finding above, nor a point below a point that says something itself.
func (r *reader) separate(s *scope) bool {
	if label.MatchString(s.lead.text) {
		return false
	}
	p := s.parent
	if p == nil || p.level > 0 || p.lead == nil || p.lead.kind == heading {
		return p == nil || p.group == nil || len(p.group.carriers) == 0 || len(r.names.scan(s.lead.text, nil)) > 0 || len(refs(s.lead.text, nil)) > 0
	}
	return introduces(p.lead.text)
}

func (r *reader) open(up *group, s *scope) *group {
	g := &group{parent: up, scope: s}
	if up != nil {
		g.severity = up.severity
	}
	for p := s; p != nil; p = p.parent {
		if p.lead == nil {
			continue
		}
		if g.mark == plain {
			g.mark = p.mark
		}
		if sev := labelOver(p.lead.text); sev != "" {
			g.severity = sev
			break
		}
	}
	if s == nil && up != nil {
		g.mark = up.mark
	}
	r.groups = append(r.groups, g)
	return g
}

// below are the folders that the lists and headings above name.
func below(s *scope) []string {
	var out []string
	dir := ""
	for n := 0; s != nil && n < 12; s, n = s.parent, n+1 {
		if s.lead == nil {
			continue
		}
		for _, t := range tokens(s.lead.text) {
			if d := strings.Trim(clean(t.text), "/"); strings.HasSuffix(t.text, "/") && d != "" {
				if dir != "" {
					out = append(out, d+"/"+dir)
					d += "/" + dir
				}
				dir = d
				out = append(out, d)
				break
			}
		}
	}
	for i, k := 0, len(out)-1; i < k; i, k = i+1, k-1 { // the longest first
		out[i], out[k] = out[k], out[i]
	}
	return out
}

// unit reads a block.
func (r *reader) unit(u *unit) {
	if u.kind == quoted {
		for _, m := range r.names.scan(u.text, nil) {
			r.put(u, r.open(nil, u.scope), m, 0, "", "quoted")
		}
		return
	}
	g := r.groupOf(u)
	if u.kind == heading && g.scope == u.leads && u.leads != nil && u.leads.mark > aside {
		g.mark = u.leads.mark
	}
	dirs := below(u.scope)
	all := r.names.scan(u.text, dirs)
	numbers := refs(u.text, all)
	for _, s := range sentences(u.text, all) {
		if u.leads == nil && u.kind == prose && g.scope != nil && g.scope.level > 0 && field.MatchString(u.text[s[0]:s[1]]) && len(g.carriers) > 0 && g.taken > 0 && g.mark == asks {
			g = r.open(g.parent, g.scope)
			g.scope.group = g
		}
		r.sentence(u, g, s[0], s[1], all, numbers)
	}
}

// sentence decides on what one sentence names.
func (r *reader) sentence(u *unit, g *group, from, to int, all []mention, numbers []lineRef) {
	text := u.text[from:to]
	var own []mention
	for _, m := range all {
		if m.from >= from && m.from < to {
			own = append(own, m)
		}
	}
	var loose []lineRef
	for _, n := range numbers {
		if n.from >= from && n.from < to && !attach(u.text, own, n, from) {
			loose = append(loose, n)
		}
	}
	sev := labelIn(text)
	if sev != "" && rank[sev] > rank[g.severity] || g.taken == 0 && sev != "" {
		g.severity = sev
	}
	how := meant(masked(u.text, from, to, own))
	if u.kind == heading {
		how = u.leads.markOr(plain)
	}
	carries := len(own) > 0 && (u.kind == heading || bare(u.text, from, to, own) || field.MatchString(text))
	g.count(how, carries || u.kind == heading || strings.TrimSpace(text) == "" || nothing.MatchString(text))
	if len(own) == 0 {
		r.continued(u, g, from, sev, how, loose)
		return
	}
	prior := false
	for i, m := range own {
		end := from
		if i > 0 {
			end = own[i-1].to
		}
		lead, rest := u.text[end:m.from], u.text[m.to:to]
		off := r.left(g, how, lead, rest, i == 0, prior && joins.MatchString(lead), carries)
		if i > 0 && off == "" && !prior && joins.MatchString(lead) && !carries {
			off = "beside what is only mentioned"
		}
		h := r.put(u, g, m, i, sev, off)
		h.carrier = carries
		h.question = how == wonders
		if carries {
			g.carriers = append(g.carriers, h)
		}
		prior = off == ""
	}
}

func (s *scope) markOr(m mark) mark {
	if s == nil || s.mark == plain {
		return m
	}
	return s.mark
}

func (g *group) count(how mark, silent bool) {
	switch {
	case how == settles || how == praises:
		g.offs++
		g.off = how
	case silent:
	case how == asks:
		g.asks++
	case how == plain:
		g.says++
	}
}

// left tells why a mention is not asked to change, "" when it is.
func (r *reader) left(g *group, how mark, lead, rest string, first, joined, carries bool) string {
	switch {
	case r.approved:
		return "the review approves"
	case g.mark == praises || g.mark == settles:
		return "stands under what is " + map[mark]string{praises: "found good", settles: "settled"}[g.mark]
	case how == praises || how == settles || how == wonders && !(g.mark == asks && first):
		return reasons[how]
	case joined:
		return ""
	case !carries && before.MatchString(lead) || after.MatchString(rest):
		return "compared with, or referred to"
	case carries:
		return ""
	case how == aside || (g.mark == aside || g.mark == plain && r.formal) && how != asks:
		return reasons[aside]
	case how == asks || first && opens.MatchString(lead):
		return ""
	case g.taken > 0 || !first:
		return "named beside what the finding is about"
	}
	return ""
}

// put notes a place, once for each range of lines.
func (r *reader) put(u *unit, g *group, m mention, _ int, sev Severity, off string) *hit {
	spans := m.spans
	if len(spans) == 0 {
		spans = []lines{{}}
	}
	var last *hit
	for _, s := range spans {
		r.order++
		last = &hit{path: m.path, span: s, severity: sev, line: u.line(m.from), order: r.order, off: off, group: g}
		if known := g.known(m.path); known && s == (lines{}) && off == "" {
			last.off = "named above"
		}
		g.hits = append(g.hits, last)
		r.hits = append(r.hits, last)
		if last.off == "" {
			g.taken++
		}
	}
	return last
}

// known tells that a finding has taken a path.
func (g *group) known(path string) bool {
	for _, h := range g.hits {
		if h.path == path && h.off == "" {
			return true
		}
	}
	return false
}

// continued reads a sentence that names no path: it speaks of the one that is named above.
func (r *reader) continued(u *unit, g *group, from int, sev Severity, how mark, loose []lineRef) {
	if u.kind == heading && len(loose) == 0 {
		return
	}
	for _, h := range g.hits {
		if h.question && how == asks && h.off == reasons[wonders] {
			h.off = ""
			g.taken++
			return
		}
	}
	if len(loose) == 0 && (how == asks || how == plain) && u.leads == nil && u.kind == prose {
		if from > 0 || len(g.hits) > 0 {
			return
		}
	}
	at, path := g.focus()
	if path == "" || at == g && (len(loose) == 0 || g.settledLines(path)) {
		return
	}
	off := r.left(g, how, "", "", true, false, true)
	if off == "" && how == aside {
		off = reasons[aside]
	}
	m := mention{path: path, from: from}
	for _, n := range loose {
		m.spans = append(m.spans, n.spans...)
	}
	if strings.TrimSpace(u.text) == "" || at != g && g.taken > 0 && len(m.spans) == 0 {
		return
	}
	r.put(u, g, m, 0, sev, off)
	if at != g {
		at.children++
	} else {
		for _, c := range g.carriers {
			if c.path == path && c.span == (lines{}) {
				c.off = "its lines are named below"
			}
		}
	}
}

// focus is the path that the words of a finding are about, and the finding that names it.
func (g *group) focus() (*group, string) {
	for at, n := g, 0; at != nil && n < 12; at, n = at.parent, n+1 {
		path := ""
		for _, h := range at.hits {
			if h.carrier || at == g {
				path = h.path
			}
		}
		if path != "" {
			return at, path
		}
	}
	return nil, ""
}

// settledLines tells that a finding gives lines of a path already.
func (g *group) settledLines(path string) bool {
	for _, c := range g.hits {
		if c.path == path && c.carrier && c.span != (lines{}) {
			return true
		}
	}
	return false
}

// finish decides on the paths that say only where.
func (r *reader) finish() {
	for _, g := range r.groups {
		for _, c := range g.carriers {
			switch {
			case c.off != "":
			case g.children > 0 && c.span == (lines{}):
				c.off = "what stands below it is what counts"
			case g.offs > 0 && g.asks+g.says == 0:
				c.off = reasons[g.off]
			case g.asks == 0 && (g.mark == aside || g.mark == plain && r.formal):
				c.off = reasons[aside]
			}
		}
		g.narrow()
	}
	sort.SliceStable(r.hits, func(i, k int) bool { return r.hits[i].line < r.hits[k].line })
}

// narrow leaves a file as a whole where the same finding names its lines.
func (g *group) narrow() {
	exact := map[string]bool{}
	for _, h := range g.hits {
		if h.off == "" && h.span != (lines{}) {
			exact[h.path] = true
		}
	}
	for _, h := range g.hits {
		if h.off == "" && h.span == (lines{}) && exact[h.path] {
			h.off = "its lines are named beside it"
		}
	}
}

func (r *reader) reasons() []Reason {
	out := make([]Reason, 0, len(r.hits))
	for _, h := range r.hits {
		sev := h.severity
		for g := h.group; sev == "" && g != nil; g = g.parent {
			sev = g.severity
		}
		if sev == "" {
			sev = r.severity
		}
		if sev == "" {
			sev = Unlabelled
		}
		why := h.off
		if why == "" {
			why = "asked to change"
		}
		out = append(out, Reason{Place{h.path, h.span.start, h.span.end, sev}, h.line, h.off == "", why})
	}
	return out
}
