package comment

import (
	"cmp"
	"slices"
	"strings"
)

// namedPlace is a place that the text names, until it is decided.
type namedPlace struct {
	path       string
	span       lineRange
	severity   Severity
	line       int
	skipReason string // why it is not taken; "" if it is taken
	isAnchor   bool   // it only says where; the text around it says what to change
	finding    *finding
}

func (h *namedPlace) skip(why string) { h.skipReason = cmp.Or(h.skipReason, why) }

// finding is the part of a review about one subject.
type finding struct {
	parent               *finding
	scope                *scope
	severity             Severity
	stance               stance // of its scope
	hits                 []*namedPlace
	requests, statements int // number of sentences that ask, and of plain ones
	dismissals           int
	dismissal            stance // stance of the last dismissal
	taken                int
	children             int           // number of nested findings about its anchors
	isClosed             bool          // it has a closed status
	isRow, isPathOnly    bool          // isRow: a table row; isPathOnly: only a path, the findings are below it
	lastHits             []*namedPlace // of the previous sentence
	lastStance           stance
}

func (g *finding) anchors() []*namedPlace {
	return slices.DeleteFunc(slices.Clone(g.hits), func(h *namedPlace) bool { return !h.isAnchor })
}

// hasTaken reports whether the finding has taken a path; exactly: whether an anchor has lines of
// the path.
func (g *finding) hasTaken(path string, exactly bool) bool {
	return slices.ContainsFunc(g.hits, func(h *namedPlace) bool {
		if exactly {
			return h.path == path && h.isAnchor && h.span != (lineRange{})
		}
		return h.path == path && h.skipReason == ""
	})
}

// subjectPath returns the path that a finding is about, and the finding that names it.
func (g *finding) subjectPath() (*finding, string) {
	for at, n := g, 0; at != nil && n < 12; at, n = at.parent, n+1 {
		for _, h := range slices.Backward(at.hits) {
			if h.isAnchor || at == g {
				return at, h.path
			}
		}
	}
	return g, ""
}

// countStance counts the stance of a sentence for its finding and the parents up to the first with
// an anchor.
func (g *finding) countStance(how stance, silent bool) {
	for n := 0; g != nil && n < 12; g, n = g.parent, n+1 {
		switch {
		case how == stanceSettles || how == stancePraises:
			g.dismissals, g.dismissal = g.dismissals+1, how
		case how == stanceAsks && !silent:
			g.requests++
		case how == stancePlain && !silent:
			g.statements++
		}
		if len(g.anchors()) > 0 {
			return
		}
	}
}

// reader is the state of reading one review.
type reader struct {
	resolver    *resolver
	approved    bool
	headingsAsk bool // headings mark the sections that ask
	findings    []*finding
	hits        []*namedPlace
	blocks      []pastedBlock
}

// readSections sets the stance and the label of each scope.
func (r *reader) readSections(d *document) {
	latest := 0
	for _, u := range d.units {
		latest = max(latest, roundNumber(u))
	}
	for i, u := range d.units {
		alone := (i == 0 || i == len(d.units)-1 || u.kind == heading) && hasCue("lgtm", u.text)
		top := u.scope == nil || u.scope.level == 1
		if m := cue("verdict").FindStringSubmatch(u.text); u.kind <= heading && (m != nil && !hasCue("limited", m[1]) || alone && top) {
			r.approved = true
		}
		s := u.introduces
		if s == nil {
			continue
		}
		s.stance, s.label = r.introStance(u), sentenceLabel(u.text)
		s.namesPath = u.kind == prose && len(trackedMentions(r.resolver.findMentions(u.text))) > 0
		if n := roundNumber(u); n > 0 && n < latest {
			s.stance = stanceSettles
		}
		r.headingsAsk = r.headingsAsk || s.stance == stanceAsks && s.level > 1
		if s.parent != nil { // it inherits from its parent unless it has a stance or a label
			above := s.parent.stance
			s.label = cmp.Or(s.label, s.parent.label)
			if s.stance == stancePlain || above == stancePraises || above == stanceSettles {
				s.stance = above
			}
		}
	}
}

// roundNumber returns the round of review that a heading below the title numbers; 0 for none.
func roundNumber(u *unit) int {
	if m := cue("rounds").FindStringSubmatch(u.text); m != nil && u.kind == heading && u.introduces.level > 1 {
		return parseSpans("1"+m[1], "", "")[0].start
	}
	return 0
}

// introStance returns the stance of a heading, a table header, the text before a list, or the first
// text of an item for what follows.
func (r *reader) introStance(u *unit) stance {
	how := headingStance(u.text)
	switch {
	case u.kind == columns && hasCue("remarks", u.text):
		return stanceAsks
	case u.kind == columns:
		return stanceAside
	case u.kind == heading && u.introduces.level == 1 && u.scope == nil && how == stanceAside: // the title
		return stancePlain
	case u.kind == heading || len(strings.Fields(u.text)) <= 7:
		return how
	}
	all := r.resolver.findMentions(u.text)
	for _, s := range splitSentences(u.text, all) { // the last counts
		how = sentenceStance(cueWords(u.text, s, mentionsIn(all, s)))
	}
	if how == stancePraises || how == stanceSettles {
		return how
	}
	return stancePlain
}

// findingOf returns the finding that a unit belongs to.
func (r *reader) findingOf(u *unit) *finding {
	s := cmp.Or(u.introduces, u.scope)
	switch {
	case s == nil || s.level == 1 && u.introduces == nil && s.parent == nil: // paragraphs without headings are separate findings
		return r.openFinding(nil, s)
	case u.kind == row:
		g := r.openFinding(r.scopeFinding(s), nil)
		g.isRow = true
		return g
	}
	return r.scopeFinding(s)
}

// scopeFinding returns the finding of a scope, which it opens if needed.
func (r *reader) scopeFinding(s *scope) *finding {
	if s == nil {
		return nil
	}
	if s.finding == nil {
		s.finding = r.scopeFinding(s.parent)
		s.finding = r.openFinding(s.finding, s)
	}
	return s.finding
}

func (r *reader) openFinding(up *finding, s *scope) *finding {
	g := &finding{parent: up, scope: s}
	if up != nil {
		g.stance, g.severity = up.stance, up.severity
	}
	if s != nil {
		g.stance, g.severity = s.stance, cmp.Or(s.label, g.severity)
	}
	r.findings = append(r.findings, g)
	return g
}

// readUnit reads a block.
func (r *reader) readUnit(u *unit) {
	all := r.resolver.findMentions(u.text)
	if u.kind == quoted {
		for _, m := range trackedMentions(all) {
			r.addHits(u, r.openFinding(nil, u.scope), m, "", "quoted")
		}
		return
	}
	g := r.findingOf(u)
	up, numbers := g.parent, findLineRefs(u.text, all)
	for _, s := range splitSentences(u.text, all) {
		text, own := u.text[s[0]:s[1]], mentionsIn(all, s)
		begins := u.kind == prose && s[0] > 0 && u.text[s[0]-1] == '\n' // the sentence begins a line
		fresh := begins && len(own) > 0 && g.taken > 0 && hasCue("starts", text)
		if fresh && (hasCue("opens", u.text[s[0]:own[0].from]) || sentenceLabel(text) != "") {
			g = r.openFinding(up, nil)
		}
		r.readSentence(u, g, s, own, numbers)
	}
	if len(g.hits) > maxHits && g.scope != nil { // too many places for one finding
		g.scope.finding = nil
	}
}

// readSentence decides on the places in a sentence.
func (r *reader) readSentence(u *unit, g *finding, s [2]int, own []mention, numbers []mention) {
	text := u.text[s[0]:s[1]]
	var loose []lineRange
	for _, n := range numbers {
		if n.from >= s[0] && n.from < s[1] && !attachLines(u.text, own, n) {
			loose = append(loose, n.spans...)
		}
	}
	how := sentenceStance(cueWords(u.text, s, own))
	if u.kind == heading {
		how = u.introduces.stance
	}
	sev := sentenceLabel(text)
	if sev != "" && (len(own) == 0 || s[0] == 0) {
		if g.severity == "" || len(g.hits) == 0 || len(strings.Fields(text)) < 5 {
			g.severity = sev
		}
	}
	lone, title, place := isOnlyPaths(u.text, s, own), u.kind == heading, hasCue("field", text)
	g.isClosed = g.isClosed || hasCue("closed", text)
	g.isPathOnly = g.isPathOnly || lone && u.introduces != nil && !hasCue("label", text)
	carries := len(trackedMentions(own)) > 0 && (title || lone || place)
	g.countStance(how, carries || place || title || hasCue("nothing", text))
	if len(own) == 0 {
		r.readContinuation(u, g, s[0], sev, how, loose)
	}
	if len(own) > 0 {
		g.lastHits = nil
		r.decideNamed(u, g, s, own, how, sev, carries)
	}
	g.lastStance = how
}

// decideNamed decides on each path in a sentence.
func (r *reader) decideNamed(u *unit, g *finding, s [2]int, own []mention, how stance, sev Severity, carries bool) {
	prior, end := false, s[0]
	hows := partStances(u.text, s, own, how)
	for i, m := range own {
		how := hows[i]
		lead, rest := u.text[end:m.from], u.text[m.to:s[1]]
		joined := i > 0 && !carries && own[i-1].path != "" && hasCue("joins", lead)
		end = m.to
		if m.path == "" {
			if prior = false; len(g.hits) == 0 && (how == stanceAsks || how == stancePlain) {
				g.taken++ // the file is the subject, although it is untracked
			}
			continue
		}
		off := r.skipReason(g, how, lead, rest, i == 0, prior && joined, carries)
		switch {
		case off != "":
		case joined && !prior, carries && u.introduces != nil && u.scope != nil && u.scope.namesPath:
			off = "next to a file that is only mentioned, or listed under a named one"
		case m.isArgument && !carries:
			off = "an argument of a command, or the name of a test"
		}
		h := r.addHits(u, g, m, sev, off)
		h.isAnchor = carries
		g.lastHits = append(g.lastHits, h)
		prior = off == ""
	}
}

// skipReason returns why a mention does not ask for a change, "" if it does.
func (r *reader) skipReason(g *finding, how stance, lead, rest string, first, joined, carries bool) string {
	compared := hasCue("before", lead) && !(hasCue("sees", lead) && hasCue("colon", rest)) // or referred to
	switch {
	case r.approved:
		return "the review approves"
	case g.stance == stancePraises || g.stance == stanceSettles:
		return reasons[g.stance]
	case how == stancePraises || how == stanceSettles || how == stanceWonders && !(g.stance == stanceAsks && first):
		return reasons[how]
	case joined:
		return ""
	case !carries && compared || hasCue("after", rest):
		return "only compared or referred to"
	case carries:
		return ""
	case how != stanceAsks && (how == stanceAside || g.stance == stanceAside || g.stance == stancePlain && r.headingsAsk):
		return reasons[stanceAside]
	case how == stanceAsks || first && len(g.anchors()) == 0 && hasCue("opens", lead) || hasCue("headed", lead):
		return ""
	case g.taken > 0 || !first:
		return "not the subject of the finding"
	}
	return ""
}

// addHits adds a place for each range of lines and returns the last one.
func (r *reader) addHits(u *unit, g *finding, m mention, sev Severity, off string) *namedPlace {
	var last *namedPlace
	for _, s := range orWholeFile(m.spans) {
		last = &namedPlace{path: m.path, span: s, severity: sev, line: u.line(m.from), skipReason: off, finding: g}
		if s == (lineRange{}) && g.hasTaken(m.path, false) {
			last.skip("named above")
		}
		if last.skipReason == "" {
			g.taken++
		}
		g.hits, r.hits = append(g.hits, last), append(r.hits, last)
	}
	return last
}

func orWholeFile(spans []lineRange) []lineRange {
	if len(spans) == 0 {
		return []lineRange{{}}
	}
	return spans
}

// readContinuation reads a sentence without a path, which is about the path named before.
func (r *reader) readContinuation(u *unit, g *finding, from int, sev Severity, how stance, loose []lineRange) {
	at, path := g.subjectPath()
	here := len(loose) > 0
	switch {
	case !here && (u.kind == heading || strings.TrimSpace(u.text) == "" || g.applyToLast(u.text[from:], from, how)),
		path == "" || at == g && (!here || g.hasTaken(path, true)),
		at != g && !here && (!at.isPathOnly || g.taken > 0):
		return
	}
	off := r.skipReason(g, how, "", "", true, false, true)
	h := r.addHits(u, g, mention{path: path, from: from, spans: loose}, sev, off)
	if h.isAnchor = at == g && h.skipReason == ""; at != g {
		at.children++
	}
}

// applyToLast applies a sentence without a path to the previous one: "Revert that file." asks for
// what was only mentioned, "Harmless." withdraws what was taken.
func (g *finding) applyToLast(text string, from int, how stance) bool {
	last := g.lastHits
	g.lastHits = nil
	waives := (how == stanceSettles || how == stancePraises && hasCue("pronoun", text)) && g.lastStance != stanceAsks
	done := false
	for _, h := range last {
		if from == 0 { // the sentence begins the unit: a new subject
			break
		}
		switch {
		case how == stanceAsks && !done && hasCue("pointing", text) &&
			(h.skipReason == reasons[stanceWonders] || h.skipReason == reasons[stanceAside]):
			h.skipReason, done = "", true
			g.taken++
		case waives && h.skipReason == "":
			h.skipReason, done = reasons[stanceSettles], true
			g.taken--
		}
	}
	return done
}

// finish decides on anchors and returns all places in order.
func (r *reader) finish() []Reason {
	for _, g := range r.findings {
		g.finish(r.headingsAsk)
	}
	slices.SortStableFunc(r.hits, func(a, b *namedPlace) int { return a.line - b.line })
	out := make([]Reason, 0, len(r.hits))
	for _, h := range r.hits {
		p := Place{h.path, h.span.start, h.span.end, cmp.Or(h.severity, h.finding.severity, Unlabelled)}
		out = append(out, Reason{p, h.line, h.skipReason == "", cmp.Or(h.skipReason, "asked to change")})
	}
	return out
}

func (g *finding) finish(formal bool) {
	exact := map[string]bool{}
	for _, h := range g.hits {
		switch {
		case g.isClosed:
			h.skip(reasons[stanceSettles])
		case h.isAnchor && g.children > 0 && h.span == (lineRange{}):
			h.skip("the items below it count")
		case (h.isAnchor || g.isRow) && g.dismissals > 0 && g.requests+g.statements == 0:
			h.skip(reasons[g.dismissal])
		case h.isAnchor && g.requests == 0 && (g.stance == stanceAside || g.stance == stancePlain && formal):
			h.skip(reasons[stanceAside])
		}
		exact[h.path] = exact[h.path] || h.skipReason == "" && h.span != (lineRange{})
	}
	for _, h := range g.hits {
		if h.span == (lineRange{}) && exact[h.path] {
			h.skip("specific lines of it are named")
		}
	}
}
