package comment

import (
	"slices"
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
	children int  // findings below that speak of its carriers
	closed   bool // its state says so
	row      bool
	bare     bool   // it begins with nothing but a path: what stands below are findings
	last     []*hit // of the sentence before, which asked
	lastAsks bool
	goesOn   bool // the sentence before ended with a semicolon
	listOff  mark // how it was meant
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
	head     *group // a paragraph that is nothing but a path, of those that follow
}

// sections finds out how headings and introductions mean what stands below them.
func (r *reader) sections(d *document) {
	r.scopes = map[*scope]bool{}
	latest := r.latest(d)
	n := d.names
	quotes := 0
	for i, u := range d.units {
		if u.kind == quoted {
			quotes++
		}
		if s := u.leads; u.kind != heading && s != nil && s.lead == u {
			s.mark = r.introduced(u, n)
			inherit(s, u.text)
		}
		if u.kind != heading || u.leads == nil {
			if u.kind == prose && (verdictOf(u.text) || lgtm.MatchString(u.text) && (i == 0 || i == len(d.units)-1) && (u.scope == nil || u.scope.level == 1)) {
				r.approved = true
			}
			continue
		}
		s := u.leads
		s.mark = over(u.text)
		if u.table && s.mark != asks {
			s.mark = aside
			if remarks.MatchString(u.text) {
				s.mark = asks
			}
		}
		if m := rounds.FindStringSubmatch(u.text); m != nil && latest[s.level] != "" && m[1] != latest[s.level] {
			s.mark = settles
		}
		if s.level > 0 && (verdictOf(u.text) || lgtm.MatchString(u.text)) {
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

// introduced is how the words before a list, or the first of an item, mean what follows.
func (r *reader) introduced(u *unit, n *names) mark {
	if len(strings.Fields(u.text)) <= 7 {
		return over(u.text)
	}
	all := n.scan(u.text, nil)
	s := sentences(u.text, all)
	if len(s) == 0 || u.leads.parent == nil && u.leads.level == 0 && !introduces(u.text) {
		return plain
	}
	last := s[len(s)-1]
	if how := meant(spoken(u.text, last[0], last[1], of(all, last))); how == praises || how == settles {
		return how
	}
	return plain
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
	return false
}

// groupOf is the finding that a unit belongs to.
func (r *reader) groupOf(u *unit) *group {
	s := u.scope
	if u.leads != nil {
		s = u.leads
	}
	if s == nil || s.level == 1 && u.leads == nil && s.parent == nil { // paragraphs without headings are findings of their own
		if r.head != nil && r.head.scope != s {
			r.head = nil
		}
		return r.open(r.head, s)
	}
	if u.kind == row {
		g := r.open(r.of(u.scope), nil)
		g.row = true
		return g
	}
	if u.kind == prose && u.leads == nil && s.group != nil && begins.MatchString(u.text) {
		if s.first == nil {
			s.first = s.group
		}
		s.group = r.open(s.first, s)
	}
	return r.of(s)
}

var remarks = lazyregexp.New(`(?i)severity|priority|issue|problem|finding|fix|comment|gravidade|problema|severidad|coment[aá]rio|schwere|bemerkung|remarque|recommend|suggest|what|concern|defect|bug|remark|问题|建议|指摘|문제`)

var begins = lazyregexp.New(`^\s*(?:\*\*[^*\n]*\d[^*\n]*\*\*|\*\*[^*:\n]+\*\*\s*[^\s:：]|\*\*[^*\n]+\*\*\s*[—–-]|\d{1,3}[.)]\s|\[?[A-KM-Z][A-Z]{0,3}-?\d{1,3}[\])]?[ .:])`)

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
		return p == nil || p.group == nil || len(p.group.carriers) == 0 || p.group.bare || len(tracked(r.names.scan(s.lead.text, nil))) > 0 || len(refs(s.lead.text, nil)) > 0
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
func below(s *scope, x *Index) []string {
	var out []string
	dir := ""
	for n := 0; s != nil && n < 12; s, n = s.parent, n+1 {
		if s.lead == nil {
			continue
		}
		for _, t := range tokens(s.lead.text) {
			if d := strings.Trim(clean(t.text), "/"); d != "" && (strings.HasSuffix(t.text, "/") || x.dirs[d]) {
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
		for _, m := range tracked(r.names.scan(u.text, nil)) {
			r.put(u, r.open(nil, u.scope), m, 0, "", "quoted")
		}
		return
	}
	g := r.groupOf(u)
	if u.kind == heading && g.scope == u.leads && u.leads != nil && u.leads.mark > aside {
		g.mark = u.leads.mark
	}
	dirs := below(u.scope, r.index)
	all := r.names.scan(u.text, dirs)
	numbers := refs(u.text, all)
	if u.kind == prose && u.leads == nil && len(tracked(slices.Clone(all))) > 0 && bare(u.text, 0, len(u.text), all) && g.scope == u.scope && (u.scope == nil || u.scope.level == 1) {
		r.head, g.bare = g, true
	}
	up := g.parent
	for _, s := range sentences(u.text, all) {
		if u.leads == nil && u.kind == prose && g.scope != nil && g.scope.level > 0 && field.MatchString(u.text[s[0]:s[1]]) && len(g.carriers) > 0 && g.taken > 0 && g.mark == asks {
			g = r.open(g.parent, g.scope)
			g.scope.group = g
		}
		if own := of(all, s); s[0] > 0 && u.text[s[0]-1] == '\n' && len(own) > 0 && u.kind == prose && g.taken > 0 && (opens.MatchString(u.text[s[0]:own[0].from]) || labelIn(u.text[s[0]:s[1]]) != "") && starts.MatchString(u.text[s[0]:s[1]]) {
			g = r.open(up, nil)
		}
		r.sentence(u, g, s[0], s[1], all, numbers)
	}
}

// of gives the mentions in a sentence.
func of(all []mention, s [2]int) []mention {
	var own []mention
	for _, m := range all {
		if m.from >= s[0] && m.from < s[1] {
			own = append(own, m)
		}
	}
	return own
}

// sentence decides on what one sentence names.
func (r *reader) sentence(u *unit, g *group, from, to int, all []mention, numbers []lineRef) {
	text := u.text[from:to]
	own := of(all, [2]int{from, to})
	var loose []lineRef
	at, _ := g.focus()
	led := at != nil && at != g && at.bare
	for _, n := range numbers {
		if n.from >= from && n.from < to && !attach(u.text, own, n, led) {
			loose = append(loose, n)
		}
	}
	how := meant(spoken(u.text, from, to, own))
	if u.kind == heading {
		how = u.leads.markOr(plain)
	}
	sev := labelIn(text)
	if sev != "" && (g.severity == "" || len(g.hits) == 0 || len(strings.Fields(text)) < 5) && (len(own) == 0 || from == 0) {
		g.severity = sev
	}
	if how == plain && u.kind == prose && g.goesOn && (g.listOff == settles || g.listOff == aside) {
		how = g.listOff
	}
	g.goesOn, g.listOff = strings.HasSuffix(strings.TrimSpace(text), ";"), how
	if closed.MatchString(text) {
		g.closed = true
	}
	lone := len(own) > 0 && bare(u.text, from, to, own) && !label.MatchString(text)
	g.bare = g.bare || lone && (u.leads != nil || u.kind == heading)
	carries := len(tracked(slices.Clone(own))) > 0 && (u.kind == heading || bare(u.text, from, to, own) || field.MatchString(text))
	g.count(how, carries || field.MatchString(text) || u.kind == heading || strings.TrimSpace(text) == "" || nothing.MatchString(text))
	if len(own) == 0 {
		r.continued(u, g, from, sev, how, loose)
		return
	}
	if led && len(loose) > 0 {
		r.continued(u, g, from, sev, how, loose)
	}
	prior := false
	g.last = nil
	for i, m := range own {
		end := from
		if i > 0 {
			end = own[i-1].to
		}
		if m.path == "" {
			if prior = false; len(g.hits) == 0 && (how == asks || how == plain) {
				g.taken++ // what the finding is about
			}
			continue
		}
		lead, rest := u.text[end:m.from], u.text[m.to:to]
		how := how
		if len(own) > 1 || how == praises || how == settles {
			how = part(u.text, from, to, own, i, how)
		}
		off := r.left(g, how, lead, rest, i == 0, prior && joins.MatchString(lead) || g.about(m, how), carries)
		switch {
		case off != "":
		case lone && u.detail(r.names):
			off = "listed below what is named"
		case len(m.spans) == 0 && rules.MatchString(rest):
			off = reasons[aside]
		case m.command && !carries:
			off = "an argument of a command"
		case m.test && !carries && how != asks:
			off = "the name of a test"
		case within(u.text[from:to], m.from-from):
			off = "quoted"
		}
		if i > 0 && off == "" && !prior && own[i-1].path != "" && joins.MatchString(lead) && !carries {
			off = "beside what is only mentioned"
		}
		h := r.put(u, g, m, i, sev, off)
		h.carrier = carries
		if carries {
			g.carriers = append(g.carriers, h)
		}
		prior = off == ""
		g.last = append(g.last, h)
	}
	g.lastAsks = how == asks
}

// detail tells an item of a list whose introduction names what it is about.
func (u *unit) detail(n *names) bool {
	if u.leads == nil || u.leads.parent == nil || u.leads.parent.level > 0 || u.leads.parent.lead == nil || u.leads.parent.lead.kind != prose {
		return false
	}
	return len(tracked(n.scan(u.leads.parent.lead.text, nil))) > 0
}

// about tells that a mention gives more lines of what the finding is about.
func (g *group) about(m mention, how mark) bool {
	return len(m.spans) > 0 && how == plain && !g.settledLines(m.path) && g.known(m.path)
}

var headed = lazyregexp.New("\\*\\*\\s*[(\\[—–:-]*\\s*`?$")

var (
	sees  = lazyregexp.New("(?i)^\\W*see\\W*$")
	colon = lazyregexp.New("^[\"'`)\\]]*\\s*[:,—–]")
)

// within tells that an offset is in a quotation of several words.
func within(s string, at int) bool {
	if strings.Count(s[:at], "\"")%2 == 0 {
		return false
	}
	open := strings.LastIndex(s[:at], "\"")
	n := strings.Index(s[at:], "\"")
	return n >= 0 && len(strings.Fields(s[open:at+n])) > 4
}

func (s *scope) markOr(m mark) mark {
	if s == nil || s.mark == plain {
		return m
	}
	return s.mark
}

func (g *group) count(how mark, silent bool) {
	for n := 0; g != nil && n < 12; g, n = g.parent, n+1 {
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
		if len(g.carriers) > 0 {
			return
		}
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
	case !carries && before.MatchString(lead) && !(sees.MatchString(lead) && colon.MatchString(rest)) || after.MatchString(rest):
		return "compared with, or referred to"
	case carries:
		return ""
	case how == aside || (g.mark == aside || g.mark == plain && r.formal) && how != asks:
		return reasons[aside]
	case how == asks || first && len(g.carriers) == 0 && opens.MatchString(lead) || headed.MatchString(lead):
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
	if len(loose) == 0 && g.spokenOf(u, from, how) {
		return
	}
	if len(loose) == 0 && (how == asks || how == plain) && u.leads == nil && u.kind == prose {
		if from > 0 || len(g.hits) > 0 {
			return
		}
	}
	at, path := g.focus()
	if path == "" || at == g && (len(loose) == 0 || g.settledLines(path)) || at != g && len(loose) == 0 && !at.bare {
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
	h := r.put(u, g, m, 0, sev, off)
	if at != g {
		at.children++
	} else {
		h.carrier = h.off == ""
		for _, c := range g.carriers {
			if c.path == path && c.span == (lines{}) {
				c.off = "its lines are named below"
			}
		}
	}
}

// spokenOf applies a sentence that names no path to the one before it: "Revert that
// file." asks for what was only mentioned, "Harmless." waives what was taken.
func (g *group) spokenOf(u *unit, from int, how mark) bool {
	last := g.last
	g.last = nil
	if from == 0 || len(last) == 0 {
		return false
	}
	switch {
	case how == asks && pointing.MatchString(u.text[from:]):
		for _, h := range last {
			if h.off == reasons[wonders] || h.off == reasons[aside] {
				h.off = ""
				g.taken++
				return true
			}
		}
	case (how == settles || how == praises && pronoun.MatchString(u.text[from:])) && !g.lastAsks:
		for _, h := range last {
			if h.off == "" {
				h.off = reasons[settles]
				g.taken--
			}
		}
		return true
	}
	return false
}

var (
	closed   = lazyregexp.New(`(?i)^[\s*_-]*(?:status|state|resolution)[*_]*\W{1,6}(?:already )?(?:resolved|fixed|done|closed|deferred|accepted|dismissed|won'?t ?fix|wontfix|addressed|completed?|verified|✅|☑|✔|yes|n/a)`)
	pronoun  = lazyregexp.New(`(?i)^\W*(?:they|it|that|this|these|those|both)\b`)
	pointing = lazyregexp.New(`(?i)^\W*(?:[^i.!?]|i[^f.!?])[^.!?]{0,60}\b(?:it|them|that|this|these|those|both|the file)\b`)
)

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
			case g.closed:
			case g.children > 0 && c.span == (lines{}):
				c.off = "what stands below it is what counts"
			case g.offs > 0 && g.asks+g.says == 0:
				c.off = reasons[g.off]
			case g.asks == 0 && (g.mark == aside || g.mark == plain && r.formal):
				c.off = reasons[aside]
			}
		}
		for _, h := range g.hits {
			if g.closed && h.off == "" {
				h.off = reasons[settles]
			}
		}
		if g.row && g.offs > 0 && g.asks+g.says == 0 {
			for _, h := range g.hits {
				if h.off == "" {
					h.off = reasons[g.off]
				}
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
