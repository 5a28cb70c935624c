package mine

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/output"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
)

// pasted is a place in pasted output, with the tracked file it means.
type pasted struct {
	output.Place
	path string
}

// prepare reads every unit once, so that a name can be explained by what comes later.
func (mn *miner) prepare() {
	file := ""
	for i, u := range mn.units {
		mn.scopes[i].finding = mn.findingOf(i)
		if u.Kind == prose.Para && output.Pasted(u.Text) {
			mn.units[i].Kind = prose.Code
			u.Kind = prose.Code
		}
		if u.Kind == prose.Code || u.Kind == prose.Quote {
			var places []output.Place
			places, file = output.Read(u.Text, file)
			mn.pasted(i, places)
			if u.Kind == prose.Quote && len(places) == 0 {
				mn.quotation(i)
			}
			continue
		}
		mn.toks[i] = talk.Scan(mn.Reader, u.Text)
		clue.RoleNames(mn.Reader, mn.toks[i])
		for _, t := range mn.toks[i] {
			if t.M != nil {
				mn.note(i, t.M)
			}
		}
	}
}

// note keeps what a mention settles for others.
func (mn *miner) note(i int, m *spot.Mention) {
	if len(m.Cands) == 1 && !m.Soft {
		mn.say(i, m.Cands[0])
	}
	if m.Fresh && strings.Contains(m.Spelled, "/") {
		mn.keepRaw(m.Spelled)
	}
}

func (mn *miner) keepRaw(p string) {
	base := path.Base(p)
	if mn.raw[base] == nil {
		mn.raw[base] = map[string]bool{}
	}
	mn.raw[base][p] = true
}

func (mn *miner) say(i int, p string) {
	mn.said[p] = true
	f := mn.scopes[i].finding
	if mn.inOne[f] == nil {
		mn.inOne[f] = map[string]bool{}
	}
	mn.inOne[f][p] = true
}

func (mn *miner) pasted(i int, places []output.Place) {
	for _, p := range places {
		found := mn.X.Find(p.Path)
		switch {
		case len(found) == 1:
			mn.say(i, found[0])
			mn.places[i] = append(mn.places[i], pasted{p, found[0]})
		case len(found) == 0 && (p.Kind == output.Listed || p.Kind == output.Hunk):
			clean := names.Clean(p.Path)
			if strings.Contains(clean, "/") {
				mn.keepRaw(clean)
			}
		case len(found) > 1:
			mn.places[i] = append(mn.places[i], pasted{p, ""})
		}
	}
	for n, p := range mn.places[i] { // a bare name in a trace, explained by the rest
		if p.path == "" {
			mn.places[i][n].path = mn.one(mn.X.Find(p.Path), i)
		}
	}
}

// findingOf is the unit that opens the finding a unit belongs to: the outermost item, or
// the heading.
func (mn *miner) findingOf(i int) int {
	u := mn.units[i]
	if u.Parent == prose.None {
		if u.Kind == prose.Item || u.Kind == prose.Row {
			return i
		}
		return prose.None
	}
	p := mn.units[u.Parent]
	if p.Kind == prose.Heading {
		if u.Kind == prose.Item || u.Kind == prose.Row {
			return i
		}
		return u.Parent
	}
	return mn.scopes[u.Parent].finding
}

// quotation reads what somebody is answered to: its names wait for the answer.
func (mn *miner) quotation(i int) {
	toks := talk.Scan(mn.Reader, mn.units[i].Text)
	for n, t := range toks {
		if t.M == nil || t.M.Soft || t.M.Dir != "" {
			continue
		}
		mn.note(i, t.M)
		spans := t.M.Spans
		if len(spans) == 0 && n+1 < len(toks) && toks[n+1].Kind == 'L' {
			spans = toks[n+1].Spans
		}
		if len(spans) == 0 {
			spans = []spot.Span{{}}
		}
		for _, s := range spans {
			if p := mn.one(t.M.Cands, i); p != "" {
				mn.places[i] = append(mn.places[i], pasted{output.Place{Path: p, Start: s.Start, End: s.End, Kind: output.Diagnostic}, p})
			}
		}
	}
}

// one chooses among candidates by what is said around unit i, if that leaves one.
func (mn *miner) one(cands []string, i int) string {
	if len(cands) == 1 {
		return cands[0]
	}
	if len(cands) == 0 || len(cands) > 500 {
		return ""
	}
	s := mn.scopes[i]
	var tests []func(string) bool
	for _, dir := range []string{s.dir, mn.dirs[s.finding]} {
		if dir != "" {
			tests = append(tests, func(c string) bool { return strings.HasPrefix(c, dir+"/") }, func(c string) bool { return path.Dir(c) == dir })
		}
	}
	if s.topic != nil {
		tests = append(tests, func(c string) bool { return slices.Contains(s.topic.paths, c) })
	}
	for u := i; u != prose.None; u = mn.units[u].Parent {
		said := mn.inOne[mn.scopes[u].finding]
		tests = append(tests, func(c string) bool { return said[c] })
	}
	return names.Only(cands, append(tests, func(c string) bool { return mn.said[c] })...)
}
